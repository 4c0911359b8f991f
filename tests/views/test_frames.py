"""A frame in a notebook: what a cell says, and which columns there are."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

import paylab
from paylab.frames.exact_frame import ExactFrame
from paylab.lab import displays
from paylab.simulator import Simulator


def cells(frame):
    """The texts of the first row, by the names in the header."""
    shown = displays.show(frame)
    texts = {
        tag: [
            re.sub("<.*?>", "", inside) for inside in re.findall(f"<{tag} .*?>(.*?)</{tag}>", shown)
        ]
        for tag in ("th", "td")
    }
    return dict(zip(texts["th"], texts["td"], strict=False))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("created_at", datetime(2026, 1, 15, 12, 0, 3, 437000, UTC), "2026-01-15 12:00:03"),
        ("age", timedelta(hours=26, seconds=4), "1&nbsp;d 2&nbsp;h 0&nbsp;min 4&nbsp;s"),
        ("source_amount", Decimal("0E-2"), "0.00"),
        ("exchange_rate", Decimal("18.431200"), "18.4312"),
        ("exchange_rate", Decimal(f"18.{'43' * 15}"), "18.4343"),
        ("fee_pct", Decimal(f"1.{'6' * 27}7000"), "1.6667"),
        ("fee_pct", Decimal(f"5.{'0' * 28}"), "5.0000"),
        ("fee_pct", Decimal(f"-20166.{'6' * 28}"), "-20,166.6667"),
        ("fee_pct", Decimal(f"0.000012345{'6' * 20}"), "0.00001235"),
        ("fee_pct", Decimal("1.6666666666666667"), "1.6666666666666667"),
        ("failure_rate", Decimal("0.057692307692"), "5.8 %"),
        ("problem", None, ""),
        ("problem", "<b>late</b>", "&lt;b&gt;late&lt;/b&gt;"),
    ],
)
def test_a_cell_is_short_and_exact(name, value, text):
    """Times are short, amounts exact, shares in percent, missing values empty, text escaped."""
    assert cells(ExactFrame({name: [value]})) == {name: text}


def test_rates_of_a_column_have_the_same_decimals():
    """So that their points are one below the other; a missing rate stays empty."""
    rates = ["1312.25000000", "18.43120000", "5", None]
    frame = ExactFrame({"exchange_rate": [rate and Decimal(rate) for rate in rates]})
    cell_texts = re.findall(r"<td .*?>(.*?)</td>", displays.show(frame))
    shown = [re.sub("<.*?>", "", text) for text in cell_texts]
    assert shown == ["1,312.2500", "18.4312", "5.0000", ""]


def test_a_rounded_number_has_all_its_digits_as_tooltip_and_to_copy():
    """The button copies the first line of the tooltip before it."""
    ratio = Decimal(f"1666.{'6' * 27}7")
    shown = displays.show(ExactFrame({"ratio": [ratio]}))
    assert f'<span title="{ratio}">1,666.6667</span><button' in shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ("0.00", "0 s"),
        ("6.85", "6.85 s"),
        ("60", "1 min"),
        ("132.80", "2 min 12.8 s"),
        ("10121.60", "2&nbsp;h 48&nbsp;min 41.6&nbsp;s"),
        ("21639.80", "6 h 0 min 39.8 s"),
        ("86405", "1&nbsp;d 0&nbsp;h 0&nbsp;min 5&nbsp;s"),
        ("360000", "4 d 4 h"),
        (None, ""),
    ],
)
def test_seconds_of_a_summary_are_days_hours_minutes_and_seconds(seconds, text):
    """Quantiles of the time to completion keep every digit."""
    summary = ExactFrame({"p95": [None if seconds is None else Decimal(seconds)]})
    summary.attrs["seconds"] = "p50, p95"
    assert cells(summary) == {"p95": text}


def test_a_column_of_yours_is_no_duration():
    """Only a summary says which of its columns are seconds."""
    assert cells(ExactFrame({"p95": [Decimal(600)]})) == {"p95": "600"}


@pytest.mark.parametrize(("period", "text"), [("month", "2025-10"), ("quarter", "2025 Q4")])
def test_a_month_and_a_quarter_are_shown_without_their_first_day(period, text):
    """The key of a group is the first day of its period."""
    frame = paylab.connect(simulator=Simulator(transfers=25)).transfers.frame()
    by_period = frame.paylab.summarize(period)
    by_period[period] = date(2025, 10, 1)
    assert cells(by_period)[period] == text


def test_an_index_is_shown_if_it_says_something():
    """Names of groups are a column of their own; numbers of rows are not."""
    frame = ExactFrame({"a": [1, 2], "b": [3, 4]})
    assert cells(frame) == {"a": "1", "b": "3"}
    assert cells(frame.groupby("a").sum()) == {"a": "1", "b": "3"}
    assert cells(ExactFrame({("b", "min"): [3]})) == {"b min": "3"}
    assert cells(ExactFrame({"a": [1]}, index=["mean"])) == {"index": "mean", "a": "1"}


def test_frames_of_a_lab_are_shown_so():
    """Lists, summaries, quotes, events and reconciliations are; a list names the service."""
    lab = paylab.connect(simulator=Simulator(transfers=25))
    frame = lab.transfers.frame()
    assert "SIMULATOR (embedded)" in displays.show(frame)
    assert "5 more" in displays.show(frame)
    person = lab.individuals.create(**paylab.examples.recipient("MX", lab.service))
    with lab.inbox() as inbox:
        made = (
            *(frame[["id"]], frame.paylab.failures(), inbox.frame(), lab.reconcile().totals()),
            *(lab.reconcile().frame(), lab.quotes.compare([person], source_amount="10")),
        )
    assert all("</table>" in (displays.show(one) or "") for one in made)
