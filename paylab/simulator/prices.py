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
FEE_MIN = Decimal("0.50")
RATE_PLACES = Decimal("1E-8")

EXACT_CONTEXT = Context(prec=120)
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
    price_ratio = EXACT_CONTEXT.divide(PER_USD[destination.upper()], PER_USD[source.upper()])
    return price_ratio.quantize(RATE_PLACES, ROUND_HALF_EVEN, EXACT_CONTEXT)


@cache
def _find_minor_unit(currency: str) -> Decimal:
    """The minor unit of a currency, such as 0.01."""
    return Decimal(1).scaleb(-minor_unit(currency))


def round_amount(amount: Decimal, currency: str, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """An amount rounded to the minor unit of its currency."""
    return amount.quantize(_find_minor_unit(currency), rounding, EXACT_CONTEXT)


def amount_text(amount: Decimal, currency: str) -> str:
    """An amount as the service writes it, padded to the minor unit."""
    return format(round_amount(amount, currency), "f")


def rate_text(exchange_rate: Decimal) -> str:
    """A rate as the service writes it, without zeros at its end."""
    return format(exchange_rate.normalize(EXACT_CONTEXT), "f")


def fee(source: Decimal, currency: str, fee_min: Decimal = FEE_MIN) -> Decimal:
    """The fee of a source amount: 0.50 % of it, and at least `fee_min`."""
    fee_amount = EXACT_CONTEXT.multiply(source, FEE_SHARE)
    return max(round_amount(fee_amount, currency), fee_min)


def from_source(
    source: Decimal, currency: str, destination: str, *, fee_min: Decimal = FEE_MIN
) -> Price:
    """The price of a source amount of exactly `source`."""
    fee_amount = fee(source, currency, fee_min)
    exchange_rate = rate(currency, destination)
    net_amount = EXACT_CONTEXT.subtract(source, fee_amount)
    destination_amount = EXACT_CONTEXT.multiply(net_amount, exchange_rate)
    return Price(
        source=source,
        fee=fee_amount,
        net=net_amount,
        rate=exchange_rate,
        destination=round_amount(destination_amount, destination),
    )


def from_net(net: Decimal, currency: str, destination: str) -> Price:
    """The price of the smallest source amount whose net amount is at least `net`."""
    minor_amount = _find_minor_unit(currency)
    source_estimate = EXACT_CONTEXT.divide(net, 1 - FEE_SHARE)
    # The fee is rounded, so the smallest source can be a little below the estimate.
    first_candidate = EXACT_CONTEXT.subtract(
        round_amount(source_estimate, currency, ROUND_FLOOR), 2 * minor_amount
    )
    source_amount = max(EXACT_CONTEXT.add(net, FEE_MIN), first_candidate)
    while EXACT_CONTEXT.subtract(source_amount, fee(source_amount, currency)) < net:
        source_amount = EXACT_CONTEXT.add(source_amount, minor_amount)
    return from_source(source_amount, currency, destination)


def from_destination(amount: Decimal, currency: str, destination_currency: str) -> Price:
    """The price of the smallest source amount whose destination amount is at least `amount`.

    Its `destination` is exactly `amount`.
    """
    exact_net = EXACT_CONTEXT.divide(amount, rate(currency, destination_currency))
    net_amount = round_amount(exact_net, currency, ROUND_CEILING)
    return from_net(net_amount, currency, destination_currency)._replace(destination=amount)


PRICE_BY_AMOUNT_FIELD: Mapping[str, Callable[[Decimal, str, str], Price]] = {
    "source_amount": from_source,
    "net_source_amount": from_net,
    "destination_amount": from_destination,
}
"""The three ways to specify an amount."""
