"""Verification images: a slot for each side that is asked for, and one upload."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, BinaryIO

from ipywidgets import HTML, Button, Checkbox

from ...errors import Problem
from ...rules import images as rules
from ...spec import status
from ...spec.codes import IMAGE_SIDES
from ...spec.models import VerificationImages
from ...spec.status import Advice
from .. import html
from ..forms.field import Expression, FormField, call
from ..forms.form import Form
from ..html import Row
from .choice import YOURS, Choice, made, sealed
from .slot import LABELS, Slot

Details = Iterable[Any] | Callable[[], Iterable[Any]]
Upload = Callable[[Mapping[str, BinaryIO]], VerificationImages]

IMPORTS = {
    "Path(": "from pathlib import Path",
    "specimen(": "from paylab.views.specimens import specimen",
}


class ImagesForm(Form):
    """Uploads what `details`, the individual's status details, ask for, with `upload(images)`.

    `details` may be a function, asked again when the form starts over. `name` and `country`
    stand on specimens; `example` puts one into every slot.
    """

    title = "Verification images"
    action = "Upload the images"
    sent_title = "The images are uploaded"
    repeatable = True

    def __init__(
        self, upload: Upload, details: Details, *, name: str, country: str, example: bool = False
    ) -> None:
        self._upload, self._details, self._example = upload, details, example
        make = partial(_specimen, name, country)
        self.slots = {side: Slot(side, make) for side in IMAGE_SIDES}
        self.notice = HTML()
        self.filler = Button(description="Fill with specimens")
        self.filler.on_click(lambda _: self.fill())
        keep = Checkbox(value=False, indent=False)
        self.keep_location = FormField(
            "keep_location", "Keep the place where photos were taken", keep
        )
        self.keep_location.hint = "Without it, the location is blanked in the file; pixels stay."
        self._order: list[str] = []
        self._ask()
        parts = [self.notice, self.filler, *(slot.view for slot in self.slots.values())]
        fields = [*self.slots.values(), self.keep_location]
        super().__init__(fields, [*parts, self.keep_location.view])

    @property
    def open_slots(self) -> list[Slot]:
        """The slots the service asks about."""
        return [slot for slot in self.slots.values() if slot.advice]

    def values(self) -> dict[str, Choice]:
        """What was chosen, by side."""
        return {slot.side: slot.choice for slot in self.open_slots if slot.choice}

    def problems(self) -> list[Problem]:
        """What is missing, and what was chosen and cannot be sent."""
        if not self.open_slots:
            return [Problem("images", "none is asked for")]
        found = [_problem(slot) for slot in self.open_slots if _wanting(slot)]
        if found or self.values():
            return found + [
                Problem(slot.side, problem.message, problem.source)
                for slot in self.open_slots
                for problem in (slot.seen.assumed if slot.seen else ())
            ]
        return [Problem(self.open_slots[0].side, "choose at least one image to send again")]

    def warnings(self) -> list[Problem]:
        """What cannot be shown here, and what will be taken out."""
        seen = [(slot.side, slot.seen) for slot in self.open_slots if slot.seen]
        doubts = [Problem(side, one.doubt) for side, one in seen if one.doubt]
        doubts += [problem for side, one in seen for problem in rules.warn(one.size, side)]
        if self.keep_location.value:
            return doubts
        return doubts + [Problem(side, LOCATED) for side, one in seen if one.located]

    def send(self) -> VerificationImages:
        """Upload what was chosen; sides that were left out stay as they are."""
        chosen = self.values()
        self._order = list(chosen)
        with ExitStack() as files:
            images = {
                side: files.enter_context(sealed(choice, located=self.keep_location.value))
                for side, choice in chosen.items()
            }
            return self._upload(images)

    def script(self) -> str:
        """The call; a file that came through the browser is one of yours."""
        chosen = {side: choice.code for side, choice in self.values().items()}
        images = chosen or {slot.side: YOURS for slot in self.open_slots}
        text = call("lab.individuals.upload_images", {}, Expression("person.id"), images)
        return "\n".join([line for word, line in IMPORTS.items() if word in text] + [text])

    def rows(self) -> Sequence[Row]:
        """What stays behind: which sides were asked for, or what the service has."""
        if self.result is not None:
            return self.outcome(self.result)
        return [(slot.label, slot.state) for slot in self.open_slots]

    def outcome(self, result: VerificationImages) -> Sequence[Row]:
        """What the service has now, side by side."""
        return [(_label(image), str(_get(image, "content_type"))) for image in result.images or []]

    def field_of(self, problem: Problem) -> FormField | None:
        """The service counts images; a person sees sides."""
        counted = re.match(r"images\.(\d+)", problem.field)
        if counted and int(counted[1]) < len(self._order):
            return self.fields[self._order[int(counted[1])]]
        return super().field_of(problem)

    def fill(self) -> None:
        """Put a specimen into every slot that is empty."""
        for slot in self.open_slots:
            slot.prefill()

    def speak(self) -> None:
        """Nobody clicked: specimens, where the cell's author asked for them."""
        if self._example:
            self.fill()

    def forget(self) -> None:
        """Delete the images: they are where they belong."""
        for side in self.values():
            self.slots[side].release("sent just now")

    def restart(self) -> None:
        """Ask for what is needed now."""
        self._ask()
        super().restart()

    def close(self) -> None:
        """Delete whatever is still here."""
        for slot in self.slots.values():
            slot.close()

    def _ask(self) -> None:
        details = self._details() if callable(self._details) else self._details
        given = [
            (status.detail(_get(one, "code")), str(_get(one, "message") or "")) for one in details
        ]
        for side, slot in self.slots.items():
            slot.ask([(one, message) for one, message in given if side in one.sides])
        self.notice.value = "".join(_told(*one) for one in given if not one[0].sides)
        if self._example:
            self.fill()


LOCATED = "says where it was taken: that is removed before it is sent"


def _specimen(name: str, country: str, side: str, fault: str | None) -> Choice:
    return made(side, name, country, fault)


def _wanting(slot: Slot) -> bool:
    return slot.choice is None and bool(slot.required or slot.trouble)


def _problem(slot: Slot) -> Problem:
    needed = "is needed: choose a file, a path or a specimen"
    return Problem(slot.side, slot.trouble or needed)


def _told(one: Advice, message: str) -> str:
    said = f" The service says: {message}" if message else ""
    return f'<div class="paylab-error">{html.escape(f"{one.meaning} {one.action}{said}")}</div>'


def _label(image: Any) -> str:
    kind = str(_get(image, "type"))
    return LABELS.get(kind, kind)


def _get(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
