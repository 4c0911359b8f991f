"""The CLABE, the account number of a Mexican bank: its parts, its check digit, names of banks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

CLABE_PATTERN = re.compile("[0-9]{18}")
FIRST_17_PATTERN = re.compile("[0-9]{17}")
WEIGHTS = (3, 7, 1) * 5 + (3, 7)

SIMULATED_BANK = "999"

# Names by the first three digits. For display only: a code that is missing here may be a bank.
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
    SIMULATED_BANK: "the simulator, no real bank",
}


class Parts(NamedTuple):
    """The four parts of a CLABE: 3, 3, 11 and 1 digits."""

    bank: str
    plaza: str
    account: str
    check: str


def parts(clabe: str) -> Parts:
    """Split a text of 18 digits into its parts, without checking its check digit."""
    if not _is_whole_match(CLABE_PATTERN, clabe):
        raise _make_argument_error("a CLABE is exactly 18 digits")
    return Parts(clabe[:3], clabe[3:6], clabe[6:17], clabe[17:])


def products(first17: str) -> tuple[int, ...]:
    """Multiply each digit by its weight (3, 7, 1 repeated), and keep the last digit."""
    if not _is_whole_match(FIRST_17_PATTERN, first17):
        raise _make_argument_error("a check digit is made from exactly 17 digits")
    return tuple(int(digit) * weight % 10 for digit, weight in zip(first17, WEIGHTS, strict=True))


def check_digit(first17: str) -> str:
    """Return the digit that makes the sum of the products a multiple of ten."""
    return str(-sum(products(first17)) % 10)


def is_valid(clabe: str) -> bool:
    """Return whether a value is text of 18 digits with a correct check digit."""
    has_18_digits = _is_whole_match(CLABE_PATTERN, clabe)
    return has_18_digits and check_digit(clabe[:17]) == clabe[17]


def check_clabe(clabe: str) -> str:
    """Return what is wrong with a CLABE, or "" if it is valid."""
    if not _is_whole_match(CLABE_PATTERN, clabe):
        return "a CLABE has exactly 18 digits"
    right_digit = check_digit(clabe[:17])
    return "" if clabe.endswith(right_digit) else f"the check digit should be {right_digit}"


def make_clabe(draw: Callable[[str, int], str]) -> str:
    """Make a valid CLABE of a fictitious bank; `draw(word, n)` gives n digits."""
    first_17_digits = SIMULATED_BANK * 2 + draw("clabe", 11)
    return first_17_digits + check_digit(first_17_digits)


def _make_argument_error(message: str) -> ValueError:
    """Make the error for a text that has not the right digits."""
    from ..errors.base import ArgumentError  # only an error needs the tree

    return ArgumentError(message)


def _is_whole_match(pattern: re.Pattern[str], candidate: object) -> bool:
    """Return whether a value is text that the whole pattern matches."""
    return isinstance(candidate, str) and pattern.fullmatch(candidate) is not None
