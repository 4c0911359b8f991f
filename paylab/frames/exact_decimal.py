"""The elements of exact columns: decimals whose arithmetic is exact at any length.

Python's own Decimal rounds every result to the 28 digits of its context, also a sum.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation
from functools import lru_cache, partialmethod
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import is_numeric_dtype

from ..errors.base import ExactnessError
from ..spec.money import warn_of_comparison
from .currency_rows import SEVERAL, find_currency_of_sum
from .exact_operators import (
    EXACT_CONTEXT,
    WIDE_CONTEXT,
    Operator,
    compute_modulo,
    divide,
    floor_divide,
    raise_to_power,
)
from .float_errors import MixedColumnError, ObjectColumnError, make_float_error, require_objects
from .pandas_callers import is_ordering, is_statistic_or_window

ChooseClass: TypeAlias = "Callable[[ExactDecimal, Any], type[ExactDecimal]]"
"""Chooses the class, and so the currency, of the result of an amount and another operand."""
ARRAY_PRIORITY = 1500
"""More than that of pandas' own columns without an index, and less than that of its indexes."""
EXTREMES = {np.maximum, np.minimum, np.fmax, np.fmin}
DIVIDED_BY_ZERO = "{} is divided by 0; a column divided by 0 has a missing value there"
_ROUNDINGS = (
    *("normalize", "quantize", "scaleb", "shift"),
    *("to_integral", "to_integral_exact", "to_integral_value"),
)
_OF_TWO_AMOUNTS = ("fma", "max", "max_mag", "min", "min_mag", "remainder_near")
_OF_CONTEXTS = ("next_minus", "next_plus", "next_toward", "rotate")
"""Methods whose results depend on the number of digits of a context."""


def _write_constructor(number: Decimal) -> str:
    return f"Decimal('{number}')"


class ExactDecimal(Decimal):
    """A Decimal whose `+`, `-` and `*` are exact, and which refuses to compute with a float.

    A quotient is exact if it has at most 38 digits, and else rounded to 28 significant digits or
    as many as the dividend has. `//` rounds down and `%` has the sign of the divisor, as for a
    column and for Python's integers. A comparison takes a float as it is printed, as that of a
    column does. The text has plain digits: zero is 0.00, never 0E-18.

    The sum or difference of amounts in two currencies warns.
    """

    __slots__ = ()

    __pandas_priority__ = ARRAY_PRIORITY

    currency: str | None = None
    """The currency of an amount of a column that knows it; "several" of a sum that warned."""

    __hash__ = Decimal.__hash__

    __str__ = partialmethod(Decimal.__format__, "f")
    __repr__ = partialmethod(_write_constructor)

    def __format__(self, specifier: str, *options: Any) -> str:
        return super().__format__(specifier, *options) if specifier else format(self, "f")

    def __neg__(self) -> ExactDecimal:
        return make_element(Decimal.copy_negate(self) if self else self, self.currency)

    def __pos__(self) -> ExactDecimal:
        return self

    def __abs__(self) -> ExactDecimal:
        return make_element(Decimal.copy_abs(self), self.currency)

    __copy__ = __pos__

    def __deepcopy__(self, _memo: object) -> ExactDecimal:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return make_element, (str(self), self.currency)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """The result of a function of numpy. To numpy, an element is an array of one object.

        ExactnessError for the larger or smaller one of an amount and a float, as for a column.
        """
        if function in (np.isfinite, np.isinf, np.isnan):  # numpy cannot apply these to objects
            return function(Decimal.__float__(self))
        require_objects(function)
        if function in EXTREMES:
            for operand in inputs:
                for value in np.ravel(operand):
                    _read_operand(value)  # raises ExactnessError for a float
        as_objects = [np.asarray(x, dtype=object) if isinstance(x, Decimal) else x for x in inputs]
        return getattr(function, method)(*as_objects, **options)

    def __round__(self, places: int | None = None) -> Any:
        """Round half to even; without places, to an integer, as Python does."""
        if places is None:
            return super().__round__()
        last_place = Decimal((0, (1,), -places))  # 0.01 for two places
        rounded_amount = Decimal.quantize(self, last_place, context=WIDE_CONTEXT)
        return make_element(rounded_amount, self.currency)

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
        """The exact power of a number; its currency is unknown. There is none with a modulus."""
        base_number = _read_operand(other) if modulo is None else NotImplemented
        if not isinstance(base_number, Decimal):
            return base_number  # NaN, or NotImplemented
        return make_element(_compute_exactly(raise_to_power, base_number, self))

    def __pow__(self, other: object, modulo: object = None) -> Any:
        """The exact power of the amount; its currency is unknown. There is none with a modulus."""
        exponent = _read_operand(other) if modulo is None else NotImplemented
        if not isinstance(exponent, Decimal):
            return exponent  # NaN, or NotImplemented
        return make_element(_compute_exactly(raise_to_power, self, exponent))


