"""Quotes: prices, fees and rates (assumption `money.rule`), and the quote endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from functools import cache

from ..errors.base import Problem
from ..rules import transfers as transfer_rules
from ..spec.codes import minor_unit
from ..spec.request_body import RequestBody
from . import bodies
from .bodies import named_row
from .messages import Reply, Request
from .table import Row
from .world import World

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


@dataclass(frozen=True, slots=True)
class Price:
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


def _rounded(amount: Decimal, currency: str, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """An amount in the currency's minor unit."""
    return amount.quantize(Decimal(1).scaleb(-minor_unit(currency)), rounding, EXACT)


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
    cost, value = fee(source, currency, least), rate(currency, destination)
    net = EXACT.subtract(source, cost)
    return Price(source, cost, net, value, _rounded(EXACT.multiply(net, value), destination))


def from_net(net: Decimal, currency: str, destination: str) -> Price:
    """The price of the smallest source whose net is at least this amount."""
    step = Decimal(1).scaleb(-minor_unit(currency))
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
    return replace(from_net(net, currency, destination), destination=wanted)


AMOUNTS: Mapping[str, Callable[[Decimal, str, str], Price]] = {
    "source_amount": from_source,
    "net_source_amount": from_net,
    "destination_amount": from_destination,
}

NAMES = (
    *("source_amount", "source_currency", "destination_amount", "destination_currency"),
    *("exchange_rate", "total_fee", "fee_currency", "total_tax", "tax_currency"),
    *("net_source_amount", "recipient_id", "financial_account_id", "payout_method"),
)
"""The fields that make up the terms."""


def account_of(world: World, body: Row) -> Row | None:
    """The account of a body; None if it names none, which the rules report."""
    return named_row(world, "financial_accounts", account_id(body))


def account_id(body: Row) -> str | None:
    """The id of the account, from either of its two fields."""
    inner = body.get("financial_account")
    named = inner.get("id") if isinstance(inner, dict) else body.get("financial_account_id")
    return named if isinstance(named, str) and named.strip() else None


def with_route(
    world: World, problems: list[Problem], body: Row, owned: Row | None
) -> list[Problem]:
    """The problems of a body, and those of the route to its account."""
    if owned is None:
        return problems
    country = world.tables["individuals"].rows[owned["_"]["owner"]]["country"]
    method = body.get("payout_method")
    source = body.get("source_currency") or transfer_rules.rules_of(world.service).default_currency
    currencies, service = (source, body.get("destination_currency")), world.service
    network = owned["details"].get("network")
    route = [
        *transfer_rules.check_route(country, owned["type"], *currencies, method, service),
        *transfer_rules.check_network(network, method, service),
    ]
    known = {problem.field for problem in problems}
    return problems + [problem for problem in route if problem.field not in known]


def priced(asked: RequestBody, owned: Row | None) -> Row:
    """The terms of a payout: amounts, currencies, rate, fees, recipient and account."""
    assert owned is not None  # noqa: S101 - the rules refuse a body without an account
    body, service = asked.fields, asked.service
    usual = transfer_rules.rules_of(service).default_currency
    source = (body.get("source_currency") or usual).upper()
    destination = body["destination_currency"].upper()
    given = next(name for name in AMOUNTS if body.get(name) is not None)
    price = AMOUNTS[given](Decimal(body[given]), source, destination)
    if price.net <= 0 or price.destination <= 0:
        least = f"is too small: the fee alone is {amount_text(price.fee, source)} {source}"
        bodies.require_fields(
            asked, [Problem(given, least, "money.rule")], service.error_codes.validation
        )
    return {
        "source_amount": amount_text(price.source, source),
        "source_currency": source,
        "destination_amount": amount_text(price.destination, destination),
        "destination_currency": destination,
        "exchange_rate": rate_text(price.rate),
        "total_fee": amount_text(price.fee, source),
        "fee_currency": source,
        "total_tax": amount_text(Decimal(0), source),
        "tax_currency": source,
        "net_source_amount": amount_text(price.net, source),
        "recipient_id": owned["_"]["owner"],
        "financial_account_id": owned["id"],
        "payout_method": body["payout_method"],
    }


def create(world: World, request: Request) -> Reply:
    """Create a quote, which locks rate and fees. Assumption `quote.operation`."""
    asked, service = bodies.read_body(world, request, "quotes.create"), world.service
    body = asked.fields
    account = account_of(world, body)
    problems = with_route(world, transfer_rules.check_quote(body, service), body, account)
    bodies.require_fields(asked, problems, service.error_codes.validation)
    row = world.create(
        "quotes",
        {"used": False},
        **priced(asked, account),
        derived_source_amount=body.get("source_amount") is None,
        source_network=body.get("source_network"),
        expires_at=world.after(service.quotes.lifetime),
    )
    del row["updated_at"]
    return bodies.answer(world, "quotes.create", row)


SERVED = {
    "quotes.create": create,
}
"""The functions of the operations that this module carries out."""
