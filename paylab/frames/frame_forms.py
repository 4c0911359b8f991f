"""A frame as plots, styles and databases need it: floats, bars of floats, exact numbers or text."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa

from .decimal_array import DecimalDtype

COMPUTED = ("_bar", "_background_gradient")  # pandas' functions of lengths and colours


def as_floats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with exact columns as floats, for statistics and plots; `attrs` says so."""
    exact = [name for name, kind in frame.dtypes.items() if isinstance(kind, DecimalDtype)]
    floats = frame.astype(dict.fromkeys(exact, float))
    floats.attrs = {**frame.attrs, "amounts": "float"}
    return floats


def exact_styler(frame: pd.DataFrame) -> Any:
    """The styles of a frame: cells show exact amounts, lengths and colours are of floats."""
    from pandas.io.formats.style import Styler  # needs jinja2

    class ExactStyler(Styler):
        """The styles of a frame with exact amounts."""

        data: pd.DataFrame

        def _apply(self, func: Callable[..., Any], *args: object, **options: object) -> Any:
            styler: Any = super()
            if getattr(func, "__name__", "") not in COMPUTED:
                return styler._apply(func, *args, **options)
            exact = self.data
            self.data = as_floats(exact)
            try:
                return styler._apply(func, *args, **options)
            finally:
                self.data = exact

    return ExactStyler(frame)


def sql_columns(frame: pd.DataFrame, connection: object) -> tuple[pd.DataFrame, dict[Any, Any]]:
    """The frame as pandas writes it, and the database types of its exact columns."""
    exact = [str(name) for name, kind in frame.dtypes.items() if isinstance(kind, DecimalDtype)]
    if _is_sqlite(connection):
        texts = {name: frame[name].astype("string").astype(object) for name in exact}
        return pd.DataFrame(frame).assign(**texts), {}
    import sqlalchemy

    kinds = {name: pa.array(frame[name].array).type for name in exact}
    numbers = {name: sqlalchemy.Numeric(kind.precision, kind.scale) for name, kind in kinds.items()}
    return pd.DataFrame(frame), numbers


def _is_sqlite(connection: object) -> bool:
    """Whether a connection, an engine or a URL is of SQLite, which keeps decimals as floats."""
    if isinstance(connection, sqlite3.Connection):
        return True
    if isinstance(connection, str):
        return connection.startswith("sqlite")
    return getattr(getattr(connection, "dialect", None), "name", "") == "sqlite"
