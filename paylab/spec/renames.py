"""The names of a service's fields, where they differ from ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from .json_path import value_at
from .service.frozen import FrozenDict

Body = dict[str, Any]


class Names:
    """The names of a service's fields: from our names to theirs, and back.

    A name of the service may step into objects: `individual.id` is `id` in the object `individual`.
    """

    def __init__(self, theirs: Mapping[str, str]) -> None:
        self.theirs = {our: their for our, their in theirs.items() if our != their}
        self.ours = {their: our for our, their in self.theirs.items()}
        self.nested = {our: their for our, their in self.theirs.items() if "." in their}
        self._flat = {our: their for our, their in self.theirs.items() if "." not in their}
        self._flat_ours = {their: our for our, their in self._flat.items()}

    def send(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """An object with the service's names; other fields are unchanged."""
        sent_body = _renamed(body, self._flat)
        for our, place in self.nested.items():
            if our in body:
                del sent_body[our]
                _put(sent_body, place, body[our])
        return sent_body

    def read(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """An object of the service with our names; other fields are unchanged."""
        inner, flat_body = self.apart(body)
        return {**_renamed(flat_body, self._flat_ours), **inner}

    def apart(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The values inside objects by our names, and the rest of an object of the service."""
        nested_fields = {}
        remaining = dict(body)
        for our, place in self.nested.items():
            if value_at(body, place) is not None:
                nested_fields[our] = value_at(body, place)
                remaining = _without(remaining, place.split("."))
        return nested_fields, remaining

    def our_place(self, place: str) -> str:
        """The place of a field of the service in our names."""
        for their, our in self.ours.items():
            if f"{place}.".startswith(f"{their}."):
                return our + place[len(their) :]
        return place


def _renamed(body: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The object with other names; a field that already has such a name is dropped."""
    taken_names = {names[name]: value for name, value in body.items() if name in names}
    return {
        names.get(name, name): value
        for name, value in body.items()
        if name in names or name not in taken_names
    }


def _put(body: dict[str, Any], place: str, value: object) -> None:
    """Set a value at a place; the objects on the way are copies."""
    first, dot, inner_place = place.partition(".")
    if not dot:
        body[first] = value
        return
    inside = body.get(first)
    copied = dict(inside) if isinstance(inside, Mapping) else {}
    _put(copied, inner_place, value)
    body[first] = copied


def _without(body: Mapping[str, Any], steps: list[str]) -> dict[str, Any]:
    """The object without the value at a place, and without objects that are empty then."""
    first, *further = steps
    copied = dict(body)
    inside = copied.pop(first)
    remaining = _without(inside, further) if further else None
    return {**copied, first: remaining} if remaining else copied


@lru_cache
def names_of(table: FrozenDict[str], without: tuple[str, ...] = ()) -> Names:
    """The names of a table of settings, except those of some fields."""
    return Names({our: their for our, their in table.items() if our not in without})


SAME = Names({})
"""The names of a service that has ours."""

Convert = Callable[[Names, Mapping[str, Any]], Body]
"""Renames the fields of an object."""
