"""The form of the rows of a journal. The rows of a file are checked by it before judging."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..spec import timestamps
from ..spec.text import JsonMapping

NUMBER_MAX = 2**53
"""Maximum of a number, which every JSON reader has exactly."""

READ_LAYERS = ("signature", "fault")
"""The layers whose verdicts are read by their members."""


def _is_count(field_value: object) -> bool:
    """Whether a value is a whole number of 0 or more that every reader of JSON has exactly."""
    return (
        isinstance(field_value, int)
        and not isinstance(field_value, bool)
        and 0 <= field_value <= NUMBER_MAX
    )


def _is_duration(field_value: object) -> bool:
    """Whether a value is a number of seconds, or null."""
    return field_value is None or (
        isinstance(field_value, int | float) and 0 <= field_value <= NUMBER_MAX
    )


def _is_text(field_value: object) -> bool:
    """Whether a value is text."""
    return isinstance(field_value, str)


def _is_text_or_none(field_value: object) -> bool:
    """Whether a value is text or null."""
    return field_value is None or isinstance(field_value, str)


def _is_time(field_value: object) -> bool:
    """Whether a value is the text of a time in ISO 8601."""
    return isinstance(field_value, str) and timestamps.read_or_none(field_value) is not None


def _is_text_by_name(field_value: object) -> bool:
    """Whether a value is an object whose members are all text, such as headers."""
    return isinstance(field_value, dict) and all(
        isinstance(member, str) for member in field_value.values()
    )


def _is_verdict_by_layer(field_value: object) -> bool:
    """Whether a value is an object in which each of READ_LAYERS is an object, null or absent."""
    return isinstance(field_value, dict) and all(
        field_value.get(layer) is None or isinstance(field_value[layer], dict)
        for layer in READ_LAYERS
    )


Forms = dict[str, Callable[[object], bool]]
RECORD_FORMS: Forms = {
    "kind": _is_text,
    "sequence": _is_count,
    "at": _is_time,
    "real_at": _is_time,
    "test": _is_text_or_none,
    "expects": _is_text_or_none,
}
REQUEST_FORMS: Forms = {
    "number": _is_count,
    "method": _is_text,
    "path": _is_text,
    "query": _is_text_by_name,
    "headers": _is_text_by_name,
    "answer_headers": _is_text_by_name,
    "body_sha256": _is_text_or_none,
    "operation": _is_text_or_none,
    "verdicts": _is_verdict_by_layer,
    "status": _is_count,
    "sent": _is_text,
    "duration": _is_duration,
}
NOTE_FORMS: Forms = {
    "control": _is_text_or_none,
    "event_id": _is_text_or_none,
    "event_type": _is_text_or_none,
    "status": lambda value: value is None or _is_count(value),
}
"""The forms of the fields of all records, of requests, and of notes, which may lack theirs."""


def require_forms(rows: Iterable[JsonMapping]) -> None:
    """Raise ValueError, with the field, for the first field of the rows that has another form."""
    for row_number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ValueError(f"record {row_number} is no object")
        if row.get("kind") == "request":
            form_by_field = RECORD_FORMS | REQUEST_FORMS
        else:  # a note may lack the fields of notes
            form_by_note_field = {
                name: has_form for name, has_form in NOTE_FORMS.items() if name in row
            }
            form_by_field = RECORD_FORMS | form_by_note_field
        for field_name, has_form in form_by_field.items():
            if not has_form(row.get(field_name)):
                raise ValueError(f"record {row_number} has an odd {field_name}")
