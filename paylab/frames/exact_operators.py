"""Arithmetic of two decimals: exact, or rounded as each function says.

Python's own operators round every result to the 28 digits of its context, also a sum.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow
from typing import TypeAlias

from ..errors.base import ExactnessError
from .float_errors import USE_DECIMAL

Operator: TypeAlias = Callable[[Decimal, Decimal], Decimal]
DIGITS_MAX = 38  # digits of a column
DIGITS = 28  # significant digits of a quotient such as 1 / 3
EXACT_CONTEXT = Context(
    prec=100_000,
    Emax=999_999,
    Emin=-999_999,
    traps=[Inexact, InvalidOperation, DivisionByZero, Overflow],
)
WIDE_CONTEXT = Context(prec=100_000, Emax=999_999, Emin=-999_999)


def raise_to_power(base: Decimal, exponent: Decimal) -> Decimal:
    """The exact power; ExactnessError unless the exponent is a whole number of at least 0."""
    if exponent < 0 or exponent != int(exponent):
        raise ExactnessError(f"the power {exponent} has no exact value: {USE_DECIMAL}")
    if not exponent:
        return Decimal(1)  # also of 0, as for Python's integers
    try:
        return EXACT_CONTEXT.power(base, exponent)
    except Inexact:  # also an overflow
        raise ExactnessError(f"the power {exponent} has too many digits") from None


def divide(dividend: Decimal, divisor: Decimal) -> Decimal:
    """The exact quotient, or, if it needs more than 38 digits, one of at least 28 digits."""
    return make_divider()(dividend, divisor)


def make_divider() -> Operator:
    """Make a `divide` with contexts of its own: fast for many quotients, but in one thread."""
    short_context = Context(prec=DIGITS_MAX, traps=[InvalidOperation, DivisionByZero, Overflow])
    usual_context = Context(prec=DIGITS)

    def divide_in_context(dividend: Decimal, divisor: Decimal) -> Decimal:
        """Divide exactly if 38 digits are enough, and else again with rounding."""
        quotient = short_context.divide(dividend, divisor)
        if not short_context.flags[Inexact]:  # set if the quotient needs more than 38 digits
            return quotient
        short_context.flags[Inexact] = False  # for the next quotient
        dividend_digit_count = len(dividend.as_tuple().digits)
        rounding_context = (
            usual_context if dividend_digit_count <= DIGITS else Context(prec=dividend_digit_count)
        )
        return rounding_context.divide(dividend, divisor)

    return divide_in_context


def compute_modulo(dividend: Decimal, divisor: Decimal) -> Decimal:
    """The remainder with the sign of the divisor, as `%` of Python's integers has it."""
    remainder = EXACT_CONTEXT.remainder(dividend, divisor)
    has_other_sign = bool(remainder) and (remainder < 0) != (divisor < 0)
    return EXACT_CONTEXT.add(remainder, divisor) if has_other_sign else remainder


def floor_divide(dividend: Decimal, divisor: Decimal) -> Decimal:
    """The quotient rounded down to a whole number, as `//` of Python's integers has it."""
    divisible_part = EXACT_CONTEXT.subtract(dividend, compute_modulo(dividend, divisor))
    return EXACT_CONTEXT.divide_int(divisible_part, divisor)
