"""What is said where floats meet exact amounts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors.base import ExactnessError, PaylabError
from .pandas_callers import find_numpy_function

USE_DECIMAL = (
    'write a number in quotes, as Decimal("..."), or compute with floats: frame.paylab.floats()'
)
OBJECTS = (
    "pandas computes statistics and windows of amounts in a column of objects with floats: write "
    '.astype("decimal") first, which is exact, or .astype(float)'
)
MIXED = (
    "a column of objects has floats beside exact amounts: read the floats as text and write "
    '.astype("decimal"), or write .astype(float) for all'
)
QUANTILE = ".quantile(...) of a column of amounts, which is exact, or .astype(float)"
ROUND = ".round(...) of a column of amounts, which is exact, or .astype(float)"
_UNNAMED = re.compile("^amount(, row |: )")
"""The start of an error about numbers of a column without a name."""
WITH_OWN_FLOATS = {
    **dict.fromkeys(("percentile", "quantile", "nanpercentile", "nanquantile"), QUANTILE),
    **dict.fromkeys(("round", "around"), ROUND),
    "gradient": ".diff() of a column of amounts, which is exact, or .astype(float)",
    "trapezoid": ".astype(float)",
}
"""What to write for functions of numpy that compute with floats that nobody gave them."""


class WindowError(PaylabError):
    """`rolling`, `expanding` or `ewm` of exact amounts.

    Pandas would compute them with floats.
    """


class ObjectColumnError(PaylabError):
    """A mean or window of a column of objects.

    Pandas would compute it with floats.
    """

    words = OBJECTS

    def __init__(self, _message: str = "") -> None:
        # pandas raises an error of a group again with a message of its own
        super().__init__(self.words)


def write_float_error(number: float | np.floating[Any]) -> ExactnessError:
    """The error about a float, with the line to write in its place."""
    decimal_text = f'write Decimal("{number}")'
    message = f"{number} is a float, which is not exact: {decimal_text}"
    return ExactnessError(f"{message}, or compute with floats: frame.paylab.floats()")


def make_float_error(number: float) -> PaylabError:
    """The error about a float with which an element would compute.

    numpy has floats of its own in functions such as `np.round`, which the error then names.
    """
    function_name, is_of_pandas = find_numpy_function()
    if function_name and is_of_pandas:
        return ObjectColumnError()
    instead_text = WITH_OWN_FLOATS.get(function_name)
    if instead_text is None:
        return write_float_error(number)
    return ExactnessError(f"np.{function_name} computes with floats: write {instead_text}")


def require_objects(function: Any) -> None:
    """TypeError for a function that numpy does not have for objects, such as `np.modf`."""
    if not any("O" in types for types in function.types):
        message = (
            f"np.{function.__name__} has no exact result: write .astype(float), or float(amount)"
        )
        if function is np.isfinite:  # which pandas calls
            message += "; bins of pandas.cut must be whole numbers or floats"
        raise TypeError(message)


def name_error(error: ExactnessError, column_name: object) -> ExactnessError:
    """The error with the name of the column in front, unless it has it already."""
    error_text = str(error)
    name_text = "" if column_name is None else str(column_name)
    if not name_text or error_text.startswith((f"{name_text}: ", f"{name_text}, ")):
        return error
    named_text = _UNNAMED.sub(lambda match: name_text + match[1], error_text)
    return ExactnessError(f"{name_text}: {error_text}" if named_text == error_text else named_text)


class MixedColumnError(ObjectColumnError):
    """The largest value, or the order, of a column of objects with floats beside exact amounts."""

    words = MIXED
