"""Reads Parquet files and folders of them: all rows or the rows of a period, and some columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..storage.addresses import (
    check_storage_options,
    is_url,
    local_path,
    unreadable_address_error,
    write_address,
)
from ..storage.stores import Folder, Store, open_store
from . import arithmetic, times
from .column_choice import Names
from .columns import ListName, Schema, find_schema, likeliest_schema
from .exact_frame import ExactFrame
from .extract import Extract
from .frame import typed_frame
from .parquet_days import SUFFIX, could_be_exported, may_have_rows
from .sidecars import read_sidecar
from .typed_columns import note_currencies, read_exactly, series
from .unknown_columns import warn_of_unknown_names


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

    `path` may be an fsspec URL. `kind` is by default that in the sidecar of an export, or else the
    one that the columns fit best. `since` and `until` keep rows created at or after a time, and
    before a time: files of other days are not opened. `columns` are the names of the columns to
    read, in your order. `storage_options` are those of the file system of a URL, such as keys. An
    amount that the file has as a float is an ExactnessError.

    >>> path = lab.transfers.export("transfers.parquet").path
    >>> len(paylab.read_parquet(path))
    130
    """
    address = os.fspath(path) if is_url(path) else str(local_path(path))
    check_storage_options(address, storage_options)
    store, file_names = _find_files(address, storage_options or {})
    extract = Extract.from_arguments(since, until, columns)
    table = read_part(store, file_names, address, extract)
    sidecar_facts = {} if is_url(address) else read_sidecar(Path(address))
    list_name = kind or sidecar_facts.get("kind")
    schema = find_schema(list_name) if list_name else likeliest_schema(table.column_names)
    if not list_name and extract.columns is None:
        warn_of_unknown_names(write_address(address), table.column_names, schema.names)
    return make_frame(table, schema, extract.columns)


def _find_files(address: str, options: Mapping[str, Any]) -> tuple[Store, list[str]]:
    """The store of a file or a folder, and the names of its Parquet files.

    ConfigError if there is neither, or if a folder has other files only; an empty one is good.
    """
    if not is_url(address):
        file_or_folder = Path(address)
        if not file_or_folder.exists():
            raise ConfigError(f"there is no file or folder {address}")
        if not file_or_folder.is_dir():
            return Folder(str(file_or_folder.parent)), [file_or_folder.name]
    elif address.lower().endswith(SUFFIX):
        # A folder may have such a name too: then there is no file.
        parent_address, _, file_name = address.rpartition("/")
        parent_store = open_store(parent_address, options)
        if parent_store.read(file_name) is not None:
            return parent_store, [file_name]
    store = open_store(address, options)
    file_names = store.names(SUFFIX)
    are_all_our_own = all(could_be_exported(Path(stored_name)) for stored_name in store.names(""))
    if not file_names and not are_all_our_own:
        raise ConfigError(
            f"{write_address(address)} has no Parquet files: name a folder of an export or a sync"
        )
    return store, file_names


def read_part(store: Store, file_names: Sequence[str], address: str, extract: Extract) -> pa.Table:
    """The rows of Parquet files; a file that has only rows of other days is not opened.

    Without rows in the period, a table with the columns of the first file; without files, no
    columns.
    """
    if not file_names:
        return pa.table({})
    period_file_names = [
        file_name
        for file_name in file_names
        if may_have_rows(file_name, extract.since, extract.until)
    ]
    if not period_file_names:
        return _read_file(store, file_name=file_names[0], address=address, extract=extract).slice(
            0, 0
        )
    tables = [_read_file(store, file_name, address, extract) for file_name in period_file_names]
    return pa.concat_tables(tables, promote_options="permissive")


def _read_file(store: Store, file_name: str, address: str, extract: Extract) -> pa.Table:
    """The rows and columns of a file that are wanted; ConfigError if it is not Parquet."""
    try:
        parquet_file = pq.ParquetFile(_open_source(store, file_name, address))
        column_names = extract.choose_columns(parquet_file.schema_arrow.names)
        return extract.select_rows(parquet_file.read(columns=column_names))
    except (pa.ArrowException, OSError) as error:
        raise unreadable_address_error(address, "Parquet", error) from None


def _open_source(store: Store, file_name: str, address: str) -> Any:
    """The path of a local file, or the content of one of a URL, for Arrow to open."""
    if isinstance(store, Folder):
        return store.path.absolute() / file_name
    parquet_bytes = store.read(file_name)
    if parquet_bytes is None:
        raise ConfigError(
            f"{write_address(address)} does not have {file_name} any more: sync again"
        )
    return BytesIO(parquet_bytes)


def make_frame(
    table: pa.Table, schema: Schema, columns: Collection[str] | None = None
) -> pd.DataFrame:
    """A table of Parquet as a frame with exact types; all columns unless you name some.

    ExactnessError if an amount of the schema is a float, or of another type that is not exact.
    """
    table = _decode_texts(table, schema)
    text_names = [
        column_name
        for column_name in table.column_names
        if pa.types.is_string(table[column_name].type)
    ]
    text_frame = typed_frame(table.select(text_names), schema)
    series_by_name = {
        column_name: text_frame[column_name]
        if column_name in text_names
        else series(_narrow_column(table[column_name], column_name, schema))
        for column_name in table.column_names
    }
    note_currencies(series_by_name)
    frame = ExactFrame(series_by_name)
    return frame if columns is None else frame[list(columns)]


def _decode_texts(table: pa.Table, schema: Schema) -> pa.Table:
    """The table with one type for all texts, also for those words that the service has.

    Polars writes another type of texts, pandas categories and, of one that is empty, nothing.
    """
    for column_index, field in enumerate(table.schema):
        is_known_word = pa.types.is_dictionary(field.type) and schema.kind(field.name) == "word"
        if is_known_word or _is_other_text(field.type):
            texts = table.column(column_index).cast(pa.string())
            table = table.set_column(column_index, field.name, texts)
    return table


def _is_other_text(arrow_type: pa.DataType) -> bool:
    """Whether a type is one of texts, or has only missing values, but is not the usual one."""
    type_tests = (pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return any(type_test(arrow_type) for type_test in type_tests)


def _narrow_column(column: pa.ChunkedArray, column_name: str, schema: Schema) -> pa.ChunkedArray:
    """Times in microseconds; amounts with the fewest decimal places possible."""
    if schema.kind(column_name) == "amount":
        column = read_exactly(column, column_name)
    if pa.types.is_timestamp(column.type):
        return column.cast(times.INSTANT)
    return arithmetic.narrow(column) if pa.types.is_decimal128(column.type) else column
