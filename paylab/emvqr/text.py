"""Parse, check and build QR texts, and build QR Ph texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from ..errors.arguments import explain_arguments
from ..errors.base import EMVError
from . import fields as tags
from .fields import HEAD, EmvField, Tree, crc, field_tree, split, write_fields

CRC_START = "6304"
ONCE = "12"
AMOUNT = re.compile(r"[0-9]+(\.[0-9]*)?")


@explain_arguments
@dataclass(frozen=True)
class Payload:
    """The fields of a QR text in their order, without the CRC at the end."""

    fields: tuple[EmvField, ...]

    def find(self, path: str) -> str | None:
        """The value at a dotted path, for example `27.00`.

        >>> paylab.emvqr.parse(qr_text).find("58")
        'PH'
        """
        return next((field.value for field in self.walk() if field.path == path), None)

    def walk(self) -> Iterator[EmvField]:
        """All fields, each template before its fields.

        >>> next(paylab.emvqr.parse(qr_text).walk()).value
        '01'
        """
        return (inner for field in self.fields for inner in field.walk())

    def tree(self) -> dict[str, str | Tree]:
        """The fields as nested dicts, as `build` takes them.

        >>> paylab.emvqr.parse(qr_text).tree()["53"]
        '608'
        """
        return field_tree(self.fields)

    @property
    def crc(self) -> str:
        """The CRC of these fields."""
        return crc(write_fields(self.tree()) + CRC_START)

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
        """The amount; None when the payer chooses it or when it is not a number."""
        text = self.find("54") or ""
        return Decimal(text) if AMOUNT.fullmatch(text) else None

    @property
    def currency(self) -> str | None:
        """The currency code, or the number if it is unknown."""
        number = self.find("53")
        return None if number is None else tags.CURRENCIES.get(number, number)

    @property
    def account(self) -> EmvField | None:
        """The first merchant account: a scheme's template before a card network's number."""
        accounts = [field for field in self.fields if int(field.tag) in tags.ACCOUNTS]
        return next((field for field in accounts if field.fields), next(iter(accounts), None))

    @property
    def scheme(self) -> str | None:
        """The identifier of the account's scheme, for example `com.p2pqrpay`."""
        return self._of_account("00")

    @property
    def acquirer(self) -> str | None:
        """The institution that holds a QR Ph account, by its BIC."""
        is_known = (self.scheme or "").lower() in tags.SCHEMES
        return self._of_account("01") if is_known else None

    @property
    def issuer(self) -> str | None:
        """The acquirer and its scheme, as far as known."""
        parts = [part for part in (self.acquirer, self.scheme) if part]
        return " · ".join(parts) or (self.account.name if self.account else None)

    @property
    def is_static(self) -> bool:
        """Whether the text may be paid many times (11) instead of once (12)."""
        return self.find("01") != ONCE

    def _of_account(self, tag: str) -> str | None:
        return self.find(f"{self.account.path}.{tag}") if self.account else None


START = "000201"
CRC_TAG = "63"
AMOUNT_TAG = "54"
# Required fields of EMV merchant-presented mode except 00 and 63, with their formats.
MANDATORY = {
    "52": ("[0-9]{4}", "must be 4 digits"),
    "53": ("[0-9]{3}", "must be 3 digits, the number of a currency"),
    "58": ("[A-Za-z]{2}", "must be 2 letters, the code of a country"),
    "59": (r".*\S.*", "must not be blank"),
    "60": (r".*\S.*", "must not be blank"),
}


@explain_arguments
def parse(text: str, *, verify: bool = True) -> Payload:
    """The fields of a QR text; EMVError with the position if it is not valid.

    `verify=False` ignores a wrong CRC, to explain a text that must not be paid.

    >>> paylab.emvqr.parse(qr_text).merchant_name
    'ANA'
    """
    if not isinstance(text, str) or not text.startswith(START):
        raise EMVError(f"not an EMV payload: it must start with {START}")
    fields = split(text)
    if fields[-1].tag != CRC_TAG:
        if any(field.tag == CRC_TAG for field in fields):
            at = len(text) - len(fields[-1].value) - HEAD
            raise EMVError("the CRC, tag 63, is not the last field", at)
        raise EMVError("the CRC is missing: tag 63 must be the last field", len(text))
    crc(text)  # unpaired surrogates are refused even if a wrong CRC is not
    payload = Payload(fields[:-1])
    stated_crc = fields[-1].value
    if verify and stated_crc != payload.crc:
        message = f"the CRC is wrong: expected {payload.crc}, found {stated_crc}"
        raise EMVError(message, len(text) - len(stated_crc))
    return payload


