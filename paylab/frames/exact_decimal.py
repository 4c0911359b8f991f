"""The elements of exact columns: decimals whose arithmetic is exact at any length.

Python's own Decimal rounds every result to the 28 digits of its context, also a sum.
"""

from __future__ import annotations

import gc
import math
import numbers
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow
from functools import partialmethod
from typing import Any, TypeAlias

from ..errors.base import ExactnessError, PaylabError
from .pandas_callers import is_statistic_or_window

Operator: TypeAlias = Callable[[Decimal, Decimal], Decimal]
DIGITS_MAX = 38  # digits of a column
DIGITS = 28  # of a quotient that has no end
LIMIT = Context(
    prec=100_000,
    Emax=999_999,
    Emin=-999_999,
    traps=[Inexact, InvalidOperation, DivisionByZero, Overflow],
)
LARGE_COLUMN = 10_000  # elements
ROOM = Context(prec=100_000, Emax=999_999, Emin=-999_999)
USE_DECIMAL = (
    'write Decimal("1.16") or text, amounts.quantile(0.95) for a quantile, or compute with floats: '
    "frame.paylab.floats()"
)
OBJECTS = (
    "pandas computes statistics and windows of amounts in a column of objects with floats: write "
    '.astype("decimal") first, which is exact, or .astype(float)'
)


class ObjectColumnError(PaylabError):
    """A mean or window of a column of objects, which pandas would compute with floats."""

    def __init__(self, _message: str = OBJECTS) -> None:
        # pandas raises an error of a group again with a message of its own
        super().__init__(OBJECTS)


def _write_constructor(number: Decimal) -> str:
    return f"Decimal('{number}')"


class ExactDecimal(Decimal):
    """A Decimal whose `+`, `-` and `*` are exact, and which refuses to compute with a float.

    A quotient is exact if it has at most 38 digits, and else rounded to 28 significant digits or
    as many as the dividend has. The text has plain digits: zero is 0.00, never 0E-18.
    """

    __slots__ = ()

    __str__ = partialmethod(Decimal.__format__, "f")
    __repr__ = partialmethod(_write_constructor)

    def __format__(self, specifier: str, *options: Any) -> str:
        return super().__format__(specifier, *options) if specifier else format(self, "f")

    def __neg__(self) -> ExactDecimal:
        return ExactDecimal(self.copy_negate() if self else self)

    def __pos__(self) -> ExactDecimal:
        return self

    def __abs__(self) -> ExactDecimal:
        return ExactDecimal(self.copy_abs())

    def __round__(self, places: int | None = None) -> Any:
        if places is None:
            return super().__round__()
        return ExactDecimal(Decimal.quantize(self, Decimal((0, (1,), -places)), context=ROOM))

    def __conform__(self, protocol: type) -> str | None:
        """The text that SQLite stores: it has no exact numbers."""
        return str(self) if protocol.__name__ == "PrepareProtocol" else None

    def __float__(self) -> float:
        if is_statistic_or_window():
            raise ObjectColumnError
        return super().__float__()

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __rpow__(self, other: object, modulo: object = None) -> Any:
        base = _read_operand(other)
        if not isinstance(base, Decimal):
            return base  # NaN, or NotImplemented
        return _compute_exactly(raise_to_power, base, self)

    def __pow__(self, other: object, modulo: object = None) -> Any:
        exponent = _read_operand(other)
        if not isinstance(exponent, Decimal):
            return exponent  # NaN, or NotImplemented
        return _compute_exactly(raise_to_power, self, exponent)


def raise_to_power(base: Decimal, exponent: Decimal) -> Decimal:
    """The exact power; ExactnessError unless the exponent is a whole number of at least 0."""
    if exponent < 0 or exponent != int(exponent):
        raise ExactnessError(f"the power {exponent} has no exact value: {USE_DECIMAL}")
    try:
        return LIMIT.power(base, exponent)
    except Inexact:  # also an overflow
        raise ExactnessError(f"the power {exponent} has too many digits") from None


