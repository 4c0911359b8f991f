"""Tables of databases: exact in both directions, and never half written."""

from __future__ import annotations

import sqlite3
import warnings
from decimal import Decimal

import duckdb
import pandas as pd
import pytest
import sqlalchemy

from paylab import frames
from paylab.errors import ConfigError, ExactnessError, RuleError
from paylab.frames.columns import TRANSFERS
from paylab.frames.parquet_types import convert_frame_types
from paylab.frames.sql_tables import SqlTable

AMOUNTS = ["10.25", "0.000001", "123456789012345678.123456", "-3", None]
LONG = "0.123456789012345678"


@pytest.fixture
def made(transfer):
    """A function that makes a frame of transfers with these amounts and a status."""

    def frame(amounts=AMOUNTS, status="completed", start=0):
        ids = range(start, start + len(amounts))
        rows = [
            transfer | {"id": f"tr_{number}", "source_amount": amount, "status": status}
            for number, amount in zip(ids, amounts, strict=True)
        ]
        return frames.transfers([{"data": rows}])

    return frame


@pytest.fixture(params=["duckdb file", "duckdb connection", "sqlite url", "sqlite engine"])
def target(request, tmp_path):
    """A database of each kind."""
    if request.param == "duckdb file":
        yield tmp_path / "books.duckdb"
    elif request.param == "duckdb connection":
        with duckdb.connect() as connection:
            yield connection
    elif request.param == "sqlite url":
        yield f"sqlite:///{tmp_path}/books.sqlite"
    else:
        engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/books.sqlite")
        yield engine
        engine.dispose()


def test_a_table_is_read_back_as_the_same_frame(made, target):
    """Amounts, times, words and ids come back with their types and every digit."""
    frame = made()
    assert frame.paylab.to_database(target) == len(AMOUNTS)
    back = frames.read_sql("transfers", target)
    assert back.equals(frame)
    assert [str(kind) for kind in back.dtypes] == [str(kind) for kind in frame.dtypes]
    some = frames.read_sql("select id, source_amount from transfers where id = 'tr_1'", target)
    assert some.to_dict("records") == [{"id": "tr_1", "source_amount": Decimal("0.000001")}]


def test_amounts_in_columns_of_your_own_come_back_exactly(made, target):
    """A column that the service does not have is a decimal again, in the table and in a query."""
    frame = made()
    frame = frame.assign(net=frame["source_amount"] * 2, note=["007"] * len(frame))
    frame.paylab.to_database(target)
    for query in ("transfers", "select net, note from Transfers where status = 'completed'"):
        back = frames.read_sql(query, target)
        assert back["net"].dtype == "decimal"
        assert back["net"].equals(frame["net"])
        assert back["note"].tolist() == ["007"] * len(frame)
    frame[["id"]].assign(net="1.50").paylab.to_database(target, "words")
    words = frames.read_sql("select words.net from words join transfers using (id)", target)
    assert words["net"].tolist() == ["1.50"] * len(frame)


@pytest.mark.parametrize(
    ("mode", "statuses"),
    [
        ("replace", {"tr_1": "failed", "tr_2": "failed"}),
        ("append", {"tr_0": "completed", "tr_1": "completed", "tr_2": "failed"}),
        ("upsert", {"tr_0": "completed", "tr_1": "failed", "tr_2": "failed"}),
    ],
)
def test_a_table_is_replaced_or_added_to_or_updated(made, target, mode, statuses):
    """The table is replaced, added to, or updated by id."""
    made(["1", "2"]).paylab.to_database(target, if_exists=mode)
    later = made(["2", "3"], "failed", start=1)
    later = later[1:] if mode == "append" else later
    assert later.paylab.to_database(target, if_exists=mode) == len(later)
    back = frames.read_sql("transfers", target)
    assert dict(zip(back["id"], back["status"], strict=True)) == statuses


def test_a_table_that_exists_is_not_touched(made, target):
    """`if_exists="fail"` writes a new table, and refuses one that is there."""
    assert made(["1"]).paylab.to_database(target, if_exists="fail") == 1
    with pytest.raises(ConfigError, match="there is a table transfers already"):
        made(["2"]).paylab.to_database(target, if_exists="fail")
    assert frames.read_sql("transfers", target)["source_amount"].tolist() == [Decimal(1)]


