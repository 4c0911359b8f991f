"""Summaries of frames, Arrow tables and Parquet: exact sums per currency, quantiles, reasons."""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal, localcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import ConfigError, ExactnessError
from . import decimals, measures
from .rows import parquet_rows, prepared

if TYPE_CHECKING:
    import duckdb

RATIOS = {"effective_rate": "destination_amount", "fee_share": "total_fee"}
PLACES = Decimal("1E-12")
LIMIT = Decimal(10) ** 38


def summarize(
    data: pd.DataFrame | pa.Table | str | os.PathLike[str] | None,
    by: Sequence[str] = ("status",),
) -> pd.DataFrame:
    """Counts, exact sums, rates, completion times and failure reasons of transfers or conversions.

    `by` names ready groupings (day, corridor, rail, status, product) or columns. Sums are per
    currency, never across: each group is split by its currencies. Quantiles are exact over all
    rows, interpolated linearly. Amounts and sums have up to 38 digits; past that it is an
    ExactnessError. `data` may be a frame, an Arrow table, a Parquet file or folder, or None.
    """
    if isinstance(data, str | os.PathLike):
        return merge([partial_of_file(str(data), by)], by)
    return merge([partial_of(prepared(data), by)], by)


def partial_of(rows: pa.Table, by: Sequence[str]) -> pa.Table:
    """The partial summary of prepared rows."""
    return _run(measures.partial(measures.keys(by, rows.column_names), "rows"), rows=rows)


def partial_of_file(path: str, by: Sequence[str], threads: int | None = None) -> pa.Table:
    """The partial summary of a Parquet file, or of all Parquet files of a folder."""
    files = [path] if Path(path).is_file() else sorted(map(str, Path(path).rglob("*.parquet")))
    if not files and not Path(path).is_dir():
        raise ConfigError(f"there is no file or folder {path}")
    source, columns = parquet_rows(files)
    if source is None:
        parts = [partial_of(prepared(pq.read_table(file)), by) for file in files]
        return pa.concat_tables(parts) if parts else partial_of(prepared(None), by)
    return _run(measures.partial(measures.keys(by, columns), source), threads)


def merge(parts: Sequence[pa.Table], by: Sequence[str]) -> pd.DataFrame:
    """The summary from partial ones, exact whatever the partitions were."""
    tables = {f"part{number}": part for number, part in enumerate(parts)}
    union = " union all ".join(f"select * from {name}" for name in tables)  # noqa: S608 - names
    table = _run(measures.merged(by, f"({union})"), **tables)
    return _finished(table)


def _run(sql: str, threads: int | None = None, **tables: pa.Table) -> pa.Table:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        if threads:
            connection.execute(f"set threads = {threads}")
        for name, table in tables.items():
            connection.register(name, table)
        try:
            return connection.sql(sql).to_arrow_table()
        except (duckdb.OutOfRangeException, duckdb.ConversionException) as error:
            raise _inexact(error) from None


def _inexact(error: duckdb.Error) -> ExactnessError:
    first = str(error).splitlines()[0]
    return ExactnessError(f"a sum needs more than 38 digits: {first:.200}")


def _finished(table: pa.Table) -> pd.DataFrame:
    columns: dict[str, Any] = {name: table[name] for name in table.column_names}
    for name in measures.AMOUNTS:
        columns[name] = _sums(table[name], name)
    for name, over in RATIOS.items():
        columns[name] = _ratios(table, over)
    order = [*table.column_names[: -len(measures.QUANTILES) - 1], *RATIOS, *measures.QUANTILES]
    series = {name: _series(columns[name]) for name in [*order, "failure_reasons"]}
    return pd.DataFrame(series)


def _series(array: pa.ChunkedArray) -> Any:
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _sums(sums: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """The sums in the narrowest type with room to go on computing."""
    if any(value is not None and abs(value.scaleb(0)) >= LIMIT for value in sums.to_pylist()):
        raise ExactnessError(f"a sum of {name} needs more than 38 digits")
    texts = [None if value is None else format(value, "f") for value in sums.to_pylist()]
    return decimals.read(pa.chunked_array([pa.array(texts, pa.string())]), name)


def _ratios(table: pa.Table, over: str) -> pa.ChunkedArray:
    names = ("source_amount", over, "source_currency", "fee_currency")
    rows = zip(*(table[name].to_pylist() for name in names), strict=True)
    ratios = [
        None if over == "total_fee" and source != fee else _ratio(part, whole)
        for whole, part, source, fee in rows
    ]
    return decimals.read(pa.chunked_array([pa.array(ratios, pa.string())]), over)


def _ratio(part: Decimal | None, whole: Decimal | None) -> str | None:
    if part is None or not whole:
        return None
    with localcontext() as context:
        context.prec = 60
        return format((part / whole).quantize(PLACES), "f")
