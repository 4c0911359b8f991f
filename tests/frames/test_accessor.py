"""`frame.paylab`: floats, summaries, workbooks and databases."""

from __future__ import annotations

import gc
import re
import statistics
import warnings
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from traceback import format_exception

import numpy as np
import openpyxl
import pandas as pd
import pytest

from paylab import frames
from paylab.errors import ArgumentError, ConfigError, ExactnessError, OptionError, RuleError
from paylab.frames.exact_frame import ExactFrame
from paylab.webhooks.books import read_books

NOW = "2026-01-31T12:00:00Z"


@pytest.fixture(name="frame")
def six(transfer):
    """Six transfers in two corridors: two are open, three completed, one failed."""
    done = transfer | {"status": "completed", "deposit_instructions": None}
    rows = [
        transfer | {"id": "old", "created_at": "2026-01-31T09:00:00Z"},
        transfer | {"id": "new", "created_at": "2026-01-31T11:30:00Z"},
        *(done | {"id": f"t{n}", "completed_in": str(n)} for n in (2, 4, 90)),
        done
        | {
            "id": "b",
            "status": "failed",
            "destination_currency": "BRL",
            "failure_reason": "closed",
        },
    ]
    return frames.transfers([{"data": rows}], attrs={"fetched_at": NOW})


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["old"]),
        ({"older_than": "15min"}, ["old", "new"]),
        ({"older_than": "30min"}, ["old"]),  # the other one is exactly as old
        ({"now": datetime(2026, 2, 2, tzinfo=UTC)}, ["old", "new"]),
    ],
)
def test_open_rows_older_than_the_limit_oldest_first(frame, asked, found):
    """Open rows older than the limit, oldest first; `now` is by default the time of the fetch."""
    assert frame.paylab.stuck(**asked)["id"].tolist() == found


def test_stuck_says_for_how_long(frame):
    """The column `age` has the age of each row."""
    assert frame.paylab.stuck()["age"].tolist() == [pd.Timedelta("3h")]


@pytest.mark.parametrize("wrong", ["soon", "-1h", -5, None, "NaT", float("nan"), "5", "+5", 1e16])
def test_a_duration_that_is_none(frame, wrong):
    """An invalid duration raises RuleError with its value and a valid example."""
    with pytest.raises(RuleError, match=f"{re.escape(repr(wrong))} is not a duration .* write 30m"):
        frame.paylab.stuck(wrong)


def test_a_moment_that_is_none(frame):
    """An invalid time raises RuleError with the name of its argument."""
    with pytest.raises(RuleError, match="now: must be a datetime"):
        frame.paylab.stuck(now="soon")


def test_counts_failure_rate_and_reasons_for_each_corridor(frame):
    """Counts, failure rate and reasons for each corridor."""
    found = frame.paylab.failures().set_index("corridor")
    assert found.loc["USDC-BRL"].tolist() == [1, 1, Decimal(1), "closed: 1"]
    assert found.loc["USDC-MXN", "failure_rate"] == 0


def test_median_p95_and_p99_for_each_corridor_as_exact_decimals(frame):
    """Median, p95 and p99 for each corridor, as exact decimals."""
    found = frame.paylab.durations().set_index("corridor").loc["USDC-MXN"]
    assert found.tolist() == [3, Decimal(4), Decimal("81.4"), Decimal("88.28")]


def test_a_status_of_several_currencies_is_one_row(frame):
    """Counts and durations have no amounts, so they are not split by currency."""
    failed = frame.assign(status="failed").paylab.failures("status")
    assert failed[["status", "rows"]].to_numpy().tolist() == [["failed", 6]]
    assert len(frame.assign(status="completed").paylab.durations("status")) == 1


def test_an_arrow_table_has_the_columns(frame, tmp_path):
    """Row numbers are no column of a table or a file; an index with a name is."""
    some = frame[frame["status"] == "completed"]
    assert some.paylab.arrow().column_names == list(frame.columns)
    assert list(frames.read_csv(frames.to_csv(some, tmp_path / "t.csv"))) == list(frame.columns)
    named = some.set_index("id")
    assert sorted(named.paylab.arrow().column_names) == sorted(frame.columns)


def test_attrs_says_that_amounts_are_floats(frame):
    """`attrs` says that amounts are floats; the original frame stays exact."""
    floats = frame.paylab.floats()
    assert floats["source_amount"].dtype == float
    assert floats.attrs["amounts"] == "float"
    assert str(frame["source_amount"].dtype) == "decimal"


