"""Quotes: the terms of a payout, and the endpoint that locks them."""

from __future__ import annotations

from decimal import Decimal

from ...errors.base import Problem
from ...rules import transfers as transfer_rules
from ...spec.request_body import RequestBody
from .. import bodies, prices
from ..bodies import find_named_row
from ..messages import Reply, Request
from ..table import INTERNALS, Row
from ..world import World

TERMS = (
    "source_amount", "source_currency", "destination_amount", "destination_currency",
    "exchange_rate", "total_fee", "fee_currency", "total_tax", "tax_currency",
    "net_source_amount", "recipient_id", "financial_account_id", "payout_method",
)  # fmt: skip
"""The fields that make up the terms."""


def find_account_id(fields: Row) -> str | None:
    """The id of the account, from either of its two fields. None if there is none."""
    account_id = fields.get("financial_account_id")
    account = fields.get("financial_account")
    if isinstance(account, dict):
        account_id = account.get("id")
    if not isinstance(account_id, str) or not account_id.strip():
        return None
    return account_id


def add_route_problems(
    world: World, problems: list[Problem], fields: Row, account: Row | None
) -> list[Problem]:
    """The problems of a body, and those of the route to its account if the account is known.

    A field has no second problem: if `payout_method` is missing, the route adds none for it.
    """
    if account is None:
        return problems
    service = world.service
    country = world.tables["individuals"].rows[account[INTERNALS]["owner"]]["country"]
    payout_method = fields.get("payout_method")
    source_currency = fields.get("source_currency") or transfer_rules.default_currency(service)
    destination_currency = fields.get("destination_currency")
    network = account["details"].get("network")
    route_problems = [
        *transfer_rules.check_route(
            country, account["type"], source_currency, destination_currency, payout_method, service
        ),
        *transfer_rules.check_network(network, payout_method, service),
    ]
    fields_with_problems = {problem.field for problem in problems}
    added_problems = [
        problem for problem in route_problems if problem.field not in fields_with_problems
    ]
    return problems + added_problems


def price_terms(request_body: RequestBody, account: Row | None) -> Row:
    """The terms of a payout: amounts, currencies, rate, fees, recipient and account."""
    assert account is not None  # noqa: S101 - the rules refuse a body without an account
    fields = request_body.fields
    default_currency = transfer_rules.default_currency(request_body.service)
    source_currency = (fields.get("source_currency") or default_currency).upper()
    destination_currency = fields["destination_currency"].upper()
    price = _price_amount(request_body, source_currency, destination_currency)
    return {
        "source_amount": prices.amount_text(price.source, source_currency),
        "source_currency": source_currency,
        "destination_amount": prices.amount_text(price.destination, destination_currency),
        "destination_currency": destination_currency,
        "exchange_rate": prices.rate_text(price.rate),
        "total_fee": prices.amount_text(price.fee, source_currency),
        "fee_currency": source_currency,
        "total_tax": prices.amount_text(Decimal(0), source_currency),
        "tax_currency": source_currency,
        "net_source_amount": prices.amount_text(price.net, source_currency),
        "recipient_id": account[INTERNALS]["owner"],
        "financial_account_id": account["id"],
        "payout_method": fields["payout_method"],
    }


def _price_amount(
    request_body: RequestBody, source_currency: str, destination_currency: str
) -> prices.Price:
    """The price of the amount of a payout. RefusedError if the fee leaves nothing of it."""
    fields = request_body.fields
    # The rules have checked that the body has exactly one amount.
    amount_name = next(
        amount_field
        for amount_field in prices.PRICE_BY_AMOUNT_FIELD
        if fields.get(amount_field) is not None
    )
    compute_price = prices.PRICE_BY_AMOUNT_FIELD[amount_name]
    price = compute_price(Decimal(fields[amount_name]), source_currency, destination_currency)
    problems = []
    if price.net <= 0 or price.destination <= 0:
        fee_text = prices.amount_text(price.fee, source_currency)
        message = f"is too small: the fee alone is {fee_text} {source_currency}"
        problems.append(Problem(amount_name, message, "money.rule"))
    status_code = request_body.service.error_codes.validation
    bodies.refuse_if_problems(request_body, problems, status_code)
    return price


def create_quote(world: World, request: Request) -> Reply:
    """Create a quote. It locks rate and fees. Assumption `quote.operation`."""
    request_body = bodies.read_body(world, request, "quotes.create")
    service = world.service
    fields = request_body.fields
    account_row = find_named_row(world, "financial_accounts", find_account_id(fields))
    problems = transfer_rules.check_quote(fields, service)
    problems = add_route_problems(world, problems, fields, account_row)
    bodies.refuse_if_problems(request_body, problems, service.error_codes.validation)
    quote_row = world.create(
        "quotes",
        {"used": False},
        **price_terms(request_body, account_row),
        derived_source_amount=fields.get("source_amount") is None,
        source_network=fields.get("source_network"),
        expires_at=world.after(service.quotes.lifetime),
    )
    del quote_row["updated_at"]
    return bodies.answer_reply(world, "quotes.create", quote_row)


HANDLERS = {
    "quotes.create": create_quote,
}