@lru_cache(maxsize=256)
def find_class(currency: str | None) -> type[ExactDecimal]:
    """The class of the elements in a currency, or of those of which it is unknown.

    An element is made and added faster than if it had its currency as a part. The module
    `statistics` names the classes in its error about numbers of several.
    """
    if currency is None:
        return ExactDecimal
    return type(f"amount in {currency!a}", (ExactDecimal,), {"__slots__": (), "currency": currency})


def make_element(number: Decimal | str, currency: str | None = None) -> ExactDecimal:
    """An element of a column; its currency is None if it is unknown."""
    return find_class(currency)(number)


def _compute_exactly(op: Operator, left: Decimal, right: Decimal) -> Decimal:
    """The exact result; ExactnessError for one of more digits than `EXACT_CONTEXT` allows."""
    try:
        return op(left, right)
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
    if isinstance(operand, str):  # such as the word "total" in a row of books
        raise TypeError(f"amounts do not compute with the text {operand!r:.40}: leave its row out")
    if not _is_float(operand):
        return NotImplemented
    if math.isnan(operand):
        return operand
    raise make_float_error(operand)


def _make_operator_method(
    name: str, exact_operator: Operator, choose_class: ChooseClass, *, swapped: bool = False
) -> Callable[[ExactDecimal, Any], Any]:
    """The method of an operator; `swapped` if the element is the right operand."""
    python_operator = getattr(operator, name)

    def compute(self: ExactDecimal, other: Any) -> Any:
        """The exact result in the class of its currency, or what `_read_operand` gives instead."""
        operand = other if isinstance(other, Decimal) else _read_operand(other)
        if not isinstance(operand, Decimal):
            if isinstance(other, ExtensionArray):
                return _compute_column(python_operator, self, other, swapped=swapped)
            return operand  # NaN, or NotImplemented
        left_operand, right_operand = (operand, self) if swapped else (self, operand)
        exact_result = _compute_exactly(exact_operator, left_operand, right_operand)
        return choose_class(self, other)(exact_result)

    return compute


def _compute_column(operate: Any, amount: Any, column: Any, *, swapped: bool = False) -> Any:
    """The result of an amount and numbers of pandas, as that of a column of the amount."""
    if not is_numeric_dtype(column.dtype) or str(column.dtype) == "decimal":  # computes itself
        return NotImplemented
    exact_type: Any = "decimal"
    amounts = pd.array([amount] * len(column), exact_type)
    return operate(column, amounts) if swapped else operate(amounts, column)


def _choose_class_of_sum(amount: ExactDecimal, other: Any) -> type[ExactDecimal]:
    """The class of a sum or difference; warns if the amounts have two currencies."""
    if type(other) is type(amount) or amount.currency == SEVERAL:
        return type(amount)
    other_currency = getattr(other, "currency", None)
    if amount.currency is None or other_currency is None:
        return find_class(amount.currency or other_currency)
    if not amount or not other:
        return type(amount) if amount else type(other)
    return find_class(find_currency_of_sum(amount.currency, other_currency))