def test_a_float_is_compared_as_it_is_printed_with_one_warning(frame):
    """A comparison with a float uses its printed digits and gives one warning at the caller."""
    with pytest.warns(frames.FloatWarning, match=r'Compare with Decimal\("10.25"\)') as told:
        found = frame["source_amount"] == 10.25
    assert found.all()
    assert [one.filename for one in told] == [__file__]


@pytest.mark.parametrize(
    ("compute", "written"),
    [
        (lambda amounts: np.percentile(amounts, 5), "amounts.quantile(0.05)"),
        (lambda amounts: np.quantile(amounts, q=0.95), "amounts.quantile(0.95)"),
        (lambda amounts: np.percentile(amounts, [5, 95]), "amounts.quantile(share)"),
    ],
)
def test_a_percentile_of_numpy_says_which_quantile_to_write(frame, compute, written):
    """The share is that of the call; of several it is left open."""
    with pytest.raises(ExactnessError, match=re.escape(written)):
        compute(frame["source_amount"])


def test_a_float_is_no_factor(frame):
    """Multiplying by a float raises ExactnessError, which suggests a Decimal."""
    with pytest.raises(ExactnessError, match=r'write Decimal\("1\.16"\)'):
        frame["source_amount"] * 1.16


def test_sums_over_several_currencies_warn_once_and_name_them(frame, tmp_path):
    """A sum, a mean or a group of rows in several currencies warns; one by currency does not."""
    mixed = frame.assign(fee_currency="EUR")
    mixed = frames.read_csv(frames.to_csv(mixed, tmp_path / "t.csv"))
    several = mixed[["destination_amount", "destination_currency", "status"]]
    names = ", ".join(sorted(several["destination_currency"].unique()))
    amounts = several["destination_amount"]
    groups = several.groupby(lambda row: 1)["destination_amount"]
    both = pd.concat([several, several])["destination_amount"]
    for ask in (
        amounts.sum,
        amounts[::-1].mean,
        (amounts * 2).sum,
        lambda: np.sum(amounts),
        groups.sum,
        both.sum,
    ):
        with pytest.warns(frames.CurrencyWarning, match=f"^amounts in {names} are") as caught:
            ask()
        assert [str(warning.filename) for warning in caught] == [__file__]