def test_rows_are_written_all_or_none(made, target):
    """A table that lacks a column keeps its rows."""
    frame = made(["1"])
    frame[["id", "source_amount"]].paylab.to_database(target)
    with pytest.raises(ConfigError, match="has no column client_reference_id"):
        frame.paylab.to_database(target, if_exists="append")
    assert len(frames.read_sql("transfers", target)) == 1


@pytest.mark.parametrize(
    ("column", "amount", "needed"),
    [
        ("decimal(18, 2)", "0.001", "24, 6"),
        ("decimal(10, 6)", "12345", "24, 6"),
        ("double", "1", "24, 6"),
        ("decimal(24, 6)", LONG, "38, 18"),
    ],
)
def test_a_column_that_would_round_is_refused_before(made, tmp_path, column, amount, needed):
    """A database rounds an amount that its column cannot hold: it is refused before."""
    path = str(tmp_path / "books.duckdb")
    with duckdb.connect(path) as books:
        books.execute(f"create table transfers (id varchar, source_amount {column})")
    words = rf"source_amount of the table transfers would round .* DECIMAL\({needed}\) or wider"
    with pytest.raises(ExactnessError, match=words):
        made([amount])[["id", "source_amount"]].paylab.to_database(path, if_exists="append")
    assert len(frames.read_sql("select id from transfers", path)) == 0


@pytest.mark.parametrize("mode", ["append", "upsert"])
@pytest.mark.parametrize(
    "type_name",
    ["DECIMAL(24, 6)", "NUMERIC", "DECIMAL(38, 18)", "NUMBER", "MONEY", "STRING", "REAL"],
)
def test_a_column_of_sqlite_that_has_floats_is_refused(made, tmp_path, mode, type_name):
    """DECIMAL and names that SQLite does not know are floats in it, of any number of digits."""
    with sqlite3.connect(tmp_path / "b.sqlite") as books:
        books.execute(f"create table paid (id text, source_amount {type_name})")
    frame = made(["0.1", "12345678901234567.891234"])[["id", "source_amount"]]
    with pytest.raises(ExactnessError, match=r"paid would round an amount.* or TEXT in SQLite"):
        frame.paylab.to_database(f"sqlite:///{tmp_path}/b.sqlite", "paid", if_exists=mode)
    with sqlite3.connect(tmp_path / "b.sqlite") as books:
        assert books.execute("select count(*) from paid").fetchone() == (0,)


@pytest.mark.parametrize("type_name", ["TEXT", "varchar(40)", "DECIMAL_TEXT"])
def test_a_column_of_texts_in_sqlite_keeps_every_digit(made, tmp_path, type_name):
    """Rows are added to a table of your own that has the amounts as text."""
    with sqlite3.connect(tmp_path / "b.sqlite") as books:
        books.execute(f"create table paid (id text, source_amount {type_name})")
    frame = made(["0.1", "12345678901234567.891234"])[["id", "source_amount"]]
    frame.paylab.to_database(f"sqlite:///{tmp_path}/b.sqlite", "paid", if_exists="append")
    amounts = frames.read_sql("paid", f"sqlite:///{tmp_path}/b.sqlite")["source_amount"]
    assert amounts.tolist() == frame["source_amount"].tolist()


def test_an_amount_with_18_decimals_is_written_in_full(made, target):
    """An amount with 18 decimals is written in full."""
    made([LONG]).paylab.to_database(target)
    assert frames.read_sql("transfers", target)["source_amount"].tolist() == [Decimal(LONG)]


def test_a_table_has_decimals_or_text(made, tmp_path):
    """Amounts are DECIMAL(24, 6) in DuckDB, so that later rows fit, and text in SQLite."""
    made(["10.25"]).paylab.to_database(tmp_path / "books.duckdb", "paid")
    with duckdb.connect(str(tmp_path / "books.duckdb")) as books:
        kinds = books.sql("select typeof(source_amount), typeof(exchange_rate) from paid")
        assert kinds.fetchall() == [("DECIMAL(24,6)", "DECIMAL(13,8)")]
    made(["10.25"]).paylab.to_database(f"sqlite:///{tmp_path}/books.sqlite")
    with sqlite3.connect(tmp_path / "books.sqlite") as books:
        query = "select typeof(source_amount), source_amount from transfers"
        assert books.execute(query).fetchall() == [("text", "10.250000")]


