"""Values that get into columns: never a float among exact amounts, and errors name the column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_object_dtype

from ..errors.base import ExactnessError
from .decimal_dtype import DecimalDtype
from .decimal_objects import (
    convert_decimals,
    has_decimals,
    make_exact,
    widen_compared,
    widen_integers,
)
from .entered_currencies import note_entered_currencies
from .float_errors import USE_DECIMAL, name_error
from .frame_ufuncs import wrap_ufunc
from .lost_decimals import (
    has_any_decimal,
    list_column_names,
    refuse_lost_decimals,
    widen_empty_columns,
)
from .wrapped_methods import Method, wrap_indexers, wrap_methods

C = TypeVar("C", bound="type[Any]")
_REINDEXING = "_reindex_with_indexers"
"""The method of pandas behind `reindex`, and behind the `shift` of groups."""
_FILLING = (
    *("where", "mask", "fillna", "ffill", "bfill", "replace", "shift", "unstack"),
    _REINDEXING,
)
_IN_PLACE = ("__setitem__", "update")
_METHODS_OF_COLUMNS = (
    *_FILLING,
    "astype",
    "clip",
    "case_when",
    "combine",
    "combine_first",
    *_IN_PLACE,
)
_ALIGNED = ("where", "mask", "fillna", "update")
"""Methods whose values pandas aligns: whole numbers become floats if a row has none."""
_WITH_VALUES = {
    *("where", "mask", "fillna", "replace", "shift", "unstack", _REINDEXING),
    *("clip", "case_when", "combine", "combine_first"),
}
"""Methods by which a Decimal may get into a column of whole numbers."""


def with_named_entries(class_: C) -> C:
    """Give a class of columns or frames errors that name the column which a float would enter.

    They are set here, because in the class they would hide unknown names from mypy.
    """
    untyped_class: Any = class_
    wrap_methods(untyped_class, ("__array_ufunc__",), wrap_ufunc)
    wrap_methods(untyped_class, ("__finalize__",), _wrap_finalize)
    wrap_methods(untyped_class, ("isin",), _wrap_isin)
    wrap_indexers(untyped_class, lambda class_: {"__setitem__": _wrap_set_item(class_.__setitem__)})
    if issubclass(class_, pd.Series):
        wrap_methods(untyped_class, _METHODS_OF_COLUMNS, _wrap_column_method)
    else:
        wrap_methods(untyped_class, (*_FILLING, "combine_first"), _wrap_frame_method)
        wrap_methods(untyped_class, ("__setitem__", "insert"), _wrap_set_column)
    return class_


def refuse_mixture(values: Any) -> None:
    """ExactnessError for floats beside exact amounts, in a column or array of objects."""
    if not is_object_dtype(values.dtype) or values.ndim != 1:
        return
    floats = [object_value for object_value in values if _is_finite_float(object_value)]
    if floats and any(isinstance(object_value, Decimal) for object_value in values):
        raise ExactnessError(f"{floats[0]!r} is a float beside exact amounts: {USE_DECIMAL}")


def fill_limits(amounts: pd.Series[Any], limits: Any) -> Any:
    """Limits for `clip`: in a column, a missing limit becomes the row's own amount.

    Nothing is limited then; pandas would fill in infinite floats. A single limit is returned as it
    is.
    """
    is_exact = isinstance(amounts.dtype, DecimalDtype)
    if not is_exact or not isinstance(limits, pd.Series) or not limits.isna().any():
        return limits
    exact_limits = pd.Series(limits).astype(DecimalDtype()).reindex(amounts.index)
    return exact_limits.fillna(amounts).fillna(0)  # a missing amount has no limit: 0 is as good


def _wrap_isin(method: Method) -> Method:
    """The `isin` of a column or frame: numbers are looked up among Decimals exactly."""

    @wraps(method)
    def call(owner: Any, values: Any) -> Any:
        return method(widen_compared(owner, values), values)

    return call


def _wrap_finalize(finalize: Method) -> Method:
    """The method by which pandas ends a `concat` and a function of groups, such as `apply`.

    Columns of Decimals are exact in the result.
    """

    @wraps(finalize)
    def call(owner: Any, other: Any, method: str | None = None, **options: Any) -> Any:
        result = finalize(owner, other, method=method, **options)
        if method not in ("concat", "groupby"):
            return result
        exact_result = make_exact(result)
        if isinstance(exact_result, pd.DataFrame) and method == "concat":
            names = _list_texts(exact_result.columns)
            amount_names = [name for name in names if not name.endswith("currency")]
            note_entered_currencies(exact_result, amount_names)
        return exact_result

    return call


def _wrap_column_method(method: Method) -> Method:
    """A method of a column; its ExactnessError names the column."""

    @wraps(method)
    def call(column: pd.Series[Any], *args: object, **options: object) -> object:
        """Call the method on the column, widened if a Decimal may enter whole numbers."""
        had_objects = is_object_dtype(column.dtype)
        if method.__name__ in _WITH_VALUES:
            column = _widen(column, _list_values(method, args, options))
        if method.__name__ in _ALIGNED and isinstance(column.dtype, DecimalDtype):
            args = tuple(_widen_column(value) for value in args)
            options = {name: _widen_column(value) for name, value in options.items()}
        try:
            if method.__name__ in _IN_PLACE:
                refuse_lost_decimals(column, args[-1])
            result = method(column, *args, **options)
            if isinstance(result, pd.Series) and not had_objects:
                refuse_mixture(result)
        except ExactnessError as error:
            raise name_error(error, column.name) from None
        return result

    return call


def _widen_column(value: Any) -> Any:
    """A column of whole numbers as amounts; anything else unchanged."""
    is_whole = isinstance(value, pd.Series) and is_integer_dtype(value.dtype)
    return value.astype(DecimalDtype()) if is_whole else value


def _list_values(method: Method, args: Any, options: Mapping[str, object]) -> list[Any]:
    """The arguments of a method by which values may get into a column."""
    if method.__name__ == _REINDEXING:  # the others are labels
        return [options.get("fill_value")]
    return [args, [*options.values()]]


def _widen(owner: Any, arguments: Any) -> Any:
    """A column or frame of whole numbers as amounts if a Decimal is among nested arguments."""
    for argument in arguments:
        if isinstance(argument, list | tuple) and not has_decimals(argument):
            owner = _widen(owner, argument)
        else:
            owner = widen_integers(owner, argument)
    return owner


def _wrap_frame_method(method: Method) -> Method:
    """A method of a frame; ExactnessError if it makes a column of exact amounts and floats."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Call the method on the frame, and check the columns that became objects."""
        object_column_names = {
            column_name for column_name, dtype in frame.dtypes.items() if is_object_dtype(dtype)
        }
        if method.__name__ in _WITH_VALUES:
            frame = _widen(frame, _list_values(method, args, options))
        try:
            result = method(frame, *args, **options)
        except ExactnessError as error:
            raise name_error(error, _name_only_column(frame)) from None
        if method.__name__ == "combine_first":
            result = make_exact(result)
        if isinstance(result, pd.DataFrame):
            for position, (column_name, dtype) in enumerate(result.dtypes.items()):
                if is_object_dtype(dtype) and column_name not in object_column_names:
                    _refuse_mixed_column(result.iloc[:, position])
        return result

    return call


