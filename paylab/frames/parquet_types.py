"""The types of Parquet columns: decimals that a warehouse can multiply.

An amount has 24 digits and a rate 13, so that their product has 37, which DuckDB, Spark and others
compute exactly. A currency of the table with more than six decimals, or a value that needs more,
makes the column DECIMAL(38, 18), with a WiderDecimalWarning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from ..errors.base import PaylabWarning, Problem, RuleError, warn_caller
from ..errors.extras import extra_imports
from ..spec.codes import MINOR_UNIT_DEFAULT, MINOR_UNITS
from . import decimals, times
from .column_choice import require_columns
from .columns import Kind, Schema

if TYPE_CHECKING:
    import polars as pl

AMOUNT = pa.decimal128(24, 6)
RATE = pa.decimal128(13, 8)
WIDE = pa.decimal128(38, 18)
TYPES: dict[Kind, pa.DataType] = {"time": times.INSTANT, "seconds": pa.int64()}
RATE_SUFFIX = "exchange_rate"

Scale = int | Mapping[str, int] | None
"""The decimals of all amounts, or of the columns named; None for the usual types."""


class WiderDecimalWarning(PaylabWarning):
    """A column of a Parquet file has DECIMAL(38, 18), because a value needs it."""


def parquet_schema(schema: Schema, scale: Scale = None) -> pa.Schema:
    """The Arrow schema of a Parquet file of these rows."""
    scales = read_scale(scale, schema)
    fields = []
    for column in schema.columns:
        arrow_type = TYPES.get(column.kind, pa.string())
        if column.kind == "amount":
            arrow_type = decimal_type(column.name, scales.get(column.name))
        fields.append((column.name, arrow_type))
    return pa.schema(fields)


def read_scale(scale: Scale, schema: Schema) -> dict[str, int]:
    """The chosen decimals by column; RuleError for a column that is no amount, and a bad number."""
    if scale is None:
        return {}
    amounts = [column.name for column in schema.columns if column.kind == "amount"]
    if isinstance(scale, Mapping):
        require_columns(scale, amounts)
        scales = dict(scale)
    else:
        scales = {name: scale for name in amounts if not name.endswith(RATE_SUFFIX)}
    for scale_places in scales.values():
        if type(scale_places) is not int or not 0 <= scale_places <= WIDE.scale:
            message = (
                f"must be a whole number of decimals from 0 to {WIDE.scale}, not {scale_places!r}"
            )
            raise RuleError([Problem("scale", message)])
    return scales


def decimal_type(name: str, places: int | None = None) -> pa.DataType:
    """The type of an amount or a rate, with the chosen number of decimals."""
    usual = RATE if name.endswith(RATE_SUFFIX) else _amount_type()
    if places is None:
        return usual
    return pa.decimal128(usual.precision if places <= usual.scale else WIDE.precision, places)


def _amount_type() -> pa.DataType:
    decimal_places = max(MINOR_UNIT_DEFAULT, *MINOR_UNITS.values())
    return AMOUNT if decimal_places <= AMOUNT.scale else WIDE


def columns_too_narrow(texts: pa.Table, types: pa.Schema) -> set[str]:
    """The decimal columns with a value that does not fit their type, and could fit a wider one."""
    return {
        field.name
        for field in types
        if pa.types.is_decimal(field.type)
        and field.type != WIDE
        and not decimals.fits(texts[field.name], field.name, field.type)
    }


def fitting_schema(tables: Iterable[pa.Table], schema: Schema, scale: Scale = None) -> pa.Schema:
    """The Arrow schema for these tables of text: a column that needs it is wide, with a warning.

    A column of a chosen scale keeps it.
    """
    types = parquet_schema(schema, scale)
    chosen = read_scale(scale, schema)
    narrow: set[str] = set()
    for table in tables:
        narrow |= columns_too_narrow(table, types)
    narrow -= chosen.keys()
    warn_of_wide(narrow, types)
    return widen_types(types, narrow)


def widen_types(types: pa.Schema, names: Collection[str]) -> pa.Schema:
    """The schema in which these columns have the widest type."""
    return pa.schema(
        [pa.field(field.name, WIDE if field.name in names else field.type) for field in types]
    )


def warn_of_wide(names: Collection[str], types: pa.Schema) -> None:
    """Say which columns are wide, and what that means."""
    if not names:
        return
    columns = ", ".join(f"{name} ({sql_type(types.field(name).type)})" for name in sorted(names))
    warn_caller(
        f"values need more than the usual digits of {columns}: written as {sql_type(WIDE)}, which "
        "DuckDB and Spark cannot multiply exactly; choose `scale=` for another type",
        WiderDecimalWarning,
    )


def sql_type(kind: pa.DataType) -> str:
    """The name of a decimal type in SQL: `DECIMAL(24, 6)`."""
    return f"DECIMAL({kind.precision}, {kind.scale})"


def convert_types(
    texts: pa.Table, schema: Schema, start: int = 0, types: pa.Schema | None = None
) -> pa.Table:
    """A table of text in types of Parquet; those of `parquet_schema` unless you pass others.

    ExactnessError for an amount that does not fit. `start` is the number of the first row.
    """
    types = parquet_schema(schema) if types is None else types
    columns = []
    for column in schema.columns:
        column_texts = texts[column.name]
        if column.kind == "time":
            column_texts = times.read_times(column_texts, column.name, start)
        elif column.kind in ("amount", "seconds"):
            column_texts = decimals.cast_exactly(
                column_texts, column.name, types.field(column.name).type, start
            )
        columns.append(column_texts)
    return pa.table(columns, schema=types)


def with_parquet_types(table: pa.Table, schema: Schema) -> pa.Table:
    """A table of a frame in the types of `parquet_schema`, and wide where a value needs it."""
    columns = []
    for column_name, column in zip(table.column_names, table.columns, strict=True):
        column_kind = schema.kind(column_name)
        if pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type):
            column = column.cast(pa.string())  # noqa: PLW2901 - the same column as text
        elif pa.types.is_decimal(column.type) and column_kind == "amount":
            column = _fit_to_width(column, decimal_type(column_name))  # noqa: PLW2901 - in its type
        columns.append(column)
    return pa.table(columns, table.column_names)


def polars_frame(table: pa.Table) -> pl.DataFrame:
    """A table as a polars frame, with the same decimals."""
    with extra_imports():
        import polars as pl
    return cast("pl.DataFrame", pl.from_arrow(table))


def _fit_to_width(column: pa.ChunkedArray, usual: pa.DataType) -> pa.ChunkedArray:
    """The amounts in the first of these types that holds all of them; unchanged if none does."""
    for decimal_type in (usual, WIDE):
        try:
            if decimals.integers(column) <= decimal_type.precision - decimal_type.scale:
                return column.cast(decimal_type)
        except pa.ArrowInvalid:
            continue
    return column
