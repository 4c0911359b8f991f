"""The inputs of an individual by country and product, and the consent to verification."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

from ...corridors.account_types import DOCUMENT_NUMBERS
from ...corridors.corridor import NAMES, Corridor
from ...errors.base import Problem
from ...spec import codes, timestamps
from .field import REQUIRED, SELECT, TICK, FormField

NAME = "idv_consent_recorded_at"
CONSENT_ASKED = "The person agrees to identity verification"
TICK_IT = "Tick this box when the person agrees; the time is recorded."
IN_CODE = "Tick this box when the person agrees; consent=True counts only without a click."


class Consent(FormField):
    """A box ticked by the user or by `consent=True`; its value is the time of consent."""

    def __init__(self, clock: Callable[[], datetime], *, in_code: bool = False) -> None:
        super().__init__(NAME, CONSENT_ASKED, TICK, hint=IN_CODE if in_code else TICK_IT)
        self._clock = clock
        self.recorded_at = ""
        self._asking = self.hint

    def _given(self) -> str:
        """The time of consent as ISO 8601 text in UTC; empty without consent."""
        return self.recorded_at

    def store(self, value: Any) -> bool:
        """Note the time when the box is ticked."""
        changed = super().store(bool(value))
        if changed:
            self.recorded_at = timestamps.to_text(self._clock()) if value else ""
            self.hint = f"Consent recorded at {self.recorded_at}" if value else self._asking
        return changed

    def say(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        """Show problems, with what to do about a missing consent."""
        super().say(problems, warnings)
        self.errors = [
            f"{error}. {self._asking}" if error == REQUIRED else error for error in self.errors
        ]

    def require(self, needed: bool | None, *, assumed: bool = False) -> None:
        """Ask for consent only where it is required."""
        super().require(needed, assumed=assumed)
        self.visible = bool(needed)


PRODUCTS = {
    codes.ON_RAMP_PRODUCT: "On-ramp: fiat to stablecoin",
    codes.OFF_RAMP_PRODUCT: "Off-ramp: stablecoin to fiat",
    codes.GLOBAL_PAYOUTS: "Global payouts",
}
DOCUMENTS = {
    "cc": "Cédula de ciudadanía",
    "ce": "Cédula de extranjería",
    "pep": "PEP",
    "driver_licence": "Driver's licence",
    "emirates_id": "Emirates ID",
    "eu_residence_permit": "EU residence permit",
    "national_id": "National ID",
    "passport": "Passport",
}
NONE = ("No document", "")

HINT_NAME = (
    "Simulator: a family name such as “Verification Image Blurry” decides how verification ends."
)

# Label, placeholder, and hint.
TEXTS = {
    "given_name": ("Given name", "", ""),
    "family_name": ("Family name", "", HINT_NAME),
    "email": ("E-mail", "name@example.com", ""),
    "phone": ("Phone", "+00 000 000 0000", "With the country code."),
    "date_of_birth": ("Date of birth", "1990-12-31", "Year, month, day."),
    "address.line_1": ("Street and number", "", ""),
    "address.line_2": ("Address, second line", "", ""),
    "address.city": ("City", "", ""),
    "address.state": ("State or province", "", ""),
    "address.postal_code": ("Postal code", "", ""),
    "document.number": ("Document number", "", ""),
}
WORK = ("product_types", "country")
PERSON = ("given_name", "family_name", "email", "phone", "date_of_birth")
ADDRESS = tuple(name for name in TEXTS if name.startswith("address."))
DOCUMENT = ("document.type", "document.number")


def fields(country: str, product: str) -> list[FormField]:
    """All inputs, with the field names that problems use."""
    countries_by_name = sorted(NAMES.items(), key=itemgetter(1))
    names = [(f"{name} ({code})", code) for code, name in countries_by_name]
    products = [(text, code) for code, text in PRODUCTS.items()]
    number = _text("document.number")
    number.private = True
    return [
        FormField("product_types", "Product", SELECT, value=product, options=products),
        FormField("country", "Country", SELECT, value=country, options=names),
        *(_text(name) for name in TEXTS if name != number.name),
        FormField("document.type", "Document type", SELECT, options=[NONE]),
        number,
    ]


def document_types(corridor: Corridor, required: bool) -> list[tuple[str, str]]:
    """The labels of the documents that a country accepts."""
    options = [(document_name(kind), kind) for kind in corridor.documents]
    return options if required else [NONE, *options]


def document_name(kind: str) -> str:
    """The label of a document type."""
    return DOCUMENTS.get(kind, kind.upper())


def number_hint(kind: str) -> str:
    """The format of a document number, if known."""
    form = DOCUMENT_NUMBERS.get(kind)
    if form is None or not form.message:
        return ""
    requirement = form.message.removeprefix("must be ")
    return f"{requirement[:1].upper()}{requirement[1:]}."


def why(corridor: Corridor, product: str) -> str:
    """A sentence on what a country and a product require."""
    required_text = ", ".join(ASKED[name] for name in corridor.required_for([product]))
    also_required = f" Also required: {required_text}." if required_text else ""
    return f"{_money(corridor, product)} {_papers(corridor)}{also_required}"


def example_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a body by the names of their fields, without country and product."""
    flat_fields: dict[str, Any] = {}
    for name, value in body.items():
        inner = value if isinstance(value, Mapping) else {}
        flat_fields |= {f"{name}.{key}": item for key, item in inner.items()} or {name: value}
    return {name: value for name, value in flat_fields.items() if name not in WORK}


def _text(name: str) -> FormField:
    label, placeholder, hint = TEXTS[name]
    return FormField(name, label, hint=hint, placeholder=placeholder)


NO_PAYOUTS = "No payouts are documented for this country: the service may refuse a transfer."


def _money(corridor: Corridor, product: str) -> str:
    if product not in corridor.open_products:
        offered = ", ".join(PRODUCTS[open_product] for open_product in corridor.open_products)
        return f"This product is not available in this country; available: {offered}."
    if product != codes.ON_RAMP_PRODUCT:
        rails = ", ".join(map(str, corridor.rails))
        return f"Payouts are in {corridor.currency} by {rails}." if rails else NO_PAYOUTS
    if not corridor.on_ramp:
        return "No on-ramp is known for this country: the service may refuse this person."
    return f"Deposits in {corridor.on_ramp.currency.upper()} are converted to a stablecoin."


def _papers(corridor: Corridor) -> str:
    if corridor.documents == codes.DOCUMENT_TYPES:
        return "Any type of document is accepted."
    words = [document_name(kind) for kind in corridor.documents]
    only = f"only {words[0]}" if len(words) == 1 else ", ".join(words)
    return f"Accepted documents: {only}."


ASKED = {
    "email": "e-mail",
    "phone": "phone",
    "date_of_birth": "date of birth",
    "idv_consent_recorded_at": "consent",
    "document": "document",
}
