"""The names of a service's fields, where they differ from ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Body = dict[str, Any]


class Names:
    """The names of a service's fields: from our names to theirs, and back."""

    def __init__(self, theirs: Mapping[str, str]) -> None:
        self.theirs = {our: their for our, their in theirs.items() if our != their}
        self.ours = {their: our for our, their in self.theirs.items()}

    def send(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """An object with the service's names; other fields are unchanged."""
        return _renamed(body, self.theirs)

    def read(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """An object of the service with our names; other fields are unchanged."""
        return _renamed(body, self.ours)


def _renamed(body: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The object with other names; a field that already has such a name is dropped."""
    new = {names[name]: value for name, value in body.items() if name in names}
    return {
        names.get(name, name): value
        for name, value in body.items()
        if name in names or name not in new
    }


SAME = Names({})
"""The names of a service that has ours."""

Convert = Callable[[Names, Mapping[str, Any]], Body]
"""Renames the fields of an object."""