@explain_arguments
def check(text: str) -> list[EMVError]:
    """The problems that prevent paying a QR text: wrong format or missing fields.

    >>> paylab.emvqr.check(qr_text)
    []
    """
    try:
        payload = parse(text)
    except EMVError as error:
        return [error]
    missing = [] if payload.account else ["02 to 51 Merchant account information"]
    missing += [f"{tag} {tags.name(tag)}" for tag in MANDATORY if payload.find(tag) is None]
    lost = [EMVError(f"fields that EMV requires are missing: {', '.join(missing)}", len(text) - 8)]
    return (lost if missing else []) + _misfits(payload)


def _misfits(payload: Payload) -> list[EMVError]:
    errors = []
    at = 0
    for field in payload.fields:
        pattern, message = MANDATORY.get(field.tag, (".*", ""))
        if not re.fullmatch(pattern, field.value, re.DOTALL):
            errors.append(EMVError(f"tag {field.tag} {message}: {field.value!r}", at))
        if field.tag == AMOUNT_TAG and payload.amount is None:
            errors.append(EMVError(f"tag {AMOUNT_TAG} is not an amount: {field.value!r}", at))
        at += HEAD + len(field.value)
    return errors


@explain_arguments
def build(payload: Payload | Tree) -> str:
    """The QR text of a payload or of nested dicts; the CRC is computed again.

    >>> paylab.emvqr.build(paylab.emvqr.parse(qr_text)) == qr_text
    True
    """
    tree = payload.tree() if isinstance(payload, Payload) else payload
    if not isinstance(tree, Mapping):
        raise EMVError(f"the fields must be a dict, not {type(tree).__name__}")
    try:
        text = write_fields({tag: value for tag, value in tree.items() if tag != CRC_TAG})
    except RecursionError:
        raise EMVError("the fields are nested too deep") from None
    text += CRC_START
    text += crc(text)
    parse(text)
    return text


NAME_MAX = 25
CITY_MAX = 15
AMOUNT_MAX = 13
PAYMENT_TYPE = "99964403"  # value of real InstaPay person-to-person texts
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
    """A person-to-person text; name and city are truncated to the lengths of the standard.

    Without an amount, the payer chooses it and the text can be paid many times.

    >>> paylab.emvqr.qrph(acquirer="BANKPHM2", account="1", name="ANA", city="CEBU")[:6]
    '000201'
    """
    required = {"acquirer": acquirer, "account": account, "name": name, "city": city}
    for part, value in {**required, "reference": reference, "amount": amount or ""}.items():
        if not isinstance(value, str):
            raise EMVError(f"{part} must be text, not {type(value).__name__}")
    empty = [part for part, value in required.items() if not value]
    if empty:
        raise EMVError(f"a QR Ph text needs {', '.join(empty)}")
    if amount and (len(amount) > AMOUNT_MAX or not AMOUNT.fullmatch(amount)):
        message = f"bad amount {amount!r}: digits and a point, at most {AMOUNT_MAX} characters"
        raise EMVError(message)
    template = {"00": tags.P2P, "01": acquirer, "02": PAYMENT_TYPE}
    template |= {"03": reference} if reference else {}
    fields: dict[str, str | Tree] = {"00": "01", "01": ONCE if amount else "11"}
    fields |= {tags.P2P_TAG: {**template, "04": account}, "52": CATEGORY, "53": PESO}
    fields |= {"54": amount} if amount else {}
    return build(fields | {"58": "PH", "59": name[:NAME_MAX], "60": city[:CITY_MAX]})
