"""Rows that a list repeats: each id is read once, with its newest `updated_at`.

A list that changes while it is read, or that pages by number, can repeat rows. Of two versions
with the same `updated_at`, or if one has none, the one that was read last is newer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from ..errors.base import RepeatWarning, warn_caller
from . import timestamps
from .text import JsonObject

Row = JsonObject
Id = str | int | None


class RowVersions:
    """Finds the rows whose id has a newer version; `superseded_row_numbers` are their numbers."""

    def __init__(self) -> None:
        """Start without rows."""
        self.superseded_row_numbers: list[int] = []
        self._newest_by_id: dict[Id, tuple[object, int]] = {}
        """The `updated_at` and the row number of the newest version of each id."""

    def add(self, row_number: int, id_: Id, updated_at: object) -> None:
        """Compare a row with the newest one of its id; a row without an id is never a repeat."""
        if id_ is None:
            return
        if id_ not in self._newest_by_id:
            self._newest_by_id[id_] = updated_at, row_number
            return
        earlier_updated_at, earlier_row_number = self._newest_by_id[id_]
        earlier_instant = _read_instant(earlier_updated_at)
        instant = _read_instant(updated_at)
        is_older = instant is not None and earlier_instant is not None and instant < earlier_instant
        if is_older:
            self.superseded_row_numbers.append(row_number)
        else:
            self.superseded_row_numbers.append(earlier_row_number)
            self._newest_by_id[id_] = updated_at, row_number


def _read_instant(time_value: object) -> datetime | None:
    """The time of an update; None if there is none, or if it cannot be read."""
    return time_value if isinstance(time_value, datetime) else timestamps.read_or_none(time_value)


class RepeatFilter:
    """Leaves out the rows that an earlier page had, with one warning for the list."""

    def __init__(self, to_our_names: Callable[[Row], Row]) -> None:
        """Start without pages; `to_our_names` renames the fields of a row of the service."""
        self._to_our_names = to_our_names
        self._known_ids: set[Id] = set()
        self._has_warned = False

    def drop_repeats(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of a page without ids of earlier pages, and each id in its newest version."""
        row_versions = RowVersions()
        repeated_row_numbers = set[int]()
        ids_of_page = set[Id]()
        for row_number, row in enumerate(map(self._to_our_names, rows)):
            id_ = row.get("id")
            if not isinstance(id_, str | int):
                continue  # without an id it cannot be a repetition
            row_versions.add(row_number, id_, row.get("updated_at"))
            if id_ in self._known_ids:
                repeated_row_numbers.add(row_number)
            ids_of_page.add(id_)
        self._known_ids |= ids_of_page
        dropped_row_numbers = {*row_versions.superseded_row_numbers, *repeated_row_numbers}
        if dropped_row_numbers and not self._has_warned:
            warn_of_repeats(len(dropped_row_numbers))
            self._has_warned = True
        return [row for row_number, row in enumerate(rows) if row_number not in dropped_row_numbers]


def warn_of_repeats(row_count: int) -> None:
    """Warn that a list repeated this number of rows; do nothing for 0."""
    if not row_count:
        return
    repeated_rows_text = "a row" if row_count == 1 else f"{row_count} rows"
    message = f"the list repeats {repeated_rows_text}: each id is read once"
    warn_caller(message, RepeatWarning)
