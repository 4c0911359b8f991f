"""One side of a document: the chosen image and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

from ...errors.base import Problem, RuleError
from ...spec.codes import IMAGE_MAX, IMAGE_TYPES
from ...spec.service.service import Service
from ...spec.status import Advice
from .. import html
from ..forms.field import SELECT, FormField
from ..forms.file import FilePicker
from ..forms.view import Heading, Html, side_by_side
from ..specimens import FAULTS
from .choice import Choice, ImageFacts, look, on_disk, uploaded

ACCEPT = ",".join([*IMAGE_TYPES, ".heic", ".heif"])  # browsers do not know the types of these two

LABELS = {
    "document-front": "Front of the document",
    "document-back": "Back of the document",
    "selfie": "Selfie",
}
NONE = ""
GOOD = "good"
EMPTY = "empty"
CHOSEN = "chosen"
SENDING = "sending"
STORED = "stored"
REFUSED_HERE = "refused before sending"
REFUSED = "refused by the service"
SUSPECT = "possibly refused by the service"
UNCLEAR = " The service does not say which picture: it may be any of these."
SIGNS = {
    EMPTY: "○",
    CHOSEN: "●",
    SENDING: "↑",
    STORED: "✓",
    REFUSED_HERE: "✗",
    REFUSED: "✗",
    SUSPECT: "?",
}
TONES = {STORED: "paylab-good", REFUSED_HERE: "paylab-error", REFUSED: "paylab-error"}
SPECIMENS = [
    ("none", NONE),
    ("a good one", GOOD),
    *((code.removeprefix("verification_").replace("_", " "), code) for code in FAULTS),
]
SPECIMEN_HINT = "Simulator: the specimen that you choose decides how verification ends."


class Slot(FormField):
    """One side of a document; `make(side, fault=)` returns a specimen, `service` sets the sizes.

    `state` is one of empty, chosen, sending, stored, refused before sending, refused by the
    service, possibly refused by the service.
    """

    kind = "group"

    def __init__(self, side: str, make: Callable[..., Choice], service: Service | None) -> None:
        super().__init__(side, LABELS[side])
        self.side = side
        self._make = make
        self._look = partial(look, side=side, service=service)
        self._value = None
        self.seen: ImageFacts | None = None
        self.trouble = ""
        self.stored = False
        self.sending = False
        self.advice: list[tuple[Advice, str]] = []
        self.picker = FilePicker(self.label, ACCEPT, self._take_file, self._too_large)
        self.picker.remove = self.remove
        self.picker.picture = self._picture
        self.path = FormField("path", f"{self.label}: path of a file on this machine")
        self.path.placeholder = "/folder/photo.jpg, then Enter"
        self.specimen = FormField("specimen", f"{self.label}: or a specimen", SELECT)
        self.specimen.offer(SPECIMENS)
        self.specimen.hint = SPECIMEN_HINT
        self.path.on_change = lambda _: self._take_path(self.path.value)
        self.path.lazy = True
        self.specimen.on_change = lambda _: self._take_specimen(self.specimen.value)
        self.line = Html(live=True)
        other_inputs = side_by_side([self.path, self.specimen])
        self._inside = [Heading(self.label, 4), self.line, self.picker, other_inputs]
        self.children = self._inside
        self._say_state()

    def static(self) -> str:
        """The side and its state; no picture is saved in a notebook."""
        return f"<p>{html.escape(self.label)}: {self.state}</p>"

    def props(self) -> dict[str, Any]:
        """The data for the browser."""
        return {"style": "part"}

    def lock(self, locked: bool) -> None:
        """Show only the heading and the state once it was sent."""
        super().lock(locked)
        self.children = self._inside[:2] if locked else self._inside
        for control in (self.picker, self.path, self.specimen):
            control.disabled = locked

    @property
    def choice(self) -> Choice | None:
        """The chosen image: the value of this field."""
        return cast("Choice | None", self._value)

    @property
    def state(self) -> str:
        """The state of the image."""
        if self.choice:
            return SENDING if self.sending else CHOSEN
        if self.stored:
            return STORED
        if self.trouble:
            return REFUSED_HERE
        refused = [advice for advice, _ in self.advice if not advice.asks]
        if not refused:
            return EMPTY
        return SUSPECT if all(map(is_unclear, refused)) else REFUSED

    @property
    def needed(self) -> bool:
        """Whether the service still requests this side."""
        return any(advice.asks for advice, _ in self.advice)

    def ask(self, advice: Iterable[tuple[Advice, str]]) -> None:
        """Set what the service requests or refuses, with its messages."""
        self.advice = list(advice)
        self.release(stored=False)
        self.visible = bool(self.advice)
        self.touched = False

    def _take_file(self, name: str, data: bytes) -> None:
        self._take(uploaded(name, data))

    def _take_path(self, text: str) -> None:
        if text:
            self._take(on_disk(text), keep=self.path)

    def _take_specimen(self, fault: str) -> None:
        """Choose a specimen: a good one, or one with the defect of a status detail code."""
        if fault:
            choice = self._make(self.side, fault=None if fault == GOOD else fault)
            self._take(choice, keep=self.specimen)
        elif self.choice:
            self.remove()

    def prefill(self) -> None:
        """Choose a good specimen; it is drawn when a browser shows it."""
        if self.choice is None:
            self.specimen.put(GOOD)
            self._settle(self._make(self.side), None)

    def remove(self) -> None:
        """Remove the chosen image."""
        self.release(stored=False)
        self._changed()

    def release(self, *, stored: bool) -> None:
        """Delete the image and what was read from it."""
        self._forget()
        self.trouble = ""
        self.stored = stored
        self.path.put("")
        self.specimen.put(NONE)
        self._say_state()

    def _forget(self) -> None:
        self.store(None)
        self.seen = None
        self.picker.drop()

    def say(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        """Show problems below the picker, and the state above it."""
        super().say(problems, warnings)
        if self.trouble:
            self.errors = []  # the state shows it
        self.picker.errors = self.errors
        self.picker.warnings = self.warnings
        self._say_state()

    def _take(self, choice: Choice, keep: FormField | None = None) -> None:
        for other_field, empty in ((self.path, ""), (self.specimen, NONE)):
            if other_field is not keep:
                other_field.put(empty)
        try:
            self._settle(choice, self._look(choice))
        except RuleError as error:
            self._settle(trouble=f"{choice.name} {error.problems[0].message}")

    def _settle(
        self, choice: Choice | None = None, seen: ImageFacts | None = None, trouble: str = ""
    ) -> None:
        """Keep an image and what was read from it, or why there is none."""
        self._forget()
        self.store(choice)
        self.seen = seen
        self.trouble = trouble
        self.stored = False
        self._changed()

    def _too_large(self, name: str, size: int) -> None:
        most = f"{IMAGE_MAX // 2**20} MB ({IMAGE_MAX:,} bytes)"
        words = f"has {size / 2**20:.2f} MB ({size:,} bytes): the maximum is {most}"
        self._settle(trouble=f"{name} {words}")

    def _changed(self) -> None:
        self.touched = True
        self._say_state()
        self.picker.show()
        self.on_change(self)

    def _picture(self) -> bytes | None:
        if self.choice and self.seen is None:
            self.seen = self._look(self.choice)
            self._say_state()
        return self.seen.picture if self.seen else None

    def _say_state(self) -> None:
        state = self.state
        self.picker.chosen = self.choice is not None
        state_text = f"{SIGNS[state]} {state[:1].upper()}{state[1:]}"
        if self.choice:
            state_text += (
                f": {', '.join([self.choice.name, *([self.seen.words] if self.seen else [])])}"
            )
        elif self.trouble:
            state_text += f": {self.trouble}. Choose another file."
        lines = [f'<p class="{TONES.get(state, "")}">{html.escape(state_text)}</p>']
        if state in (EMPTY, REFUSED, SUSPECT):
            lines += [
                advice_line(*advice, "hint") for advice in self.advice if not is_unclear(advice[0])
            ]
        self.line.html = "".join(lines)


def is_unclear(advice: Advice) -> bool:
    """Whether it refuses one of several images, and does not say which."""
    return len(advice.sides) > 1 and not advice.asks


def advice_line(advice: Advice, message: str, style: str) -> str:
    """The meaning of a status detail, what to do, and the words of the service."""
    reason = f" The service says: {message}" if message else ""
    unclear = UNCLEAR if is_unclear(advice) else ""
    text = html.escape(f"{advice.meaning} {advice.action}{reason}{unclear}")
    return f'<p class="paylab-{style}">{text}</p>'
