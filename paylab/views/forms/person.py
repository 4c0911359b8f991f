"""The inputs of an individual by country and product, and the consent to verification."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import itemgetter

from ...corridors.account_types import DOCUMENT_NUMBERS
from ...corridors.corridor import Corridor
from ...corridors.country_names import NAMES
from ...errors.base import ArgumentError, Problem
from ...spec import codes, timestamps
from ...spec.text import JsonMapping, JsonObject, JsonValue, plain
from .field import SELECT, TICK, FormField
from .problem_sentences import REQUIRED

CONSENT_FIELD = "idv_consent_recorded_at"
CONSENT_LABEL = "The person agrees to identity verification"
CONSENT_HINT = "Tick this box when the person agrees; the time is recorded."
MISSING_CONSENT = (
    "The person has to consent to identity verification: tick the box, or pass consent=True to the "
    "form if you have the consent."
)

CONSENT_ADVICE = "True says that the person has agreed to identity verification"


class Consent(FormField):
    """A box ticked by the user or by `consent=True`; its value is the time of consent."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__(CONSENT_FIELD, CONSENT_LABEL, TICK, hint=CONSENT_HINT)
        self._clock = clock
        self.recorded_at = ""

    def _normal_value(self) -> str:
        """The time of consent as ISO 8601 text in UTC; empty without consent."""
        return self.recorded_at

    def store(self, value: JsonValue) -> bool:
        """Record the time when the box is ticked; return whether it changed."""
        has_changed = super().store(bool(value))
        if not has_changed:
            return False
        if value:
            consent_time = self._clock()
            self.recorded_at = timestamps.to_text(consent_time)
            self.hint = f"Consent recorded at {consent_time:%Y-%m-%d %H:%M:%S} UTC."
        else:
            self.recorded_at = ""
            self.hint = CONSENT_HINT
        return True

    def show_problems(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        """Show problems, with what to do about a missing consent."""
        super().show_problems(problems, warnings)
        self.errors = [
            f"{error}. {CONSENT_HINT}" if error == REQUIRED else error for error in self.errors
        ]

    def set_required(self, required: bool | None, *, assumed: bool = False) -> None:
        """Ask for consent only where it is required."""
        super().set_required(required, assumed=assumed)
        self.visible = bool(required)


def check_consent(consent: object) -> bool:
    """Return the argument `consent`; ArgumentError for a value that only counts as true."""
    if isinstance(consent, bool):
        return consent
    message = f"consent must be True or False, not {plain(repr(consent), 40)}: {CONSENT_ADVICE}"
    raise ArgumentError(message, "consent")


PRODUCT_LABELS = {
    codes.ON_RAMP_PRODUCT: "On-ramp: fiat to stablecoin",
    codes.OFF_RAMP_PRODUCT: "Off-ramp: stablecoin to fiat",
    codes.GLOBAL_PAYOUTS: "Global payouts",
}
DOCUMENT_LABELS = {
    "cc": "Cédula de ciudadanía",
    "ce": "Cédula de extranjería",
    "pep": "PEP",
    "driver_licence": "Driver's licence",
    "emirates_id": "Emirates ID",
    "eu_residence_permit": "EU residence permit",
    "national_id": "National ID",
    "passport": "Passport",
}
NO_DOCUMENT = ("No document", "")
CHOOSE_DOCUMENT = ("Choose the document", "")

FAMILY_NAME_HINT = (
    "Simulator: a family name such as “Verification Image Blurry” decides how verification ends."
)

TEXT_FIELDS = {
    "given_name": ("Given name", "", ""),
    "family_name": ("Family name", "", ""),
    "email": ("E-mail", "name@example.com", ""),
    "phone": ("Phone", "", ""),
    "date_of_birth": ("Date of birth", "1990-12-31", "Year, month, day."),
    "address.line_1": ("Street and number", "", "The country is always sent with the address."),
    "address.line_2": ("Address, second line", "", ""),
    "address.city": ("City", "", ""),
    "address.state": ("State or province", "", ""),
    "address.postal_code": ("Postal code", "", ""),
}
"""The label, the placeholder and the hint of each text field of the person and the address."""
PRODUCT_FIELD_NAMES = ("product_types", "country")
PERSON_FIELD_NAMES = ("given_name", "family_name", "email", "phone", "date_of_birth")
ADDRESS_FIELD_NAMES = tuple(name for name in TEXT_FIELDS if name.startswith("address."))
DOCUMENT_FIELD_NAMES = ("document.type", "document.number")


def make_fields(country: str, product: str) -> list[FormField]:
    """Make all inputs, with the field names that validation problems use."""
    codes_and_names = sorted(NAMES.items(), key=itemgetter(1))
    country_options = [
        (f"{country_name} ({country_code})", country_code)
        for country_code, country_name in codes_and_names
    ]
    product_options = [
        (product_label, product_type) for product_type, product_label in PRODUCT_LABELS.items()
    ]
    text_fields = [_make_text_field(field_name) for field_name in TEXT_FIELDS]
    document_number_field = FormField("document.number", "Document number")
    document_number_field.private = True
    return [
        FormField("product_types", "Product", SELECT, value=product, options=product_options),
        FormField("country", "Country", SELECT, value=country, options=country_options),
        *text_fields,
        FormField("document.type", "Document type", SELECT, options=[NO_DOCUMENT]),
        document_number_field,
    ]


def _make_text_field(field_name: str) -> FormField:
    """Make a text input with the texts of `TEXT_FIELDS`."""
    label, placeholder, hint = TEXT_FIELDS[field_name]
    return FormField(field_name, label, hint=hint, placeholder=placeholder)


def document_options(corridor: Corridor, *, is_required: bool) -> list[tuple[str, str]]:
    """The labels and codes of the documents that a country accepts.

    A required document is preselected if the country accepts no other.
    """
    document_choices = [
        (document_label(document_type), document_type) for document_type in corridor.documents
    ]
    if not is_required:
        return [NO_DOCUMENT, *document_choices]
    return document_choices if len(document_choices) == 1 else [CHOOSE_DOCUMENT, *document_choices]


def document_label(document_type: str) -> str:
    """The label of a document type."""
    return DOCUMENT_LABELS.get(document_type, document_type.upper())


def document_number_hint(document_type: str) -> str:
    """The format of a document number; empty if it is not known."""
    number_format = DOCUMENT_NUMBERS.get(document_type)
    if number_format is None or not number_format.message:
        return ""
    required_text = number_format.message.removeprefix("must be ")
    return f"{required_text[:1].upper()}{required_text[1:]}."


def requirement_sentences(corridor: Corridor, product: str) -> str:
    """Sentences on what a country and a product require."""
    sentences = [_product_sentence(corridor, product), _document_sentence(corridor)]
    required_words = [
        REQUIREMENT_NAMES[field_name] for field_name in corridor.required_for([product])
    ]
    if required_words:
        sentences.append(f"Also required: {', '.join(required_words)}.")
    return " ".join(sentences)


def example_values(body: JsonMapping) -> JsonObject:
    """The values of a body by the names of their inputs, without country and product.

    `{"address": {"city": "Puebla"}}` gives `{"address.city": "Puebla"}`.
    """
    input_values: JsonObject = {}
    for field_name, field_value in body.items():
        if field_name in PRODUCT_FIELD_NAMES:
            continue
        if isinstance(field_value, Mapping) and field_value:
            for member_name, member_value in field_value.items():
                input_values[f"{field_name}.{member_name}"] = member_value
        else:
            input_values[field_name] = field_value
    return input_values


NO_PAYOUTS = "No payouts are documented for this country: the service may refuse a transfer."
NO_ON_RAMP = "No on-ramp is known for this country: the service may refuse this person."


def _product_sentence(corridor: Corridor, product: str) -> str:
    """A sentence on the currency of a product, or on why it is not available."""
    if product not in corridor.open_products:
        labels = [PRODUCT_LABELS[open_product] for open_product in corridor.open_products]
        return f"This product is not available in this country; available: {', '.join(labels)}."
    if product != codes.ON_RAMP_PRODUCT:
        rails_text = ", ".join(map(str, corridor.rails))
        return f"Payouts are in {corridor.currency} by {rails_text}." if rails_text else NO_PAYOUTS
    if not corridor.on_ramp:
        return NO_ON_RAMP
    return f"Deposits in {corridor.on_ramp.currency.upper()} are converted to a stablecoin."


def _document_sentence(corridor: Corridor) -> str:
    """A sentence on the documents that a country accepts."""
    if corridor.documents == codes.DOCUMENT_TYPES:
        return "Any type of document is accepted."
    document_labels = [document_label(document_type) for document_type in corridor.documents]
    if len(document_labels) == 1:
        return f"Accepted documents: only {document_labels[0]}."
    return f"Accepted documents: {', '.join(document_labels)}."


REQUIREMENT_NAMES = {
    "email": "e-mail",
    "phone": "phone",
    "date_of_birth": "date of birth",
    "idv_consent_recorded_at": "consent",
    "document": "document",
}
