"""Where an error body has its text and the problems of fields."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import OptionalPlace, Place


@light_dataclass(frozen=True)
class ErrorSettings:
    """Where an error body has its text and the problems of fields."""

    words: Annotated[
        OptionalPlace,
        Setting(
            "Under which key of an error body does the text stand (dots step into objects)?",
            row="errors.body",
            others=("message", "error.message", "detail", "none"),
        ),
    ] = "error"
    problems: Annotated[
        OptionalPlace,
        Setting(
            "Under which key of an error body does the list of field problems stand, if "
            "there is one?",
            row="errors.body",
            others=("details", "error.details", "none"),
        ),
    ] = "errors"
    field: Annotated[
        Place,
        Setting(
            "Under which key of a field problem does the name of the field stand?",
            row="errors.body",
            others=("path", "param"),
        ),
    ] = "field"
    message: Annotated[
        Place,
        Setting(
            "Under which key of a field problem does its text stand?",
            row="errors.body",
            others=("msg", "reason"),
        ),
    ] = "message"
    list_form: Annotated[
        Literal["objects", "by_field", "sentences"],
        Setting(
            "Is the list of field problems a list of objects, an object with the words of "
            "each field, or a list of sentences?",
            row="errors.body",
        ),
    ] = "objects"
    field_form: Annotated[
        Literal["dotted", "pointer", "list"],
        Setting(
            "How does a field problem name a nested field: details.clabe (dotted), "
            '/details/clabe (pointer) or ["details", "clabe"] (list)?',
            row="field.names",
        ),
    ] = "dotted"

    @property
    def words_beside_problems(self) -> str:
        """Where the text stands in an error that has field problems.

        If the problems make an object of what is otherwise the text, as in
        `{"error": {"details": [...]}}`, it is the member `message` of that object.
        """
        is_object_of_fields = self.list_form == "by_field" and self.problems == self.words
        if is_object_of_fields or self.problems.startswith(f"{self.words}."):
            return f"{self.words}.message"
        return self.words