def test_postgresql_has_decimals_and_times_with_a_zone(made):
    """In PostgreSQL amounts are DECIMAL, times have a zone, and a schema is named."""
    statements = []
    engine = sqlalchemy.create_mock_engine("postgresql://", lambda sql, *_: statements.append(sql))
    rows = convert_frame_types(made().paylab.arrow(), TRANSFERS)
    table = SqlTable(engine, "paid", "books").make_table(rows)
    table.create(engine, checkfirst=False)
    text = str(statements[0].compile(engine))
    assert "CREATE TABLE books.paid" in text
    assert "source_amount DECIMAL(24, 6)" in text
    assert "created_at TIMESTAMP WITH TIME ZONE" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop(columns="id"), 'upsert needs the column "id"'),
        (lambda frame: frame.assign(id="same"), "upsert needs an id in every row"),
        (lambda frame: frame.assign(id=None), "upsert needs an id in every row"),
    ],
)
def test_an_upsert_without_ids_is_refused(made, tmp_path, change, words):
    """Rows without an id of their own cannot update a table; no file is made."""
    with pytest.raises(RuleError, match=words):
        change(made()).paylab.to_database(tmp_path / "b.duckdb", if_exists="upsert")
    assert not [*tmp_path.iterdir()]


def test_a_wrong_mode_target_or_table_is_an_error(made, tmp_path):
    """A misspelt mode, a target that is no database, and an absent table are errors."""
    with pytest.raises(RuleError, match=r"'upsrt' must be one of .*nearest: upsert"):
        made().paylab.to_database(tmp_path / "b.duckdb", if_exists="upsrt")
    with pytest.raises(ConfigError, match=r"must be a URL such as .*, not a dict"):
        made().paylab.to_database({})
    with pytest.raises(ConfigError, match=r"there is no file .*absent\.duckdb"):
        frames.read_sql("transfers", tmp_path / "absent.duckdb")
    with pytest.raises(ConfigError, match="cannot be read: no such table: nothing"):
        frames.read_sql("nothing", f"sqlite:///{tmp_path}/b.sqlite")


def test_an_amount_that_a_database_has_as_a_float(tmp_path):
    """It is refused, because its digits are lost already."""
    with sqlite3.connect(tmp_path / "b.sqlite") as books:
        books.execute("create table paid (id text, source_amount real)")
        books.execute("insert into paid values ('tr_1', 0.1)")
    with pytest.raises(ExactnessError, match="source_amount is a float in this database"):
        frames.read_sql("paid", f"sqlite:///{tmp_path}/b.sqlite", "transfers")
    total = "select sum(source_amount) as source_amount from paid"
    with pytest.raises(ExactnessError, match=r"as a sum in SQLite .*, read the rows"):
        frames.read_sql(total, f"sqlite:///{tmp_path}/b.sqlite", "transfers")


@pytest.mark.parametrize("others", [[12345678901234567], ["1.5"], [None, 1], [2**60, "7", None]])
@pytest.mark.parametrize("type_name", ["DECIMAL(24, 6)", "", "TEXT_OR_NUMBER"])
def test_a_float_among_exact_amounts_of_a_database(tmp_path, others, type_name):
    """One float in a column is refused as a column of floats is, whatever stands beside it."""
    with sqlite3.connect(tmp_path / "b.sqlite") as books:
        books.execute(f"create table paid (id text, source_amount {type_name})")
        books.executemany("insert into paid values ('tr', ?)", [(other,) for other in others])
        books.execute("insert into paid values ('tr', 0.1)")
    query = "select id, source_amount from paid"
    if type_name == "TEXT_OR_NUMBER":  # stored as text, and computed in the query
        query = (
            "select id, case when source_amount = '0.1' then source_amount * 1.0 "
            "else source_amount end as source_amount from paid"
        )
    with pytest.raises(ExactnessError, match="source_amount is a float in this database"):
        frames.read_sql(query, f"sqlite:///{tmp_path}/b.sqlite", "transfers")


