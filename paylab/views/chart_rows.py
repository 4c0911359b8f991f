"""The rows that charts draw, with the columns of transfers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ..errors.extras import explained
from ..frames.summary_rows import CONVERSION
from ..spec.text import plain
from .chart_style import LONGEST

with explained():
    import pandas as pd

ENDS = ("source_currency", "destination_currency")
COLUMNS = {
    "id": "word",
    "status": "word",
    "failure_reason": "word",
    **dict.fromkeys(ENDS, "currency"),
    "fee_currency": "currency",
    "source_amount": "amount",
    "total_fee": "amount",
    "completed_in": "number",
    "created_at": "time",
}


def drawn_rows(frame: pd.DataFrame | None) -> pd.DataFrame:
    """The rows to draw, with the column names of transfers: decimals, upper case codes, times."""
    source_frame = pd.DataFrame() if frame is None else frame
    rows = pd.DataFrame({name: _column(source_frame, name, kind) for name, kind in COLUMNS.items()})
    ends = [rows[name].fillna("?").astype("str") for name in ENDS]
    return rows.assign(corridor=ends[0] + "-" + ends[1])


def _column(frame: pd.DataFrame, name: str, kind: str) -> pd.Series[Any]:
    source_column = frame.get(name if name in frame else CONVERSION.get(name, name))
    if source_column is None and name == "completed_in" and "payout_completed_at" in frame:
        ended, begun = (_typed(frame[at], "time") for at in ("payout_completed_at", "created_at"))
        return (ended - begun).dt.total_seconds()
    column = (
        pd.Series(index=frame.index, dtype="object") if source_column is None else source_column
    )
    return _typed(column, kind)


def _typed(column: pd.Series[Any], kind: str) -> pd.Series[Any]:
    if kind == "time":
        return pd.to_datetime(column.astype("object"), utc=True, errors="coerce")
    words = column.astype("object").where(column.notna(), None)
    if kind == "number":
        return pd.to_numeric(words, errors="coerce").astype("float64")
    if kind == "amount":
        return words.map(lambda value: value and Decimal(str(value)))
    return words.map(_label if kind == "word" else _code)


def _label(value: object) -> str | None:
    """A text to draw, escaped and shortened; None if it is missing."""
    return None if value is None else plain(str(value), LONGEST)


def _code(value: object) -> str | None:
    return None if value is None else _label(str(value).upper())
