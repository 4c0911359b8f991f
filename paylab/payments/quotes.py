"""Quotes side by side: one amount to several recipients, over every rail that reaches them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from .. import corridors
from ..client.resources.parameters import Options, takes
from ..client.resources.transfers import Money, Quotes
from ..client.sender import Sender
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
class Route:
    """A way for money to reach somebody: an account and a rail that serves it."""

    recipient: Individual
    account: FinancialAccount
    rail: corridors.Rail
    currency: str


AGAIN = ("payout_method", "source_currency", "destination_currency", "source_network")


class ComparedQuotes(Quotes):
    """Quotes, also several side by side, and the same ones asked for afresh."""

    def __init__(self, sender: Sender) -> None:
        super().__init__(sender)
        self._asked: dict[str, dict[str, Any]] = {}

    def _ask(self, body: dict[str, Any], options: Options) -> Quote:
        quote = super()._ask(body, options)
        self._asked[quote.id] = body
        return quote

    def again(self, quote: Quote) -> Quote:
        """A fresh quote for what was asked before; of a quote made elsewhere, for its terms."""
        asked = self._asked.get(quote.id)
        return self.create(**_terms(quote)) if asked is None else self._ask(asked, {})

    @takes(Options)
    def compare(  # noqa: PLR0913 - a field each
        self,
        recipients: Recipients,
        *,
        source_currency: str = "USD",
        source_network: str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> pd.DataFrame:
        """Quote one amount to everybody over each of their rails, as a frame with a row a quote.

        The amount is one of source_amount, destination_amount and net_source_amount; a
        stablecoin needs its source_network. Where there is no quote, `problem` says why.
        """
        people = [recipients] if isinstance(recipients, Individual) else list(recipients)
        if not all(isinstance(one, Individual) for one in people):
            told = "must be individuals, such as lab.individuals.get(id), and not their ids"
            raise RuleError([Problem("recipients", told)])
        found = [route for person in people for route in routes(person)]
        asked = {
            "source_currency": source_currency,
            "source_network": source_network,
            "source_amount": source_amount,
            "destination_amount": destination_amount,
            "net_source_amount": net_source_amount,
            "extra": extra,
            **options,
        }
        return _frame(found, [self._quoted(route, asked) for route in found])

    def _quoted(self, route: Route, asked: dict[str, Any]) -> Quote | str:
        """The quote, or why the service refuses one; what says nothing of the route is raised."""
        own: dict[str, Any] = {
            "payout_method": route.rail.method,
            "destination_currency": route.currency,
        }
        try:
            return self.create(route.account, **own, **asked)
        except REFUSALS as error:
            return "; ".join(map(str, error.problems)) or str(error)
        except RuleError as error:
            return "; ".join(map(str, error.problems))


def _terms(quote: Quote) -> dict[str, Any]:
    """The question a quote seems to answer."""
    given = "destination_amount" if quote.derived_source_amount else "source_amount"
    account = {"financial_account": quote.financial_account_id}
    return {**account, **{name: getattr(quote, name) for name in (*AGAIN, given)}}


def routes(person: Individual) -> Iterator[Route]:
    """Every rail to every account of a recipient but their crypto wallets, by the corridors."""
    corridor = corridors.get(person.country)
    for account in person.financial_accounts or []:
        local = isinstance(account, FinancialAccount) and account.type != codes.CRYPTO_WALLET
        for rail in corridor.rails if corridor and local else ():
            yield Route(person, account, rail, corridor.currency if corridor else "")


def _frame(found: list[Route], quotes: list[Quote | str]) -> pd.DataFrame:
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


def _facts(route: Route) -> tuple[str | None, ...]:
    kind = route.account.type
    return route.recipient.country, kind, route.rail.method, route.rail.settlement
