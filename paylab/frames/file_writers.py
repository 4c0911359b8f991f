"""Writers of exported rows, one per format: CSV, JSON lines, Parquet, workbooks and folders."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from ..errors.base import ConfigError, OptionError, Problem
from ..errors.extras import require_extra
from ..errors.text import printable_lines
from ..files import path_of, replace
from ..storage.addresses import compress_if_gz, is_url, local_path, write_address
from ..storage.folders import replace_folder
from . import decimals, excel, sidecars
from .column_choice import CREATED
from .columns import Schema
from .parquet_days import could_be_exported, write_days
from .parquet_types import (
    Scale,
    convert_types,
    fitting_schema,
    parquet_schema,
    read_scale,
)
from .spreadsheet_text import escape_cells
from .text_table import text_schema

STANDARD_OUTPUT = "-"
Tables = Iterator[pa.Table]
About = Mapping[str, Any]
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class FileRows:
    """Rows to write: the columns of the file, and tables of text that can be read more than once.

    `about` is for the sidecar; `scale` are the decimals of a Parquet file.
    """

    schema: Schema
    scale: Scale = None
    excel_safe: bool = False
    about: About | None = None
    read: Callable[[], Tables] = tuple[pa.Table]().__iter__
    """Begins to read the tables; by default there are none."""

    def read_from(self, read: Callable[[], Tables], about: About | None) -> FileRows:
        """The same columns and options, with the rows."""
        return replace_fields(self, read=read, about=about)

    def texts(self) -> Tables:
        """Yield the columns of the file as text."""
        for table in self.read():
            yield table.select(self.schema.names)

    def types(self) -> pa.Schema:
        """The Arrow schema of a Parquet file that holds all rows."""
        return fitting_schema(self.texts(), self.schema, self.scale)

    def convert_to(self, types: pa.Schema) -> Tables:
        """Yield the columns of the file in these types."""
        first_row = 0
        for table in self.texts():
            yield convert_types(table, self.schema, first_row, arrow_schema=types)
            first_row += table.num_rows


Write = Callable[[FileRows, Path], None]


def find_writer(to: str | os.PathLike[str], rows: FileRows) -> Write:
    """The writer for a destination, by its suffix; ConfigError for an unknown one.

    Errors that the options of the rows lead to are raised before anything is fetched.
    """
    address = os.fspath(to)
    if not address.strip():
        raise ConfigError("the destination is empty: name a file or a folder")
    if address == STANDARD_OUTPUT:
        return _print_csv
    writer = _find_writer_by_suffix(address)
    if writer is _write_excel:
        require_extra("excel")
    if rows.excel_safe and writer is not _write_csv:
        raise ConfigError("excel_safe is for CSV files only: leave it out")
    if rows.scale is not None and writer not in (_write_parquet, _write_folder):
        raise ConfigError("scale is for Parquet only: leave it out, other files keep all digits")
    read_scale(rows.scale, rows.schema)  # refuses a wrong one before a file is opened
    if writer is _write_folder and CREATED not in rows.schema.names:
        message = f"must have {CREATED}, by which the files of a folder are divided"
        raise OptionError([Problem("columns", message)])
    return writer


def _find_writer_by_suffix(address: str) -> Write:
    """The writer of a folder or of a suffix; ConfigError for another address."""
    path = path_of(address) if is_url(address) else local_path(address)
    if address.endswith(("/", os.sep)) or (not is_url(address) and path.is_dir()):
        return _write_folder
    for suffix, writer in WRITERS.items():
        is_suffix_only = path.name.lower() == suffix  # a file ".csv" has a name and no suffix
        if address.lower().endswith(suffix) and not is_suffix_only:
            return writer
    printable_address = write_address(address)
    raise ConfigError(
        f"cannot export to {printable_address!r}: it must end in {', '.join(WRITERS)} or /, or be -"
    )


def _write_csv(rows: FileRows, path: Path) -> None:
    """Write a CSV file, compressed if its name ends in .gz, and its sidecar."""
    with replace(path) as raw_file:
        with compress_if_gz(raw_file, path) as csv_file:
            _write_csv_rows(rows, csv_file)
        # Before the file is replaced: the sidecar describes the old one.
        old_permissions = sidecars.forget_sidecar(path)
    _write_or_remove_sidecar(rows, path, old_permissions)


def _print_csv(rows: FileRows, _: Path) -> None:
    """Print the rows as CSV; a terminal gets control characters escaped."""
    standard_output = sys.stdout.buffer
    if sys.stdout.isatty():  # a terminal would obey the control characters of a text
        csv_file = BytesIO()
        _write_csv_rows(rows, csv_file)
        printable_text = printable_lines(csv_file.getvalue().decode())
        standard_output.write(printable_text.encode())
    else:
        _write_csv_rows(rows, standard_output)
    standard_output.flush()


def _write_csv_rows(rows: FileRows, sink: BinaryIO) -> None:
    """Write the header and the rows as CSV, escaped for spreadsheets if the rows say so."""
    # Without the mark a spreadsheet reads UTF-8 as Latin-1.
    sink.write(BOM if rows.excel_safe else b"")
    with pcsv.CSVWriter(sink, text_schema(rows.schema)) as csv_writer:
        for table in rows.texts():
            csv_writer.write(escape_cells(table, rows.schema) if rows.excel_safe else table)


def _write_json_lines(rows: FileRows, path: Path) -> None:
    """Write an object with the names of the columns per line; every value is as it was sent."""
    with replace(path) as raw_file:
        with compress_if_gz(raw_file, path) as json_file:
            for table in rows.texts():
                json_lines = (json.dumps(row, ensure_ascii=False) for row in table.to_pylist())
                json_file.writelines(json_line.encode() + b"\n" for json_line in json_lines)
        # Before the file is replaced: the sidecar describes the old one.
        old_permissions = sidecars.forget_sidecar(path)
    _write_or_remove_sidecar(rows, path, old_permissions)


def _write_excel(rows: FileRows, path: Path) -> None:
    """Write a workbook, with a header also if there are no rows."""
    # Every amount of at most 38 digits fits: the types of a workbook are those of its cells.
    arrow_schema = pa.schema(
        [
            pa.field(field.name, decimals.WIDEST if pa.types.is_decimal(field.type) else field.type)
            for field in parquet_schema(rows.schema)
        ]
    )
    header_table = arrow_schema.empty_table()
    tables = chain([header_table], rows.convert_to(arrow_schema))
    excel.write_workbook(tables, path, about=rows.about)
    # The sidecar of an earlier file at this path would describe other columns.
    sidecars.forget_sidecar(path)


def _write_parquet(rows: FileRows, path: Path) -> None:
    """Write one Parquet file, and its sidecar."""
    arrow_schema = rows.types()
    with (
        replace(path) as parquet_file,
        pq.ParquetWriter(parquet_file, arrow_schema, compression="zstd") as parquet_writer,
    ):
        for table in rows.convert_to(arrow_schema):
            parquet_writer.write_table(table)
    _write_or_remove_sidecar(rows, path)


def _write_folder(rows: FileRows, path: Path) -> None:
    """Write a folder of Parquet files by day of creation; it replaces the old one as a whole."""
    arrow_schema = rows.types()
    with replace_folder(path, could_be_exported) as folder:
        write_days(rows.convert_to(arrow_schema), folder, arrow_schema)
        # Before the folder is replaced: the sidecar describes the old one.
        old_permissions = sidecars.forget_sidecar(path)
    _write_or_remove_sidecar(rows, path, old_permissions)


def _write_or_remove_sidecar(
    rows: FileRows, path: Path, old_permissions: int | None = None
) -> None:
    """Write the sidecar of a file if the rows have facts for one, otherwise remove an old one.

    The new sidecar gets the permissions of the old one.
    """
    if rows.about is None:
        sidecars.forget_sidecar(path)
    else:
        sidecars.write_sidecar(path, rows.schema, rows.about, old_permissions)


WRITERS: dict[str, Write] = {
    ".csv": _write_csv,
    ".csv.gz": _write_csv,
    ".jsonl": _write_json_lines,
    ".jsonl.gz": _write_json_lines,
    ".parquet": _write_parquet,
    ".xlsx": _write_excel,
}
