"""Read Parquet files and folders of them: all rows or those of a period, and some columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..spec.time_arguments import read_period
from ..storage.addresses import (
    is_url,
    local_path,
    require_url,
    shown_address,
    unreadable_address_error,
)
from ..storage.stores import Folder, Store, open_store
from . import arithmetic, times
from .column_choice import CREATED, Names, needed_columns, read_names
from .columns import ListName, Schema, likeliest_schema, schema_of
from .frame import ExactFrame, typed_frame
from .parquet_days import SUFFIX, is_of_period, ours
from .sidecars import read_sidecar
from .typed_columns import note_currencies, series


@explain_arguments
def read_parquet(  # noqa: PLR0913 - which files, of which rows, and which part of them
    path: str | os.PathLike[str],
    kind: ListName | None = None,
    *,
    since: date | str | None = None,
    until: date | str | None = None,
    columns: Names | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Read a Parquet file or a folder of them as a frame with exact types.

    `path` may be an fsspec URL. `since` and `until` keep rows created at or after a time, and
    before a time: files of other days are not opened. `columns` are the names of the columns to
    read, in your order. `storage_options` are those of the file system of a URL, such as keys.

    >>> path = lab.transfers.export("transfers.parquet").path
    >>> len(paylab.read_parquet(path))
    130
    """
    address = os.fspath(path) if is_url(path) else str(local_path(path))
    require_url(address, storage_options)
    store, file_names = _files_of(address, storage_options or {})
    extract = Extract.read(since, until, columns)
    table = read_part(store, file_names, address, extract)
    file_facts = {} if is_url(address) else read_sidecar(Path(address))
    known_kind = kind or file_facts.get("kind") or likeliest_schema(table.column_names).name
    return frame_of(table, schema_of(known_kind), extract.columns)


def _files_of(address: str, options: Mapping[str, Any]) -> tuple[Store, list[str]]:
    """The store of a file or a folder, and the names of its Parquet files."""
    if not is_url(address):
        local_file = Path(address)
        if not local_file.exists():
            raise ConfigError(f"there is no file or folder {address}")
        if not local_file.is_dir():
            return Folder(str(local_file.parent)), [local_file.name]
    elif address.lower().endswith(SUFFIX):
        parent, _, name = address.rpartition("/")
        store = open_store(parent, options)
        if store.read(name) is not None:
            return store, [name]
    store = open_store(address, options)
    file_names = store.names(SUFFIX)
    if not file_names and not all(ours(Path(name)) for name in store.names("")):
        raise ConfigError(
            f"{shown_address(address)} has no Parquet files: name a folder of an export or a sync"
        )
    return store, file_names


@dataclass(frozen=True)
class Extract:
    """A part of stored rows: created from `since` to before `until`, with some columns."""

    since: datetime | None = None
    until: datetime | None = None
    columns: list[str] | None = None

    @classmethod
    def read(
        cls, since: date | str | None, until: date | str | None, columns: Names | None
    ) -> Extract:
        """The part that arguments describe; RuleError if there is none."""
        return cls(*read_period(since, until), read_names(columns))

    def columns_of(self, known: Sequence[str]) -> list[str]:
        """The columns to read of a file; the currency of an amount is one of them."""
        return needed_columns(self.columns, known, [CREATED] if self.since or self.until else [])

    def rows_of(self, table: pa.Table) -> pa.Table:
        """The rows of the period, and those without a time."""
        if CREATED not in table.column_names:
            return table
        for moment, compare in ((self.since, pc.greater_equal), (self.until, pc.less)):
            if moment is not None:
                is_wanted = compare(table[CREATED], pa.scalar(moment, times.INSTANT))
                table = table.filter(pc.fill_null(is_wanted, True))
        return table


def read_part(store: Store, names: Sequence[str], address: str, extract: Extract) -> pa.Table:
    """The rows of Parquet files; a file that has only rows of other days is not opened."""
    period_files = [
        file_name for file_name in names if is_of_period(file_name, extract.since, extract.until)
    ]
    tables = [
        _read_file(store, file_name, address, extract) for file_name in period_files or names[:1]
    ]
    if not period_files:
        tables = [table.slice(0, 0) for table in tables]
    return pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})


def _read_file(store: Store, file_name: str, address: str, extract: Extract) -> pa.Table:
    try:
        file = pq.ParquetFile(_open_source(store, file_name, address))
        return extract.rows_of(file.read(columns=extract.columns_of(file.schema_arrow.names)))
    except (pa.ArrowException, OSError) as error:
        raise unreadable_address_error(address, "Parquet", error) from None


def _open_source(store: Store, file_name: str, address: str) -> Any:
    if isinstance(store, Folder):
        return store.path.absolute() / file_name
    content = store.read(file_name)
    if content is None:
        raise ConfigError(
            f"{shown_address(address)} does not have {file_name} any more: sync again"
        )
    return BytesIO(content)


def frame_of(
    table: pa.Table, schema: Schema, columns: Collection[str] | None = None
) -> pd.DataFrame:
    """A table of Parquet as a frame with exact types; all columns unless you name some."""
    is_text = {name: pa.types.is_string(table[name].type) for name in table.column_names}
    text_frame = typed_frame(table.select([name for name, text in is_text.items() if text]), schema)
    typed_columns = {
        name: text_frame[name] if text else series(_narrow_column(table[name]))
        for name, text in is_text.items()
    }
    note_currencies(typed_columns)
    frame = ExactFrame(typed_columns)
    return frame if columns is None else frame[list(columns)]


def _narrow_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times in microseconds; amounts with the fewest decimal places possible."""
    if pa.types.is_timestamp(column.type):
        return column.cast(times.INSTANT)
    return arithmetic.narrow(column) if pa.types.is_decimal128(column.type) else column
