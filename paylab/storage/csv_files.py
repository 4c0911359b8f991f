"""The rows and the header of CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors.base import ArgumentError
from ..files import require_regular
from .addresses import local_copy, unreadable_address_error, write_address
from .spreadsheet_cells import RESULTS, restore_cell

DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


@dataclass(frozen=True)
class CsvRow:
    """A row of a CSV file: cells by column, line number, and number of surplus cells."""

    cells: Mapping[str, Any]
    line: int | None = None
    surplus: int = 0


def read_csv_rows(path: str | os.PathLike[str], delimiter: str = ",") -> Iterator[CsvRow]:
    """Yield the rows of a UTF-8 CSV file, also at an fsspec URL or compressed by gzip.

    Cells that paylab escaped in a file of results are restored. PaylabError if the file cannot be
    read.
    """
    with _open_reader(path, delimiter, path) as csv_reader:
        # Only a file of results that paylab wrote has all of these columns.
        is_escaped = set(csv_reader.fieldnames or ()) >= RESULTS
        for cell_by_column in csv_reader:
            # The reader puts cells without a column under None.
            surplus_cells: Sequence[str] = cell_by_column.pop(None, ())
            restored_cells = _restore_cells(cell_by_column) if is_escaped else cell_by_column
            yield CsvRow(restored_cells, csv_reader.line_num, len(surplus_cells))


def _restore_cells(csv_record: Mapping[str, str | None]) -> dict[str, str | None]:
    """The names and cells of a row as they were before they were escaped for a spreadsheet."""
    return {
        restore_cell(column_name): None if cell_text is None else restore_cell(cell_text)
        for column_name, cell_text in csv_record.items()
    }


def read_csv_header(path: str | os.PathLike[str], delimiter: str = ",") -> list[str]:
    """The columns of a CSV file. PaylabError if the delimiter seems to be wrong."""
    column_names = read_written_header(path, delimiter)
    if set(column_names) >= RESULTS:
        return [restore_cell(column_name) for column_name in column_names]
    return column_names


def read_written_header(
    path: str | os.PathLike[str], delimiter: str = ",", name: str | os.PathLike[str] | None = None
) -> list[str]:
    """The columns of a CSV file as they are written there, escaped or not.

    `name` is that of the file in errors, if `path` is a copy.
    """
    with _open_reader(path, delimiter, name or path) as csv_reader:
        return list(csv_reader.fieldnames or ())


@contextmanager
def _open_reader(
    path: str | os.PathLike[str], delimiter: str, shown_name: str | os.PathLike[str]
) -> Iterator[csv.DictReader[str]]:
    """Open a CSV file, and turn the errors of reading it into PaylabErrors."""
    if len(delimiter) != 1:
        raise ArgumentError(f"delimiter must be one character, not {delimiter!r}", "delimiter")
    with local_copy(path) as local_file:
        require_regular(local_file)
        try:
            with local_file.open(encoding="utf-8-sig", newline="") as csv_file:
                csv_reader = csv.DictReader(csv_file, strict=True, delimiter=delimiter)
                _require_columns(
                    write_address(os.fspath(shown_name)),
                    list(csv_reader.fieldnames or ()),
                    delimiter,
                )
                yield csv_reader
        except (csv.Error, UnicodeDecodeError) as error:
            raise unreadable_address_error(shown_name, "CSV in UTF-8", error) from None


def _require_columns(path: str, column_names: list[str], delimiter: str) -> None:
    """Raise ArgumentError if the only column has another delimiter in its name, such as "a;b"."""
    if len(column_names) != 1:
        return
    for delimiter_mark, mark_name in DELIMITERS.items():
        if delimiter_mark != delimiter and delimiter_mark in column_names[0]:
            message = (
                f"{path} has one column, {column_names[0][:60]!r}: its cells seem to be "
                f"separated by {mark_name}; pass delimiter={delimiter_mark!r}"
            )
            raise ArgumentError(message, "delimiter")