def test_sums_of_one_currency_do_not_warn(frame):
    """Groups by currency, a filtered currency and the sums per currency are silent and equal."""
    kept = frame[["destination_amount", "destination_currency"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = kept.groupby("destination_currency", observed=True)["destination_amount"].sum()
        one = kept[kept["destination_currency"] == sums.index[0]]["destination_amount"].sum()
        per_currency = frames.by_currency(frame)
        assert (frame["destination_amount"] / frame["exchange_rate"]).sum() > 0  # in one currency
    assert one == sums.iloc[0]
    assert per_currency["destination_amount"].dropna().to_dict() == sums.to_dict()
    assert per_currency.index.name == "currency"
    alone = frames.by_currency(frame[["destination_amount"]])  # the amounts know their currency
    assert alone["destination_amount"].to_dict() == sums.to_dict()
    with pytest.raises(ConfigError, match="no amount"):
        frames.by_currency(frame[["exchange_rate"]])


def test_own_amounts_are_summed_per_currency(frame):
    """Own and renamed columns know their currency; a product with a rate has none and is absent."""
    own = frame.assign(
        margin=frame["source_amount"] * Decimal("0.01"),
        in_source=frame["destination_amount"] / frame["exchange_rate"],
    ).rename(columns={"source_amount": "paid"})
    sums = frames.by_currency(own)
    paid = frames.by_currency(frame)["source_amount"]
    assert sums["paid"].dropna().to_dict() == paid.dropna().to_dict()
    assert (sums["margin"] * 100).dropna().to_dict() == paid.dropna().to_dict()
    assert not {"in_source", "exchange_rate"} & {*sums.columns}
    assert frames.by_currency(own[["paid"]]).index.tolist() == paid.dropna().index.tolist()


@pytest.mark.parametrize(
    ("amount", "currency", "written"),
    [
        ("10.1", "USD", "10.10"),
        ("10.1", "USDC", "10.100000"),
        ("10.000000000000000001", "usdc", "10.000000000000000001"),
        ("0", "EUR", "0.00"),
        ("5", "VND", "5"),
        ("5.5", "VND", "5.5"),
        ("0.000", "vnd", "0"),
    ],
)
def test_a_file_has_the_decimals_of_the_currency(tmp_path, amount, currency, written):
    """Beside a value of 18 decimals, each amount has the decimals of its currency, or its own."""
    finest = {"source_amount": "1.000000000000000001", "source_currency": "USDC"}
    rows = [{"source_amount": amount, "source_currency": currency}, finest]
    made = frames.of(rows, "quotes")[["source_amount", "source_currency"]]
    lines = made.paylab.to_csv(tmp_path / "q.csv").read_text().splitlines()
    assert lines[1] == f'"{written}","{currency}"'
    assert "E-" not in made.to_csv() + str(made["source_amount"].tolist()) + str(made)


def test_a_workbook_has_numbers_up_to_15_digits_and_times_in_the_zone(frame, tmp_path):
    """Amounts are numbers up to 15 digits, times are in the zone, and text stays text."""
    frame.loc[0, "client_reference_id"] = "=1+1"
    frame.loc[0, "failure_reason"] = "x" * 32_767  # the longest text of a cell
    frame["source_amount"] *= Decimal("1000000000000.001")
    frame["net_source_amount"] *= Decimal("100000000000.1")
    frame["exchange_rate"] *= Decimal("1000000000.1")
    frame["batch"] = 1234567890123456
    with pytest.warns(frames.SheetTextWarning):
        path = frame.paylab.to_excel(tmp_path / "t.xlsx", tz="Asia/Manila")
    book = openpyxl.load_workbook(path)
    about = dict(book["about"].iter_rows(values_only=True))
    assert about["rows"] == "6"
    assert (about["time zone"], about["fetched_at"]) == ("Asia/Manila", NOW)
    sheet = book["rows"]
    cells = dict(zip([cell.value for cell in sheet[1]], sheet[2], strict=True))
    assert cells["total_fee"].value == 0.5
    assert cells["total_fee"].number_format == "0.00"
    assert cells["source_amount"].value == "10250000000000.01025"
    assert (cells["net_source_amount"].value, cells["net_source_amount"].number_format) == (
        975000000000.975,
        "0.000",
    )
    assert cells["exchange_rate"].value == "16711200001.67112"
    assert cells["batch"].value == "1234567890123456"
    assert cells["created_at"].value == datetime(2026, 1, 31, 17, 0)
    assert (cells["client_reference_id"].value, cells["client_reference_id"].data_type) == (
        "=1+1",
        "s",
    )


def test_a_workbook_keeps_every_text(frame, tmp_path):
    """Characters that XML cannot hold are escaped as Excel does; a longer text is refused."""
    texts = ["a\x00b", "x\r=1", "\r\n=1", "\x07\x0b\x1b\uffff", "_x000D_", "__x005f_x0041_"]
    frame["failure_reason"] = texts
    path = frame.paylab.to_excel(tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(path)["rows"]
    assert "x_x000D_=1" in [cell.value for cell in sheet[3]]
    assert list(read_books(path).frame["failure_reason"]) == texts
    frame.loc[0, "failure_reason"] = "x" * 40_000
    with pytest.raises(ConfigError, match="a cell holds 32,767 characters"):
        frame.paylab.to_excel(tmp_path / "t.xlsx")


def test_a_writer_of_pandas_keeps_its_sheets(frame, tmp_path):
    """An ExcelWriter is refused, and what was written to it stays."""
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="mine")
        with pytest.raises(ArgumentError, match="path is an ExcelWriter: give a path"):
            frame.paylab.to_excel(writer)
    assert openpyxl.load_workbook(tmp_path / "t.xlsx").sheetnames == ["mine"]


@pytest.mark.parametrize("name", ["t.csv", "t", "t.xlsm"])
def test_a_workbook_under_another_suffix_is_refused(frame, tmp_path, name):
    """No program opens a workbook under the name of another kind of file."""
    with pytest.raises(OptionError, match=r"path: .* must end in \.xlsx; to_csv\(\) writes CSV"):
        frame.paylab.to_excel(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_stuck_refuses_a_column_with_the_name_of_its_own(frame):
    """A frame that has a column `age` is told to rename it."""
    with pytest.raises(ConfigError, match="has a column age already: rename it"):
        frame.assign(age=1).paylab.stuck()


def test_a_workbook_with_too_many_rows_is_refused(frame, tmp_path):
    """A frame with one row more than a sheet holds below its header leaves no file."""
    long_frame = frame[["id"]].loc[[0] * 1_048_576]
    with pytest.raises(ConfigError, match="a sheet holds 1,048,575 rows; write CSV or Parquet"):
        long_frame.paylab.to_excel(tmp_path / "t.xlsx")
    assert not [*tmp_path.iterdir()]


def test_a_place_that_is_no_database(frame):
    """The error names the valid file extensions."""
    with pytest.raises(ConfigError, match=r"neither a database URL nor a \.duckdb"):
        frame.paylab.to_database("books.txt")


def test_a_workbook_in_a_missing_folder_is_refused(frame, tmp_path, capfd):
    """A missing folder raises ConfigError before any row is written, without other output."""
    frame.loc[0, "failure_reason"] = "x" * 40_000  # a row that would be refused
    with pytest.raises(ConfigError, match=r"cannot write t\.xlsx: there is no folder"):
        frame.paylab.to_excel(tmp_path / "missing/t.xlsx")
    gc.collect()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("unknown://me:pass-9@127.0.0.1/books", "needs a driver"),
        ("postgresql://me:pass-9@127.0.0.1:port/books", "cannot be read: write postgresql://USER"),
        ("postgresql+absent://me:pass-9@127.0.0.1/books", "needs a driver"),
        ("sqlite:////missing/books.sqlite", "cannot be written: unable to open database file"),
    ],
)
def test_a_database_that_cannot_be_written(frame, url, words):
    """The error gives the reason and never contains the password."""
    with pytest.raises(ConfigError, match=words) as refused:
        frame.paylab.to_database(url)
    assert "pass-9" not in "".join(format_exception(refused.value))


def test_a_file_that_is_no_duckdb(frame, tmp_path):
    """The error names the file, and the file is not changed."""
    (tmp_path / "books.duckdb").write_bytes(b"words " * 900)
    with pytest.raises(
        ConfigError, match=r"books\.duckdb cannot be written: .* not a valid DuckDB"
    ):
        frame.paylab.to_database(tmp_path / "books.duckdb")
    assert (tmp_path / "books.duckdb").read_bytes() == b"words " * 900


def test_amounts_without_a_currency_are_in_a_row_of_their_own():
    """No amount is left out of the sums; amounts that are missing, too, add no row."""
    rows = [
        {"id": "1", "source_amount": "1.00", "source_currency": "usd"},
        {"id": "2", "source_amount": "2.00", "source_currency": None},
        {"id": "3", "source_amount": None, "source_currency": None},
    ]
    columns = ["source_amount", "source_currency"]
    sums = frames.by_currency(frames.transfers([{"data": rows}], columns=columns))
    assert sums["source_amount"].tolist() == [Decimal("1.00"), Decimal("2.00")]
    assert sums.index[0] == "USD"
    assert pd.isna(sums.index[1])
    settled = frames.transfers([{"data": rows[::2]}], columns=columns)
    assert frames.by_currency(settled).index.tolist() == ["USD"]


def test_a_window_without_enough_rows_for_its_amounts_is_refused():
    frame = ExactFrame({"a": pd.Series(["1"], dtype="decimal")})
    with pytest.raises(ArgumentError, match="min_periods is 5: it is at most the window, 3"):
        frame.paylab.rolling(3, min_periods=5)


@pytest.mark.parametrize(
    ("window", "min_periods"),
    [(1, None), (1, 1), (2, None), (2, 1), (3, None), (3, 3), (7, 1), (7, 3), (100, 3)],
)
def test_medians_and_extremes_of_windows_are_those_of_python(window, min_periods):
    """Windows with repeated, negative and missing amounts equal those that Python sorts anew."""
    random = Random(window)
    cents = [None if random.random() < 0.2 else random.randrange(-9, 9) for _ in range(40)]
    amounts = [None if cent is None else Decimal(cent) / 100 for cent in cents]
    frame = ExactFrame({"a": pd.Series(amounts, dtype="decimal")})
    rolling = frame.paylab.rolling(window, min_periods=min_periods)["a"]
    for found, expect in (
        (rolling.median(), statistics.median),
        (rolling.min(), min),
        (rolling.max(), max),
    ):
        for row_number, value in enumerate(found):
            last_rows = amounts[max(0, row_number - window + 1) : row_number + 1]
            present = [amount for amount in last_rows if amount is not None]
            is_full = len(present) >= (min_periods or window)
            assert (None if value is pd.NA else value) == (expect(present) if is_full else None)
