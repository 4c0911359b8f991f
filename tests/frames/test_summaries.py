"""Summaries equal Python's own arithmetic for each group and each kind of input."""

from __future__ import annotations

import re
from datetime import date
from decimal import Context, Decimal, Inexact, localcontext
from statistics import quantiles

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from analyst_frames import failures
from hypothesis import given, settings
from hypothesis import strategies as st

from paylab import frames
from paylab.errors import ConfigError, ExactnessError, OptionError, RuleError, UnknownItemError
from paylab.frames import summaries
from paylab.frames.summary_rows import prepare_rows
from paylab.frames.summary_sql import AMOUNT_COLUMNS
from paylab.frames.times import read_time_zone

TIMES = ["day", "week", "month", "quarter", "weekday", "hour"]
READY = [*TIMES, "corridor", "rail", "status", "product"]
STATUS = summaries.grouping("status")
DIGITS = {"money": (10, 2), "long": (20, 18), "whole": (38, 0), "cents": (36, 2)}


def amount(integers, places):
    """An amount with up to `integers` digits before and `places` after the point, as text."""
    digits = st.integers(-(10 ** (integers + places)) + 1, 10 ** (integers + places) - 1)
    return digits.map(lambda number: format(Decimal(number).scaleb(-places, WIDE), "f"))


WIDE = Context(prec=200, traps=[Inexact])


def row(**change):
    """The fields of a transfer that a summary reads."""
    facts = dict.fromkeys(AMOUNT_COLUMNS, "1.00")
    facts |= {"source_currency": "USD", "destination_currency": "MXN", "status": "completed"}
    facts |= {"fee_currency": "USD", "tax_currency": "USD", "payout_method": "spei"}
    return facts | {"created_at": "2026-01-31T23:59:59.999Z"} | change


def frame_of(rows):
    """The frame of these rows."""
    return frames.transfers([{"data": rows}])


@pytest.mark.parametrize("digits", DIGITS)
@settings(max_examples=2)
@given(data=st.data())
def test_sums_are_decimal_sums(digits, data):
    """Sums equal the sums of Decimal, also merged from two parts, or raise ExactnessError."""
    texts = data.draw(st.lists(amount(*DIGITS[digits]), min_size=1, max_size=12))
    rows = [row(source_amount=text, status="ab"[at % 2]) for at, text in enumerate(texts)]
    parts = (
        [
            summaries.summarize_part(prepare_rows(frame_of(some)), STATUS)
            for some in (rows, rows[1:])
        ]
        if max(map(len, texts)) < 31
        else None
    )
    try:
        whole = frames.summarize(frame_of(rows), by=["status"])
        merged = summaries.merge_partials(parts, STATUS) if parts else None
    except ExactnessError:
        assert parts is None
        return
    with localcontext(WIDE):
        expected = {
            word: sum((Decimal(text) for text in texts["ab".index(word) :: 2]), Decimal(0))
            for word in whole["status"]
        }
        again = {
            word: expected[word] * 2 - (Decimal(texts[0]) if word == "a" else 0)
            for word in expected
        }
    assert dict(zip(whole["status"], whole["source_amount"], strict=True)) == expected
    if merged is not None:
        assert dict(zip(merged["status"], merged["source_amount"], strict=True)) == again


@pytest.mark.parametrize("text", ["1" + "0" * 38, "1." + "0" * 37 + "1"])
def test_an_amount_of_more_than_38_digits_is_an_error_with_its_row(text):
    """An amount of more than 38 digits raises an error with its row and value."""
    with pytest.raises(ExactnessError, match=r"source_amount, row 1: '1.* more than 38 digits"):
        frames.summarize(frame_of([row(), row(source_amount=text)]))


def test_a_column_of_floats_raises_exactnesserror():
    """A column of floats raises ExactnessError."""
    with pytest.raises(ExactnessError, match="source_amount holds double"):
        frames.summarize(pd.DataFrame([{"source_amount": 0.1, "status": "completed"}]))


