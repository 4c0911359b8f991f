"""Parse, check and build QR texts, and build QR Ph texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ..errors.arguments import explain_arguments
from ..errors.base import EMVError
from . import fields as tags
from .fields import (
    HEADER_CHARACTERS,
    EmvField,
    Tree,
    crc,
    field_tree,
    split,
    write_fields,
)

CRC_HEADER = "6304"
PAID_ONCE = "12"
PAID_MANY_TIMES = "11"
"""The values of tag 01, the point of initiation method."""

AMOUNT = re.compile(r"[0-9]+(\.[0-9]*)?")


@explain_arguments
@dataclass(frozen=True)
class Payload:
    """The fields of a QR text in their order, without the CRC at the end."""

    fields: tuple[EmvField, ...]

    def find(self, path: str) -> str | None:
        """Return the value at a dotted path, for example `27.00`; None if there is no such field.

        >>> paylab.emvqr.parse(qr_text).find("58")
        'PH'
        """
        for field in self.walk():
            if field.path == path:
                return field.value
        return None

    def walk(self) -> Iterator[EmvField]:
        """Yield all fields, each template before its fields.

        >>> next(paylab.emvqr.parse(qr_text).walk()).value
        '01'
        """
        for field in self.fields:
            yield from field.walk()

    def tree(self) -> dict[str, str | Tree]:
        """Return the fields as nested dicts, as `build` takes them.

        >>> paylab.emvqr.parse(qr_text).tree()["53"]
        '608'
        """
        return field_tree(self.fields)

    @property
    def crc(self) -> str:
        """The right CRC for these fields, whatever the text had."""
        return crc(write_fields(self.tree()) + CRC_HEADER)

    @property
    def merchant_name(self) -> str | None:
        """The name of the payee."""
        return self.find("59")

    @property
    def city(self) -> str | None:
        """The city of the payee."""
        return self.find("60")

    @property
    def country(self) -> str | None:
        """The two-letter country code."""
        return self.find("58")

    @property
    def amount(self) -> Decimal | None:
        """The amount; None if the payer chooses it, or if it is not a number."""
        amount_text = self.find("54") or ""
        return Decimal(amount_text) if AMOUNT.fullmatch(amount_text) else None

    @property
    def currency(self) -> str | None:
        """The currency code, or the number if it is unknown."""
        number_text = self.find("53")
        return None if number_text is None else tags.CURRENCIES.get(number_text, number_text)

    @property
    def account(self) -> EmvField | None:
        """The merchant account: the first template, or else the first card network's number.

        It is None if the text has neither.
        """
        account_fields = [field for field in self.fields if int(field.tag) in tags.ACCOUNTS]
        for account_field in account_fields:
            if account_field.fields:
                return account_field
        return account_fields[0] if account_fields else None

    @property
    def scheme(self) -> str | None:
        """The identifier of the account's scheme, for example `com.p2pqrpay`."""
        return self._account_value("00")

    @property
    def acquirer(self) -> str | None:
        """The institution that holds a QR Ph account, by its BIC."""
        is_known_scheme = (self.scheme or "").lower() in tags.SCHEMES
        return self._account_value("01") if is_known_scheme else None

    @property
    def issuer(self) -> str | None:
        """The acquirer and its scheme, or the name of the account; None without an account."""
        issuer_parts = [issuer_part for issuer_part in (self.acquirer, self.scheme) if issuer_part]
        if issuer_parts:
            return " · ".join(issuer_parts)
        return self.account.name if self.account else None

    @property
    def is_static(self) -> bool:
        """Whether the text may be paid many times (11) instead of once (12)."""
        return self.find("01") != PAID_ONCE

    def _account_value(self, tag: str) -> str | None:
        """Return the value of a field of the merchant account; None if there is none."""
        return self.find(f"{self.account.path}.{tag}") if self.account else None


TEXT_START = "000201"
CRC_TAG = "63"
AMOUNT_TAG = "54"
MANDATORY_FIELDS = {
    "52": ("[0-9]{4}", "must be 4 digits"),
    "53": ("[0-9]{3}", "must be 3 digits, the number of a currency"),
    "58": ("[A-Za-z]{2}", "must be 2 letters, the code of a country"),
    "59": (r".*\S.*", "must not be blank"),
    "60": (r".*\S.*", "must not be blank"),
}
"""Required fields of EMV merchant-presented mode except 00 and 63: pattern and message."""


@explain_arguments
def parse(text: str, *, verify: bool = True) -> Payload:
    """Read the fields of a QR text; EMVError with the position if it is not valid.

    `verify=False` ignores a wrong CRC, to explain a text that must not be paid.

    >>> paylab.emvqr.parse(qr_text).merchant_name
    'ANA'
    """
    if not isinstance(text, str):
        raise EMVError(f"not an EMV payload: it must be text, not {type(text).__name__}")
    if not text.startswith(TEXT_START):
        raise EMVError(f"not an EMV payload: it must start with {TEXT_START}")
    fields = split(text)
    _require_crc_at_end(text, fields)
    crc(text)  # refuses unpaired surrogates, even if `verify` is false
    payload = Payload(fields[:-1])
    stated_crc = fields[-1].value
    if verify and stated_crc != payload.crc:
        message = f"the CRC is wrong: expected {payload.crc}, found {stated_crc}"
        raise EMVError(message, len(text) - len(stated_crc))
    return payload


