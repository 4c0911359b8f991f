"""The columns of a database table, and whether rows fit them without losing a digit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ConfigError, ExactnessError, Problem, RuleError
from . import decimals

ID = "id"
ColumnForm = Literal["number", "float", "text", "other"]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: an exact number with its digits, a float, text, or another type."""

    form: ColumnForm
    precision: int | None = None
    scale: int | None = None


def require_fitting(known: Mapping[str, TableColumn], rows: pa.Table, table: str) -> None:
    """ConfigError for a column that the table lacks; ExactnessError if it would round an amount."""
    absent = [column_name for column_name in rows.column_names if column_name not in known]
    if absent:
        raise ConfigError(
            f"the table {table} has no column {', '.join(absent)}: choose columns of the frame, "
            'add them to the table, or replace it with if_exists="replace"'
        )
    for column_name in rows.column_names:
        if pa.types.is_decimal(rows[column_name].type) and not _is_exact_in(
            rows[column_name], known[column_name]
        ):
            raise ExactnessError(
                f"{column_name} of the table {table} would round an amount: make the column "
                'DECIMAL(24, 6) or wider, or replace the table with if_exists="replace"'
            )


def _is_exact_in(amounts: pa.ChunkedArray, column: TableColumn) -> bool:
    if column.form != "number" or column.scale is None or column.precision is None:
        return column.form in ("number", "text")
    integer_digits = column.precision - column.scale
    try:
        amounts.cast(pa.decimal256(76, column.scale))
    except pa.ArrowInvalid:
        return False
    return decimals.integers(amounts) <= integer_digits


def require_ids(rows: pa.Table) -> None:
    """RuleError unless every row has an id of its own, by which a table is updated."""
    if ID not in rows.column_names:
        raise RuleError([Problem("if_exists", 'upsert needs the column "id" in the frame')])
    ids = rows[ID]
    if ids.null_count or len(pc.unique(ids)) < len(ids):
        message = (
            'upsert needs an id in every row, and each id once: remove the others, or "append"'
        )
        raise RuleError([Problem("if_exists", message)])
