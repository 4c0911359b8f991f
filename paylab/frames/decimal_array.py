"""The pandas type of amounts, rates and fees: exact decimals that compute, sort and group.

pandas' own Arrow decimals refuse sums, overflow without an error and lose decimals in a mean. Here
the kind of a result never depends on the values: sums, products, orders and quantiles are exact or
an ExactnessError; quotients and means without end have 28 digits, or fewer decimals if values of
other sizes leave no room in the 38 digits of the column, and quotients by 0 are missing; `std`,
`corr`, `describe`, `np.log` and the bins of `cut` are floats; floats and windows of pandas are
refused. Running sums are slower past 18 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partialmethod
from itertools import filterfalse
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.extensions import ExtensionArray, no_default
from pandas.api.indexers import check_array_indexer
from pandas.api.types import is_list_like, is_object_dtype, pandas_dtype

from ..errors.base import ExactnessError
from . import (
    arithmetic,
    array_types,
    currency_rows,
    decimals,
    grouping,
    operands,
    pandas_callers,
    reductions,
)
from .array_types import Array, make_numpy_array
from .column_quantiles import compute_quantiles, find_quantiles
from .comparisons import compare_column, find_members
from .currency_rows import CurrencyRows
from .decimal_dtype import DecimalDtype
from .exact_decimal import ARRAY_PRIORITY, make_element
from .float_errors import WindowError
from .numpy_functions import call_numpy
from .numpy_methods import with_numpy_methods
from .operand_currencies import find_added_currencies, find_multiplied_currencies
from .ufuncs import compute, refuse_numpy_options
from .window_calls import describe_window_call

ADDITIONS = (arithmetic.OPERATORS["add"], arithmetic.OPERATORS["sub"])


@with_numpy_methods
class DecimalArray(ExtensionArray):
    """A column of exact decimals over one Arrow array."""

    __array_priority__ = 1000
    __pandas_priority__ = ARRAY_PRIORITY  # pandas' Arrow columns let it compute with them

    def __init__(
        self, values: pa.Array | pa.ChunkedArray, currencies: CurrencyRows | None = None
    ) -> None:
        """Take Arrow decimals, and the currency of each; TypeError for another Arrow type."""
        array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        if not pa.types.is_decimal(array.type):
            raise TypeError(f"DecimalArray takes Arrow decimals, not {array.type}")
        # Decimals of 256 bits become those of 128, or ExactnessError.
        self._values = array if pa.types.is_decimal128(array.type) else decimals.fit_width(array)
        self.currencies = currencies
        """The currency of each row, if it is known: sums over several currencies warn."""

    @classmethod
    def _from_sequence(cls, scalars: Any, **_: object) -> DecimalArray:
        """Anything list-like as amounts; elements of columns keep their currencies."""
        column = getattr(scalars, "array", scalars)
        if isinstance(column, DecimalArray):
            return column
        if operands.has_amount_categories(getattr(column, "dtype", None)):
            used_column: Any = column.remove_unused_categories()
            amounts = cls._from_sequence(used_column.categories)
            return amounts.take(used_column.codes, allow_fill=True)
        has_objects = isinstance(scalars, list | tuple) or is_object_dtype(scalars)
        currencies = CurrencyRows.of_elements(scalars) if has_objects else None
        return cls(operands.exact_decimals(scalars), currencies)

    _from_sequence_of_strings = _from_sequence

    @classmethod
    def _from_scalars(cls, scalars: Any, *, dtype: object) -> DecimalArray:
        """Only decimals: text and integers that a function returned keep their type."""
        scalar_list = list(scalars)
        present_scalars = filterfalse(operands.is_missing_value, scalar_list)
        decimal_flags = [isinstance(scalar, Decimal) for scalar in present_scalars]
        if not decimal_flags or not all(decimal_flags):
            raise ValueError("these are not decimals")
        return cls._from_sequence(scalar_list)

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[DecimalArray]) -> DecimalArray:
        """The hook of pandas for `concat`: the rows of all columns as one."""
        joined_values = decimals.join([pa.chunked_array([column._values]) for column in to_concat])
        all_currencies = [column.currencies for column in to_concat]
        row_counts = [*map(len, to_concat)]
        return cls(joined_values, currency_rows.join_currencies(all_currencies, row_counts))

    @property
    def dtype(self) -> DecimalDtype:
        """The type of all exact columns."""
        return DecimalDtype()

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return int(self._values.nbytes)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(array_types.list_elements(self._values, self.currencies))

    def __getitem__(self, item: Any) -> Any:
        """The amount at a position; a column for a slice, a mask or a list of positions."""
        if isinstance(item, tuple):  # pandas also writes [..., 3]
            item = next((index for index in item if index is not Ellipsis), slice(None))
        if isinstance(item, int | np.integer):
            number = self._values[int(item)].as_py()
            if number is None or not self.currencies:
                return pd.NA if number is None else make_element(number)
            return make_element(number, self.currencies.find_name(int(item)))
        if isinstance(item, slice) and item.step in (None, 1):
            start, stop, _ = item.indices(len(self))
            stop = max(start, stop)  # like a list: empty if the end is before the start
            currencies = self.currencies and self.currencies.take(slice(start, stop))
            return DecimalArray(self._values.slice(start, stop - start), currencies)
        indexer = item if isinstance(item, slice) else check_array_indexer(self, item)
        return self.take(np.arange(len(self))[indexer])

    def __setitem__(self, key: Any, value: object) -> None:
        if value is self and isinstance(key, slice) and key == slice(None):
            return  # pandas stores a column again after it has set a cell of it
        is_many = is_list_like(value)
        operands.refuse_blanks(value if is_many else [value])
        new_column = self._from_sequence(value if is_many else [value])
        positions = np.arange(len(self))
        indexer = check_array_indexer(self, key) if is_list_like(key) else key
        positions[indexer] = len(self) + (np.arange(len(new_column)) if is_many else 0)
        old_column = self if new_column.currencies else DecimalArray(self._values)
        all_amounts = self._concat_same_type([old_column, new_column])
        self._values = all_amounts._values.take(pa.array(positions))
        if all_amounts.currencies:  # an amount of another column has its own currency here too
            self.currencies = all_amounts.currencies.take(positions)

    def __arrow_array__(self, type: pa.DataType | None = None) -> pa.Array:  # noqa: A002 - Arrow's
        return self._values if type is None else array_types.enter_arrow_column(self._values, type)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Array:
        """The decimals as objects; for `nlargest` of pandas, their ranks as integers."""
        if dtype is None and pandas_callers.is_ranking():
            return self._values_for_argsort()
        return make_numpy_array(self._values, dtype, currencies=self.currencies)

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: Any = no_default) -> Array:
        """The values as an array of decimals, or of the given type.

        WindowError if `rolling` of pandas requests floats.
        """
        if dtype is not None and np.dtype(dtype).kind == "f" and pandas_callers.is_window():
            raise WindowError(describe_window_call())
        missing = pd.NA if na_value is no_default else na_value
        return make_numpy_array(self._values, dtype, missing, self.currencies)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: object, **options: object) -> Any:
        """Exact results; floats for functions such as `np.log`, which have no exact value."""
        if any(isinstance(operand, pd.Series | pd.Index | pd.DataFrame) for operand in inputs):
            return NotImplemented  # pandas calls numpy again with the arrays of its columns
        refuse_numpy_options(options)
        if method == "__call__" and not options:
            result = compute(ufunc, self, inputs)
            if isinstance(result, pa.Array):
                return self._replace_values(result)
            if result is not None:
                return result
        return super().__array_ufunc__(ufunc, method, *inputs, **options)

    def __array_function__(self, function: object, types: object, args: Any, options: Any) -> Any:
        return call_numpy(function, args, options)

    def _replace_values(self, new_values: pa.Array) -> DecimalArray:
        """Other values for the same rows. The rows keep their currencies."""
        return DecimalArray(new_values, self.currencies)

    def isna(self) -> Array:
        """A mask of the missing values."""
        return np.asarray(self._values.is_null())

    def take(
        self, indices: object, *, allow_fill: bool = False, fill_value: object = None
    ) -> DecimalArray:
        """The values at some positions, None for all; with `allow_fill`, -1 means `fill_value`."""
        positions = np.asarray(range(len(self)) if indices is None else indices, dtype=np.int64)
        if not allow_fill:
            positions = np.where(positions < 0, positions + len(self), positions)
            currencies = self.currencies and self.currencies.take(positions)
            return DecimalArray(self._values.take(pa.array(positions)), currencies)
        if (positions < -1).any():
            raise ValueError("with allow_fill, positions must be -1 or more")
        if not operands.is_missing_value(fill_value):
            with_fill = self._concat_same_type([self, self._from_sequence([fill_value])])
            return with_fill.take(np.where(positions == -1, len(self), positions))
        currencies = self.currencies and self.currencies.take(positions, positions == -1)
        taken_values = self._values.take(pa.array(positions, mask=positions == -1))
        return DecimalArray(taken_values, currencies)

    def copy(self) -> DecimalArray:
        """A copy of the array."""
        return self._replace_values(self._values)

    def astype(self, dtype: object, copy: bool = True) -> Any:
        """The values in another type; to integers and Arrow types only without loss."""
        target_type: Any = pandas_dtype(dtype)
        if isinstance(target_type, DecimalDtype):
            return self.copy() if copy else self
        converted_amounts = array_types.convert_amounts(self._values, target_type)
        return super().astype(target_type, copy) if converted_amounts is None else converted_amounts

    def _formatter(self, boxed: bool = False) -> Callable[[Any], str]:
        """The hook of pandas for the text of each value that it shows."""
        return lambda value: format(value, "f") if isinstance(value, Decimal) else str(value)

    def _values_for_json(self) -> Array:
        """The hook of pandas for `to_json`: amounts are text."""
        return np.array(array_types.write_texts(self._values).to_pylist(), dtype=object)

    def _values_for_argsort(self) -> Array:
        """The hook of pandas for sorting: the rank of each amount."""
        return np.asarray(pc.rank(self._values, tiebreaker="dense")).astype(np.int64)

    def searchsorted(self, value: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Where values keep the order; they are compared, so text and floats are numbers."""
        return super().searchsorted(operands.read_compared(value), side, sorter)

    def factorize(self, use_na_sentinel: bool = True) -> tuple[Array, DecimalArray]:
        """The code of each value, and the distinct values in order of appearance."""
        encoded_amounts = self._values.dictionary_encode("mask" if use_na_sentinel else "encode")
        codes = np.asarray(encoded_amounts.indices.fill_null(-1)).astype(np.intp)
        unique_amounts = encoded_amounts.dictionary
        currencies = self.currencies and self.currencies.of_groups(codes, len(unique_amounts))
        return codes, DecimalArray(unique_amounts, currencies)

    def unique(self) -> DecimalArray:
        """The distinct values in order of appearance."""
        return self.factorize(use_na_sentinel=False)[1]

    def isin(self, values: Any) -> Array:
        """A mask of values that are among decimals, integers or texts of numbers."""
        return find_members(self._values, values)

    def _reduce(self, name: str, *, skipna: bool = True, **options: Any) -> Any:
        """The hook of pandas for `sum`, `max` and so on."""
        return reductions.reduce_column(self, name, skipna=skipna, **options)

    def _warn_of_currencies(self, ids: object = None) -> None:
        """Warn of a sum over several currencies; `ids` has the group of each row."""
        if self.currencies:
            self.currencies.warn_of_sums(self._values, None if ids is None else np.asarray(ids))

    def _accumulate(self, name: str, *, skipna: bool = True, **_: object) -> DecimalArray:
        """The hook of pandas for `cumsum`, `cummax` and so on."""
        if name in reductions.ADDED:
            self._warn_of_currencies()
        return DecimalArray(*reductions.run_column(self, name, skipna=skipna))

    def _quantile(self, qs: Any, interpolation: str) -> DecimalArray:
        """The hook of pandas for `quantile`: one amount for each of the shares `qs`."""
        self._warn_of_currencies()
        currencies = self.currencies and self.currencies.of_results(self._values, len(qs))
        amounts = compute_quantiles(self._values, qs, interpolation)
        return DecimalArray(amounts, currencies)

    def _groupby_quantile(
        self, *, qs: object, interpolation: str, starts: Any, ends: Any, **_: object
    ) -> Any:
        """The quantiles of each group, whose rows are between `starts` and `ends`."""
        return find_quantiles(self, qs, interpolation, zip(starts, ends, strict=True))

    def _groupby_op(
        self, *, how: str, ids: object, ngroups: int, min_count: int, **options: object
    ) -> Any:
        """The hook of pandas for groups: `how` is "sum", for example; `ids` has groups of rows."""
        if how in ("first", "last"):  # pandas picks an object for these
            untyped_super: Any = super()
            return untyped_super._groupby_op(
                how=how, ids=ids, ngroups=ngroups, min_count=min_count, **options
            )
        if how in reductions.ADDED:
            self._warn_of_currencies(ids)
        return grouping.compute_by_group(self, how, ids, ngroups, min_count, options)

    def interpolate(self, **_: object) -> Any:
        """ExactnessError: values between two others have no exact value."""
        raise ExactnessError(operands.INTERPOLATED)

    def round(self, decimals: int = 0, *_: object, **__: object) -> DecimalArray:
        """The values rounded half to even."""
        return self._replace_values(arithmetic.round_amounts(self._values, decimals))

    def __neg__(self) -> DecimalArray:
        return self._replace_values(pc.negate(self._values))

    def __pos__(self) -> DecimalArray:
        return self.copy()

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __abs__(self) -> DecimalArray:
        return self._replace_values(pc.abs(self._values))

    def _compute(self, other: object, op: Callable[..., Any], *, swapped: bool = False) -> Any:
        """The result of an operator; `swapped` if the column is the right operand."""
        if isinstance(other, pd.Series | pd.Index | pd.DataFrame):
            return NotImplemented
        operand = operands.read_operand(other, len(self))
        if op in ADDITIONS:
            currencies = find_added_currencies(self.currencies, other, self._values, operand)
        else:
            currencies = find_multiplied_currencies(self.currencies, other)
        results = op(operand, self._values) if swapped else op(self._values, operand)
        return DecimalArray(results, currencies)

    def _compare(self, other: object, op: Callable[[Any, Any], Any]) -> Any:
        """Compare each amount; a float is taken as it is printed, and `==` warns of it."""
        if isinstance(other, pd.Series | pd.Index | pd.DataFrame):
            return NotImplemented
        return compare_column(self._values, other, op)


for _name, _op in arithmetic.OPERATORS.items():
    _method = partialmethod(DecimalArray._compute, op=_op)
    setattr(DecimalArray, f"__{_name}__", _method)
    setattr(DecimalArray, f"__r{_name}__", partialmethod(_method, swapped=True))
for _op in arithmetic.COMPARE:
    setattr(DecimalArray, f"__{_op.__name__}__", partialmethod(DecimalArray._compare, op=_op))
