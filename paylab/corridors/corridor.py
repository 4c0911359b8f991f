"""The facts of each country that the spec names: currency, accounts, documents, required fields.

Country rules are nowhere else. `countries` adds the rails and the words of a service. The source
of a fact is "spec", or the id of an assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors.arguments import explain_arguments
from ..errors.text import printable
from ..light_dataclass import light_dataclass
from ..spec import codes
from ..spec.service.setting import SPEC
from ..spec.tables import align_columns, html_table, join_words
from . import on_ramps
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
from .country_names import NAMES
from .format_text import describe_documents, describe_format_and_note
from .on_ramps import OnRamp

RAMP_FIELDS = ("phone", "date_of_birth", "idv_consent_recorded_at", "document")
"""The fields that an individual with a ramp product needs in every country."""

FACT_COLUMNS = ("Fact", "Value", "From")
Fact = tuple[str, str, str]
"""The name of a fact, its value, and its source."""

PRODUCTS_SOURCE = "corridor.products"
"""The assumption behind the products that the spec does not show for a country."""


@light_dataclass(frozen=True)
class Rail:
    """A payout method, and its settlement if the spec describes it."""

    method: str
    settlement: str = ""
    source: str = "spec"

    def __str__(self) -> str:
        """Return the method, and its settlement in brackets."""
        rail_text = f"{self.method} ({self.settlement})" if self.settlement else self.method
        return printable(rail_text)


@explain_arguments
@light_dataclass(frozen=True)
class Corridor:
    """All facts of one country; `accounts` and their fields carry their own sources.

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
        """The on-ramp of the country; None if none is known."""
        return on_ramps.of_country(self.country)

    @property
    def open_products(self) -> tuple[str, ...]:
        """The products that its individuals can declare."""
        return tuple(product for product in codes.PRODUCTS if product not in self.closed)

    @property
    def products(self) -> tuple[str, ...]:
        """The products that its individuals can use; on_ramp only if an on-ramp is known."""
        if self.on_ramp is not None:
            return self.open_products
        usable_products = [
            product for product in self.open_products if product != codes.ON_RAMP_PRODUCT
        ]
        return tuple(usable_products)

    @property
    def on_ramp_currency(self) -> str:
        """The currency of its on-ramp deposits; empty if no on-ramp is known."""
        return self.on_ramp.currency if self.on_ramp else ""

    @property
    def payout_methods(self) -> tuple[str, ...]:
        """The names of its rails, such as "spei"."""
        return tuple(rail.method for rail in self.rails)

    @property
    def account_types(self) -> tuple[str, ...]:
        """The types of account its individuals can hold."""
        return tuple(account.type for account in self.accounts)

    @property
    def assumed_products(self) -> tuple[str, ...]:
        """The products that the spec does not show by naming their currency for the country."""
        stated_products = {codes.GLOBAL_PAYOUTS} if self.currency else set()
        if self.on_ramp is not None and self.on_ramp.source == SPEC:
            stated_products.add(codes.ON_RAMP_PRODUCT)
        return tuple(product for product in self.products if product not in stated_products)

    @property
    def ramp_fields(self) -> tuple[str, ...]:
        """The additional required fields of the ramp products; empty without them."""
        if not set(self.open_products) & set(codes.RAMP_PRODUCTS):
            return ()
        return tuple(field_name for field_name in RAMP_FIELDS if field_name not in self.required)

    def account(self, account_type: object) -> Account | None:
        """Return the account type as it is in this country; None if the country has none.

        >>> paylab.corridors.get("MX").account("bank_account").fields[0].name
        'clabe'
        """
        for account in self.accounts:
            if account.type == account_type:
                return account
        return None

    def required_for(self, products: Iterable[object]) -> tuple[str, ...]:
        """Return the additional fields that an individual needs, for its products.

        >>> paylab.corridors.get("MX").required_for(["on_ramp"])
        ('phone', 'date_of_birth', 'idv_consent_recorded_at', 'document')
        """
        has_ramp = any(product in codes.RAMP_PRODUCTS for product in products)
        ramp_fields = RAMP_FIELDS if has_ramp else ()
        return tuple(dict.fromkeys(self.required + ramp_fields))

    def facts(self) -> list[Fact]:
        """Return every fact with its value and source: "spec" or an assumption.

        >>> paylab.corridors.get("MX").facts()[1]
        ('currency', 'MXN', 'spec')
        """
        rail_facts = [
            (f"rail {rail.method}", rail.settlement or "settlement not shown", rail.source)
            for rail in self.rails
        ]
        return [
            ("country", f"{self.name} ({self.country})", SPEC),
            ("currency", self.currency or "no corridor is named", SPEC),
            *rail_facts,
            *self._list_product_facts(),
            *self._list_document_facts(),
            *self._list_individual_facts(),
            self._describe_on_ramp(),
            *self._list_account_facts(),
        ]

    def _list_product_facts(self) -> Iterator[Fact]:
        """Yield the products that the spec shows, and those that it does not."""
        assumed_products = self.assumed_products
        stated_products = [product for product in self.products if product not in assumed_products]
        if stated_products:
            yield "products", join_words(stated_products), SPEC
        if assumed_products:
            yield "products, not shown", join_words(assumed_products), PRODUCTS_SOURCE

    def _list_document_facts(self) -> Iterator[Fact]:
        """Yield the document types, and the format of each number if the country has its own."""
        yield "documents", describe_documents(self.documents), SPEC
        if self.documents == codes.DOCUMENT_TYPES:
            return
        for document_type in self.documents:
            number_format = DOCUMENT_NUMBERS.get(document_type)
            if number_format:
                format_text = describe_format_and_note(number_format)
                yield f"number of a {document_type}", format_text, number_format.source

    def _list_individual_facts(self) -> Iterator[Fact]:
        """Yield the required fields of an individual, and the format of the phone."""
        yield "also required", join_words(self.required), SPEC
        yield "for on_ramp, off_ramp", join_words(self.ramp_fields), SPEC
        if self.phone:
            yield "phone", self.phone.message, self.phone.source

    def _describe_on_ramp(self) -> Fact:
        """Return the currency of the on-ramp, or why there is none."""
        if self.on_ramp:
            return "on-ramp from", self.on_ramp.currency, self.on_ramp.source
        if codes.ON_RAMP_PRODUCT in self.closed:
            return "on-ramp", "not enabled", SPEC
        return "on-ramp", "no on-ramp is known", PRODUCTS_SOURCE

    def _list_account_facts(self) -> Iterator[Fact]:
        """Yield the rule of each field of each account type."""
        for account in self.accounts:
            for field in account.fields:
                unique_sources = dict.fromkeys((field.source, field.form.source))
                yield (
                    f"{account.type} {field.name}",
                    _describe_rule(field),
                    ", ".join(unique_sources),
                )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The facts as a table, as notebooks show it."""
        return {"text/html": html_table(FACT_COLUMNS, self.facts()), "text/plain": repr(self)}

    def __repr__(self) -> str:
        """The facts as aligned text; of no country only the class."""
        return align_columns(self.facts()) if self.country in NAMES else "Corridor of no country"


def _describe_rule(field: DetailField) -> str:
    """Return the formats of a field, and whether it can be left out."""
    rule_text = describe_format_and_note(field.form)
    if field.forms:  # the format depends on the word in another field
        rule_text = "; ".join(
            f"{word}: {describe_format_and_note(text_format)}"
            for word, text_format in field.forms.items()
        )
    return rule_text if field.required else f"{rule_text}, can be left out"


SETTLEMENT_HOURS = {"pesonet": 48}
"""The hours that a payout takes at most, of rails that settle in batches."""

SETTLEMENTS = {
    "pix": "around the clock",
    "instapay": "real time",
    "pesonet": f"in batches, up to {SETTLEMENT_HOURS['pesonet']} hours, with higher limits",
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

_NAMED_COUNTRIES = {corridor.country for corridor in NAMED}
COUNTRIES_WITHOUT_CORRIDOR = tuple(map(Corridor, sorted({*codes.COUNTRIES} - _NAMED_COUNTRIES)))
"""Countries whose individuals are accepted although the spec names no corridor for them."""
