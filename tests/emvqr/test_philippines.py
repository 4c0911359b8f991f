"""QR Ph texts built by paylab."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paylab import emvqr
from paylab.errors import EMVError

PAYEE = {"acquirer": "PAYLPHM0XXX", "account": "900100200300", "name": "Ana", "city": "Manila"}


def test_the_template_and_the_fixed_fields_equal_those_in_texts_issued_by_banks():
    """The template and the fixed fields equal those in texts issued by banks."""
    payload = emvqr.parse(emvqr.qrph(**PAYEE))
    assert payload.issuer == "PAYLPHM0XXX · com.p2pqrpay"
    assert (payload.find("27.02"), payload.find("27.04")) == ("99964403", "900100200300")
    assert (payload.find("52"), payload.currency, payload.country) == ("6016", "PHP", "PH")


@pytest.mark.parametrize(
    ("more", "static", "amount", "reference"),
    [
        ({}, True, None, None),
        ({"amount": "10.50"}, False, Decimal("10.50"), None),
        ({"amount": "1234567890.12"}, False, Decimal("1234567890.12"), None),
        ({"reference": "R1"}, True, None, "R1"),
    ],
)
def test_a_text_with_an_amount_is_dynamic(more, static, amount, reference):
    """A text with an amount is dynamic; a reference goes into sub-tag 03."""
    payload = emvqr.parse(emvqr.qrph(**PAYEE, **more))
    assert (payload.is_static, payload.amount) == (static, amount)
    assert payload.find("27.03") == reference


def test_long_names_are_cut():
    """Name and city are cut to 25 and 15 characters."""
    payload = emvqr.parse(emvqr.qrph(**{**PAYEE, "name": "á" * 40, "city": "ñ" * 40}))
    assert (payload.merchant_name, payload.city) == ("á" * 25, "ñ" * 15)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": ""}, "needs name"),
        ({"acquirer": "", "account": ""}, "needs acquirer, account"),
        ({"account": "9" * 99}, "tag 27 is too long"),
        ({"amount": "1,000"}, "bad amount"),
        ({"amount": "1" * 14}, "at most 13"),
        ({"name": "\ud800"}, "unpaired surrogate"),
    ],
)
def test_values_that_give_no_valid_text_are_refused(change, reason):
    """Values that give no valid text are refused."""
    with pytest.raises(EMVError, match=reason):
        emvqr.qrph(**{**PAYEE, **change})
