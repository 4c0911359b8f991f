"""Read your own books: CSV, a workbook, Parquet, a frame or the result of a database query."""

from __future__ import annotations

import csv
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..errors.base import ArgumentError, ConfigError, OptionError, PaylabError, Problem
from ..errors.extras import extra_imports
from ..files import unreadable_error
from ..frames.duckdb_tables import is_duckdb, query_duckdb
from ..frames.excel_reader import read_sheet
from ..frames.files import read_csv_texts
from ..frames.json_lines import read_jsonl
from ..frames.sidecars import read_sidecar
from ..frames.spreadsheet_text import restore_cells
from ..storage.addresses import GZIP, is_url, local_copy, local_path, write_address
from .cell_texts import DELIMITER
from .compared_sides import Books, BookSource

with extra_imports():
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of a file in UTF-16."""


def read_books(
    source: BookSource,
    *,
    delimiter: str | None = None,
    sheet: str | None = None,
    database: object = None,
) -> Books:
    """Read the rows of books; ConfigError if they cannot be read.

    A file is read by its suffix: .xlsx, .parquet, .jsonl, anything else as CSV. It may be
    compressed, with .gz, and at an fsspec URL. Without `delimiter`, the delimiter is found in the
    first line; without `sheet`, the first sheet is read. With `database`, a URL, an SQLAlchemy
    engine or a DuckDB file, the source is a query. A table of polars or Arrow is a frame too.
    """
    convert_to_pandas = getattr(source, "to_pandas", None)  # of a table of polars or Arrow
    if convert_to_pandas is not None:
        source = convert_to_pandas()
    if isinstance(source, list):
        message = "a list is no frame of books: write pandas.DataFrame(rows)"
        raise ArgumentError(message, "books")
    if isinstance(source, pd.DataFrame):
        books = Books(source)
    elif database is not None:
        books = Books(_read_query(str(source), database))
    else:
        books = _read_file(source, delimiter, sheet)
    _require_unique_names(books.frame)
    return books


def _require_unique_names(frame: pd.DataFrame) -> None:
    """Raise PaylabError if two columns have the same name."""
    column_names = [str(column_name) for column_name in frame.columns]
    for column_name in column_names:
        if column_names.count(column_name) > 1:
            message = f"the books have two columns {column_name[:60]!r}: rename or remove one"
            raise PaylabError(message)


def _read_file(book_source: str | PathLike[str], delimiter: str | None, sheet: str | None) -> Books:
    """Read a file by its suffix, also at an fsspec URL or compressed by gzip."""
    if not is_url(book_source) and not local_path(book_source).is_file():
        path = local_path(book_source)
        raise ConfigError(f"there is no file {path}; for a query, pass database= too")
    book_address = write_address(fspath(book_source))
    suffix = Path(book_address.lower().removesuffix(GZIP)).suffix
    is_workbook = suffix in (".xlsx", ".xlsm")
    if sheet is not None and not is_workbook:
        raise OptionError([Problem("sheet", f"is for a workbook (.xlsx), not for {book_address}")])
    # An export of paylab says beside the file whether its cells are escaped for spreadsheets.
    is_escaped = not is_url(book_source) and read_sidecar(local_path(book_source)).get("excel_safe")
    if suffix in (".jsonl", ".ndjson"):
        return Books(read_jsonl(book_source))
    with local_copy(book_source) as path:
        if suffix == ".parquet":
            return Books(_read_parquet(path, book_address))
        if is_workbook:
            return Books(_read_sheet(path, book_address, sheet))
        return _read_csv(path, book_address, delimiter, is_escaped=bool(is_escaped))


def _read_parquet(path: Path, book_name: str) -> pd.DataFrame:
    """Read a Parquet file; ConfigError that names it if it is none."""
    try:
        books_table = pq.read_table(path.absolute(), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise unreadable_error(book_name, "Parquet", error) from None
    frame: pd.DataFrame = books_table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def _read_csv(path: Path, book_name: str, delimiter: str | None, *, is_escaped: bool) -> Books:
    """Read all cells as text; the notes tell an unusual encoding or delimiter."""
    csv_text, encoding = _decode_text(path.read_bytes())
    note_texts = []
    if encoding != "utf-8-sig":
        note_texts.append(f"encoding {encoding} was found")
    if delimiter is not None and len(delimiter) != 1:
        raise OptionError([Problem("delimiter", f"must be one character, not {delimiter!r:.60}")])
    if delimiter is None:
        delimiter = _find_delimiter(csv_text)
        if delimiter != ",":
            note_texts.append(f"delimiter {DELIMITERS[delimiter]} was found")
    try:
        # An empty file has no header, and so no names.
        header_names = next(csv.reader(csv_text.splitlines(), delimiter=delimiter), [])
        utf8_file = BytesIO(csv_text.encode())
        books_table = read_csv_texts(utf8_file, header_names, delimiter, skip_empty_lines=True)
    except (pa.ArrowException, csv.Error, TypeError) as error:
        raise unreadable_error(book_name, "CSV", error) from None
    if is_escaped:
        books_table = restore_cells(books_table)
    frame = books_table.to_pandas(types_mapper=pd.ArrowDtype)
    frame.attrs[DELIMITER] = delimiter
    return Books(frame, tuple(note_texts))


def _decode_text(csv_bytes: bytes) -> tuple[str, str]:
    """Decode a file as UTF-16, UTF-8 or else Windows-1252; return (text, encoding)."""
    encoding = "utf-16" if csv_bytes.startswith(BYTE_ORDER_MARKS) else "utf-8-sig"
    try:
        return csv_bytes.decode(encoding), encoding
    except UnicodeDecodeError:
        return csv_bytes.decode("cp1252", "replace"), "Windows-1252"


def _find_delimiter(csv_text: str) -> str:
    """Return the delimiter that the first line has most often outside quotes.

    If two are equally frequent, or none is there, it is the first of DELIMITERS.
    """
    first_line = csv_text.partition("\n")[0]
    unquoted_text = "".join(first_line.split('"')[::2])
    return max(DELIMITERS, key=unquoted_text.count)


def _read_sheet(path: Path, book_name: str, sheet: str | None) -> pd.DataFrame:
    """Read the rows of a sheet as they are written."""
    sheet_content = read_sheet(path, book_name, sheet)
    return pd.DataFrame(sheet_content.rows, columns=sheet_content.column_names, dtype=object)


def _read_query(query: str, database: Any) -> pd.DataFrame:
    """Read the rows of a query, with the values of the driver."""
    is_engine = hasattr(database, "connect")
    if not is_engine and is_duckdb(database):
        rows: pd.DataFrame = query_duckdb(database, query).to_pandas(types_mapper=pd.ArrowDtype)
        return rows
    if not isinstance(database, str) and not is_engine:
        type_name = type(database).__name__
        message = (
            f"database is a URL, such as sqlite:///books.sqlite, or an SQLAlchemy engine, not "
            f"{type_name}: give the rows of another connection as a frame"
        )
        raise ArgumentError(message, "database")
    with extra_imports():
        import sqlalchemy as sql
    sql_engine = database
    try:
        if isinstance(database, str):
            sql_engine = sql.create_engine(database, hide_parameters=True)
        with sql_engine.connect() as connection:
            query_result = connection.execute(sql.text(query))
            column_names = list(query_result.keys())
            query_rows = [list(query_row) for query_row in query_result]
            return pd.DataFrame(query_rows, columns=column_names, dtype=object)
    except (sql.exc.SQLAlchemyError, ImportError, ValueError) as error:
        # `orig` is the error of the driver; other errors may show the password of the URL.
        reason_text = str(getattr(error, "orig", None) or "the URL or its driver cannot be used")
        raise ConfigError(f"the database cannot be read: {reason_text:.200}") from None
    finally:
        if sql_engine is not database:  # the engine of the caller stays open
            sql_engine.dispose()
