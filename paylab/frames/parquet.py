"""Parquet: amounts as the text that was sent, times as UTC instants, words as dictionaries."""

from __future__ import annotations

import os
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import schema
from .schema import Kind, Schema

TYPES: dict[Kind, pa.DataType] = {
    "time": schema.INSTANT,
    "word": pa.dictionary(pa.int32(), pa.string()),
}
NO_DAY = "__HIVE_DEFAULT_PARTITION__"  # the name every engine reads as null
OURS = re.compile(
    r"created_day=[^/]+/part-\d+\.parquet|_columns\.json"
    r"|\._columns\.json\.[0-9a-f]{12}\.part"  # what a killed process left
)


def parquet_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of an exported Parquet file."""
    return pa.schema([(c.name, TYPES.get(c.kind, pa.string())) for c in schema.columns])


def parquet_table(texts: pa.Table, schema: Schema, start: int = 0) -> pa.Table:
    """A table of text with its times and words in the types of `parquet_schema`."""
    kinds = {name: schema.kind(name) for name in texts.column_names}
    columns = [_typed(texts[name], kind, name, start) for name, kind in kinds.items()]
    return pa.table(columns, schema=parquet_schema(schema))


def parquet_writer(sink: BinaryIO, schema: Schema) -> pq.ParquetWriter:
    """A writer of tables with the types of `parquet_schema`."""
    return pq.ParquetWriter(sink, parquet_schema(schema), compression="zstd")


def ours(path: Path) -> bool:
    """Whether an export could have written this file of a folder."""
    return OURS.fullmatch(path.as_posix()) is not None


def by_day(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The rows of a table by day of creation, `2026-01-31`, in order of appearance."""
    days = pc.fill_null(table["created_at"].cast(pa.date32()).cast(pa.string()), NO_DAY)
    for day in pc.unique(days).to_pylist():
        yield day, table.filter(pc.equal(days, day))


def _typed(texts: pa.ChunkedArray, kind: Kind, name: str, start: int) -> pa.ChunkedArray:
    if kind == "time":
        return schema.read_times(texts, name, start)
    return texts.dictionary_encode() if kind == "word" else texts


@dataclass
class DayFolder:
    """A folder with one Parquet file a day, of which only the latest few are open.

    A day that returns after its file was closed gets a second part.
    """

    folder: Path
    schema: Schema
    most_open: int = 8
    _open: OrderedDict[str, _PartFile] = field(default_factory=OrderedDict)
    _parts: Counter[str] = field(default_factory=Counter)

    def write(self, table: pa.Table) -> None:
        """Append the rows, each to its day."""
        for day, rows in by_day(table):
            self._file(day).writer.write_table(rows)

    def close(self) -> None:
        """Finish every file."""
        while self._open:
            self._open.popitem()[1].close()

    def _file(self, day: str) -> _PartFile:
        if day not in self._open:
            self._open[day] = self._new(day)
        self._open.move_to_end(day)
        if len(self._open) > self.most_open:
            self._open.popitem(last=False)[1].close()
        return self._open[day]

    def _new(self, day: str) -> _PartFile:
        folder = self.folder / f"created_day={day}"
        folder.mkdir(exist_ok=True)
        sink = (folder / f"part-{self._parts[day]}.parquet").open("xb")
        self._parts[day] += 1
        return _PartFile(sink, parquet_writer(sink, self.schema))


@dataclass(frozen=True)
class _PartFile:
    sink: BinaryIO
    writer: pq.ParquetWriter

    def close(self) -> None:
        """Finish the file and leave it on disk, not only in memory."""
        with self.sink:
            self.writer.close()
            os.fsync(self.sink.fileno())