def _refuse_mixed_column(column: pd.Series[Any]) -> None:
    """ExactnessError, with the name of the column, for floats beside exact amounts."""
    try:
        refuse_mixture(column)
    except ExactnessError as error:
        raise name_error(error, column.name) from None


def _wrap_set_item(set_item: Method) -> Method:
    """The `__setitem__` of an indexer such as `loc`; its ExactnessError names the column.

    A column of Decimals that it adds to a frame is made exact.
    """

    @wraps(set_item)
    def call(indexer: Any, key: Any, value: object) -> None:
        """Set the value, and name the column in an error."""
        owner = indexer.obj  # a frame or a column
        old_column_names = set(owner.columns) if isinstance(owner, pd.DataFrame) else set()
        cells = _select_columns(indexer, key)
        if has_any_decimal(value):
            widen_empty_columns(owner, cells)
            refuse_lost_decimals(_select_columns(indexer, key), value)
        try:
            set_item(indexer, key, value)
            if old_column_names:
                new_column_names = set(owner.columns) - old_column_names
                for new_column_name in new_column_names:
                    owner[new_column_name] = convert_decimals(owner[new_column_name])
                entered_names = _list_texts([*list_column_names(cells), *new_column_names])
                note_entered_currencies(owner, entered_names)
        except (ExactnessError, TypeError) as error:
            # For a whole column, pandas raises a TypeError of its own.
            exactness_error = error if isinstance(error, ExactnessError) else error.__cause__
            if not isinstance(exactness_error, ExactnessError):
                raise
            raise name_error(exactness_error, _find_entered_column(indexer, key, value)) from None

    return call


