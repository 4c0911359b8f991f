"""An object as a card, in which each id opens its object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...errors.base import PaylabError
from ...spec.resource import Resource
from .. import html
from ..html import Row
from ..ids import ID_PATTERN, shorten_id
from ..resource_fields import resource_parts
from .nodes import Button, Group, Heading, Html, Node
from .view import FormPage

Link = tuple[str, str]
"""A line of a list: the id of the object that it opens ("" for none), and its text."""
ReadLinks = Callable[[], list[Link]]


class ObjectPage(FormPage):
    """The fields of an object, and a button for each id and for each list that it leads to.

    `resource` is the shown object; the page has its fields as attributes. `read` reads an object
    by its id, and `find_lists` returns functions that read lists of links, by the title of a list.
    """

    USER_NAMES = ("back", "open", "rows", "title")

    title = "Object"
    resource: Resource

    def __init__(
        self,
        read: Callable[[str], Resource],
        find_lists: Callable[[Resource], Mapping[str, ReadLinks]],
    ) -> None:
        """Lay out an empty page; `open()` shows the first object."""
        self._read = read
        self._find_lists = find_lists
        self._earlier = list[Resource]()
        self.heading = Heading(self.title)
        self._fields = Html()
        self._links = Group([], "actions")
        self._list = Group([])
        self._error = Html(live=True)
        self._back = Button("Back", self.back)
        self._back.visible = False

    def __getattr__(self, name: str) -> Any:
        """A field of the shown object."""
        if name.startswith("_") or "resource" not in vars(self):
            raise AttributeError(name)
        return getattr(self.resource, name)

    def nodes(self) -> Sequence[Node]:
        """The fields, the buttons, and the list that was opened last."""
        return [self.heading, self._fields, self._links, self._list, self._error]

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook."""
        return resource_parts(self.resource)[0]

    def open(self, object_id: str) -> None:
        """Show the object with this id, and keep the one before for `back`."""
        resource = self._read(object_id)
        if "resource" in vars(self):
            self._earlier.append(self.resource)
        self._show_object(resource)

    @property
    def opens_ids(self) -> bool:
        """A click on an id shows its object in place of this one."""
        return True

    def open_object(self, object_id: str) -> None:
        """Show another object."""
        self.visit(object_id)

    def back(self) -> None:
        """Show the object before."""
        if self._earlier:
            self._show_object(self._earlier.pop())

    def visit(self, object_id: str) -> None:
        """Open an object after a click; an error is shown."""
        try:
            self.open(object_id)
        except PaylabError as error:
            self._error.html = html.warning(str(error))
            self.redraw(self._error)

    def _show_object(self, resource: Resource) -> None:
        """Show an object with the buttons of its ids and lists."""
        self.resource = resource
        field_rows, html_blocks = resource_parts(resource)
        resource_id = str(getattr(resource, "id", ""))
        self.title = type(resource).__name__
        self.heading.text = f"{self.title} {shorten_id(resource_id)}"
        self._fields.html = html.table(field_rows) + "".join(html_blocks)
        buttons = [
            self._make_link_button(object_id, field_name)
            for field_name, object_id in find_ids(resource.to_dict())
            if object_id != resource_id
        ]
        for list_title, read_links in self._find_lists(resource).items():
            buttons.append(Button(list_title, partial(self._open_list, list_title, read_links)))
        self._back.visible = bool(self._earlier)
        self._links.children = [*buttons, self._back]
        self._list.children = []
        self._error.html = ""
        self.redraw(self.heading)
        self.update_saved()

    def _make_link_button(self, object_id: str, link_name: str = "") -> Button:
        """Make a button that opens an object, with its name and its shortened id."""
        button_text = f"{link_name.capitalize()} {shorten_id(object_id)}"
        return Button(button_text, partial(self.visit, object_id))

    def _open_list(self, title: str, read_links: ReadLinks) -> None:
        """Show a list of links; an error is shown."""
        try:
            links = read_links()
        except PaylabError as error:
            self._error.html = html.warning(str(error))
            self.redraw(self._error)
            return
        list_heading = Heading(f"{title}: {len(links)}" if links else f"{title}: none", 4)
        self._list.children = [list_heading, *map(self._make_link_node, links)]
        self.redraw(list_heading)

    def _make_link_node(self, link: Link) -> Node:
        """Make a row of a list: the button that opens its object, if it has one, and the text."""
        object_id, link_text = link
        if not object_id:
            return Html(f"<p>{html.escape(link_text)}</p>")
        return Group([self._make_link_button(object_id), Html(html.escape(link_text))], "row")


def find_ids(json_object: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The ids in an object, each once: pairs of the name of its field and the id.

    The field `quote_id` gives the name "quote".
    """
    name_by_id = dict[str, str]()
    for field_name, field_text in _find_texts(json_object, field_name=""):
        if ID_PATTERN.fullmatch(field_text):
            name_by_id.setdefault(field_text, field_name)
    for object_id, field_name in name_by_id.items():
        yield field_name, object_id


def _find_texts(json_value: object, field_name: str) -> Iterator[tuple[str, str]]:
    """The texts in a value of a field, each with the name of its own field.

    An `id` has the name of the field with its object.

    >>> list(_find_texts({"quote_id": "qt_1", "payout_account": {"id": "fa_1"}}, ""))
    [('quote', 'qt_1'), ('payout account', 'fa_1')]
    """
    if isinstance(json_value, Mapping):
        for member_name, member in json_value.items():
            object_field = field_name if member_name == "id" else str(member_name)
            yield from _find_texts(member, object_field)
    elif isinstance(json_value, list):
        for member in json_value:
            yield from _find_texts(member, field_name)
    elif isinstance(json_value, str):
        yield field_name.removesuffix("_id").replace("_", " "), json_value
