"""The sides of a reconciliation: the payments of the service, and the rows of the others."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from ..spec import timestamps
from ..spec.status import MACHINES
from .cell_texts import DELIMITER, cell_texts
from .event import Event, EventVersion, is_stale
from .payment_columns import PAYMENT_COLUMNS, PaymentColumn, name_columns
from .payment_times import TimeColumn, Times, read_column_times
from .payment_values import WordColumn, read_amounts, word_column

with extra_imports():
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

SERVICE = "service"
BOOKS = "books"
EVENTS = "events"
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,18})?")
COLUMNS_BY_MEANING = {column.meaning: column for column in PAYMENT_COLUMNS}
EVENT_COLUMNS = [column for column in PAYMENT_COLUMNS if column.kind != "time"]


@dataclass(frozen=True)
class Family:
    """The transfers or the conversions of the service; `start` is the index of the first one."""

    name: str
    frame: pd.DataFrame
    start: int
    _typed_columns: dict[str, Any] = field(default_factory=dict)

    @property
    def indexes(self) -> slice:
        """The indexes of its payments, from the first one up to that after the last one."""
        return slice(self.start, self.start + len(self.frame))

    def values(self, meaning: str, zone: ZoneInfo) -> Any:
        """Return a column as a DecimalArray, a WordColumn, or a TimeColumn in a zone.

        It is None if the frame does not have the column.
        """
        if meaning not in self._typed_columns:
            self._typed_columns[meaning] = self._read_column(COLUMNS_BY_MEANING[meaning], zone)
        return self._typed_columns[meaning]

    def _read_column(self, column_description: PaymentColumn, zone: ZoneInfo) -> Any:
        """Read a column by its kind; None if the frame does not have it."""
        field_name = column_description.field(self.name)
        if field_name not in self.frame:
            return None
        if column_description.kind == "amount":
            amounts_by_name, _ = read_amounts({field_name: self.frame[field_name]}, ".")
            return amounts_by_name[field_name]
        if column_description.kind == "time":
            return read_column_times(self.frame[field_name], field_name, zone)
        return word_column(self.frame[field_name])


class Payments:
    """The payments of the service; each has an index, counted through the families."""

    def __init__(self, lists: Mapping[str, pd.DataFrame]) -> None:
        """Give each payment an index, list after list, such as "transfers" first.

        The payments of one list are a `Family`.
        """
        self.families: list[Family] = []
        start_index = 0
        for list_name, frame in lists.items():
            self.families.append(Family(list_name, frame, start_index))
            start_index += len(frame)
        self.count = start_index
        self._starts = [family.start for family in self.families]
        self.ids = self._read_texts("id")
        self.references = self._read_texts("client_reference_id")

    def _read_texts(self, column_name: str) -> pa.Array:
        """Return a column of all families as text; null for a family that does not have it."""
        text_arrays = [pa.nulls(0, pa.string())]
        for payment_family in self.families:
            if column_name in payment_family.frame:
                text_arrays.append(cell_texts(payment_family.frame[column_name]))
            else:
                text_arrays.append(pa.nulls(len(payment_family.frame), pa.string()))
        return pa.concat_arrays(text_arrays)

    def family_of(self, payment: int) -> Family:
        """Return the family of the payment with this index."""
        return self.families[bisect_right(self._starts, payment) - 1]

    def statuses(self, zone: ZoneInfo) -> set[str]:
        """Return the statuses of the spec, and those of the payments."""
        statuses: set[str] = set()
        for payment_family in self.families:
            statuses |= set(MACHINES[f"{payment_family.name}s"].states)
            status_words = payment_family.values("status", zone)
            if isinstance(status_words, WordColumn):  # else the frame lacks the column
                statuses |= set(status_words.texts)
        return statuses

    def currencies(self, zone: ZoneInfo) -> set[str]:
        """Return the currencies of all amounts, in upper case."""
        meanings = [
            column_description.meaning
            for column_description in PAYMENT_COLUMNS
            if column_description.kind == "currency"
        ]
        currency_codes: set[str] = set()
        for payment_family in self.families:
            for meaning in meanings:
                currency_words = payment_family.values(meaning, zone)
                if currency_words:
                    currency_codes |= {word.upper() for word in currency_words.texts}
        return currency_codes

    def list_currencies(self, zone: ZoneInfo) -> list[str | None]:
        """Return the currency of the amount of each payment; None if it has none."""
        currency_texts: list[str | None] = []
        for payment_family in self.families:
            currency_words = payment_family.values("currency", zone)
            for row_index in range(len(payment_family.frame)):
                currency_texts.append(currency_words.text(row_index) if currency_words else None)
        return currency_texts

    def created(self) -> Times:
        """Return the time of creation of each payment in UTC, as an array without a zone."""
        utc_zone = ZoneInfo("UTC")
        no_times = np.zeros(0, "datetime64[us]")
        times_of_families = [
            read_column_times(payment_family.frame["created_at"], "created_at", utc_zone).values
            for payment_family in self.families
        ]
        return np.concatenate([no_times, *times_of_families])


@dataclass(frozen=True)
class Rows:
    """The rows of books or of events: keys as text, and typed columns by meaning."""

    side: str
    ids: pa.Array
    references: pa.Array
    values: Mapping[str, Any]
    name_by_meaning: Mapping[str, str] = field(default_factory=dict)
    """Your name of each compared column."""
    unknown: tuple[str, ...] = ()
    """Your columns that are not compared."""
    families: tuple[str, ...] = ()
    """The family of each row, if it is known."""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def has_keys(self) -> bool:
        """Return whether a row has an id or a reference."""
        return bool(min(self.ids.null_count, self.references.null_count) < len(self))

    @property
    def has_both_keys(self) -> bool:
        """Return whether a row has an id and a reference."""
        return bool(pc.any(pc.and_(self.ids.is_valid(), self.references.is_valid())).as_py())

    def key(self, row: int) -> str:
        """Return the id of a row as it is written, or its reference."""
        return self.ids[row].as_py() or self.references[row].as_py() or ""


def read_book_rows(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | None,
    zone: ZoneInfo,
    decimal: str | None = None,
    date_format: str | None = None,
) -> Rows:
    """Read the rows of books; the first has the number 1 in messages."""
    # An index with a name is a column of the books, such as the id.
    frame = frame.reset_index(drop=not any(frame.index.names))
    name_by_meaning = name_columns(list(frame.columns), columns)
    column_by_meaning, mark_note = _read_book_values(
        frame, name_by_meaning, zone, decimal, date_format
    )
    note_texts = _make_date_format_notes(column_by_meaning)
    if mark_note:
        note_texts.append(mark_note)
    if "amount" in name_by_meaning and "currency" not in name_by_meaning:
        note_texts.append(
            "the books have no column of currencies: an amount is taken in that of its payment"
        )
    return Rows(
        side=BOOKS,
        ids=_read_key_texts(frame, name_by_meaning.get("id")),
        references=_read_key_texts(frame, name_by_meaning.get("reference")),
        values=column_by_meaning,
        name_by_meaning={meaning: str(name_by_meaning[meaning]) for meaning in column_by_meaning},
        unknown=tuple(
            str(column_name)
            for column_name in frame.columns
            if column_name not in name_by_meaning.values()
        ),
        notes=tuple(note_texts),
    )


def _read_book_values(
    frame: pd.DataFrame,
    name_by_meaning: Mapping[str, Any],
    zone: ZoneInfo,
    decimal: str | None,
    date_format: str | None,
) -> tuple[dict[str, Any], str]:
    """The compared columns by meaning, and a note on the decimal mark that was found."""
    compared_columns = [
        column_description
        for column_description in PAYMENT_COLUMNS
        if column_description.meaning in name_by_meaning
    ]
    # The amounts are read together: they have the same decimal mark.
    amount_cells_by_name = {}
    for column_description in compared_columns:
        if column_description.kind == "amount":
            your_name = name_by_meaning[column_description.meaning]
            amount_cells_by_name[str(your_name)] = frame[your_name]
    has_semicolons = frame.attrs.get(DELIMITER) == ";"
    amounts_by_name, mark_note = read_amounts(
        amount_cells_by_name, decimal, has_semicolons=has_semicolons
    )
    column_by_meaning: dict[str, Any] = {}
    for column_description in compared_columns:
        meaning = column_description.meaning
        your_name = name_by_meaning[meaning]
        cells = frame[your_name]
        if column_description.kind == "amount":
            column_by_meaning[meaning] = amounts_by_name[str(your_name)]
        elif column_description.kind == "time":
            times = read_column_times(cells, str(your_name), zone, date_format)
            column_by_meaning[meaning] = times
        else:
            column_by_meaning[meaning] = word_column(cells)
    return column_by_meaning, mark_note


def _read_key_texts(frame: pd.DataFrame, column_name: object) -> pa.Array:
    """Return a column of keys as text; nulls if the books do not have it."""
    if column_name is None:
        return pa.nulls(len(frame), pa.string())
    return cell_texts(frame[column_name])


def _make_date_format_notes(column_by_meaning: Mapping[str, object]) -> list[str]:
    """Return a note for each date format that was found in the texts."""
    date_formats: dict[str, None] = {}
    for compared_column in column_by_meaning.values():
        if isinstance(compared_column, TimeColumn) and compared_column.date_format:
            date_formats[compared_column.date_format] = None
    return [f"date format {date_format} was found" for date_format in date_formats]


def read_event_rows(events: Iterable[Event]) -> Rows:
    """Read the latest event of each payment, in any order of arrival."""
    latest_events = _find_latest_events(events)
    texts_of_events = [_write_payment_texts(event) for event in latest_events]
    column_by_meaning: dict[str, Any] = {}
    for column_description in EVENT_COLUMNS:
        meaning = column_description.meaning
        if not any(meaning in text_by_meaning for text_by_meaning in texts_of_events):
            continue
        event_texts = [text_by_meaning.get(meaning) for text_by_meaning in texts_of_events]
        column_texts = pd.Series(event_texts, dtype=object)
        if column_description.kind == "amount":
            amounts_by_name, _ = read_amounts({meaning: column_texts}, ".")
            column_by_meaning[meaning] = amounts_by_name[meaning]
        else:
            column_by_meaning[meaning] = word_column(column_texts)
    return Rows(
        side=EVENTS,
        ids=pa.array([event.id for event in latest_events], pa.string()),
        references=pa.nulls(len(latest_events), pa.string()),
        values=column_by_meaning,
        name_by_meaning={meaning: meaning for meaning in column_by_meaning},
        unknown=("date", "updated_at"),
        families=tuple(event.family for event in latest_events),
    )


def _find_latest_events(events: Iterable[Event]) -> list[Event]:
    """Return the latest event of each transfer and conversion, in any order of arrival."""
    latest_event_by_payment: dict[tuple[str, str], Event] = {}
    latest_version_by_payment: dict[tuple[str, str], EventVersion] = {}
    for event in events:
        if event.family not in ("transfer", "conversion"):
            continue
        payment_key = event.family, event.id
        event_version = event.version
        if not is_stale(event_version, latest_version_by_payment.get(payment_key)):
            latest_version_by_payment[payment_key] = event_version
            latest_event_by_payment[payment_key] = event
    return list(latest_event_by_payment.values())


def _write_payment_texts(event: Event) -> dict[str, str]:
    """Return the values of an event that are compared, as text by the meaning of their column.

    Values of another type, and amounts that are no numbers, are left out: anybody can send events.
    """
    value_by_field = event.resource.to_dict()
    # The parts of a conversion become fields such as `deposit_amount`, as in a frame.
    for part_name in ("deposit", "payout"):
        part_fields = value_by_field.get(part_name)
        if isinstance(part_fields, Mapping):
            value_by_field |= {
                f"{part_name}_{field_name}": field_value
                for field_name, field_value in part_fields.items()
            }
    text_by_meaning = {}
    for column_description in EVENT_COLUMNS:
        field_value = value_by_field.get(column_description.field(event.family))
        if not isinstance(field_value, str):
            continue
        if column_description.kind != "amount" or PLAIN_NUMBER.fullmatch(field_value):
            text_by_meaning[column_description.meaning] = field_value
    return text_by_meaning


def earliest_time(events: Iterable[Event]) -> datetime | None:
    """Return the earliest `updated_at` of events; None if no event has one."""
    update_times = [timestamps.read_or_none(event.payload.get("updated_at")) for event in events]
    return min((updated_at for updated_at in update_times if updated_at), default=None)
