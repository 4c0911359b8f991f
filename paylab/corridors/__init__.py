"""One table of country facts: where money can go, over which rail, and what each country asks.

Rules, forms and the simulator are driven by this table, so no country rule stands elsewhere.
`paylab.corridors` shows the table, `find(...)` a part of it, `get("MX")` all facts of a country.
A fact's `source` is "spec", or the id of the row of `paylab.gaps` that it rests on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

from ..spec import codes
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
        """Every fact, what it is, and where it comes from: "spec" or the id of a gap."""
        from . import table

        return [(fact, value, source) for fact, value, source in table.facts(self)]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import table

        return table.bundle(table.FACTS, table.facts(self))


class Corridors(tuple[Corridor, ...]):
    """Corridors, shown as a table."""

    __slots__ = ()

    def markdown(self) -> str:
        """The table in Markdown; countries alike in everything share a row."""
        from . import table

        return table.table_markdown(self)

    def __repr__(self) -> str:
        from . import table

        return table.table_text(table.brief(self))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import table

        head, body = table.HEAD, table.rows(self)
        shown = table.html(head, body, table.notes(self))
        return {"text/html": shown, "text/plain": repr(self)}


_NAMED = (
    Corridor(
        "AR",
        "ARS",
        (Rail("cbu_cvu"),),
        (AR_ACCOUNT, CRYPTO_WALLET),
        documents=("cuit", "cuil"),
    ),
    Corridor(
        "BR",
        "BRL",
        (Rail("pix", "around the clock"),),
        (PIX, CRYPTO_WALLET),
        documents=("cpf", "cnpj"),
    ),
    Corridor(
        "CO",
        "COP",
        (Rail("ach_co"),),
        (CO_ACCOUNT, CRYPTO_WALLET),
        documents=("cc", "ce", "nit", "pep", "passport"),
        required=("email", "document"),
    ),
    Corridor(
        "IN",
        "INR",
        (Rail("upi"),),
        (IN_UPI, CRYPTO_WALLET),
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
        (Rail("spei"),),
        (MX_ACCOUNT, CRYPTO_WALLET),
        documents=("curp",),
    ),
    Corridor(
        "PH",
        "PHP",
        (
            Rail("instapay", "real time"),
            Rail("pesonet", "in batches, up to 48 hours, with higher limits"),
        ),
        (PH_ACCOUNT, PH_WALLET, PH_QR, CRYPTO_WALLET),
        documents=("tin",),
    ),
    Corridor("GB", "GBP", (Rail("faster_payments"),), (GB_ACCOUNT, CRYPTO_WALLET)),
    *(
        Corridor(country, "EUR", (Rail("sepa_instant"),), (SEPA_ACCOUNT, CRYPTO_WALLET))
        for country in codes.SEPA
    ),
)

ALL = Corridors(_NAMED)

# Countries whose individuals the service takes although the spec names no corridor for them.
_BY_COUNTRY = {corridor.country: corridor for corridor in ALL}
_ELSEWHERE = {code: Corridor(code) for code in codes.COUNTRIES if code not in _BY_COUNTRY}


def get(country: object) -> Corridor | None:
    """The facts of a country, with or without a corridor; None if the service has no such code."""
    if not isinstance(country, str):
        return None
    return _BY_COUNTRY.get(country) or _ELSEWHERE.get(country)


def find(
    *,
    country: str = "",
    currency: str = "",
    rail: str = "",
    product: str = "",
    account_type: str = "",
) -> Corridors:
    """The corridors with everything asked for; what is left out does not matter."""
    return Corridors(
        corridor
        for corridor in ALL
        if (not country or country.upper() == corridor.country)
        and (not currency or codes.same_currency(currency, corridor.currency))
        and (not rail or rail in corridor.payout_methods)
        and (not product or product in corridor.products)
        and (not account_type or account_type in corridor.account_types)
    )


def account(country: object, kind: object) -> Account | None:
    """An account type as a country has it; with no country, one that is the same everywhere."""
    if country is not None:
        corridor = get(country)
        return corridor.account(kind) if corridor else None
    found = {id(one): one for corridor in ALL for one in corridor.accounts if one.type == kind}
    return next(iter(found.values())) if len(found) == 1 else None


def markdown() -> str:
    """The corridor table in Markdown; the SEPA countries share a row."""
    return ALL.markdown()


def _repr_mimebundle_(include: object = None, exclude: object = None) -> dict[str, str]:
    """What a notebook shows of this module: the table."""
    return ALL._repr_mimebundle_()


class _Shown(ModuleType):
    """This module, which shows its table wherever it is looked at."""

    def __repr__(self) -> str:
        return repr(ALL)


sys.modules[__name__].__class__ = _Shown
