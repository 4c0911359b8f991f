"""The validation of requests: fields and formats by country, product and account type."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from .money import kind
from .refusals import REQUIRED, Problem
from .settings import Settings

EURO = [
    "AT",
    "BE",
    "BG",
    "HR",
    "CY",
    "EE",
    "FI",
    "FR",
    "DE",
    "GR",
    "IE",
    "IT",
    "LV",
    "LT",
    "LU",
    "MT",
    "NL",
    "PT",
    "SK",
    "SI",
    "ES",
]
SEPA = {*EURO, *["CZ", "DK", "HU", "PL", "RO", "SE", "IS", "LI", "NO", "CH"]}
COUNTRIES = {*SEPA, *["AR", "BR", "CO", "MX", "US", "IN", "PH", "SG", "VN", "AE", "GB"]}
PRODUCTS = ("global_payouts", "off_ramp", "on_ramp")
RAMPS = {"on_ramp", "off_ramp"}
DOCUMENTS = {
    "AR": ("cuit", "cuil"),
    "BR": ("cpf", "cnpj"),
    "CO": ("cc", "ce", "nit", "pep", "passport"),
    "MX": ("curp",),
    "PH": ("tin",),
}
ALL_DOCUMENTS = [
    "cuit",
    "cuil",
    "cpf",
    "cnpj",
    "cc",
    "ce",
    "nit",
    "pep",
    "curp",
    "tin",
    "eu_residence_permit",
    "emirates_id",
    "driver_licence",
    "national_id",
    "passport",
]
NUMBERS = {
    "cpf": r"\d{11}",
    "cnpj": r"\d{14}",
    "curp": r"[A-Z]{4}\d{6}[HM][A-Z]{2}[A-Z]{3}[A-Z0-9]\d",
}
INDIVIDUAL = [
    "product_types",
    "given_name",
    "family_name",
    "country",
    "email",
    "phone",
    "date_of_birth",
    "address",
    "document",
    "idv_consent_recorded_at",
    "financial_accounts",
]
ADDRESS = ("country", "line_1", "line_2", "city", "state", "postal_code")
SIDES = ("document-front", "document-back", "selfie")
MEDIA = ("application/pdf", *(f"image/{word}" for word in ["jpeg", "png", "heic", "heif", "tiff"]))
SMALLEST, LARGEST = 10 * 1024, 15 * 1024 * 1024
HOLDER = r".{2,140}"
PIX = {
    "cpf": r"\d{11}",
    "cnpj": r"\d{14}",
    "email": r"[^@\s]+@[^@\s]+",
    "phone": r"\+\d{8,15}",
    "evp": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
TYPES = ("pix", "bank_account", "digital_wallet", "upi", "crypto_wallet", "ph_qr_code")
_PH = {"issuer": r".+", "account_number": r".+", "account_holder_name": r".+"}
ACCOUNTS: dict[tuple[str, str], dict[str, str]] = {
    ("AR", "bank_account"): {"account_number": r"\d{22}", "account_type": "cbu|cvu"},
    ("BR", "pix"): {"pix_key": r".+", "pix_key_type": r".+"},
    ("CO", "bank_account"): {
        "bank_code": r".+",
        "account_number": r".+",
        "account_type": "savings|checking",
    },
    ("IN", "upi"): {"upi_id": r"(?=.{3,45}$)[^@]+@[^@]+"},
    ("MX", "bank_account"): {"clabe": r"\d{18}"},
    ("PH", "bank_account"): _PH,
    ("PH", "digital_wallet"): _PH,
    ("PH", "ph_qr_code"): {"qrph_payload": r".+"},
    ("GB", "bank_account"): {
        "bank_account_country": "GB",
        "sort_code": r"\d{6}",
        "account_number": r"\d{8}",
        "account_holder_name": HOLDER,
    },
    ("SEPA", "bank_account"): {
        "bank_account_country": "|".join(sorted(SEPA)),
        "iban": r"(?=.{15,34}$)[A-Z]{2}\d{2}[A-Z0-9]+",
        "bic?": r"[A-Z0-9]{8}([A-Z0-9]{3})?",
        "account_holder_name": HOLDER,
    },
}
"""Patterns of the details by corridor, type and field. A field with a `?` is optional."""
WALLET = {"address": r".+", "network": r".+"}


def corridor(country: str) -> str:
    """The key of a country in the tables: its code, or SEPA."""
    return "SEPA" if country in SEPA else country


class Body:
    """The fields of one JSON object under our names; problems are reported under the service's."""

    def __init__(
        self,
        value: Any,
        names: Mapping[str, str],
        problems: list[Problem],
        at: str = "",
    ) -> None:
        self._names, self._at, self.problems = names, at, problems
        self.values: dict[str, Any] = {}
        self.unknown: list[str] = []
        if not isinstance(value, dict):
            problems.append((at, f"Expected object, received {kind(value)}"))
            return
        ours = {theirs: mine for mine, theirs in names.items()}
        for key, content in dict[str, Any](value).items():
            if key in names and key not in ours:
                self.unknown.append(key)
            else:
                self.values[ours.get(key, key)] = content

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    def say(self, name: str, words: str) -> None:
        """Report a problem of a field."""
        path = self._names.get(name, name)
        self.problems.append((f"{self._at}.{path}" if self._at else path, words))

    def require(self, names: Iterable[str]) -> None:
        """Report every field that is missing or blank."""
        for name in names:
            value = self[name]
            if value is None or value in ([], "") or (isinstance(value, str) and not value.strip()):
                self.say(name, REQUIRED)

    def only(self, known: Iterable[str]) -> None:
        """Report every key that the service does not know."""
        known = set(known)
        extra = self.unknown + [key for key in self.values if key not in known]
        self.problems.extend((self._at, f"Unrecognized key: {key}") for key in extra)

    def text(self, name: str, pattern: str = r".*", words: str | None = None) -> str | None:
        """The text of a field, or None when it is absent or bad. A bad value is reported."""
        value = self[name]
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            self.say(name, f"Expected string, received {kind(value)}")
        elif not re.fullmatch(pattern, value, re.DOTALL):
            self.say(name, words or "Invalid format")
        else:
            return value
        return None

    def word(self, name: str, allowed: Iterable[str]) -> str | None:
        """The value of a field, or None when it is absent or bad. A bad value is reported."""
        value = self[name]
        allowed = list(allowed)
        if value is None or value == "":
            return None
        if value in allowed:
            return str(value)
        self.say(name, f"Invalid value {value!r}. Expected one of: {', '.join(allowed)}")
        return None

    def moment(self, name: str) -> None:
        """Report a field that is not an ISO 8601 timestamp."""
        value = self[name]
        if value is None:
            return
        try:
            datetime.fromisoformat(value)
        except (TypeError, ValueError):
            self.say(name, "Invalid datetime")


