"""Decimals that are set into numbers, which would cut, round or refuse them: an error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype, is_integer_dtype, is_list_like, is_object_dtype

from ..errors.base import ExactnessError
from .decimal_dtype import DecimalDtype
from .decimal_objects import has_decimals
from .float_errors import name_error


def has_any_decimal(value: Any) -> bool:
    """Whether a value is a Decimal, or has one among values of any kind."""
    if isinstance(value, dict):
        value = [*value.values()]
    has_objects = is_object_dtype(getattr(value, "dtype", object))
    if isinstance(value, list | tuple | np.ndarray | pd.Series) and has_objects:
        return any(isinstance(cell, Decimal) for cell in np.array(value, dtype=object).flat)
    return has_decimals(value)


def refuse_lost_decimals(cells: Any, value: Any) -> None:
    """ExactnessError for a Decimal that is set into numbers: integers of Arrow cut it.

    Floats of Arrow round it, and other numbers refuse it. A row of values, of which each is for a
    column, is checked by column.
    """
    if isinstance(cells, pd.DataFrame):
        for column_name, cell_value in _list_cell_values(cells, value):
            refuse_lost_decimals(cells[column_name], cell_value)
        return
    if not isinstance(cells, pd.Series) or not has_any_decimal(value):
        return
    if is_float_dtype(cells.dtype):
        problem_text = (
            "amounts do not get into a column of floats: write them into a new column, or as "
            "floats, with .astype(float)"
        )
        raise name_error(ExactnessError(problem_text), cells.name)
    if is_integer_dtype(cells.dtype):
        numbers = value if is_list_like(value) else [value]
        # Only Arrow's integers take a Decimal that is whole.
        is_refused = not isinstance(cells.dtype, pd.ArrowDtype) or _has_decimals(numbers)
        if is_refused:
            conversion_code = f'frame["{cells.name}"].astype("decimal")'
            problem_text = (
                f"a column of whole numbers has no decimals: write {conversion_code} first"
            )
            raise name_error(ExactnessError(problem_text), cells.name)


def _has_decimals(numbers: Any) -> bool:
    """Whether a number has digits after its point."""
    return any(isinstance(number, Decimal) and number % 1 for number in numbers)


def _list_cell_values(cells: pd.DataFrame, value: Any) -> list[tuple[Any, Any]]:
    """The names of the columns that a value is set into, each with what it gets of the value."""
    names = [*cells.columns] if cells.columns.is_unique else []
    if isinstance(value, dict | pd.DataFrame):
        return [(column_name, value[column_name]) for column_name in names if column_name in value]
    if isinstance(value, pd.Series) and cells.columns.isin(value.index).all():
        return [(column_name, value[column_name]) for column_name in names]  # a row
    if isinstance(value, list | tuple | np.ndarray):
        object_array = np.array(value, dtype=object)
        if object_array.shape[-1] == len(names):  # a row, or rows
            return [*zip(names, np.atleast_2d(object_array).T, strict=True)]
    return [(column_name, value) for column_name in names]


def widen_empty_columns(owner: Any, cells: Any) -> None:
    """Make the columns of a frame exact that get a Decimal, if they have no value yet."""
    if not isinstance(owner, pd.DataFrame):
        return
    for column_name in list_column_names(cells) if owner.columns.is_unique else []:
        dtype = owner[column_name].dtype
        if (is_object_dtype(dtype) or is_float_dtype(dtype)) and owner[column_name].isna().all():
            owner[column_name] = owner[column_name].astype(DecimalDtype())


def list_column_names(cells: Any) -> list[object]:
    """The name of a column, or the names of the columns of a frame."""
    return [cells.name] if isinstance(cells, pd.Series) else [*cells.columns]
