"""The CLABE, Mexico's account number: bank, plaza, account and a check digit.

>>> parts("032180000118359719")
Parts(bank='032', plaza='180', account='00011835971', check='9')
>>> is_valid("032180000118359719")
True
"""

from __future__ import annotations

import re
from typing import NamedTuple

DIGITS = re.compile("[0-9]{18}")
BODY = re.compile("[0-9]{17}")
WEIGHTS = (3, 7, 1) * 5 + (3, 7)

# A help for the reader, not a rule: a code that is missing here may well be a bank.
BANKS = {
    "002": "Banamex",
    "012": "BBVA México",
    "014": "Santander",
    "021": "HSBC",
    "030": "BanBajío",
    "036": "Inbursa",
    "044": "Scotiabank",
    "058": "Banregio",
    "062": "Afirme",
    "072": "Banorte",
    "127": "Banco Azteca",
    "137": "BanCoppel",
    "646": "STP",
    "999": "the simulator, no real bank",
}


class Parts(NamedTuple):
    """The four parts of a CLABE: 3, 3, 11 and 1 digits."""

    bank: str
    plaza: str
    account: str
    check: str


def parts(clabe: str) -> Parts:
    """The parts of a text of 18 digits, whether its check digit is right or not."""
    if not _is(DIGITS, clabe):
        raise ValueError("a CLABE is exactly 18 digits")
    return Parts(clabe[:3], clabe[3:6], clabe[6:17], clabe[17:])


def products(first17: str) -> tuple[int, ...]:
    """Each digit times its weight, 3, 7, 1 over and over; only the last digit of each counts."""
    if not _is(BODY, first17):
        raise ValueError("a check digit is made from exactly 17 digits")
    return tuple(int(digit) * weight % 10 for digit, weight in zip(first17, WEIGHTS, strict=True))


def check_digit(first17: str) -> str:
    """The digit that brings the sum of the products to a multiple of ten."""
    return str(-sum(products(first17)) % 10)


def is_valid(clabe: str) -> bool:
    """Whether this is 18 digits of which the last is the right check digit; any junk is not."""
    return _is(DIGITS, clabe) and check_digit(clabe[:17]) == clabe[17]


def bank_name(code: str) -> str | None:
    """The name of a bank that is known here, by its three digits."""
    return BANKS.get(code)


def _is(pattern: re.Pattern[str], text: object) -> bool:
    return isinstance(text, str) and pattern.fullmatch(text) is not None
