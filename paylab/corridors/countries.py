"""The facts of every country: rails, account types, documents and required fields.

Rules, forms and the simulator are driven by this table, so no country rule stands elsewhere.
`of(service)` gives the facts under other assumptions. A fact's `source` is "spec", or the id of
the assumption that it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ..spec import assumptions, codes
from ..spec.service import Service
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
    Format,
    settled,
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

# What every country asks of an individual with one of the ramp products.
RAMP_FIELDS = ("phone", "date_of_birth", "idv_consent_recorded_at", "document")


@dataclass(frozen=True)
class Rail:
    """A payout method and what to expect of its settlement, where the spec says."""

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
        """The country in words."""
        return NAMES[self.country]

    @property
    def on_ramp_currency(self) -> str:
        """The currency of its on-ramp deposits; empty where no on-ramp corridor is named."""
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
        """What the ramps ask for on top of what is always asked; empty where there are none."""
        if not set(self.products) & set(codes.RAMP_PRODUCTS):
            return ()
        return tuple(name for name in RAMP_FIELDS if name not in self.required)

    @property
    def document_numbers(self) -> Mapping[str, Format]:
        """What the numbers of its own documents must look like, where somebody says so."""
        named = () if self.documents == codes.DOCUMENT_TYPES else self.documents
        return {kind: DOCUMENT_NUMBERS[kind] for kind in named if kind in DOCUMENT_NUMBERS}

    def account(self, kind: object) -> Account | None:
        """The account of this type as the country has it, or None."""
        return next((account for account in self.accounts if account.type == kind), None)

    def required_for(self, products: Iterable[object]) -> tuple[str, ...]:
        """The fields an individual needs on top of the base list, given its products."""
        ramp = any(product in codes.RAMP_PRODUCTS for product in products)
        return tuple(dict.fromkeys(self.required + (RAMP_FIELDS if ramp else ())))

    def facts(self) -> list[tuple[str, str, str]]:
        """Every fact, what it is, and where it comes from: "spec" or an assumption."""
        from . import display

        return [(fact, value, source) for fact, value, source in display.facts(self)]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import display

        return display.bundle(display.FACTS, display.facts(self))


class Corridors(tuple[Corridor, ...]):
    """Corridors, shown as a table."""

    __slots__ = ()

    def markdown(self) -> str:
        """The table in Markdown; countries alike in everything share a row."""
        from . import display

        return display.table_markdown(self)

    def __repr__(self) -> str:
        from . import display

        return display.table_text(display.brief(self))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import display

        head, body = display.HEAD, display.rows(self)
        shown = display.html(head, body, display.notes(self))
        return {"text/html": shown, "text/plain": repr(self)}


SETTLEMENTS = {
    "pix": "around the clock",
    "instapay": "real time",
    "pesonet": "in batches, up to 48 hours, with higher limits",
}
"""What the spec says of the settlement of rails."""

_NAMED = (
    Corridor(
        "AR",
        "ARS",
        accounts=(AR_ACCOUNT, CRYPTO_WALLET),
        documents=("cuit", "cuil"),
    ),
    Corridor(
        "BR",
        "BRL",
        accounts=(PIX, CRYPTO_WALLET),
        documents=("cpf", "cnpj"),
    ),
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
            rf"(?=.{{1,{codes.PHONE_MAX_IN}}}\Z)\+91.*",
        ),
    ),
    Corridor(
        "MX",
        "MXN",
        accounts=(MX_ACCOUNT, CRYPTO_WALLET),
        documents=("curp",),
    ),
    Corridor(
        "PH",
        "PHP",
        accounts=(PH_ACCOUNT, PH_WALLET, PH_QR, CRYPTO_WALLET),
        documents=("tin",),
    ),
    Corridor("GB", "GBP", accounts=(GB_ACCOUNT, CRYPTO_WALLET)),
    *(Corridor(country, "EUR", accounts=(SEPA_ACCOUNT, CRYPTO_WALLET)) for country in codes.SEPA),
)

# Countries whose individuals the service takes although the spec names no corridor for them.
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
        found: tuple[str, ...] = self._service.financial_accounts.crypto_wallet.allowed
        return found

    def get(self, country: object) -> Corridor | None:
        """The facts of a country, with or without a corridor; None if no country has this code."""
        return self._by_country.get(country) if isinstance(country, str) else None

    def account(self, country: object, kind: object) -> Account | None:
        """An account type as a country has it; with no country, one that is the same everywhere."""
        if country is not None:
            corridor = self.get(country)
            return corridor.account(kind) if corridor else None
        found = [one for one in self._accounts.values() if one.type == kind]
        return found[0] if len(found) == 1 else None

    def _settled(self, corridor: Corridor) -> Corridor:
        """The corridor with the rails, required fields and words of the service."""
        rails = tuple(map(_rail(corridor), self._service.payout_methods(corridor.country)))
        accounts = (self._account(corridor.country, account) for account in corridor.accounts)
        return replace(corridor, rails=rails, accounts=tuple(accounts))

    def _account(self, country: str, account: Account) -> Account:
        """One object for an account type that several countries share."""
        form = self._service.account(country, account.type)
        if form and id(account) not in self._accounts:
            self._accounts[id(account)] = settled(account, form)
        return self._accounts.get(id(account), account)


def _rail(corridor: Corridor) -> Callable[[str], Rail]:
    """Makes a rail of a country; one that the spec does not name rests on the row of the key."""
    key = assumptions.KEYS.get(corridor.rails_key)
    named = key.default if key and isinstance(key.default, tuple) else ()
    other = key.row if key else ""
    return lambda method: Rail(
        method, SETTLEMENTS.get(method, ""), "spec" if method in named else other
    )


@lru_cache(maxsize=32)
def of(service: Service | None = None) -> Countries:
    """The facts of every country under these assumptions, by default those of `Service()`."""
    return Countries(service) if service is not None else of(Service())
