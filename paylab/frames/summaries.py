"""Summaries of frames, Arrow tables and Parquet: exact sums per currency, quantiles, reasons."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal, localcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ConfigError, ExactnessError
from . import decimals, measures
from .rows import MOST, parquet_rows, prepared

if TYPE_CHECKING:
    import duckdb

RATIOS = {"effective_rate": "destination_amount", "fee_share": "total_fee"}
PLACES = Decimal("1E-12")
CURRENCIES = ("source_currency", "fee_currency")
BASE = Decimal(measures.BASE)
BATCH = 500_000  # rows of text amounts read at a time


def summarize(
    data: pd.DataFrame | pa.Table | str | os.PathLike[str] | None,
    by: Sequence[str] | str = ("status",),
) -> pd.DataFrame:
    """Counts, exact sums, rates, completion times and failure reasons of transfers or conversions.

    `by` names ready groupings (day, corridor, rail, status, product) or columns. Sums are per
    currency, never across: each group is split by its currencies. Quantiles are exact over all
    rows, interpolated linearly. Amounts have up to 38 digits, 18 of them after the point, and
    their sums up to 76; past that it is an ExactnessError. `data` may be a frame, an Arrow table,
    a Parquet file or folder, or None.
    """
    names = grouping(by)
    if isinstance(data, str | os.PathLike):
        return of_folder(str(data), names)
    rows = prepared(data)
    return _finished(_exact(measures.whole, measures.keys(names, rows.column_names), rows=rows))


def grouping(by: Sequence[str] | str) -> tuple[str, ...]:
    """The names to group by; one may be given bare."""
    return (by,) if isinstance(by, str) else tuple(by)


def of_folder(path: str, by: Sequence[str]) -> pd.DataFrame:
    """The summary of a Parquet file, or of all Parquet files of a folder."""
    source, columns = parquet_rows(_files(path))
    if source is None:
        return merge(partials_of_folder(path, by), by)
    return _finished(_exact(measures.whole, measures.keys(by, columns), source))


def partial_of(rows: pa.Table, by: Sequence[str]) -> pa.Table:
    """The partial summary of prepared rows."""
    return _exact(measures.partial, measures.keys(by, rows.column_names), rows=rows)


def partials_of_folder(path: str, by: Sequence[str]) -> list[pa.Table]:
    """Partial summaries of a Parquet file or folder, to be merged; made by one thread."""
    files = _files(path)
    source, columns = parquet_rows(files)
    if source is not None:
        return [_exact(measures.partial, measures.keys(by, columns), source, threads=1)]
    return [partial_of(rows, by) for file in files for rows in _batches(file)] or [nothing(by)]


def nothing(by: Sequence[str]) -> pa.Table:
    """The partial summary of no rows."""
    return partial_of(prepared(None), by)


def merge(parts: Sequence[pa.Table], by: Sequence[str]) -> pd.DataFrame:
    """The summary from partial ones, exact whatever the partitions were."""
    rows = pa.concat_tables(_alike(parts), promote_options="permissive")
    return _finished(_run(measures.merged(by), parts=rows))


def _files(path: str) -> list[str]:
    place = Path(path).absolute()  # Arrow takes a `~` in front for the user's folder
    files = [place] if place.is_file() else sorted(place.rglob("*.parquet"))
    if not files and not place.is_dir():
        raise ConfigError(f"there is no file or folder {path}")
    return [str(file) for file in files]


def _batches(file: str) -> Iterator[pa.Table]:
    """The prepared rows of a file whose amounts are text, some at a time."""
    with pq.ParquetFile(file) as source:
        for batch in source.iter_batches(BATCH):
            yield prepared(pa.Table.from_batches([batch]))


def _alike(parts: Sequence[pa.Table]) -> Iterator[pa.Table]:
    """The parts with amounts of the same scale: what is below one, in the finest of all."""
    names = [measures.limb_names(name)[-1] for name in measures.AMOUNTS]
    finest = {name: max(part[name].type.scale for part in parts) for name in names}
    for part in parts:
        columns = dict(zip(part.column_names, part.columns, strict=True))
        for name, scale in finest.items():
            columns[name] = columns[name].cast(pa.decimal128(MOST, scale))
        yield pa.table(columns)


def _exact(
    query: Callable[..., str],
    groups: dict[str, str],
    source: str = "rows",
    threads: int | None = None,
    **tables: pa.Table,
) -> pa.Table:
    try:
        return _run(query(groups, source), threads, **tables)
    except ExactnessError:  # a sum has no room; limb by limb it takes twice as long
        return _run(query(groups, source, roomy=True), threads, **tables)


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
    return ExactnessError(f"a sum needs more digits than there are: {first:.200}")


def _finished(table: pa.Table) -> pd.DataFrame:
    columns: dict[str, Any] = {name: table[name] for name in table.column_names}
    sums = {name: _sums(table, name) for name in measures.AMOUNTS}
    columns |= {name: decimals.read(_texts(sums[name]), name) for name in sums}
    known = sums | {name: table[name].to_pylist() for name in CURRENCIES}
    columns |= {name: decimals.read(_ratios(known, over), name) for name, over in RATIOS.items()}
    for name in measures.QUANTILES:  # here and across partitions alike, to the microsecond
        columns[name] = pc.round(table[name], 6)
    limbs = {limb for name in sums for limb in measures.limb_names(name)}
    shown = [name for name in table.column_names if name not in limbs]
    after = shown.index("failed") + 1
    order = [*shown[:after], *sums, *RATIOS, *measures.QUANTILES]
    series = {name: _series(columns[name]) for name in [*order, "failure_reasons"]}
    return pd.DataFrame(series)


def _series(array: pa.ChunkedArray) -> Any:
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _sums(table: pa.Table, name: str) -> list[Decimal | None]:
    """The sums of an amount, from their limbs."""
    rows = zip(*(table[limb].to_pylist() for limb in measures.limb_names(name)), strict=True)
    with localcontext(Context(prec=200)):
        return [None if rest is None else high * BASE + low + rest for high, low, rest in rows]


def _texts(values: Sequence[Decimal | None]) -> pa.ChunkedArray:
    texts = [None if value is None else decimals.shortest(format(value, "f")) for value in values]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _ratios(known: dict[str, list[Any]], over: str) -> pa.ChunkedArray:
    names = ("source_amount", over, *CURRENCIES)
    rows = zip(*(known[name] for name in names), strict=True)
    return _texts(
        [
            None if over == "total_fee" and source != fee else _ratio(part, whole)
            for whole, part, source, fee in rows
        ]
    )


def _ratio(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    if part is None or not whole:
        return None
    with localcontext(Context(prec=200)):
        return (part / whole).quantize(PLACES)
