"""Frames as HTML: short times, exact amounts, shares in percent, no missing value as a word."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from ..errors.extras import extra_imports
from .html import TABLE_ROWS_MAX, grid

with extra_imports():
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_scalar

SHARE_COLUMNS = frozenset({"failure_rate"})
RATE_COLUMNS = frozenset({"exchange_rate"})


def frame_table(frame: pd.DataFrame) -> str:
    """The first 20 rows, above the name of the service; an index of numbers is left out."""
    rows = frame.head(TABLE_ROWS_MAX)
    if any(frame.index.names) or not is_numeric_dtype(frame.index.dtype):
        rows = rows.reset_index(allow_duplicates=True)
    names = [_column_name(label) for label in rows]
    columns = []
    for index, name in enumerate(names):
        columns.append([_cell_text(name, value) for value in rows.iloc[:, index]])
    number_columns = [
        index
        for index, dtype in enumerate(rows.dtypes)
        if is_numeric_dtype(dtype) and not is_bool_dtype(dtype)
    ]
    cells = list(zip(*columns, strict=True))
    source = str(frame.attrs.get("service") or "")
    return grid(names, cells, len(frame), number_columns=number_columns, source=source)


def _column_name(label: object) -> str:
    """The label of a column as text; several levels are joined."""
    return " ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _cell_text(name: str, value: Any) -> str:
    """The text of a cell; empty for a missing value."""
    if is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, Decimal):
        return _number_text(name, value)
    if isinstance(value, pd.Timedelta):
        return str(value.to_pytimedelta())
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def _number_text(name: str, value: Decimal) -> str:
    """An amount with its decimals, a rate without trailing zeros, a share in percent."""
    if name in SHARE_COLUMNS:
        return f"{value * 100:.1f} %"
    text = f"{value:f}"
    if name in RATE_COLUMNS and "." in text:
        return text.rstrip("0").rstrip(".")
    return text
