"""The forms of a lab: `lab.forms.*`, and a registry of the forms already shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .. import corridors
from ..client.api import Client
from ..client.resources.individuals import Individuals
from ..client.resources.operations import created
from ..errors import Problem, RuleError
from ..payments.call_site import concerning
from ..spec import codes
from ..spec.models import (
    Conversion,
    ConversionAccount,
    Deposit,
    FinancialAccount,
    Individual,
    Transfer,
)
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..views.forms.account import WalletForm
    from ..views.forms.conversion_account import ConversionAccountForm, DepositForm
    from ..views.forms.form import Form
    from ..views.forms.live import Live
    from ..views.forms.onboarding import OnboardingForm
    from ..views.forms.onramp import OnrampFunctions, Walk
    from ..views.forms.view import Page

F = TypeVar("F", bound="Page")


class Kept:
    """Forms by what they are about; each shows `place`, the service that it sends to."""

    def __init__(self, place: Callable[[], str]) -> None:
        self._place = place
        self._forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, about: Hashable, asked: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form kept for `about`, unless it was never sent and is asked for otherwise now."""
        before, form = self._forms.get(about, (None, None))
        if form is None or new or (not form.begun and before != asked):
            form = make()
            form.place(self._place())
        self._forms[about] = asked, form
        return form  # type: ignore[no-any-return]


def known_word(name: str, given: str, known: Iterable[str]) -> str:
    """One of the known words; RuleError for another."""
    if given not in (listed := list(known)):
        raise RuleError([Problem(name, f"must be one of {', '.join(sorted(listed))}")])
    return given


def id_of(of: Any) -> str:
    """The id that a result or a text stands for."""
    return of if isinstance(of, str) else str(of.id)


def read_individual(individuals: Individuals, person: Individual | str) -> Individual:
    """The individual itself; one that is given by its id is read."""
    return individuals.get(person) if isinstance(person, str) else person


def refreshing(time: ServiceTime) -> dict[str, Any]:
    """How a line refreshes itself: from a thread, unless the service is in this process."""
    from ..views.forms.live import at_once, in_thread

    return {"pass_time": time.move_on, "run": at_once if time.in_process else in_thread}


