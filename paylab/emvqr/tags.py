"""What the tags of EMV QR texts are called, which hold further tags, and currency numbers.

A path is dotted: `59` is the merchant name, `27.01` the sub-tag 01 of template 27.
"""

from __future__ import annotations

ACCOUNTS = range(2, 52)
ACCOUNT_TEMPLATES = range(26, 52)
ADDITIONAL_DATA = "62"
LANGUAGE = "64"
UNRESERVED = range(80, 100)
PAYMENT_SYSTEM_TEMPLATES = range(50, 100)  # within 62

NETWORKS = (
    (range(2, 4), "Visa"),
    (range(4, 6), "Mastercard"),
    (range(6, 9), "Reserved for EMVCo"),
    (range(9, 11), "Discover"),
    (range(11, 13), "Amex"),
    (range(13, 15), "JCB"),
    (range(15, 17), "UnionPay"),
    (range(17, 26), "Reserved for EMVCo"),
    (ACCOUNT_TEMPLATES, "Merchant account information"),
    (range(65, 80), "Reserved for EMVCo"),
    (UNRESERVED, "Unreserved template"),
)

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

# QR Ph's own sub-tags, by the identifier in sub-tag 00: read off payloads in circulation.
_QRPH_ACCOUNT = {
    "01": "Acquirer ID",
    "02": "Payment type",
    "03": "Merchant ID or reference",
    "04": "Credit account",
    "05": "Mobile number",
}
_QRPH_MERCHANT = {**_QRPH_ACCOUNT, "05": "Proxy-notify flag"}
P2P_TAG, P2P = "27", "com.p2pqrpay"
P2M, P2M_MICRO = "ph.ppmi.p2m", "ph.ppmi.p2micro"
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
    """Whether the field at this path may hold further fields."""
    parent, _, tag = path.rpartition(".")
    if parent:
        return parent == ADDITIONAL_DATA and int(tag) in PAYMENT_SYSTEM_TEMPLATES
    return tag in (ADDITIONAL_DATA, LANGUAGE) or int(tag) in (*ACCOUNT_TEMPLATES, *UNRESERVED)


def name(path: str, scheme: str = "") -> str:
    """What the field at this path is called; `scheme` is sub-tag 00 of the template it is in."""
    parent, _, tag = path.rpartition(".")
    if not parent:
        return TOP.get(tag) or _range_name(int(tag))
    if parent in (ADDITIONAL_DATA, LANGUAGE):
        return _standard_sub_tag(parent, tag)
    if tag == "00":
        return "Globally unique identifier"
    return SCHEMES.get(scheme.lower(), {}).get(tag, "Scheme specific")


def _range_name(tag: int) -> str:
    return next(label for tags, label in NETWORKS if tag in tags)


def _standard_sub_tag(parent: str, tag: str) -> str:
    known = ADDITIONAL if parent == ADDITIONAL_DATA else ALTERNATE
    if parent == ADDITIONAL_DATA and int(tag) in PAYMENT_SYSTEM_TEMPLATES:
        return "Payment system template"
    return known.get(tag, "Reserved for EMVCo")
