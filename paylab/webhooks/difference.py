"""The fields of an event whose values have changed since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from ..errors.arguments import explain_arguments
from ..spec import timestamps
from ..spec.money import CURRENCY_FIELDS
from ..spec.text import write_json

ONLY_IN_EVENTS = frozenset({"previous_status"})
ABSENT = "-"


class Difference(NamedTuple):
    """A field and its two values as text; "-" when there is none."""

    field: str
    event: str
    now: str


@explain_arguments
def differences(payload: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """The fields of a payload whose values have changed.

    Null and absent, the case of currencies, and the form of numbers and times are not a
    difference.

    >>> paylab.events.differences({"status": "started"}, {"status": "completed"})
    [Difference(field='status', event='started', now='completed')]
    """
    event_values = dict(_leaves(payload))
    current_values = {name: value for name, value in _leaves(now) if _top(name) in payload}
    return [
        Difference(name, _value_text(event_values.get(name)), _value_text(current_values.get(name)))
        for name in event_values | current_values
        if _top(name) not in ONLY_IN_EVENTS
        and not same(name, event_values.get(name), current_values.get(name))
    ]


def same(field: str, one: object, other: object) -> bool:
    """Whether two values of a field are equal in meaning."""
    if one == other:
        return True
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    if field.rpartition(".")[2] in CURRENCY_FIELDS:
        return one.casefold() == other.casefold()
    return _meaning(field, one) == _meaning(field, other)


def _meaning(field: str, text: str) -> object:
    """A time as a datetime, a number as a Decimal, anything else unchanged."""
    try:
        return timestamps.from_text(text) if field.endswith("_at") else Decimal(text)
    except (ValueError, InvalidOperation):
        return text


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf value by its dotted path; nulls are left out."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}.{index}")
    elif value is not None:
        yield path, value


def _top(name: str) -> str:
    return name.partition(".")[0]


def _value_text(value: object) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else write_json(value)
