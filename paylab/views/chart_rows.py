"""The rows that charts draw, with the columns of transfers."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from ..errors.base import ArgumentError
from ..errors.extras import extra_imports
from ..frames.summary_rows import CONVERSION_NAMES
from ..spec.text import plain
from .chart_style import TEXT_LENGTH_MAX

with extra_imports():
    import pandas as pd

AMOUNT_DIGITS_MAX = 100
"""Maximum digits of an amount before or after its point."""
COLUMN_TYPES = {
    "id": "text",
    "status": "text",
    "failure_reason": "text",
    "source_currency": "currency",
    "destination_currency": "currency",
    "fee_currency": "currency",
    "source_amount": "amount",
    "total_fee": "amount",
    "completed_in": "number",
    "created_at": "time",
}


def chart_rows(frame: pd.DataFrame | None, drawn_fields: Sequence[str]) -> pd.DataFrame:
    """The rows to draw, with the columns of transfers and the corridor such as `USD-MXN`.

    Amounts are decimals, currencies upper case, times UTC, durations seconds. `drawn_fields` are
    the fields without which the chart would be empty. ArgumentError for a frame with columns, but
    without one of these.
    """
    source_frame = pd.DataFrame() if frame is None else frame
    if len(source_frame.columns):
        _require_columns(source_frame, drawn_fields)
    column_by_name = {
        field_name: _read_column(source_frame, field_name, value_type)
        for field_name, value_type in COLUMN_TYPES.items()
    }
    row_frame = pd.DataFrame(column_by_name)
    source_currencies = row_frame["source_currency"].fillna("?").astype("str")
    destination_currencies = row_frame["destination_currency"].fillna("?").astype("str")
    return row_frame.assign(corridor=source_currencies + "-" + destination_currencies)


def _require_columns(frame: pd.DataFrame, drawn_fields: Sequence[str]) -> None:
    """ArgumentError for a frame without the column of a field."""
    column_names = {*frame.columns}
    if {"created_at", "payout_completed_at"} <= column_names:
        column_names.add("completed_in")
    missing_fields = [
        field_name
        for field_name in drawn_fields
        if column_names.isdisjoint({field_name, CONVERSION_NAMES.get(field_name, field_name)})
    ]
    if missing_fields:
        has_conversions = not column_names.isdisjoint(CONVERSION_NAMES.values())
        name_by_field = CONVERSION_NAMES if has_conversions else {}
        missing_names = [name_by_field.get(field_name, field_name) for field_name in missing_fields]
        raise ArgumentError(
            f"the frame has no column {', '.join(missing_names)}: this chart draws "
            "lab.transfers.frame() or lab.conversions.frame()",
            "frame",
        )


def _read_column(frame: pd.DataFrame, field_name: str, value_type: str) -> pd.Series[Any]:
    """The column of a frame of transfers or conversions; empty cells if the frame has none.

    Without the column `completed_in`, it is the time from creation to the payout's completion.
    """
    column_name = field_name
    if field_name not in frame:
        column_name = CONVERSION_NAMES.get(field_name, field_name)
    if column_name in frame:
        return _convert_column(frame[column_name], value_type)
    if field_name == "completed_in" and "payout_completed_at" in frame:
        completion_times = _convert_column(frame["payout_completed_at"], "time")
        creation_times = _convert_column(frame["created_at"], "time")
        return (completion_times - creation_times).dt.total_seconds()
    return _convert_column(pd.Series(index=frame.index, dtype="object"), value_type)


def _convert_column(column: pd.Series[Any], value_type: str) -> pd.Series[Any]:
    """The column as times, floats, decimals, escaped texts or upper case codes."""
    if value_type == "time":
        return pd.to_datetime(column.astype("object"), utc=True, errors="coerce")
    column_values = column.astype("object").where(column.notna(), None)
    if value_type == "number":
        numbers = pd.to_numeric(column_values, errors="coerce").astype("float64")
        return numbers.where(numbers.abs() != float("inf"))
    if value_type == "amount":
        return column_values.map(partial(_decimal_or_none, column_name=str(column.name)))
    if value_type == "currency":
        return column_values.map(_code_or_none)
    return column_values.map(_text_or_none)


def _decimal_or_none(cell_value: object, column_name: str) -> Decimal | None:
    """The exact amount of a cell; None for an empty cell; ArgumentError for what is no amount."""
    if cell_value in (None, ""):
        return None
    try:
        amount = Decimal(str(cell_value))
    except ArithmeticError:
        amount = Decimal("NaN")  # refused below, as an infinite one is
    if not amount.is_finite() or abs(amount.adjusted()) > AMOUNT_DIGITS_MAX:
        name_text = plain(column_name, 60)
        value_text = plain(repr(cell_value), 60)
        message = f"the column {name_text} has {value_text}, which is no amount"
        raise ArgumentError(message, column_name)
    return amount


def _text_or_none(cell_value: object) -> str | None:
    """A text to draw, escaped and shortened; None if it is missing."""
    return None if cell_value is None else plain(str(cell_value), TEXT_LENGTH_MAX)


def _code_or_none(cell_value: object) -> str | None:
    """The code of a currency in upper case; None if it is missing."""
    return None if cell_value is None else _text_or_none(str(cell_value).upper())
