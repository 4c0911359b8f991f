"""The account types: which fields their details carry and what each field must look like.

The rules the spec states have the source "spec" even where the name of the field is assumed:
a form has its own source beside the field's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as with_default

from . import codes


@dataclass(frozen=True)
class Form:
    """What a text must look like; with no pattern and no choices, anything that is not blank.

    `pattern` is matched against the whole text. `check_digit` names the algorithm a typing
    mistake would break (never a reason to refuse), `parser` the reader the text must satisfy.
    `note` says what is left unchecked. `also` is a narrower form that only an assumption asks for.
    """

    message: str = ""
    pattern: str = ""
    choices: Sequence[str] = ()
    check_digit: str = ""
    parser: str = ""
    source: str = "spec"
    note: str = ""
    also: Form | None = None


@dataclass(frozen=True)
class Field:
    """One field of details; where `by` is set, that other field's value picks one of `forms`."""

    name: str
    form: Form = Form()
    required: bool = True
    source: str = "spec"
    by: str = ""
    forms: Mapping[str, Form] = with_default(default_factory=dict)

    def form_in(self, details: Mapping[str, object]) -> Form:
        """The form that holds in these details."""
        chosen = details.get(self.by) if self.by else None
        return self.forms.get(chosen, self.form) if isinstance(chosen, str) else self.form


@dataclass(frozen=True)
class Account:
    """An account type as one country, or every country of a scheme, has it."""

    type: str
    fields: tuple[Field, ...]
    source: str

    def __str__(self) -> str:
        """The type and the names of its fields."""
        return f"{self.type}: {', '.join(field.name for field in self.fields)}"


FORMAT_ONLY = "only the format is checked"
_PIX = "details.br"


def _digits(count: int, check_digit: str = "", note: str = "") -> Form:
    message, pattern = f"must be exactly {count} digits", f"[0-9]{{{count}}}"
    return Form(message, pattern, check_digit=check_digit, note=note)


def _one_of(choices: Sequence[str], source: str = "spec") -> Form:
    return Form(choices=choices, source=source)


_NAME = f"{codes.HOLDER_NAME_MIN},{codes.HOLDER_NAME_MAX}"
HOLDER_NAME = Form(f"must be {_NAME.replace(',', ' to ')} characters", f".{{{_NAME}}}")
BANK_COUNTRY = "bank_account_country"

# Document numbers with a format or a check digit; the others are any text.
DOCUMENT_NUMBERS = {
    "curp": Form(
        "must be a CURP: 4 capitals, 6 digits, H or M, 5 capitals, a capital or digit, a digit",
        "[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Za-z0-9][0-9]",
        check_digit="curp",
        also=Form("must be in capitals", "[A-Z0-9]+", source="document.number"),
    ),
    "cpf": _digits(11, "cpf"),
    "cnpj": _digits(14, "cnpj", "the newer CNPJ with letters is not taken here"),
    "cuit": Form(check_digit="cuit"),
    "cuil": Form(check_digit="cuit"),
    "nit": Form(check_digit="nit"),
    "tin": Form(check_digit="tin", note=FORMAT_ONLY),
}

# The spec only says that key and type must match. The lengths of an e-mail and a phone key are
# those of Brazil's key directory.
PIX_KEYS = {
    "cpf": Form("must be exactly 11 digits", "[0-9]{11}", check_digit="cpf", source=_PIX),
    "cnpj": Form(
        "must be a CNPJ as pix_key_type says: 12 digits or, in a newer one, capitals, and 2 digits",
        "[0-9A-Z]{12}[0-9]{2}",
        check_digit="cnpj",
        source=_PIX,
    ),
    "email": Form(
        "must be an e-mail address of at most 77 characters, as pix_key_type says",
        r"(?=.{3,77}\Z)[^@\s]+@[^@\s]+\.[^@\s]+",
        source=_PIX,
    ),
    "phone": Form(
        "must be a phone number like +5511987654321, as pix_key_type says",
        r"\+[1-9][0-9]{6,14}",
        source=_PIX,
    ),
    "evp": Form(
        "must be a random key, 32 hex digits in groups of 8-4-4-4-12, as pix_key_type says",
        "(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        source=_PIX,
    ),
}

# The service's own lists are had only from its support. These are ours: append to them.
ISSUERS: dict[str, list[str]] = {
    codes.BANK_ACCOUNT: ["bdo", "bpi", "landbank", "metrobank", "unionbank"],
    codes.DIGITAL_WALLET: ["gcash", "grabpay", "maya"],
}

