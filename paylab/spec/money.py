"""Amounts: exact decimals written as text, and their checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from typing import TYPE_CHECKING, NoReturn, Self

from ..errors.base import Problem
from . import codes
from .field_meanings import CURRENCY_FIELDS
from .text import JsonValue

# No exponents: "1e999999" would take a megabyte when written out.
DIGITS_MAX = 100
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Amount(Decimal):
    """An exact amount that remembers its text as sent."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, value: str | int | Decimal) -> Self:
        """Read plain digits; NaN, exponents in text and digit separators are refused."""
        text = value if isinstance(value, str) else _digits_of(value)
        if not PLAIN_NUMBER.fullmatch(text):
            raise ValueError("an amount is plain digits with at most one point")
        amount = super().__new__(cls, text)
        amount.text = text
        return amount

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            message = f"Amount has no attribute {name!r}"
            raise AttributeError(f"{message}: it is a Decimal, and .text is as the service sent it")

    def __repr__(self) -> str:
        return f"Amount({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.text,)

    def __format__(self, spec: str, /, *context: Context | None) -> str:
        return super().__format__(spec, *context) if spec else self.text


def _digits_of(value: object) -> str:
    """The plain digits of a number; "" for a value that is not one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    # A JSON number was parsed to a Decimal, whose text may have an exponent.
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= DIGITS_MAX:
        return value.text if isinstance(value, Amount) else format(value, "f")
    return ""


# Our own limit, so that every amount fits an exact column.
WHOLE_DIGITS_MAX = 30
_AMOUNT = re.compile(rf"[0-9]{{1,{WHOLE_DIGITS_MAX}}}(?:\.([0-9]+))?")
_NEGATIVE = re.compile(r"-[0-9]+(\.[0-9]+)?")
_SOURCE = "amount.form"


def check_amount(value: object, currency: object, field: str) -> list[Problem]:
    """Problems of an amount; its decimals are checked if the currency is known."""
    match = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    decimals = (match and match[1]) or ""
    places = codes.minor_unit(currency) if isinstance(currency, str) else None
    if not isinstance(value, str):
        message = 'must be text, like "10.50"'
    elif match is None and _NEGATIVE.fullmatch(value):
        message = "must be more than 0"
    elif match is None and PLAIN_NUMBER.fullmatch(value) and value[0] != "+":
        message = f"must have at most {WHOLE_DIGITS_MAX} digits before the point"
    elif match is None:
        message = "must be plain digits, with a point before decimals, like 10.50"
    elif not value.strip("0."):
        message = "must be more than 0"
    elif places is not None and len(decimals) > places:
        most = f"at most {places}" if places else "no"
        message = f"must have {most} decimals in {str(currency).upper()[:5]}"
    else:
        return []
    return [Problem(field, message, _SOURCE)]


def read_amount(value: object) -> Decimal | None:
    """The amount, or None if the text is not an amount."""
    return Decimal(value) if isinstance(value, str) and _AMOUNT.fullmatch(value) else None


def lower_currencies(value: JsonValue) -> JsonValue:
    """A resource with currency codes in lower case, as in events."""
    if isinstance(value, list):
        return [lower_currencies(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    lowered = {}
    for name, item in value.items():
        is_currency = name in CURRENCY_FIELDS and isinstance(item, str)
        lowered[name] = item.lower() if is_currency else lower_currencies(item)
    return lowered
