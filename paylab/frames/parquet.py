"""Parquet: amounts as DECIMAL(38, 18), times in UTC, seconds as integers."""

from __future__ import annotations

import os
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ConfigError
from ..files import unreadable
from . import columns as times
from . import decimals
from .columns import SCHEMAS, Kept, Kind, Schema, likeliest
from .csv import read_sidecar
from .frame import ExactFrame, series, typed_frame

EXACT = pa.decimal128(38, 18)
TYPES: dict[Kind, pa.DataType] = {
    "amount": EXACT,
    "time": times.INSTANT,
    "seconds": pa.int64(),
}
NO_DAY = "__HIVE_DEFAULT_PARTITION__"  # the partition name that all engines read as null
OURS = re.compile(
    r"created_day=[^/]+/part-\d+\.parquet|_columns\.json"
    r"|\._columns\.json\.[0-9a-f]{12}\.part"  # left by a killed process
)


def parquet_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of every Parquet file of these rows."""
    return pa.schema([(c.name, TYPES.get(c.kind, pa.string())) for c in schema.columns])


def typed(texts: pa.Table, schema: Schema, start: int = 0) -> pa.Table:
    """A table of text in the types of `parquet_schema`.

    ExactnessError for an amount with more than 20 digits before the point or 18 after it.
    `start` is the number of the first row.
    """
    columns = [_typed(texts[c.name], c.kind, c.name, start) for c in schema.columns]
    return pa.table(columns, schema=parquet_schema(schema))


def parquet_writer(sink: BinaryIO, schema: Schema) -> pq.ParquetWriter:
    """A writer of tables with the types of `parquet_schema`."""
    return pq.ParquetWriter(sink, parquet_schema(schema), compression="zstd")


def ours(path: Path) -> bool:
    """Whether a file of a folder could be from an export."""
    return OURS.fullmatch(path.as_posix()) is not None


def by_day(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The rows of a table by day of creation, `2026-01-31`, in order of appearance."""
    days = pc.fill_null(table["created_at"].cast(pa.date32()).cast(pa.string()), NO_DAY)
    for day in pc.unique(days).to_pylist():
        yield day, table.filter(pc.equal(days, day))


def _typed(texts: pa.ChunkedArray, kind: Kind, name: str, start: int) -> pa.ChunkedArray:
    if kind == "time":
        return times.read_times(texts, name, start)
    return decimals.at(texts, name, TYPES[kind], start) if kind in TYPES else texts


def read_parquet(path: str | os.PathLike[str], kind: Kept | None = None) -> pd.DataFrame:
    """Read a Parquet file or a folder of them as a frame with exact types.

    >>> path = lab.transfers.export("transfers.parquet").path
    >>> len(paylab.read_parquet(path))
    130
    """
    place = Path(path)
    if not place.exists():
        raise ConfigError(f"there is no file or folder {path}")
    try:
        table = pq.read_table(place.absolute(), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, "Parquet", error) from None
    about = read_sidecar(place)
    schema = SCHEMAS[kind or about.get("kind") or likeliest(table.column_names).name]
    is_text = {name: pa.types.is_string(table[name].type) for name in table.column_names}
    texts = typed_frame(table.select([name for name, text in is_text.items() if text]), schema)
    return ExactFrame(
        {
            name: texts[name] if text else series(_narrow(table[name]))
            for name, text in is_text.items()
        }
    )


def _narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times in microseconds; amounts with the fewest decimal places possible."""
    if pa.types.is_timestamp(column.type):
        return column.cast(times.INSTANT)
    return decimals.narrowest(column) if pa.types.is_decimal(column.type) else column


@dataclass
class DayFolder:
    """A folder with one Parquet file per day; only the latest few are open.

    If rows of a day come after its file was closed, a second part is written.
    """

    folder: Path
    schema: Schema
    most_open: int = 8
    _open: OrderedDict[str, _PartFile] = field(default_factory=OrderedDict)
    _parts: Counter[str] = field(default_factory=Counter)

    def write(self, table: pa.Table) -> None:
        """Append the rows to the files of their days."""
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
        """Finish the file and sync it to disk."""
        with self.sink:
            self.writer.close()
            os.fsync(self.sink.fileno())
