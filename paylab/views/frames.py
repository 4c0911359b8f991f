"""Frames as HTML: short times, exact amounts, shares in percent, no missing value as a word."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from ..errors.extras import explained
from .html import ROWS, badge, grid

with explained():
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_scalar

SHARES = frozenset({"failure_rate"})
RATES = frozenset({"exchange_rate"})


def frame_table(frame: pd.DataFrame) -> str:
    """The first 20 rows, below a badge that names the service; an index of numbers is left out."""
    top = frame.head(ROWS)
    if any(frame.index.names) or not is_numeric_dtype(frame.index.dtype):
        top = top.reset_index(allow_duplicates=True)
    # The levels of a name with several are joined.
    names = [" ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in top]
    columns = [[_text(name, value) for value in top.iloc[:, at]] for at, name in enumerate(names)]
    is_number = [is_numeric_dtype(kind) and not is_bool_dtype(kind) for kind in top.dtypes]
    numbers = [at for at, is_plain in enumerate(is_number) if is_plain]
    rows = list(zip(*columns, strict=True))
    where = badge(str(frame.attrs.get("service") or ""))
    return where + grid(names, rows, len(frame), numbers=numbers)


def _text(name: str, value: Any) -> str:
    """The text of a cell; empty for a missing value."""
    if is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, Decimal):
        return _number(name, value)
    if isinstance(value, pd.Timedelta):
        return str(value.to_pytimedelta())
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _number(name: str, value: Decimal) -> str:
    """An amount with its decimals, a rate without trailing zeros, a share in percent."""
    if name in SHARES:
        return f"{value * 100:.1f} %"
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if name in RATES and "." in text else text