def _require_crc_at_end(payload_text: str, fields: Sequence[EmvField]) -> None:
    """Raise EMVError unless the CRC is the last field."""
    last_field = fields[-1]
    if last_field.tag == CRC_TAG:
        return
    if any(field.tag == CRC_TAG for field in fields):
        crc_position = len(payload_text) - len(last_field.value) - HEADER_CHARACTERS
        raise EMVError("the CRC, tag 63, is not the last field", crc_position)
    raise EMVError("the CRC is missing: tag 63 must be the last field", len(payload_text))


@explain_arguments
def check(text: str) -> list[EMVError]:
    """Return the problems that prevent paying a QR text: wrong format or missing fields.

    >>> paylab.emvqr.check(qr_text)
    []
    """
    try:
        payload = parse(text)
    except EMVError as error:
        return [error]
    missing_fields = []
    if payload.account is None:
        missing_fields.append("02 to 51 Merchant account information")
    for tag in MANDATORY_FIELDS:
        if payload.find(tag) is None:
            missing_fields.append(f"{tag} {tags.field_name(tag)}")
    errors = _check_values(payload)
    if missing_fields:
        message = f"fields that EMV requires are missing: {', '.join(missing_fields)}"
        crc_position = len(text) - HEADER_CHARACTERS - len(payload.crc)
        errors.insert(0, EMVError(message, crc_position))
    return errors


def _check_values(payload: Payload) -> list[EMVError]:
    """Check the formats of the mandatory fields and of the amount."""
    errors = []
    value_position = 0
    for field in payload.fields:
        pattern, message = MANDATORY_FIELDS.get(field.tag, (".*", ""))
        if not re.fullmatch(pattern, field.value, re.DOTALL):
            errors.append(EMVError(f"tag {field.tag} {message}: {field.value!r}", value_position))
        if field.tag == AMOUNT_TAG and payload.amount is None:
            message = f"tag {AMOUNT_TAG} is not an amount: {field.value!r}"
            errors.append(EMVError(message, value_position))
        value_position += HEADER_CHARACTERS + len(field.value)
    return errors


@explain_arguments
def build(payload: Payload | Tree) -> str:
    """Make the QR text of a payload or of nested dicts; the CRC is computed again.

    >>> paylab.emvqr.build(paylab.emvqr.parse(qr_text)) == qr_text
    True
    """
    value_by_tag = payload.tree() if isinstance(payload, Payload) else payload
    if not isinstance(value_by_tag, Mapping):
        raise EMVError(f"the fields must be a dict, not {type(value_by_tag).__name__}")
    tree_without_crc = {
        tag: tag_content for tag, tag_content in value_by_tag.items() if tag != CRC_TAG
    }
    try:
        payload_text = write_fields(tree_without_crc)
    except RecursionError:
        raise EMVError("the fields are nested too deep") from None
    payload_text += CRC_HEADER
    payload_text += crc(payload_text)
    parse(payload_text)  # raises EMVError for fields that are not a valid text
    return payload_text


NAME_MAX = 25
CITY_MAX = 15
AMOUNT_CHARACTERS_MAX = 13
PAYMENT_TYPE = "99964403"  # the value in real InstaPay person-to-person texts
CATEGORY = "6016"
PESO = "608"


@explain_arguments
def qrph(  # noqa: PLR0913 - what a payer is told, each part by its name
    *,
    acquirer: str,
    account: str,
    name: str,
    city: str,
    reference: str = "",
    amount: str | None = None,
) -> str:
    """Make a person-to-person text; name and city are cut to the lengths of the standard.

    Without an amount, the payer chooses it and the text can be paid many times.

    >>> paylab.emvqr.qrph(acquirer="BANKPHM2", account="1", name="ANA", city="CEBU")[:6]
    '000201'
    """
    required_values = {"acquirer": acquirer, "account": account, "name": name, "city": city}
    _require_texts({**required_values, "reference": reference, "amount": amount or ""})
    empty_argument_names = [
        argument_name
        for argument_name, required_value in required_values.items()
        if not required_value
    ]
    if empty_argument_names:
        raise EMVError(f"a QR Ph text needs {', '.join(empty_argument_names)}")
    if amount:
        _require_amount(amount)
    account_fields = {"00": tags.P2P, "01": acquirer, "02": PAYMENT_TYPE}
    if reference:
        account_fields["03"] = reference
    account_fields["04"] = account
    value_by_tag: dict[str, str | Tree] = {
        "00": "01",
        "01": PAID_ONCE if amount else PAID_MANY_TIMES,
        tags.P2P_TAG: account_fields,
        "52": CATEGORY,
        "53": PESO,
    }
    if amount:
        value_by_tag[AMOUNT_TAG] = amount
    value_by_tag |= {"58": "PH", "59": name[:NAME_MAX], "60": city[:CITY_MAX]}
    return build(value_by_tag)


def _require_texts(arguments: Mapping[str, object]) -> None:
    """Raise EMVError for an argument that is not text."""
    for argument_name, argument_value in arguments.items():
        if not isinstance(argument_value, str):
            raise EMVError(f"{argument_name} must be text, not {type(argument_value).__name__}")


def _require_amount(amount: str) -> None:
    """Raise EMVError unless the amount is digits and a point, and short enough."""
    if len(amount) <= AMOUNT_CHARACTERS_MAX and AMOUNT.fullmatch(amount):
        return
    expectation_text = f"digits and a point, at most {AMOUNT_CHARACTERS_MAX} characters"
    raise EMVError(f"bad amount {amount!r}: {expectation_text}")
