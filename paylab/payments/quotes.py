"""Quotes side by side: one amount to several recipients over each of their rails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import corridors
from ..errors import (
    BadRequestError,
    ConflictError,
    NotFoundError,
    Problem,
    RuleError,
    UnprocessableError,
)
from ..spec import codes
from ..spec.models import FinancialAccount, Individual, Quote

if TYPE_CHECKING:
    import pandas as pd

Recipients: TypeAlias = "Individual | Iterable[Individual]"

COLUMNS = (
    *("source_amount", "total_fee", "total_tax", "net_source_amount", "exchange_rate"),
    *("destination_amount", "destination_currency"),
)

# Refusals of this one quote. After any other answer (429, 401, 503) nobody knows whether there is
# a quote, and a row without one would be taken for "not possible".
REFUSALS = (BadRequestError, ConflictError, NotFoundError, UnprocessableError)


@dataclass(frozen=True)
class _Route:
    """An account and a payout method that serves it."""

    recipient: Individual
    account: FinancialAccount
    rail: corridors.Rail
    currency: str


def compare_quotes(
    create: Callable[..., Quote], recipients: Recipients, **asked: Any
) -> pd.DataFrame:
    """Ask for a quote for every recipient over each of their rails; a frame, one row per quote.

    `create` asks the service for a quote. When it refuses one, `problem` says why.
    """
    people = [recipients] if isinstance(recipients, Individual) else list(recipients)
    if not all(isinstance(one, Individual) for one in people):
        told = "must be individuals, such as lab.individuals.get(id), and not their ids"
        raise RuleError([Problem("recipients", told)])
    found = [route for person in people for route in routes(person)]
    return _frame(found, [_quoted(create, route, asked) for route in found])


def _quoted(create: Callable[..., Quote], route: _Route, asked: dict[str, Any]) -> Quote | str:
    """The quote, or why the service refuses it; errors that do not concern the route are raised."""
    own: dict[str, Any] = {
        "payout_method": route.rail.method,
        "destination_currency": route.currency,
    }
    try:
        return create(route.account, **own, **asked)
    except REFUSALS as error:
        return "; ".join(map(str, error.problems)) or str(error)
    except RuleError as error:
        return "; ".join(map(str, error.problems))


def routes(person: Individual) -> Iterator[_Route]:
    """Every rail to every account of a recipient, crypto wallets excepted."""
    corridor = corridors.get(person.country)
    for account in person.financial_accounts or []:
        local = isinstance(account, FinancialAccount) and account.type != codes.CRYPTO_WALLET
        for rail in corridor.rails if corridor and local else ():
            yield _Route(person, account, rail, corridor.currency if corridor else "")


def _frame(found: list[_Route], quotes: list[Quote | str]) -> pd.DataFrame:
    import pandas as pd

    from .. import frames

    raw = [quote.raw if isinstance(quote, Quote) else {} for quote in quotes]
    exact = frames.transfers([{"data": raw, "has_next_page": False}])
    facts = pd.DataFrame(map(_facts, found), columns=["country", "account", "rail", "settlement"])
    shown = pd.concat([facts, exact[list(COLUMNS)]], axis=1)
    shown["financial_account_id"] = [route.account.id for route in found]
    shown["expires_at"] = [getattr(quote, "expires_at", None) for quote in quotes]
    shown["quote_id"] = exact["id"]
    shown["problem"] = [quote if isinstance(quote, str) else None for quote in quotes]
    return shown


def _facts(route: _Route) -> tuple[str | None, ...]:
    kind = route.account.type
    return route.recipient.country, kind, route.rail.method, route.rail.settlement
