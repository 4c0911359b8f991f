"""Prices: fees, rates, and the three ways to specify an amount."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.simulator import prices
from paylab.simulator.prices import EXACT_CONTEXT as EXACT
from paylab.spec import codes

SOURCES = st.sampled_from(codes.SOURCE_CURRENCIES)
DESTINATIONS = st.sampled_from(codes.DESTINATION_CURRENCIES)


def amounts(currency, least):
    """Amounts in whole minor units of a currency."""
    places = codes.minor_unit(currency)
    return st.integers(least, 10**24).map(lambda units: Decimal(units).scaleb(-places))


@pytest.mark.parametrize(
    ("source", "currency", "fee"),
    [
        ("100", "USD", "0.50"),
        ("100.99", "USD", "0.50"),
        ("101.01", "USD", "0.51"),
        ("103", "USD", "0.52"),
        ("105", "USD", "0.52"),
        ("107", "USD", "0.54"),
        ("1", "USD", "0.50"),
        ("123.456789", "USDC", "0.617284"),
        ("10000", "PHP", "50.00"),
    ],
)
def test_the_fee_is_0_5_at_least_0_50_rounded_half_to_even(source, currency, fee):
    """The fee is 0.5 %, at least 0.50, rounded half to even."""
    assert prices.amount_text(prices.fee(Decimal(source), currency), currency) == fee


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("1", "USD", "1.00"),
        ("1.005", "USD", "1.00"),
        ("1.015", "USD", "1.02"),
        ("0.5", "VND", "0"),
        ("1.5", "VND", "2"),
        ("1", "usdc", "1.000000"),
        ("123456789012345678901234567890.12", "MXN", "123456789012345678901234567890.12"),
    ],
)
def test_rounded_half_to_even(amount, currency, text):
    """An amount is rounded half to even to the currency's minor unit."""
    assert prices.amount_text(Decimal(amount), currency) == text


@given(st.data(), SOURCES, DESTINATIONS)
def test_a_source_amount_equals_the_fee_plus_the_net_amount(data, source, destination):
    """The source amount is exactly as given, and equals the fee plus the net amount."""
    amount = data.draw(amounts(source, 1))
    price = prices.from_source(amount, source, destination)
    assert price.source == amount == EXACT.add(price.fee, price.net)
    assert price.fee >= prices.FEE_MIN


@given(st.data(), SOURCES, DESTINATIONS)
def test_a_net_amount_has_the_smallest_source_that_leaves_it(data, source, destination):
    """The net amount is exactly as given, and the source is the smallest that leaves it."""
    wanted = data.draw(amounts(source, 1))
    price = prices.from_net(wanted, source, destination)
    step = Decimal(1).scaleb(-codes.minor_unit(source))
    less = EXACT.subtract(price.source, step)
    assert price.net == wanted
    assert EXACT.subtract(less, prices.fee(less, source)) < wanted


@given(st.data(), SOURCES, DESTINATIONS)
def test_the_destination_is_as_given(data, source, destination):
    """The destination is as given; the net amount is the smallest that reaches it."""
    wanted = data.draw(amounts(destination, 1))
    price = prices.from_destination(wanted, source, destination)
    step = Decimal(1).scaleb(-codes.minor_unit(source))
    assert price.destination == wanted
    assert EXACT.multiply(price.net, price.rate) >= wanted
    assert EXACT.multiply(EXACT.subtract(price.net, step), price.rate) < wanted


def test_every_pair_has_a_rate():
    """Every pair of currencies has a rate in plain digits; the case does not matter."""
    for source, destination in product(codes.SOURCE_CURRENCIES, codes.DESTINATION_CURRENCIES):
        text = prices.rate_text(prices.rate(source.lower(), destination))
        assert Decimal(text) > 0
        assert "E" not in text