def check_individual(value: Any, settings: Settings) -> tuple[Body, list[Problem]]:
    """The fields of a new individual and every problem in them."""
    problems: list[Problem] = []
    body = Body(value, settings.names("individual"), problems)
    products = body["product_types"]
    if products is not None and (
        not isinstance(products, list) or not all(each in PRODUCTS for each in products)
    ):
        body.say("product_types", f"Expected an array of: {', '.join(PRODUCTS)}")
        products = []
    products = products or []
    country = body.word("country", sorted(COUNTRIES)) or ""
    needed = [*settings.required("individual"), *_needed(country, set(products))]
    body.require(dict.fromkeys(needed))
    for name in ("given_name", "family_name", "email"):
        body.text(name)
    if country == "IN":
        body.text("phone", r"\+91.{0,17}", "Must start with +91 and have at most 20 characters")
        if RAMPS & set(products):
            body.say("product_types", "on_ramp and off_ramp are not available in IN")
    else:
        body.text("phone")
    _check_birth(body)
    body.moment("idv_consent_recorded_at")
    _check_address(body, country, settings)
    _check_document(body, country)
    if settings["bodies.unknown_keys"] == "refuse":
        body.only(INDIVIDUAL)
    return body, problems


def _needed(country: str, products: set[str]) -> list[str]:
    """The fields that the interface document requires for a country and products."""
    needed = {"CO": ["email", "document"], "IN": ["email", "phone"]}.get(country, [])
    if products & RAMPS:
        needed = [*needed, "phone", "document", "date_of_birth", "idv_consent_recorded_at"]
    return needed


