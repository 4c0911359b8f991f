"""The libraries that analysts use accept a frame as it is.

Each test imports its library: every worker collects this file, and one runs it.
"""

from __future__ import annotations

import sqlite3
from decimal import Decimal

import duckdb
import pandas as pd
import pytest

import paylab
from paylab.errors import ExactnessError
from paylab.frames import DecimalDtype


@pytest.fixture(scope="module", name="frame")
def seeded():
    """A frame of 130 transfers of one source currency."""
    lab = paylab.connect()
    lab.simulator.seed(transfers=130)
    return lab.transfers.frame()


@pytest.fixture(scope="module", name="total")
def total_fixture(frame):
    """The exact total."""
    return sum(frame["source_amount"])


def test_altair_infers_the_types(frame):
    """Amounts are quantitative and times temporal, without a letter in the encoding."""
    import altair

    chart = altair.Chart(frame).mark_point().encode(x="created_at", y="source_amount")
    encoding = chart.to_dict()["encoding"]
    assert [encoding[axis]["type"] for axis in "xy"] == ["temporal", "quantitative"]
    drawn = altair.Chart(frame.paylab.floats()).mark_point().encode(y="source_amount")
    assert "source_amount" in drawn.to_json()


@pytest.mark.parametrize("kind", ["scatter", "line", "bar", "area"])
def test_plotly_express_draws_amounts(frame, kind):
    """The points of a chart are the amounts, and the chart is written as JSON."""
    import plotly.express

    chart = getattr(plotly.express, kind)(frame, x="created_at", y="source_amount")
    assert list(chart.data[0].y) == frame["source_amount"].tolist()
    assert '"source_amount"' in chart.to_json()


@pytest.mark.parametrize("kind", ["histplot", "kdeplot", "boxplot", "violinplot", "ecdfplot"])
def test_a_distribution_of_amounts_is_drawn(frame, kind):
    """A distribution of amounts is drawn."""
    import seaborn
    from matplotlib.figure import Figure

    axes = getattr(seaborn, kind)(frame, x="source_amount", ax=Figure().subplots())
    assert axes.get_xlabel() == "source_amount"


def test_the_type_is_a_decimal_and_sums_are_exact(frame, total):
    """The type is a decimal, and sums are exact."""
    import narwhals

    found = narwhals.from_native(frame)
    assert isinstance(found.schema["source_amount"], narwhals.Decimal)
    assert found["source_amount"].sum() == total
    grouped = found.group_by("status").agg(narwhals.col("source_amount").sum())
    assert sum(grouped["source_amount"].to_list()) == total


def test_a_frame_becomes_a_polars_frame_with_exact_amounts(frame, total):
    """A frame becomes a polars frame with exact amounts."""
    import polars

    found = polars.from_pandas(frame)
    assert found["source_amount"].sum() == total
    assert found["source_amount"].dtype.is_decimal()


def test_a_relation_of_the_frame_has_exact_sums(frame, total):
    """A relation of the frame has exact sums."""
    assert duckdb.from_df(frame).aggregate("sum(source_amount)").fetchall() == [(total,)]


@pytest.mark.parametrize("library", ["sqlalchemy", "sqlite3"])
def test_sqlite_has_no_exact_numbers_the_amounts_are_text_digit_by_digit(frame, library):
    """SQLite has no exact numbers: the amounts are text, digit by digit."""
    import sqlalchemy

    own = library == "sqlite3"
    connection = sqlite3.connect(":memory:") if own else sqlalchemy.create_engine("sqlite://")
    frame[["id", "source_amount"]].to_sql("t", connection, index=False)
    kept = pd.read_sql("select source_amount, typeof(source_amount) as kind from t", connection)
    assert set(kept["kind"]) == {"text"}
    assert kept["source_amount"].map(Decimal).tolist() == frame["source_amount"].tolist()
    declared = pd.read_sql("select type from pragma_table_info('t')", connection)["type"]
    assert declared[1] == "DECIMAL_TEXT"  # by which `read_sql` of paylab knows them


def test_other_databases_get_numbers(frame):
    """The columns of any other database are NUMERIC with the digits of the column."""
    import sqlalchemy

    from paylab.frames.frame_forms import sql_columns

    statements = []
    engine = sqlalchemy.create_mock_engine("postgresql://", lambda sql, *_: statements.append(sql))
    _, types = sql_columns(frame, engine)
    assert str(types["source_amount"]) == "NUMERIC(18, 2)"


def test_eval_computes_exactly_and_refuses_floats(frame):
    """An expression of columns is exact; one with a float says what to write."""
    found = frame.eval("source_amount + total_fee")
    assert found.tolist() == [
        amount + fee for amount, fee in zip(frame["source_amount"], frame["total_fee"], strict=True)
    ]
    with pytest.raises(ExactnessError, match="@rate"):
        frame.eval("source_amount * 1.5")
    with pytest.raises(ExactnessError, match=r"total = \.\.\., and write @total"):
        frame.eval("source_amount / source_amount[status == 'failed'].sum()")
    with pytest.raises(ExactnessError, match="eval does not compute"):
        frame.eval("source_amount * total_fee.max() * 1.5")
    rate = Decimal("1.5")
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        frame.eval("source_amount * @rate + source_amount.foo", local_dict={"rate": rate})


def test_markdown_has_all_digits(frame):
    """Markdown has the amounts digit by digit; tabulate would write six of them."""
    amounts = frame[["source_amount"]].head(3) * Decimal("1234567.000000000000000001")
    for shown in (amounts, amounts["source_amount"]):
        lines = shown.to_markdown().splitlines()[2:]
        assert [line.split("|")[2].strip() for line in lines] == [
            format(amount, "f") for amount in amounts["source_amount"]
        ]


def test_styles_show_exact_amounts(frame):
    """Bars and colours are drawn, and the cells keep all digits."""
    cells = frame[["source_amount"]].head(2)
    html = cells.style.bar().background_gradient().highlight_max().to_html()
    assert "linear-gradient" in html
    assert all(f">{amount}<" in html for amount in cells["source_amount"])


@pytest.mark.parametrize(
    "draw",
    [
        lambda f: f["source_amount"].plot.hist(),
        lambda f: f["source_amount"].hist(),
        lambda f: f.plot(x="created_at", y="source_amount"),
        lambda f: f.hist("source_amount"),
        lambda f: f.boxplot("source_amount"),
    ],
)
def test_the_plots_of_pandas_draw_amounts_as_floats(frame, draw):
    """The plots of pandas draw amounts as floats."""
    assert draw(frame) is not None


def test_a_merge_on_floats_is_refused(frame):
    """pandas would match the amounts that a float happens to equal."""
    books = pd.DataFrame({"source_amount": frame["source_amount"].astype(float), "row": 1})
    for ask in (
        lambda: paylab.frames.merge(frame, books, on="source_amount"),
        lambda: frame.merge(books),
        lambda: frame.merge(books, left_on="total_fee", right_on="source_amount"),
        lambda: paylab.frames.merge(
            books, frame.set_index("source_amount"), right_index=True, left_on="source_amount"
        ),
    ):
        with pytest.raises(ExactnessError, match=r"read the other column as text"):
            ask()
    exact = books.assign(source_amount=frame["source_amount"])
    assert isinstance(exact["source_amount"].dtype, DecimalDtype)
    assert len(paylab.frames.merge(frame, exact, on="source_amount")) >= len(frame)
