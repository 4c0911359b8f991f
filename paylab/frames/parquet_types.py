"""The types of Parquet columns: decimals that a warehouse can multiply.

An amount has 24 digits and a rate 13, so that their product has 37, which DuckDB, Spark and others
compute exactly. A currency of the table with more than six decimals, or a value that needs more,
makes the column DECIMAL(38, 18), with a WiderDecimalWarning; a chosen scale stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from ..errors.base import (
    ExactnessError,
    OptionError,
    PaylabWarning,
    Problem,
    warn_caller,
)
from ..errors.extras import extra_imports
from ..spec.codes import MINOR_UNIT_DEFAULT, MINOR_UNITS
from . import decimals, times
from .column_choice import require_columns
from .columns import Kind, Schema
from .machine_integers import MACHINE_DIGITS

if TYPE_CHECKING:
    import polars as pl

AMOUNT_TYPE = pa.decimal128(24, 6)
RATE_TYPE = pa.decimal128(13, 8)
WIDE_TYPE = pa.decimal128(38, 18)
TYPE_BY_KIND: dict[Kind, pa.DataType] = {"time": times.INSTANT, "seconds": pa.int64()}
RATE_SUFFIX = "exchange_rate"

Scale = int | Mapping[str, int] | None
"""The decimals of all amounts, or of the columns named; None for the usual types."""


class WiderDecimalWarning(PaylabWarning):
    """A column of a Parquet file has DECIMAL(38, 18), because a value needs it."""


def parquet_schema(schema: Schema, scale: Scale = None) -> pa.Schema:
    """The Arrow schema of a Parquet file of these rows."""
    decimals_by_column = read_scale(scale, schema)
    names_and_types = []
    for schema_column in schema.columns:
        arrow_type = TYPE_BY_KIND.get(schema_column.kind, pa.string())
        if schema_column.kind == "amount":
            arrow_type = decimal_type(
                schema_column.name, decimals_by_column.get(schema_column.name)
            )
        names_and_types.append((schema_column.name, arrow_type))
    return pa.schema(names_and_types)


def read_scale(scale: Scale, schema: Schema) -> dict[str, int]:
    """The chosen decimals by column; OptionError for one that is no amount, and a bad number."""
    if scale is None:
        return {}
    amount_names = [
        schema_column.name for schema_column in schema.columns if schema_column.kind == "amount"
    ]
    if isinstance(scale, Mapping):
        require_columns(scale, amount_names)
        places_by_column = dict(scale)
    else:  # one number for all amounts, but not for rates
        places_by_column = {
            amount_name: scale
            for amount_name in amount_names
            if not amount_name.endswith(RATE_SUFFIX)
        }
    for decimal_places in places_by_column.values():
        if type(decimal_places) is not int or not 0 <= decimal_places <= WIDE_TYPE.scale:
            demand_text = f"must be a whole number of decimals from 0 to {WIDE_TYPE.scale}"
            raise OptionError([Problem("scale", f"{demand_text}, not {decimal_places!r}")])
    return places_by_column


def decimal_type(column_name: str, decimal_places: int | None = None) -> pa.DataType:
    """The type of an amount or a rate, with the chosen number of decimals if there is one."""
    usual_type = RATE_TYPE if column_name.endswith(RATE_SUFFIX) else _choose_amount_type()
    if decimal_places is None:
        return usual_type
    fits_usual_type = decimal_places <= usual_type.scale
    precision = usual_type.precision if fits_usual_type else WIDE_TYPE.precision
    return pa.decimal128(precision, decimal_places)


def _choose_amount_type() -> pa.DataType:
    """The usual type of amounts; the widest if a known currency has more than six decimals."""
    decimal_places = max(MINOR_UNIT_DEFAULT, *MINOR_UNITS.values())
    return AMOUNT_TYPE if decimal_places <= AMOUNT_TYPE.scale else WIDE_TYPE


def columns_too_narrow(
    texts: pa.Table, types: pa.Schema, fixed_names: Collection[str] = ()
) -> set[str]:
    """The decimal columns with a value that does not fit their type, and could fit a wider one.

    Those in `fixed_names` keep their decimals: they get wider only if all values fit then.
    """
    narrow_names = set()
    for arrow_field in types:
        if not pa.types.is_decimal(arrow_field.type):
            continue
        column_name = arrow_field.name
        column_texts = texts[column_name]
        wide_type = _find_wide_type(arrow_field, fixed_names)
        if arrow_field.type == wide_type:
            continue
        if decimals.fits(column_texts, column_name, arrow_field.type):
            continue
        if column_name not in fixed_names or decimals.fits(column_texts, column_name, wide_type):
            narrow_names.add(column_name)
    return narrow_names


def _find_wide_type(arrow_field: pa.Field, fixed_names: Collection[str]) -> pa.DataType:
    """The widest type of a column; one of a chosen scale keeps its decimals."""
    if arrow_field.name in fixed_names:
        return pa.decimal128(WIDE_TYPE.precision, arrow_field.type.scale)
    return WIDE_TYPE


def fitting_schema(tables: Iterable[pa.Table], schema: Schema, scale: Scale = None) -> pa.Schema:
    """The Arrow schema for these tables of text: a column that needs it is wide, with a warning.

    A column of a chosen scale keeps it.
    """
    arrow_schema = parquet_schema(schema, scale)
    fixed_names = read_scale(scale, schema).keys()
    narrow_names: set[str] = set()
    for table in tables:
        narrow_names |= columns_too_narrow(table, arrow_schema, fixed_names)
    wide_schema = widen_types(arrow_schema, narrow_names, fixed_names)
    warn_of_wide(narrow_names, arrow_schema, wide_schema)
    return wide_schema


def widen_types(
    types: pa.Schema, names: Collection[str], fixed_names: Collection[str] = ()
) -> pa.Schema:
    """The schema with the widest type for these columns; those in `fixed_names` keep decimals."""
    return pa.schema(
        [
            pa.field(field.name, _find_wide_type(field, fixed_names))
            if field.name in names
            else field
            for field in types
        ]
    )


def warn_of_wide(names: Collection[str], types: pa.Schema, wide_types: pa.Schema) -> None:
    """Warn that columns become wider than these types, and what that means; not for no columns."""
    if not names:
        return
    names_with_types = [
        f"{column_name} ({sql_type(types.field(column_name).type)})"
        for column_name in sorted(names)
    ]
    written_types = {sql_type(wide_types.field(column_name).type) for column_name in names}
    warn_caller(
        f"values need more than the usual digits of {', '.join(names_with_types)}: written as "
        f"{' and '.join(sorted(written_types))}, which DuckDB and Spark cannot multiply exactly; "
        "choose `scale=` for other decimals",
        WiderDecimalWarning,
    )


def sql_type(decimal_type: pa.DataType) -> str:
    """The name of a decimal type in SQL: `DECIMAL(24, 6)`."""
    return f"DECIMAL({decimal_type.precision}, {decimal_type.scale})"


def convert_types(
    texts: pa.Table, schema: Schema, first_row: int = 0, arrow_schema: pa.Schema | None = None
) -> pa.Table:
    """A table of text in types of Parquet, by default the types of `parquet_schema`.

    ExactnessError for an amount that does not fit. `first_row` is the number of the first row.
    """
    arrow_schema = parquet_schema(schema) if arrow_schema is None else arrow_schema
    columns = []
    for schema_column in schema.columns:
        column_texts = texts[schema_column.name]
        if schema_column.kind == "time":
            columns.append(times.read_times(column_texts, schema_column.name, first_row))
        elif schema_column.kind in ("amount", "seconds"):
            arrow_type = arrow_schema.field(schema_column.name).type
            columns.append(cast_exactly(column_texts, schema_column.name, arrow_type, first_row))
        else:
            columns.append(column_texts)
    return pa.table(columns, schema=arrow_schema)


def cast_exactly(
    texts: pa.ChunkedArray, column_name: str, arrow_type: pa.DataType, first_row: int = 0
) -> pa.ChunkedArray:
    """The texts in a decimal type or `int64`; ExactnessError for the first that does not fit."""
    numbers = decimals.read_texts(texts, column_name, first_row)
    integer_digits_max = MACHINE_DIGITS
    if arrow_type != pa.int64():
        integer_digits_max = arrow_type.precision - arrow_type.scale
    try:
        # Arrow's own cast misses some overflows.
        if decimals.count_integer_digits(numbers) <= integer_digits_max:
            return numbers.cast(arrow_type)
    except pa.ArrowInvalid:
        pass  # the error below names the row
    raise ExactnessError(_describe_misfit(numbers, texts, column_name, arrow_type, first_row))


def _describe_misfit(
    numbers: pa.ChunkedArray,
    texts: pa.ChunkedArray,
    column_name: str,
    arrow_type: pa.DataType,
    first_row: int,
) -> str:
    """The first number that does not fit a type, and what to write instead."""
    is_integer = arrow_type == pa.int64()
    places_max = 0 if is_integer else arrow_type.scale
    digits_max = (MACHINE_DIGITS if is_integer else arrow_type.precision) - places_max
    digit_counts = [decimals.count_digits(number or Decimal(0)) for number in numbers.to_pylist()]
    row_number = next(
        row_number
        for row_number, (digits_before, digits_after) in enumerate(digit_counts)
        if digits_before > digits_max or digits_after > places_max
    )
    misfit_text = decimals.quote_short(texts[row_number].as_py())
    type_text = "int64" if is_integer else sql_type(arrow_type)
    hint_text = "a CSV file keeps it as text"
    scale = None if is_integer else _suggest_scale(digit_counts, column_name, places_max)
    if scale is not None:
        hint_text = f'write scale={{"{column_name}": {scale}}}; {hint_text}'
    place_text = f"{column_name}, row {first_row + row_number}"
    return f"{place_text}: {misfit_text} does not fit {type_text}: {hint_text}"


def _suggest_scale(
    digit_counts: Iterable[tuple[int, int]], column_name: str, scale: int
) -> int | None:
    """A number of decimals, other than `scale`, with which all numbers fit; None without one."""
    counts_before, counts_after = zip(*digit_counts, strict=True)
    places_min = max(counts_after)
    places_max = min(WIDE_TYPE.scale, WIDE_TYPE.precision - max(counts_before))
    wide_scale = decimal_type(column_name).scale + 1  # the first that makes a column wide
    return next(
        (
            places
            for places in (places_min, wide_scale)
            if places != scale and places_min <= places <= places_max
        ),
        None,
    )


def convert_frame_types(table: pa.Table, schema: Schema) -> pa.Table:
    """A table of a frame in the types of `parquet_schema`; text is always a string.

    An amount has the usual decimal type, or the wide one if it does not fit.
    """
    columns = []
    for column_name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_decimal(column.type) and schema.kind(column_name) == "amount":
            columns.append(_cast_to_usual_or_wide(column, decimal_type(column_name)))
        elif pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type):
            columns.append(column.cast(pa.string()))
        else:
            columns.append(column)
    return pa.table(columns, table.column_names)


def polars_frame(table: pa.Table) -> pl.DataFrame:
    """A table as a polars frame, with the same decimals."""
    with extra_imports():
        import polars as pl
    return cast("pl.DataFrame", pl.from_arrow(table))


def _cast_to_usual_or_wide(amounts: pa.ChunkedArray, usual_type: pa.DataType) -> pa.ChunkedArray:
    """The amounts in the usual type, else in the widest; unchanged if neither holds all of them."""
    integer_digits = decimals.count_integer_digits(amounts)
    for decimal_type in (usual_type, WIDE_TYPE):
        # Arrow's own cast misses some overflows.
        if integer_digits > decimal_type.precision - decimal_type.scale:
            continue
        try:
            return amounts.cast(decimal_type)
        except pa.ArrowInvalid:
            continue  # decimals would be cut
    return amounts