def test_each_currency_of_a_group_has_its_own_sum():
    """Each currency of a group has its own sum; upper and lower case are the same currency."""
    paid = [("USD", "1.00"), ("usd", "2.50"), ("PHP", "40.00")]
    rows = [row(source_currency=currency, source_amount=amount) for currency, amount in paid]
    found = frames.summarize(frame_of(rows), by=["rail"])
    lines = zip(found["source_currency"], found["rows"], found["source_amount"], strict=True)
    assert sorted(lines) == [("PHP", 1, Decimal("40.00")), ("USD", 2, Decimal("3.50"))]


@pytest.mark.parametrize("by", [*READY, ["day", "rail"], READY, [], "failure_reason"])
def test_a_summary_groups_by_one_name_or_by_many(by):
    """A summary groups by one name or by many; the counts add up to all rows."""
    rows = [row(), row(status="failed", failure_reason="closed"), row(created_at=None)]
    found = frames.summarize(frame_of(rows), by=by)
    assert found["rows"].sum() == 3
    names = [by] if isinstance(by, str) else by
    assert list(found.columns[: len(names)]) == names


def test_rates_shares_quantiles_and_failure_reasons_of_a_group_have_the_expected_values():
    """Rates, shares, quantiles and failure reasons of a group have the expected values."""
    times = [3, 5, 8, 21, 34, 90]
    rows = [row(destination_amount="17.50", total_fee="0.05", completed_in=str(n)) for n in times]
    reasons = ["Account closed.", "limit", "Account closed."]
    rows += [row(status="failed", failure_reason=reason) for reason in reasons]
    found = frames.summarize(frame_of(rows[:6]), by=[]).iloc[0]
    assert found["effective_rate"] == Decimal("17.5")
    assert found["fee_share"] == Decimal("0.05")
    deciles = quantiles(times, n=10, method="inclusive")
    assert float(found["p50"]) == 14.5
    assert float(found["p90"]) == pytest.approx(deciles[8])
    failed = frames.summarize(frame_of(rows), by=["status"]).set_index("status").loc["failed"]
    assert failed["failure_reasons"] == "Account closed: 2; limit: 1"


@settings(max_examples=3)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40), st.integers(1, 3))
def test_quantiles_are_exact_across_parts(times, count):
    """Quantiles are exact, however the rows are divided into parts."""
    rows = [row(completed_in=str(seconds)) for seconds in times]
    parts = [prepare_rows(frame_of(rows[at::count])) for at in range(count)]
    merged = summaries.merge_partials(
        [summaries.summarize_part(part, STATUS) for part in parts], STATUS
    )
    whole = frames.summarize(frame_of(rows))
    for share, name in ((50, "p50"), (90, "p90"), (95, "p95"), (99, "p99")):
        assert merged[name][0] == whole[name][0] == interpolated(sorted(times), share)


def interpolated(ordered, percent):
    """The quantile with linear interpolation, from integers and one exact division."""
    low, part = divmod((len(ordered) - 1) * percent, 100)
    above = ordered[min(low + 1, len(ordered) - 1)]
    return Decimal(ordered[low] * 100 + (above - ordered[low]) * part) / 100


@pytest.mark.parametrize(
    ("tz", "day", "week", "month"),
    [
        ("UTC", date(2026, 1, 31), date(2026, 1, 26), date(2026, 1, 1)),
        ("Asia/Manila", date(2026, 2, 1), date(2026, 1, 26), date(2026, 2, 1)),
    ],
)
def test_periods_are_those_of_a_time_zone(tz, day, week, month):
    """A time just before midnight in UTC is on the next day in Manila."""
    found = frames.summarize(frame_of([row()]), by=["day", "week", "month"], tz=tz).iloc[0]
    assert (found["day"], found["week"], found["month"]) == (day, week, month)


def test_a_corridor_without_sums_is_one_line():
    """With `sums=False`, fees in two currencies do not split a corridor."""
    rows = [row(), row(fee_currency="MXN", status="failed"), row(source_currency="usd")]
    found = frames.summarize(frame_of(rows), by="corridor", sums=False)
    assert found["corridor"].tolist() == ["USD-MXN"]
    assert found["failure_rate"].tolist() == [Decimal(f"0.{'3' * 28}")]
    assert "source_amount" not in found


