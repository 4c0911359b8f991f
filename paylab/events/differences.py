"""What an event's snapshot says and what the service says now, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from .. import instants, jsontext
from .snapshots import CURRENCIES

ONLY_IN_EVENTS = frozenset({"previous_status"})
ABSENT = "-"


class Difference(NamedTuple):
    """A field, and its two values as text; "-" stands for none."""

    field: str
    event: str
    now: str


def differences(payload: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """The fields of a payload that read differently now.

    Null and absent, the case of currencies, and the spelling of numbers and times are no
    difference.
    """
    before = dict(_leaves(payload))
    after = {name: value for name, value in _leaves(now) if _top(name) in payload}
    names = [*before, *(name for name in after if name not in before)]
    return [
        Difference(name, _shown(before.get(name)), _shown(after.get(name)))
        for name in names
        if _top(name) not in ONLY_IN_EVENTS and not same(name, before.get(name), after.get(name))
    ]


def same(field: str, one: object, other: object) -> bool:
    """Whether two values of a field mean the same."""
    if one == other:
        return True
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    if field.rpartition(".")[2] in CURRENCIES:
        return one.casefold() == other.casefold()
    return _meaning(field, one) == _meaning(field, other)


def _meaning(field: str, text: str) -> object:
    """A time as an instant, a number as a number, anything else as it is."""
    try:
        return instants.from_text(text) if field.endswith("_at") else Decimal(text)
    except (ValueError, InvalidOperation):
        return text


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that holds no others, by its dotted path; nulls are left out."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _leaves(each, f"{path}.{index}")
    elif value is not None:
        yield path, value


def _top(name: str) -> str:
    return name.partition(".")[0]


def _shown(value: object) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else jsontext.write(value)
