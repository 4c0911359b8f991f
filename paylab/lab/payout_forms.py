"""The forms of payouts: recipients, financial accounts, quotes and transfers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..client.resources.individuals import FinancialAccounts, Individuals
from ..client.resources.transfers import Quotes, Transfers
from ..client.sender import Sender
from ..corridors import examples
from ..corridors.corridor import NAMES
from ..spec import codes
from ..spec.models import FinancialAccount, Individual, Quote, Transfer
from ..spec.service.service import Service
from .form_registry import F, Kept, id_of, known_word, refreshing
from .quotes import quote_routes
from .waiting import Waiting

if TYPE_CHECKING:
    from ..views.forms.account import AccountForm
    from ..views.forms.onboarding import RecipientForm
    from ..views.forms.status import TransferLine
    from ..views.forms.transfer import QuoteCard, QuoteForm, TransferForm


class PayoutForms:
    """The forms of payouts: recipients, financial accounts, quotes and transfers."""

    def __init__(  # noqa: PLR0913 - a resource each
        self,
        client: Sender,
        people: Individuals,
        accounts: FinancialAccounts,
        quotes: Quotes,
        transfers: Transfers,
        waiting: Waiting,
        kept: Kept,
    ) -> None:
        self._client, self._people, self._accounts = client, people, accounts
        self._quotes, self._transfers = quotes, transfers
        self._waiting, self._kept = waiting, kept

    def recipient(
        self,
        country: str = "MX",
        product: str = codes.GLOBAL_PAYOUTS,
        *,
        example: bool = False,
        new: bool = False,
    ) -> RecipientForm:
        """A form that creates a recipient with a financial account."""
        from ..views.forms.onboarding import RecipientForm

        country = known_word("country", country.upper(), NAMES)
        known_word("product_types", product, codes.PRODUCTS)
        given: dict[str, Any] = {"example": example, "clock": self._client.clock}
        given["service"] = self._client.service
        make = partial(RecipientForm, self._people.create, country, product, **given)
        return self._kept.get(("recipient", country, product), example, make, new=new)

    def financial_account(
        self,
        person: Individual | str,
        account: FinancialAccount | None = None,
        *,
        example: bool = False,
        new: bool = False,
    ) -> AccountForm:
        """A form that adds an account to a recipient, or replaces the details of `account`."""
        from ..views.forms.account import AccountForm

        who = self._people.get(person)
        country = str(who.country)
        make = partial(
            AccountForm,
            partial(self._accounts.create, who.id),
            country,
            account=account,
            update=self._accounts.update,
            owner=who.id,
            example=examples.account(country, self._client.service) if example else None,
            service=self._client.service,
        )
        about = "bank", who.id, account and account.id
        return self._kept.get(about, example, make, new=new)

    def quote(
        self,
        person: Individual | str,
        *,
        amount: str = "100",
        source_currency: str = "USD",
        new: bool = False,
    ) -> QuoteForm:
        """A form that gets a quote over any rail that reaches a recipient."""
        from ..views.forms.transfer import QuoteForm

        make = partial(QuoteForm, self._quotes.create, card=self.quote_card)
        return self._priced("quote", make, person, amount, source_currency, new=new)

    def transfer(
        self,
        person: Individual | str,
        *,
        amount: str = "100",
        source_currency: str = "USD",
        new: bool = False,
    ) -> TransferForm:
        """A form that creates a transfer without a quote."""
        from ..views.forms.transfer import TransferForm

        make = partial(TransferForm, partial(self._transfers.create, new=self._name(new=new)))
        return self._priced("transfer", make, person, amount, source_currency, new=new)

    def _name(self, *, new: bool) -> str:
        """The name of the payments of a new form, so that each is paid once."""
        return self._client.new_key() if new else ""

    def _priced(  # noqa: PLR0913 - what, for whom, how much
        self,
        what: str,
        make: Callable[..., F],
        person: Individual | str,
        amount: str,
        source: str,
        *,
        new: bool,
    ) -> F:
        """Make a form with the recipient's current accounts and the routes to them."""
        who = self._people.get(person)
        held = who.financial_accounts or []
        given = {"accounts": held, "amount": amount, "source": source.upper()}
        begun = partial(
            make, _labelled(who, self._client.service), **given, service=self._client.service
        )
        return self._kept.get((what, who.id, len(held)), (amount, source), begun, new=new)

    def quote_card(self, quote: Quote, *, new: bool = False) -> QuoteCard:
        """A quote with a countdown to its expiry; `submit()` creates the transfer."""
        from ..views.forms.transfer import QuoteCard

        make = partial(
            QuoteCard,
            quote,
            partial(self._transfers.create, new=self._name(new=new)),
            partial(self._quotes.again, quote),
            self._client.service_clock.now,
            accounts=self._accounts_of(quote),
            stands_still=self._waiting.stands_still(),
            pass_time=self._waiting.move_on,
            service=self._client.service,
        )
        return self._kept.get(("quote card", quote.id), (), make, new=new)

    def transfer_line(self, transfer: Transfer | str) -> TransferLine:
        """A live status of a transfer."""
        from ..views.forms.status import TransferLine

        look = partial(self._transfers.get, id_of(transfer))
        wallets = [one for one in self._accounts_of(look()) if one.type == codes.CRYPTO_WALLET]
        return TransferLine(look, wallets=wallets, **refreshing(self._waiting))

    def _accounts_of(self, of: Quote | Transfer) -> list[FinancialAccount]:
        """The recipient's accounts; empty if no stablecoin is involved."""
        if not of.recipient_id or not codes.is_stablecoin(of.source_currency or ""):
            return []
        held = self._people.get(of.recipient_id).financial_accounts or []
        return [one for one in held if isinstance(one, FinancialAccount)]


def _labelled(person: Individual, service: Service) -> list[tuple[str, dict[str, Any]]]:
    """The routes to a recipient, as pairs of label and fields."""
    return [
        (
            f"{route.currency} by {route.rail} to {route.account.type} {_tail(route.account)}",
            {
                "financial_account": route.account.id,
                "payout_method": route.rail.method,
                "destination_currency": route.currency,
            },
        )
        for route in quote_routes(person, service)
    ]


def _tail(account: FinancialAccount) -> str:
    """The last characters of an account, to recognise it."""
    values = [str(value) for value in (account.details or {}).values()]
    longest = max(values, key=len, default="")
    return f"…{longest[-4:]}"