def _choose_class_of_multiple(amount: ExactDecimal, factor: Any) -> type[ExactDecimal]:
    """The class of an amount times or by a whole number; a Decimal may be a rate."""
    return ExactDecimal if isinstance(factor, Decimal) else type(amount)


_OPERATORS: dict[str, tuple[Operator, ChooseClass]] = {
    "add": (EXACT_CONTEXT.add, _choose_class_of_sum),
    "sub": (EXACT_CONTEXT.subtract, _choose_class_of_sum),
    "mul": (EXACT_CONTEXT.multiply, _choose_class_of_multiple),
}
_DIVISIONS: dict[str, Operator] = {
    "truediv": divide,
    "floordiv": floor_divide,
    "mod": compute_modulo,
}


def _make_comparison(comparison: str) -> Callable[[ExactDecimal, Any], Any]:
    """The method of a comparison; a float is taken as it is printed, and NaN equals nothing.

    `==` and `!=` warn, but not of a whole number, such as the 0.0 with which numpy compares.
    MixedColumnError where pandas orders floats among amounts.
    """
    compare_decimals: Callable[..., Any] = getattr(Decimal, comparison)
    is_equality = comparison in ("__eq__", "__ne__")
    python_operator = getattr(operator, comparison)

    def method(self: ExactDecimal, other: Any) -> Any:
        """Compare with any object, as Decimal does but for floats."""
        if isinstance(other, Decimal):  # first, because a sort compares often
            return compare_decimals(self, other)
        if isinstance(other, ExtensionArray):
            return _compute_column(python_operator, self, other)
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
        return make_element(decimal_method(self, *arguments), self.currency)

    method.__name__ = method_name
    method.__doc__ = decimal_method.__doc__
    return method


def _make_unrounded_method(method_name: str) -> Callable[..., Any]:
    """A method of Decimal with room for all digits, so that nothing is rounded."""
    decimal_method: Callable[..., Decimal] = getattr(Decimal, method_name)

    def method(self: ExactDecimal, *arguments: object, **options: object) -> Any:
        if not any(isinstance(argument, Context) for argument in arguments):
            options = {"context": WIDE_CONTEXT, **options}  # unless the caller gives a context
        currency = self.currency if method_name in _ROUNDINGS else None
        return make_element(decimal_method(self, *arguments, **options), currency)

    method.__name__ = method_name
    method.__doc__ = decimal_method.__doc__
    return method


def _refuse_digits(_amount: ExactDecimal, name: str, *_: object, **__: object) -> NoReturn:
    raise ExactnessError(f"{name}() rounds to the context: write Decimal(amount).{name}()")


for _name, (_op, _choose) in _OPERATORS.items():
    setattr(ExactDecimal, f"__{_name}__", _make_operator_method(_name, _op, _choose))
    setattr(ExactDecimal, f"__r{_name}__", _make_operator_method(_name, _op, _choose, swapped=True))
for _name, _op in _DIVISIONS.items():
    _method = _make_operator_method(_name, _op, _choose_class_of_multiple)
    setattr(ExactDecimal, f"__{_name}__", _method)
    _method = _make_operator_method(_name, _op, lambda *_: ExactDecimal, swapped=True)
    setattr(ExactDecimal, f"__r{_name}__", _method)
for _name in (*_ROUNDINGS, *_OF_TWO_AMOUNTS):
    setattr(ExactDecimal, _name, _make_unrounded_method(_name))
for _name in ("copy_abs", "copy_negate", "copy_sign"):
    setattr(ExactDecimal, _name, _make_sign_method(_name))
for _name in _OF_CONTEXTS:
    setattr(ExactDecimal, _name, partialmethod(_refuse_digits, _name))
for _name in ("cbrt", "exp2", "expm1", "log", "log1p", "log2"):
    setattr(ExactDecimal, _name, _make_float_method(_name))
for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(ExactDecimal, _name, _make_comparison(_name))
