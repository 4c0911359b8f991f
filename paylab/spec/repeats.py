"""Rows that a list repeats: each id is read once, with its newest `updated_at`.

A list that changes while it is read, or that pages by number, can repeat rows. Of two versions
with the same `updated_at`, or if one has none, the one that was read last is newer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ..errors.base import RepeatWarning, warn_caller
from . import timestamps

Row = dict[str, Any]
Id = str | int | None


class RowVersions:
    """The newest version of each id; `superseded` are the numbers of the other rows."""

    def __init__(self) -> None:
        self.superseded: list[int] = []
        self._newest: dict[Id, tuple[object, int]] = {}

    def add(self, number: int, id_: Id, updated_at: object) -> None:
        """Note a row; rows without an id are never repeated."""
        earlier_updated_at, earlier_number = self._newest.get(id_, (None, None))
        if earlier_number is None or id_ is None:
            self._newest[id_] = updated_at, number
            return
        earlier_instant = _read_instant(earlier_updated_at)
        instant = _read_instant(updated_at)
        if earlier_instant is not None and instant is not None and instant < earlier_instant:
            self.superseded.append(number)
        else:
            self.superseded.append(earlier_number)
            self._newest[id_] = updated_at, number


def _read_instant(time_value: object) -> datetime | None:
    return time_value if isinstance(time_value, datetime) else timestamps.read(time_value)


class RepeatFilter:
    """Leaves out the rows that an earlier page had, with one warning for the list."""

    def __init__(self, named: Callable[[Row], Row]) -> None:
        self._named = named  # gives a row our names
        self._known_ids: set[Id] = set()
        self._has_warned = False

    def drop_repeats(self, rows: Sequence[Row]) -> list[Row]:
        """The new rows of a page, each id once, in its newest version."""
        versions = RowVersions()
        repeated = set[int]()
        ids = set[Id]()
        for number, named_row in enumerate(map(self._named, rows)):
            id_ = named_row.get("id")
            if not isinstance(id_, str | int):
                id_ = None
            versions.add(number, id_, named_row.get("updated_at"))
            if id_ in self._known_ids:
                repeated.add(number)
            ids.add(id_)
        self._known_ids |= ids - {None}
        dropped = {*versions.superseded, *repeated}
        if dropped and not self._has_warned:
            warn_of_repeats(len(dropped))
            self._has_warned = True
        return [named_row for number, named_row in enumerate(rows) if number not in dropped]


def warn_of_repeats(count: int) -> None:
    """Warn that a list repeated so many rows; nothing for 0."""
    if not count:
        return
    row_count_text = "a row" if count == 1 else f"{count} rows"
    message = f"the list repeats {row_count_text}: each id is read once"
    warn_caller(message, RepeatWarning)
