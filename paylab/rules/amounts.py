"""Amounts: exact decimals written as text."""

from __future__ import annotations

import re
from decimal import Decimal

from .. import codes
from ..errors import Problem

# No amount of money is longer. A limit of our own, so that every amount fits an exact column.
WHOLE_DIGITS_MAX = 30
_PLAIN = re.compile(rf"[0-9]{{1,{WHOLE_DIGITS_MAX}}}(?:\.([0-9]+))?")
_SOURCE = "amount.form"


def check(value: object, currency: object, field: str) -> list[Problem]:
    """What is wrong with an amount; its decimals are judged where the currency is known."""
    message = _misfit(value, currency)
    return [Problem(field, message, _SOURCE)] if message else []


def read(value: object) -> Decimal | None:
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
