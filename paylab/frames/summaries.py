"""Summaries of frames, Arrow tables and Parquet: exact sums per currency, quantiles, reasons."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, ExactnessError
from ..errors.extras import extra_imports
from . import decimals, summary_sql
from .decimals import DIGITS_MAX
from .frame import ExactFrame
from .summary_rows import decode_categories, parquet_rows, prepare_rows
from .summary_sql import AMOUNTS, CURRENCIES, QUANTILES, Grouping
from .typed_columns import series

RATIOS = {"effective_rate": "destination_amount", "fee_share": "total_fee"}
PLACES = Decimal("1E-12")


@explain_arguments
def summarize(
    data: pd.DataFrame | pa.Table | str | os.PathLike[str] | None,
    by: Sequence[str] | str = ("status",),
    *,
    tz: str = "UTC",
    sums: bool = True,
) -> pd.DataFrame:
    """Counts, exact sums, rates, completion times and failure reasons of transfers or conversions.

    `by` names groupings (day, week, month, corridor, rail, status, product) or columns; days,
    weeks and months are in the time zone `tz`. Sums are per currency: each group is split by
    currency, unless `sums=False` omits the sums. `failure_rate`
    is the share of all rows that failed. Quantiles of the seconds to completion are exact over
    all rows, interpolated linearly. Amounts and their sums have up to 38 digits; past that it is
    an ExactnessError. `data` may be a frame, an Arrow table, a Parquet file or folder, or None.

    >>> paylab.frames.summarize(frame, by="status")["rows"].sum()
    130
    """
    groups = grouping(by, tz, sums=sums)
    if isinstance(data, str | os.PathLike):
        return of_folder(str(data), groups)
    rows = prepare_rows(data)
    if pa.types.is_decimal(rows["completed_in"].type):  # the fast path supports only whole seconds
        return merge_partials([partial_of(rows, groups)], groups)
    groups.check(rows.column_names)
    coded, currencies_by_column = _number_currencies(rows, groups)
    sql = summary_sql.write_whole_query(replace(groups, words=currencies_by_column), "rows")
    return _finish_summary(_run(sql, rows=coded), groups)


def _number_currencies(rows: pa.Table, groups: Grouping) -> tuple[pa.Table, dict[str, list[str]]]:
    """The rows with a number for each currency, and the currencies in upper case."""
    currencies_by_column: dict[str, list[str]] = {}
    for column_name in [
        column_name
        for column_name in CURRENCIES
        if column_name in groups.keys and column_name not in groups.by
    ]:
        column = rows[column_name]
        is_coded = pa.types.is_dictionary(column.type)
        codes = (column if is_coded else column.dictionary_encode()).combine_chunks()
        upper = pc.utf8_upper(codes.dictionary.cast(pa.string()))
        unique_codes = upper.unique()
        numbers = pc.index_in(upper, unique_codes).take(codes.indices)
        rows = rows.set_column(rows.column_names.index(column_name), column_name, numbers)
        currencies_by_column[column_name] = unique_codes.to_pylist()
    return rows, currencies_by_column


def grouping(by: Sequence[str] | str, tz: str = "UTC", *, sums: bool = True) -> Grouping:
    """The grouping of a summary, from one name or a list."""
    return Grouping((by,) if isinstance(by, str) else tuple(by), tz, sums)


def of_folder(path: str, groups: Grouping) -> pd.DataFrame:
    """The summary of a Parquet file, or of all Parquet files of a folder."""
    summary = whole_of_folder(path, groups)
    if summary is None:
        return merge_partials(partials_of_folder(path, groups), groups)
    return _finish_summary(summary, groups)


def whole_of_folder(path: str, groups: Grouping, threads: int | None = None) -> pa.Table | None:
    """The summary of a Parquet file or folder by DuckDB; None if `prepared` is needed."""
    parquet_source, columns = parquet_rows(_list_files(path))
    if parquet_source is None:
        return None
    groups.check(columns)
    return _run(summary_sql.write_whole_query(groups, parquet_source), threads)


def join_partitions(parts: Sequence[pa.Table | None], groups: Grouping) -> pd.DataFrame | None:
    """The summary of files from one per file; None if a group has rows in two files."""
    wholes = [part for part in parts if part is not None]
    if not wholes or len(wholes) < len(parts):
        return None
    rows = _concatenate(wholes)
    keys = rows.column_names[: rows.column_names.index("rows")]
    if rows.group_by(keys).aggregate([]).num_rows < rows.num_rows:
        return None
    return _finish_summary(_run("select * from parts order by all", parts=rows), groups)


def partial_of(rows: pa.Table, groups: Grouping) -> pa.Table:
    """The partial summary of prepared rows."""
    groups.check(rows.column_names)
    rows = pa.table({name: decode_categories(rows[name]) for name in rows.column_names})
    return _run(summary_sql.write_partial_query(groups, "rows"), rows=rows)


def partials_of_folder(path: str, groups: Grouping) -> list[pa.Table]:
    """Partial summaries of a Parquet file or folder, to be merged; uses one thread."""
    files = _list_files(path)
    parquet_source, columns = parquet_rows(files)
    if parquet_source is not None:
        groups.check(columns)
        return [_run(summary_sql.write_partial_query(groups, parquet_source), threads=1)]
    return [
        partial_of(prepare_rows(pq.read_table(file, partitioning=None)), groups) for file in files
    ]


def merge_partials(parts: Sequence[pa.Table], groups: Grouping) -> pd.DataFrame:
    """The exact summary of partial ones; without any, of no rows."""
    rows = _concatenate(parts or [partial_of(prepare_rows(None), groups)])
    return _finish_summary(_run(summary_sql.write_merging_query(groups), parts=rows), groups)


def _list_files(path: str) -> list[str]:
    folder = Path(path).absolute()  # Arrow expands a leading `~`
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.parquet"))
    if not files and not folder.is_dir():
        raise ConfigError(f"there is no file or folder {path}")
    return [str(file) for file in files]


def _concatenate(partials: Sequence[pa.Table]) -> pa.Table:
    """The rows of all parts; a sum has the narrowest type for all of them."""
    sums = [sum_name for sum_name in AMOUNTS if sum_name in partials[0].column_names]
    other_columns = (part.drop_columns(sums) for part in partials)
    rows = pa.concat_tables(other_columns, promote_options="permissive")
    for sum_name in sums:
        rows = rows.append_column(
            sum_name, decimals.join([part[sum_name] for part in partials], sum_name)
        )
    return rows


def _run(sql: str, threads: int | None = None, **tables: pa.Table) -> pa.Table:
    with extra_imports():
        import duckdb
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        if threads:
            connection.execute(f"set threads = {threads}")
        for table_name, table in tables.items():
            connection.register(table_name, table)
        try:
            return connection.sql(sql).to_arrow_table()
        except (duckdb.OutOfRangeException, duckdb.ConversionException) as error:
            first_line = str(error).splitlines()[0]
            raise ExactnessError(
                f"a sum needs more than {DIGITS_MAX} digits: {first_line:.200}"
            ) from None


def _finish_summary(table: pa.Table, groups: Grouping) -> pd.DataFrame:
    """The measures in order: counts, the failure rate, sums, ratios, quantiles, reasons."""
    columns: dict[str, Any] = {name: decode_categories(table[name]) for name in table.column_names}
    sums = [name for name in AMOUNTS if name in columns]
    values_by_column = {name: column.to_pylist() for name, column in columns.items()}
    ratios = {
        "failure_rate": list(
            map(_compute_ratio, values_by_column["failed"], values_by_column["rows"])
        )
    }
    if groups.sums:
        ratios |= {
            name: _compute_ratios(values_by_column, part_name) for name, part_name in RATIOS.items()
        }
    columns |= {name: decimals.narrow_scale(columns[name]) for name in (*sums, *QUANTILES)}
    columns |= {name: decimals.from_numbers(values, name) for name, values in ratios.items()}
    exact = ["failure_rate", *sums, *list(ratios)[1:], *QUANTILES]
    group_columns = [name for name in table.column_names if name not in (*exact, "failure_reasons")]
    return ExactFrame(
        {name: series(columns[name]) for name in [*group_columns, *exact, "failure_reasons"]}
    )


def _compute_ratios(columns: dict[str, list[Any]], part_name: str) -> list[Decimal | None]:
    """A column as a part of the source amount, row by row; None for a fee in another currency."""
    column_names = (part_name, "source_amount", "source_currency", "fee_currency")
    rows = zip(*(columns[name] for name in column_names), strict=True)
    return [
        None if part_name == "total_fee" and source != fee else _compute_ratio(part, whole)
        for part, whole, source, fee in rows
    ]


def _compute_ratio(amount: Decimal | int | None, whole: Decimal | int | None) -> Decimal | None:
    if amount is None or not whole:
        return None
    with localcontext(Context(prec=200)):
        return (Decimal(amount) / Decimal(whole)).quantize(PLACES).normalize()