def test_a_time_zone_that_is_none():
    """An unknown time zone raises RuleError with its name."""
    with pytest.raises(RuleError, match="'Mars' is not a time zone"):
        frames.summarize(frame_of([row()]), by="day", tz="Mars")


@pytest.mark.parametrize("nothing", [None, pd.DataFrame(), pa.table({}), frame_of([])])
def test_the_summary_of_no_rows_is_empty_and_has_its_columns_and_types(nothing):
    """The summary of no rows is empty and has its columns and types."""
    found = frames.summarize(nothing, by=["day", "status"])
    assert len(found) == 0
    assert list(found.columns[:2]) == ["day", "status"]
    assert str(found["source_amount"].dtype) == "decimal"


@pytest.mark.parametrize(
    ("data", "by", "error"),
    [
        (frame_of([row()]), ["color"], RuleError),
        (frame_of([row()]), ['x"; drop table rows; --'], RuleError),
        (frame_of([row()]), ["day", "day"], ConfigError),
        ("no/such/folder", ["day"], ConfigError),
        ([1], ["day"], ConfigError),
    ],
)
def test_unknown_or_repeated_names_a_missing_folder_and_a_wrong_type_raise_an_error(
    data, by, error
):
    """Unknown or repeated names, a missing folder and a wrong type raise an error."""
    with pytest.raises(error):
        frames.summarize(data, by=by)


def test_an_exported_parquet_file_or_folder_has_the_same_summary_as_the_frame(tmp_path):
    """An exported Parquet file or folder has the same summary as the frame."""
    rows = [row(source_amount=f"{n}.{n}", completed_in=str(n)) for n in range(40)]
    expected = frames.summarize(frame_of(rows), by=["day"])
    for to in ("t.parquet", "t/"):
        frames.export([{"data": rows}], f"{tmp_path}/{to}")
        found = frames.summarize(tmp_path / to.strip("/"), by=["day"])
        pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("without", [("total_tax", "total_fee"), ("total_fee", "total_tax")])
def test_files_with_different_columns_are_summed_together(tmp_path, without):
    """The summary of files that lack different columns has the sums of all of them."""
    for number, name in enumerate(without):
        table = frame_of([row(source_amount=f"{number}.50")]).paylab.arrow().drop_columns(name)
        pq.write_table(table, tmp_path / f"{number}.parquet")
    found = frames.summarize(tmp_path, by=[])
    sums = found[["source_amount", "total_fee", "total_tax"]].sum().tolist()
    assert (found["rows"].sum(), sums) == (2, [Decimal(2), Decimal(1), Decimal(1)])


def test_rows_of_a_filtered_list_have_its_product():
    """Rows of a list that was filtered by product have that product, unless they name one."""
    frame = frames.transfers([{"data": [row()]}], attrs={"filter": {"product_type": "off_ramp"}})
    assert frames.summarize(frame, by="product")["product"].tolist() == ["off_ramp"]
    named = frame.assign(product_type="on_ramp")
    assert frames.summarize(named, by="product")["product"].tolist() == ["on_ramp"]


def test_amounts_without_their_currency_are_split_by_the_currency_that_they_know():
    """A selection of columns adds no currencies together."""
    frame = frame_of([row(id="1"), row(id="2", source_currency="USDC", source_amount="2.00")])
    summary = frame[["source_amount", "status"]].paylab.summarize("status")
    assert summary[["source_currency", "source_amount"]].to_numpy().tolist() == [
        ["USD", Decimal("1.00")],
        ["USDC", Decimal("2.00")],
    ]


def test_integers_and_texts_are_amounts():
    """Amounts of a frame of your own can be integers, text or decimals."""
    facts = {"status": "completed", "source_amount": 5, "total_fee": "0.25", "total_tax": None}
    found = frames.summarize(pd.DataFrame([facts, facts | {"total_tax": Decimal("1.5")}])).iloc[0]
    sums = ["source_amount", "total_fee", "total_tax"]
    assert found[sums].tolist() == [10, Decimal("0.5"), Decimal("1.5")]


