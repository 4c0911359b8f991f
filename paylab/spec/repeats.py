"""Rows that a list repeats: each id is read once, with its newest `updated_at`.

A list that changes while it is read, or that pages by number, can repeat rows. Of two versions
with the same `updated_at`, or if one has none, the one that was read last is newer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ..errors.base import RepeatWarning
from . import timestamps

Row = dict[str, Any]
Id = str | int | None


class Versions:
    """The newest version of each id; `superseded` are the numbers of the other rows."""

    def __init__(self) -> None:
        self.superseded: list[int] = []
        self._newest: dict[Id, tuple[object, int]] = {}

    def add(self, number: int, id_: Id, updated_at: object) -> None:
        """Note a row; rows without an id are never repeated."""
        known_at, known_number = self._newest.get(id_, (None, None))
        if known_number is None or id_ is None:
            self._newest[id_] = updated_at, number
            return
        known_instant = _instant(known_at)
        instant = _instant(updated_at)
        is_older = known_instant is not None and instant is not None and instant < known_instant
        self.superseded.append(number if is_older else known_number)
        if not is_older:
            self._newest[id_] = updated_at, number


def _instant(value: object) -> datetime | None:
    return value if isinstance(value, datetime) else timestamps.read(value)


class Pages:
    """Leaves out the rows that an earlier page had, with one warning for the list."""

    def __init__(self, named: Callable[[Row], Row]) -> None:
        self._named = named  # gives a row our names
        self._known: set[Id] = set()
        self._has_warned = False

    def fresh(self, rows: Sequence[Row]) -> list[Row]:
        """The new rows of a page, each id once, in its newest version."""
        versions = Versions()
        ids = list[Id]()
        for at, row in enumerate(map(self._named, rows)):
            id_ = row.get("id")
            ids.append(id_ if isinstance(id_, str | int) else None)
            versions.add(at, ids[at], row.get("updated_at"))
        dropped = {*versions.superseded, *(at for at, id_ in enumerate(ids) if id_ in self._known)}
        self._known |= {*ids} - {None}
        if not self._has_warned:
            warn_of_repeats(len(dropped))
        self._has_warned |= bool(dropped)
        return [row for at, row in enumerate(rows) if at not in dropped]


def warn_of_repeats(count: int) -> None:
    """Warn that a list repeated so many rows."""
    if count:
        rows = "a row" if count == 1 else f"{count} rows"
        message = f"the list repeats {rows}: each id is read once"
        warnings.warn(message, RepeatWarning, stacklevel=3)
