"""The page of a form: a tree of nodes, sent to the browser as messages.

One widget draws every form. The kernel sends the whole tree; the browser updates what changed
and sends user actions back with the id of the node. Only messages contain values: the widget's
state, which a notebook may save, contains no user input and no response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from itertools import count
from typing import Any, Self

import anywidget
from IPython.core.getipython import get_ipython

from ...errors.names import with_name_suggestions
from ...spec.text import JsonObject
from .. import html
from ..html import Row
from .message import Message, read_buffers, read_message
from .saved_output import (
    WIDGET,
    display_with_static,
    static_html,
    widget_reference,
)

SAVED_LINE = html.notice("Saved output: run this cell.")
"""The first line of what a notebook shows in place of a form, until its cell runs."""

GRID_COLUMNS = "repeat(auto-fit,minmax(min(100%,220px),1fr))"
GRID_STYLE = f"display:grid;grid-template-columns:{GRID_COLUMNS};gap:8px 20px;margin:0 0 8px"
_NODE_NUMBERS = count(1)

Send = Callable[..., None]
"""A function that sends a message and buffers to the pages that show a node."""


def _current_cell_number() -> int:
    """The number of the running cell; 0 outside IPython."""
    shell = get_ipython()
    return int(shell.execution_count) if shell else 0


def read_asset(path: str) -> str:
    """Read a script or style sheet by its path from this folder."""
    return files(__package__).joinpath(path).read_text("utf-8")


class Node:
    """A part of a page, with the nodes inside it; its `attributes` are sent to the browser."""

    kind = "group"
    attributes: tuple[str, ...] = ()
    children: Sequence[Node] = ()

    def __init__(self) -> None:
        self.id = f"n{next(_NODE_NUMBERS)}"
        self.visible = True

    def props(self) -> JsonObject:
        """The data for the browser, as JSON."""
        return {name: getattr(self, name) for name in self.attributes}

    def static(self) -> str:
        """The visible parts as HTML for a saved notebook; readable without styles too."""
        return "".join(child.static() for child in self.children if child.visible)

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Handle a user action on this node."""

    def attach(self, send: Send) -> None:
        """Set the function that sends a message to a page."""


class Group(Node):
    """Nodes inside a box; `style` is one of grid, actions, part, step."""

    attributes: tuple[str, ...] = ("style", "current")

    def __init__(self, children: Iterable[Node], style: str = "") -> None:
        super().__init__()
        self.children = list(children)
        self.style = style
        self.current = False

    def static(self) -> str:
        """The parts, in the columns of a grid."""
        content = super().static()
        if self.style != "grid" or not content:
            return content
        return f'<div style="{GRID_STYLE}">{content}</div>'


class Inputs(Group):
    """The inputs of a form: the Enter key presses `submit_button`.

    It has no name, because a named form is a landmark, and a notebook has many of them.
    """

    kind = "form"
    attributes = ()

    def __init__(self, children: Iterable[Node], submit_button: Button) -> None:
        super().__init__(children)
        self._submit_button = submit_button
        submit_button.submits = True

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Press the button."""
        self._submit_button.receive(message, buffers)


class Heading(Node):
    """A focusable heading, with `hint` and `badge` (HTML) beside it."""

    kind = "heading"
    attributes = ("text", "level", "hint", "badge")

    def __init__(self, text: str, level: int = 3) -> None:
        super().__init__()
        self.text = text
        self.level = level
        self.hint = ""
        self.badge = ""

    def static(self) -> str:
        """The text, bold."""
        return f'<div style="margin:14px 0 4px;font-weight:600">{html.escape(self.text)}</div>'


class Html(Node):
    """HTML made by this package, with every value escaped; screen readers announce `live` parts."""

    kind = "html"
    attributes = ("html", "live", "style")

    def __init__(self, text: str = "", *, live: bool = False, style: str = "") -> None:
        super().__init__()
        self.html = text
        self.live = live
        self.style = style

    def static(self) -> str:
        """The HTML, without messages about what somebody typed."""
        return "" if self.live else self.html


class Code(Node):
    """Python code that opens on demand and can be copied."""

    kind = "code"
    attributes = ("text",)
    text = ""


class Button(Node):
    """A button; `style` is one of primary, warning, or empty."""

    kind = "button"
    attributes = ("text", "style", "disabled", "submits")

    def __init__(self, text: str, press: Callable[[], object], style: str = "") -> None:
        super().__init__()
        self.text = text
        self.press = press
        self.style = style
        self.disabled = False
        self.submits = False

    def static(self) -> str:
        """The text, which does not look like a button: it does nothing."""
        return f'<p style="{html.MUTED}">{html.escape(self.text)}</p>'

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Call its function."""
        if message.get("kind") == "press" and self.visible and not self.disabled:
            self.press()


