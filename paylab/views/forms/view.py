"""The page of a form: a tree of nodes, sent to the browser as messages.

One widget draws every form. The kernel sends the whole tree; the browser updates what changed
and sends user actions back with the id of the node. Only messages contain values: the widget's
state, which a notebook may save, contains no user input and no response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import count
from typing import Any, Self

import anywidget
from IPython.core.getipython import get_ipython
from IPython.display import display

from .. import html
from ..html import Row
from .message import Message, read_buffers, read_message

WIDGET = "application/vnd.jupyter.widget-view+json"
FORM = "paylab-form"
INBOX = "paylab-inbox"
STATIC = "paylab-static"

# A live form or inbox hides its static text. Without a kernel, the static text hides the notice
# that the widget was not found: only that notice is a direct child of its output.
SHEET = f"""<style>
.jp-OutputArea:has(.{FORM}, .{INBOX}) .{STATIC} {{display:none}}
.jp-OutputArea:has(.{STATIC}) .jp-OutputArea-child:has(> .jupyter-widgets) {{display:none}}
</style>"""

COLUMNS = "repeat(auto-fit,minmax(min(100%,220px),1fr))"
GRID = f"display:grid;grid-template-columns:{COLUMNS};gap:8px 20px;margin:0 0 8px"
_NUMBERS = count(1)
Send = Callable[..., None]


def static_html(inside: str) -> str:
    """HTML that a saved notebook shows, hidden while the live widget is shown."""
    return f'{SHEET}<div class="{STATIC}">{inside}</div>'


def show_apart(widget: anywidget.AnyWidget, static: Mapping[str, str]) -> Any:
    """Display a widget and its static text as two outputs; return the handle of the text.

    If the widget is not found, Jupyter shows no other part of the same output.
    """
    display({WIDGET: reference(widget)}, raw=True)  # type: ignore[no-untyped-call]
    return display(static, raw=True, display_id=True)  # type: ignore[no-untyped-call]


def reference(widget: anywidget.AnyWidget) -> Any:
    """What a notebook contains of a widget: its id."""
    bundle = anywidget.AnyWidget._repr_mimebundle_(widget)
    return (bundle[0] if isinstance(bundle, tuple) else bundle or {})[WIDGET]


def _cell_number() -> int:
    """The number of the running cell; 0 outside IPython."""
    shell = get_ipython()
    return int(shell.execution_count) if shell else 0


def asset(name: str) -> str:
    """The text of a script or style sheet, by its path from here."""
    return files(__package__).joinpath(name).read_text("utf-8")


class Node:
    """A part of a page, with the nodes inside it; its `attributes` are sent to the browser."""

    kind = "group"
    attributes: tuple[str, ...] = ()
    children: Sequence[Node] = ()

    def __init__(self) -> None:
        self.id = f"n{next(_NUMBERS)}"
        self.visible = True

    def props(self) -> dict[str, Any]:
        """The data for the browser, as JSON."""
        return {name: getattr(self, name) for name in self.attributes}

    def static(self) -> str:
        """The visible parts as HTML for a saved notebook; readable without styles too."""
        return "".join(part.static() for part in self.children if part.visible)

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Handle a user action on this node."""

    def attach(self, send: Send) -> None:
        """Set the function that sends a message to a page."""


class Group(Node):
    """Nodes inside a box; `style` is one of grid, actions, part, step."""

    attributes: tuple[str, ...] = ("style", "current")

    def __init__(self, parts: Iterable[Node], style: str = "") -> None:
        super().__init__()
        self.children = list(parts)
        self.style = style
        self.current = False

    def static(self) -> str:
        """The parts, in the columns of a grid."""
        inside = super().static()
        return f'<div style="{GRID}">{inside}</div>' if self.style == "grid" and inside else inside


