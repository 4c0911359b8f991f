"""Summaries of frames, Arrow tables and Parquet: exact sums per currency, quantiles, reasons."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
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
from .arithmetic import fit_quotients
from .decimals import DIGITS_MAX
from .entered_currencies import warn_of_other_currencies
from .exact_frame import ExactFrame
from .exact_operators import divide
from .summary_rows import decode_categories, prepare_rows, write_rows_sql
from .summary_sql import AMOUNT_COLUMNS, CURRENCY_COLUMNS, QUANTILES, RATIO_SUMS, Grouping
from .typed_columns import note_currencies, series

FAILURE_RATE = "failure_rate"
RATIOS = {
    "effective_rate": ("_rate_dividend", "_rate_divisor"),
    "fee_share": ("_share_fees", "_share_divisor"),
}
"""The two sums of each ratio, of the rows that have both amounts."""
SECONDS = "seconds"
"""The member of a summary's `attrs` with the names of the columns that are seconds."""


@explain_arguments
def summarize(
    data: pd.DataFrame | pa.Table | str | os.PathLike[str] | None,
    by: Sequence[str] | str = ("status",),
    *,
    tz: str = "UTC",
    sums: bool = True,
) -> pd.DataFrame:
    """Counts, exact sums, rates, completion times and failure reasons of transfers or conversions.

    Sums are of source and destination amounts, fees and taxes; `net_source_amount`, the source
    amount after fees, and your own amounts are added by `by_currency`.
    `by` names groupings (day, week, month, quarter, weekday, hour, corridor, rail, status, product)
    or columns, also your own. Times are in the zone `tz`; weeks, months and quarters are their
    first day, weekdays are 1 (Monday) to 7, hours 0 to 23. Sums are per currency: each group is
    split by currency, unless `sums=False` omits the sums. `failure_rate` is the share of all rows
    that failed, `effective_rate` the sum of destination amounts divided by that of source amounts,
    `fee_share` that of fees, each of rows that have both amounts: these are rounded to 28 digits,
    as `/` of the columns rounds.
    Quantiles of the seconds to completion are exact over all rows, interpolated
    linearly. Amounts and their sums have up to 38 digits; past that it is an ExactnessError.
    `data` may be a frame, an Arrow table, a Parquet file or folder, or None.

    >>> paylab.frames.summarize(frame, by="status")["rows"].sum()
    130
    """
    row_grouping = grouping(by, tz, sums=sums)
    if isinstance(data, str | os.PathLike):
        return summarize_folder(str(data), row_grouping)
    if sums and isinstance(data, pd.DataFrame):
        warn_of_other_currencies(data)
    rows = prepare_rows(data)
    if pa.types.is_decimal(rows["completed_in"].type):  # the fast path supports only whole seconds
        return merge_partials([summarize_part(rows, row_grouping)], row_grouping)
    row_grouping.check(rows.column_names)
    numbered_rows, currencies_by_column = _number_currencies(rows, row_grouping)
    complete_names = [name for name in AMOUNT_COLUMNS if not rows[name].null_count]
    numbered_grouping = replace(row_grouping, words=currencies_by_column, complete=complete_names)
    sql = summary_sql.write_whole_query(numbered_grouping, "rows")
    return _finish_summary(_run_sql(sql, rows=numbered_rows), row_grouping)


def _number_currencies(rows: pa.Table, groups: Grouping) -> tuple[pa.Table, dict[str, list[str]]]:
    """The rows with a number in place of each currency, and the currencies by these numbers.

    DuckDB groups numbers faster than text. Currencies are in upper case.
    """
    currencies_by_column: dict[str, list[str]] = {}
    for column_name in CURRENCY_COLUMNS:
        if column_name not in groups.keys or column_name in groups.by:
            continue  # a column that `by` names is shown as it is
        column = rows[column_name]
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        encoded_currencies = column.combine_chunks()
        upper_currencies = pc.utf8_upper(encoded_currencies.dictionary.cast(pa.string()))
        unique_currencies = upper_currencies.unique()  # "usd" and "USD" are one currency
        currency_numbers = pc.index_in(upper_currencies, unique_currencies).take(
            encoded_currencies.indices
        )
        column_index = rows.column_names.index(column_name)
        rows = rows.set_column(column_index, column_name, currency_numbers)
        currencies_by_column[column_name] = unique_currencies.to_pylist()
    return rows, currencies_by_column


