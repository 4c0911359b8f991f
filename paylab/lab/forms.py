"""The forms that a lab has shown: a cell that runs again shows what was sent, not a new form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from .. import corridors
from ..client.api import Client
from ..errors import Problem, RuleError
from ..payments.call_site import concerning
from ..spec import codes
from ..spec.models import Conversion, ConversionAccount, Deposit, FinancialAccount, Individual

if TYPE_CHECKING:
    from ..views.forms.account import WalletForm
    from ..views.forms.conversion_account import ConversionAccountForm, DepositForm
    from ..views.forms.form import Form
    from ..views.forms.live import Live
    from ..views.forms.onboarding import OnboardingForm
    from ..views.forms.onramp import OnrampFunctions, Walk


F = TypeVar("F")


class Kept:
    """Forms by what they are about."""

    def __init__(self) -> None:
        self._forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, about: Hashable, asked: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form kept for `about`, unless it was never sent and is asked for otherwise now."""
        before, form = self._forms.get(about, (None, None))
        if form is None or new or (not form.begun and before != asked):
            form = make()
        self._forms[about] = asked, form
        return form  # type: ignore[no-any-return]


class FormedClient(Client):
    """A client whose operations can be clicked.

    Every form is kept by what it is about, so that a cell that runs again shows what was sent
    and sends nothing twice; `new=True` begins anew.
    """

    @cached_property
    def _forms(self) -> Kept:

        return Kept()

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

        `consent=True` records consent when `submit()` is called and nobody clicked. When you
        click through the form, tick the box yourself.
        """
        from ..views.forms.onboarding import OnboardingForm

        country = _must_be("country", country.upper(), corridors.NAMES)
        _must_be("product_types", product, codes.PRODUCTS)
        given: dict[str, Any] = {"example": example, "consent": consent, "clock": self.clock}
        make = partial(OnboardingForm, self.individuals.create, country, product, **given)
        about = "onboarding", country, product
        return self._forms.get(about, (example, consent), make, new=new)

    def images_form(
        self, person: Individual | str, *, example: bool = False, new: bool = False
    ) -> Form:
        """A form that uploads the images that verification asks for."""
        from ..views.images.form import ImagesForm

        who = self._person(person)
        make = partial(
            ImagesForm,
            partial(self.individuals.upload_images, who.id),
            who.status_details or [],
            name=f"{who.given_name} {who.family_name}",
            country=str(who.country),
            example=example,
        )
        return self._forms.get(("images", who.id, who.updated_at), example, make, new=new)

    def wallet_form(
        self, person: Individual | str, *, example: bool = False, new: bool = False
    ) -> WalletForm:
        """A form that registers a person's crypto wallet."""
        from ..views.forms.account import WalletForm

        who = _id(person)
        create = partial(self.financial_accounts.create, who, codes.CRYPTO_WALLET)
        make = partial(WalletForm, create, individual_id=who, example=example)
        return self._forms.get(("wallet", who), example, make, new=new)

    def account_form(self, person: Individual | str, *, new: bool = False) -> ConversionAccountForm:
        """A form that opens a conversion account, paid out to the person's newest wallet."""
        from ..views.forms.conversion_account import ConversionAccountForm

        who = self._person(_id(person))
        make = partial(
            ConversionAccountForm,
            partial(self._open_account, who.id),
            self.conversion_accounts.wait,
            self.conversion_accounts.get,
            _wallets(who),
            codes.ON_RAMP.get(str(who.country), ""),
            individual_id=who.id,
            **self._refreshing(),
        )
        held = tuple(wallet.id for wallet in _wallets(who))
        return self._forms.get(("account", who.id), held, make, new=new)

    def deposit_form(self, account: ConversionAccount | str, *, new: bool = False) -> DepositForm:
        """A form that pays into a conversion account, in the sandbox."""
        from ..views.forms.conversion_account import DepositForm

        account = self.conversion_accounts.get(account) if isinstance(account, str) else account
        currency = str(account.source_currency)
        make = partial(
            DepositForm,
            partial(self.sandbox.deposit, account.id),
            currency,
            codes.DEPOSIT_CAPS[currency.lower()],
            account_id=account.id,
        )
        return self._forms.get(("deposit", account.id), (), make, new=new)

    def status(self, of: Individual | Deposit | Conversion | str) -> Live:
        """A line that keeps itself up to date: of a person, or of a deposit's conversion."""
        from ..views.forms.status import ConversionView, StatusLine

        if isinstance(of, Deposit | Conversion):
            unnamed = isinstance(of, Deposit) and of.sender_name == ""
            look = partial(self._conversion, of)
            return ConversionView(look, unnamed=unnamed, **self._refreshing())
        return StatusLine(partial(self.individuals.get, _id(of)), **self._refreshing())

    def onramp(
        self,
        country: str = "MX",
        individual_id: str | None = None,
        *,
        example: bool = False,
        consent: bool = False,
        new: bool = False,
    ) -> Walk:
        """The whole on-ramp as one stepper; `individual_id` takes up where somebody left."""
        from ..views.forms.onramp import Walk

        country = _must_be("country", country.upper(), codes.ON_RAMP)
        begin = partial(self.onboarding, country, example=example, consent=consent, new=new)
        make = partial(Walk, country, self._doors(begin, example, new), individual_id)
        about = "onramp", country, individual_id
        return self._forms.get(about, (example, consent), make, new=new)

    def _doors(self, begin: Callable[[], Form], example: bool, new: bool) -> OnrampFunctions:
        from ..views.forms.onramp import OnrampFunctions

        return OnrampFunctions(
            onboarding=begin,
            images=lambda person: self.images_form(person, example=example),
            verification=self.status,
            wallet=lambda person: self.wallet_form(person, example=example),
            account=self.account_form,
            deposit=lambda account: self.deposit_form(account, new=new),
            conversion=self.status,
            card=self._card,
            person=self.individuals.get,
            opened=self._opened,
            paid=self._paid,
            await_person=self.individuals.wait,
            await_conversion=lambda of: self.conversions.wait(
                conversion_account_id=of.conversion_account_id, since=_instant(of.created_at)
            ),
        )

    def _open_account(self, who: str, *given: Any, **more: Any) -> ConversionAccount:
        """A cell that is run again for another person orders anew, and changes no old order."""
        with concerning(who):
            return self.conversion_accounts.create(who, *given, **more)

    def _card(self, account: ConversionAccount) -> Any:
        from ..views.forms.conversion_account import picture

        return picture(account)

    def _person(self, person: Individual | str) -> Individual:
        return self.individuals.get(person) if isinstance(person, str) else person

    def _conversion(self, of: Deposit | Conversion) -> Conversion | None:
        """The conversion that a deposit became, or the newest state of one."""
        for one in next(self.conversions.list(limit=codes.PAGE_MAX).pages()).data:
            if one.id == of.id or _is_of(one, of):
                return one
        return None

    def _opened(self, person: Individual) -> ConversionAccount | None:
        found = self.conversion_accounts.list(limit=codes.PAGE_MAX)
        return next((one for one in found if one.individual_id == person.id), None)

    def _paid(self, account: ConversionAccount) -> Conversion | None:
        found = self.conversions.list(limit=codes.PAGE_MAX)
        return next((one for one in found if one.conversion_account_id == account.id), None)

    def _refreshing(self) -> dict[str, Any]:
        """How a line refreshes itself: elsewhere from a thread, and time passes by itself."""
        return {}


def _must_be(name: str, given: str, known: Iterable[str]) -> str:
    if given not in (listed := list(known)):
        raise RuleError([Problem(name, f"must be one of {', '.join(sorted(listed))}")])
    return given


def _id(of: Any) -> str:
    return of if isinstance(of, str) else str(of.id)


def _wallets(person: Individual) -> list[FinancialAccount]:
    held = [one for one in person.financial_accounts or [] if isinstance(one, FinancialAccount)]
    return [one for one in held if one.type == codes.CRYPTO_WALLET]


def _is_of(one: Conversion, deposit: Deposit | Conversion) -> bool:
    if one.conversion_account_id != deposit.conversion_account_id:
        return False
    since, created = _instant(deposit.created_at), _instant(one.created_at)
    return since is None or created is None or created >= since


def _instant(value: object) -> datetime | None:
    """A time that was readable; the others are kept as they came and cannot be compared."""
    return value if isinstance(value, datetime) else None
