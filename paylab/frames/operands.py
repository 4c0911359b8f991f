"""The values that are computed or compared with exact decimals, as Arrow decimals.

They are decimals, integers or the text of numbers. A comparison with a float uses its printed
digits, so that `amount == 1437.92` finds the amount, and warns; arithmetic with a float raises
ExactnessError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_list_like, is_object_dtype, is_string_dtype

from ..errors.base import ExactnessError
from . import decimals
from .float_errors import USE_DECIMAL, write_float_error

INTERPOLATED = (
    "interpolation computes with floats: write amounts.ffill(), which is exact, or "
    "amounts.astype(float).interpolate()"
)


def exact_decimals(values: Any) -> pa.Array:
    """Anything list-like as Arrow decimals; ExactnessError for floats and other text.

    TypeError for values without the order of rows.
    """
    _require_order(values)
    arrow_values = _convert_to_arrow(values)
    if arrow_values is None:
        return decimals.from_numbers(map(_read_exact_number, values)).combine_chunks()
    if pa.types.is_decimal128(arrow_values.type):
        return arrow_values
    if pa.types.is_decimal(arrow_values.type):
        return decimals.fit_width(arrow_values)
    if pa.types.is_integer(arrow_values.type):
        return decimals.fit_width(arrow_values.cast(pa.decimal128(20, 0)))  # any integer of 64 bits
    if pa.types.is_null(arrow_values.type) or arrow_values.null_count == len(arrow_values):
        return pa.nulls(len(arrow_values), pa.decimal128(18, 2))  # the narrowest type of a column
    if pa.types.is_string(arrow_values.type) or pa.types.is_large_string(arrow_values.type):
        texts = pa.chunked_array([arrow_values.cast(pa.string())])
        return decimals.read_decimals(texts, "amount").combine_chunks()
    raise ExactnessError(_describe_inexact(arrow_values))


def has_amount_categories(dtype: Any) -> bool:
    """Whether a type is one of categories that are exact amounts, or objects such as Decimals."""
    if not isinstance(dtype, pd.CategoricalDtype):
        return False
    categories_type = dtype.categories.dtype
    return str(categories_type) == "decimal" or bool(is_object_dtype(categories_type))


def refuse_floats(values: Any) -> None:
    """ExactnessError if a number, a column or a frame has a float; NaN is a missing value."""
    for value in np.asarray(values, dtype=object).flat:
        if isinstance(value, float | np.floating) and not is_missing_value(value):
            raise write_float_error(value)


def refuse_blanks(values: Any) -> None:
    """ExactnessError for blank text, which is a missing amount only where text is converted."""
    dtype = getattr(values, "dtype", "object")
    has_objects_or_texts = is_object_dtype(dtype) or is_string_dtype(dtype)
    if has_objects_or_texts and any(
        isinstance(value, str) and not value.strip() for value in values
    ):
        raise ExactnessError(
            "blank text is no amount: write None for a missing one; for a table of text, write "
            '.astype("string") first'
        )


def read_operand(operand: object, row_count: int) -> pa.Array:
    """The other operand of arithmetic as decimals: a column, or one number for all rows.

    TypeError for one that is no number; ValueError for a column of another length.
    """
    if is_list_like(operand):
        return _require_length(exact_decimals(operand), row_count)
    is_number_like = read_number(operand) is not None or is_missing_value(operand)
    if isinstance(operand, str) or not is_number_like:  # also the text of a number
        hint_text = ""
        if read_number(operand) is not None:
            hint_text = ': write Decimal("...") for text of a number'
        raise TypeError(
            f"amounts do not compute with {operand!r:.{decimals.SHOWN_LENGTH}}{hint_text}"
        )
    if isinstance(operand, float | np.floating) and np.isfinite(operand) and operand % 1:
        raise write_float_error(operand)  # whole floats have an error of their own
    return pa.repeat(exact_decimals([operand])[0], row_count)


def read_other_operand(operand: Any, row_count: int) -> pa.Array:
    """The other operand of a comparison, as an array of exact numbers.

    Values that are not numbers are missing. ValueError for a column of another length; TypeError
    for values without the order of rows.
    """
    if not is_list_like(operand):  # one number, for all rows
        [exact_number] = decimals.from_numbers([read_number(operand)])
        return pa.repeat(exact_number, row_count)
    _require_order(operand)
    arrow_values = _convert_to_arrow(operand)
    if arrow_values is not None and not pa.types.is_floating(arrow_values.type):
        return _require_length(exact_decimals(arrow_values), row_count)
    # One by one: 0.1 is 0.1, not its binary value, and other objects are missing.
    values = operand if arrow_values is None else arrow_values.to_numpy(zero_copy_only=False)
    numbers = decimals.from_numbers(map(read_number, values))
    return _require_length(numbers.combine_chunks(), row_count)


def read_number(value: Any) -> Decimal | None:
    """A number with its printed digits; None for anything else and for infinite values."""
    if isinstance(value, str):
        number_text = value.strip()
        return Decimal(number_text) if decimals.NUMBER.fullmatch(number_text) else None
    if isinstance(value, bool | np.bool_) or is_missing_value(value):
        return None
    if isinstance(value, float | np.floating):
        exact_number = Decimal(str(value))  # of a float of 32 bits, too
    elif isinstance(value, int | np.integer):
        exact_number = Decimal(int(value))
    elif isinstance(value, Decimal):
        exact_number = value
    else:
        return None
    return exact_number if exact_number.is_finite() else None


def read_compared(values: Any) -> Any:
    """A number that is compared, or a list of them, as Decimals; TypeError for what is none."""
    if not is_list_like(values):
        require_number(values)
        return read_number(values)
    number_array = np.empty(len(values), dtype=object)
    number_array[:] = [read_compared(value) for value in values]
    return number_array


def require_number(operand: Any) -> None:
    """TypeError for an operand of `<` or `>` that is no number and no missing value."""
    if read_number(operand) is None and not pd.isna(operand):
        raise TypeError(f"amounts do not compare with {operand!r:.{decimals.SHOWN_LENGTH}}")


def is_missing_value(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or NA."""
    if isinstance(value, Decimal):
        return value.is_nan()  # pandas compares it, which a signaling NaN does not allow
    return not is_list_like(value) and bool(pd.isna(value))