def test_an_index_with_a_name_counts_as_a_column():
    """A summary, the sums per currency and the durations are those without an index."""
    frame = frame_of([row(id="tr_1"), row(id="tr_2", status="failed", source_currency="EUR")])
    summary_by_key = {by: frames.summarize(frame, by) for by in ("status", "month", "corridor")}
    sums = frames.by_currency(frame)

    def check(keys):
        indexed = frame.set_index([*keys] if len(keys) > 1 else keys[0])
        for by, summary in summary_by_key.items():
            assert frames.summarize(indexed, by).equals(summary)
        assert frames.by_currency(indexed).equals(sums)

    key_lists = [("created_at",), ("status", "id"), ("source_currency", "destination_currency")]
    assert failures(key_lists, check) == {}
    with_both = frame.set_index("status", drop=False)
    assert frames.summarize(with_both).equals(frames.summarize(frame))


@pytest.mark.parametrize("kind", [object, str])
def test_sums_per_currency_read_amounts_of_any_exact_kind(kind):
    """Text and objects are amounts; floats are an error, which names the column."""
    frame = frame_of([row(), row(source_currency="EUR"), row(source_amount="3")])
    changed = frame.assign(source_amount=frame["source_amount"].astype(kind))
    assert frames.by_currency(changed).equals(frames.by_currency(frame))
    with pytest.raises(ExactnessError, match=r"^source_amount: floats are not exact"):
        frames.by_currency(frame.assign(source_amount=[0.5, 1.5, 2.5]))
    with pytest.raises(ConfigError, match="two columns 'total_fee'"):
        frames.by_currency(pd.concat([frame, frame["total_fee"]], axis=1))


def test_a_conversion_is_summarized_by_its_deposit_and_payout(conversion):
    """The summary of a conversion has the deposit as source and the payout as destination."""
    done = conversion | {"status": "completed"}
    done["payout"] = conversion["payout"] | {"completed_at": "2026-01-31T09:31:00Z"}
    found = frames.summarize(frames.conversions([{"data": [done]}]), by=["corridor"]).iloc[0]
    assert (found["corridor"], found["source_amount"]) == ("MXN-USDC", Decimal("50.00"))
    assert found["p50"] == 60


@pytest.mark.parametrize(
    ("created_at", "completed_at", "seconds"),
    [("00:00:00.999", "00:00:01.000", "0.001"), ("00:00:00.000", "00:00:00.999", "0.999")],
)
def test_seconds_of_a_conversion_are_not_cut(created_at, completed_at, seconds):
    """Its times have milliseconds."""
    payout = {"completed_at": f"2026-01-01T{completed_at}Z"}
    rows = [{"id": "cv_1", "created_at": f"2026-01-01T{created_at}Z", "payout": payout}]
    summary = frames.of(rows, "conversions").paylab.summarize("status")
    assert summary["p50"].tolist() == [Decimal(seconds)]


def test_a_folder_with_any_name(tmp_path, monkeypatch):
    """The name of a folder is not a pattern that matches other folders."""
    monkeypatch.chdir(tmp_path)
    names = ["t?x", "t*", "t[ab]", "[", "~", "it's", "{a,b}", "tax", "ta", "a"]
    for name in names:
        frames.export([{"data": [row(id=name)]}], f"./{name}/")
    for name in names:
        assert frames.summarize(name, by=[])["rows"].sum() == 1
    for name in ("t*", "it's"):
        assert frames.Dataset(name).summarize(by=[])["rows"].sum() == 1


def test_a_fee_in_another_currency_has_no_share():
    """There is no fee_share when the fee is in another currency than the source."""
    row = {
        "id": "t",
        "status": "completed",
        "source_amount": "100.00",
        "source_currency": "USD",
        "destination_amount": "5.00",
        "destination_currency": "MXN",
        "total_fee": "5.00",
        "fee_currency": "MXN",
    }
    found = frames.summarize(frames.transfers([{"data": [row], "has_next_page": False}]))
    assert found["fee_share"].isna().all()


