"""Read the cells of a column as texts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeAlias

from ..errors.base import ExactnessError
from ..errors.extras import extra_imports

with extra_imports():
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

FLOAT_DIGITS_MAX = 15  # with more, the text that a float was read from is not known

Series: TypeAlias = Any
"""A column of a frame, of any type."""


def cell_texts(column: Series) -> pa.Array:
    """Return the cells as trimmed text; blank and missing are null."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if isinstance(column.dtype, pd.StringDtype) or is_arrow_text(column.dtype):
        column_texts = pa.array(column).cast(pa.string())
    else:
        column_texts = pa.array([cell_text(value) for value in column], pa.string())
    if isinstance(column_texts, pa.ChunkedArray):
        column_texts = column_texts.combine_chunks()
    trimmed = pc.utf8_trim_whitespace(column_texts)
    return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)


def is_arrow_text(dtype: object) -> bool:
    """Return whether a pandas type is an Arrow type of text."""
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    arrow_type = dtype.pyarrow_dtype
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def cell_text(value: Any) -> str | None:
    """Return a cell as text; ExactnessError for a float whose written digits are not known."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return None
    if isinstance(value, float):
        return _float_text(value)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _float_text(value: float) -> str:
    """Return the digits that a float was read from; ExactnessError if it has too many digits."""
    number = Decimal(repr(float(value)))
    if not number.is_finite() or len(number.normalize().as_tuple().digits) > FLOAT_DIGITS_MAX:
        raise ExactnessError(f"{value!r} is a float with too many digits: read it as text")
    whole_number = number.to_integral_value()
    return format(whole_number if number == whole_number else number, "f")
