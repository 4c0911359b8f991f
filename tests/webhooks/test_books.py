"""Reading books: files as people export them, and the amounts in their cells."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from decimal import Decimal

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pytest
import sqlalchemy
from openpyxl import Workbook

from paylab.errors import ArgumentError, ConfigError, ExactnessError, PaylabError, RuleError
from paylab.frames.times import read_time_zone
from paylab.webhooks.books import read_books
from paylab.webhooks.payment_values import read_amounts
from paylab.webhooks.sides import read_book_rows

UTC = read_time_zone("UTC")
LONG = "99999999999999999999.999999999999999999"


def amounts(source, **options):
    """The amounts of books, and what was found out about them."""
    read = {
        name: options.pop(name) for name in ("delimiter", "sheet", "database") if name in options
    }
    books = read_books(source, **read)
    rows = read_book_rows(books.frame, options.pop("columns", None), UTC, **options)
    notes = [note for note in (*books.notes, *rows.notes) if "was found" in note]
    return list(rows.values["amount"]), notes


@pytest.mark.parametrize(
    ("text", "encoding", "options", "amount", "notes"),
    [
        ("id,amount\nx,1.50\n", "utf-8", {}, "1.50", []),
        ("id,amount\nx,1.50\n", "utf-8-sig", {}, "1.50", []),
        ('id,amount\nx,"1,234.50"\n', "utf-8", {}, "1234.50", []),
        (
            "id;amount\nx;1.234,50\n",
            "utf-8",
            {},
            "1234.50",
            ["delimiter semicolon was found", "decimal comma was found"],
        ),
        ("id;amount\nx;1,5\n", "utf-8", {"delimiter": ";", "decimal": ","}, "1.5", []),
        ("id\tamount\nx\t5\n", "utf-8", {}, "5", ["delimiter tab was found"]),
        ('"a;b;c",id,amount\n1,x,5\n', "utf-8", {}, "5", []),
        (
            "id,amount,Währung\nx,5,USD\n",
            "cp1252",
            {},
            "5",
            ["encoding Windows-1252 was found"],
        ),
        ("id,amount\nx,5\n", "utf-16", {}, "5", ["encoding utf-16 was found"]),
        (
            "id|amount\nx|1.068\n",
            "utf-8",
            {},
            "1.068",
            [
                "delimiter bar was found",
                'decimal point was found, in 1.068: pass decimal="," if it groups thousands',
            ],
        ),
        ("id,amount\nx,1.068\n", "utf-8", {"decimal": "."}, "1.068", []),
        ("id;amount\nx;1.068\n", "utf-8", {"delimiter": ";", "decimal": "."}, "1.068", []),
        ("id;amount\nx;1.068\n", "utf-8", {"delimiter": ";", "decimal": ","}, "1068", []),
        ("id;amount\nx;1.50\n", "utf-8", {"delimiter": ";"}, "1.50", []),
        ("id,amount,fee\nx,1.068,0.5\n", "utf-8", {}, "1.068", []),
        ("id,amount\nx,0.125\n", "utf-8", {}, "0.125", []),
        (" ID , Source_Amount \nx,5\n", "utf-8", {}, "5", []),
    ],
)
def test_the_encoding_delimiter_and_decimal_mark_of_a_csv_are_found(
    tmp_path, text, encoding, options, amount, notes
):
    """Encoding, delimiter and decimal mark are found, and said if they are not the usual ones."""
    path = tmp_path / "books.csv"
    path.write_text(text, encoding=encoding)
    assert amounts(path, **options) == ([Decimal(amount)], notes)


@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}])
def test_a_point_in_a_file_with_semicolons_may_group_thousands(tmp_path, options):
    """Decimal commas are usual there, so that 1.234 is as likely 1234: the mark is asked for."""
    path = tmp_path / "books.csv"
    path.write_text("id;amount\nx;1.234\ny;5\n")
    with pytest.raises(RuleError, match=r"'1\.234' does not say whether the point is decimal"):
        amounts(path, **options)
    with pytest.raises(RuleError, match="delimiter: must be one character, not ';;'"):
        amounts(path, delimiter=";;")


@pytest.mark.parametrize(
    ("texts", "mark", "expected"),
    [
        (["1.50", "-2", "+3", ".5"], None, ["1.50", "-2", "3", "0.5"]),
        (["1,50", "2"], None, ["1.50", "2"]),
        (["1.234,50", "1,5"], None, ["1234.50", "1.5"]),
        (["1,234.50", "1,234"], None, ["1234.50", "1234"]),
        (["1 234,50", "1\u202f000"], None, ["1234.50", "1000"]),
        (["1'234.50", "( 1 234 567.50 )", "1 23 456"], None, ["1234.50", "-1234567.50", "123456"]),
        (["(5.00)", "5.00-", "\u22125.00"], None, ["-5.00"] * 3),
        (["1,234"], ",", ["1.234"]),
        (["1,234"], ".", ["1234"]),
        (["1.234"], None, ["1.234"]),
        (["1.234"], ",", ["1234"]),
        (["1.234.567", "1.000"], None, ["1234567", "1000"]),
        (["1,23,456.78", "12,34,56,789"], None, ["123456.78", "123456789"]),
        ([" 5 ", "", None], None, ["5", None, None]),
        ([5, Decimal("1E+2"), 1.25], None, ["5", "100", "1.25"]),
        (
            ["99999999999999999999.999999999999999999"],
            None,
            ["99999999999999999999.999999999999999999"],
        ),
    ],
)
def test_amounts_are_exact_with_the_decimal_mark_that_fits_all_of_a_table(texts, mark, expected):
    """Amounts are exact, with the decimal mark that fits all of a table."""
    exact, _ = read_amounts({"amount": pd.Series(texts, dtype=object)}, mark)
    wanted = [None if text is None else Decimal(text) for text in expected]
    assert [None if value is pd.NA else value for value in exact["amount"]] == wanted


@pytest.mark.parametrize(
    ("texts", "error", "words"),
    [
        (["1", "ten"], ExactnessError, "amount, row 2: 'ten' is not a number"),
        (["NaN"], ExactnessError, "row 1"),
        (["1,234"], RuleError, "does not say whether the comma is decimal"),
        (["1,23", "4.56"], ExactnessError, "row 1: '1,23' is not a number"),
        (["1 00"], ExactnessError, "row 1: '1 00' is not a number"),
        (["18 64.85"], ExactnessError, "row 1: '18 64.85' is not a number"),
        (["1'8'6'4.85"], ExactnessError, "is not a number"),
        (["1 864 .85"], ExactnessError, "row 1: '1 864 .85' is not a number"),
        ([1.5, 12345678901234.75], ExactnessError, r"amount, row 2: .*too many digits"),
        ([float("inf")], ExactnessError, "too many digits"),
    ],
)
def test_amounts_that_are_none(texts, error, words):
    """The error names the column, the row and the cell."""
    with pytest.raises(error, match=words):
        read_amounts({"amount": pd.Series(texts, dtype=object, name="amount")}, None)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["5.00"]),
        pd.Series([5]),
        pd.Series([5.0]),
        pd.Series([Decimal(5)]),
        pd.Series(["5"], dtype="category"),
        pd.Series([5], dtype="Int64"),
        pd.Series([Decimal(5)], dtype=pd.ArrowDtype(pa.decimal128(20, 2))),
        pd.Series([5], dtype=pd.ArrowDtype(pa.int32())),
        pd.Series(["5"], dtype=pd.ArrowDtype(pa.string())),
    ],
)
def test_amounts_are_read_from_a_column_of_any_type(column):
    """A frame may have its amounts in any type."""
    assert amounts(pd.DataFrame({"id": ["x"], "amount": column}))[0] == [Decimal(5)]


BOOK_ROWS = pd.DataFrame({"id": ["x", "y"], "amount": [Decimal(LONG), Decimal("-0.5")]})


@pytest.mark.parametrize(
    "convert",
    [
        polars.from_pandas,
        pa.Table.from_pandas,
        lambda frame: frame,
        lambda frame: frame.astype({"amount": "decimal"}),
    ],
)
def test_a_table_of_another_library_is_a_frame(convert):
    """Books can be a table of polars or Arrow, with every digit."""
    assert amounts(convert(BOOK_ROWS))[0] == BOOK_ROWS["amount"].tolist()


@pytest.mark.parametrize("name", ["books.jsonl", "books.jsonl.gz", "books.ndjson"])
def test_books_can_be_json_lines(tmp_path, name):
    """Each line is a row; a number keeps its digits, also in a compressed file."""
    lines = f'{{"id": "x", "amount": {LONG}}}\n{{"id": "y", "amount": "-0.5"}}\n'.encode()
    (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    assert amounts(tmp_path / name)[0] == BOOK_ROWS["amount"].tolist()


def test_a_list_of_rows_is_no_books():
    """The error says how to make a frame of it."""
    with pytest.raises(ArgumentError, match=r"write pandas\.DataFrame\(rows\)"):
        read_books([{"id": "x"}])


def test_the_first_sheet_or_a_named_one_is_read(tmp_path):
    """The first sheet or a named one is read; numbers have the digits that a spreadsheet shows."""
    book = Workbook()
    book.active.append(["Invoice", "Sum"])
    book.active.append(["x", 0.1 + 0.2])
    other = book.create_sheet("May")
    other.append(["id", "amount"])
    other.append(["y", 7])
    path = tmp_path / "books.xlsx"
    book.save(path)
    own = {"reference": "Invoice", "amount": "Sum"}
    assert amounts(path, columns=own)[0] == [Decimal("0.3")]
    assert amounts(path, sheet="May")[0] == [Decimal(7)]
    with pytest.raises(ConfigError, match="no sheet 'June'; it has Sheet, May"):
        read_books(path, sheet="June")


@pytest.mark.parametrize("is_engine", [True, False])
def test_books_can_be_the_result_of_a_query(tmp_path, is_engine):
    """Books can be the result of a query of a database, by URL or engine."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("create table books (id text, amount text)"))
        connection.execute(sqlalchemy.text("insert into books values ('x', '5.10')"))
    source = engine if is_engine else url
    assert amounts("select * from books", database=source)[0] == [Decimal("5.10")]
    with pytest.raises(ConfigError, match="the database cannot be read: no such table"):
        read_books("select * from no_table", database=source)


