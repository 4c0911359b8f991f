"""The terms of a payout: who gets it and how, and what a quote or a transfer of it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from ...errors import Problem
from ...rules import transfers as transfer_rules
from .. import money
from ..exchange import missing, require
from ..table import Row
from ..world import World

AMOUNTS: Mapping[str, Callable[[Decimal, str, str], money.Price]] = {
    "source_amount": money.from_source,
    "net_source_amount": money.from_net,
    "destination_amount": money.from_destination,
}

NAMES = (
    *("source_amount", "source_currency", "destination_amount", "destination_currency"),
    *("exchange_rate", "total_fee", "fee_currency", "total_tax", "tax_currency"),
    *("net_source_amount", "recipient_id", "financial_account_id", "payout_method"),
)
"""The fields that make up the terms."""


def account(world: World, body: Row) -> Row | None:
    """The account a body pays to; None when it names none, which the rules then say."""
    named = account_id(body)
    if named is None:
        return None
    return world.find("financial_accounts", named) or missing("financial account")


def account_id(body: Row) -> str | None:
    """The id of that account, from either of the two fields that may hold it."""
    inner = body.get("financial_account")
    named = inner.get("id") if isinstance(inner, dict) else body.get("financial_account_id")
    return named if isinstance(named, str) and named.strip() else None


def with_route(
    world: World, problems: list[Problem], body: Row, owned: Row | None
) -> list[Problem]:
    """The problems of a body, and those of the way to its account with the other fields."""
    if owned is None:
        return problems
    country = world.tables["individuals"].rows[owned["_"]["owner"]]["country"]
    method = body.get("payout_method")
    currencies = body.get("source_currency") or "usd", body.get("destination_currency")
    route = [
        *transfer_rules.check_route(country, owned["type"], *currencies, method),
        *transfer_rules.check_network(owned["details"].get("network"), method),
    ]
    known = {problem.field for problem in problems}
    return problems + [problem for problem in route if problem.field not in known]


def priced(body: Row, owned: Row | None) -> Row:
    """The terms of a payout: amounts, currencies, rate, fees, who and where to."""
    assert owned is not None  # noqa: S101 - the rules refuse a body without an account
    source = (body.get("source_currency") or "usd").upper()
    destination = body["destination_currency"].upper()
    given = next(name for name in AMOUNTS if body.get(name) is not None)
    price = AMOUNTS[given](Decimal(body[given]), source, destination)
    if price.net <= 0 or price.destination <= 0:
        least = f"is too small: the fee alone is {money.text(price.fee, source)} {source}"
        require([Problem(given, least, "money.rule")])
    return _terms(price, source, destination) | {
        "recipient_id": owned["_"]["owner"],
        "financial_account_id": owned["id"],
        "payout_method": body["payout_method"],
    }


def _terms(price: money.Price, source: str, destination: str) -> Row:
    return {
        "source_amount": money.text(price.source, source),
        "source_currency": source,
        "destination_amount": money.text(price.destination, destination),
        "destination_currency": destination,
        "exchange_rate": money.rate_text(price.rate),
        "total_fee": money.text(price.fee, source),
        "fee_currency": source,
        "total_tax": money.text(Decimal(0), source),
        "tax_currency": source,
        "net_source_amount": money.text(price.net, source),
    }
