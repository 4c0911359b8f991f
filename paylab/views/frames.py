"""Frames as HTML: short times, exact amounts, shares in percent, no missing value as a word."""

from __future__ import annotations

from datetime import date
from decimal import Context, Decimal
from typing import Any

from ..errors.extras import extra_imports
from .cells import RoundedNumber
from .durations import exact_duration
from .html import TABLE_ROWS_MAX, card, column, grid
from .ids import LONG_WORD_LENGTH

with extra_imports():
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_scalar

SHARE_COLUMNS = frozenset({"failure_rate"})
RATE_COLUMNS = frozenset({"exchange_rate"})
ROUNDED_DIGITS = 4
ROUNDING = Context(prec=1_000)
"""The decimals of a rounded number, and the context in which any number can be rounded."""
NANOSECONDS = 1_000_000_000
"""Of a second: in them pandas counts a duration."""


def frame_card(frame: pd.DataFrame) -> str:
    """The table of a frame as a card, as lists and calls are shown."""
    return card(column(frame_table(frame)))


def frame_table(frame: pd.DataFrame, all_rows_hint: str = "") -> str:
    """The first 20 rows, above the name of the service; an index of numbers is left out.

    `all_rows_hint` says what has all rows, such as "frame() has all problems".
    """
    shown_frame = frame.head(TABLE_ROWS_MAX)
    if any(frame.index.names) or not is_numeric_dtype(frame.index.dtype):
        shown_frame = shown_frame.reset_index(allow_duplicates=True)
    column_names = [_column_name(column_label) for column_label in shown_frame]
    # The attribute has the names of the columns of seconds, joined by commas.
    seconds_columns = str(frame.attrs.get("seconds", "")).split(", ")
    text_columns = []
    for column_index, column_name in enumerate(column_names):
        column_values = shown_frame.iloc[:, column_index]  # by position: two may have the same name
        is_seconds = column_name in seconds_columns
        text_columns.append(_write_column(column_name, column_values, is_seconds=is_seconds))
    number_columns = [
        column_index
        for column_index, dtype in enumerate(shown_frame.dtypes)
        if is_numeric_dtype(dtype) and not is_bool_dtype(dtype)
    ]
    cell_rows = list(zip(*text_columns, strict=True))
    service_name = str(frame.attrs.get("service") or "")
    return grid(
        column_names,
        cell_rows,
        len(frame),
        number_columns=number_columns,
        source=service_name,
        all_rows_hint=all_rows_hint,
    )


def _write_column(
    column_name: str, column_values: pd.Series[Any], *, is_seconds: bool
) -> list[str | RoundedNumber]:
    """The texts of the cells of a column."""
    if is_seconds:
        return [
            "" if pd.isna(seconds) else exact_duration(Decimal(seconds))
            for seconds in column_values
        ]
    cell_texts = [_cell_text(column_name, cell_value) for cell_value in column_values]
    return _align_points(cell_texts) if column_name in RATE_COLUMNS else cell_texts


def _align_points(cell_texts: list[str | RoundedNumber]) -> list[str | RoundedNumber]:
    """Rates with the same number of decimals, so that their points are one below the other."""
    rate_texts = [text for text in cell_texts if isinstance(text, str) and text]
    decimal_count = max((len(text.partition(".")[2]) for text in rate_texts), default=0)
    return [
        f"{Decimal(text.replace(',', '')):,.{decimal_count}f}"
        if isinstance(text, str) and text
        else text
        for text in cell_texts
    ]


def _column_name(label: object) -> str:
    """The label of a column as text; several levels are joined."""
    return " ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _cell_text(column_name: str, cell_value: Any) -> str | RoundedNumber:
    """The text of a cell; empty for a missing value."""
    if is_scalar(cell_value) and pd.isna(cell_value):
        return ""
    if isinstance(cell_value, Decimal):
        return _number_text(column_name, cell_value)
    if isinstance(cell_value, pd.Timedelta):
        return exact_duration(Decimal(cell_value.value) / NANOSECONDS)
    if isinstance(cell_value, date):
        return _date_text(column_name, cell_value)
    return str(cell_value)


def _date_text(column_name: str, day_or_time: date) -> str:
    """A day, or a time in UTC; the first day of a month or a quarter as 2025-10 or 2025 Q4."""
    if column_name == "month":
        return f"{day_or_time:%Y-%m}"
    if column_name == "quarter":
        return f"{day_or_time:%Y} Q{(day_or_time.month + 2) // 3}"
    return day_or_time.isoformat()


def _number_text(column_name: str, amount: Decimal) -> str | RoundedNumber:
    """An amount with its decimals, a rate without trailing zeros, a share in percent.

    A number too long to be shown, such as a ratio of two amounts, is rounded.
    """
    if column_name in SHARE_COLUMNS:
        return f"{amount * 100:.1f} %"
    number_text = f"{amount:f}"
    if column_name in RATE_COLUMNS and "." in number_text:
        number_text = number_text.rstrip("0").rstrip(".")
    if "." in number_text and len(number_text) > LONG_WORD_LENGTH:
        return RoundedNumber(f"{_round(amount):,f}", number_text)
    return f"{Decimal(number_text):,f}"


def _round(number: Decimal) -> Decimal:
    """A number with four decimals, and one near zero with four digits."""
    decimal_count = ROUNDED_DIGITS
    if number and number.adjusted() < -1:
        decimal_count = ROUNDED_DIGITS - 1 - number.adjusted()
    return number.quantize(Decimal(1).scaleb(-decimal_count), context=ROUNDING)