def _select_columns(indexer: Any, key: Any) -> Any:
    """The columns that the second part of `frame.loc[rows, columns]` selects, without rows.

    A frame, or a column if the key names one. All columns if the key names none, and none if it
    names a new one.
    """
    empty_frame = indexer.obj[:0]
    if (
        isinstance(empty_frame, pd.Series)
        or not isinstance(key, tuple)
        or len(key) != empty_frame.ndim
    ):
        return empty_frame
    try:
        takes_positions = indexer.name in ("iloc", "iat")
        return (empty_frame.iloc if takes_positions else empty_frame.loc)[:, key[1]]
    except KeyError:  # a new column
        return empty_frame.iloc[:, :0]


def _find_entered_column(indexer: Any, key: Any, value: object) -> object:
    """The name of the exact column that a value would enter; None if several could be meant."""
    entered_columns = _select_columns(indexer, key)
    if isinstance(entered_columns, pd.Series):
        return entered_columns.name
    return _name_only_column(_choose_floats(entered_columns, value))


def _choose_floats(rows: pd.DataFrame, row: Any) -> pd.DataFrame:
    """The columns that get a float from the values of a new row; all for another value."""
    row_values = [*row.values()] if isinstance(row, dict) else row
    if not isinstance(row_values, list | tuple) or len(row_values) != rows.shape[1]:
        return rows
    return rows.loc[:, [_is_finite_float(value) for value in row_values]]


def _name_only_column(frame: pd.DataFrame) -> object:
    """The name of the exact column if a frame has one only."""
    exact_names = [
        column_name
        for column_name, dtype in frame.dtypes.items()
        if isinstance(dtype, DecimalDtype)
    ]
    return exact_names[0] if len(exact_names) == 1 else None


def _wrap_set_column(method: Method) -> Method:
    """A method of a frame that sets a column; its ExactnessError names the column."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Set the column, and name it in an error."""
        text_arguments = _list_texts(args)
        if args and _selects_cells(args[0]):  # as `frame[frame > 5] = value`
            refuse_lost_decimals(frame[:0], args[-1])
        try:
            result = method(frame, *args, **options)
        except ExactnessError as error:
            raise name_error(error, text_arguments[0] if text_arguments else None) from None
        names = args[0] if isinstance(args[0], list) else text_arguments[:1]
        note_entered_currencies(frame, _list_texts(names))
        return result

    return call


def _selects_cells(key: Any) -> bool:
    """Whether a key selects rows or cells: a slice, or a mask of one or all columns."""
    return isinstance(key, slice | pd.DataFrame) or is_bool_dtype(getattr(key, "dtype", object))


def _list_texts(values: Iterable[object]) -> list[str]:
    """The texts among values."""
    return [value for value in values if isinstance(value, str)]


def _is_finite_float(value: object) -> bool:
    """Whether a value is a float of Python or numpy that is neither missing nor infinite."""
    return isinstance(value, float | np.floating) and math.isfinite(value)
