"""The columns of a frame for `to_sql`: exact numbers, or text where a database has none."""

from __future__ import annotations

import sqlite3
from typing import Any

import pandas as pd
import pyarrow as pa

from .decimal_array import DecimalDtype


def sql_columns(frame: pd.DataFrame, connection: Any) -> tuple[pd.DataFrame, dict[Any, Any]]:
    """The frame as pandas writes it, and the database types of its exact columns."""
    exact = [str(name) for name, kind in frame.dtypes.items() if isinstance(kind, DecimalDtype)]
    if _is_sqlite(connection):
        texts = {name: frame[name].astype("string").astype(object) for name in exact}
        return pd.DataFrame(frame).assign(**texts), {}
    import sqlalchemy

    kinds = {name: pa.array(frame[name].array).type for name in exact}
    numbers = {name: sqlalchemy.Numeric(kind.precision, kind.scale) for name, kind in kinds.items()}
    return pd.DataFrame(frame), numbers


def _is_sqlite(connection: Any) -> bool:
    """Whether a connection, an engine or a URL is of SQLite, which keeps decimals as floats."""
    if isinstance(connection, sqlite3.Connection):
        return True
    if isinstance(connection, str):
        return connection.startswith("sqlite")
    return getattr(getattr(connection, "dialect", None), "name", "") == "sqlite"
