"""A batch is a list of orders: mixed with single ones, each of them is paid once."""

from __future__ import annotations

import re

import pytest
from one_order import EQUAL, ONCE, PAID, Cases

from paylab.errors import RuleError

case = Cases()


@case(ONCE, pays=1)
def a_single_order_then_a_batch(place):
    """A batch returns the orders that were paid alone, with a reference or without."""
    place.lab().pay(client_reference_id="a")
    row = {"client_reference_id": "a", "source_amount": "50.00"}
    assert place.lab().batch(row)[0] in PAID


@case(ONCE, pays=1)
def a_batch_then_a_single_order(place):
    """A single order returns the payment of a batch."""
    place.lab().batch({"client_reference_id": "a"})
    assert place.lab().pay(client_reference_id="a").replayed


@case(ONCE, pays=1)
def a_row_without_a_reference(place):
    """A row without a reference is the order of a single call without one, before and after."""
    place.lab().batch({})
    place.lab().pay()
    assert place.lab().batch({}) == ["done"]


@case(EQUAL, pays=0)
def equal_rows_without_a_reference(place):
    """Two rows that are equal in everything and have no reference are an error; none is sent."""
    with pytest.raises(RuleError) as error:
        place.lab().batch({}, {"source_amount": "20"}, {"source_amount": "50.0"})
    assert {"1", "3"} <= set(re.findall(r"\b\d\b", str(error.value)))


@case(EQUAL, pays=2)
def rows_that_differ_in_one_field(place):
    """Rows without a reference that differ in the amount are two orders, also the second time."""
    for expected in ("created", "done"):
        assert place.lab().batch({}, {"source_amount": "51"}) == [expected] * 2


@case(ONCE, pays=4)
def overlapping_batches(place):
    """Batches that overlap pay each order once, in any order and spelling."""
    rows = [{"client_reference_id": name} for name in "abcd"]
    place.lab().batch(*rows[:3])
    respelt = [{"source_amount": "50.00", **row, "source_currency": "usd"} for row in rows[::-1]]
    assert place.lab().batch(*respelt[:3]) == ["created", "done", "done"]


@case(EQUAL, pays=1)
def a_changed_amount_in_a_batch(place):
    """In a batch, a reference names one payout: another amount is a conflict."""
    place.lab().batch({"client_reference_id": "a"})
    assert place.lab().batch({"client_reference_id": "a", "source_amount": "51"}) == ["conflict"]


@case(ONCE, pays=1)
def a_lost_order_in_a_batch(place):
    """A batch finishes an order whose answer was lost alone."""
    place.lose(client_reference_id="a")
    place.lab().batch({"client_reference_id": "a"})


@case(ONCE, pays=1)
def a_lost_row_then_a_single_order(place):
    """A single order finishes a row of a batch whose answer was lost."""
    place.faults.drop_after(method="POST", path="/v1/transfers", times=1)
    assert place.lab().batch({"source_amount": "50.0"}) == ["unknown"]
    assert place.lab().pay().replayed


@case(ONCE, pays=1)
def a_batch_that_the_ledger_does_not_know(place):
    """A row with a reference is searched in the list once, so another ledger pays nothing."""
    place.lab().batch({"client_reference_id": "a"})
    other = place.lab(ledger=place.folder / "other.sqlite3")
    assert other.batch({"client_reference_id": "a"}) == ["found"]


test_as_many_payments_as_the_rule_says = case.test()