class Inputs(Group):
    """The inputs of a form: the Enter key presses `submit`.

    It has no name, because a named form is a landmark, and a notebook has many of them.
    """

    kind = "form"
    attributes = ()

    def __init__(self, parts: Iterable[Node], submit: Button) -> None:
        super().__init__(parts)
        self._submit = submit
        submit.submits = True

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Press the button."""
        self._submit.receive(message, buffers)


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
        """The text in brackets, as the picture of a button."""
        return f"<p><span>[ {html.escape(self.text)} ]</span></p>"

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Call its function."""
        if message.get("kind") == "press" and self.visible and not self.disabled:
            self.press()


class View(anywidget.AnyWidget):
    """The widget of a page; it sends content only on a browser's request, and saves none."""

    _esm = "".join(map(asset, ("view.js", "../kernel.js", "picker.js")))
    _css = asset("view.css")

    def __init__(self, page: FormPage) -> None:
        super().__init__()
        self._page = page
        self._nodes = dict[str, Node]()
        self._asked = False
        self._drawn = list[dict[str, Any]]()
        page.follow(self.refresh)
        self.on_msg(lambda _, message, buffers: self.receive(message, buffers))

    def refresh(self, focus: str = "") -> None:
        """Send the page if a browser shows it and it changed; move the focus."""
        if not self._asked:
            return
        self._nodes.clear()
        tree = [self._described(node) for node in self._page.nodes() if node.visible]
        if focus or tree != self._drawn:
            self._drawn = tree
            self.send({"kind": "show", "tree": tree, "focus": focus})

    def _described(self, node: Node) -> dict[str, Any]:
        self._nodes[node.id] = node
        node.attach(self.send)
        inside = [self._described(part) for part in node.children if part.visible]
        return {"id": node.id, "kind": node.kind, **node.props(), "parts": inside}

    def set_state(self, sync_data: object) -> None:
        """Take no state from a browser, which only sends messages."""

    def receive(self, content: object, data: object) -> None:
        """Handle a browser message: `ready` requests the page, others are actions on a node."""
        message = read_message(content)
        buffers = read_buffers(data)
        if message.get("kind") == "ready":
            self._asked = True
            self._drawn = []
            self.refresh()
        node = self._nodes.get(str(message.get("node")))
        if node is not None:
            node.receive(message, buffers)


class FormPage:
    """Nodes on a page, and rows of plain text that are saved in the notebook.

    They are separate outputs of a cell: a saved notebook contains no widget state.
    """

    title: str
    heading: Heading
    nodes: Callable[[], Sequence[Node]]
    rows: Callable[[], Sequence[Row]]
    """The nodes of the page, and what is saved in the notebook: no document number, no secret."""
    where = ""
    _kept: Any = None
    _shown_in = 0
    _view: View | None = None
    _followers: tuple[Callable[[str], None], ...] = ()

    def saved(self) -> str:
        """The HTML saved in the notebook below the title."""
        return html.table(self.rows())

    def sender(self) -> str:
        """A sentence on the code that runs now, seen from the cell that shows this page."""
        is_next = bool(self._shown_in) and _cell_number() == self._shown_in + 1
        return "Sent by the next cell." if is_next else "Sent by code: submit()."

    def place(self, where: str) -> None:
        """Show the name of the service beside the title."""
        self.where = where
        self.heading.badge = html.badge(where)
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
        target = focus.id if isinstance(focus, Node) else focus
        for follower in self._followers:
            follower(target)

    def keep(self) -> None:
        """Update the saved text."""
        if self._kept is not None:
            self._kept.update(self._static(), raw=True)

    def __copy__(self) -> Self:
        """The page itself: two copies of one order could be sent twice."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _static(self) -> dict[str, str]:
        text = html.heading(self.title) + self.saved()
        card = html.card(html.column(text), label=self.where)
        return {"text/html": static_html(card), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return html.plain_text(self.title, self.rows(), self.where)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {WIDGET: reference(self.view), **self._static()}

    def _ipython_display_(self) -> None:
        self._shown_in = _cell_number()
        self._kept = show_apart(self.view, self._static())


def side_by_side(fields: Iterable[Node]) -> Group:
    """Fields side by side if the page is wide enough."""
    return Group(fields, "grid")


def form_part(title: str, *parts: Node) -> Group:
    """A part of a form below its heading."""
    return Group([Heading(title, 4), *parts], "part")
