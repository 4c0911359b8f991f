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

import numpy as np

from ..errors.base import ExactnessError
from ..spec.money import warn_of_comparison
from .float_errors import USE_DECIMAL, MixedColumnError, ObjectColumnError, make_float_error
from .pandas_callers import is_ordering, is_statistic_or_window

Operator: TypeAlias = Callable[[Decimal, Decimal], Decimal]
DIGITS_MAX = 38  # digits of a column
DIGITS = 28  # significant digits of a quotient such as 1 / 3
EXACT_CONTEXT = Context(
    prec=100_000,
    Emax=999_999,
    Emin=-999_999,
    traps=[Inexact, InvalidOperation, DivisionByZero, Overflow],
)
EXTREMES = {np.maximum, np.minimum, np.fmax, np.fmin}
LARGE_COLUMN = 10_000  # elements
WIDE_CONTEXT = Context(prec=100_000, Emax=999_999, Emin=-999_999)
DIVIDED_BY_ZERO = "{} is divided by 0; a column divided by 0 has a missing value there"


def _write_constructor(number: Decimal) -> str:
    return f"Decimal('{number}')"


class ExactDecimal(Decimal):
    """A Decimal whose `+`, `-` and `*` are exact, and which refuses to compute with a float.

    A quotient is exact if it has at most 38 digits, and else rounded to 28 significant digits or
    as many as the dividend has. `//` rounds down and `%` has the sign of the divisor, as for a
    column and for Python's integers. A comparison takes a float as it is printed, as that of a
    column does. The text has plain digits: zero is 0.00, never 0E-18.
    """

    __slots__ = ()

    __hash__ = Decimal.__hash__

    __str__ = partialmethod(Decimal.__format__, "f")
    __repr__ = partialmethod(_write_constructor)

    def __format__(self, specifier: str, *options: Any) -> str:
        return super().__format__(specifier, *options) if specifier else format(self, "f")

    def __neg__(self) -> ExactDecimal:
        return ExactDecimal(Decimal.copy_negate(self) if self else self)

    def __pos__(self) -> ExactDecimal:
        return self

    def __abs__(self) -> ExactDecimal:
        return ExactDecimal(Decimal.copy_abs(self))

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """The result of a function of numpy. To numpy, an element is an array of one object.

        ExactnessError for the larger or smaller one of an amount and a float, as for a column.
        """
        if function in (np.isfinite, np.isinf, np.isnan):  # numpy cannot apply these to objects
            return function(Decimal.__float__(self))
        require_objects(function)
        if function in EXTREMES:
            for operand in inputs:
                _read_operand(operand)  # raises ExactnessError for a float
        object_inputs = [
            np.asarray(operand, dtype=object) if isinstance(operand, ExactDecimal) else operand
            for operand in inputs
        ]
        return getattr(function, method)(*object_inputs, **options)

    def __round__(self, places: int | None = None) -> Any:
        if places is None:
            return super().__round__()
        last_place = Decimal((0, (1,), -places))  # 0.01 for two places
        return ExactDecimal(Decimal.quantize(self, last_place, context=WIDE_CONTEXT))

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
        base_number = _read_operand(other)
        if not isinstance(base_number, Decimal):
            return base_number  # NaN, or NotImplemented
        return _compute_exactly(raise_to_power, base_number, self)

    def __pow__(self, other: object, modulo: object = None) -> Any:
        exponent = _read_operand(other)
        if not isinstance(exponent, Decimal):
            return exponent  # NaN, or NotImplemented
        return _compute_exactly(raise_to_power, self, exponent)


def require_objects(function: Any) -> None:
    """TypeError for a function that numpy does not have for objects, such as `np.modf`."""
    if not any("O" in types for types in function.types):
        message = (
            f"np.{function.__name__} has no exact result: write .astype(float), or float(amount)"
        )
        if function is np.isfinite:  # which pandas calls
            message += "; bins of pandas.cut must be whole numbers or floats"
        raise TypeError(message)


def raise_to_power(base: Decimal, exponent: Decimal) -> Decimal:
    """The exact power; ExactnessError unless the exponent is a whole number of at least 0."""
    if exponent < 0 or exponent != int(exponent):
        raise ExactnessError(f"the power {exponent} has no exact value: {USE_DECIMAL}")
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
        quotient = short_context.divide(dividend, divisor)
        if not short_context.flags[Inexact]:  # set if the quotient needs more than 38 digits
            return quotient
        short_context.flags[Inexact] = False  # for the next quotient
        dividend_digit_count = len(dividend.as_tuple().digits)
        context = (
            usual_context if dividend_digit_count <= DIGITS else Context(prec=dividend_digit_count)
        )
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


def compute_modulo(dividend: Decimal, divisor: Decimal) -> Decimal:
    """The remainder with the sign of the divisor, as `%` of Python's integers has it."""
    remainder = EXACT_CONTEXT.remainder(dividend, divisor)
    has_other_sign = bool(remainder) and (remainder < 0) != (divisor < 0)
    return EXACT_CONTEXT.add(remainder, divisor) if has_other_sign else remainder


def floor_divide(dividend: Decimal, divisor: Decimal) -> Decimal:
    """The quotient rounded down to a whole number, as `//` of Python's integers has it."""
    divisible_part = EXACT_CONTEXT.subtract(dividend, compute_modulo(dividend, divisor))
    return EXACT_CONTEXT.divide_int(divisible_part, divisor)


