"""Amounts: exact decimals written as text, and their checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from math import isfinite
from numbers import Rational
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from ..errors.base import FloatWarning, Problem, warn_caller
from . import codes
from .field_meanings import CURRENCY_FIELDS
from .text import JsonValue, plain

# No exponents: "1e999999" would take a megabyte when written out.
DIGITS_MAX = 100
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Amount(Decimal):
    """An exact amount that remembers its text as sent.

    `+`, `-` and `*` are exact, and a float in them is a TypeError; a quotient follows the context
    of Python's Decimal, which all results are. A comparison takes a float as it is printed, and
    `==` warns of it.
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, value: str | int | Decimal) -> Self:
        """Read plain digits; NaN, exponents in text and digit separators are refused."""
        amount_text = value if isinstance(value, str) else _write_plain_digits(value)
        if not PLAIN_NUMBER.fullmatch(amount_text):
            raise ValueError("an amount is plain digits with at most one point")
        amount = super().__new__(cls, amount_text)
        amount.text = amount_text
        return amount

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            message = f"Amount has no attribute {name!r}"
            raise AttributeError(f"{message}: it is a Decimal, and .text is as the service sent it")

        def __getitem__(self, _key: object) -> NoReturn:
            raise TypeError("an amount has no parts: it is a Decimal; its currency is a field")

    def __repr__(self) -> str:
        return f"Amount({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.text,)

    def __format__(self, spec: str, /, *context: Context | None) -> str:
        return super().__format__(spec, *context) if spec else self.text


_EXACT_OPERATORS = ("add", "sub", "mul")
_OTHER_OPERATORS = ("truediv", "floordiv", "mod", "divmod", "pow")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_UNLIMITED = Context(prec=100_000, Emax=999_999, Emin=-999_999, traps=[Inexact, InvalidOperation])


def _make_operator_method(method_name: str, context: Context | None) -> Callable[..., Any]:
    """Make an operator method of Amount, such as `__add__`, from that of Decimal.

    It computes in `context`, or for None in the caller's context. An operand that is a float, text
    or None is a TypeError that says what to write in its place.
    """
    decimal_method = getattr(Decimal, method_name)

    def method(self: Amount, *operands: object) -> Any:
        """Compute as Decimal does; an amount has one operand or, of `pow`, two."""
        for operand in operands:
            if isinstance(operand, float | str | NoneType):
                raise TypeError(_describe_operand(operand))
        if context is None:
            return decimal_method(self, *operands)
        with localcontext(context):
            return decimal_method(self, *operands)

    method.__name__ = method_name
    return method


def _make_comparison(method_name: str) -> Callable[[Amount, object], Any]:
    """Make a comparison method of Amount from that of Decimal; a float counts as it is printed.

    `==` and `!=` warn of a float. `<` with text or None is a TypeError that says what to write.
    """
    decimal_method = getattr(Decimal, method_name)
    is_equality = method_name in ("__eq__", "__ne__")

    def method(self: Amount, other: object) -> Any:
        """Compare an amount with another number."""
        if isinstance(other, float) and isfinite(other):
            if is_equality and not other.is_integer():
                warn_of_comparison(other)
            printed_decimal = Decimal(repr(float(other)))
            return decimal_method(self, printed_decimal)
        if isinstance(other, str | NoneType) and not is_equality:
            raise TypeError(_describe_operand(other))
        return decimal_method(self, other)

    method.__name__ = method_name
    return method


def warn_of_comparison(number: float) -> None:
    """Warn, at the line of the caller, that amounts are compared with a float."""
    message = (
        "exact amounts are compared with a float; it is taken as it is printed. Compare with "
        f'Decimal("{number}")'
    )
    warn_caller(message, FloatWarning)


def _describe_operand(operand: object) -> str:
    """Why an amount does not compute with None, a float or text, and what to write."""
    if operand is None:
        return "the other value is None, which is no amount: check first that the field has one"
    if isinstance(operand, float):
        float_text = repr(float(operand))  # numpy's own repr is np.float64(0.5)
        return f"{float_text} is a float, which is not exact: write Decimal({float_text!r})"
    if PLAIN_NUMBER.fullmatch(str(operand)):
        return f"{operand!r} is text: write Decimal({operand!r})"
    return (
        f'{plain(repr(operand), 60)} is text: write f"{{amount}} ..." to join an amount with text'
    )