@pytest.mark.parametrize("kind", ["frame", "file", "parts"])
def test_without_a_status_it_is_not_known_how_many_failed(tmp_path, kind):
    """A group without any status has no counts of outcomes; one with some has them."""
    table = frame_of([row(), row(status="failed")]).paylab.arrow().drop_columns(["status"])
    if kind == "parts":
        parts = [summaries.summarize_part(prepare_rows(table), summaries.grouping("month"))] * 2
        summary = summaries.merge_partials(parts, summaries.grouping("month"))
    elif kind == "file":
        pq.write_table(table, tmp_path / "rows.parquet")
        summary = frames.summarize(str(tmp_path / "rows.parquet"), "month")
    else:
        summary = frames.summarize(table, "month")
    assert summary["rows"].sum() == (4 if kind == "parts" else 2)
    assert summary[["completed", "failed", "failure_rate"]].isna().all(axis=None)


@pytest.mark.parametrize("name", ["day", "week", "month", "corridor", "rail", "product"])
def test_a_column_named_as_a_grouping_has_to_be_renamed(name):
    """Which of the two is meant is not guessed; a grouping by another name is not affected."""
    frame = frame_of([row()]).assign(**{name: "mine"})
    with pytest.raises(RuleError, match=f"{name}.*rename the column"):
        frames.summarize(frame, name)
    assert frames.summarize(frame, "status")["rows"].tolist() == [1]


def test_bins_and_periods_are_groupings_as_text():
    """A bin of `pd.cut` and a period are named as pandas shows them."""
    frame = frame_of([row(source_amount="50"), row(source_amount="150")])
    bins = pd.cut(frame["source_amount"], [0, 100, 500])
    periods = pd.PeriodIndex(["2026-01", None], freq="M")
    frame = frame.assign(bin=bins, period=periods)
    assert frames.summarize(frame, "bin")["bin"].tolist() == ["(0, 100]", "(100, 500]"]
    assert frame.paylab.arrow()["period"].to_pylist() == ["2026-01", None]


def test_errors_of_a_summary_do_not_speak_of_sending():
    """An error of a function that sends nothing names the argument first; its card counts only."""
    with pytest.raises(OptionError, match=r"^tz: 'Mexico' is not a time zone$") as caught:
        frames.summarize(frame_of([row()]), tz="Mexico")
    assert "1 problem" in caught.value.card()[0]
    assert "sent" not in caught.value.card()[0]


@pytest.mark.parametrize("form", ["frame", "file", "parts"])
@pytest.mark.parametrize(
    ("by", "tz", "expected"),
    [
        ("quarter", "UTC", {date(2026, 1, 1): 2, date(2026, 4, 1): 1}),
        ("weekday", "UTC", {2: 1, 6: 2}),
        ("weekday", "Asia/Kolkata", {3: 1, 6: 1, 7: 1}),
        ("hour", "UTC", {0: 1, 23: 2}),
        ("hour", "Asia/Kolkata", {5: 3}),
    ],
)
def test_rows_are_grouped_by_quarter_weekday_and_hour_in_a_zone(tmp_path, form, by, tz, expected):
    """Quarters are their first day, weekdays begin with 1 for Monday, hours with 0."""
    instants = ["2026-01-31T23:59:59.999Z", "2026-03-31T23:30:00Z", "2026-04-04T00:00:00Z"]
    frame = frame_of([row(created_at=instant) for instant in instants])
    groups = summaries.grouping(by, tz, sums=False)
    if form == "frame":
        found = frames.summarize(frame, by=by, tz=tz, sums=False)
    elif form == "parts":
        parts = [
            summaries.summarize_part(prepare_rows(frame[at : at + 1]), groups) for at in range(3)
        ]
        found = summaries.merge_partials(parts, groups)
    else:
        pq.write_table(frame.paylab.arrow(), tmp_path / "rows.parquet")
        found = frames.summarize(str(tmp_path), by=by, tz=tz, sums=False)
    assert dict(zip(found[by], found["rows"], strict=True)) == expected


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("p50", "is computed for each group"),
        ("dya", "is day meant"),
        ("stauts", "is status meant"),
        ("own", "is a column of every summary, too"),
        ("source_amount", "pass sums=False"),
    ],
)
def test_a_name_that_cannot_group_rows_is_an_error_that_says_what_is_meant(by, words):
    """A misspelt grouping, a measure and an amount are errors, not lost columns."""
    frame = frame_of([row()]).assign(p90=1)
    with pytest.raises(OptionError, match=words):
        frames.summarize(frame, by="p90" if by == "own" else by)