def _require_order(values: object) -> None:
    """TypeError for a dict, of which Arrow would take the keys, and for a set."""
    if isinstance(values, Mapping):
        raise TypeError(
            "amounts do not compute with a dict, whose keys are in no order of rows: write "
            "pd.Series(values), which is matched by label"
        )
    if isinstance(values, set | frozenset):
        raise TypeError(
            "amounts do not compute with a set, which has no order of rows: write a list, or "
            "amounts.isin(values)"
        )


def _describe_inexact(array: pa.Array) -> str:
    """Why values are not exact, and what to write instead."""
    if pa.types.is_float16(array.type):
        array = array.cast(pa.float64())  # Arrow does not round the others
    values_name = "floats" if pa.types.is_floating(array.type) else f"{array.type} values"
    if pa.types.is_boolean(array.type):
        return "true and false are no amounts: write amounts.where(mask, 0) for amounts * mask"
    if pa.types.is_floating(array.type) and pc.any(pc.is_inf(array)).as_py():
        return (
            "a column of exact amounts has no infinite value, which clip() of pandas puts for a "
            "missing limit: fill the limits, or clip one column of a frame of paylab"
        )
    if pa.types.is_floating(array.type) and pc.all(pc.equal(array, pc.round(array))).as_py():
        return (
            "floats are not exact, also if they are whole: write 0 for 0.0, and "
            '.astype("Int64") for whole numbers, which pandas makes floats where a row is missing'
        )
    return f"{values_name} are not exact: {USE_DECIMAL}"


def _convert_to_arrow(values: object) -> pa.Array | None:
    """The values as an Arrow array; None if no type of Arrow holds them all."""
    try:
        arrow_array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    if isinstance(arrow_array, pa.ChunkedArray):
        arrow_array = arrow_array.combine_chunks()
    if pa.types.is_dictionary(arrow_array.type):
        arrow_array = arrow_array.dictionary_decode()
    # Arrow gives 1E+3 a negative scale, in which it cannot compute.
    has_negative_scale = pa.types.is_decimal(arrow_array.type) and arrow_array.type.scale < 0
    return None if has_negative_scale else arrow_array


def _read_exact_number(value: object) -> Decimal | None:
    """A number; None for a missing value, ExactnessError for a float or anything else."""
    refuse_floats([value])
    exact_number = read_number(value)
    if exact_number is None and not is_missing_value(value):
        raise ExactnessError(f"{value!r:.{decimals.SHOWN_LENGTH}} is not a number")
    return exact_number


def _require_length(values: Sequence[object], row_count: int) -> pa.Array:
    """The values unchanged; ValueError unless there is one for each row."""
    if len(values) != row_count:
        raise ValueError(f"{len(values)} values beside a column of {row_count}")
    return values
