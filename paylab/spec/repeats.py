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
Named = Callable[[Row], Row]
"""Gives a row our names."""


class Versions:
    """The newest version of each id; `superseded` are the numbers of the other rows."""

    def __init__(self) -> None:
        self.superseded: list[int] = []
        self._newest: dict[str | int, tuple[datetime | None, int]] = {}

    def add(self, number: int, id_: Id, updated_at: object) -> None:
        """Note a row; rows without an id are never repeated."""
        if id_ is None:
            return
        at = updated_at if isinstance(updated_at, datetime) else timestamps.read(updated_at)
        known_at, known = self._newest.get(id_, (None, number))
        if at and known_at and at < known_at:
            self.superseded.append(number)
            return
        if known != number:
            self.superseded.append(known)
        self._newest[id_] = at, number


class Pages:
    """Leaves out the rows that an earlier page had, with one warning for the list."""

    def __init__(self, named: Named) -> None:
        self._named = named
        self._known: set[str | int] = set()
        self._has_warned = False

    def fresh(self, rows: Sequence[Row]) -> list[Row]:
        """The new rows of a page, each id once."""
        named = [self._named(row) for row in rows]
        ids = [_id(row) for row in named]
        gone = _superseded(named, ids)
        gone |= {at for at, id_ in enumerate(ids) if id_ in self._known}
        self._known.update(id_ for id_ in ids if id_ is not None)
        if not self._has_warned:
            warn_of_repeats(len(gone))
        self._has_warned |= bool(gone)
        return [row for at, row in enumerate(rows) if at not in gone]


def newest(rows: Sequence[Row], named: Named) -> list[Row]:
    """The newest version of each row of a whole list; with a warning if rows are left out."""
    ours = [named(row) for row in rows]
    gone = _superseded(ours, [_id(row) for row in ours])
    warn_of_repeats(len(gone))
    return [row for at, row in enumerate(rows) if at not in gone]


def _id(row: Row) -> Id:
    id_ = row.get("id")
    return id_ if isinstance(id_, str | int) else None


def _superseded(rows: Sequence[Row], ids: Sequence[Id]) -> set[int]:
    versions = Versions()
    if len(set(ids)) == len(ids):
        return set()
    for at, (row, id_) in enumerate(zip(rows, ids, strict=True)):
        versions.add(at, id_, row.get("updated_at"))
    return set(versions.superseded)


def warn_of_repeats(count: int) -> None:
    """Warn that a list repeated so many rows."""
    if count:
        rows = "a row" if count == 1 else f"{count} rows"
        message = f"the list repeats {rows}: each id is read once"
        warnings.warn(message, RepeatWarning, stacklevel=3)