def test_whole_numbers_of_a_database_are_exact_amounts(tmp_path):
    """A column of integers is one of amounts, and those past 18 digits keep each digit."""
    with sqlite3.connect(tmp_path / "b.sqlite") as books:
        books.execute("create table paid (id text, source_amount integer)")
        books.execute("insert into paid values ('a', 9007199254740993), ('b', null), ('c', 2)")
    amounts = frames.read_sql("paid", f"sqlite:///{tmp_path}/b.sqlite")["source_amount"]
    assert amounts.dtype == "decimal"
    assert amounts.sum() == 9007199254740995


def test_a_connection_of_yours_keeps_its_transaction(made, tmp_path):
    """Rows that are written in a transaction of yours go when you roll it back."""
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/b.sqlite")
    made(["1"]).paylab.to_database(engine)
    with engine.connect() as connection:
        connection.begin()
        made(["2"], start=1).paylab.to_database(connection, if_exists="append")
        assert len(frames.read_sql("transfers", connection)) == 2
        connection.rollback()
    assert len(frames.read_sql("transfers", engine)) == 1
    engine.dispose()


@pytest.mark.parametrize("table", ["", " ", "a\nb", "\0"])
@pytest.mark.parametrize("place", ["books.duckdb", "sqlite:///books.sqlite"])
def test_a_table_has_a_name_that_can_be_read(made, tmp_path, monkeypatch, place, table):
    """Nothing is written for an empty name, or one with a control character."""
    monkeypatch.chdir(tmp_path)
    frame = made()
    with pytest.raises(RuleError, match="table: must be a name"):
        frame.paylab.to_database(place, table)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_duckdb_names_its_cause(made, tmp_path):
    """A schema that does not exist is named, not the transaction that it ended."""
    frame = made()
    with pytest.raises(ConfigError, match="nowhere"):
        frame.paylab.to_database(tmp_path / "books.duckdb", schema="nowhere")


def test_sqlite_stores_an_element_as_its_text(made):
    """One amount is bound as it is printed, also by pandas in a plain frame of sums."""
    total = made(["10.25", "123456789012345678.123456"])["source_amount"].sum()
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute("select ?", (total,)).fetchone() == ("123456789012345688.373456",)
        pd.DataFrame({"total": [total]}).to_sql("sums", connection, index=False)
        rows = connection.execute("select total from sums").fetchall()
    assert rows == [("123456789012345688.373456",)]


@pytest.mark.parametrize(
    ("place", "query"),
    [
        ("sqlite:///books.sqlite", "select sum(source_amount) as total from transfers"),
        ("books.duckdb", "select avg(source_amount) as total from transfers"),
    ],
)
def test_a_float_that_a_database_computed_is_named(made, tmp_path, monkeypatch, place, query):
    """The warning names the column and says how to compute it exactly."""
    monkeypatch.chdir(tmp_path)
    made(["0.1", "0.2"]).paylab.to_database(place)
    with pytest.warns(frames.FloatWarning, match="total is a float.*read the rows"):
        frames.read_sql(query, place)


@pytest.mark.parametrize(
    ("query", "is_named"),
    [
        ("select source_amount as paid from transfers", True),
        ("select max(source_amount) as paid from transfers", True),
        ("select source_amount as paid from transfers where id is null", False),
        ("select id, source_amount from transfers", False),
        ("select length(id) || '' as paid from transfers", False),
        ("select source_currency as paid from transfers", False),
    ],
)
def test_amounts_that_sqlite_gives_as_text_under_another_name_are_named(
    made, query, is_named, tmp_path
):
    """They would be compared by their letters; whole numbers may be identifiers."""
    url = f"sqlite:///{tmp_path}/books.sqlite"
    made(["986.74", "4208.77"]).paylab.to_database(url)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frames.read_sql(query, url)
    messages = [str(warning.message) for warning in caught]
    beginning = "SQLite returned the numbers of paid as text"
    assert [message.startswith(beginning) for message in messages] == ([True] if is_named else [])
