"""A frame in a notebook: what a cell says, and which columns there are."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
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
        ("age", timedelta(hours=26, seconds=4), "1 day, 2:00:04"),
        ("source_amount", Decimal("0E-2"), "0.00"),
        ("exchange_rate", Decimal("18.431200"), "18.4312"),
        ("failure_rate", Decimal("0.057692307692"), "5.8 %"),
        ("problem", None, ""),
        ("problem", "<b>late</b>", "&lt;b&gt;late&lt;/b&gt;"),
    ],
)
def test_a_cell_is_short_and_exact(name, value, text):
    """Times are short, amounts exact, shares in percent, missing values empty, text escaped."""
    assert cells(ExactFrame({name: [value]})) == {name: text}


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
