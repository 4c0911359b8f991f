"""The form for verification images: a slot for each requested side, and one upload."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO

from ...errors.base import Problem
from ...rules import images as rules
from ...spec import status
from ...spec.codes import IMAGE_SIDES
from ...spec.models import VerificationImages
from ...spec.service.service import Service
from ...spec.status import Advice
from ..forms.code import Expression, call
from ..forms.field import TICK, FormField
from ..forms.form import Form
from ..forms.view import Button, Html
from ..html import Row
from .choice import YOURS, Choice, made, to_send
from .slot import LABELS, Slot, advice_line, is_unclear

Upload = Callable[[Mapping[str, BinaryIO]], VerificationImages]

IMPORTS = {
    "Path(": "from pathlib import Path",
    "specimen(": "from paylab.views.specimens import specimen",
}


class ImagesForm(Form):
    """Upload the images that the individual's status `details` request, with `upload(images)`.

    `name` and `country` are printed on specimens; `example` puts a specimen into every slot.
    """

    title = "Verification images"
    action = "Upload the images"
    sent_title = "The images are uploaded"
    repeatable = True

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        upload: Upload,
        details: Iterable[Any],
        *,
        name: str,
        country: str,
        example: bool = False,
        service: Service | None = None,
    ) -> None:
        self._upload = upload
        self._details = list(details)
        self._example = example
        make = partial(made, name=name, country=country)
        self.slots = {side: Slot(side, make, service) for side in IMAGE_SIDES}
        self.notice = Html()
        self.filler = Button("Fill with specimens", self.fill)
        self.tools = [self.filler]
        self.keep_location = FormField(
            "keep_location", "Keep the location where photos were taken", TICK
        )
        self.keep_location.hint = "By default the location is removed from the file."
        self._order: list[str] = []
        fields = [*self.slots.values(), self.keep_location]
        super().__init__(fields, [self.notice, self.filler, *fields])
        self._ask()

    @property
    def open_slots(self) -> list[Slot]:
        """The slots of requested images."""
        return [slot for slot in self.slots.values() if slot.advice]

    def values(self) -> dict[str, Choice]:
        """The chosen images by side."""
        return {slot.side: slot.choice for slot in self.open_slots if slot.choice}

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        """Problems: missing images, and images that cannot be sent."""
        if not self.open_slots:
            return [Problem("images", "the service requests no image")]
        problems = [
            Problem(slot.side, slot.trouble or "is required")
            for slot in self.open_slots
            if slot.choice is None and (slot.needed or slot.trouble)
        ]
        if not (problems or values):
            return [Problem(self.open_slots[0].side, "is required: choose at least one image")]
        return problems + [
            Problem(slot.side, problem.message, problem.source)
            for slot in self.open_slots
            for problem in (slot.seen.assumed if slot.seen else ())
        ]

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        """Warnings: no preview, and a location that will be removed."""
        looks = [(slot.side, slot.seen) for slot in self.open_slots if slot.seen]
        doubts = [Problem(side, look.doubt) for side, look in looks if look.doubt]
        doubts += [problem for side, look in looks for problem in rules.warn(look.size, side)]
        if self.keep_location.value:
            return doubts
        return doubts + [Problem(side, LOCATED) for side, look in looks if look.located]

    def _send(self, values: dict[str, Any]) -> VerificationImages:
        self._order = list(values)
        self._mark_sending(True)
        try:
            keeps_location = bool(self.keep_location.value)
            files = {
                side: to_send(choice, located=keeps_location) for side, choice in values.items()
            }
            return self._upload({side: BytesIO(data) for side, data in files.items()})
        finally:
            self._mark_sending(False)

    def _script(self, values: dict[str, Any]) -> str:
        """The equivalent call; a file from the browser appears as a path to fill in."""
        chosen = {side: choice.code for side, choice in values.items()}
        images = chosen or {slot.side: YOURS for slot in self.open_slots}
        text = call("lab.individuals.upload_images", {}, Expression("person.id"), images)
        return "\n".join([line for imported, line in IMPORTS.items() if imported in text] + [text])

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the requested sides, or the stored images."""
        if self.result is not None:
            return self.outcome(self.result)
        return [(slot.label, slot.state) for slot in self.open_slots]

    def outcome(self, result: VerificationImages) -> Sequence[Row]:
        """The images that the service has, by side."""
        image_facts = [
            (str(_get(image, "type")), _get(image, "content_type")) for image in result.images or []
        ]
        return [(LABELS.get(side, side), str(kind)) for side, kind in image_facts]

    def field_of(self, problem: Problem) -> FormField | None:
        """The slot of a problem; the service numbers images, the form names sides."""
        counted = re.match(r"images\.(\d+)", problem.field)
        if counted and int(counted[1]) < len(self._order):
            return self.fields[self._order[int(counted[1])]]
        return super().field_of(problem)

    def fill(self) -> None:
        """Put a specimen into every empty slot."""
        with self.filling():
            for slot in self.open_slots:
                slot.prefill()

    def _sent_rows(self) -> list[Row]:
        return [(slot.label, slot.choice.name) for slot in self.open_slots if slot.choice]

    def _speak(self) -> None:
        """Without a click, fill in specimens if `example=True`."""
        if self._example:
            self.fill()

    def _forget(self) -> None:
        for side in self.values():
            self.slots[side].release(stored=True)

    def restart(self) -> None:
        """Reset the form for the images requested now."""
        super().restart()
        self._ask()

    def _ask(self) -> None:
        details_with_messages = [
            (_advice(detail), str(_get(detail, "message") or "")) for detail in self._details
        ]
        for side, slot in self.slots.items():
            slot.ask(
                [
                    (detail, message)
                    for detail, message in details_with_messages
                    if side in detail.sides
                ]
            )
        general = [
            advice_line(*detail, "error") for detail in details_with_messages if not detail[0].sides
        ]
        unclear = [
            advice_line(*detail, "warning")
            for detail in details_with_messages
            if is_unclear(detail[0])
        ]
        self.notice.html = "".join([*general, *unclear])
        if self._example:
            self.fill()
        self.changed()

    def _mark_sending(self, sending: bool) -> None:
        for slot in self.open_slots:
            slot.sending = sending
            slot.say([])
        self.redraw()


def _advice(of: Any) -> Advice:
    """The advice of a status detail; for one side only if a field of the detail names it."""
    advice = status.detail(_get(of, "code"))
    fields = of if isinstance(of, Mapping) else getattr(of, "raw", {})
    sides_named = tuple(value for value in fields.values() if value in advice.sides)
    return replace(advice, sides=sides_named) if sides_named else advice


LOCATED = "contains the location where it was taken, which is removed before it is sent"


def _get(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
