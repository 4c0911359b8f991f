"""Amounts are positive text with no more decimals than their currency has."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paylab.spec import money


@pytest.mark.parametrize(
    ("value", "currency"),
    [
        ("1", "USD"),
        ("0.01", "USD"),
        ("0010.50", "usd"),
        ("10.5", "MXN"),
        ("0.000001", "USDC"),
        ("1", "VND"),
        ("9" * 30 + ".99", "PHP"),
        ("1.2345678", None),
        ("1.2345678", ["USD"]),
    ],
)
def test_valid_amounts_have_no_problems(value, currency):
    """Valid amounts have no problems."""
    assert money.check_amount(value, currency, "amount") == []


@pytest.mark.parametrize(
    ("value", "currency", "words"),
    [
        (10, "USD", "text"),
        (10.5, "USD", "text"),
        (True, "USD", "text"),
        (None, "USD", "text"),
        (["1"], "USD", "text"),
        ("", "USD", "plain digits"),
        (" 1", "USD", "plain digits"),
        ("1\n", "USD", "plain digits"),
        ("+1", "USD", "plain digits"),
        ("-1", "USD", "more than 0"),
        ("1e3", "USD", "plain digits"),
        ("1,000.00", "USD", "plain digits"),
        ("1.", "USD", "plain digits"),
        (".5", "USD", "plain digits"),
        ("1.2.3", "USD", "plain digits"),
        ("NaN", "USD", "plain digits"),
        ("Infinity", "USD", "plain digits"),
        ("0x10", "USD", "plain digits"),
        ("1_000", "USD", "plain digits"),
        ("\u0661", "USD", "plain digits"),
        ("9" * 31, "USD", "at most 30 digits before the point"),
        ("9" * 1_000_000, "USD", "at most 30 digits before the point"),
        ("0", "USD", "more than 0"),
        ("0.00", "USD", "more than 0"),
        ("0.001", "USD", "at most 2 decimals in USD"),
        ("10.000", "mxn", "at most 2 decimals in MXN"),
        ("1.0", "VND", "no decimals in VND"),
        ("0.0000001", "USDC", "at most 6 decimals in USDC"),
        ("1." + "0" * 1_000_000, "USD", "at most 2 decimals"),
    ],
)
def test_an_invalid_amount_has_one_problem_with_the_reason_and_the_assumption_behind_it(
    value, currency, words
):
    """An invalid amount has one problem, with the reason and the assumption behind it."""
    (problem,) = money.check_amount(value, currency, "amount")
    assert words in problem.message
    assert (problem.field, problem.source) == ("amount", "amount.form")


@pytest.mark.parametrize(
    ("shown", "plain"),
    [
        *(("1,000.00", "1000.00"), ("12,345,678.123456", "12345678.123456")),
        *((text, text) for text in ("1,000", "1,00.00", "1000,000.00", "0,001.00", "1.000,00")),
        *((text, text) for text in ("1,000.", ",000.00", "-1,000.00", "1,000.00 USD", "10.50", "")),
    ],
)
def test_only_groups_of_three_before_a_point_lose_their_commas(shown, plain):
    """A text that may mean another amount is left for the check of amounts."""
    assert money.strip_commas(shown) == plain


def test_an_exponent_that_can_be_written_out():
    """A JSON number is an amount up to a hundred places on either side of the point."""
    assert money.Amount(Decimal("1E+100")).text == "1" + "0" * 100
    for number in ("1E+101", "1E-101"):
        with pytest.raises(ValueError, match="plain digits"):
            money.Amount(Decimal(number))


@pytest.mark.parametrize(
    ("value", "amount"), [("10.50", Decimal("10.50")), ("1e3", None), (10, None), (None, None)]
)
def test_a_valid_amount_is_read_exactly(value, amount):
    """A valid amount is read exactly; anything else gives None."""
    assert money.read_amount(value) == amount
