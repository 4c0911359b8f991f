"""One side of a document: the chosen image and its state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike
from typing import cast

from ...errors.base import ArgumentError, Problem, RuleError
from ...spec.codes import IMAGE_MAX, IMAGE_TYPES
from ...spec.service.service import Service
from ...spec.status import Advice
from ...spec.text import JsonObject, plain
from .. import html
from ..forms.field import SELECT, FormField
from ..forms.file import FilePicker
from ..forms.nodes import Heading, Html, side_by_side
from ..specimens import FAULTS, SIDE_LABELS
from ..style import MUTED
from .choice import ImageChoice, ImageFacts, choose_path, choose_uploaded, read_image_facts

ACCEPTED_FILES = ",".join([*IMAGE_TYPES, ".heic", ".heif"])
"""The types that the browser offers; it does not know the types of the last two."""

NO_SPECIMEN = ""
GOOD_SPECIMEN = "good"
SPECIMEN_OPTIONS = [
    ("none", NO_SPECIMEN),
    ("a good one", GOOD_SPECIMEN),
    *((code.removeprefix("verification_").replace("_", " "), code) for code in FAULTS),
]
SPECIMEN_HINT = (
    "Simulator: a specimen with a defect decides how verification ends; a good one does not."
)

EMPTY = "empty"
CHOSEN = "chosen"
SENDING = "sending"
STORED = "stored"
REFUSED_HERE = "refused before sending"
REFUSED = "refused by the service"
POSSIBLY_REFUSED = "possibly refused by the service"
STATE_SIGNS = {
    EMPTY: "○",
    CHOSEN: "●",
    SENDING: "↑",
    STORED: "✓",
    REFUSED_HERE: "✗",
    REFUSED: "✗",
    POSSIBLY_REFUSED: "?",
}
STATE_CLASSES = {STORED: "paylab-good", REFUSED_HERE: "paylab-error", REFUSED: "paylab-error"}
"""The style classes of states that have a colour."""
UNCLEAR_NOTE = " The service does not say which picture: it may be any of these."


class Slot(FormField):
    """The input of one image: of a side of a document, or a selfie.

    `make_specimen(side, fault=)` returns a specimen. `state` is one of the keys of `STATE_SIGNS`.
    `advice` are the requests and refusals of the service with its messages, and `refusal` is why a
    file was refused before sending.
    """

    kind = "group"

    def __init__(
        self, side: str, make_specimen: Callable[..., ImageChoice], service: Service | None
    ) -> None:
        """Make the inputs of an empty slot: a file, a path, and a specimen."""
        super().__init__(side, SIDE_LABELS[side])
        self.side = side
        self._make_specimen = make_specimen
        self._read_facts = partial(read_image_facts, side=side, service=service)

        self._value = None  # the ImageChoice, read as `choice`
        self.facts: ImageFacts | None = None
        self.refusal = ""  # why this toolkit refuses the file
        self.is_stored = False
        self.is_sending = False
        self.advice: list[tuple[Advice, str]] = []

        self.picker = self._make_picker()
        self.path = self._make_path_field()
        self.specimen = self._make_specimen_field()
        self.state_line = Html(live=True)
        other_input_group = side_by_side([self.path, self.specimen])
        self._all_nodes = [Heading(self.label, 4), self.state_line, self.picker, other_input_group]
        self.children = self._all_nodes  # only the first two once it was sent
        self._show_state()

    def _make_picker(self) -> FilePicker:
        """Make the button and the drop area for a file."""
        picker = FilePicker(
            self.label,
            accept=ACCEPTED_FILES,
            on_file=self._choose_file,
            on_refusal=self._refuse_large_file,
        )
        picker.on_remove = self.remove
        picker.make_preview = self._make_preview
        return picker

    def _make_path_field(self) -> FormField:
        """Make the input for the path of a file on the machine of the kernel."""
        field = FormField("path", f"{self.label}: Path of a file on this machine")
        field.placeholder = "/folder/photo.jpg, then Enter"
        field.lazy = True
        field.on_change = lambda _: self._choose_path(field.value)
        return field

    def _make_specimen_field(self) -> FormField:
        """Make the list of specimens: a good one, and one for each defect."""
        field = FormField("specimen", f"{self.label}: Or a specimen", SELECT)
        field.set_options(SPECIMEN_OPTIONS)
        field.hint = SPECIMEN_HINT
        field.on_change = lambda _: self._choose_specimen(field.value)
        return field

    def static(self) -> str:
        """The side and its state; no picture is saved in a notebook."""
        label_html = f'<div style="{MUTED};font-size:13px">{html.escape(self.label)}</div>'
        return f"<div>{label_html}<div>{self.state.capitalize()}</div></div>"

    def props(self) -> JsonObject:
        """The data for the browser."""
        return {"style": "part"}

    def lock(self, is_locked: bool) -> None:
        """Show only the heading and the state once it was sent."""
        super().lock(is_locked)
        self.children = self._all_nodes[:2] if is_locked else self._all_nodes
        for control in (self.picker, self.path, self.specimen):
            control.disabled = is_locked

    @property
    def choice(self) -> ImageChoice | None:
        """The chosen image: the value of this field."""
        return cast("ImageChoice | None", self._value)

    @property
    def state(self) -> str:
        """The state of the image."""
        if self.choice:
            return SENDING if self.is_sending else CHOSEN
        if self.is_stored:
            return STORED
        if self.refusal:
            return REFUSED_HERE
        refusals = [advice for advice, _ in self.advice if not advice.asks]
        if not refusals:
            return EMPTY
        return POSSIBLY_REFUSED if all(map(is_unclear, refusals)) else REFUSED

    @property
    def is_requested(self) -> bool:
        """Whether the service still requests this side."""
        return any(advice.asks for advice, _ in self.advice)

    def set_value(self, value: object) -> bool:
        """Choose an image from code: a path, its bytes, or None for none.

        ArgumentError for any other value.
        """
        if isinstance(value, str | PathLike):
            self._choose_path(os.fspath(value))
        elif isinstance(value, bytes | bytearray | memoryview):
            self._choose_file(f"{self.side} from code", bytes(value))
        elif value is None:
            self.clear(is_stored=False)
        else:
            message = f"must be a path or the bytes of an image, not {plain(repr(value), 60)}"
            raise ArgumentError(f"{self.side} {message}", self.side)
        return True

    def set_advice(self, advice: Iterable[tuple[Advice, str]]) -> None:
        """Set what the service requests or refuses, with its messages."""
        self.advice = list(advice)
        self.clear(is_stored=False)
        self.visible = bool(self.advice)
        self.touched = False

    def _choose_file(self, file_name: str, file_bytes: bytes) -> None:
        """Choose a file that the browser sent."""
        self._read_choice(choose_uploaded(file_name, file_bytes), chosen_with=self.picker)

    def _choose_path(self, path: str) -> None:
        """Choose the file at a path; an empty path changes nothing."""
        if path:
            self._read_choice(choose_path(path), chosen_with=self.path)

    def _choose_specimen(self, fault: str) -> None:
        """Choose a specimen: a good one, or one with the defect of a status detail code."""
        if fault == NO_SPECIMEN:
            if self.choice:
                self.remove()
            return
        defect_code = None if fault == GOOD_SPECIMEN else fault
        specimen_choice = self._make_specimen(self.side, fault=defect_code)
        self._read_choice(specimen_choice, chosen_with=self.specimen)

    def fill_with_specimen(self) -> None:
        """Choose a good specimen if the slot is empty; it is drawn when a browser shows it."""
        if self.choice is None:
            self.specimen.set_value(GOOD_SPECIMEN)
            self._set_image(self._make_specimen(self.side), facts=None)

    def remove(self) -> None:
        """Remove the chosen image."""
        self.clear(is_stored=False)
        self._report_change()

    def clear(self, *, is_stored: bool) -> None:
        """Delete the image and what was read from it; `is_stored` if the service has it."""
        self._clear_image()
        self.refusal = ""
        self.is_stored = is_stored
        self.path.set_value("")
        self.specimen.set_value(NO_SPECIMEN)
        self._show_state()

    def _clear_image(self) -> None:
        """Delete the image, its facts, and a transfer in progress."""
        self.store(None)
        self.facts = None
        self.picker.cancel_transfer()

    def show_problems(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        """Show problems below the picker, and the state above it."""
        super().show_problems(problems, warnings)
        if self.refusal:
            self.errors = []  # the state shows it
        self.picker.errors = self.errors
        self.picker.warnings = self.warnings
        self._show_state()

    def _read_choice(self, choice: ImageChoice, chosen_with: FormField | FilePicker) -> None:
        """Read a chosen image, and keep it or show why it is refused.

        The inputs that it was not chosen with are emptied.
        """
        if chosen_with is not self.path:
            self.path.set_value("")
        if chosen_with is not self.specimen:
            self.specimen.set_value(NO_SPECIMEN)
        try:
            self._set_image(choice, self._read_facts(choice))
        except RuleError as error:
            self._refuse_image(f"{choice.name} {error.problems[0].message}")

    def _set_image(self, choice: ImageChoice, facts: ImageFacts | None) -> None:
        """Keep an image and its facts; `facts` is None until the image is read."""
        self._clear_image()
        self.store(choice)
        self.facts = facts
        self.refusal = ""
        self.is_stored = False
        self._report_change()

    def _refuse_image(self, reason: str) -> None:
        """Keep no image, and show why; the same path or specimen can be chosen again."""
        self._clear_image()
        self.specimen.set_value(NO_SPECIMEN)
        self.path.touched = False
        self.refusal = reason
        self.is_stored = False
        self._report_change()

    def _refuse_large_file(self, file_name: str, size: int) -> None:
        """Show that a file of `size` bytes was not sent, because it is too large."""
        size_limit_text = f"{IMAGE_MAX // 2**20} MB ({IMAGE_MAX:,} bytes)"
        size_text = f"{size / 2**20:.2f} MB ({size:,} bytes)"
        self._refuse_image(f"{file_name} has {size_text}: the maximum is {size_limit_text}")

    def _report_change(self) -> None:
        """Show the new state and preview, and have the form checked."""
        self.touched = True
        self._show_state()
        self.picker.show_preview()
        self.on_change(self)

    def _make_preview(self) -> bytes | None:
        """The preview of the chosen image, which is read now if it was not yet."""
        if self.choice and self.facts is None:
            self.facts = self._read_facts(self.choice)
            self._show_state()
        return self.facts.preview if self.facts else None

    def _show_state(self) -> None:
        """Show the state; while the service has no good image, also what it says of this one.

        The form shows what it says without the name of an image (`is_unclear`).
        """
        self.picker.chosen = self.choice is not None
        state = self.state
        state_html = html.escape(self._state_text())
        state_lines = [f'<p class="{STATE_CLASSES.get(state, "")}">{state_html}</p>']
        if state in (EMPTY, REFUSED, POSSIBLY_REFUSED):
            state_lines += [
                advice_html(advice, message, "hint")
                for advice, message in self.advice
                if not is_unclear(advice)
            ]
        self.state_line.html = "".join(state_lines)

    def _state_text(self) -> str:
        """The state with its sign, and the name of the image or why it was refused."""
        state = self.state
        state_text = f"{STATE_SIGNS[state]} {state[:1].upper()}{state[1:]}"
        if self.choice and self.facts:
            return f"{state_text}: {self.choice.name}, {self.facts.type_and_size}"
        if self.choice:
            return f"{state_text}: {self.choice.name}"
        if self.refusal:
            return f"{state_text}: {self.refusal}. Choose another file."
        return state_text


def is_unclear(advice: Advice) -> bool:
    """Whether the service refuses one of several images, and does not say which."""
    return len(advice.sides) > 1 and not advice.asks


def advice_html(advice: Advice, message: str, style: str) -> str:
    """The meaning of a status detail, what to do, and the message of the service."""
    advice_text = f"{advice.meaning} {advice.action}"
    if message:
        advice_text += f" The service says: {message}"
    if is_unclear(advice):
        advice_text += UNCLEAR_NOTE
    return f'<p class="paylab-{style}">{html.escape(advice_text)}</p>'