class View(anywidget.AnyWidget):
    """The widget of a page; it sends content only on a browser's request, and saves none."""

    _esm = "".join(map(read_asset, ("view.js", "field.js", "picker.js", "../kernel.js")))
    _css = read_asset("view.css")

    def __init__(self, page: FormPage) -> None:
        super().__init__()
        self._page = page
        self._nodes_by_id = dict[str, Node]()
        self._is_ready = False
        self._shown_tree = list[JsonObject]()
        page.follow(self.refresh)
        self.on_msg(lambda _, message, buffers: self.receive(message, buffers))

    def refresh(self, focus: str = "") -> None:
        """Send the page if a browser shows it and it changed; move the focus."""
        if not self._is_ready:
            return
        self._nodes_by_id.clear()
        tree = [self._describe_node(node) for node in self._page.page_nodes() if node.visible]
        if focus or tree != self._shown_tree:
            self._shown_tree = tree
            opens = self._page.opens_ids
            self.send({"kind": "show", "tree": tree, "focus": focus, "opens": opens})

    def _describe_node(self, node: Node) -> JsonObject:
        """A visible node and the nodes inside it, as JSON for the browser."""
        self._nodes_by_id[node.id] = node
        node.attach(self.send)
        children = [self._describe_node(child) for child in node.children if child.visible]
        return {"id": node.id, "kind": node.kind, **node.props(), "parts": children}

    def set_state(self, sync_data: object) -> None:
        """Take no state from a browser, which only sends messages."""

    def receive(self, content: object, data: object) -> None:
        """Handle a browser message: `ready` requests the page, others are actions on a node."""
        message = read_message(content)
        buffers = read_buffers(data)
        if message.get("kind") == "ready":
            self._is_ready = True
            self._shown_tree = []
            self.refresh()
        if message.get("kind") == "open" and self._page.opens_ids:
            self._page.open_object(str(message.get("value")))
        node = self._nodes_by_id.get(str(message.get("node")))
        if node is not None:
            node.receive(message, buffers)


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
    _display_cell = 0
    _view: View | None = None
    _followers: tuple[Callable[[str], None], ...] = ()
    opener: Callable[[str], FormPage] | None = None
    """Makes the card of an object by its id, for a click on the id."""
    _opened: FormPage | None = None

    def page_nodes(self) -> Sequence[Node]:
        """The nodes, and the card of the object whose id was clicked last."""
        if self._opened is None:
            return self.nodes()
        close = Group([Button("Close", self.close_object)], "actions")
        return [*self.nodes(), Group([*self._opened.nodes(), close], "opened")]

    @property
    def opens_ids(self) -> bool:
        """Whether a click on an id opens its object."""
        return self.opener is not None

    def open_object(self, object_id: str) -> None:
        """Show an object below the page."""
        if self.opener is not None:
            self._opened = self.opener(object_id)
            self._opened.follow(self.redraw)
            self.redraw(self._opened.heading)

    def close_object(self) -> None:
        """Remove the object that was opened."""
        self._opened = None
        self.redraw(self.heading)

    def saved_html(self) -> str:
        """The HTML saved in the notebook below the title."""
        return html.table(self.rows())

    def sender_sentence(self) -> str:
        """A sentence on the code that runs now, seen from the cell that shows this page."""
        is_shown = bool(self._display_cell)
        if is_shown and _current_cell_number() == self._display_cell + 1:
            return "Sent by the next cell."
        return "Sent by code: submit()."

    def show_service_name(self, service_name: str) -> None:
        """Show the name of the service beside the title."""
        self.service_name = service_name
        self.heading.badge = html.badge(service_name)
        self.redraw()

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
        node_id = focus.id if isinstance(focus, Node) else focus
        for follower in self._followers:
            follower(node_id)

    def update_saved(self) -> None:
        """Update the text that is saved in the notebook."""
        if self._static_display is not None:
            self._static_display.update(self._static_bundle(), raw=True)

    def __copy__(self) -> Self:
        """The page itself: two copies of one order could be sent twice."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _static_bundle(self) -> dict[str, str]:
        content = html.heading(self.title, self.service_name) + self.saved_html()
        card = html.card(html.column(SAVED_LINE, content))
        return {"text/html": static_html(card), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return html.plain_text(self.title, self.rows(), self.service_name)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> JsonObject:
        return {WIDGET: widget_reference(self.view), **self._static_bundle()}

    def _ipython_display_(self) -> None:
        self._display_cell = _current_cell_number()
        self._static_display = display_with_static(self.view, self._static_bundle())


def side_by_side(fields: Iterable[Node]) -> Group:
    """Fields side by side if the page is wide enough."""
    return Group(fields, "grid")


def form_section(title: str, *nodes: Node) -> Group:
    """A section of a form below its heading."""
    return Group([Heading(title, 4), *nodes], "part")
