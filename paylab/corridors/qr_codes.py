"""The texts of QR codes to pay to: make one, and check one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Draw: TypeAlias = Callable[[str, int], str]
"""A function of a word and a number n: it gives n digits, the same ones for the same word."""

PAYEE = "PAYLAB SIMULATOR"
CITY = "SIMULATED"
"""The payee of a code that the simulator makes."""


def make_qrph(draw: Draw) -> str:
    """Make the text of a scannable QR Ph code of a fictitious issuer.

    >>> from paylab.corridors.qr_codes import make_qrph, check_qrph
    >>> check_qrph(make_qrph(lambda word, length: "7" * length))
    ''
    """
    from ..emvqr import text  # not with the facts of the countries, which every client reads

    account_digits = draw("qrph", 12)
    reference_digits = draw("reference", 10)
    return text.qrph(
        acquirer="SIMUPHM2XXX",
        account=account_digits,
        reference=reference_digits,
        name=PAYEE,
        city=CITY,
    )


def check_qrph(text: str) -> str:
    """Return what is wrong with the text of a QR Ph code, or "" if it is valid.

    >>> from paylab.corridors.qr_codes import check_qrph
    >>> check_qrph("000201")
    'must be an EMV QR text: the CRC is missing: tag 63 must be the last field (at character 6)'
    """
    return check_emv(text, "a QR Ph code", country="PH", currency="PHP")


def check_emv(text: str, name: str, *, country: str, currency: str) -> str:
    """Return why a text is not the EMV QR code of a country in its currency, or "" if it is one.

    `name` is the code with its article, as in "a QR Ph code".

    >>> from paylab.corridors.qr_codes import check_emv
    >>> check_emv(qr_text, "a SGQR code", country="SG", currency="SGD")
    'must be a SGQR code, of SG in SGD: it is of PH in PHP'
    """
    from ..emvqr import text as emv

    errors = emv.check(text)
    if errors:
        return f"must be an EMV QR text: {errors[0]}"
    payload = emv.parse(text)
    coded_country = str(payload.country).upper()
    if coded_country == country and payload.currency == currency:
        return ""
    return (
        f"must be {name}, of {country} in {currency}: "
        f"it is of {coded_country} in {payload.currency}"
    )
