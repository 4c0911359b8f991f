"""The fields of EMV QR texts: tag, length and value, and the names of tags."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..errors.arguments import explain_arguments
from ..errors.base import EMVError

ACCOUNTS = range(2, 52)  # the tags of merchant account information
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

TOP_LEVEL_NAMES = {
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

ADDITIONAL_DATA_NAMES = {
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

LANGUAGE_NAMES = {
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
    """Return whether the field at this path may contain fields."""
    parent_path, _, tag = path.rpartition(".")
    if parent_path:
        return parent_path == ADDITIONAL_DATA and int(tag) in PAYMENT_SYSTEM_TEMPLATES
    return tag in (ADDITIONAL_DATA, LANGUAGE) or int(tag) in (*ACCOUNT_TEMPLATES, *UNRESERVED)


def field_name(path: str, scheme: str = "") -> str:
    """Return the name of the field at this path; `scheme` is sub-tag 00 of its template."""
    parent_path, _, tag = path.rpartition(".")
    if not parent_path:
        return TOP_LEVEL_NAMES.get(tag) or _network_name(tag)
    if parent_path == ADDITIONAL_DATA and int(tag) in PAYMENT_SYSTEM_TEMPLATES:
        return "Payment system template"
    if parent_path in (ADDITIONAL_DATA, LANGUAGE):
        name_by_tag = ADDITIONAL_DATA_NAMES if parent_path == ADDITIONAL_DATA else LANGUAGE_NAMES
        return name_by_tag.get(tag, RESERVED)
    if tag == "00":
        return "Globally unique identifier"
    return SCHEMES.get(scheme.lower(), {}).get(tag, "Scheme specific")


def _network_name(tag: str) -> str:
    """Return the name of the payment network of a top-level tag, or `RESERVED`."""
    for tag_range, network_name in NETWORKS:
        if int(tag) in tag_range:
            return network_name
    return RESERVED


VALUE_MAX = 99
HEADER_CHARACTERS = 4  # the tag and the length before each value
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
        """Yield the field, and its fields at any depth.

        >>> [field.path for field in paylab.emvqr.parse(qr_text).fields[0].walk()]
        ['00']
        """
        yield self
        for field in self.fields:
            yield from field.walk()

    @property
    def tag(self) -> str:
        """The two digits that the field starts with."""
        return self.path[-2:]

    @property
    def name(self) -> str:
        """The name of this field in the standard or in QR Ph."""
        return field_name(self.path, self.scheme)

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
    """Return the CRC-16/CCITT-FALSE of the text's UTF-8 bytes, as four upper-case hex digits.

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
    """Split a text into its fields; `prefix` is the path of its template, with a dot."""
    value_by_tag: dict[str, str] = {}
    position = 0
    while position < len(text):
        tag, value_length = _read_header(text, position)
        value_start = position + HEADER_CHARACTERS
        if value_start + value_length > len(text):
            left_count = len(text) - value_start
            lengths_text = f"{value_length} characters declared, {left_count} left"
            message = f"tag {tag} is cut short: {lengths_text}"
            raise EMVError(message, position)
        if tag in value_by_tag:
            raise EMVError(f"tag {tag} is a duplicate", position)
        value_by_tag[tag] = text[value_start : value_start + value_length]
        position = value_start + value_length
    scheme = value_by_tag.get("00", "") if prefix else ""
    return tuple(
        EmvField(prefix + tag, content_text, scheme) for tag, content_text in value_by_tag.items()
    )


def write_fields(tree: Tree) -> str:
    """Write nested dicts as a text, the inverse of `field_tree`."""
    payload_text = ""
    for tag, field_value in tree.items():
        content_text = (
            write_fields(field_value) if isinstance(field_value, Mapping) else field_value
        )
        if not isinstance(tag, str) or not TWO_DIGITS.fullmatch(tag):
            raise EMVError(f"bad tag {tag!r}: must be two digits", len(payload_text))
        if not isinstance(content_text, str):
            raise EMVError(
                f"tag {tag} must be text, not {type(content_text).__name__}", len(payload_text)
            )
        if len(content_text) > VALUE_MAX:
            message = f"tag {tag} is too long: {len(content_text)} characters, at most {VALUE_MAX}"
            raise EMVError(message, len(payload_text))
        payload_text += f"{tag}{len(content_text):02d}{content_text}"
    return payload_text


def field_tree(fields: Iterable[EmvField]) -> dict[str, str | Tree]:
    """Return the fields as nested dicts, as `write_fields` takes them."""
    tree: dict[str, str | Tree] = {}
    for field in fields:
        inner_fields = field.fields
        tree[field.tag] = field_tree(inner_fields) if inner_fields else field.value
    return tree


def _read_header(payload_text: str, position: int) -> tuple[str, int]:
    """Read the tag and the length of the field at a position."""
    tag = payload_text[position : position + 2]
    length_text = payload_text[position + 2 : position + HEADER_CHARACTERS]
    if len(length_text) < 2:
        remaining_text = payload_text[position:]
        message = f"the text is cut short inside a field: {remaining_text!r} is all that is left"
        raise EMVError(message, position)
    if not TWO_DIGITS.fullmatch(tag):
        raise EMVError(f"bad tag {tag!r}: must be two digits", position)
    if not TWO_DIGITS.fullmatch(length_text):
        raise EMVError(f"bad length {length_text!r} of tag {tag}: must be two digits", position + 2)
    return tag, int(length_text)
