"""Parquet files have decimals that others can multiply, of one type per column of a dataset."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from synced_lists import List, rows

from paylab import frames
from paylab.errors import ConfigError, ExactnessError, RuleError

AMOUNT, RATE, WIDE = pa.decimal128(24, 6), pa.decimal128(13, 8), pa.decimal128(38, 18)
LONG = "34795180162506175491878.723775"


def types_of(path, *names):
    """The types of columns of a Parquet file."""
    schema = pq.read_schema(path)
    return [schema.field(name).type for name in names]


@pytest.mark.parametrize(
    ("change", "amount", "rate"),
    [
        ({}, AMOUNT, RATE),
        ({"source_amount": "0"}, AMOUNT, RATE),
        ({"source_amount": None, "exchange_rate": None}, AMOUNT, RATE),
        ({"source_amount": "999999999999999999.999999"}, AMOUNT, RATE),
        ({"source_amount": "-0.123456000000000000"}, AMOUNT, RATE),
        ({"source_amount": "12e-7"}, WIDE, RATE),
        ({"source_amount": "0.1234567"}, WIDE, RATE),
        ({"source_amount": "1000000000000000000"}, WIDE, RATE),
        ({"exchange_rate": "25412.12345678"}, AMOUNT, RATE),
        ({"exchange_rate": "0.000000001"}, AMOUNT, WIDE),
        ({"exchange_rate": "100000"}, AMOUNT, WIDE),
    ],
)
@pytest.mark.parametrize("to", ["t.parquet", "t/"])
def test_the_types_of_an_export_are_those_of_its_currencies(
    paged, transfer, tmp_path, change, amount, rate, to
):
    """Types are those of the table of currencies, and wide with a warning if a value needs it."""
    made = [transfer, transfer | change]
    with warnings.catch_warnings(record=True) as told:
        frames.export(paged(made), f"{tmp_path}/{to}")
    wide = [str(each.message) for each in told if each.category is frames.WiderDecimalWarning]
    assert len(wide) == (WIDE in (amount, rate))
    assert all("DECIMAL(38, 18)" in words for words in wide)
    file = next(
        path for path in [tmp_path / "t.parquet", *tmp_path.rglob("*.parquet")] if path.is_file()
    )
    assert types_of(file, "source_amount", "exchange_rate", "total_fee") == [amount, rate, AMOUNT]
    texts = [row["source_amount"] for row in made]
    expected = [text and Decimal(text) for text in texts]
    assert pq.read_table(file)["source_amount"].to_pylist() == expected


@pytest.mark.parametrize(
    ("scale", "amount", "rate"),
    [
        (2, pa.decimal128(24, 2), RATE),
        (0, pa.decimal128(24, 0), RATE),
        (18, WIDE, RATE),
        ({"source_amount": 4}, pa.decimal128(24, 4), RATE),
        ({"exchange_rate": 12, "source_amount": 8}, pa.decimal128(38, 8), pa.decimal128(38, 12)),
    ],
)
def test_scale_sets_the_decimals_of_all_amounts_or_those_of_some_columns(
    paged, transfer, tmp_path, scale, amount, rate
):
    """`scale` sets the decimals of all amounts, or those of some columns."""
    round_row = transfer | dict.fromkeys(
        ("source_amount", "destination_amount", "total_fee", "net_source_amount"), "10"
    )
    path = frames.export(paged([round_row]), tmp_path / "t.parquet", scale=scale).path
    assert types_of(path, "source_amount", "exchange_rate") == [amount, rate]


@pytest.mark.parametrize("scale", [6, 7, {"source_amount": 6}])
def test_a_chosen_scale_has_room_for_digits_before_the_point(paged, transfer, tmp_path, scale):
    """The column has 38 digits, with a warning, if the usual 24 are too few."""
    pages = paged([transfer | {"source_amount": LONG}])
    with pytest.warns(frames.WiderDecimalWarning) if scale != 7 else nullcontext():
        path = frames.export(pages, tmp_path / "t.parquet", scale=scale).path
    places = 7 if scale == 7 else 6
    assert types_of(path, "source_amount") == [pa.decimal128(38, places)]
    assert pq.read_table(path)["source_amount"].to_pylist() == [Decimal(LONG)]


@pytest.mark.parametrize(
    ("scale", "to", "error", "words"),
    [
        (1, "t.parquet", ExactnessError, r"source_amount, row 0: '10\.25' does not fit DECIMAL"),
        (19, "t.parquet", RuleError, "scale: must be a whole number of decimals from 0 to 18"),
        (2.0, "t.parquet", RuleError, "scale: must be"),
        ({"status": 2}, "t.parquet", RuleError, "'status' is no column; nearest|columns"),
        (2, "t.csv", ConfigError, "scale is for Parquet only"),
    ],
)
def test_a_scale_that_cannot_be(paged, transfer, tmp_path, scale, to, error, words):
    """A value that does not fit a chosen scale, and a bad scale, are errors; nothing is written."""
    with pytest.raises(error, match=words):
        frames.export(paged([transfer]), tmp_path / to, scale=scale)
    assert not [*tmp_path.iterdir()]


def priced(count=60, digits=6):
    """Rows of three days with amounts of six decimals and rates of eight."""
    return [
        row
        | {
            "source_amount": f"{number}.{number:06d}",
            "source_currency": "USD",
            "exchange_rate": f"17.{number:08d}",
            "total_fee": f"0.{number:0{digits}d}",
        }
        for number, row in enumerate(rows(count, days=3))
    ]


def test_others_read_and_multiply_a_dataset(tmp_path):
    """pandas, polars, DuckDB and Arrow read the folder, and their sums are those of Decimal."""
    made, folder = priced(), f"{tmp_path}/d"
    frames.Dataset(folder).sync(List(made))
    total = sum(Decimal(row["source_amount"]) for row in made)
    product = sum(Decimal(row["source_amount"]) * Decimal(row["exchange_rate"]) for row in made)
    assert sum(pd.read_parquet(folder)["source_amount"]) == total
    assert frames.read_parquet(folder)["source_amount"].sum() == total
    assert pl.read_parquet(folder)["source_amount"].sum() == total
    assert pl.scan_parquet(folder).collect().height == 60
    assert ds.dataset(folder, partitioning="hive").count_rows() == 60
    sql = (
        f"select sum(source_amount), sum(source_amount * exchange_rate) from '{folder}/*/*.parquet'"
    )
    assert duckdb.sql(sql).fetchall() == [(total, product)]
    assert {path.suffix for path in (tmp_path / "d").rglob("*") if path.is_file()} == {".parquet"}


def test_all_files_of_a_dataset_get_the_type_that_a_value_needs(tmp_path):
    """A value with seven decimals makes all files wide, once, and no digit is lost."""
    source, dataset = List(priced(digits=6)), frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    source.rows[0:0] = [source.rows[0] | {"id": "new", "total_fee": "0.1234567"}]
    with pytest.warns(frames.WiderDecimalWarning, match=r"total_fee \(DECIMAL\(24, 6\)\)"):
        assert dataset.sync(source).new == 1
    kinds = {
        tuple(types_of(path, "total_fee", "source_amount")) for path in tmp_path.rglob("*.parquet")
    }
    assert kinds == {(WIDE, AMOUNT)}
    total = sum(Decimal(row["total_fee"]) for row in source.rows)
    sql = f"select sum(total_fee) from '{tmp_path}/d/*/*.parquet'"
    assert duckdb.sql(sql).fetchall() == [(total,)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dataset.sync(source).new == 0


def test_a_rewriting_that_was_interrupted_is_finished(tmp_path):
    """The next sync gives the files their types that a killed one had not reached."""
    source, dataset = List(priced()), frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    dataset.sync(source, overlap="0s")
    state = tmp_path / "d.sync.json"
    state.write_text(
        state.read_text()
        .replace('"total_fee": [24, 6]', '"total_fee": [38, 18]')
        .replace('"is_rewriting": false', '"is_rewriting": true')
    )
    dataset.sync(source, overlap="0s")
    assert {types_of(path, "total_fee")[0] for path in tmp_path.rglob("*.parquet")} == {WIDE}


def test_a_chosen_scale_of_a_dataset_is_kept(tmp_path):
    """A value that does not fit the scale of a dataset is an error, as is another scale."""
    source, folder = List(priced()), f"{tmp_path}/d"
    frames.Dataset(folder, scale=6).sync(source)
    source.rows[0:0] = [source.rows[0] | {"id": "new", "total_fee": "0.1234567"}]
    with pytest.raises(ExactnessError, match=r"'0\.1234567' does not fit DECIMAL\(24, 6\)"):
        frames.Dataset(folder).sync(source)
    with pytest.raises(ConfigError, match="fixed when it is made"):
        frames.Dataset(folder, scale=2).sync(source)
    source.rows[0] |= {"total_fee": LONG}
    with pytest.warns(frames.WiderDecimalWarning, match=r"written as DECIMAL\(38, 6\)"):
        frames.Dataset(folder, scale=6).sync(source)
    assert {types_of(path, "total_fee")[0] for path in tmp_path.rglob("*.parquet")} == {
        pa.decimal128(38, 6)
    }
    assert frames.read_parquet(folder)["total_fee"].max() == Decimal(LONG)


def test_a_dataset_of_an_older_version_keeps_its_decimals(tmp_path):
    """Its decimals stay, and all its files get the column of unknown fields."""
    source, dataset = List(priced()), frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    (tmp_path / "d.sync.json").rename(tmp_path / "d" / "_sync.json")
    for path in tmp_path.rglob("*.parquet"):
        table = pq.ParquetFile(path).read().drop_columns(["extra"])
        at = table.column_names.index("total_fee")
        pq.write_table(table.set_column(at, "total_fee", table["total_fee"].cast(WIDE)), path)
    state = tmp_path / "d" / "_sync.json"
    state.write_text(state.read_text().partition(', "columns"')[0] + "}")
    source.rows[0]["risk"] = "low"
    assert dataset.sync(source).new == 0
    kinds = {tuple(types_of(path, "total_fee", "extra")) for path in tmp_path.rglob("*.parquet")}
    assert kinds == {(WIDE, pa.string())}
    assert not state.exists()
    assert "low" in dataset.frame()["extra"].dropna().tolist()[0]


@pytest.mark.parametrize(
    "write",
    [
        lambda frame, path: frame.to_parquet(path),
        lambda frame, path: pl.from_arrow(frame.paylab.arrow()).write_parquet(path),
    ],
    ids=["pandas", "polars"],
)
def test_a_file_of_another_library_is_read_as_the_frame_that_it_wrote(
    paged, transfer, tmp_path, write
):
    """Words are categories, also with missing ones; other texts are texts, and yours are kept."""
    taxes = ["USD", None, "USDC"]
    changes = {"total_tax": "1.00", "deposit_instructions": None}
    transfers = [transfer | changes | {"tax_currency": tax} for tax in taxes]
    frame = frames.transfers(paged(transfers))
    frame["size"] = pd.Categorical(["small", None, "big"], ["small", "big"])
    write(frame, tmp_path / "t.parquet")
    read_frame = frames.read_parquet(tmp_path / "t.parquet")
    assert read_frame["size"].tolist() == frame["size"].tolist()
    pd.testing.assert_frame_equal(read_frame.drop(columns="size"), frame.drop(columns="size"))
    assert read_frame["size"].dtype == "category"
    with pytest.warns(frames.CurrencyWarning):
        read_frame["total_tax"].sum()


@pytest.mark.parametrize("kind", [None, "transfers"])
@pytest.mark.parametrize("arrow_type", [pa.float64(), pa.float32(), pa.bool_()])
def test_an_amount_that_a_file_has_as_a_float_is_refused(tmp_path, kind, arrow_type):
    """Its digits are lost already, as those of a float of a database; the column is named."""
    ids_and_amounts = {"id": ["a", "b"], "source_amount": pa.array([1, None]).cast(arrow_type)}
    pq.write_table(pa.table(ids_and_amounts), tmp_path / "floats.parquet")
    with pytest.raises(ExactnessError, match=f"source_amount holds {arrow_type}, which is not"):
        frames.read_parquet(tmp_path / "floats.parquet", kind)


@pytest.mark.parametrize(
    "amounts",
    [
        pa.array([10**18, None, -3]),
        pa.array([1000000000000000000, None, -3], pa.decimal256(60, 2)),
        pa.array(["1000000000000000000", None, "-3"]).dictionary_encode(),
        pa.array(["1000000000000000000", None, "-3"], pa.string_view()),
        pa.array([10**18, None, -3]).dictionary_encode(),
    ],
)
def test_whole_numbers_and_words_of_a_file_are_exact_amounts(tmp_path, amounts):
    """However another program has written them; a column of floats without a number is empty."""
    taxes = pa.nulls(3, pa.float64())
    table = pa.table({"id": ["a", "b", "c"], "source_amount": amounts, "total_tax": taxes})
    pq.write_table(table, tmp_path / "whole.parquet")
    frame = frames.read_parquet(tmp_path / "whole.parquet")
    assert [str(frame[name].dtype) for name in ("source_amount", "total_tax")] == ["decimal"] * 2
    assert frame["source_amount"].sum() == 10**18 - 3
    assert frame["total_tax"].isna().all()
