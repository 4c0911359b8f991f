"""Compare quotes of one amount for several recipients and rails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..client.parameters import build_body
from ..corridors import countries
from ..corridors.corridor import Rail
from ..errors.api import BadRequestError, ConflictError, NotFoundError, UnprocessableError
from ..errors.base import Problem, RuleError
from ..errors.extras import extra_imports
from ..rules import transfers
from ..spec import codes
from ..spec.models import FinancialAccount, Individual, Quote
from ..spec.operations.records import REQUEST_AMOUNTS
from ..spec.service.service import Service

if TYPE_CHECKING:
    import pandas as pd

Recipients: TypeAlias = "Individual | Iterable[Individual]"

QUOTE_COLUMNS = (
    "source_amount", "total_fee", "total_tax", "net_source_amount", "exchange_rate",
    "destination_amount", "destination_currency",
)  # fmt: skip

# Refusals of one quote. After any other status (429, 401, 503) it is not known whether the quote
# is possible, and a row without a quote would mean "not possible".
REFUSAL_ERRORS = (BadRequestError, ConflictError, NotFoundError, UnprocessableError, RuleError)


@dataclass(frozen=True)
class _Route:
    """A way to pay a recipient: an account, and a rail and a currency that reach it."""

    recipient: Individual
    account: FinancialAccount
    rail: Rail
    currency: str


def compare_quotes(
    create: Callable[..., Quote], recipients: Recipients, service: Service, **amount_terms: object
) -> pd.DataFrame:
    """Get a quote for every recipient and rail; return a frame with one row per quote.

    `create` requests a quote, with terms such as `source_amount` that are the same for all. If the
    service refuses one, the column `problem` says why. RuleError for an amount that is none.
    """
    individuals = [recipients] if isinstance(recipients, Individual) else list(recipients)
    if not all(isinstance(recipient, Individual) for recipient in individuals):
        message = "must be individuals, such as lab.individuals.get(id), not ids"
        raise RuleError([Problem("recipients", message)])
    _check_amount(amount_terms, service)
    routes = [route for person in individuals for route in list_routes(person, service)]
    quotes_or_refusals = [_try_quote(create, route, amount_terms) for route in routes]
    return _make_frame(routes, quotes_or_refusals)


def _check_amount(amount_terms: Mapping[str, object], service: Service) -> None:
    """RuleError if the terms do not have one amount, which would be wrong for every recipient."""
    amounts = {name: amount_terms.get(name) for name in REQUEST_AMOUNTS}
    currency = amount_terms.get("source_currency")
    body = build_body("quotes.create", source_currency=currency, **amounts)
    problems = transfers.check_quote(body, service)
    amount_problems = [problem for problem in problems if problem.field in REQUEST_AMOUNTS]
    if amount_problems:
        raise RuleError(amount_problems)


def _try_quote(
    create: Callable[..., Quote], route: _Route, amount_terms: dict[str, Any]
) -> Quote | str:
    """The quote of a route, or the text of its refusal; any other error is raised."""
    route_terms = {"payout_method": route.rail.method, "destination_currency": route.currency}
    try:
        return create(route.account, **route_terms, **amount_terms)
    except REFUSAL_ERRORS as error:
        return "; ".join(map(str, error.problems)) or str(error)


def list_routes(person: Individual, service: Service) -> Iterator[_Route]:
    """Every rail to every account of a recipient, without crypto wallets."""
    corridor = countries.of(service).get(person.country)
    if corridor is None:
        return
    for account in person.financial_accounts or []:
        if isinstance(account, FinancialAccount) and account.type != codes.CRYPTO_WALLET:
            yield from (_Route(person, account, rail, corridor.currency) for rail in corridor.rails)


def _make_frame(routes: list[_Route], quotes_or_refusals: list[Quote | str]) -> pd.DataFrame:
    """A frame with a row for each route: its quote, or why it was refused."""
    with extra_imports():
        import pandas as pd

    from .. import frames
    from ..frames.exact_frame import ExactFrame

    quote_rows = [
        quote.to_dict() if isinstance(quote, Quote) else {} for quote in quotes_or_refusals
    ]
    # A quote has the amounts of a transfer: read as one, they are exact.
    quote_frame = frames.transfers([{"data": quote_rows, "has_next_page": False}])
    route_frame = pd.DataFrame(
        {
            "country": [route.recipient.country for route in routes],
            "account": [route.account.type for route in routes],
            "rail": [route.rail.method for route in routes],
            "settlement": [route.rail.settlement for route in routes],
        }
    )
    comparison_frame = pd.concat([route_frame, quote_frame[list(QUOTE_COLUMNS)]], axis=1)
    comparison_frame["financial_account_id"] = [route.account.id for route in routes]
    comparison_frame["expires_at"] = [
        getattr(quote, "expires_at", None) for quote in quotes_or_refusals
    ]
    comparison_frame["quote_id"] = quote_frame["id"]
    comparison_frame["problem"] = [
        refusal if isinstance(refusal, str) else None for refusal in quotes_or_refusals
    ]
    return ExactFrame(comparison_frame)
