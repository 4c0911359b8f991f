"""Amounts: their format, the fixed exchange rates, the fee, and the terms of a quote."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

STABLECOINS = ("USDC",)
SOURCES = ("USD", "USDC", "PHP")
DIGITS = {"USDC": 6, "VND": 0}
PER_DOLLAR = {
    "USD": "1",
    "USDC": "1",
    "MXN": "18.25",
    "COP": "4020.5",
    "BRL": "5.31",
    "PHP": "57.9",
    "VND": "25900",
    "EUR": "0.9125",
    "GBP": "0.775",
    "ARS": "1312.4",
    "INR": "86.2",
    "SGD": "1.29",
}
AMOUNTS = frozenset(
    (
        "source_amount",
        "destination_amount",
        "net_source_amount",
        "exchange_rate",
        "total_fee",
        "total_tax",
        "amount",
    )
)
"""The fields that hold an amount or a rate in any answer."""

_TEXT = re.compile(r"\d{1,30}(\.\d+)?")
_SHARE, _LEAST = Decimal("0.005"), Decimal("0.50")


def unit(currency: str) -> Decimal:
    """The smallest amount of a currency."""
    return Decimal(1).scaleb(-DIGITS.get(currency.upper(), 2))


def rounded(value: Decimal, currency: str) -> Decimal:
    """A value rounded half to even to the smallest unit of a currency."""
    return value.quantize(unit(currency), ROUND_HALF_EVEN)


def rate(source: str, destination: str) -> Decimal:
    """The exchange rate: units of the destination currency for one unit of the source."""
    exact = Decimal(PER_DOLLAR[destination.upper()]) / Decimal(PER_DOLLAR[source.upper()])
    return exact.quantize(Decimal("0.000001"), ROUND_HALF_EVEN).normalize()


def complaint(value: Any, currency: str, form: str) -> str | None:
    """The error message for an amount in a request, or None when the amount is valid."""
    number = isinstance(value, Decimal | int) and not isinstance(value, bool)
    if form == "number" and not number:
        return "Expected number, received " + kind(value)
    if form == "text" and not isinstance(value, str):
        return "Expected string, received " + kind(value)
    text = str(value)
    if not _TEXT.fullmatch(text):
        return "Invalid amount"
    if Decimal(text) <= 0:
        return "Must be greater than 0"
    places = -int(Decimal(text).as_tuple().exponent)
    most = DIGITS.get(currency.upper(), 2)
    return f"Must have at most {most} decimal places" if places > most else None


def kind(value: Any) -> str:
    """The JSON name of the type of a value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    words = {str: "string", dict: "object", list: "array"}
    return next((word for each, word in words.items() if isinstance(value, each)), "number")


def fee(source: Decimal, currency: str, least: Decimal = _LEAST) -> Decimal:
    """The fee: 0.5 percent of the amount, at least `least`, and never more than the amount."""
    return max(rounded(source * _SHARE, currency), min(least, source))


def source_for_net(net: Decimal, currency: str) -> Decimal:
    """The smallest source amount that leaves at least `net` after the fee."""
    low, high = net, rounded(net * Decimal("1.01"), currency) + 1
    step = unit(currency)
    while low < high:
        middle = low + ((high - low) / 2 // step) * step
        if middle - fee(middle, currency) >= net:
            high = middle
        else:
            low = middle + step
    return high


def terms(kind_of_amount: str, amount: Decimal, source: str, destination: str) -> dict[str, str]:
    """All amounts, the rate and the fee of a payout, computed from the given amount."""
    price = rate(source, destination)
    if kind_of_amount == "source_amount":
        gross = amount
    elif kind_of_amount == "net_source_amount":
        gross = source_for_net(amount, source)
    else:
        gross = source_for_net(_net_for(amount, price, source, destination), source)
    gross = rounded(gross, source)
    charged = fee(gross, source)
    net = gross - charged
    received = rounded(net * price, destination)
    given = amount if kind_of_amount == "destination_amount" else received
    return {
        "source_amount": str(gross),
        "destination_amount": str(rounded(given, destination)),
        "net_source_amount": str(net),
        "exchange_rate": f"{price:f}",
        "total_fee": str(charged),
        "fee_currency": source.upper(),
        "total_tax": str(rounded(Decimal(0), source)),
        "tax_currency": source.upper(),
    }


def _net_for(wanted: Decimal, price: Decimal, source: str, destination: str) -> Decimal:
    """A net amount that converts to at least the wanted destination amount."""
    net = rounded(wanted / price, source)
    while rounded(net * price, destination) < wanted:
        net += unit(source)
    return net