def _check_birth(body: Body) -> None:
    text = body.text("date_of_birth", r"\d{4}-\d\d-\d\d", "Expected format YYYY-MM-DD")
    if text is None:
        return
    try:
        date.fromisoformat(text)
    except ValueError:
        body.say("date_of_birth", "Not a date of the calendar")


def _check_address(body: Body, country: str, settings: Settings) -> None:
    if body["address"] is None:
        return
    address = Body(body["address"], {}, body.problems, "address")
    address.require(settings.required("address"))
    for name in ADDRESS[1:]:
        address.text(name)
    if country and address["country"] not in (None, country):
        address.say("country", "Must be the same as country")


def _check_document(body: Body, country: str) -> None:
    if body["document"] is None:
        return
    document = Body(body["document"], {}, body.problems, "document")
    document.require(["type"])
    allowed = DOCUMENTS.get(country, ALL_DOCUMENTS)
    chosen = document.word("type", allowed)
    if chosen:
        document.text("number", NUMBERS.get(chosen, r".+"), f"Invalid {chosen} number")


def check_account(
    country: str,
    account_type: Any,
    details: Any,
    settings: Settings,
    problems: list[Problem],
    at: str = "",
) -> None:
    """Report every problem in the type and the details of an account."""
    inside = f"{at}.details" if at else "details"
    place = f"{at}.type" if at else "type"
    if account_type is None:
        problems.append((place, REQUIRED))
        return
    key = corridor(country)
    fields = WALLET if account_type == "crypto_wallet" else ACCOUNTS.get((key, str(account_type)))
    if fields is None:
        problems.append((place, f"Invalid account type {account_type!r} for {country}"))
        return
    if details is None:
        problems.append((inside, REQUIRED))
        return
    body = Body(
        details, settings.names(f"{key}.{account_type}", str(account_type)), problems, inside
    )
    body.require(name for name in fields if not name.endswith("?"))
    body.require(settings.required(f"{account_type}.{key}"))
    known = [name.rstrip("?") for name in fields]
    for name, pattern in fields.items():
        body.text(name.rstrip("?"), pattern)
    _check_words(body, str(account_type), settings)
    if settings["details.unknown_keys"] == "refuse":
        body.only([*known, *settings.required(f"{account_type}.{key}")])


def _check_words(body: Body, account_type: str, settings: Settings) -> None:
    """Check the fields that accept only the values listed by the service."""
    if account_type == "crypto_wallet":
        body.word("network", settings["words.networks"])
    elif account_type == "pix":
        chosen = body.word("pix_key_type", settings["words.pix_key_types"])
        if chosen:
            pattern = PIX.get(chosen.lower(), r".+")
            body.text("pix_key", pattern, "pix_key does not match pix_key_type")
    elif body["issuer"] is not None:
        body.word("issuer", settings[f"words.issuers.{account_type}"])


def check_images(value: Any, problems: list[Problem]) -> list[dict[str, Any]]:
    """Check the images of an upload; return the type and the content type of each."""
    images = value.get("images") if isinstance(value, dict) else None
    if images is None:
        problems.append(("images", REQUIRED))
        return []
    if not isinstance(images, list) or not 1 <= len(images) <= 10:
        problems.append(("images", "Expected an array of 1 to 10 images"))
        return []
    return [_image(each, f"images.{number}", problems) for number, each in enumerate(images)]


def _image(value: Any, at: str, problems: list[Problem]) -> dict[str, Any]:
    body = Body(value, {}, problems, at)
    body.require(["type", "content"])
    body.word("type", SIDES)
    content = body.text("content", r"data:[^;,]+;base64,.+", "Expected a base64 data URI")
    if content is None:
        return {}
    head, _, data = content.partition(";base64,")
    media = head.removeprefix("data:")
    try:
        size = len(base64.b64decode(data, validate=True))
    except (ValueError, binascii.Error):
        body.say("content", "Invalid base64")
        return {}
    if media not in MEDIA:
        body.say("content", f"Unsupported content type {media}")
    if not SMALLEST <= size <= LARGEST:
        body.say("content", "Image must be between 10 KB and 15 MB")
    return {"type": body["type"], "content_type": media}
