"""Amounts: exact decimals written as text, and how they are checked."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Self

from ..errors import Problem
from . import codes

# No exponent in text: "1e999999" is a few bytes to send and a megabyte to print.
LONGEST = 100
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Amount(Decimal):
    """An exact amount that remembers its text as sent."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, value: str | int | Decimal) -> Self:
        """Read plain digits; NaN, exponents in text and digit separators are refused."""
        text = str(value) if isinstance(value, int) else _plain(value)
        if isinstance(value, bool) or not PLAIN_NUMBER.fullmatch(text):
            raise ValueError("an amount is plain digits with at most one point")
        amount = super().__new__(cls, text)
        amount.text = text
        return amount

    def __repr__(self) -> str:
        return f"Amount({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.text,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __format__(self, spec: str, /, *context: Context | None) -> str:
        return super().__format__(spec, *context) if spec else self.text


def _plain(value: object) -> str:
    # A number in JSON was parsed to a Decimal, whose own text may carry an exponent.
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= LONGEST:
        return value.text if isinstance(value, Amount) else format(value, "f")
    return value if isinstance(value, str) else ""


# No amount of money is longer. A limit of our own, so that every amount fits an exact column.
WHOLE_DIGITS_MAX = 30
_PLAIN = re.compile(rf"[0-9]{{1,{WHOLE_DIGITS_MAX}}}(?:\.([0-9]+))?")
_SOURCE = "amount.form"


def check_amount(value: object, currency: object, field: str) -> list[Problem]:
    """What is wrong with an amount; its decimals are judged where the currency is known."""
    message = _misfit(value, currency)
    return [Problem(field, message, _SOURCE)] if message else []


def read_amount(value: object) -> Decimal | None:
    """The amount, or None where the text is not one."""
    return Decimal(value) if isinstance(value, str) and _PLAIN.fullmatch(value) else None


def _misfit(value: object, currency: object) -> str:
    if not isinstance(value, str):
        return 'must be text, like "10.50"'
    match = _PLAIN.fullmatch(value)
    if match is None:
        return "must be plain digits with at most one point, like 10.50"
    if not value.strip("0."):
        return "must be more than 0"
    return _too_fine(match[1] or "", currency)


def _too_fine(decimals: str, currency: object) -> str:
    if not isinstance(currency, str) or len(decimals) <= codes.minor_unit(currency):
        return ""
    return f"must have at most {codes.minor_unit(currency)} decimals in {currency.upper()[:5]}"
