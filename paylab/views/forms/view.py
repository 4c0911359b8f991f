"""The page of a form: a tree of nodes, sent to the browser as messages.

One widget draws every form. The kernel sends the whole tree to a new page and then the nodes that
changed; the browser sends user actions back with the id of the node. Only messages contain values:
the widget's state, which a notebook may save, contains no user input and no response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from threading import RLock
from typing import Any, Self

import anywidget

from ...errors.names import with_name_suggestions
from ...spec.text import JsonObject
from .. import html
from ..html import Row
from .message import read_buffers, read_message
from .nodes import Button, Group, Heading, Node
from .saved_output import (
    SAVED_LINE,
    WIDGET,
    display_with_static,
    static_html,
    widget_reference,
)


def read_asset(path: str) -> str:
    """Read a script or style sheet by its path from this folder."""
    return files(__package__).joinpath(path).read_text("utf-8")


class View(anywidget.AnyWidget):
    """The widget of a page; it sends content only on a browser's request, and saves none."""

    _esm = "".join(map(read_asset, ("view.js", "field.js", "picker.js", "../kernel.js")))
    _css = read_asset("../widget.css") + read_asset("view.css")

    def __init__(self, page: FormPage) -> None:
        """Follow the page, and the messages of a browser."""
        super().__init__()
        self._page = page
        self._lock = RLock()  # cells and messages of a browser run in different threads
        self._nodes_by_id: Mapping[str, Node] = {}
        self._is_ready = False
        self._version = 0
        self._shown_nodes: Mapping[str, JsonObject] = {}
        self._shown_top_ids = list[str]()
        page.follow(self.refresh)
        self.on_msg(lambda _, message, buffers: self.receive(message, buffers))

    def refresh(self, focus: str = "") -> None:
        """Send the nodes that changed, if a browser shows the page, and move the focus.

        The first message has all nodes. `focus` is the id of a node or "".
        """
        with self._lock:
            if self._is_ready:
                self._send_changes(focus)

    def _send_changes(self, focus: str) -> None:
        """Send the nodes that changed, unless none did and no focus is moved."""
        nodes_by_id = dict[str, Node]()
        node_data_by_id = dict[str, JsonObject]()
        top_node_ids = self._describe_nodes(self._page.page_nodes(), nodes_by_id, node_data_by_id)
        self._nodes_by_id = nodes_by_id
        changed_node_data = [
            node_data
            for page_node_id, node_data in node_data_by_id.items()
            if self._shown_nodes.get(page_node_id) != node_data
        ]
        is_unchanged = not changed_node_data and top_node_ids == self._shown_top_ids
        if is_unchanged and not focus:
            return
        earlier_version = self._version if self._shown_nodes else 0
        self._version += 1
        self._shown_nodes = node_data_by_id
        self._shown_top_ids = top_node_ids
        self.send(
            {
                "kind": "show",
                "version": self._version,
                "earlier": earlier_version,
                "nodes": changed_node_data,
                "top": top_node_ids,
                "focus": focus,
                "opens": self._page.opens_ids,
            }
        )

    def _describe_nodes(
        self,
        nodes: Sequence[Node],
        nodes_by_id: dict[str, Node],
        node_data_by_id: dict[str, JsonObject],
    ) -> list[str]:
        """Add the visible nodes and those inside them by id, and as JSON by id.

        Returns the ids of the outer nodes.
        """
        visible_nodes = [node for node in nodes if node.visible]
        for node in visible_nodes:
            nodes_by_id[node.id] = node
            node.attach(self.send)
            child_node_ids = self._describe_nodes(node.children, nodes_by_id, node_data_by_id)
            node_data_by_id[node.id] = {
                "id": node.id,
                "kind": node.kind,
                **node.props(),
                "parts": child_node_ids,
            }
        return [node.id for node in visible_nodes]

    def set_state(self, sync_data: object) -> None:
        """Take no state from a browser, which only sends messages."""

    def receive(self, content: object, data: object) -> None:
        """Handle a browser message: `ready` requests the page, others are actions on a node."""
        page_message = read_message(content)
        buffers = read_buffers(data)
        if page_message.get("kind") == "ready":
            with self._lock:
                self._is_ready = True
                self._shown_nodes = {}
                self.refresh()
        if page_message.get("kind") == "open" and self._page.opens_ids:
            self._page.open_object(str(page_message.get("value")))
        node = self._nodes_by_id.get(str(page_message.get("node")))
        if node is not None:
            node.receive(page_message, buffers)


