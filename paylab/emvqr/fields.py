"""The fields of EMV QR texts: tag, length and value, and the names of tags."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..errors.arguments import explain_arguments
from ..errors.base import EMVError

ACCOUNTS = range(2, 52)
ACCOUNT_TEMPLATES = range(26, 52)
ADDITIONAL_DATA = "62"
LANGUAGE = "64"
UNRESERVED = range(80, 100)
PAYMENT_SYSTEM_TEMPLATES = range(50, 100)  # within 62

NETWORKS = (
    (range(2, 4), "Visa"),
    (range(4, 6), "Mastercard"),
    (range(9, 11), "Discover"),
    (range(11, 13), "Amex"),
    (range(13, 15), "JCB"),
    (range(15, 17), "UnionPay"),
    (ACCOUNT_TEMPLATES, "Merchant account information"),
    (UNRESERVED, "Unreserved template"),
)
RESERVED = "Reserved for EMVCo"

TOP = {
    "00": "Payload format indicator",
    "01": "Point of initiation method",
    "52": "Merchant category code",
    "53": "Transaction currency",
    "54": "Transaction amount",
    "55": "Tip or convenience indicator",
    "56": "Value of convenience fee, fixed",
    "57": "Value of convenience fee, percentage",
    "58": "Country code",
    "59": "Merchant name",
    "60": "Merchant city",
    "61": "Postal code",
    ADDITIONAL_DATA: "Additional data",
    "63": "CRC",
    LANGUAGE: "Merchant information, language",
}

ADDITIONAL = {
    "00": "Globally unique identifier",  # the standard starts at 01; QR Ph writes one all the same
    "01": "Bill number",
    "02": "Mobile number",
    "03": "Store label",
    "04": "Loyalty number",
    "05": "Reference label",
    "06": "Customer label",
    "07": "Terminal label",
    "08": "Purpose of transaction",
    "09": "Additional consumer data request",
    "10": "Merchant tax ID",
    "11": "Merchant channel",
}

ALTERNATE = {
    "00": "Language preference",
    "01": "Merchant name, alternate language",
    "02": "Merchant city, alternate language",
}

# QR Ph's own sub-tags, by the identifier in sub-tag 00, known from real payloads.
_QRPH_ACCOUNT = {
    "01": "Acquirer ID",
    "02": "Payment type",
    "03": "Merchant ID or reference",
    "04": "Credit account",
    "05": "Mobile number",
}
_QRPH_MERCHANT = {**_QRPH_ACCOUNT, "05": "Proxy-notify flag"}
P2P_TAG = "27"
P2P = "com.p2pqrpay"
P2M = "ph.ppmi.p2m"
P2M_MICRO = "ph.ppmi.p2micro"
QRPH = "ph.ppmi.qrph"
SCHEMES = {
    P2P: _QRPH_ACCOUNT,
    P2M: _QRPH_MERCHANT,
    P2M_MICRO: _QRPH_MERCHANT,
    QRPH: {"01": "Acquirer required information"},
}

_ISO_4217 = (
    "008:ALL 032:ARS 036:AUD 050:BDT 096:BND 104:MMK 116:KHR 124:CAD 152:CLP 156:CNY",
    "170:COP 203:CZK 208:DKK 344:HKD 348:HUF 352:ISK 356:INR 360:IDR 376:ILS 392:JPY",
    "404:KES 410:KRW 418:LAK 446:MOP 458:MYR 484:MXN 524:NPR 554:NZD 566:NGN 578:NOK",
    "586:PKR 604:PEN 608:PHP 682:SAR 702:SGD 704:VND 710:ZAR 752:SEK 756:CHF 764:THB",
    "784:AED 818:EGP 826:GBP 840:USD 858:UYU 901:TWD 946:RON 949:TRY 975:BGN 978:EUR",
    "985:PLN 986:BRL",
)
CURRENCIES = dict(pair.split(":") for row in _ISO_4217 for pair in row.split())


def is_template(path: str) -> bool:
    """Whether the field at this path may contain fields."""
    parent, _, tag = path.rpartition(".")
    if parent:
        return parent == ADDITIONAL_DATA and int(tag) in PAYMENT_SYSTEM_TEMPLATES
    return tag in (ADDITIONAL_DATA, LANGUAGE) or int(tag) in (*ACCOUNT_TEMPLATES, *UNRESERVED)


def name(path: str, scheme: str = "") -> str:
    """The name of the field at this path; `scheme` is sub-tag 00 of its template."""
    parent, _, tag = path.rpartition(".")
    if not parent:
        networks = (label for tags, label in NETWORKS if int(tag) in tags)
        return TOP.get(tag) or next(networks, RESERVED)
    if parent == ADDITIONAL_DATA and int(tag) in PAYMENT_SYSTEM_TEMPLATES:
        return "Payment system template"
    if parent in (ADDITIONAL_DATA, LANGUAGE):
        names = ADDITIONAL if parent == ADDITIONAL_DATA else ALTERNATE
        return names.get(tag, RESERVED)
    if tag == "00":
        return "Globally unique identifier"
    return SCHEMES.get(scheme.lower(), {}).get(tag, "Scheme specific")


LONGEST = 99
HEAD = 4
TWO_DIGITS = re.compile("[0-9]{2}")

Tree: TypeAlias = Mapping[str, "str | Tree"]
"""Values by tag in the order of writing; a template is a nested mapping."""


@dataclass(frozen=True)
class EmvField:
    """One field: its dotted path (`27.01`), its text, and the scheme of its template."""

    path: str
    value: str
    scheme: str = ""

    def walk(self) -> Iterator[EmvField]:
        """The field, and its fields at any depth.

        >>> [each.path for each in paylab.emvqr.parse(qr_text).fields[0].walk()]
        ['00']
        """
        yield self
        for field in self.fields:
            yield from field.walk()

    @property
    def tag(self) -> str:
        """The two digits the field starts with."""
        return self.path[-2:]

    @property
    def name(self) -> str:
        """The name of this field in the standard or in QR Ph."""
        return name(self.path, self.scheme)

    @property
    def fields(self) -> tuple[EmvField, ...]:
        """The fields of a template; empty for a plain value or one that cannot be split."""
        if not is_template(self.path):
            return ()
        try:
            return split(self.value, f"{self.path}.")
        except EMVError:
            return ()


@explain_arguments
def crc(text: str) -> str:
    """CRC-16/CCITT-FALSE over the text's UTF-8 bytes, as four upper-case hex digits.

    >>> paylab.emvqr.crc("123456789")
    '29B1'
    """
    if not isinstance(text, str):
        raise EMVError(f"a QR text must be text, not {type(text).__name__}")
    try:
        return f"{crc_hqx(text.encode(), 0xFFFF):04X}"
    except UnicodeEncodeError as error:
        raise EMVError("the text contains an unpaired surrogate", error.start) from None


def split(text: str, prefix: str = "") -> tuple[EmvField, ...]:
    """The fields of a text; `prefix` is the path of its template, with a dot."""
    values: dict[str, str] = {}
    at = 0
    while at < len(text):
        tag, length = _head(text, at)
        start = at + HEAD
        if start + length > len(text):
            remaining = len(text) - start
            raise EMVError(
                f"tag {tag} is cut short: {length} characters said, {remaining} left", at
            )
        if tag in values:
            raise EMVError(f"tag {tag} is a duplicate", at)
        values[tag] = text[start : start + length]
        at = start + length
    scheme = values.get("00", "") if prefix else ""
    return tuple(EmvField(prefix + tag, value, scheme) for tag, value in values.items())


def write_fields(tree: Tree) -> str:
    """The text of nested dicts, the inverse of `field_tree`."""
    text = ""
    for tag, value in tree.items():
        inside = write_fields(value) if isinstance(value, Mapping) else value
        if not isinstance(tag, str) or not TWO_DIGITS.fullmatch(tag):
            raise EMVError(f"bad tag {tag!r}: must be two digits", len(text))
        if not isinstance(inside, str):
            raise EMVError(f"tag {tag} must be text, not {type(inside).__name__}", len(text))
        if len(inside) > LONGEST:
            message = f"tag {tag} is too long: {len(inside)} characters, at most {LONGEST}"
            raise EMVError(message, len(text))
        text += f"{tag}{len(inside):02d}{inside}"
    return text


def field_tree(fields: Iterable[EmvField]) -> dict[str, str | Tree]:
    """The fields as nested dicts, as `write` takes them."""
    return {
        field.tag: field_tree(field.fields) if field.fields else field.value for field in fields
    }


def _head(text: str, at: int) -> tuple[str, int]:
    tag = text[at : at + 2]
    length = text[at + 2 : at + HEAD]
    if len(length) < 2:
        raise EMVError(
            f"the text is cut short inside a field: {text[at:]!r} is all that is left", at
        )
    if not TWO_DIGITS.fullmatch(tag):
        raise EMVError(f"bad tag {tag!r}: must be two digits", at)
    if not TWO_DIGITS.fullmatch(length):
        raise EMVError(f"bad length {length!r} of tag {tag}: must be two digits", at + 2)
    return tag, int(length)
