"""Read your own books: CSV, a workbook, Parquet, a frame or the result of a database query."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from decimal import Decimal
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from ..errors.base import ConfigError, PaylabError
from ..errors.extras import explained
from ..files import path_of, unreadable
from ..frames.files import read_sidecar, unguard
from ..spreadsheet_cells import restore_sheet_text

with explained():
    import pandas as pd
    import pyarrow as pa
    import pyarrow.csv as pcsv
    import pyarrow.parquet as pq

BookSource = str | PathLike[str] | pd.DataFrame
"""A file, a frame, or with `database` a query."""

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Encodings by the first bytes of a file; others are UTF-8, else Windows-1252."""
SHEET_DIGITS = 15  # a spreadsheet keeps and shows as many


class Books(NamedTuple):
    """The rows of books as they are written, and what was found out about the file."""

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()


def read_books(
    source: BookSource,
    *,
    delimiter: str | None = None,
    sheet: str | None = None,
    database: Any = None,
) -> Books:
    """The rows of books; ConfigError if they cannot be read.

    A file is read by its suffix: .xlsx, .parquet, anything else as CSV. `delimiter` is found in the
    first line if it is not given; `sheet` is by default the first one. `database` is a URL or an
    SQLAlchemy engine, and the source then a query.
    """
    if isinstance(source, pd.DataFrame):
        books = Books(source)
    elif database is not None:
        books = Books(_query(str(source), database))
    else:
        books = _read_file(path_of(source), delimiter, sheet)
    names = [str(name) for name in books.frame.columns]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise PaylabError(f"the books have two columns {repeated[:60]!r}: rename or remove one")
    return books


def _read_file(path: Path, delimiter: str | None, sheet: str | None) -> Books:
    if not path.is_file():
        raise ConfigError(f"there is no file {path}; for a query, pass database= too")
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        try:
            table = pq.read_table(path.absolute(), partitioning=None)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path, "Parquet", error) from None
        return Books(table.to_pandas(types_mapper=pd.ArrowDtype))
    if suffix in (".xlsx", ".xlsm"):
        return Books(_read_sheet(path, sheet))
    return _read_csv(path, delimiter)


def _read_csv(path: Path, delimiter: str | None) -> Books:
    """All cells as text."""
    data = path.read_bytes()
    text, encoding = _decoded(data)
    notes = [] if encoding == "utf-8-sig" else [f"encoding {encoding} was found"]
    mark = delimiter or _delimiter(text)
    if delimiter is None and mark != ",":
        notes.append(f"delimiter {DELIMITERS[mark]} was found")
    try:
        header = next(csv.reader(text.splitlines(), delimiter=mark), [])
        table = pcsv.read_csv(
            BytesIO(text.encode()),
            read_options=pcsv.ReadOptions(block_size=max(1 << 20, len(data) * 2)),
            parse_options=pcsv.ParseOptions(
                delimiter=mark, newlines_in_values=True, ignore_empty_lines=True
            ),
            convert_options=pcsv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, csv.Error, TypeError) as error:
        raise unreadable(path, "CSV", error) from None
    if read_sidecar(path).get("excel_safe"):
        table = unguard(table)
    return Books(table.to_pandas(types_mapper=pd.ArrowDtype), tuple(notes))


def _decoded(data: bytes) -> tuple[str, str]:
    """The text of a file and its encoding."""
    encoding = ENCODINGS.get(data[:2], "utf-8-sig")
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "Windows-1252"


def _delimiter(text: str) -> str:
    """The delimiter that the first line has most of outside quotes; a comma if it has none."""
    line = text.partition("\n")[0]
    unquoted = "".join(line.split('"')[::2])
    return max(DELIMITERS, key=lambda mark: (unquoted.count(mark), mark == ","))


def _read_sheet(path: Path, sheet: str | None) -> pd.DataFrame:
    """The rows of a sheet below its header; formulas as their stored results."""
    with explained():
        from openpyxl import load_workbook
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except Exception as error:
        raise unreadable(path, "a workbook", error) from None
    try:
        if sheet is not None and sheet not in book.sheetnames:
            sheet_names = ", ".join(book.sheetnames)
            raise ConfigError(f"{path} has no sheet {sheet!r:.60}; it has {sheet_names:.300}")
        rows = list(_sheet_rows(book[sheet or book.sheetnames[0]]))
    finally:
        book.close()
    header = rows[0] if rows else []
    width = max((at + 1 for at, name in enumerate(header) if name is not None), default=0)
    names = [
        str(name) if name is not None else f"column {at + 1}" for at, name in enumerate(header)
    ]
    cells = [row[:width] + [None] * (width - len(row)) for row in rows[1:]]
    return pd.DataFrame(cells, columns=names[:width], dtype=object)


def _sheet_rows(sheet: Any) -> Iterator[list[Any]]:
    """The rows that have a value; numbers as decimals with the digits that a spreadsheet shows."""
    for row in sheet.iter_rows(values_only=True):
        if any(value is not None for value in row):
            yield [_sheet_value(value) for value in row]


def _sheet_value(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(f"{value:.{SHEET_DIGITS}g}")
    return restore_sheet_text(value) if isinstance(value, str) else value


def _query(query: str, database: Any) -> pd.DataFrame:
    """The rows of a query, with the values of the driver."""
    with explained():
        import sqlalchemy as sql
    engine = database
    try:
        if isinstance(database, str):
            engine = sql.create_engine(database, hide_parameters=True)
        with engine.connect() as connection:
            rows = connection.execute(sql.text(query))
            names = list(rows.keys())
            return pd.DataFrame([list(row) for row in rows], columns=names, dtype=object)
    except (sql.exc.SQLAlchemyError, ImportError, ValueError) as error:
        reason = str(getattr(error, "orig", None) or "the URL or its driver cannot be used")
        raise ConfigError(f"the database cannot be read: {reason:.200}") from None
    finally:
        if engine is not database:
            engine.dispose()