def grouping(by: Sequence[str] | str, tz: str = "UTC", *, sums: bool = True) -> Grouping:
    """The grouping of a summary, from one name or a list; ConfigError for a column of values."""
    if hasattr(by, "to_numpy"):
        raise ConfigError('by names columns: write by="status", not the column itself')
    return Grouping((by,) if isinstance(by, str) else tuple(by), tz, sums)


def summarize_folder(path: str, groups: Grouping) -> pd.DataFrame:
    """The summary of a Parquet file, or of all Parquet files of a folder."""
    summary = summarize_folder_at_once(path, groups)
    if summary is None:  # DuckDB cannot read these rows: partial summaries are merged
        return merge_partials(summarize_folder_in_parts(path, groups), groups)
    return _finish_summary(summary, groups)


def summarize_folder_at_once(
    path: str, groups: Grouping, threads: int | None = None
) -> pa.Table | None:
    """The summary of a Parquet file or folder by one query of DuckDB.

    None if DuckDB cannot read the rows before `prepare_rows` has changed them.
    """
    rows_sql, column_names = write_rows_sql(_list_files(path))
    if rows_sql is None:
        return None
    groups.check(column_names)
    return _run_sql(summary_sql.write_whole_query(groups, rows_sql), threads)


def join_partitions(
    file_summaries: Sequence[pa.Table | None], groups: Grouping
) -> pd.DataFrame | None:
    """The summary of all files, from one per file; None if a group has rows in two files.

    Also None without files, or if one of them has no summary.
    """
    summaries = [summary for summary in file_summaries if summary is not None]
    if not summaries or len(summaries) < len(file_summaries):
        return None
    all_groups = _concatenate_summaries(summaries)
    key_names = all_groups.column_names[: all_groups.column_names.index("rows")]
    unique_groups = all_groups.group_by(key_names).aggregate([])
    if unique_groups.num_rows < all_groups.num_rows:
        return None
    ordered_groups = _run_sql("select * from parts order by all", parts=all_groups)
    return _finish_summary(ordered_groups, groups)


def summarize_part(rows: pa.Table, grouping: Grouping) -> pa.Table:
    """The partial summary of prepared rows."""
    grouping.check(rows.column_names)
    rows_without_categories = pa.table(
        {column_name: decode_categories(rows[column_name]) for column_name in rows.column_names}
    )
    partial_query = summary_sql.write_partial_query(grouping, "rows")
    return _run_sql(partial_query, rows=rows_without_categories)


def summarize_folder_in_parts(path: str, groups: Grouping) -> list[pa.Table]:
    """Partial summaries of a Parquet file or folder, to be merged. It uses one thread."""
    file_paths = _list_files(path)
    rows_sql, column_names = write_rows_sql(file_paths)
    if rows_sql is not None:
        groups.check(column_names)
        return [_run_sql(summary_sql.write_partial_query(groups, rows_sql), threads=1)]
    tables = (pq.read_table(file_path, partitioning=None) for file_path in file_paths)
    return [summarize_part(prepare_rows(part_table), groups) for part_table in tables]


def merge_partials(partial_summaries: Sequence[pa.Table], groups: Grouping) -> pd.DataFrame:
    """The exact summary of partial ones; without any, of no rows."""
    if not partial_summaries:
        partial_summaries = [summarize_part(prepare_rows(None), groups)]
    merging_sql = summary_sql.write_merging_query(groups)
    summary = _run_sql(merging_sql, parts=_concatenate_summaries(partial_summaries))
    return _finish_summary(summary, groups)


def _list_files(path: str) -> list[str]:
    """The Parquet files of a folder, or the one file; ConfigError if there is neither."""
    file_or_folder = Path(path).absolute()  # Arrow expands a leading `~`
    if file_or_folder.is_file():
        return [str(file_or_folder)]
    if not file_or_folder.is_dir():
        raise ConfigError(f"there is no file or folder {path}")
    return [str(file) for file in sorted(file_or_folder.rglob("*.parquet"))]