@with_name_suggestions
class FormPage:
    """Nodes on a page, and rows of plain text that are saved in the notebook.

    They are separate outputs of a cell: a saved notebook contains no widget state. The rows
    contain no document number and no secret.
    """

    USER_NAMES: tuple[str, ...] = ("rows", "title")

    title: str
    heading: Heading
    nodes: Callable[[], Sequence[Node]]
    rows: Callable[[], Sequence[Row]]
    service_name = ""
    _static_display: Any = None
    _view: View | None = None
    _followers: tuple[Callable[[str], None], ...] = ()
    opener: Callable[[str], FormPage] | None = None
    """Makes the card of an object by its id, for a click on the id."""
    _opened: FormPage | None = None
    _opened_group: Group
    _close_row: Group

    def page_nodes(self) -> Sequence[Node]:
        """The nodes, and the card of the object whose id was clicked last."""
        if self._opened is None:
            return self.nodes()
        self._opened_group.children = [*self._opened.nodes(), self._close_row]
        return [*self.nodes(), self._opened_group]

    @property
    def opens_ids(self) -> bool:
        """Whether a click on an id opens its object."""
        return self.opener is not None

    def open_object(self, object_id: str) -> None:
        """Show an object below the page, until it is closed; without an opener, do nothing."""
        if self.opener is not None:
            self._opened = self.opener(object_id)
            self._opened_group = Group([], "opened")  # `page_nodes` fills it
            self._close_row = Group([Button("Close", self.close_object)], "actions")
            self._opened.follow(self.redraw)
            self.redraw(self._opened.heading)

    def close_object(self) -> None:
        """Remove the object that was opened."""
        self._opened = None
        self.redraw(self.heading)

    def saved_html(self) -> str:
        """The HTML saved in the notebook below the title."""
        return html.table(self.rows())

    def show_service_name(self, service_name: str) -> None:
        """Show the name of the service beside the title."""
        self.service_name = service_name
        self.heading.badge = html.badge(service_name)
        self.redraw()

    def show_again(self) -> None:
        """Handle that another cell shows the page than the one that made it; a form says so."""

    @property
    def view(self) -> View:
        """The widget, created on first display."""
        if self._view is None:
            self._view = View(self)
        return self._view

    def follow(self, follower: Callable[[str], None]) -> None:
        """Call `follower(focus)` after each change; `focus` is the id of a node or ""."""
        self._followers = (*self._followers, follower)

    def redraw(self, focus: Node | str = "") -> None:
        """Update the page in every browser."""
        page_node_id = focus.id if isinstance(focus, Node) else focus
        for follower in self._followers:
            follower(page_node_id)

    def update_saved(self) -> None:
        """Update the text that is saved in the notebook."""
        if self._static_display is not None:
            self._static_display.update(self.static_bundle(), raw=True)

    def __copy__(self) -> Self:
        """The page itself: two copies of one order could be sent twice."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """The page itself."""
        return self

    def static_bundle(self) -> dict[str, str]:
        """The page for a saved notebook, as HTML and as text."""
        content_html = html.heading(self.title, self.service_name) + self.saved_html()
        card_html = html.card(html.column(SAVED_LINE, content_html))
        return {"text/html": static_html(card_html), "text/plain": repr(self)}

    def __repr__(self) -> str:
        """The rows as plain text."""
        return html.plain_text(self.title, self.rows(), self.service_name)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> JsonObject:
        """The widget and what is saved of it for Jupyter, by MIME type."""
        return {WIDGET: widget_reference(self.view), **self.static_bundle()}

    def _ipython_display_(self) -> None:
        """Show the widget and what is saved of it as two outputs."""
        self._static_display = display_with_static(self.view, self.static_bundle())
