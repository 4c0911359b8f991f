"""The parts of a form's page: groups, headings, HTML, code and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count

from ...spec.text import JsonObject
from .. import html
from ..style import MUTED
from .message import Message

GRID_COLUMNS = "repeat(auto-fill,minmax(min(100%,max(240px,30%)),1fr))"
"""The columns of a form; `view.css` has the same."""
GRID_STYLE = f"display:grid;grid-template-columns:{GRID_COLUMNS};gap:8px 20px;margin:8px 0"
_NODE_NUMBERS = count(1)

Send = Callable[..., None]
"""A function that sends a message and buffers to a page that shows a node."""


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
        return {attribute_name: getattr(self, attribute_name) for attribute_name in self.attributes}

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
        content_html = super().static()
        if self.style != "grid" or not content_html:
            return content_html
        return f'<div style="{GRID_STYLE}">{content_html}</div>'


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

    def __init__(self, html_text: str = "", *, live: bool = False, style: str = "") -> None:
        super().__init__()
        self.html = html_text
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
        return f'<p style="{MUTED}">{html.escape(self.text)}</p>'

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Call its function."""
        if message.get("kind") == "press" and self.visible and not self.disabled:
            self.press()


def side_by_side(fields: Iterable[Node]) -> Group:
    """Fields side by side if the page is wide enough."""
    return Group(fields, "grid")


def form_section(title: str, *nodes: Node) -> Group:
    """A section of a form below its heading."""
    return Group([Heading(title, 4), *nodes], "part")