def _concatenate_summaries(summaries: Sequence[pa.Table]) -> pa.Table:
    """The rows of all summaries; a sum has the narrowest type for all of them."""
    sum_names = [
        sum_name
        for sum_name in (*AMOUNT_COLUMNS, *RATIO_SUMS)
        if sum_name in summaries[0].column_names
    ]
    tables_without_sums = (summary.drop_columns(sum_names) for summary in summaries)
    rows = pa.concat_tables(tables_without_sums, promote_options="permissive")
    for sum_name in sum_names:
        sums = decimals.join([summary[sum_name] for summary in summaries], sum_name)
        rows = rows.append_column(sum_name, sums)
    return rows


def _run_sql(sql: str, threads: int | None = None, **tables: pa.Table) -> pa.Table:
    """The result of SQL over these tables by name; ExactnessError if a sum has too many digits."""
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


def _finish_summary(summary: pa.Table, groups: Grouping) -> pd.DataFrame:
    """The measures in order: counts, the failure rate, sums, ratios, quantiles, reasons."""
    column_names = summary.column_names
    column_by_name: dict[str, Any] = {
        column_name: decode_categories(summary[column_name]) for column_name in column_names
    }
    sum_names = [column_name for column_name in AMOUNT_COLUMNS if column_name in column_by_name]
    ratios_by_name = _compute_ratio_columns(column_by_name, groups)
    for ratio_name, ratio_list in ratios_by_name.items():
        column_by_name[ratio_name] = fit_quotients(ratio_list)
    for amount_name in (*sum_names, *QUANTILES):
        column_by_name[amount_name] = decimals.narrow_scale(column_by_name[amount_name])
    _, *amount_ratio_names = ratios_by_name  # the failure rate is first
    exact_names = [FAILURE_RATE, *sum_names, *amount_ratio_names, *QUANTILES]
    measured_names = (*exact_names, "failure_reasons")
    key_and_count_names = [
        column_name
        for column_name in column_names
        if column_name not in (*measured_names, *RATIO_SUMS)
    ]
    ordered_names = [*key_and_count_names, *measured_names]
    series_by_name = {
        column_name: series(column_by_name[column_name]) for column_name in ordered_names
    }
    note_currencies(series_by_name)
    frame = ExactFrame(series_by_name)
    frame.attrs[SECONDS] = ", ".join(QUANTILES)
    return frame


def _compute_ratio_columns(
    columns: dict[str, Any], groups: Grouping
) -> dict[str, list[Decimal | None]]:
    """The failure rate of each group, and with sums the ratios to its source amount."""
    values_by_column = {column_name: column.to_pylist() for column_name, column in columns.items()}
    failed_and_all_counts = zip(values_by_column["failed"], values_by_column["rows"], strict=True)
    ratios_by_name = {
        FAILURE_RATE: [
            _compute_ratio(failed_count, row_count)
            for failed_count, row_count in failed_and_all_counts
        ]
    }
    if not groups.sums:
        return ratios_by_name
    for ratio_name, (dividend_name, divisor_name) in RATIOS.items():
        dividends = values_by_column[dividend_name]
        if ratio_name == "fee_share":
            dividends = _select_source_fees(values_by_column)
        ratios_by_name[ratio_name] = list(
            map(_compute_ratio, dividends, values_by_column[divisor_name])
        )
    return ratios_by_name


def _select_source_fees(values_by_column: dict[str, list[Any]]) -> list[Decimal | None]:
    """The fees of each group; None if they are in another currency than the source amount."""
    column_names = ("_share_fees", "fee_currency", "source_currency")
    fee_rows = zip(*(values_by_column[column_name] for column_name in column_names), strict=True)
    return [
        fee if fee_currency == source_currency else None
        for fee, fee_currency, source_currency in fee_rows
    ]


def _compute_ratio(dividend: Decimal | int | None, divisor: Decimal | int | None) -> Decimal | None:
    """The quotient, as `/` rounds it; None if a number is missing or the divisor is 0."""
    if dividend is None or not divisor:
        return None
    return divide(Decimal(dividend), Decimal(divisor))
