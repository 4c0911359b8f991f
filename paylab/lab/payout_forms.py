"""The forms of payouts: recipients, financial accounts, quotes and transfers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from ..client.request import NO_FLOAT
from ..client.resources.individuals import FinancialAccounts, Individuals
from ..client.resources.transfers import Quotes, Transfers
from ..client.session import Session
from ..corridors import examples
from ..corridors.country_names import NAMES, require_country
from ..errors.arguments import explain_arguments
from ..errors.base import Problem, RuleError, RuleWarning, warn_caller
from ..spec import codes
from ..spec.models import Balance, FinancialAccount, Individual, Quote, Transfer
from ..spec.service.service import Service
from ..spec.text import JsonObject, plain
from .form_registry import F, FormRegistry, require_id, require_word
from .quotes import list_routes
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..views.forms.account import AccountForm
    from ..views.forms.onboarding import RecipientForm
    from ..views.forms.quote_card import QuoteCard
    from ..views.forms.status import TransferView
    from ..views.forms.transfer import QuoteForm, TransferForm


@explain_arguments
class PayoutForms:
    """The forms of payouts: recipients, financial accounts, quotes and transfers."""

    def __init__(  # noqa: PLR0913 - a resource each
        self,
        session: Session,
        individuals: Individuals,
        accounts: FinancialAccounts,
        quotes: Quotes,
        transfers: Transfers,
        service_time: ServiceTime,
        registry: FormRegistry,
        status_options: Mapping[str, Any],
        read_balance: Callable[[str], Balance | None],
    ) -> None:
        """Keep what the forms read and create, and the options of each status page."""
        self._session = session
        self._individuals = individuals
        self._accounts = accounts
        self._quotes = quotes
        self._transfers = transfers
        self._service_time = service_time
        self._registry = registry
        self._status_options = status_options
        self._read_balance = read_balance

    def recipient(
        self,
        country: codes.Country | str = "MX",
        product: str = codes.GLOBAL_PAYOUTS,
        *,
        example: bool = False,
        new: bool = False,
    ) -> RecipientForm:
        """A form that creates a recipient with a financial account; each cell has its own."""
        from ..views.forms.onboarding import RecipientForm

        country = require_country(country, NAMES)
        require_word("product_types", product, codes.PRODUCTS)
        make_form = partial(
            RecipientForm,
            self._individuals.create,
            country,
            product,
            example=example,
            clock=self._session.clock,
            service=self._session.service,
        )
        form_identity = "recipient", country, product
        return self._registry.get(form_identity, example, make_form, new=new, is_shared=False)

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

        individual = self._individuals.get(person)
        country = str(individual.country)
        make_form = partial(
            AccountForm,
            partial(self._accounts.create, individual.id),
            country,
            account=account,
            update=self._accounts.update,
            owner=individual.id,
            example=examples.account(country, self._session.service) if example else None,
            service=self._session.service,
        )
        account_id = None if account is None else account.id
        form_identity = "bank", individual.id, account_id
        return self._registry.get(form_identity, example, make_form, new=new)

    def quote(
        self,
        person: Individual | str,
        *,
        amount: str | int | Decimal = "100",
        source_currency: codes.SourceCurrency | str = "USD",
        new: bool = False,
    ) -> QuoteForm:
        """A form that gets a quote over any rail that reaches a recipient.

        With another amount or currency it is another form.
        """
        from ..views.forms.transfer import QuoteForm

        make_form = partial(QuoteForm, self._quotes.create, card=self.quote_card)
        return self._make_payout_form(
            "quote",
            make_with_routes=make_form,
            person=person,
            amount=amount,
            source_currency=source_currency,
            new=new,
        )

    def transfer(
        self,
        person: Individual | str,
        *,
        amount: str | int | Decimal = "",
        source_currency: codes.SourceCurrency | str = "USD",
        new: bool = False,
    ) -> TransferForm:
        """A form that creates a transfer without a quote, of an amount that is still to be typed.

        With another amount or currency it is another form. With `new` it is one that pays an
        equal order again.
        """
        from ..views.forms.transfer import TransferForm

        create_transfer = partial(self._transfers.create, new=self._new_order_name(new=new))
        make_form = partial(TransferForm, create_transfer)
        return self._make_payout_form(
            "transfer",
            make_with_routes=make_form,
            person=person,
            amount=amount,
            source_currency=source_currency,
            new=new,
        )

    def _new_order_name(self, *, new: bool) -> str:
        """The argument `new` of orders from a form: a unique name, so that equal orders are paid.

        Empty for a form that is not new: an equal order is then recognized and not paid again.
        """
        return self._session.new_key() if new else ""

    def _make_payout_form(  # noqa: PLR0913 - what, for whom, how much
        self,
        form_name: str,
        make_with_routes: Callable[..., F],
        person: Individual | str,
        amount: str | int | Decimal,
        source_currency: str,
        *,
        new: bool,
    ) -> F:
        """The form of a recipient's current accounts, with the routes to them.

        `make_with_routes` makes a new one from the routes and options.
        """
        if isinstance(amount, float):
            raise RuleError([Problem("amount", NO_FLOAT)])
        source_currency = source_currency.upper()
        require_word("source_currency", source_currency, codes.SOURCE_CURRENCIES)
        individual = self._individuals.get(person)
        accounts = individual.financial_accounts or []
        if not accounts:
            advice = f"lab.forms.financial_account({individual.id!r}) adds one"
            warn_caller(f"this person has no account that can be paid: {advice}", RuleWarning)
        make_form = partial(
            make_with_routes,
            _label_routes(individual, self._session.service),
            accounts=accounts,
            amount=str(amount),
            source=source_currency,
            service=self._session.service,
        )
        # A form of another amount is another form, also when the first one was sent.
        terms = str(amount), source_currency
        form_identity = form_name, individual.id, len(accounts), *terms
        return self._registry.get(form_identity, (), make_form, new=new)

    def quote_card(self, quote: Quote, *, new: bool = False) -> QuoteCard:
        """A quote with a countdown to its expiry; `submit()` creates the transfer."""
        from ..views.forms.quote_card import QuoteCard

        create_transfer = partial(self._transfers.create, new=self._new_order_name(new=new))
        make_card = partial(
            QuoteCard,
            quote,
            create_transfer,
            partial(self._quotes.again, quote),
            self._session.service_clock.now,
            accounts=self._find_accounts(quote),
            is_frozen=self._service_time.is_frozen(),
            pass_time=self._service_time.move_on,
            service=self._session.service,
        )
        return self._registry.get(("quote card", quote.id), (), make_card, new=new)

    def transfer_status(self, transfer: Transfer | str) -> TransferView:
        """A live status of a transfer."""
        from ..views.forms.status import TransferView

        read_transfer = partial(self._transfers.get, require_id(transfer))
        accounts = self._find_accounts(read_transfer())
        wallets = [account for account in accounts if account.type == codes.CRYPTO_WALLET]
        return TransferView(
            read_transfer,
            wallets=wallets,
            read_balance=self._read_balance,
            **self._status_options,
        )

    def _find_accounts(self, resource: Quote | Transfer) -> list[FinancialAccount]:
        """The accounts of the recipient, if a stablecoin is paid: it may return to a wallet.

        For other currencies the list is empty, and no request is sent.
        """
        pays_stablecoin = codes.is_stablecoin(resource.source_currency or "")
        if not resource.recipient_id or not pays_stablecoin:
            return []
        accounts = self._individuals.get(resource.recipient_id).financial_accounts or []
        return [account for account in accounts if isinstance(account, FinancialAccount)]


def _label_routes(person: Individual, service: Service) -> list[tuple[str, JsonObject]]:
    """The routes to a recipient, each as its label and the fields that choose it.

    ("MXN by SPEI to Ana López, CLABE …6789", {"financial_account": ..., "payout_method": ...})
    """
    name_parts = filter(None, (person.given_name, person.family_name))
    recipient_name = plain(" ".join(map(str, name_parts)) or "a recipient without a name", 60)
    routes: list[tuple[str, JsonObject]] = []
    for route in list_routes(person, service):
        account_text = f"{recipient_name}, {_account_label(route.account)}"
        route_fields = {
            "financial_account": route.account.id,
            "payout_method": route.rail.method,
            "destination_currency": route.currency,
        }
        routes.append((f"{route.currency} by {route.rail} to {account_text}", route_fields))
    return routes


def _account_label(account: FinancialAccount) -> str:
    """The type and the end of the number of an account; an e-mail address keeps its domain."""
    from ..views.forms.account_fields import TYPE_LABELS

    type_label = TYPE_LABELS.get(str(account.type), str(account.type))
    details = account.details or {}
    number_texts = [
        str(detail) for detail_name, detail in details.items() if detail_name not in OTHER_DETAILS
    ]
    account_number = max(number_texts, key=len, default="")  # shorter ones are of a bank or branch
    user_name, at_sign, domain = account_number.rpartition("@")
    shortened_number = f"{user_name[:1]}…@{domain}" if at_sign else f"…{account_number[-4:]}"
    return f"{type_label} {shortened_number}"


OTHER_DETAILS = ("account_holder_name", "issuer", "bank_account_country", "bank_code", "bic")
"""The details of an account that do not number it."""
