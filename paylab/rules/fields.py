"""Small checks from which the rules of each operation are composed.

A check takes any value and its dotted field, and returns the problems. `check_field` applies a
check to a field of an object; null counts as absent.

The source of a rule is "spec", or the id of the assumption that the rule rests on. `required_by`
is the source of the rule that a field is required; it is "" for an optional field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import chain

from ..corridors.account_types import Format
from ..errors.base import Problem
from ..errors.choices import describe_wrong_choice
from ..spec import timestamps
from ..spec.json_path import join_path
from ..spec.operations.field import Field
from ..spec.service.service import Service

Body = Mapping[str, object]
Check = Callable[[object, str], list[Problem]]

# An unpaired surrogate cannot be encoded as UTF-8.
_SURROGATE = re.compile("[\ud800-\udfff]")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP_EXAMPLE = "an ISO 8601 timestamp like 2026-01-31T09:30:00Z"


def check_field(
    body: Body, name: str, check: Check, *, path: str = "", required_by: str = "spec"
) -> list[Problem]:
    """Check a field of an object; `path` is the dotted path of the object."""
    field_value = body.get(name)
    field_path = f"{path}.{name}" if path else name
    if field_value is not None:
        return check(field_value, field_path)
    if required_by:
        return [Problem(field_path, "is required", required_by)]
    return []


def as_object(value: object) -> Body:
    """Return a JSON object unchanged, and an empty object for any other value."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> Sequence[object]:
    """Return a JSON list unchanged, and an empty list for any other value."""
    return value if isinstance(value, list | tuple) else ()


def check_object(value: object, field: str = "") -> list[Problem]:
    """Check that a value is a JSON object."""
    return [] if isinstance(value, Mapping) else [Problem(field, "must be a JSON object")]


def check_any_text(value: object, field: str) -> list[Problem]:
    """Check that a value is text, which may be empty."""
    if not isinstance(value, str):
        return [Problem(field, "must be text")]
    if _SURROGATE.search(value):
        return [Problem(field, "must be well-formed text: it contains an unpaired surrogate")]
    return []


def check_text(value: object, field: str, blank_source: str = "field.empty") -> list[Problem]:
    """Check that a value is text and not blank; `blank_source` states that it must not be blank."""
    problems = check_any_text(value, field)
    if problems or str(value).strip():
        return problems
    return [Problem(field, "must not be blank", blank_source)]


check_identifier = partial(check_text, blank_source="spec")
"""Check an id, which must not be blank."""


def make_length_check(length_max: int, source: str = "spec") -> Check:
    """Make a check for text that is not blank and has at most `length_max` characters."""

    def check(value: object, field: str) -> list[Problem]:
        """Check that a value is text, not blank and not too long."""
        problems = check_text(value, field, source)
        if problems or len(str(value)) <= length_max:
            return problems
        return [Problem(field, f"must be at most {length_max} characters", source)]

    return check


def make_text_field_check(field: Field, service: Service) -> Check:
    """Make the check of a text field of an operation: not blank, and not too long."""
    length_max = field.length_max(service)
    return make_length_check(length_max, field.source) if length_max else check_text


def make_choice_check(
    choices: Sequence[str], source: str = "spec", *, ignore_case: bool = False, scope: str = ""
) -> Check:
    """Make a check for one of these words; `ignore_case` accepts any letter case.

    `scope` says for what they are the only ones, such as "in PH".
    """
    accepted_words = [choice.casefold() for choice in choices] if ignore_case else choices

    def check(value: object, field: str) -> list[Problem]:
        """Check that a value is one of the words."""
        folded_word = value.casefold() if ignore_case and isinstance(value, str) else value
        if folded_word in accepted_words:
            return []
        return [Problem(field, describe_wrong_choice(choices, value, scope), source)]

    return check


def make_format_check(text_format: Format) -> Check:
    """Make the check of a format: its choices, its pattern, its parser, or any text."""
    if text_format.choices:
        return make_choice_check(text_format.choices, text_format.source)

    def check(value: object, field: str) -> list[Problem]:
        """Check that a value is text, has the format, and is not blank."""
        problems = check_any_text(value, field)
        accepts_any_text = not text_format.message and not text_format.check
        if problems and accepts_any_text:
            # The only rule of such a format is that the value is text: name its source.
            return [Problem(field, problem.message, text_format.source) for problem in problems]
        if problems:
            return problems
        return _check_format(text_format, str(value), field) or check_text(value, field)

    return check


def _check_format(text_format: Format, field_text: str, field: str) -> list[Problem]:
    """Check a text by a format, and then by its narrower format."""
    violation_text = _describe_violation(text_format, field_text)
    if violation_text:
        return [Problem(field, violation_text, text_format.source)]
    if text_format.also is None:
        return []
    return _check_format(text_format.also, field_text, field)


def _describe_violation(text_format: Format, field_text: str) -> str:
    """Return what is wrong with a text, or "" if it has the format."""
    if text_format.check:
        return text_format.check(field_text)
    length_max = text_format.most or len(field_text)  # 0: there is no maximum
    has_valid_length = text_format.least <= len(field_text) <= length_max
    has_pattern = not text_format.pattern or re.fullmatch(
        text_format.pattern, field_text, re.DOTALL
    )
    return "" if has_pattern and has_valid_length else text_format.message


def check_iso_date(value: object, field: str) -> list[Problem]:
    """Check that a value is a date that exists, as YYYY-MM-DD."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return [Problem(field, "must be a date like 1990-12-31")]
    if _can_read(date.fromisoformat, value):
        return []
    return [Problem(field, "must be a date that exists, like 1990-12-31")]


def check_timestamp(value: object, field: str) -> list[Problem]:
    """Check that a value is an ISO 8601 date with a time.

    Another ISO 8601 form, such as a date alone, is refused by the assumption `timestamp.form`.
    """
    time_text = value if isinstance(value, str) else ""
    # Python also reads a time with a space in place of the T.
    if "T" in time_text and _can_read(timestamps.from_text, time_text):
        return []
    rule_source = "timestamp.form" if _can_read(datetime.fromisoformat, time_text) else "spec"
    return [Problem(field, f"must be {_TIMESTAMP_EXAMPLE}", rule_source)]


def _can_read(read_text: Callable[[str], object], time_text: str) -> bool:
    """Return whether a function reads a text without a ValueError."""
    try:
        read_text(time_text)
    except ValueError:
        return False
    return True


def check_items(value: object, field: str, check: Check) -> list[Problem]:
    """Check that a value is a list, and check each of its items."""
    if not isinstance(value, list | tuple):
        return [Problem(field, "must be a list")]
    return join_problems(check(item, join_path(field, index)) for index, item in enumerate(value))


def join_problems(problem_lists: Iterable[list[Problem]]) -> list[Problem]:
    """Return the problems of all the parts, in order."""
    return list(chain.from_iterable(problem_lists))
