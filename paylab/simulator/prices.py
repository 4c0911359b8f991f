"""Prices: what an amount costs, by fee and rate. Assumption `money.rule`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from functools import cache
from typing import NamedTuple

from ..spec.codes import minor_unit

PER_USD = {
    "USD": Decimal("1"),
    "USDC": Decimal("1"),
    "MXN": Decimal("18.4312"),
    "BRL": Decimal("5.4127"),
    "COP": Decimal("4012.55"),
    "PHP": Decimal("57.1034"),
    "VND": Decimal("25410"),
    "GBP": Decimal("0.7661"),
    "EUR": Decimal("0.9218"),
    "ARS": Decimal("1312.25"),
    "INR": Decimal("85.9120"),
    "SGD": Decimal("1.3371"),
}

FEE_SHARE = Decimal("0.005")
LEAST_FEE = Decimal("0.50")
RATE_PLACES = Decimal("1E-8")

EXACT = Context(prec=120)
"""A decimal context with enough digits, so that only `quantize` rounds."""


class Price(NamedTuple):
    """The parts of an amount: source = fee + tax + net, destination = net x rate."""

    source: Decimal
    fee: Decimal
    net: Decimal
    rate: Decimal
    destination: Decimal


@cache
def rate(source: str, destination: str) -> Decimal:
    """Destination units per source unit, rounded to 8 decimals."""
    quotient = EXACT.divide(PER_USD[destination.upper()], PER_USD[source.upper()])
    return quotient.quantize(RATE_PLACES, ROUND_HALF_EVEN, EXACT)


@cache
def _step(currency: str) -> Decimal:
    """The minor unit of a currency, such as 0.01."""
    return Decimal(1).scaleb(-minor_unit(currency))


def _rounded(amount: Decimal, currency: str, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    return amount.quantize(_step(currency), rounding, EXACT)


def amount_text(amount: Decimal, currency: str) -> str:
    """An amount as the service writes it, padded to the minor unit."""
    return format(_rounded(amount, currency), "f")


def rate_text(value: Decimal) -> str:
    """A rate as the service writes it."""
    return format(value.normalize(EXACT), "f")


def fee(source: Decimal, currency: str, least: Decimal = LEAST_FEE) -> Decimal:
    """0.50 % of the source, and at least `least`."""
    return max(_rounded(EXACT.multiply(source, FEE_SHARE), currency), least)


def from_source(
    source: Decimal, currency: str, destination: str, *, least: Decimal = LEAST_FEE
) -> Price:
    """The price of sending exactly this amount."""
    cost = fee(source, currency, least)
    value = rate(currency, destination)
    net = EXACT.subtract(source, cost)
    return Price(source, cost, net, value, _rounded(EXACT.multiply(net, value), destination))


def from_net(net: Decimal, currency: str, destination: str) -> Price:
    """The price of the smallest source whose net is at least this amount."""
    step = _step(currency)
    guess = EXACT.divide(net, 1 - FEE_SHARE)
    start = EXACT.subtract(_rounded(guess, currency, ROUND_FLOOR), 2 * step)
    low = max(EXACT.add(net, LEAST_FEE), start)
    while EXACT.subtract(low, fee(low, currency)) < net:
        low = EXACT.add(low, step)
    return from_source(low, currency, destination)


def from_destination(wanted: Decimal, currency: str, destination: str) -> Price:
    """The price of the smallest source whose destination is at least this amount."""
    value = rate(currency, destination)
    net = _rounded(EXACT.divide(wanted, value), currency, ROUND_CEILING)
    return from_net(net, currency, destination)._replace(destination=wanted)


AMOUNTS: Mapping[str, Callable[[Decimal, str, str], Price]] = {
    "source_amount": from_source,
    "net_source_amount": from_net,
    "destination_amount": from_destination,
}
"""The three ways to specify an amount."""
