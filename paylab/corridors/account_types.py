"""The account types: which fields their details carry and what each field must look like.

A rule that the spec states has the source "spec" even if the name of the field is assumed: the
format of a field has a source of its own. `countries.of` adds which fields a service requires and
which words it accepts. The names are those of paylab; a service can have others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field as with_default
from dataclasses import replace

from ..errors.text import printable
from ..light_dataclass import light_dataclass
from ..spec import codes
from .qr_codes import check_qrph


@light_dataclass(frozen=True)
class Format:
    """The format of a text; without pattern and choices, any text that is not blank.

    `pattern` must match the whole text, which has from `least` to `most` characters. `check_digit`
    names an algorithm to detect typos (a warning only). `check` replaces the pattern: it returns
    what is wrong with a text, or "" for a valid one. `note` says what is not checked. `also` is a
    narrower format by an assumption: a text that has it has this format too. With `capitals`, an
    input form removes spaces and makes letters upper case.
    """

    message: str = ""
    pattern: str = ""
    least: int = 0
    most: int = 0
    choices: Sequence[str] = ()
    check_digit: str = ""
    check: Callable[[str], str] | None = None
    source: str = "spec"
    note: str = ""
    also: Format | None = None
    capitals: bool = False

    @property
    def is_digits(self) -> bool:
        """Whether the pattern takes a number of digits only."""
        return self.pattern.startswith("[0-9]{")


@light_dataclass(frozen=True)
class DetailField:
    """One field of account details.

    If `selected_by` is set, it names another field, whose value selects the format in `forms`.
    """

    name: str
    form: Format = Format()
    required: bool = True
    source: str = "spec"
    selected_by: str = ""
    forms: Mapping[str, Format] = with_default(default_factory=dict)

    def form_in(self, details: Mapping[str, object]) -> Format:
        """Return the format of the field in these details."""
        selecting_word = details.get(self.selected_by) if self.selected_by else None
        return (
            self.forms.get(selecting_word, self.form)
            if isinstance(selecting_word, str)
            else self.form
        )


@light_dataclass(frozen=True)
class Account:
    """An account type in one country, or in all countries of a scheme.

    `example` holds the details of an account that belongs to nobody.
    """

    type: str
    fields: tuple[DetailField, ...]
    source: str
    example: Mapping[str, str] = with_default(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """Return the type and the names of its fields."""
        field_names_text = ", ".join(field.name for field in self.fields)
        return printable(f"{self.type}: {field_names_text}")


FORMAT_ONLY_NOTE = "only the format is checked"
_PIX = "details.br"


def _make_digits_format(
    count: int, check_digit: str = "", note: str = "", origin: str = "spec"
) -> Format:
    """Make the format of a number with this many digits."""
    message = f"must be exactly {count} digits"
    pattern = f"[0-9]{{{count}}}"
    return Format(message, pattern, check_digit=check_digit, note=note, source=origin)


HOLDER_NAME = Format(
    f"must be {codes.HOLDER_NAME_MIN} to {codes.HOLDER_NAME_MAX} characters",
    least=codes.HOLDER_NAME_MIN,
    most=codes.HOLDER_NAME_MAX,
)
BANK_COUNTRY = "bank_account_country"
STATED_FIELDS = ("upi_id", "pix_key", "pix_key_type", BANK_COUNTRY, "issuer")
"""The names of fields that the spec states."""

DOCUMENT_NUMBERS = {
    "curp": Format(
        "must be a CURP: 4 capitals, 6 digits, H or M, 5 capitals, a capital or digit, a digit",
        "[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Za-z0-9][0-9]",
        check_digit="curp",
        also=Format(
            "must be in capitals",
            "[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Z0-9][0-9]",
            source="document.number",
        ),
        capitals=True,
    ),
    "cpf": _make_digits_format(11, "cpf"),
    "cnpj": _make_digits_format(14, "cnpj", "the newer CNPJ with letters is not accepted"),
    "cuit": Format(check_digit="cuit"),
    "cuil": Format(check_digit="cuit"),
    "nit": Format(check_digit="nit"),
    "tin": Format(check_digit="tin", note=FORMAT_ONLY_NOTE),
}
"""The formats of document numbers by document type; other types accept any text."""

# The spec only says that key and type must match. The lengths of an e-mail and a phone key are
# those of Brazil's key directory.
PIX_KEYS = {
    "cpf": _make_digits_format(11, "cpf", origin=_PIX),
    "cnpj": Format(
        "must be a CNPJ as pix_key_type says: 12 digits or, in a newer one, capitals, and 2 digits",
        "[0-9A-Z]{12}[0-9]{2}",
        check_digit="cnpj",
        source=_PIX,
    ),
    "email": Format(
        "must be an e-mail address of at most 77 characters, as pix_key_type says",
        r"[^@\s]+@[^@\s]+\.[^@\s]+",
        most=77,
        source=_PIX,
    ),
    "phone": Format(
        "must be a phone number like +5511987654321, as pix_key_type says",
        r"\+[1-9][0-9]{6,14}",
        source=_PIX,
    ),
    "evp": Format(
        "must be a random key, 32 hex digits in groups of 8-4-4-4-12, as pix_key_type says",
        "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
        source=_PIX,
    ),
}


def _make_account(account_type: str, source: str, *fields: DetailField, **example: str) -> Account:
    """Make an account type; `source` is the assumption behind what the spec does not state."""
    detail_fields = []
    for field in fields:
        accepts_any_text = field.form == Format() and not field.selected_by
        # The spec states no format: that any text is right is assumed, so `source` is its source.
        text_format = Format(source=source) if accepts_any_text else field.form
        name_source = "spec" if field.name in STATED_FIELDS else source
        detail_fields.append(replace(field, form=text_format, source=name_source))
    return Account(account_type, tuple(detail_fields), source, example)


_ACCOUNT_NUMBER = DetailField("account_number")
_HOLDER = DetailField("account_holder_name")
AR_ACCOUNT = _make_account(
    codes.BANK_ACCOUNT,
    "details.ar",
    DetailField("account_number", _make_digits_format(22, "cbu")),
    DetailField("account_type"),
    account_number="0000003100000000000000",
)
PIX = _make_account(
    codes.PIX,
    _PIX,
    DetailField("pix_key", selected_by="pix_key_type", forms=PIX_KEYS),
    DetailField("pix_key_type"),
    pix_key="alex@example.com",
    pix_key_type="email",
)
CO_ACCOUNT = _make_account(
    codes.BANK_ACCOUNT,
    "details.co",
    DetailField("bank_code"),
    _ACCOUNT_NUMBER,
    DetailField("account_type"),
    bank_code="0000",
    account_number="000000000000",
)
IN_UPI = _make_account(
    codes.UPI,
    "details.in",
    DetailField(
        "upi_id",
        Format(
            f"must be identifier@provider: exactly one @, at most {codes.UPI_MAX} characters",
            "[^@]+@[^@]+",
            most=codes.UPI_MAX,
            note=FORMAT_ONLY_NOTE,
            also=Format("must not contain spaces", r"[^@\s]+@[^@\s]+", source="details.in"),
        ),
    ),
    upi_id="alex@example",
)
MX_ACCOUNT = _make_account(
    codes.BANK_ACCOUNT,
    "details.mx",
    DetailField("clabe", _make_digits_format(18, "clabe")),
    clabe="999999000000000002",
)
_ISSUER_FIELDS = (DetailField("issuer"), _ACCOUNT_NUMBER, _HOLDER)
PH_ACCOUNT = _make_account(codes.BANK_ACCOUNT, "details.ph", *_ISSUER_FIELDS)
PH_WALLET = _make_account(
    codes.DIGITAL_WALLET,
    "details.ph",
    *_ISSUER_FIELDS,
    account_number="09000000000",
    account_holder_name="Alex Example",
)
PH_QR = _make_account(
    codes.PH_QR_CODE,
    "details.ph-qr",
    DetailField("qrph_payload", Format(check=check_qrph, source="details.ph-qr")),
)
GB_ACCOUNT = _make_account(
    codes.BANK_ACCOUNT,
    "details.gb",
    DetailField(BANK_COUNTRY, Format(choices=("GB",))),
    DetailField("sort_code", _make_digits_format(6, note=FORMAT_ONLY_NOTE)),
    DetailField("account_number", _make_digits_format(8, note=FORMAT_ONLY_NOTE)),
    DetailField("account_holder_name", HOLDER_NAME),
    bank_account_country="GB",
    sort_code="000000",
    account_number="00000000",
    account_holder_name="Alex Example",
)
_IBAN = Format(
    f"must be an IBAN of {codes.IBAN_MIN} to {codes.IBAN_MAX} characters: "
    "2 letters, 2 digits, then the rest",
    # Spaces between groups are not counted: the spec does not say whether they are.
    rf"(?=(?:\s*\S){{{codes.IBAN_MIN},{codes.IBAN_MAX}}}\s*\Z)\s*[A-Za-z]{{2}}\s*[0-9]{{2}}.+",
    check_digit="iban",
    also=Format(
        "must be in capitals and without spaces",
        f"[A-Z]{{2}}[0-9]{{2}}[A-Z0-9]{{{codes.IBAN_MIN - 4},{codes.IBAN_MAX - 4}}}",
        source="account.iban",
    ),
    capitals=True,
)
_BIC = Format(
    "must be 8 or 11 characters",
    ".{8}(?:.{3})?",
    check_digit="bic",
    note=FORMAT_ONLY_NOTE,
    also=Format(
        "must be letters and digits", "[A-Za-z0-9]{8}(?:[A-Za-z0-9]{3})?", source="details.sepa"
    ),
)
SEPA_ACCOUNT = _make_account(
    codes.BANK_ACCOUNT,
    "details.sepa",
    DetailField(BANK_COUNTRY, Format(choices=codes.SEPA)),
    DetailField("iban", _IBAN),
    DetailField("bic", _BIC),
    DetailField("account_holder_name", HOLDER_NAME),
    bank_account_country="DE",
    iban="DE89370400440532013000",  # Germany's example in the IBAN registry
    account_holder_name="Alex Example",
)
CRYPTO_WALLET = _make_account(
    codes.CRYPTO_WALLET, "details.wallet", DetailField("address"), DetailField("network")
)