def test_books_can_be_in_a_duckdb_file(tmp_path):
    """A query of a file or of a connection, as `read_sql` takes them."""
    path = tmp_path / "books.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("create table books (id text, amount decimal(30, 6))")
        connection.execute("insert into books values ('x', 123456789012345678901234.000001)")
        found = [Decimal("123456789012345678901234.000001")]
        assert amounts("select * from books", database=connection)[0] == found
    for database in (path, str(path)):
        assert amounts("select * from books", database=database)[0] == found
    with pytest.raises(ConfigError, match=r"neither a database URL nor a \.duckdb"):
        read_books("select 1", database="books.sqlite")


def test_a_connection_of_a_driver_is_refused_with_what_to_give():
    """Books are queried by a URL or an engine of SQLAlchemy, or in DuckDB."""
    connection = sqlite3.connect(":memory:")
    with closing(connection), pytest.raises(ConfigError, match=r"must be a URL .*not a Connection"):
        read_books("select 1", database=connection)
    engine = sqlalchemy.create_engine("sqlite://")
    with engine.connect() as open_connection, pytest.raises(ArgumentError, match="as a frame"):
        read_books("select 1", database=open_connection)


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("b.csv", b"", ConfigError, "cannot be read as CSV"),
        ("b.csv", b"id,amount\nx,1\ny,10,50\n", ConfigError, "Expected 2 columns, got 3"),
        ("b.csv", b"id,amount,id\nx,1,y\n", PaylabError, "two columns 'id'"),
        ("b.xlsx", b"no", ConfigError, "cannot be read as a workbook"),
        ("b.parquet", b"no", ConfigError, "cannot be read as Parquet"),
        (None, b"", ConfigError, "there is no file"),
    ],
)
def test_books_that_cannot_be_read(tmp_path, name, content, error, words):
    """The error names the file and what is wrong."""
    path = tmp_path / (name or "none.csv")
    if name:
        path.write_bytes(content)
    with pytest.raises(error, match=words):
        read_books(path)


@pytest.mark.parametrize(
    ("date", "words"),
    [
        ("soon", "date, row 1: 'soon' is not a time"),
        ("05/04/2026", "'05/04/2026' can be read in two ways: pass date_format"),
    ],
)
def test_dates_that_are_not_clear(date, words):
    """A text that is no time, or that can be two, is an error that names the row."""
    with pytest.raises(RuleError, match=words):
        read_book_rows(pd.DataFrame({"id": ["x"], "date": [date]}), None, UTC)


@pytest.mark.parametrize("frame", [pd.DataFrame({"name": ["x"]}), pd.DataFrame()])
def test_books_need_an_id_or_a_reference(frame):
    """Books need an id or a reference."""
    with pytest.raises(RuleError, match="needs a column id, reference or client_reference_id"):
        read_book_rows(frame, None, UTC)
