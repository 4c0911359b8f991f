"""The sides of a reconciliation: the payments of the service, and the rows of the others."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..errors.extras import explained
from ..spec import timestamps
from .event import Event, EventVersion, is_stale
from .payment_columns import COLUMNS, KEYS, name_columns
from .payment_values import TimeColumn, amounts_of, texts_of, times_of, word_column

with explained():
    import numpy as np
    import pandas as pd
    import pyarrow as pa

SERVICE = "service"
BOOKS = "books"
EVENTS = "events"
PLAIN = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,18})?")
IN_EVENTS = [column for column in COLUMNS if column.kind != "time"]


@dataclass(frozen=True)
class Family:
    """The transfers or the conversions of the service; `start` is the place of the first one."""

    name: str
    frame: pd.DataFrame
    start: int
    _typed: dict[str, Any] = field(default_factory=dict)

    def values(self, meaning: str, zone: ZoneInfo) -> Any:
        """A column as exact amounts, words, or times in a zone; None if it has none."""
        if meaning not in self._typed:
            self._typed[meaning] = self._read(meaning, zone)
        return self._typed[meaning]

    def _read(self, meaning: str, zone: ZoneInfo) -> Any:
        column = next(column for column in COLUMNS if column.meaning == meaning)
        name = column.field(self.name)
        if name not in self.frame:
            return None
        if column.kind == "amount":
            return amounts_of({name: self.frame[name]}, ".")[0][name]
        if column.kind == "time":
            return times_of(self.frame[name], name, zone)
        return word_column(self.frame[name])


class Payments:
    """The payments of the service; each has a place, counted through the families."""

    def __init__(self, lists: Mapping[str, pd.DataFrame]) -> None:
        self.families: list[Family] = []
        start = 0
        for name, frame in lists.items():
            self.families.append(Family(name, frame, start))
            start += len(frame)
        self.count = start
        self._starts = [family.start for family in self.families]
        self.ids = self._texts("id")
        self.references = self._texts("client_reference_id")

    def _texts(self, name: str) -> pa.Array:
        """A column of all families as text; null where a family lacks it."""
        parts = [
            texts_of(family.frame[name])
            if name in family.frame
            else pa.nulls(len(family.frame), pa.string())
            for family in self.families
        ]
        return pa.concat_arrays(parts) if parts else pa.nulls(0, pa.string())

    def family_at(self, place: int) -> Family:
        """The family of a place."""
        return self.families[bisect_right(self._starts, place) - 1]

    def created(self) -> Any:
        """The time of each payment in UTC, without its zone."""
        utc = ZoneInfo("UTC")
        empty = np.zeros(0, "datetime64[us]")
        times = [
            times_of(family.frame["created_at"], "created_at", utc).values
            for family in self.families
        ]
        return np.concatenate([empty, *times])


@dataclass(frozen=True)
class Rows:
    """The rows of books or of events: keys as text, and typed columns by meaning."""

    side: str
    ids: pa.Array
    references: pa.Array
    values: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)
    """Your name of each compared column."""
    unknown: tuple[str, ...] = ()
    """Your columns that are not compared."""
    families: tuple[str, ...] = ()
    """The family of each row, if it is known."""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def key(self, row: int) -> str:
        """The id of a row as it is written, or its reference."""
        return self.ids[row].as_py() or self.references[row].as_py() or ""


def rows_of_books(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | None,
    zone: ZoneInfo,
    decimal: str | None = None,
    date_format: str | None = None,
) -> Rows:
    """The rows of books; the first has the number 1 in messages."""
    frame = frame.reset_index(drop=not any(frame.index.names))
    column_names = name_columns(list(frame.columns), columns)
    compared_columns = {
        column.meaning: column for column in COLUMNS if column.meaning in column_names
    }
    cells_by_meaning = {
        column.meaning: frame[column_names[column.meaning]] for column in compared_columns.values()
    }
    amounts = {
        str(column_names[meaning]): cells
        for meaning, cells in cells_by_meaning.items()
        if compared_columns[meaning].kind == "amount"
    }
    exact, mark = amounts_of(amounts, decimal)
    values: dict[str, Any] = {}
    for meaning, cells in cells_by_meaning.items():
        kind = compared_columns[meaning].kind
        name = str(column_names[meaning])
        if kind == "amount":
            values[meaning] = exact[name]
        elif kind == "time":
            values[meaning] = times_of(cells, name, zone, date_format)
        else:
            values[meaning] = word_column(cells)
    forms = (column.form for column in values.values() if isinstance(column, TimeColumn))
    notes = [f"date format {form} was found" for form in dict.fromkeys(forms) if form]
    if mark == "," and decimal is None:
        notes.append("decimal comma was found")
    blank = pa.nulls(len(frame), pa.string())
    keys = {
        name: texts_of(frame[column_names[name]]) if name in column_names else blank
        for name in KEYS
    }
    return Rows(
        BOOKS,
        keys["id"],
        keys["reference"],
        values,
        {meaning: str(column_names[meaning]) for meaning in values},
        tuple(str(name) for name in frame.columns if name not in column_names.values()),
        notes=tuple(notes),
    )


def rows_of_events(events: Iterable[Event]) -> Rows:
    """The latest event of each payment, in any order of arrival."""
    latest: dict[tuple[str, str], tuple[EventVersion, Event]] = {}
    for event in events:
        key = event.family, event.id
        latest_mark = latest[key][0] if key in latest else None
        if event.family in ("transfer", "conversion") and not is_stale(event.mark, latest_mark):
            latest[key] = event.mark, event
    facts = [_facts(event) for _, event in latest.values()]
    values: dict[str, Any] = {}
    for column in IN_EVENTS:
        if not any(column.meaning in fact for fact in facts):
            continue
        cells = pd.Series([fact.get(column.meaning) for fact in facts], dtype=object)
        if column.kind == "amount":
            values[column.meaning] = amounts_of({column.meaning: cells}, ".")[0][column.meaning]
        else:
            values[column.meaning] = word_column(cells)
    ids = pa.array([event.id for _, event in latest.values()], pa.string())
    return Rows(
        EVENTS,
        ids,
        pa.nulls(len(ids), pa.string()),
        values,
        {meaning: meaning for meaning in values},
        ("date", "updated_at"),
        tuple(event.family for _, event in latest.values()),
    )


def _facts(event: Event) -> dict[str, str]:
    """The texts of an event by meaning; others are missing, as anybody can send events."""
    flat = event.resource.to_dict()
    for part in ("deposit", "payout"):
        inner = flat.get(part)
        if isinstance(inner, Mapping):
            flat |= {f"{part}_{name}": value for name, value in inner.items()}
    facts = {}
    for column in IN_EVENTS:
        value = flat.get(column.field(event.family))
        is_fit = isinstance(value, str) and (column.kind != "amount" or PLAIN.fullmatch(value))
        if isinstance(value, str) and is_fit:
            facts[column.meaning] = value
    return facts


def earliest(events: Iterable[Event]) -> datetime | None:
    """The time of the earliest event; None without events that say so."""
    times = [timestamps.read(event.payload.get("updated_at")) for event in events]
    return min((time for time in times if time), default=None)
