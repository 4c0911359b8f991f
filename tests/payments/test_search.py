"""Which transfer of a list an order made: by its values, and its reference or its time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from paylab.errors import PaylabError
from paylab.payments.identity import values
from paylab.payments.search import by_reference, find_transfer
from paylab.spec.models import Transfer

SENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
EARLIER, LATER = "2026-03-01T11:59:59.999Z", "2026-03-01T12:00:00.000Z"
ORDER = {
    "financial_account": {"id": "fa_1"},
    "source_amount": "10",
    "source_currency": "usd",
    "destination_currency": "mxn",
    "payout_method": "spei",
}
ROW = {
    "id": "tr_1",
    "financial_account_id": "fa_1",
    "source_amount": "10.00",
    "source_currency": "USD",
    "destination_currency": "MXN",
    "payout_method": "spei",
    "client_reference_id": None,
    "created_at": LATER,
}
NAMED, MAY_BE = {"client_reference_id": "inv-1"}, "may be its payment"
HIDDEN = dict.fromkeys(["client_reference_id"], "hidden")


def listed(*changes):
    """A list of transfers with these changes; "hidden" leaves a field out."""
    rows = [ROW | change for change in changes]
    shown = [{name: value for name, value in row.items() if value != "hidden"} for row in rows]
    return [Transfer.model_validate(row) for row in shown]


@pytest.mark.parametrize(
    ("asked", "shown", "found"),
    [
        ({}, {}, "tr_1"),
        ({}, {"created_at": EARLIER}, None),
        ({}, {"created_at": "hidden"}, MAY_BE),
        ({}, {"source_amount": "10.01"}, None),
        ({}, {"source_amount": "hidden"}, MAY_BE),
        ({}, NAMED, None),
        ({}, HIDDEN, MAY_BE),
        ({}, HIDDEN | {"created_at": EARLIER}, None),
        (NAMED, NAMED, "tr_1"),
        (NAMED, NAMED | {"created_at": EARLIER}, "tr_1"),
        (NAMED, NAMED | {"created_at": "hidden"}, "tr_1"),
        (NAMED, NAMED | {"payout_method": "pix"}, None),
        (NAMED, {"client_reference_id": "inv-2"}, None),
        (NAMED, {}, None),
        (NAMED, HIDDEN, MAY_BE),
        (NAMED, HIDDEN | {"created_at": EARLIER}, None),
        ({"quote_id": "q_1"}, {}, MAY_BE),
    ],
)
def test_one_transfer_of_a_list(asked, shown, found):
    """A transfer is the order's, is another one's, or cannot be told, which is an error."""
    order = values(ORDER | asked)
    for rows in (listed(shown), listed({"id": "tr_0", "source_amount": "9"}, shown)):
        if found == MAY_BE:
            with pytest.raises(PaylabError, match=rf"tr_1 in the list {MAY_BE}"):
                find_transfer(rows, order, SENT, ())
        else:
            assert find_transfer(rows, order, SENT, ()) == found


def test_the_payments_of_other_orders_are_passed_over():
    """A payment that the ledger knows is not taken for a second order of the same values."""
    rows = listed({}, {"id": "tr_2"})
    assert find_transfer(rows, values(ORDER), SENT, {"tr_1"}) == "tr_2"
    assert find_transfer(rows, values(ORDER), SENT, {"tr_1", "tr_2"}) is None


def test_the_oldest_of_a_reference():
    """Of several transfers with a reference the oldest counts; one without a time is last."""
    rows = listed(
        NAMED | {"id": "a", "created_at": "hidden"},
        NAMED | {"id": "b", "created_at": LATER},
        NAMED | {"id": "c", "created_at": EARLIER},
        NAMED | {"id": "d", "created_at": EARLIER},
        {"id": "e", "client_reference_id": "inv-2"},
        {"id": "f"},
    )
    found = by_reference(rows, {"inv-1", "inv-9"})
    assert {name: one.id for name, one in found.items()} == {"inv-1": "c"}
