"""The columns of a database table, and whether rows fit them without losing a digit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ConfigError, ExactnessError, OptionError, Problem
from . import decimals

ID = "id"
ColumnForm = Literal["number", "float", "text", "other"]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: an exact number with its digits, a float, text, or another type."""

    form: ColumnForm
    precision: int | None = None
    scale: int | None = None


def require_fitting(
    table_columns: Mapping[str, TableColumn], rows: pa.Table, table_name: str
) -> None:
    """ConfigError for a column that the table lacks; ExactnessError if it would round an amount."""
    missing_names = [
        column_name for column_name in rows.column_names if column_name not in table_columns
    ]
    if missing_names:
        raise ConfigError(
            f"the table {table_name} has no column {', '.join(missing_names)}: choose columns of "
            'the frame, add them to the table, or replace it with if_exists="replace"'
        )
    for column_name, column in zip(rows.column_names, rows.columns, strict=True):
        is_amount = pa.types.is_decimal(column.type)
        if is_amount and not _is_exact_in(column, table_columns[column_name]):
            needed_type = f"DECIMAL({column.type.precision}, {column.type.scale})"
            raise ExactnessError(
                f"{column_name} of the table {table_name} would round an amount: make the column "
                f"{needed_type} or wider, or TEXT in SQLite, whose DECIMAL is a float; or replace "
                'the table with if_exists="replace"'
            )


def _is_exact_in(amounts: pa.ChunkedArray, column: TableColumn) -> bool:
    """Whether a column of a table keeps every digit: text does, and numbers of enough digits."""
    if column.form != "number" or column.scale is None or column.precision is None:
        return column.form in ("number", "text")
    integer_digits = column.precision - column.scale
    try:
        amounts.cast(pa.decimal256(76, column.scale))  # fails if decimals would be cut
    except pa.ArrowInvalid:
        return False
    return decimals.count_integer_digits(amounts) <= integer_digits


def require_ids(rows: pa.Table) -> None:
    """OptionError unless each row has an id of its own: a table is updated by ids."""
    if ID not in rows.column_names:
        raise OptionError([Problem("if_exists", 'upsert needs the column "id" in the frame')])
    ids = rows[ID]
    if ids.null_count or len(pc.unique(ids)) < len(ids):
        message = (
            'upsert needs an id in every row, and each id once: remove the others, or "append"'
        )
        raise OptionError([Problem("if_exists", message)])
