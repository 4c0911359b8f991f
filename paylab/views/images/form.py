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
from ...spec.outcomes import read_outcomes
from ...spec.service.service import Service
from ...spec.status import Advice
from ...spec.text import JsonObject
from .. import html
from ..forms.code import Expression, write_call
from ..forms.field import TICK, FormField
from ..forms.form import Form
from ..forms.nodes import Button, Html, Node, side_by_side
from ..html import Row
from ..specimens import SIDE_LABELS
from .choice import PATH_PLACEHOLDER, ImageChoice, choose_specimen, read_for_upload
from .slot import Slot, advice_html, is_unclear

Upload = Callable[[Mapping[str, BinaryIO]], VerificationImages]

IMPORT_BY_CALL = {
    "Path(": "from pathlib import Path",
    "specimen(": "from paylab import specimen",
}
"""The import that the code needs if it has this call."""

LOCATION_WARNING = "contains the location where it was taken, which is removed before it is sent"


class ImagesForm(Form):
    """Upload the images that the individual's status `details` request, with `upload(images)`.

    `name` and `country` are printed on specimens; `example` puts a specimen into every slot. A
    `family_name` that decides in the simulator how verification ends is named above the slots.
    """

    title = "Verification images"
    action = "Upload the images"
    sent_title = "The images are uploaded"
    repeatable = True

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        upload: Upload,
        details: Iterable[object],
        *,
        name: str,
        country: str,
        family_name: str = "",
        example: bool = False,
        service: Service | None = None,
    ) -> None:
        """Make a slot for each side; only the requested ones are shown."""
        self._upload = upload
        self._details = list(details)
        self._is_example = example
        self._family_name_note = describe_deciding_name(family_name, service or Service())
        make_specimen = partial(choose_specimen, name=name, country=country)
        self.slots = {side: Slot(side, make_specimen, service) for side in IMAGE_SIDES}
        self.advice_node = Html()
        self.specimen_button = Button("Fill with specimens", self._fill_example)
        self.helper_nodes = [self.specimen_button]
        self.keep_location = FormField(
            "keep_location", "Keep the location where photos were taken", TICK
        )
        self.keep_location.hint = "By default the location is removed from the file."
        self._sent_sides: list[str] = []
        fields = [*self.slots.values(), self.keep_location]
        slot_group = side_by_side(self.slots.values())
        page_parts = [self.advice_node, self.specimen_button, slot_group, self.keep_location]
        super().__init__(fields, page_parts)
        self._request_images()

    def nodes(self) -> Sequence[Node]:
        """The page; specimens are offered as long as an image is missing."""
        page_nodes = super().nodes()
        are_all_chosen = all(slot.choice for slot in self.requested_slots)
        self.specimen_button.visible = self.result is None and not are_all_chosen
        return page_nodes

    @property
    def requested_slots(self) -> list[Slot]:
        """The slots of requested images."""
        return [slot for slot in self.slots.values() if slot.advice]

    def values(self) -> dict[str, ImageChoice]:
        """The chosen images by side."""
        return {slot.side: slot.choice for slot in self.requested_slots if slot.choice}

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems: missing images, images that cannot be sent, and broken assumptions."""
        if not self.requested_slots:
            return [Problem("images", "the service requests no image")]
        problems: list[Problem] = []
        for slot in self.requested_slots:
            needs_image = slot.is_requested or slot.refusal
            if slot.choice is None and needs_image:
                problems.append(Problem(slot.side, slot.refusal or "is required"))
        if not problems and not values:
            return [Problem(self.requested_slots[0].side, "is required: choose at least one image")]
        for slot in self.requested_slots:
            assumed_problems = slot.facts.assumed_problems if slot.facts else ()
            # The rules number the images, the form names their sides.
            problems += [replace(problem, field=slot.side) for problem in assumed_problems]
        return problems

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """Warnings: no preview, and a location that will be removed."""
        facts_by_side = {slot.side: slot.facts for slot in self.requested_slots if slot.facts}
        warnings = [
            Problem(image_side, image_facts.preview_problem)
            for image_side, image_facts in facts_by_side.items()
            if image_facts.preview_problem
        ]
        for image_side, image_facts in facts_by_side.items():
            warnings += rules.find_warnings(image_facts.size, image_side)
        if self.keep_location.value:
            return warnings
        for image_side, image_facts in facts_by_side.items():
            if image_facts.has_location:
                warnings.append(Problem(image_side, LOCATION_WARNING))
        return warnings

    def _send(self, values: JsonObject) -> VerificationImages:
        """Read the images and upload them together."""
        self._sent_sides = list(values)
        self._show_sending(True)
        try:
            keep_location = bool(self.keep_location.value)
            bytes_by_side = {
                side: read_for_upload(choice, keep_location=keep_location)
                for side, choice in values.items()
            }
            return self._upload(
                {side: BytesIO(image_bytes) for side, image_bytes in bytes_by_side.items()}
            )
        finally:
            self._show_sending(False)

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call; a file from the browser appears as a path to fill in."""
        code_by_side = {side: choice.code for side, choice in values.items()}
        if not code_by_side:
            code_by_side = {slot.side: PATH_PLACEHOLDER for slot in self.requested_slots}
        call_code = write_call(
            "lab.individuals.upload_images", Expression("person.id"), code_by_side
        )
        import_lines = [
            import_line
            for call_text, import_line in IMPORT_BY_CALL.items()
            if call_text in call_code
        ]
        return "\n".join([*import_lines, call_code])

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the requested sides, or the stored images."""
        if self.result is not None:
            return self.result_rows(self.result)
        return [(slot.label, slot.state) for slot in self.requested_slots]

    def result_rows(self, result: VerificationImages) -> Sequence[Row]:
        """The side and the type of each image that the service has."""
        image_rows = []
        for image in result.images or []:
            image_side = str(_read_member(image, "type"))
            image_label = SIDE_LABELS.get(image_side, image_side)
            image_rows.append((image_label, str(_read_member(image, "content_type"))))
        return image_rows

    def field_of(self, problem: Problem) -> FormField | None:
        """The slot of a problem, which the service names by number, such as `images.0`."""
        number_match = re.match(r"images\.(\d+)", problem.field)
        if number_match and int(number_match[1]) < len(self._sent_sides):
            return self.fields[self._sent_sides[int(number_match[1])]]
        return super().field_of(problem)

    def labels(self) -> dict[str, str]:
        """The labels of the sides, also by the numbers that the sent images have."""
        labels = super().labels()
        numbered_sides = enumerate(self._sent_sides)
        return {
            **labels,
            **{f"images.{number}": SIDE_LABELS[side] for number, side in numbered_sides},
        }

    def _fill_example(self) -> None:
        """Put a specimen into every empty slot."""
        with self.filling():
            for slot in self.requested_slots:
                slot.fill_with_specimen()

    def _sent_rows(self) -> list[Row]:
        """The name of the image of each side."""
        return [(slot.label, slot.choice.name) for slot in self.requested_slots if slot.choice]

    def apply_code_options(self) -> None:
        """Fill in specimens if `example=True`."""
        if self._is_example:
            self._fill_example()

    def _clear_private_inputs(self) -> None:
        """Delete the images that were sent from the page."""
        for image_side in self.values():
            self.slots[image_side].clear(is_stored=True)

    def restart(self) -> None:
        """Reset the form for the images requested now."""
        super().restart()
        self._request_images()

    def _request_images(self) -> None:
        """Show in each slot what the service says about its side.

        Advice on no side, or on one of several, is above the slots.
        """
        advice_and_messages = [
            (_read_advice(status_detail), str(_read_member(status_detail, "message") or ""))
            for status_detail in self._details
        ]
        for image_side, slot in self.slots.items():
            slot.set_advice(
                (advice, message)
                for advice, message in advice_and_messages
                if image_side in advice.sides
            )
        general_lines = []
        unclear_lines = []
        for advice, message in advice_and_messages:
            if not advice.sides:
                general_lines.append(advice_html(advice, message, "error"))
            elif is_unclear(advice):
                unclear_lines.append(advice_html(advice, message, "warning"))
        self.advice_node.html = "".join([*general_lines, *unclear_lines, self._family_name_note])
        if self._is_example:
            self._fill_example()
        self.handle_change()

    def _show_sending(self, is_sending: bool) -> None:
        """Show in each slot whether its image is being sent."""
        for slot in self.requested_slots:
            slot.is_sending = is_sending
            slot.show_problems([])
        self.redraw()


def describe_deciding_name(family_name: str, service: Service) -> str:
    """A hint on a family name that decides how verification ends; empty for any other name."""
    outcomes = read_outcomes(family_name, service)
    if not outcomes:
        return ""
    note_text = (
        f"Simulator: the family name “{family_name}” decides how verification ends "
        f"({', then '.join(outcomes)}), also with good images. A specimen with a defect decides "
        "instead of it; for any other outcome create a person with another family name."
    )
    return f'<p class="paylab-hint">{html.escape(note_text)}</p>'


def _read_advice(detail: object) -> Advice:
    """The advice of a status detail; for one side only if a field of the detail names it."""
    advice = status.detail(_read_member(detail, "code"))
    detail_fields = detail if isinstance(detail, Mapping) else getattr(detail, "raw", {})
    detail_sides = tuple(
        detail_value for detail_value in detail_fields.values() if detail_value in advice.sides
    )
    return replace(advice, sides=detail_sides) if detail_sides else advice


def _read_member(holder: object, field_name: str) -> Any:
    """A member of a mapping or an attribute of an object; None if it has none."""
    if isinstance(holder, Mapping):
        return holder.get(field_name)
    return getattr(holder, field_name, None)