_OPERATORS: dict[str, Operator] = {
    "add": EXACT_CONTEXT.add,
    "sub": EXACT_CONTEXT.subtract,
    "mul": EXACT_CONTEXT.multiply,
    "truediv": divide,
    "floordiv": floor_divide,
    "mod": compute_modulo,
}


def _compute_exactly(op: Operator, left: Decimal, right: Decimal) -> ExactDecimal:
    """The exact result; ExactnessError for one of more digits than `EXACT_CONTEXT` allows."""
    try:
        return ExactDecimal(op(left, right))
    except Inexact:
        raise ExactnessError("the result has too many digits to be exact") from None
    except (DivisionByZero, InvalidOperation):
        raise DivisionByZero(DIVIDED_BY_ZERO.format(left)) from None


def _read_operand(operand: Any) -> Any:
    """The other operand as a Decimal; NaN, a missing value, unchanged.

    ExactnessError for another float; NotImplemented, by which Python tries the other operand's
    own method, for anything else.
    """
    if isinstance(operand, Decimal):
        return operand
    if isinstance(operand, numbers.Integral):
        return Decimal(int(operand))
    if not _is_float(operand):
        return NotImplemented
    if math.isnan(operand):
        return operand
    raise make_float_error(operand)


def _make_operator_method(
    op: Operator, *, swapped: bool = False
) -> Callable[[ExactDecimal, Any], Any]:
    """The method of an operator; `swapped` if the element is the right operand."""

    def method(self: ExactDecimal, other: Any) -> Any:
        operand = _read_operand(other)
        if not isinstance(operand, Decimal):
            return operand  # NaN, or NotImplemented
        if swapped:
            return _compute_exactly(op, operand, self)
        return _compute_exactly(op, self, operand)

    return method


def _make_comparison(comparison: str) -> Callable[[ExactDecimal, Any], Any]:
    """The method of a comparison; a float is taken as it is printed, and NaN equals nothing.

    `==` and `!=` warn, but not of a whole number, such as the 0.0 with which numpy compares.
    MixedColumnError where pandas orders floats among amounts.
    """
    compare_decimals: Callable[..., Any] = getattr(Decimal, comparison)
    is_equality = comparison in ("__eq__", "__ne__")

    def method(self: ExactDecimal, other: Any) -> Any:
        if isinstance(other, Decimal):  # first, because a sort compares often
            return compare_decimals(self, other)
        if not _is_float(other):
            return compare_decimals(self, other)
        other_float = float(other)
        if math.isnan(other_float):
            return comparison == "__ne__"
        if is_equality and math.isfinite(other_float) and not other_float.is_integer():
            warn_of_comparison(other_float)
        if not is_equality and math.isfinite(other_float) and is_ordering():
            raise MixedColumnError
        return compare_decimals(self, Decimal(repr(other_float)))

    return method


def _is_float(operand: object) -> bool:
    """Whether an operand is a float of Python or numpy, or another number that is not exact."""
    return isinstance(operand, numbers.Real) and not isinstance(operand, numbers.Rational)


def _make_float_method(method_name: str) -> Callable[[ExactDecimal], float]:
    """The method that numpy calls for each object of an array, with a float as its result."""
    compute: Callable[[float], float] = getattr(np, method_name)

    def method(self: ExactDecimal) -> float:
        return float(compute(float(self)))

    method.__name__ = method_name
    method.__doc__ = f"`numpy.{method_name}`, which has no exact value, as a float."
    return method


def _make_sign_method(method_name: str) -> Callable[..., ExactDecimal]:
    """A method of Decimal that changes only the sign, with an exact result."""
    decimal_method: Callable[..., Decimal] = getattr(Decimal, method_name)

    def method(self: ExactDecimal, *arguments: object) -> ExactDecimal:
        return ExactDecimal(decimal_method(self, *arguments))

    method.__name__ = method_name
    method.__doc__ = decimal_method.__doc__
    return method


def _make_unrounded_method(method_name: str) -> Callable[..., Any]:
    """A method of Decimal with room for all digits, so that nothing is rounded."""
    decimal_method: Callable[..., Decimal] = getattr(Decimal, method_name)

    def method(self: ExactDecimal, *arguments: object, **options: object) -> Any:
        if not any(isinstance(argument, Context) for argument in arguments):
            options = {"context": WIDE_CONTEXT, **options}  # unless the caller gives a context
        return ExactDecimal(decimal_method(self, *arguments, **options))

    method.__name__ = method_name
    method.__doc__ = decimal_method.__doc__
    return method


for _name, _op in _OPERATORS.items():
    setattr(ExactDecimal, f"__{_name}__", _make_operator_method(_op))
    setattr(ExactDecimal, f"__r{_name}__", _make_operator_method(_op, swapped=True))
for _name in ("fma", "max", "max_mag", "min", "min_mag", "normalize", "quantize", "remainder_near"):
    setattr(ExactDecimal, _name, _make_unrounded_method(_name))
for _name in ("scaleb", "to_integral", "to_integral_exact", "to_integral_value"):
    setattr(ExactDecimal, _name, _make_unrounded_method(_name))
for _name in ("copy_abs", "copy_negate", "copy_sign"):
    setattr(ExactDecimal, _name, _make_sign_method(_name))
for _name in ("cbrt", "exp2", "expm1", "log", "log1p", "log2"):
    setattr(ExactDecimal, _name, _make_float_method(_name))
for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(ExactDecimal, _name, _make_comparison(_name))
