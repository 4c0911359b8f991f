"""The inputs of a financial account: its type, and its details by the rules of a country."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...corridors import account_types, countries
from ...corridors.account_types import Account, Format
from ...corridors.country_names import NAMES
from ...corridors.on_ramps import ON_RAMPS
from ...errors.base import PaylabError
from ...rules import accounts
from ...spec import codes
from ...spec.service.service import Service
from ...spec.text import JsonMapping, JsonObject
from ..qr import QRText, scan
from .field import COMBO, SELECT, TEXT, FormField, assumed_values_hint
from .file import FilePicker
from .nodes import Group, side_by_side

TYPE_LABELS = {
    codes.PIX: "PIX key",
    codes.BANK_ACCOUNT: "Bank account",
    codes.DIGITAL_WALLET: "E-wallet",
    codes.UPI: "UPI",
    codes.PH_QR_CODE: "QR Ph code",
    codes.CRYPTO_WALLET: "Crypto wallet",
}
DETAIL_LABELS = {
    **{on_ramp.detail_name: on_ramp.label for on_ramp in ON_RAMPS},
    "iban": "IBAN",
    "bic": "BIC",
    "upi_id": "UPI id",
    "pix_key": "PIX key",
    "pix_key_type": "Kind of PIX key",
}
ADD_LATER = ("Add later", "")
ISSUER_FIELD = "issuer"
"""The bank of the recipient, which only the user knows."""
QR_TEXT_FIELD = account_types.PH_QR.fields[0].name
LONG_DETAILS = ("address", QR_TEXT_FIELD)
"""The details of which a person compares every character."""
NO_ACCOUNT = Account("", (), "")


class AccountFields(Group):
    """A type and its details, named `type` and `details.clabe` below a prefix.

    With `may_add_later` the account is optional.
    """

    def __init__(
        self,
        country: str,
        *,
        prefix: str = "",
        may_add_later: bool = False,
        service: Service | None = None,
    ) -> None:
        """Make the inputs of all countries; only those of `country` are shown."""
        self.prefix = prefix
        self._may_add_later = may_add_later
        self._countries = countries.of(service)
        self.type = FormField(f"{prefix}type", "Account", SELECT, options=[ADD_LATER])
        self.details = {
            detail_name: self._make_detail(detail_name, detail_field)
            for detail_name, detail_field in self._all_detail_fields().items()
        }
        self.upload = FilePicker("Scan a picture of the code", "image/*", self._scan_picture)
        self.upload.hint = "with a picture of the code, or drop or paste the picture here"
        self.scanner = Group([self.upload])
        super().__init__([side_by_side([self.type, *self.details.values()]), self.scanner])
        self.adjust(country)

    def _all_detail_fields(self) -> dict[str, account_types.DetailField]:
        """The detail fields of all countries by name; of equal names, the last one."""
        field_by_name: dict[str, account_types.DetailField] = {}
        for corridor in self._countries.all:
            for account_facts in corridor.accounts:
                for detail_field in account_facts.fields:
                    field_by_name[detail_field.name] = detail_field
        return field_by_name

    def _make_detail(self, detail_name: str, detail_field: account_types.DetailField) -> FormField:
        """Make the input of a detail: a list of its known values, or a text."""
        input_type = COMBO if detail_field.form.choices else TEXT
        field = FormField(
            f"{self.prefix}details.{detail_name}", detail_label(detail_name), input_type
        )
        field.is_long = detail_name in LONG_DETAILS
        return field

    def __iter__(self) -> Iterator[FormField]:
        """The inputs: the type first, then all details."""
        return iter([self.type, *self.details.values()])

    @property
    def account(self) -> Account:
        """The facts of the chosen account type in this country."""
        return self._countries.account(self._country, self.type.value) or NO_ACCOUNT

    def values(self) -> JsonObject:
        """The `type` and `details` to send; empty when the account is added later."""
        if not self.type.value:
            return {}
        value_by_detail = {}
        for detail_field in self.account.fields:
            detail_value = self.details[detail_field.name].value
            if detail_value not in ("", None):
                value_by_detail[detail_field.name] = detail_value
        return {"type": self.type.value, "details": value_by_detail}

    def fill(self, account_type: str, details: JsonMapping) -> None:
        """Fill in the type and its details."""
        self.type.set_value(account_type)
        self.adjust(self._country)  # the details have their lists of values now
        for detail_name, detail_value in details.items():
            if detail_name in self.details:
                self.details[detail_name].set_value(detail_value)
        self.adjust(self._country)  # a detail can decide the format of another one

    def adjust(self, country: str) -> None:
        """Show only the inputs that this country and account type need."""
        self._country = country
        self.type.set_options(self._type_options())
        self.type.set_required(not self._may_add_later)
        detail_field_by_name = {
            detail_field.name: detail_field for detail_field in self.account.fields
        }
        for detail_name, detail_input in self.details.items():
            detail_input.visible = detail_name in detail_field_by_name
        for detail_name, detail_field in detail_field_by_name.items():
            self._adjust_detail(self.details[detail_name], detail_field)
        self.upload.visible = QR_TEXT_FIELD in detail_field_by_name

    def _type_options(self) -> list[tuple[str, str]]:
        """The labels and codes of the account types of the country."""
        corridor = self._countries.get(self._country)
        type_codes = corridor.account_types if corridor else ()
        type_options = [(TYPE_LABELS[account_type], account_type) for account_type in type_codes]
        return [ADD_LATER, *type_options] if self._may_add_later else type_options

    def _adjust_detail(self, field: FormField, detail_field: account_types.DetailField) -> None:
        """Set the list of values, the hint and the format of a detail, which others can decide."""
        value_by_detail = {
            detail_name: detail_input.value for detail_name, detail_input in self.details.items()
        }
        value_format = detail_field.form_in(value_by_detail)
        if value_format.choices:
            accepts_other_values = value_format.source != "spec"
            field.input = COMBO if accepts_other_values else SELECT
            value_options = [(_choice_label(choice), choice) for choice in value_format.choices]
            field.set_options(
                value_options, self._country, preselect=detail_field.name != ISSUER_FIELD
            )
            field.hint = assumed_values_hint(value_format.choices) if accepts_other_values else ""
        elif detail_field.name == QR_TEXT_FIELD:
            field.hint = _payee_hint(field.value)
        else:
            field.hint = format_hint(value_format)
        field.normalise = make_normaliser(value_format)
        field.set_required(detail_field.required, assumed=detail_field.source != "spec")

    def _scan_picture(self, file_name: str, picture_bytes: bytes) -> None:
        """Fill in the text of the code in a picture, or show why it cannot be read."""
        qr_text_field = self.details[QR_TEXT_FIELD]
        try:
            qr_text_field.value = scan(picture_bytes)
            self.upload.errors = []
        except PaylabError as error:
            self.upload.errors = [f"No code was read from {file_name}: {error}"]
        qr_text_field.on_leave()  # check the form as if the text had been typed


def make_normaliser(value_format: Format | None) -> Callable[[str], str]:
    """Make a function that strips typed text.

    For a number of digits it removes all spaces; for a format in capitals it removes all spaces
    and makes the text upper case.
    """
    if value_format is None:
        return str.strip
    if value_format.is_digits:
        return lambda text: "".join(text.split())
    if value_format.capitals:
        return lambda text: "".join(text.upper().split())
    return str.strip


def format_hint(value_format: Format) -> str:
    """The format of an input, and whether check digits are verified."""
    required_text = value_format.message.removeprefix("must be ").removeprefix("exactly ")
    note_text = value_format.note
    check_algorithm = accounts.ALGORITHMS.get(value_format.check_digit)
    if check_algorithm and not note_text:
        note_text = "most typos are noticed"
    phrases = [phrase for phrase in (required_text, note_text) if phrase]
    return " ".join(f"{phrase[:1].upper()}{phrase[1:]}." for phrase in phrases)


def _payee_hint(qr_text: str) -> str:
    """The payee of a pasted or scanned code, or what to do."""
    if not qr_text:
        return "Paste the text of the code, or scan a picture of it."
    payee_rows = QRText(qr_text).rows()[:3]
    return "; ".join(f"{row_label}: {row_text}" for row_label, row_text in payee_rows)


def _choice_label(choice: str) -> str:
    """A value of a detail to choose from; a country with its name."""
    return f"{NAMES[choice]} ({choice})" if choice in NAMES else choice


def detail_label(detail_name: str) -> str:
    """The label of a detail of an account."""
    return DETAIL_LABELS.get(detail_name) or detail_name.replace("_", " ").capitalize()
