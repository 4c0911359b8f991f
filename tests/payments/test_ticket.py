"""How long an earlier order decides what an equal one does, by the clock of the service."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime, timedelta

import pytest

from paylab.client.orders import Order
from paylab.payments.ledger_store import ANSWERED, OPEN, REFUSED, Entry
from paylab.payments.outcome import Outcome
from paylab.payments.plan import ACCOUNT, plan
from paylab.payments.ticket import Claim, is_trusted
from paylab.spec import timestamps

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY, TICK = timedelta(days=1), timedelta(milliseconds=1)
MARGIN = timedelta(minutes=10)


def entry(age, state=OPEN):
    """An order that was sent so long ago."""
    made = timestamps.to_text(NOW - age)
    texts = "https://a:443", "account", "/v1/transfers", "identity", "", "key"
    return Entry(1, *texts, 0, state, made, b"{}", None, "", "10 USD", "fa_1", "")


class Clock:
    """A clock of the service that may be a minute slow or fast."""

    def span(self):
        """The earliest and the latest time that it may be."""
        return NOW - timedelta(minutes=1), NOW + timedelta(minutes=1)


def claim(reference="", *, in_batch=False):
    """An equal order that is made now."""
    order = Order("/v1/transfers", b"{}", {}, None, new=False, make=str, in_batch=in_batch)
    return Claim(order, {}, "identity", reference, NOW, Clock())


@pytest.mark.parametrize(
    ("age", "trusted"),
    [
        (timedelta(0), True),
        (DAY - MARGIN - TICK, True),
        (DAY - MARGIN, False),
        (-MARGIN + TICK, True),
        (-MARGIN, False),
    ],
)
def test_a_key_is_trusted_until_ten_minutes_before_its_end(age, trusted):
    """A key of the future is trusted for ten minutes: clocks differ."""
    assert is_trusted(entry(age), NOW) == trusted


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("state", "age", "counts"),
    [
        (ANSWERED, DAY + MINUTE - TICK, True),
        (ANSWERED, DAY + MINUTE, False),
        (OPEN, 30 * DAY, True),
        (REFUSED, DAY - MARGIN - MINUTE - TICK, True),
        (REFUSED, DAY - MARGIN - MINUTE, False),
    ],
)
def test_an_order_counts_for_a_day(state, age, counts):
    """An answered one while it may be younger than a day, a refused one while its key is sure."""
    assert claim().counts(entry(age, state)) == counts


@pytest.mark.parametrize(("reference", "in_batch"), [("r", False), ("r", True), ("", True)])
def test_a_reference_of_a_batch_counts_for_good(reference, in_batch):
    """An answered order with a reference is never made again by a batch."""
    found = claim(reference, in_batch=in_batch).counts(entry(30 * DAY, ANSWERED))
    assert found == (bool(reference) and in_batch)


def test_cells_columns_and_defaults_of_a_row():
    """A default fills an empty cell; a column that is not known is not sent."""
    row = {ACCOUNT: "fa_1", "source_amount": "10", "Source Currency": " ", "note": 7, "memo": None}
    made = plan([row], source_currency="USD", payout_method="spei", destination_currency="MXN")
    terms = {"source_currency": "USD", "payout_method": "spei", "destination_currency": "MXN"}
    assert made.rows[0].cells == terms | {ACCOUNT: "fa_1", "source_amount": "10"}
    assert (made.rows[0].own, made.ignored) == ({"note": "7", "memo": None}, ("note", "memo"))


BAD = plan([{ACCOUNT: "fa_1", "source_amount": "-1"}])


@pytest.mark.parametrize(
    "value", [entry(DAY), claim(), Outcome("done"), BAD, BAD.rows[0], BAD.problems[0]]
)
def test_values_cannot_be_changed(value):
    """Orders, rows, problems and outcomes are immutable."""
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(value)[0].name, None)
