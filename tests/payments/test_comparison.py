"""When a payment of the service is that of an order: values, hidden fields, status and age."""

from __future__ import annotations

from datetime import timedelta

import pytest

from paylab.payments.comparison import (
    find_differences,
    find_hidden_fields,
    is_recognised,
    may_be_masked,
)
from paylab.payments.identity import values
from paylab.payments.payment_errors import age_text
from paylab.spec.models import Transfer

ORDER = {
    "financial_account": {"id": "fa_1"},
    "source_amount": "10",
    "source_currency": "usd",
    "destination_currency": "mxn",
    "payout_method": "spei",
    "client_reference_id": "inv-1",
}
ROW = {
    "id": "tr_1",
    "status": "completed",
    "financial_account_id": "fa_1",
    "source_amount": "10.00",
    "source_currency": "USD",
    "destination_currency": "MXN",
    "payout_method": "spei",
    "client_reference_id": "inv-1",
    "created_at": "2026-03-01T11:00:00.000Z",
}


def row(**changes):
    """A payment of the service; None leaves a field out."""
    fields = {**ROW, **changes}
    return Transfer.model_validate({name: fields[name] for name in fields if fields[name]})


# A change of the payment, whether it has other values, and whether it is surely the order's.
COMPARED = [
    ({}, False, True),
    ({"source_amount": "10.01"}, True, False),
    ({"financial_account_id": "fa_2"}, True, False),
    ({"destination_currency": "COP"}, True, False),
    ({"payout_method": "pix"}, True, False),
    ({"client_reference_id": "inv-2"}, True, False),
    ({"source_amount": None}, False, False),
    ({"source_amount": "***"}, False, False),
    ({"financial_account_id": "fa_***"}, False, False),
    ({"financial_account_id": None, "financial_account": {"id": "fa_1"}}, False, True),
    ({"financial_account_id": None, "financial_account": {"id": "fa_2"}}, True, False),
    ({"source_currency": None}, False, False),
    ({"payout_method": None}, False, True),
    ({"client_reference_id": None}, False, True),
    ({"id": None}, False, False),
    ({"destination_amount": "170.00", "net_source_amount": "9.50"}, False, True),
]


@pytest.mark.parametrize(("change", "is_other", "is_its"), COMPARED)
def test_a_payment_is_compared_with_an_order(change, is_other, is_its):
    """What is shown must be equal; account, currencies and the given amount must be shown."""
    order, payment = values(ORDER), row(**change)
    assert bool(find_differences(order, payment)) is is_other
    assert is_recognised(order, payment) is is_its


def test_what_is_not_shown_is_named():
    """A field that the service knows nothing of is not shown."""
    order = values({**ORDER, "memo": "x", "source_network": "base"})
    assert find_hidden_fields(order, row(payout_method=None)) == [
        "payout_method",
        "memo",
        "source_network",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 seconds"),
        (1, "1 second old"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (3_600, "60 minutes"),
        (10_799, "2 hours"),
        (86_399, "23 hours"),
        (172_799, "47 hours"),
        (172_800, "2 days"),
    ],
)
def test_an_age_is_said_in_words(seconds, text):
    """An age has the longest unit of which there are two; it is never rounded up."""
    assert age_text(timedelta(seconds=seconds)).startswith(text)


@pytest.mark.parametrize(
    ("shown", "reference", "may_be"),
    [
        ("inv-**7", "inv-2027", True),
        ("inv-**7", "inv-2028", False),
        ("…2027", "inv-2027", True),
        ("inv-[2]?**", "inv-22026", False),  # signs of a pattern are themselves
        ("**" + "**".join("a" * 60) + "**b", "a" * 200, False),  # takes no time to tell
        ("inv-2027", "inv-2027", False),
    ],
)
def test_a_mask_may_hide_a_reference_with_the_parts_that_it_shows(shown, reference, may_be):
    """Only such a masked reference stops a batch."""
    assert may_be_masked(shown, reference) is may_be
