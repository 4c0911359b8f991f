"""Read and write CSV files with exact types."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pcsv

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, PaylabError
from ..files import replace
from ..storage.addresses import (
    compress_if_gz,
    is_url,
    local_copy,
    local_path,
    local_target,
    unreadable_address_error,
    write_address,
)
from ..storage.csv_files import read_written_header
from ..storage.spreadsheet_cells import RESULTS, restore_cell
from .column_choice import Names
from .columns import ListName, Schema, find_schema, likeliest_schema
from .csv_text import csv_texts
from .entered_currencies import warn_of_written_currencies
from .extract import Extract
from .frame import typed_frame
from .frame_forms import as_table, with_named_index
from .sidecars import forget_sidecar, read_sidecar
from .spreadsheet_text import restore_cells
from .unknown_columns import warn_of_unknown_names

BLOCK_BYTES = 1 << 24  # a row must fit in one block
JSON_SUFFIXES = (".jsonl", ".jsonl.gz")


@explain_arguments
def to_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> Path | str:
    """Write a frame: amounts with the decimals of their currency, times as ISO 8601, ids as text.

    An amount has more decimals than its currency if it needs them ("0.125" USD), and fewer if the
    type of its column has fewer ("5" USD in a column of whole numbers). Rates, and amounts without
    a currency, have the decimals of their column. `path` may end in .gz, and may be an fsspec URL.

    >>> paylab.frames.to_csv(frame, "transfers.csv").name
    'transfers.csv'
    """
    named_frame = with_named_index(frame)
    warn_of_written_currencies(named_frame)
    table = as_table(named_frame)
    with local_target(path) as (target_path, shown_path):
        with replace(target_path) as raw_file, compress_if_gz(raw_file, target_path) as csv_file:
            pcsv.write_csv(csv_texts(table), csv_file)
        forget_sidecar(target_path)  # an export that was replaced has one
    return shown_path


@explain_arguments
def read_csv(  # noqa: PLR0913 - which file, of which form, and which part of it
    path: str | os.PathLike[str],
    kind: ListName | None = None,
    *,
    delimiter: str = ",",
    since: date | str | None = None,
    until: date | str | None = None,
    columns: Names | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Read a CSV of transfers or other rows with exact types; unknown columns stay text.

    A file with no known column, whose `kind` is not named either, is an UnknownColumnWarning.
    The sidecar of an export has the kind of its rows, and whether cells were escaped for
    spreadsheets; such cells are read as they were before. `path` may end in .gz, and may be an
    fsspec URL. `since` and `until` keep rows created at or after a time, and before a time;
    `columns` are the names of the columns, in your order: the others are not read.
    `storage_options` are those of the file system of a URL, such as keys.

    >>> path = paylab.frames.to_csv(frame, "transfers.csv")
    >>> str(paylab.read_csv(path)["source_amount"].dtype)
    'decimal'
    """
    if str(path).lower().endswith(JSON_SUFFIXES):
        message = f"{write_address(str(path))} has JSON lines: use paylab.frames.read_jsonl"
        raise ArgumentError(message, "path")
    extract = Extract.from_arguments(since, until, columns)
    with local_copy(path, storage_options) as local_file:
        csv_header = _read_header(local_file, path, kind, delimiter)
        needed_names = extract.choose_columns(csv_header.column_names)
        text_table = _read_columns(local_file, path, csv_header, needed_names, delimiter)
    return extract.select_from(typed_frame(text_table, csv_header.schema))


class CsvHeader(NamedTuple):
    """The header of a CSV file."""

    cells: list[str]
    """The names as they are written, escaped if `is_escaped`."""
    column_names: list[str]
    is_escaped: bool
    schema: Schema


def _read_header(
    local_file: Path, path: str | os.PathLike[str], kind: ListName | None, delimiter: str
) -> CsvHeader:
    """The header of a file; its sidecar is beside `path`, unless that is a URL."""
    cells = read_written_header(local_file, delimiter, name=path)
    sidecar_facts = {} if is_url(path) else read_sidecar(local_path(path))
    # Exports and the results of a batch are the files in which paylab escapes cells.
    is_escaped = bool(sidecar_facts.get("excel_safe")) or set(cells) >= RESULTS
    column_names = [*map(restore_cell, cells)] if is_escaped else cells
    known_kind = kind or sidecar_facts.get("kind")
    schema = find_schema(known_kind) if known_kind else likeliest_schema(column_names)
    if not known_kind:
        warn_of_unknown_names(write_address(os.fspath(path)), column_names, schema.names)
    _require_unique(column_names, path)
    return CsvHeader(cells, column_names, is_escaped, schema)


def _read_columns(
    local_file: Path,
    path: str | os.PathLike[str],
    header: CsvHeader,
    column_names: Collection[str],
    delimiter: str,
) -> pa.Table:
    """The texts of some columns as they were before cells were escaped."""
    name_by_cell = dict(zip(header.cells, header.column_names, strict=True))
    needed_header_cells = [cell for cell in header.cells if name_by_cell[cell] in column_names]
    try:
        text_table = read_csv_texts(local_file, needed_header_cells, delimiter)
    except pa.ArrowException as error:
        raise unreadable_address_error(path, "CSV", error) from None
    return restore_cells(text_table) if header.is_escaped else text_table


def _require_unique(column_names: Sequence[str], path: str | os.PathLike[str]) -> None:
    """PaylabError for a column name that the file has more than once."""
    repeated_name = next(
        (column_name for column_name in column_names if column_names.count(column_name) > 1), None
    )
    if repeated_name is not None:
        raise PaylabError(
            f"{write_address(os.fspath(path))} has two columns {repeated_name[:60]!r}: "
            "rename or remove one of them"
        )


def read_csv_texts(
    file: str | os.PathLike[str] | BinaryIO,
    column_names: Sequence[str],
    delimiter: str,
    *,
    skip_empty_lines: bool = False,
) -> pa.Table:
    """Read the cells of a UTF-8 CSV as text; empty cells are null, empty texts in quotes are not.

    `column_names` are those of the columns to read. pyarrow.ArrowException if it cannot be read.
    """
    return pcsv.read_csv(
        file,
        read_options=pcsv.ReadOptions(block_size=BLOCK_BYTES),
        parse_options=pcsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=skip_empty_lines
        ),
        convert_options=pcsv.ConvertOptions(
            column_types=dict.fromkeys(column_names, pa.string()),
            include_columns=list(column_names),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
