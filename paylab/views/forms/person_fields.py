"""The inputs of an individual, and how a country and a product change them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ipywidgets import Dropdown, Text

from ... import codes, corridors
from ...account_fields import DOCUMENT_NUMBERS
from ...corridors import Corridor
from .field import Field

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

# Label, what an empty input shows, and a hint.
TEXTS = {
    "given_name": ("Given name", "", ""),
    "family_name": ("Family name", "", "In the sandbox it can decide how verification ends."),
    "email": ("E-mail", "name@example.com", ""),
    "phone": ("Phone", "+52 55 0000 0000", "With the country's code."),
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


def fields(country: str, product: str) -> list[Field]:
    """All inputs, by the names that problems call them by."""
    listed = sorted(corridors.NAMES.items(), key=_name)
    names = [(f"{name} ({code})", code) for code, name in listed]
    products = [(text, code) for code, text in PRODUCTS.items()]
    return [
        Field("product_types", "Product", Dropdown(options=products, value=product)),
        Field("country", "Country", Dropdown(options=names, value=country)),
        *(_text(name) for name in TEXTS),
        Field("document.type", "Document type", Dropdown(options=[NONE])),
    ]


def document_types(corridor: Corridor, required: bool) -> list[tuple[str, str]]:
    """The documents a country accepts, in words."""
    listed = [(document_name(kind), kind) for kind in corridor.documents]
    return listed if required else [NONE, *listed]


def document_name(kind: str) -> str:
    """A document type as people call it."""
    return DOCUMENTS.get(kind, kind.upper())


def number_hint(kind: str) -> str:
    """What a document's number must look like, where that is known."""
    form = DOCUMENT_NUMBERS.get(kind)
    return f"It {form.message}." if form and form.message else ""


def why(corridor: Corridor, product: str) -> str:
    """What a country and a product ask for, and why."""
    said = _money(corridor, product), _papers(corridor), _asked(corridor, product)
    return " ".join(filter(None, said))


def body(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names as nested objects: what is sent."""
    made: dict[str, Any] = {}
    for name, value in flat.items():
        outer, _, inner = name.partition(".")
        if inner:
            made.setdefault(outer, {})[inner] = value
        else:
            made[outer] = value
    return made


def flat(body: Mapping[str, Any]) -> dict[str, Any]:
    """The reverse of `body`."""
    made: dict[str, Any] = {}
    for name, value in body.items():
        inner = value.items() if isinstance(value, Mapping) else None
        made |= {name: value} if inner is None else {f"{name}.{key}": one for key, one in inner}
    return made


def _name(item: tuple[str, str]) -> str:
    return item[1]


def _text(name: str) -> Field:
    label, placeholder, hint = TEXTS[name]
    return Field(name, label, Text(placeholder=placeholder), hint)


def _money(corridor: Corridor, product: str) -> str:
    if product != codes.ON_RAMP_PRODUCT:
        rails = ", ".join(map(str, corridor.rails))
        return f"{corridor.name} is paid in {corridor.currency} by {rails}." if rails else ""
    if not corridor.on_ramp_currency:
        return f"No on-ramp is documented for {corridor.name}: the service may refuse it."
    return f"In {corridor.name}, {corridor.on_ramp_currency.upper()} becomes stablecoin."


def _papers(corridor: Corridor) -> str:
    if corridor.documents == codes.DOCUMENT_TYPES:
        return "Any type of document is accepted."
    words = [document_name(kind) for kind in corridor.documents]
    only = f"only a {words[0]}" if len(words) == 1 else ", ".join(words)
    return f"As a document the service takes {only}."


def _asked(corridor: Corridor, product: str) -> str:
    needed = [ASKED[name] for name in corridor.required_for([product])]
    return f"Required for this: {', '.join(needed)}." if needed else ""


ASKED = {
    "email": "e-mail",
    "phone": "phone",
    "date_of_birth": "date of birth",
    "idv_consent_recorded_at": "consent",
    "document": "document",
}