for _name in (*_EXACT_OPERATORS, *_OTHER_OPERATORS):
    _context = _UNLIMITED if _name in _EXACT_OPERATORS else None
    for _method_name in (f"__{_name}__", f"__r{_name}__"):
        setattr(Amount, _method_name, _make_operator_method(_method_name, _context))
for _name in ("neg", "pos", "abs"):
    setattr(Amount, f"__{_name}__", _make_operator_method(f"__{_name}__", _UNLIMITED))
for _name in _COMPARISONS:
    setattr(Amount, f"__{_name}__", _make_comparison(f"__{_name}__"))


def _write_plain_digits(value: object) -> str:
    """The plain digits of a number; "" for no number, or a Decimal of very many digits.

    TypeError for a fraction: functions of `statistics` then divide two amounts.
    """
    if isinstance(value, int):
        return "" if isinstance(value, bool) else str(value)
    if isinstance(value, Rational):
        raise TypeError(f"{value} is a fraction: write Decimal(numerator) / denominator")
    if isinstance(value, Amount):
        return value.text
    # A JSON number was parsed to a Decimal, whose text may have an exponent.
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= DIGITS_MAX:
        return format(value, "f")
    return ""


# Our own limit, so that every amount fits an exact column.
WHOLE_DIGITS_MAX = 30
_AMOUNT = re.compile(rf"[0-9]{{1,{WHOLE_DIGITS_MAX}}}(?:\.([0-9]+))?")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+\.[0-9]+")
_NEGATIVE = re.compile(r"-[0-9]+(\.[0-9]+)?")
_SOURCE = "amount.form"
_POSITIVE = "must be more than 0"


def check_amount(value: object, currency: object, field: str) -> list[Problem]:
    """The problem of an amount in the field `field`, as a list; empty if it has none.

    Its decimals are checked only if the currency is a text.
    """
    requirement_text = _find_requirement(value, currency)
    if not requirement_text:
        return []
    value_suffix = f", not {plain(value, 40) or repr(value)}" if isinstance(value, str) else ""
    return [Problem(field, f"{requirement_text}{value_suffix}", _SOURCE)]


def _find_requirement(value: object, currency: object) -> str:
    """The requirement that a value does not meet as an amount in the currency; else ""."""
    if not isinstance(value, str):
        return 'must be text, like "10.50"'
    amount_match = _AMOUNT.fullmatch(value)
    if amount_match is None:
        return _find_format_requirement(value)
    if not value.strip("0."):
        return _POSITIVE
    if not isinstance(currency, str):
        return ""
    decimal_digits = amount_match[1] or ""
    decimals_max = codes.minor_unit(currency)
    if len(decimal_digits) <= decimals_max:
        return ""
    allowed_count_text = f"at most {decimals_max}" if decimals_max else "no"
    return f"must have {allowed_count_text} decimals in {currency.upper()[:5]}"


def _find_format_requirement(value: str) -> str:
    """Say what a text must be that does not have the form of an amount."""
    if _NEGATIVE.fullmatch(value):
        return _POSITIVE
    if PLAIN_NUMBER.fullmatch(value) and not value.startswith("+"):
        return f"must have at most {WHOLE_DIGITS_MAX} digits before the point"
    return "must be plain digits, with a point before decimals, like 10.50"


def read_amount(value: object) -> Decimal | None:
    """Read an amount from text such as "10.50"; None for any other text or value."""
    if not isinstance(value, str) or not _AMOUNT.fullmatch(value):
        return None
    return Decimal(value)


def strip_commas(amount_text: str) -> str:
    """An amount as cards show it, such as "1,000.00", in plain digits; any other text unchanged.

    Only groups of three before a point are read: "1,000" may be one or a thousand.

    >>> strip_commas("1,000.00")
    '1000.00'
    """
    return amount_text.replace(",", "") if _GROUPED.fullmatch(amount_text) else amount_text


def lower_currencies(value: JsonValue) -> JsonValue:
    """Copy a JSON value with the currency codes in it in lower case, as events have them."""
    if isinstance(value, list):
        return [lower_currencies(inner_value) for inner_value in value]
    if not isinstance(value, Mapping):
        return value
    lowered_fields = {}
    for field_name, field_value in value.items():
        is_currency = field_name in CURRENCY_FIELDS and isinstance(field_value, str)
        lowered_fields[field_name] = (
            field_value.lower() if is_currency else lower_currencies(field_value)
        )
    return lowered_fields