class Forms:
    """A form for every step of the on-ramp and of a payout.

    Every form is kept by what it is about, so that a cell that runs again shows what was sent
    and sends nothing twice; `new=True` begins anew.
    """

    def __init__(self, client: Client, time: ServiceTime) -> None:
        from .payout_forms import PayoutForms

        self._client, self._time, self._kept = client, time, Kept(client.place)
        payouts = PayoutForms(client, time, self._kept)
        self.recipient, self.financial_account = payouts.recipient, payouts.financial_account
        self.quote, self.quote_card = payouts.quote, payouts.quote_card
        self.transfer, self._transfer_line = payouts.transfer, payouts.transfer_line

    def onboarding(
        self,
        country: str = "MX",
        product: str = codes.ON_RAMP_PRODUCT,
        *,
        example: bool = False,
        consent: bool = False,
        new: bool = False,
    ) -> OnboardingForm:
        """A form that creates an individual.

        `consent=True` records consent when `submit()` is called without a click. When you
        click through the form, tick the box yourself.
        """
        from ..views.forms.onboarding import OnboardingForm

        country = known_word("country", country.upper(), corridors.NAMES)
        known_word("product_types", product, codes.PRODUCTS)
        make = partial(
            OnboardingForm,
            self._client.individuals.create,
            country,
            product,
            example=example,
            consent=consent,
            clock=self._client.clock,
            service=self._client.service,
        )
        about = "onboarding", country, product
        return self._kept.get(about, (example, consent), make, new=new)

    def images(self, person: Individual | str, *, example: bool = False, new: bool = False) -> Form:
        """A form that uploads the images that verification asks for."""
        from ..views.images.form import ImagesForm

        who = read_individual(self._client.individuals, person)
        make = partial(
            ImagesForm,
            partial(self._client.individuals.upload_images, who.id),
            who.status_details or [],
            name=f"{who.given_name} {who.family_name}",
            country=str(who.country),
            example=example,
        )
        return self._kept.get(("images", who.id, who.updated_at), example, make, new=new)

    def wallet(
        self, person: Individual | str, *, example: bool = False, new: bool = False
    ) -> WalletForm:
        """A form that registers a person's crypto wallet."""
        from ..views.forms.account import WalletForm

        who = id_of(person)
        create = partial(self._client.financial_accounts.create, who, codes.CRYPTO_WALLET)
        given: dict[str, Any] = {"example": example, "service": self._client.service}
        make = partial(WalletForm, create, individual_id=who, **given)
        return self._kept.get(("wallet", who), example, make, new=new)

    def conversion_account(
        self,
        person: Individual | str,
        *,
        wallet: FinancialAccount | str | None = None,
        new: bool = False,
    ) -> ConversionAccountForm:
        """A form that opens a conversion account, paid out to `wallet`, else the newest one."""
        from ..views.forms.conversion_account import ConversionAccountForm

        who = read_individual(self._client.individuals, id_of(person))
        make = partial(
            ConversionAccountForm,
            partial(self._open_account, who.id),
            self._client.conversion_accounts.wait,
            self._client.conversion_accounts.get,
            _wallets(who),
            codes.ON_RAMP.get(str(who.country), ""),
            individual_id=who.id,
            wallet=None if wallet is None else id_of(wallet),
            service=self._client.service,
            **refreshing(self._time),
        )
        held = (*(one.id for one in _wallets(who)), wallet and id_of(wallet))
        return self._kept.get(("account", who.id), held, make, new=new)

    def deposit(self, account: ConversionAccount | str, *, new: bool = False) -> DepositForm:
        """A form that pays into a conversion account, in the sandbox."""
        from ..views.forms.conversion_account import DepositForm

        if isinstance(account, str):
            account = self._client.conversion_accounts.get(account)
        currency = str(account.source_currency)
        make = partial(
            DepositForm,
            partial(self._client.sandbox.deposit, account.id),
            currency,
            codes.DEPOSIT_CAPS[currency.lower()],
            account_id=account.id,
            service=self._client.service,
        )
        return self._kept.get(("deposit", account.id), (), make, new=new)

    def status(self, of: Individual | Deposit | Conversion | Transfer | str) -> Live:
        """A line that keeps itself up to date: of a person, a deposit's conversion, a transfer."""
        line = self._line(of)
        line.place(self._client.place())
        return line

    def _line(self, of: Individual | Deposit | Conversion | Transfer | str) -> Live:
        from ..views.forms.status import ConversionView, StatusLine

        if isinstance(of, Transfer):
            return self._transfer_line(of)
        if isinstance(of, Deposit | Conversion):
            unnamed = isinstance(of, Deposit) and of.sender_name == ""
            look = partial(self._conversion, of)
            return ConversionView(look, unnamed=unnamed, **refreshing(self._time))
        look_at = partial(self._client.individuals.get, id_of(of))
        return StatusLine(look_at, **refreshing(self._time))

    def onramp(
        self,
        country: str = "MX",
        individual_id: str | None = None,
        *,
        example: bool = False,
        consent: bool = False,
        new: bool = False,
    ) -> Walk:
        """The whole on-ramp as one stepper; `individual_id` continues with a person that exists.

        `example=True` fills in every step: tick the consent, then one button leads to the QR code
        or CLABE, and one pays the deposit.
        """
        from ..views.forms.onramp import Walk

        country = known_word("country", country.upper(), codes.ON_RAMP)
        begin = partial(self.onboarding, country, example=example, consent=consent, new=new)
        functions = self._functions(begin, example, new)
        make = partial(Walk, country, functions, individual_id, example=example)
        about = "onramp", country, individual_id
        return self._kept.get(about, (example, consent), make, new=new)

    def _functions(self, begin: Callable[[], Form], example: bool, new: bool) -> OnrampFunctions:
        from ..views.forms.onramp import OnrampFunctions

        return OnrampFunctions(
            onboarding=begin,
            images=lambda person: self.images(person, example=example),
            verification=self.status,
            wallet=lambda person: self.wallet(person, example=example),
            account=self.conversion_account,
            deposit=lambda account: self.deposit(account, new=new),
            conversion=self.status,
            card=self._card,
            person=self._client.individuals.get,
            opened=self._opened,
            paid=self._paid,
            await_person=self._client.individuals.wait,
            await_conversion=lambda of: self._client.conversions.wait(
                conversion_account_id=of.conversion_account_id, since=_instant(of.created_at)
            ),
        )

    def _open_account(self, who: str, *given: Any, **more: Any) -> ConversionAccount:
        """A cell that is run again for another person orders anew, and changes no old order."""
        with concerning(who):
            return self._client.conversion_accounts.create(who, *given, **more)

    def _card(self, account: ConversionAccount) -> Any:
        from ..views.forms.conversion_account import picture

        return picture(account)

    def _conversion(self, of: Deposit | Conversion) -> Conversion | None:
        """The conversion that a deposit became, or the newest state of one."""
        conversions = self._client.conversions
        if isinstance(of, Deposit):
            return conversions.newest(of.conversion_account_id, _instant(of.created_at))
        return conversions.by_id(of.id)

    def _opened(self, person: Individual) -> ConversionAccount | None:
        """The conversion account that a person opened last."""
        found = self._client.conversion_accounts.list(limit=codes.PAGE_MAX)
        own = (one for one in found if one.individual_id == person.id)
        return max(own, key=created, default=None)

    def _paid(self, account: ConversionAccount) -> Conversion | None:
        return self._client.conversions.newest(account.id)


def _wallets(person: Individual) -> list[FinancialAccount]:
    held = [one for one in person.financial_accounts or [] if isinstance(one, FinancialAccount)]
    return [one for one in held if one.type == codes.CRYPTO_WALLET]


def _instant(value: object) -> datetime | None:
    """A time that was readable; the others are kept as they came and cannot be compared."""
    return value if isinstance(value, datetime) else None
