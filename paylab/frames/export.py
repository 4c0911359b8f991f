"""Streamed export: pages to a CSV file, a Parquet file or a folder, in constant memory.

Amounts go straight through as the text the service sent; the result appears whole or not at
all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pcsv

from ..errors import ConfigError
from .files import replacing, replacing_folder
from .flatten import text_schema, text_table
from .pages import Progress, Tally, chunks
from .parquet import DayFolder, ours, parquet_table, parquet_writer
from .schema import SCHEMAS, Kept, Schema

Tables = Iterator[pa.Table]


@dataclass(frozen=True)
class Export:
    """What an export left behind: where, and how much."""

    path: Path
    rows: int
    pages: int


def export(
    pages: Iterable[object],
    to: str | os.PathLike[str],
    kind: Kept = "transfers",
    progress: Progress | None = None,
) -> Export:
    """Write all pages to `FILE.csv`, `FILE.parquet` or `FOLDER/` (Parquet by day of creation).

    `progress(rows, pages)` is called after every page.
    """
    write, tally = destination(to), Tally(progress)
    schema = SCHEMAS[kind]
    write(_tables(pages, schema, tally), Path(to), schema)
    return Export(Path(to), tally.rows, tally.pages)


def destination(to: str | os.PathLike[str]) -> Callable[[Tables, Path, Schema], None]:
    """The writer for a destination, by its ending; anything unknown is a clear error."""
    text = os.fspath(to)
    if text.endswith(("/", os.sep)) or Path(text).is_dir():
        return _write_folder
    writer = WRITERS.get(Path(text).suffix.lower())
    if writer is None:
        raise ConfigError(f"cannot export to {text!r}: it must end in .csv, .parquet or /")
    return writer


def _tables(pages: Iterable[object], schema: Schema, tally: Tally) -> Tables:
    start = 0
    for rows in chunks(pages, tally):
        yield text_table(rows, schema, start=start)
        start += len(rows)


def _typed(tables: Tables, schema: Schema) -> Tables:
    start = 0
    for table in tables:
        yield parquet_table(table, schema, start)
        start += table.num_rows


def _write_csv(tables: Tables, path: Path, schema: Schema) -> None:
    with replacing(path) as sink, pcsv.CSVWriter(sink, text_schema(schema)) as writer:
        for table in tables:
            writer.write(table)


def _write_parquet(tables: Tables, path: Path, schema: Schema) -> None:
    with replacing(path) as sink, parquet_writer(sink, schema) as writer:
        for table in _typed(tables, schema):
            writer.write_table(table)


def _write_folder(tables: Tables, path: Path, schema: Schema) -> None:
    with replacing_folder(path, ours) as folder, closing(DayFolder(folder, schema)) as days:
        for table in _typed(tables, schema):
            days.write(table)


WRITERS: dict[str, Callable[[Tables, Path, Schema], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