AR_ACCOUNT = Account(
    codes.BANK_ACCOUNT,
    (
        Field("account_number", _digits(22, "cbu"), source="details.ar"),
        Field("account_type", _one_of(("cbu", "cvu"), "details.ar"), source="details.ar"),
    ),
    "details.ar",
)

PIX = Account(
    codes.PIX,
    (
        Field("pix_key", by="pix_key_type", forms=PIX_KEYS),
        Field("pix_key_type", _one_of(codes.PIX_KEY_TYPES, "details.br")),
    ),
    "details.br",
)

CO_ACCOUNT = Account(
    codes.BANK_ACCOUNT,
    (
        Field("bank_code", Form(source="details.co"), source="details.co"),
        Field("account_number", Form(source="details.co"), source="details.co"),
        Field("account_type", _one_of(("savings", "checking"), "details.co"), source="details.co"),
    ),
    "details.co",
)

IN_UPI = Account(
    codes.UPI,
    (
        Field(
            "upi_id",
            Form(
                f"must be identifier@provider: exactly one @, at most {codes.UPI_MAX} characters",
                rf"(?=.{{3,{codes.UPI_MAX}}}\Z)[^@]+@[^@]+",
                note=FORMAT_ONLY,
                also=Form("must not contain spaces", r"\S+", source="details.in"),
            ),
        ),
    ),
    "details.in",
)

MX_ACCOUNT = Account(
    codes.BANK_ACCOUNT,
    (Field("clabe", _digits(18, "clabe"), source="details.mx"),),
    "details.mx",
)


def _ph(kind: str) -> Account:
    return Account(
        kind,
        (
            Field("issuer", _one_of(ISSUERS[kind], "details.ph")),
            Field("account_number", Form(source="details.ph"), source="details.ph"),
            Field("account_holder_name", Form(source="details.ph"), source="details.ph"),
        ),
        "details.ph",
    )


PH_ACCOUNT = _ph(codes.BANK_ACCOUNT)
PH_WALLET = _ph(codes.DIGITAL_WALLET)
PH_QR = Account(
    codes.PH_QR_CODE,
    (Field("qrph_payload", Form(parser="qrph", source="details.ph-qr"), source="details.ph-qr"),),
    "details.ph-qr",
)

GB_ACCOUNT = Account(
    codes.BANK_ACCOUNT,
    (
        Field(BANK_COUNTRY, _one_of(("GB",))),
        Field("sort_code", _digits(6, note=FORMAT_ONLY), source="details.gb"),
        Field("account_number", _digits(8, note=FORMAT_ONLY), source="details.gb"),
        Field("account_holder_name", HOLDER_NAME, source="details.gb"),
    ),
    "details.gb",
)

SEPA_ACCOUNT = Account(
    codes.BANK_ACCOUNT,
    (
        Field(BANK_COUNTRY, _one_of(codes.SEPA)),
        Field(
            "iban",
            Form(
                f"must be an IBAN of {codes.IBAN_MIN} to {codes.IBAN_MAX} characters: "
                "2 letters, 2 digits, then the rest",
                # Spaces between groups are not counted: the spec does not say whether they are.
                rf"(?=(?:\s*\S){{{codes.IBAN_MIN},{codes.IBAN_MAX}}}\s*\Z)"
                r"\s*[A-Za-z]{2}\s*[0-9]{2}.+",
                check_digit="iban",
                also=Form(
                    "must be in capitals and without spaces",
                    "[A-Z]{2}[0-9]{2}[A-Z0-9]+",
                    source="account.iban",
                ),
            ),
            source="details.sepa",
        ),
        Field(
            "bic",
            Form(
                "must be 8 or 11 characters",
                ".{8}(?:.{3})?",
                check_digit="bic",
                also=Form("must be letters and digits", "[A-Za-z0-9]+", source="details.sepa"),
            ),
            required=False,
            source="details.sepa",
        ),
        Field("account_holder_name", HOLDER_NAME, source="details.sepa"),
    ),
    "details.sepa",
)

CRYPTO_WALLET = Account(
    codes.CRYPTO_WALLET,
    (
        Field("address", Form(source="details.wallet"), source="details.wallet"),
        Field("network", _one_of(codes.NETWORKS, "details.wallet"), source="details.wallet"),
    ),
    "details.wallet",
)
