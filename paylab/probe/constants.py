"""Constant fields of a service: added to every body, or to be filled in by a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..spec.envelope import walk_values
from ..spec.json_path import set_value_at, value_at
from ..spec.service.files import FILL_IN
from ..spec.service.frozen import FrozenDict, freeze_value, to_json_value
from ..spec.service.service import Service


def add_constant(service: Service, operation: str, place: str, value: object) -> FrozenDict[Any]:
    """Copy the constant fields of a service, with one more at a dotted place of an operation."""
    extra = to_json_value(service.extra)
    set_value_at(extra.setdefault(operation, {}), place, value)
    frozen_extra: FrozenDict[Any] = freeze_value(extra)
    return frozen_extra


_LEVELS_MAX = 4
"""The levels of objects inside each other in which a constant is looked for."""


def find_blanks(extra: object) -> set[tuple[str, str]]:
    """Find the constants that a user has to fill in: pairs of an operation and a dotted place."""
    return {
        (operation, field_path)
        for operation, constants in to_json_value(extra).items()
        for field_path, field_value in walk_values(constants, _LEVELS_MAX)
        if field_value == FILL_IN
    }


def add_blanks(service: Service, field_places: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values of a file, with a mark for each constant field that a person has to choose.

    A file with a mark is refused when it is read, with a line that asks for the value.
    """
    extra = to_json_value(service.extra)
    for operation, field_path in field_places:
        if value_at(extra.get(operation), field_path) is None:
            set_value_at(extra.setdefault(operation, {}), field_path, FILL_IN)
    return {**service.declared, "extra": extra} if extra else service.declared
