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

DELIMITER = "delimiter"
"""The member of the `attrs` of a frame with the delimiter of its CSV file."""
Series: TypeAlias = Any
"""A column of a frame, of any type."""


def cell_texts(column: Series) -> pa.Array:
    """Return the cells as trimmed text; blank and missing are null."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if isinstance(column.dtype, pd.StringDtype) or is_arrow_text(column.dtype):
        column_texts = pa.array(column).cast(pa.string())
    else:
        column_texts = pa.array(_write_cells(column), pa.string())
    if isinstance(column_texts, pa.ChunkedArray):
        column_texts = column_texts.combine_chunks()
    trimmed_texts = pc.utf8_trim_whitespace(column_texts)
    blank_mask = pc.equal(trimmed_texts, "")
    return pc.if_else(blank_mask, pa.scalar(None, pa.string()), trimmed_texts)


def _write_cells(column: Series) -> list[str | None]:
    """Return the cells as texts; ExactnessError that names the column and the row of a float."""
    texts = []
    for row_number, cell_value in enumerate(column, 1):
        try:
            texts.append(cell_text(cell_value))
        except ExactnessError as error:
            raise ExactnessError(f"{column.name}, row {row_number}: {error}") from None
    return texts


def is_arrow_text(dtype: object) -> bool:
    """Return whether a pandas type is an Arrow type of text."""
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    arrow_type = dtype.pyarrow_dtype
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def cell_text(cell_value: Any) -> str | None:
    """Return a cell as text; ExactnessError for a float whose written digits are not known."""
    if isinstance(cell_value, str):
        return cell_value
    if pd.isna(cell_value):
        return None
    if isinstance(cell_value, float):
        return _write_float(cell_value)
    return format(cell_value, "f") if isinstance(cell_value, Decimal) else str(cell_value)


def _write_float(float_value: float) -> str:
    """Return the digits that a float was read from; ExactnessError if it has too many digits."""
    exact_number = Decimal(repr(float(float_value)))
    digits = exact_number.normalize().as_tuple().digits
    if not exact_number.is_finite() or len(digits) > FLOAT_DIGITS_MAX:
        raise ExactnessError(f"{float_value!r} is a float with too many digits: read it as text")
    # A whole number is written without the ".0" that the float adds.
    whole_number = exact_number.to_integral_value()
    is_whole = exact_number == whole_number
    return format(whole_number if is_whole else exact_number, "f")