@pytest.mark.parametrize("name", ["corridor", "day", "week", "month", "hour"])
def test_a_grouping_that_is_no_column_names_the_summary_that_computes_it(name):
    """The written call works, and a frame without the columns for it is not told of one."""
    frame = frame_of([row(id="tr_1")])
    with pytest.raises(UnknownItemError) as error:
        frame.groupby(name)
    call = re.search(
        r": use (frame\.paylab\.summarize\(.*\)), which computes it$", str(error.value)
    )
    assert eval(call[1], {"frame": frame})["rows"].tolist() == [1]
    for other_frame in (frame[["id"]], frame.paylab.summarize("status")):
        with pytest.raises(UnknownItemError, match=f"no column '{name}': it has "):
            other_frame[name]


def test_a_city_is_suggested_as_its_time_zone():
    with pytest.raises(OptionError, match=r"'mexico city' is not a time zone: is America/Mexico_C"):
        read_time_zone("mexico city")


def test_rates_have_as_many_digits_as_quotients_of_columns():
    """A tiny rate, and one of sums with 30 digits, equals `/` of the columns in every digit."""
    tiny = frame_of(
        [
            row(id=f"tr_{number}", source_amount="1234567.89", destination_amount=text)
            for number, text in enumerate(["0.000012", "0.000123", "1", "0.1"])
        ]
    )
    rates = frames.summarize(tiny, by="id")["effective_rate"]
    assert rates.tolist() == (tiny["destination_amount"] / tiny["source_amount"]).tolist()
    long = row(source_amount=f"1{'0' * 29}", destination_amount=f"31{'0' * 27}7", total_fee="1")
    found = frames.summarize(frame_of([long])).iloc[0]
    assert found["effective_rate"] == Decimal(f"3.1{'0' * 27}7")
    assert found["fee_share"] == Decimal("1E-29")
    third = frames.summarize(frame_of([row(status=word) for word in ("failed", "b", "c")]), by=[])
    assert third["failure_rate"].item() == Decimal(f"0.{'3' * 28}")


def test_rates_are_of_the_rows_that_have_both_amounts(tmp_path):
    """A transfer without a destination amount, or without a fee, changes neither rate nor share."""
    rows = [
        row(source_amount="2.00", destination_amount="35.00", total_fee="0.10"),
        row(source_amount="4.00", destination_amount=None, total_fee="0.20"),
        row(source_amount="8.00", destination_amount="140.00", total_fee=None),
        row(source_amount=None, destination_amount="9.00", total_fee="9.00"),
    ]
    frame = frame_of(rows)
    pq.write_table(frame.paylab.arrow(), tmp_path / "rows.parquet")
    parts = [summaries.summarize_part(prepare_rows(frame[at::2]), STATUS) for at in range(2)]
    for found in (
        frames.summarize(frame),
        frames.summarize(tmp_path / "rows.parquet"),
        summaries.merge_partials(parts, STATUS),
    ):
        [rates] = found[["effective_rate", "fee_share"]].to_dict("records")
        assert rates == {"effective_rate": Decimal("17.5"), "fee_share": Decimal("0.05")}
        assert found["source_amount"].tolist() == [Decimal(14)]
        assert not [name for name in found if name.startswith("_")]
    missing = frames.summarize(frame_of([row(destination_amount=None, total_fee=None)]))
    assert missing[["effective_rate", "fee_share"]].isna().all(axis=None)
