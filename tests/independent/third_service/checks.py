"""The field rules of the specification: each check returns a list of (field, message)."""

import base64
import binascii
import re
from datetime import date, datetime
from decimal import Decimal
from urllib.parse import urlsplit


def words(text):
    """The words of a text."""
    return tuple(text.split())


SEPA = set(
    words(
        "AT BE BG HR CY EE FI FR DE GR IE IT LV LT LU MT NL PT SK SI ES "
        "CZ DK HU PL RO SE IS LI NO CH"
    )
)
COUNTRIES = SEPA | set(words("AR BR CO MX US IN PH SG VN AE GB"))
PRODUCTS = ("global_payouts", "off_ramp", "on_ramp")
CURRENCIES = set(words("USD USDC PHP MXN COP BRL VND EUR GBP ARS INR SGD"))
MINOR_UNITS = {"USDC": 6, "VND": 0}
DOCUMENT_TYPES = words(
    "cuit cuil cpf cnpj cc ce nit pep curp tin eu_residence_permit emirates_id "
    "driver_licence national_id passport"
)
DOCUMENTS = {
    "AR": ("cuit", "cuil"),
    "BR": ("cpf", "cnpj"),
    "CO": ("cc", "ce", "nit", "pep", "passport"),
    "MX": ("curp",),
    "PH": ("tin",),
}
NUMBERS = {"cpf": r"\d{11}", "cnpj": r"\d{14}", "curp": r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d"}
HOLDER = {"account_holder_name": r".{2,140}"}
ACCOUNTS = {  # (country, type): the pattern of each field; a field that ends with ? is optional
    ("AR", "bank_account"): {"account_number": r"\d{22}", "account_type": "cbu|cvu"},
    ("BR", "pix"): {"pix_key": ".+", "pix_key_type": ".+"},
    ("CO", "bank_account"): {
        "bank_code": ".+",
        "account_number": r"\d+",
        "account_type": "savings|checking",
    },
    ("IN", "upi"): {"upi_id": r"(?=.{3,45}$)[^@]+@[^@]+"},
    ("MX", "bank_account"): {"clabe": r"\d{18}"},
    ("PH", "bank_account"): {"issuer": ".+", "account_number": ".+"} | HOLDER,
    ("PH", "digital_wallet"): {"issuer": ".+", "account_number": ".+"} | HOLDER,
    ("PH", "ph_qr_code"): {"qrph_payload": ".+"},
    ("GB", "bank_account"): HOLDER
    | {"bank_account_country": "GB", "sort_code": r"\d{6}", "account_number": r"\d{8}"},
    ("SEPA", "bank_account"): HOLDER
    | {
        "bank_account_country": "|".join(sorted(SEPA)),
        "iban": r"[A-Z]{2}\d\d[A-Z0-9]{11,30}",
        "bic?": r"[A-Z0-9]{8}([A-Z0-9]{3})?",
    },
}
ADDRESSES = {"solana": r"[1-9A-HJ-NP-Za-km-z]{32,44}"}
PIX_KEYS = {
    "cpf": r"\d{11}",
    "cnpj": r"\d{14}",
    "email": r"[^@\s]+@[^@\s]+",
    "phone": r"\+\d{8,15}",
    "evp": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
}
EVENT_TYPES = words(
    "transfer.created transfer.funded transfer.payout_initiated transfer.completed "
    "transfer.failed transfer.expired conversion.created conversion.payout_initiated "
    "conversion.completed conversion.failed individual.status_changed"
)


def dig(body, path):
    """The value at a dotted path, or None."""
    for name in path.split("."):
        body = body.get(name) if isinstance(body, dict) else None
    return body


class Fields:
    """Checks the fields of one body and collects what is wrong."""

    def __init__(self, body):
        self.body = body
        self.problems = []

    def add(self, name, message):
        """Note a problem."""
        self.problems.append((name, message))

    def text(self, name, pattern=r"(?s).*\S.*", *, required=True, message="is not valid"):
        """A text that matches the pattern."""
        value = dig(self.body, name)
        if value is None:
            if required:
                self.add(name, "is required")
        elif not isinstance(value, str):
            self.add(name, "must be a string")
        elif not re.fullmatch(pattern, value):
            self.add(name, message if value.strip() else "must not be blank")

    def choice(self, name, allowed, *, required=True):
        """One of the allowed words."""
        value = dig(self.body, name)
        if value is None:
            if required:
                self.add(name, "is required")
        elif not isinstance(value, str) or value not in allowed:
            self.add(name, f"must be one of {', '.join(sorted(allowed))}")

    def time(self, name, *, required=True):
        """A time in ISO 8601."""
        self.text(name, required=required)
        try:
            datetime.fromisoformat(dig(self.body, name) or "2020-01-01")
        except (TypeError, ValueError):
            self.add(name, "must be an ISO 8601 timestamp")


def check_individual(body):
    """The problems of a new individual, its financial accounts excepted."""
    fields = Fields(body)
    products = body.get("product_types")
    if not isinstance(products, list) or not products or not all(p in PRODUCTS for p in products):
        fields.add("product_types", f"must be a list of {', '.join(PRODUCTS)}")
        products = []
    country = body.get("country")
    fields.text("given_name")
    fields.text("family_name")
    fields.choice("country", COUNTRIES)
    if not isinstance(body.get("address"), dict):
        fields.add("address", "is required" if "address" not in body else "must be an object")
    elif body["address"].get("country", country) != country:
        fields.add("address.country", "must be the same as country")
    ramp = bool({"on_ramp", "off_ramp"} & set(products))
    if country == "IN" and ramp:
        fields.add("product_types", "IN is available for global_payouts only")
    phone = r"\+91\d{8,17}" if country == "IN" else r"\+\d{7,15}"
    fields.text(
        "phone", phone, required=ramp or country == "IN", message="must start with + or +91"
    )
    fields.text("email", r"[^@\s]+@[^@\s]+\.[^@\s]+", required=country in {"CO", "IN"})
    fields.text("date_of_birth", r"\d{4}-\d\d-\d\d", required=ramp, message="must be YYYY-MM-DD")
    try:
        date.fromisoformat(body.get("date_of_birth") or "2000-01-01")
    except (TypeError, ValueError):
        fields.add("date_of_birth", "is not a date")
    fields.time("idv_consent_recorded_at", required=ramp)
    check_document(fields, country, required=ramp or country == "CO")
    return fields.problems


def check_document(fields, country, *, required):
    """Note the problems of the document of an individual."""
    document = fields.body.get("document")
    if document is None:
        if required:
            fields.add("document", "is required")
        return
    fields.choice("document.type", DOCUMENTS.get(country, DOCUMENT_TYPES))
    pattern = NUMBERS.get(dig(document, "type") or "", ".+")
    fields.text("document.number", pattern, required=False)


def check_account(kind, details, country, settings):
    """The problems of a financial account of an individual of the country."""
    if not isinstance(details, dict):
        return [("details", "is required" if details is None else "must be an object")]
    fields = Fields({"details": details})
    if kind == "crypto_wallet":
        fields.choice("details.network", settings.networks)
        fields.text("details.address", ADDRESSES.get(details.get("network"), "0x[0-9a-fA-F]{40}"))
        return fields.problems
    group = "SEPA" if country in SEPA else country
    patterns = ACCOUNTS.get((group, kind))
    if patterns is None:
        kinds = [name for place, name in ACCOUNTS if place == group]
        return [("type", f"must be one of {', '.join([*kinds, 'crypto_wallet'])}")]
    for name, pattern in patterns.items():
        fields.text(f"details.{name.rstrip('?')}", pattern, required=not name.endswith("?"))
    if "pix_key" in details and "pix_key_type" in details:
        fields.choice("details.pix_key_type", settings.pix_key_types)
        key_pattern = PIX_KEYS.get(str(details["pix_key_type"]).lower(), ".+")
        fields.text("details.pix_key", key_pattern, message="does not match pix_key_type")
    if "issuer" in patterns and "issuer" in details:
        fields.choice("details.issuer", settings.issuers)
    return fields.problems


def check_image(image, place, settings):
    """The problems of one verification image."""
    fields = Fields(image if isinstance(image, dict) else {})
    fields.choice("type", ("document-front", "document-back", "selfie"))
    fields.text("content")
    if not fields.problems:
        prefix, _, content = image["content"].rpartition(",")
        match = re.fullmatch(r"data:([^;]+);base64", prefix)
        if bool(match) != settings.image_prefix:
            form = "a base64 data URI" if settings.image_prefix else "base64 without a data: prefix"
            fields.add("content", f"must be {form}")
        elif match and match[1] not in settings.image_types:
            fields.add("content", f"must be one of {', '.join(settings.image_types)}")
        try:
            size = len(base64.b64decode(content, validate=True))
        except binascii.Error:
            size = 0
        if not settings.image_bytes_least <= size <= 15_728_640:
            least = settings.image_bytes_least
            fields.add("content", f"must be base64 of {least} to 15728640 bytes")
    return [(f"images.{place}.{name}", message) for name, message in fields.problems]


def check_amount(fields, name, currency, *, required=True):
    """Note what is wrong with an amount: text, at most the decimals of its currency."""
    value = fields.body.get(name)
    places = MINOR_UNITS.get(currency, 2)
    pattern = rf"\d{{1,12}}(\.\d{{1,{places}}})?" if places else r"\d{1,12}"
    fields.text(name, pattern, required=required, message=f"must have at most {places} decimals")
    if isinstance(value, str) and re.fullmatch(pattern, value) and Decimal(value) <= 0:
        fields.add(name, "must be more than 0")


def check_subscription(body):
    """The problems of a webhook subscription."""
    fields = Fields(body)
    fields.text("url", r"https?://\S+", message="must be a URL")
    url = urlsplit(body["url"]) if isinstance(body.get("url"), str) else urlsplit("")
    if url.scheme == "http" and url.hostname not in {"127.0.0.1", "localhost"}:
        fields.add("url", "must use https")
    types = body.get("event_types")
    if not isinstance(types, list) or not types or not set(map(str, types)) <= set(EVENT_TYPES):
        fields.add("event_types", f"must be a list of {', '.join(EVENT_TYPES)}")
    return fields.problems
