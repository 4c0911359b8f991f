"""The facts of each country that the spec names: currency, accounts, documents, required fields.

Country rules are nowhere else. `countries` adds the rails and the words of a service. A fact's
`source` is "spec", or the id of an assumption.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors.arguments import explain_arguments
from ..errors.text import printable
from ..light_dataclass import light_dataclass
from ..spec import codes
from . import on_ramps
from .account_types import (
    AR_ACCOUNT,
    CO_ACCOUNT,
    CRYPTO_WALLET,
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
from .on_ramps import OnRamp

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


@light_dataclass(frozen=True)
class Rail:
    """A payout method, and its settlement if the spec describes it."""

    method: str
    settlement: str = ""
    source: str = "spec"

    def __str__(self) -> str:
        """The method, and its settlement in brackets."""
        text = f"{self.method} ({self.settlement})" if self.settlement else self.method
        return printable(text)


@explain_arguments
@light_dataclass(frozen=True)
class Corridor:
    """Everything known of one country; `accounts` and their fields carry their own sources.

    `closed` are the products that the spec excludes there.
    """

    country: str
    currency: str = ""
    rails: tuple[Rail, ...] = ()
    accounts: tuple[Account, ...] = (CRYPTO_WALLET,)
    closed: tuple[str, ...] = ()
    documents: tuple[str, ...] = codes.DOCUMENT_TYPES
    required: tuple[str, ...] = ()
    phone: Format | None = None

    @property
    def name(self) -> str:
        """The name of the country."""
        return NAMES[self.country]

    @property
    def on_ramp(self) -> OnRamp | None:
        """Its on-ramp, or None if none is known."""
        return on_ramps.of_country(self.country)

    @property
    def open_products(self) -> tuple[str, ...]:
        """The products that its individuals can declare."""
        return tuple(product for product in codes.PRODUCTS if product not in self.closed)

    @property
    def products(self) -> tuple[str, ...]:
        """The products that its individuals can use: no on_ramp where none is known."""
        usable = {codes.ON_RAMP_PRODUCT: self.on_ramp is not None}
        return tuple(product for product in self.open_products if usable.get(product, True))

    @property
    def on_ramp_currency(self) -> str:
        """The currency of its on-ramp deposits; empty if no on-ramp is known."""
        return self.on_ramp.currency if self.on_ramp else ""

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
        """The additional required fields of the ramp products; empty without them."""
        if not set(self.open_products) & set(codes.RAMP_PRODUCTS):
            return ()
        return tuple(name for name in RAMP_FIELDS if name not in self.required)

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

        columns = display.FACTS
        body = self.facts()
        return {"text/html": display.html(columns, body), "text/plain": display.table_text(body)}


class Corridors(tuple[Corridor, ...]):
    """Corridors, shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        from . import display

        return display.table_text(display.brief(self))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from . import display

        table = display.html(display.HEAD, display.rows(self), display.notes(self))
        return {"text/html": table, "text/plain": repr(self)}


SETTLEMENTS = {
    "pix": "around the clock",
    "instapay": "real time",
    "pesonet": "in batches, up to 48 hours, with higher limits",
}
"""The settlement of rails by the spec."""

NAMED = (
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
        closed=codes.RAMP_PRODUCTS,
        required=("email", "phone"),
        phone=Format(
            f"must start with +91 and be at most {codes.PHONE_MAX_IN} characters",
            r"\+91.*",
            most=codes.PHONE_MAX_IN,
        ),
    ),
    Corridor("MX", "MXN", accounts=(MX_ACCOUNT, CRYPTO_WALLET), documents=("curp",)),
    Corridor(
        "PH", "PHP", accounts=(PH_ACCOUNT, PH_WALLET, PH_QR, CRYPTO_WALLET), documents=("tin",)
    ),
    Corridor("GB", "GBP", accounts=(GB_ACCOUNT, CRYPTO_WALLET)),
    *(Corridor(country, "EUR", accounts=(SEPA_ACCOUNT, CRYPTO_WALLET)) for country in codes.SEPA),
)
"""The corridors of payouts."""

ELSEWHERE = tuple(map(Corridor, sorted({*codes.COUNTRIES} - {one.country for one in NAMED})))
"""Countries whose individuals are accepted although the spec names no corridor for them."""