def divide(dividend: Decimal, divisor: Decimal) -> Decimal:
    """The exact quotient, or, if it needs more than 38 digits, one of at least 28 digits."""
    return make_divider()(dividend, divisor)


def make_divider() -> Operator:
    """A `divide` with a context of its own, which is fast for many quotients, in one thread."""
    short = Context(prec=DIGITS_MAX, traps=[InvalidOperation, DivisionByZero, Overflow])
    usual = Context(prec=DIGITS)

    def divide_in_context(dividend: Decimal, divisor: Decimal) -> Decimal:
        quotient = short.divide(dividend, divisor)
        if not short.flags[Inexact]:
            return quotient
        short.flags[Inexact] = False
        digit_count = len(dividend.as_tuple().digits)
        context = usual if digit_count <= DIGITS else Context(prec=digit_count)
        return context.divide(dividend, divisor)

    return divide_in_context


def make_elements(number_texts: Sequence[str | None], missing: object = None) -> list[Any]:
    """The elements of a column from their texts, with `missing` for None."""
    was_collecting = gc.isenabled()
    if len(number_texts) > LARGE_COLUMN:  # Python would look for garbage after every 700 elements
        gc.disable()
    try:
        return [
            missing if number_text is None else ExactDecimal(number_text)
            for number_text in number_texts
        ]
    finally:
        if was_collecting:
            gc.enable()


_OPERATORS: dict[str, Operator] = {
    "add": LIMIT.add,
    "sub": LIMIT.subtract,
    "mul": LIMIT.multiply,
    "truediv": divide,
    "floordiv": LIMIT.divide_int,
    "mod": LIMIT.remainder,
}


def _compute_exactly(op: Operator, left: Decimal, right: Decimal) -> ExactDecimal:
    """The exact result; ExactnessError for one of more digits than `LIMIT` allows."""
    try:
        return ExactDecimal(op(left, right))
    except Inexact:
        raise ExactnessError("the result has too many digits to be exact") from None


def _read_operand(operand: object) -> Any:
    """The other operand as a Decimal; NaN, a missing value, unchanged.

    ExactnessError for another float; NotImplemented, by which Python tries the other operand's
    own method, for anything else.
    """
    if isinstance(operand, Decimal):
        return operand
    if isinstance(operand, numbers.Integral):
        return Decimal(int(operand))
    if not isinstance(operand, numbers.Real) or isinstance(operand, numbers.Rational):
        return NotImplemented
    if math.isnan(operand):
        return operand
    raise ExactnessError(f"{operand!r} is a float, which is not exact: {USE_DECIMAL}")


def _make_operator_method(
    op: Operator, *, swapped: bool = False
) -> Callable[[ExactDecimal, Any], Any]:
    """The method of an operator; `swapped` if the element is the right operand."""

    def method(self: ExactDecimal, other: object) -> Any:
        operand = _read_operand(other)
        if not isinstance(operand, Decimal):
            return operand  # NaN, or NotImplemented
        if swapped:
            return _compute_exactly(op, operand, self)
        return _compute_exactly(op, self, operand)

    return method


def _make_unrounded_method(method_name: str) -> Callable[..., Any]:
    """A method of Decimal with room for all digits."""
    decimal_method: Callable[..., Decimal] = getattr(Decimal, method_name)

    def method(self: ExactDecimal, *arguments: object, **options: object) -> Any:
        if not any(isinstance(argument, Context) for argument in arguments):
            options = {"context": ROOM, **options}  # unless the caller gives a context
        return ExactDecimal(decimal_method(self, *arguments, **options))

    method.__name__ = method_name
    method.__doc__ = decimal_method.__doc__
    return method


for _name, _op in _OPERATORS.items():
    setattr(ExactDecimal, f"__{_name}__", _make_operator_method(_op))
    setattr(ExactDecimal, f"__r{_name}__", _make_operator_method(_op, swapped=True))
for _name in ("fma", "max", "min", "normalize", "quantize", "scaleb"):
    setattr(ExactDecimal, _name, _make_unrounded_method(_name))
