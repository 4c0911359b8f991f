"""The fields of an event whose values have changed since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from ..errors.arguments import explain_arguments
from ..spec import timestamps
from ..spec.field_meanings import CURRENCY_FIELDS
from ..spec.json_path import join_path, last_name
from ..spec.text import JsonMapping, JsonValue, write_json

ONLY_IN_EVENTS = frozenset({"previous_status"})
MISSING_TEXT = "-"


class Difference(NamedTuple):
    """A field and its two values as text; "-" for a value that is missing."""

    field: str
    event: str
    now: str


@explain_arguments
def differences(payload: JsonMapping, now: JsonMapping) -> list[Difference]:
    """Return the fields of a payload whose values have changed.

    Null and absent, the case of currencies, and the form of numbers and times are not a
    difference.

    >>> paylab.events.differences({"status": "started"}, {"status": "completed"})
    [Difference(field='status', event='started', now='completed')]
    """
    event_value_by_path = dict(_find_leaves(payload))
    current_value_by_path = {}
    for path, new_value in _find_leaves(now):
        # A field that the event does not have at all has not changed.
        if _read_first_name(path) in payload:
            current_value_by_path[path] = new_value
    field_differences = []
    for path in event_value_by_path | current_value_by_path:
        event_value = event_value_by_path.get(path)
        current_value = current_value_by_path.get(path)
        if _read_first_name(path) in ONLY_IN_EVENTS or is_same_value(
            path, event_value, current_value
        ):
            continue
        field_differences.append(
            Difference(path, _write_value(event_value), _write_value(current_value))
        )
    return field_differences


def is_same_value(field: str, event_value: object, current_value: object) -> bool:
    """Return whether two values of a field are equal in meaning."""
    if event_value == current_value:
        return True
    if not isinstance(event_value, str) or not isinstance(current_value, str):
        return False
    if last_name(field) in CURRENCY_FIELDS:
        return event_value.casefold() == current_value.casefold()
    return _read_comparable_value(field, event_value) == _read_comparable_value(
        field, current_value
    )


def _read_comparable_value(field: str, field_text: str) -> object:
    """Return a time as a datetime, a number as a Decimal, any other text unchanged."""
    try:
        return timestamps.from_text(field_text) if field.endswith("_at") else Decimal(field_text)
    except (ValueError, InvalidOperation):
        return field_text


def _find_leaves(json_value: JsonValue, path: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Yield the dotted path and the value of each text, number and boolean, at any depth."""
    if isinstance(json_value, Mapping):
        for member_name, member in json_value.items():
            yield from _find_leaves(member, join_path(path, str(member_name)))
    elif isinstance(json_value, list):
        for item_index, member in enumerate(json_value):
            yield from _find_leaves(member, f"{path}.{item_index}")
    elif json_value is not None:
        yield path, json_value


def _read_first_name(path: str) -> str:
    """Return the first name of a dotted path: `deposit` of `deposit.amount`."""
    return path.partition(".")[0]


def _write_value(leaf_value: object) -> str:
    """Return a value as text: text unchanged, others as JSON."""
    if leaf_value is None:
        return MISSING_TEXT
    return leaf_value if isinstance(leaf_value, str) else write_json(leaf_value)
