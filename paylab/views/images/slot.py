"""One side of a document: a file picker that sends slices of at most 1 MiB, and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib.resources import files
from typing import Any, BinaryIO

import anywidget
import traitlets
from ipywidgets import HTML, Dropdown, Text, VBox, dlink

from ...errors import Problem, RuleError
from ...spec.codes import IMAGE_MAX, IMAGE_TYPES
from ...spec.status import Advice
from .. import html
from ..forms.field import FormField
from ..forms.form import form_part, grid
from ..specimens import FAULTS
from .choice import Choice, Seen, Spool, SpoolError, look, on_disk, spooled

ACCEPT = ",".join([*IMAGE_TYPES, ".heic", ".heif"])  # browsers do not know these two by type
SLICE = 2**20
Take = Callable[[BinaryIO], None]
Refuse = Callable[[int], None]
Preview = Callable[[], bytes | None]


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


class Picker(anywidget.AnyWidget):
    """An `<input type=file>` whose file is handed to `take` as an open private file.

    `refuse` is told the size of a file that was not even sent; `preview` gives the picture to
    show. No byte of the file becomes widget state: slices and the preview are messages.
    """

    _esm = _text("picker.js")
    _css = _text("picker.css")

    description = traitlets.Unicode().tag(sync=True)
    accept = traitlets.Unicode(ACCEPT).tag(sync=True)
    limit = traitlets.Int(IMAGE_MAX).tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)
    value = traitlets.Int(0, help="How often a choice was made; only in the kernel.")

    def __init__(self, take: Take, refuse: Refuse, preview: Preview, **options: Any) -> None:
        super().__init__(**options)
        self._take, self._refuse, self._preview = take, refuse, preview
        self._spool: Spool | None = None
        self._sending = ""
        self.on_msg(self._receive)

    def show(self) -> None:
        """Show the preview there is, or none."""
        picture = self._preview()
        if picture is None:
            self.send({"kind": "clear"})
        else:
            self.send({"kind": "preview"}, [picture])

    def drop(self) -> None:
        """Give up a file that is on its way."""
        if self._spool is not None:
            self._spool.close()
        self._spool, self._sending = None, ""

    def close(self) -> None:
        """Take the picker off the page, and delete what was on its way."""
        self.drop()
        super().close()

    def _receive(self, _: object, content: dict[str, Any], buffers: list[memoryview]) -> None:
        known: dict[str, Callable[[dict[str, Any]], None]] = {
            "start": self._start,
            "slice": partial(self._slice, buffers),
            "cancel": self._cancel,
            "refuse": lambda said: self._refuse(int(said.get("size", 0))),
            "show": lambda _: self.show(),
        }
        act = known.get(str(content.get("kind")))
        if act is not None:
            act(content)

    def _start(self, content: dict[str, Any]) -> None:
        self.drop()
        size, self._sending = content.get("size"), str(content.get("id"))
        if self.disabled or type(size) is not int or not 0 <= size <= self.limit:
            self._stop(f"At most {self.limit // 2**20} MB can be sent.")
            return
        self._spool = Spool(size)
        self._go_on(self._spool)

    def _slice(self, buffers: list[memoryview], content: dict[str, Any]) -> None:
        if self._spool is None or content.get("id") != self._sending:
            return
        try:
            self._spool.add(int(content.get("at", -1)), b"".join(buffers))
        except (SpoolError, OSError) as error:
            self._stop(f"Not received: {error}")
            return
        self._go_on(self._spool)

    def _go_on(self, spool: Spool) -> None:
        if not spool.full:
            self.send({"kind": "next", "id": self._sending, "at": spool.at})
            return
        self.send({"kind": "done", "id": self._sending})
        self._spool = None
        self._take(spool.file)

    def _cancel(self, content: dict[str, Any]) -> None:
        if content.get("id") == self._sending:
            self.drop()

    def _stop(self, reason: str) -> None:
        self.send({"kind": "stop", "id": self._sending, "reason": reason})
        self.drop()


LABELS = {
    "document-front": "Front of the document",
    "document-back": "Back of the document",
    "selfie": "Selfie",
}
NONE, GOOD = "", "good"
SIGNS = {"needed": "○", "chosen": "●", "uploaded": "✓", "refused": "✗"}
TONES = {"uploaded": "paylab-good", "refused": "paylab-error"}


class Slot(FormField):
    """One side; `make(side, fault)` gives a specimen of it.

    `state` is one of needed, chosen, uploaded, refused.
    """

    def __init__(self, side: str, make: Callable[[str, str | None], Choice]) -> None:
        self.side, self._make = side, make
        self.choice: Choice | None = None
        self.seen: Seen | None = None
        self.trouble, self.uploaded = "", ""
        self.advice: list[tuple[Advice, str]] = []
        label = LABELS[side]
        self.picker = Picker(self.take_file, self._refuse, self._picture)
        self.path = Text(continuous_update=False, placeholder="/folder/photo.jpg, then Enter")
        self.specimen = Dropdown(options=_specimens())
        self.line = HTML()
        super().__init__(side, label, self.picker)
        ways = grid([FormField("path", f"{label}: or a path on disk", self.path)])
        ways.children += (FormField("specimen", f"{label}: or a specimen", self.specimen).view,)
        self.view = VBox([form_part(label), self.line, self.picker, self.note, ways])
        self.path.observe(lambda change: self.take_path(change["new"]), "value")
        self.specimen.observe(lambda change: self.take_specimen(change["new"]), "value")
        for one in (self.path, self.specimen):
            dlink((self.picker, "disabled"), (one, "disabled"))

    @property
    def value(self) -> Choice | None:
        """What was chosen."""
        return self.choice

    @property
    def state(self) -> str:
        """Needed, chosen, uploaded or refused."""
        if self.choice:
            return "chosen"
        if self.uploaded:
            return "uploaded"
        refused = any(not advice.asks for advice, _ in self.advice)
        return "refused" if refused or self.trouble else "needed"

    @property
    def required(self) -> bool:
        """Whether the service has no image of this side yet."""
        return any(advice.asks for advice, _ in self.advice)

    def ask(self, advice: Iterable[tuple[Advice, str]]) -> None:
        """What the service asks for or refuses here, each with its own words."""
        self.advice = list(advice)
        self.release("")
        self.show(bool(self.advice))
        self.touched = False

    def take_file(self, file: BinaryIO) -> None:
        """Take a file that came through the picker."""
        self._take(spooled(file))

    def take_path(self, text: str) -> None:
        """Take a file on the machine the kernel runs on."""
        if text.strip():
            self._take(on_disk(text.strip()), keep="path")

    def take_specimen(self, fault: str) -> None:
        """Take a specimen: a good one, or one that shows what a code complains about."""
        if fault:
            self._take(self._make(self.side, None if fault == GOOD else fault), keep="specimen")

    def prefill(self) -> None:
        """Put a good specimen here, which is not drawn before somebody looks."""
        if self.choice is None:
            self._settle(self._make(self.side, None), None)
            with self.specimen.hold_trait_notifications():
                self.specimen.value = NONE

    def release(self, uploaded: str) -> None:
        """Let go of the image and everything that speaks of it."""
        self._drop()
        self.trouble, self.uploaded = "", uploaded
        self.path.value, self.specimen.value = "", NONE
        self._say_state()

    def close(self) -> None:
        """Delete what is still here."""
        self._drop()
        self.picker.close()

    def say(self, problems: Iterable[Problem], warnings: Iterable[Problem]) -> None:
        """What is wrong, below the picker, and the state above it."""
        super().say(problems, warnings)
        self._say_state()

    def _take(self, choice: Choice, keep: str = "") -> None:
        for name, empty in (("path", ""), ("specimen", NONE)):
            if name != keep:
                getattr(self, name).value = empty
        try:
            self._settle(choice, look(choice, self.side))
        except RuleError as error:
            choice.close()
            self._fail(error.problems[0].message)

    def _settle(self, choice: Choice, seen: Seen | None) -> None:
        self._drop()
        self.choice, self.seen, self.trouble = choice, seen, ""
        self._changed()

    def _fail(self, trouble: str) -> None:
        self._drop()
        self.trouble = trouble
        self._changed()

    def _refuse(self, size: int) -> None:
        most = IMAGE_MAX // 2**20
        self._fail(f"has {size / 2**20:.1f} MB, and at most {most} MB can be sent")

    def _drop(self) -> None:
        if self.choice:
            self.choice.close()
        self.choice = self.seen = None
        self.picker.drop()

    def _changed(self) -> None:
        self.picker.show()
        self.picker.value += 1

    def _picture(self) -> bytes | None:
        if self.choice and self.seen is None:
            self.seen = look(self.choice, self.side)
            self._say_state()
        return self.seen.picture if self.seen else None

    def _say_state(self) -> None:
        name = self.state
        head = f"{SIGNS[name]} {name.capitalize()}{self._detail()}"
        lines = [f'<div class="{TONES.get(name, "")}" role="status">{html.escape(head)}</div>']
        if name in ("needed", "refused"):
            lines += [_advised(advice, message) for advice, message in self.advice]
        self.line.value = "".join(lines)

    def _detail(self) -> str:
        if self.choice is None:
            return f": {self.uploaded}" if self.uploaded else ""
        words = [self.choice.origin, *([self.seen.words] if self.seen else [])]
        return f": {', '.join(words)}"


def _specimens() -> list[tuple[str, str]]:
    """What a specimen can show, in words."""
    faults = [(code.removeprefix("verification_").replace("_", " "), code) for code in FAULTS]
    return [("none", NONE), ("a good one", GOOD), *faults]


def _advised(advice: Advice, message: str) -> str:
    said = f" The service says: {message}" if message else ""
    text = html.escape(f"{advice.meaning} {advice.action}{said}")
    return f'<div class="paylab-hint">{text}</div>'
