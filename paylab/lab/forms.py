"""The forms of a lab: `lab.forms.*`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ..client.client import Client
from ..client.person_status import explain_inactive
from ..corridors.country_names import NAMES, country_code, require_country
from ..corridors.on_ramps import need_on_ramp, of_currency
from ..errors.api import NotFoundError
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, MissingOperationError, PaylabError
from ..errors.names import with_name_suggestions
from ..errors.type_words import with_article
from ..spec import codes, status
from ..spec.models import (
    Balance,
    Conversion,
    ConversionAccount,
    Deposit,
    FinancialAccount,
    Individual,
    Transfer,
)
from ..spec.resource import creation_time
from .form_registry import FormRegistry, refresh_options, require_id, require_word
from .histories import Histories
from .payout_forms import PayoutForms
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..simulator.controls import Controls
    from ..views.forms.account import WalletForm
    from ..views.forms.conversion_account import ConversionAccountForm, DepositForm
    from ..views.forms.form import Form
    from ..views.forms.live import LiveStatus
    from ..views.forms.onboarding import OnboardingForm
    from ..views.forms.onramp import OnrampStepper
    from ..views.forms.onramp_step import OnrampFunctions


@with_name_suggestions
@explain_arguments
class Forms:
    """A form for every step of the on-ramp and of a payout.

    A form belongs to its cell: a cell that runs again shows it with what was typed or sent, and
    sends nothing twice. What was sent for a person, an account or a quote is shown in other cells
    too; `new=True` makes a new form. `registry` has the forms shown so far.
    """

    def __init__(
        self,
        client: Client,
        service_time: ServiceTime,
        registry: FormRegistry,
        find_controls: Callable[[], Controls | None],
        read_balance: Callable[[str], Balance | None],
    ) -> None:
        self._client = client
        self._service_time = service_time
        self._registry = registry
        read_history = Histories(client.calls, find_controls).read
        self._status_options = {**refresh_options(service_time), "read_history": read_history}
        resources = client.individuals, client.financial_accounts, client.quotes, client.transfers
        payout_forms = PayoutForms(
            client.session, *resources, service_time, registry, self._status_options, read_balance
        )
        self.recipient = payout_forms.recipient
        self.financial_account = payout_forms.financial_account
        self.quote = payout_forms.quote
        self.quote_card = payout_forms.quote_card
        self.transfer = payout_forms.transfer
        self._make_transfer_status = payout_forms.transfer_status

    def onboarding(
        self,
        country: codes.Country | str = "MX",
        product: str = codes.ON_RAMP_PRODUCT,
        *,
        example: bool = False,
        consent: bool = False,
        new: bool = False,
    ) -> OnboardingForm:
        """A form that creates an individual; each cell has its own, and `new=True` makes another.

        `consent=True` records consent when `submit()` is called without a click. When you
        click through the form, tick the box yourself.

        >>> lab.forms.onboarding("MX", example=True, consent=True).submit().status
        'action_required'
        """
        country = require_country(country, NAMES)
        require_word("product_types", product, codes.PRODUCTS)
        return self._make_onboarding_form(
            country, product, new=new, is_shared=False, example=example, consent=consent
        )

    def _make_onboarding_form(
        self, country: str, product: str, *, new: bool, is_shared: bool = True, **options: bool
    ) -> OnboardingForm:
        """The form that creates an individual, with `is_shared` the one that was sent in any cell.

        `options` are `example`, `consent` and `on_ramp_only`.
        """
        from ..views.forms.onboarding import OnboardingForm

        make_form = partial(
            OnboardingForm,
            self._client.individuals.create,
            country,
            product,
            clock=self._client.clock,
            service=self._client.service,
            **options,
        )
        form_identity = "onboarding", country, product
        arguments = tuple(sorted(options.items()))
        return self._registry.get(form_identity, arguments, make_form, new=new, is_shared=is_shared)

    def images(self, person: Individual | str, *, example: bool = False, new: bool = False) -> Form:
        """A form that uploads the images of a verification, or submits the token of one.

        >>> len(lab.forms.images(draft, example=True).submit().images)
        2
        """
        from ..views.forms.token import TokenForm
        from ..views.images.form import ImagesForm

        individual = self._client.individuals.get(person) if isinstance(person, str) else person
        form_identity = "images", individual.id, individual.updated_at
        detail_codes = [status_detail.code for status_detail in individual.status_details or []]
        service = self._client.service
        if status.verifies_by_token(individual.country, detail_codes, service.verification):
            submit_token = partial(self._client.individuals.submit_token, individual.id)
            form_options: dict[str, Any] = {"example": example, "service": service}
            make_token_form = partial(TokenForm, submit_token, self._client.clock, **form_options)
            return self._registry.get(form_identity, example, make_token_form, new=new)
        make_images_form = partial(
            ImagesForm,
            partial(self._client.individuals.upload_images, individual.id),
            individual.status_details or [],
            name=f"{individual.given_name} {individual.family_name}",
            country=str(individual.country),
            family_name=individual.family_name or "",
            example=example,
            service=service,
        )
        return self._registry.get(form_identity, example, make_images_form, new=new)

    def wallet(
        self, person: Individual | str, *, example: bool = False, new: bool = False
    ) -> WalletForm:
        """A form that registers a person's crypto wallet.

        >>> lab.forms.wallet(person, example=True).submit().type
        'crypto_wallet'
        """
        from ..views.forms.account import WalletForm

        individual_id = require_id(person)
        create = partial(self._client.financial_accounts.create, individual_id, codes.CRYPTO_WALLET)
        form_options: dict[str, Any] = {"example": example, "service": self._client.service}
        make_form = partial(WalletForm, create, individual_id=individual_id, **form_options)
        return self._registry.get(("wallet", individual_id), example, make_form, new=new)

    def conversion_account(
        self,
        person: Individual | str,
        *,
        wallet: FinancialAccount | str | None = None,
        new: bool = False,
    ) -> ConversionAccountForm:
        """A form that opens a conversion account for `wallet`, or for the newest wallet.

        >>> lab.forms.conversion_account(person).submit().status
        'active'
        """
        from ..views.forms.conversion_account import ConversionAccountForm

        individual = self._client.individuals.get(person)
        wallet_id = None if wallet is None else require_id(wallet)
        accounts = individual.financial_accounts or []
        wallets = [
            account for account in accounts if getattr(account, "type", "") == codes.CRYPTO_WALLET
        ]
        make_form = partial(
            ConversionAccountForm,
            partial(self._client.conversion_accounts.create, individual.id),
            self._client.conversion_accounts.wait,
            self._client.conversion_accounts.get,
            wallets,
            need_on_ramp(country=str(individual.country)).currency,
            individual_id=individual.id,
            status_note=explain_inactive(individual),
            wallet=wallet_id,
            service=self._client.service,
            **refresh_options(self._service_time),
        )
        arguments = individual.status, *(account.id for account in wallets)
        form_identity = "account", individual.id, wallet_id
        return self._registry.get(form_identity, arguments, make_form, new=new)

    def deposit(self, account: ConversionAccount | str, *, new: bool = False) -> DepositForm:
        """A form that makes a sandbox deposit into a conversion account.

        >>> lab.forms.deposit(account).submit().currency
        'MXN'
        """
        from ..views.forms.conversion_account import DepositForm

        if isinstance(account, str):
            account = self._client.conversion_accounts.get(account)
        source_currency = account.source_currency
        if not source_currency:
            advice = "use lab.sandbox.deposit(account, amount, currency)"
            raise PaylabError(f"conversion account {account.id} has no source_currency: {advice}")
        on_ramp = of_currency(source_currency)
        make_form = partial(
            DepositForm,
            partial(self._client.sandbox.deposit, account.id),
            source_currency,
            on_ramp.cap if on_ramp else None,
            account_id=account.id,
            service=self._client.service,
        )
        return self._registry.get(("deposit", account.id), (), make_form, new=new)

    def status(self, of: Individual | Deposit | Conversion | Transfer | str) -> LiveStatus:
        """A live status of an individual, of the conversion of a deposit, or of a transfer.

        An id is looked up among individuals, transfers and conversions, in this order.

        >>> lab.forms.status(transfer).title
        'Transfer'
        """
        view = self._make_status_view(of)
        self._registry.connect_to_lab(view)
        return view

    def _make_status_view(self, resource: object) -> LiveStatus:
        """The live status of a resource or an id; ArgumentError if the resource has none."""
        from ..views.forms.status import ConversionView, IndividualView

        if isinstance(resource, str):
            resource = self._find_resource(resource)
        if isinstance(resource, Transfer):
            return self._make_transfer_status(resource)
        if isinstance(resource, Deposit | Conversion):
            view_options = {**self._status_options, "needs_review": self._needs_review(resource)}
            return ConversionView(partial(self._find_conversion, resource), **view_options)
        resource_id = getattr(resource, "id", "")  # raises for the result of a failed cell
        if not isinstance(resource, Individual):
            kinds_text = "an individual, a transfer, a deposit or a conversion"
            type_text = with_article(type(resource).__name__)
            raise ArgumentError(f"a status is that of {kinds_text}, not of {type_text}")
        read_individual = partial(self._client.individuals.get, resource_id)
        return IndividualView(read_individual, **self._status_options)

    def _needs_review(self, resource: Deposit | Conversion) -> bool | None:
        """Whether a deposit is held for review as it has no sender; None for a conversion."""
        if not isinstance(resource, Deposit):
            return None
        missing_sender_rule = self._client.service.sandbox_deposits.missing_sender
        return resource.sender_name == "" and missing_sender_rule != "accepted"

    def _find_resource(self, row_id: str) -> Individual | Transfer | Conversion:
        """The resource with an id; NotFoundError names the kinds that have a status."""
        client = self._client
        for get_resource in (client.individuals.get, client.transfers.get, client.conversions.get):
            with suppress(NotFoundError, MissingOperationError):
                return get_resource(row_id)
        message = f"no individual, transfer or conversion has this id: {row_id[:60]!a}"
        raise NotFoundError(404, message)

    def onramp(
        self,
        country: codes.Country | str = "MX",
        individual_id: str | None = None,
        *,
        example: bool = False,
        consent: bool = False,
        new: bool = False,
    ) -> OnrampStepper:
        """The whole on-ramp as one stepper, which continues with what forms have sent before.

        `new=True` begins with another individual, `individual_id` continues with an existing one.
        `example=True` fills in every step: tick the consent, press one button for the QR code or
        CLABE, and another for the deposit. `consent=True` is the consent, also of `submit()`.

        >>> lab.forms.onramp("PH", example=True).title
        'On-ramp: Philippines'
        """
        from ..views.forms.onramp import OnrampStepper

        country = need_on_ramp(country=country_code(country)).country
        form_options = {"example": example, "consent": consent, "on_ramp_only": True}
        make_first_form = partial(
            self._make_onboarding_form, country, codes.ON_RAMP_PRODUCT, new=new, **form_options
        )
        functions = self._make_form_functions(make_first_form, example=example, new=new)
        make_stepper = partial(OnrampStepper, country, functions, individual_id, example=example)
        stepper_identity = "onramp", country, individual_id
        return self._registry.get(stepper_identity, (example, consent), make_stepper, new=new)

    def _make_form_functions(
        self, make_first_form: Callable[[], Form], *, example: bool, new: bool
    ) -> OnrampFunctions:
        """Make the functions that a stepper uses for the form and the result of each step."""
        from ..views.forms.live import datetime_or_none
        from ..views.forms.onramp_step import OnrampFunctions

        return OnrampFunctions(
            onboarding=make_first_form,
            images=lambda person: self.images(person, example=example),
            verification=self.status,
            wallet=lambda person: self.wallet(person, example=example),
            account=self.conversion_account,
            deposit=lambda account: self.deposit(account, new=new),
            conversion=self.status,
            get_person=self._client.individuals.get,
            find_account=self._find_account,
            find_conversion=lambda account: self._client.conversions.newest(account.id),
            await_person=self._client.individuals.wait,
            await_conversion=lambda deposit: self._client.conversions.wait(
                conversion_account_id=deposit.conversion_account_id,
                since=datetime_or_none(deposit.created_at),
            ),
        )

    def _find_conversion(self, resource: Deposit | Conversion) -> Conversion | None:
        """The conversion of a deposit, or the current state of a conversion; None if not found."""
        from ..views.forms.live import datetime_or_none

        conversions = self._client.conversions
        if isinstance(resource, Deposit):
            deposited_at = datetime_or_none(resource.created_at)
            return conversions.newest(resource.conversion_account_id, deposited_at)
        return conversions.by_id(resource.id)

    def _find_account(self, person: Individual) -> ConversionAccount | None:
        """The newest conversion account of an individual, or None."""
        all_accounts = self._client.conversion_accounts.list(limit=codes.PAGE_MAX)
        own_accounts = (account for account in all_accounts if account.individual_id == person.id)
        return max(own_accounts, key=creation_time, default=None)
