"""The facts of every country: rails, account types, documents and required fields.

Rules, forms and the simulator use this table; country rules are nowhere else. `of(service)`
returns the facts under other assumptions. A fact's `source` is "spec", or the id of an
assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ..spec import assumptions, codes
from ..spec.service import AccountDetails, Service
from .account_types import (
    AR_ACCOUNT,
    CO_ACCOUNT,
    CRYPTO_WALLET,
    DOCUMENT_NUMBERS,
    GB_ACCOUNT,
    IN_UPI,
    MX_ACCOUNT,
    PH_ACCOUNT,
    PH_QR,
    PH_WALLET,
    PIX,
    SEPA_ACCOUNT,
    Account,
    DetailField,
    Format,
)

_NAMES = """
AR Argentina, BR Brazil, CO Colombia, MX Mexico, IN India, PH Philippines, US United States,
SG Singapore, VN Vietnam, AE United Arab Emirates, GB United Kingdom, AT Austria, BE Belgium,
BG Bulgaria, HR Croatia, CY Cyprus, EE Estonia, FI Finland, FR France, DE Germany, GR Greece,
IE Ireland, IT Italy, LV Latvia, LT Lithuania, LU Luxembourg, MT Malta, NL Netherlands,
PT Portugal, SK Slovakia, SI Slovenia, ES Spain, CZ Czechia, DK Denmark, HU Hungary, PL Poland,
RO Romania, SE Sweden, IS Iceland, LI Liechtenstein, NO Norway, CH Switzerland
"""
NAMES = {name.strip()[:2]: name.strip()[3:] for name in _NAMES.split(",")}

# Required in every country for an individual with a ramp product.
RAMP_FIELDS = ("phone", "date_of_birth", "idv_consent_recorded_at", "document")


@dataclass(frozen=True)
class Rail:
    """A payout method, and its settlement if the spec describes it."""

    method: str
    settlement: str = ""
    source: str = "spec"

    def __str__(self) -> str:
        """The method, and its settlement in brackets."""
        return f"{self.method} ({self.settlement})" if self.settlement else self.method


@dataclass(frozen=True)
class Corridor:
    """Everything known of one country; `accounts` and their fields carry their own sources."""

    country: str
    currency: str = ""
    rails: tuple[Rail, ...] = ()
    accounts: tuple[Account, ...] = (CRYPTO_WALLET,)
    products: tuple[str, ...] = codes.PRODUCTS
    documents: tuple[str, ...] = codes.DOCUMENT_TYPES
    required: tuple[str, ...] = ()
    phone: Format | None = None
    source: str = "spec"

    @property
    def name(self) -> str:
        """The name of the country."""
        return NAMES[self.country]

    @property
    def on_ramp_currency(self) -> str:
        """The currency of its on-ramp deposits; empty without an on-ramp corridor."""
        return codes.ON_RAMP.get(self.country, "")

    @property
    def payout_methods(self) -> tuple[str, ...]:
        """Its rails by name."""
        return tuple(rail.method for rail in self.rails)

    @property
    def rails_key(self) -> str:
        """The setting of a service.toml that holds its rails."""
        return f"rails.{'SEPA' if self.country in codes.SEPA else self.country}"

    @property
    def account_types(self) -> tuple[str, ...]:
        """The types of account its individuals can hold."""
        return tuple(account.type for account in self.accounts)

    @property
    def required_on_ramps(self) -> tuple[str, ...]:
        """The additional required fields of the ramp products; empty without them."""
        if not set(self.products) & set(codes.RAMP_PRODUCTS):
            return ()
        return tuple(name for name in RAMP_FIELDS if name not in self.required)

    @property
    def document_numbers(self) -> Mapping[str, Format]:
        """The known formats of its document numbers."""
        named = () if self.documents == codes.DOCUMENT_TYPES else self.documents
        return {kind: DOCUMENT_NUMBERS[kind] for kind in named if kind in DOCUMENT_NUMBERS}

    def account(self, kind: object) -> Account | None:
        """The account type in this country, or None.

        >>> paylab.corridors.get("MX").account("bank_account").fields[0].name
        'clabe'
        """
        return next((account for account in self.accounts if account.type == kind), None)

    def required_for(self, products: Iterable[object]) -> tuple[str, ...]:
        """The additional fields that an individual needs, for its products.

        >>> paylab.corridors.get("MX").required_for(["on_ramp"])
        ('phone', 'date_of_birth', 'idv_consent_recorded_at', 'document')
        """
        ramp = any(product in codes.RAMP_PRODUCTS for product in products)
        return tuple(dict.fromkeys(self.required + (RAMP_FIELDS if ramp else ())))

    def facts(self) -> list[tuple[str, str, str]]:
        """Every fact with its value and source: "spec" or an assumption.

        >>> paylab.corridors.get("MX").facts()[1]
        ('currency', 'MXN', 'spec')
        """
        from . import display

        return list(display.facts(self))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import display

        head, body = display.FACTS, self.facts()
        return {"text/html": display.html(head, body), "text/plain": display.table_text(body)}


class Corridors(tuple[Corridor, ...]):
    """Corridors, shown as a table."""

    __slots__ = ()

    def markdown(self) -> str:
        """The table in Markdown; countries with equal facts share a row.

        >>> paylab.corridors.find(currency="MXN").markdown()[:9]
        '| Country'
        """
        from . import display

        return display.table_markdown(self)

    def __repr__(self) -> str:
        from . import display

        return display.table_text(display.brief(self))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import display

        body = map(display.narrow, display.rows(self))
        shown = display.html(display.NARROW, body, display.notes(self))
        return {"text/html": shown, "text/plain": repr(self)}


SETTLEMENTS = {
    "pix": "around the clock",
    "instapay": "real time",
    "pesonet": "in batches, up to 48 hours, with higher limits",
}
"""The settlement of rails by the spec."""

_NAMED = (
    Corridor("AR", "ARS", accounts=(AR_ACCOUNT, CRYPTO_WALLET), documents=("cuit", "cuil")),
    Corridor("BR", "BRL", accounts=(PIX, CRYPTO_WALLET), documents=("cpf", "cnpj")),
    Corridor(
        "CO",
        "COP",
        accounts=(CO_ACCOUNT, CRYPTO_WALLET),
        documents=("cc", "ce", "nit", "pep", "passport"),
        required=("email", "document"),
    ),
    Corridor(
        "IN",
        "INR",
        accounts=(IN_UPI, CRYPTO_WALLET),
        products=(codes.GLOBAL_PAYOUTS,),
        required=("email", "phone"),
        phone=Format(
            f"must start with +91 and be at most {codes.PHONE_MAX_IN} characters",
            r"\+91.*",
            most=codes.PHONE_MAX_IN,
        ),
    ),
    Corridor("MX", "MXN", accounts=(MX_ACCOUNT, CRYPTO_WALLET), documents=("curp",)),
    Corridor(
        "PH",
        "PHP",
        accounts=(PH_ACCOUNT, PH_WALLET, PH_QR, CRYPTO_WALLET),
        documents=("tin",),
    ),
    Corridor("GB", "GBP", accounts=(GB_ACCOUNT, CRYPTO_WALLET)),
    *(Corridor(country, "EUR", accounts=(SEPA_ACCOUNT, CRYPTO_WALLET)) for country in codes.SEPA),
)

# Countries whose individuals are accepted although the spec names no corridor for them.
_ELSEWHERE = tuple(map(Corridor, sorted({*codes.COUNTRIES} - {one.country for one in _NAMED})))


class Countries:
    """The facts of every country under the assumptions of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._accounts: dict[int, Account] = {}
        self.all = Corridors(map(self._settled, _NAMED))
        others = map(self._settled, _ELSEWHERE)
        self._by_country = {corridor.country: corridor for corridor in (*self.all, *others)}

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks of crypto wallets."""
        return tuple(self._service.financial_accounts.crypto_wallet.allowed)

    def get(self, country: object) -> Corridor | None:
        """The facts of a country, with or without a corridor; None for an unknown code.

        >>> paylab.corridors.of(lab.service).get("PH").currency
        'PHP'
        """
        return self._by_country.get(country) if isinstance(country, str) else None

    def account(self, country: object, kind: object) -> Account | None:
        """An account type in a country; without a country, one that is the same everywhere.

        >>> paylab.corridors.of(lab.service).account("IN", "upi").fields[0].name
        'upi_id'
        """
        if country is not None:
            corridor = self.get(country)
            return corridor.account(kind) if corridor else None
        found = [one for one in self._accounts.values() if one.type == kind]
        return found[0] if len(found) == 1 else None

    def _settled(self, corridor: Corridor) -> Corridor:
        """The corridor with the rails, required fields and words of the service."""
        rails = _rails(corridor, self._service.payout_methods(corridor.country))
        accounts = (self._account(corridor.country, account) for account in corridor.accounts)
        return replace(corridor, rails=tuple(rails), accounts=tuple(accounts))

    def _account(self, country: str, account: Account) -> Account:
        """The account type, one object for all countries that share it."""
        form = self._service.account(country, account.type)
        if form and id(account) not in self._accounts:
            self._accounts[id(account)] = _with_details(account, form)
        return self._accounts.get(id(account), account)


def _rails(corridor: Corridor, methods: Iterable[str]) -> Iterator[Rail]:
    """The rails of a country; for those that the spec does not name the source is an assumption."""
    key = assumptions.KEYS.get(corridor.rails_key)
    named = key.default if key and isinstance(key.default, tuple) else ()
    other = key.row if key else ""
    for method in methods:
        yield Rail(method, SETTLEMENTS.get(method, ""), "spec" if method in named else other)


def _with_details(account: Account, form: AccountDetails) -> Account:
    """The account with the required fields and words of one service.

    An unknown required field accepts any text.
    """
    known = {field.name for field in account.fields}
    others = tuple(
        DetailField(name, Format(source=account.source), source=account.source)
        for name in form.required
        if name not in known
    )
    fields = tuple(_with_words(field, account, form) for field in (*account.fields, *others))
    return replace(account, fields=fields)


def _with_words(field: DetailField, account: Account, form: AccountDetails) -> DetailField:
    words = field.form
    if field.name == form.field:
        words = Format(choices=form.allowed, source=account.source, key=f"{form.key}.allowed")
    required = field.name in form.required
    return replace(field, form=words, required=required, key=f"{form.key}.required")


@lru_cache(maxsize=32)
def of(service: Service | None = None) -> Countries:
    """The facts of every country under these assumptions, by default those of `Service()`.

    >>> paylab.corridors.of(lab.service).get("GB").currency
    'GBP'
    """
    return Countries(service) if service is not None else of(Service())


def get(country: object) -> Corridor | None:
    """The facts of a country, with or without a corridor; None for an unknown code.

    >>> paylab.corridors.get("MX").payout_methods
    ('spei',)
    """
    return of().get(country)


def find(  # noqa: PLR0913 - each narrows the search, and all have defaults
    *,
    country: str = "",
    currency: str = "",
    rail: str = "",
    product: str = "",
    account_type: str = "",
    service: Service | None = None,
) -> Corridors:
    """The corridors that match all given criteria.

    >>> [each.country for each in paylab.corridors.find(currency="PHP")]
    ['PH']
    """
    return Corridors(
        corridor
        for corridor in of(service).all
        if (not country or country.upper() == corridor.country)
        and (not currency or codes.same_currency(currency, corridor.currency))
        and (not rail or rail in corridor.payout_methods)
        and (not product or product in corridor.products)
        and (not account_type or account_type in corridor.account_types)
    )


def account(country: object, kind: object) -> Account | None:
    """An account type in a country; without a country, one that is the same everywhere.

    >>> paylab.corridors.account("BR", "pix").fields[0].name
    'pix_key'
    """
    return of().account(country, kind)


def markdown() -> str:
    """The corridor table in Markdown; the SEPA countries share a row.

    >>> paylab.corridors.markdown()[:9]
    '| Country'
    """
    return of().all.markdown()
