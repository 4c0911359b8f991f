"""The problems that a check of a form found, and the sentence for an error of sending it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...errors.api import APIStatusError, ServerError
from ...errors.base import ChoiceError, ConfigError, Problem, RuleError
from ...spec.text import JsonObject
from ..html import Row
from .controls import NOT_SENT
from .field import TICK, FormField
from .problem_sentences import with_assumption_mark

LIKELY_TYPO = "check-digits"
"""The source of warnings about values that are probably mistyped; you have to confirm them."""

CONFIRM = "correct it with fill(...), or send it as it is with submit(anyway=True)"

FindField = Callable[[Problem], FormField | None]
"""Finds the field at which a problem is shown."""


@dataclass(frozen=True)
class FormCheck:
    """The values of a form and their problems and warnings, evaluated once."""

    values: JsonObject
    problems: Sequence[Problem]
    warnings: Sequence[Problem]

    @property
    def spec_problems(self) -> list[Problem]:
        """Problems by the spec, with which nothing can be sent."""
        return [problem for problem in self.problems if problem.source == "spec"]

    def refuse_by_spec(self) -> None:
        """RuleError for problems by the spec."""
        if self.spec_problems:
            raise RuleError(self.spec_problems)

    @property
    def doubts(self) -> list[Problem]:
        """Problems that must be confirmed: a broken assumption, a likely typo."""
        likely_typos = [warning for warning in self.warnings if warning.source == LIKELY_TYPO]
        return self.assumed_problems + likely_typos

    @property
    def assumed_problems(self) -> list[Problem]:
        """Problems by assumptions, with which the values can be sent when they are confirmed."""
        return [problem for problem in self.problems if problem.source != "spec"]

    def show_at(
        self, fields: Iterable[FormField], field_of: FindField, *, everything: bool
    ) -> None:
        """Show the problems at the fields that were edited, or with `everything` at all fields.

        What the spec refuses is an error of its field; all else is a warning. After `everything`,
        a field keeps its marks until its value is right.
        """
        problems_by_field = group_by_field(self.spec_problems, field_of)
        warnings_by_field = group_by_field([*self.assumed_problems, *self.warnings], field_of)
        for field in fields:
            field.touched = field.touched or everything
            if field.shows_problems:
                field_problems = problems_by_field.get(field, [])
                field.show_problems(field_problems, warnings_by_field.get(field, []))
            else:
                field.show_problems([])


def find_field(fields: Mapping[str, FormField], field_name: str) -> FormField | None:
    """The field with a name, else the one with its parent's name; None if there is none."""
    while field_name and field_name not in fields:
        field_name = field_name.rpartition(".")[0]
    return fields.get(field_name)


def group_by_field(
    problems: Iterable[Problem], field_of: FindField
) -> Mapping[FormField | None, list[Problem]]:
    """The problems by their field; those that belong to no field are under the key None."""
    problems_by_field: dict[FormField | None, list[Problem]] = {}
    for problem in problems:
        problems_by_field.setdefault(field_of(problem), []).append(problem)
    return problems_by_field


def mark_fields(problems: Iterable[Problem], field_of: FindField) -> None:
    """Show the problems of an error at their fields."""
    for field, field_problems in group_by_field(problems, field_of).items():
        if field is not None:
            field.show_problems(field_problems)


class UnansweredAttempt:
    """An attempt to send a form that got no answer; at first there is none."""

    def __init__(self) -> None:
        self._values: JsonObject | None = None

    def note(self, error: BaseException, values: JsonObject) -> None:
        """Note the values of a failed attempt, unless its error says that nothing was done."""
        if not is_refusal(error):
            self._values = values

    def find_doubts(self, values: JsonObject) -> list[Problem]:
        """Return a doubt if the attempt had other values: sending these may make a second order."""
        if self._values in (None, values):
            return []
        return [Problem("", "the previous attempt, with other values, may have been carried out")]


def changed_values_error(again_name: str) -> ChoiceError:
    """The error for sending a form again whose values changed after it was sent.

    `again_name` is the method that prepares it for another sending.
    """
    return ChoiceError(
        "not sent: this form was already sent with other values",
        f"Read `result` for the response, or call {again_name}() first to send again.",
    )


def unconfirmed_error(doubts: Iterable[Problem]) -> RuleError:
    """The error for sending doubtful values without confirming them."""
    return RuleError([with_assumption_mark(problem) for problem in doubts], hint=CONFIRM)


def is_unconfirmed(error: BaseException) -> bool:
    """Whether an error says that doubtful values were not confirmed."""
    return isinstance(error, RuleError) and error.hint == CONFIRM


def is_refusal(error: BaseException) -> bool:
    """Whether an error says that nothing was carried out."""
    if isinstance(error, APIStatusError):
        return not isinstance(error, ServerError)
    return isinstance(error, RuleError | ChoiceError | ConfigError)


def correction_message(fields: Iterable[FormField], anyway_text: str) -> str:
    """The sentences below the button of values that the spec refuses: how many to correct.

    `anyway_text` is the button that confirms warnings; it is empty if none must be confirmed.
    """
    marked_fields = [field for field in fields if field.errors or field.warnings]
    error_count = sum(bool(field.errors) for field in marked_fields)
    if not error_count:
        return NOT_SENT
    fields_text = "the field" if error_count == 1 else f"the {error_count} fields"
    correction_text = f"{NOT_SENT} Correct {fields_text} in red."
    has_warnings = error_count < len(marked_fields)
    if not has_warnings:
        return correction_text
    warning_text = "A field with only a warning can stay as it is"
    if anyway_text:
        return f"{correction_text} {warning_text}: “{anyway_text}” sends it then."
    return f"{correction_text} {warning_text}."


def error_message(error: Exception, fields: Iterable[FormField], anyway_text: str) -> str:
    """The sentence below the button: why nothing was sent, or what the service answered.

    `anyway_text` is the button that confirms warnings; it is empty if none must be confirmed.
    """
    if isinstance(error, RuleError):
        return correction_message(fields, anyway_text)
    verdict_text = "Refused" if isinstance(error, APIStatusError) else "Failed"
    message_text = f"{verdict_text}: {error}"
    hint_text = getattr(error, "hint", None)
    if not hint_text:
        return message_text
    return f"{message_text}. {hint_text[0].upper()}{hint_text[1:]}"


def sent_rows(fields: Iterable[FormField]) -> list[Row]:
    """The labels and values of the visible fields that have one; private values are masked."""
    shown_fields = [field for field in fields if field.visible and field.input != TICK]
    labels_and_values = [(field.label, field.display_text()) for field in shown_fields]
    return [(label, value_text) for label, value_text in labels_and_values if value_text]
