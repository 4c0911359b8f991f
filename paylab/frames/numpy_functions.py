"""numpy's functions of whole columns and frames: those that do not compute with objects.

numpy gives a hook to the columns and frames of paylab; a plain `pd.Series` of exact amounts is an
array of objects there, and these functions stop with errors of numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from ..errors.base import ExactnessError
from ..errors.cards import MisuseError
from .arithmetic import WIDE_CONTEXT
from .currency_rows import CurrencyRows
from .exact_decimal import ExactDecimal
from .operands import read_number, refuse_floats

STATISTICS = {
    *(np.corrcoef, np.cov, np.nanstd, np.nanvar, np.polyfit, np.interp),
    *(np.histogram2d, np.histogramdd, np.histogram_bin_edges),
}
"""Functions that have no exact value: they give floats, as `std` does."""
HISTOGRAMS = {np.histogram, np.histogram2d, np.histogramdd, np.histogram_bin_edges}
WITHOUT_MISSING = {
    *(np.nansum, np.nanprod, np.nancumsum, np.nancumprod),
    *(np.nanmin, np.nanmax, np.nanargmin, np.nanargmax, np.nanmean),
}
"""Functions that know a missing value by NaN, which is not equal to itself; `pd.NA` is neither."""

ADDITIONS = {np.convolve, np.correlate}
"""Functions that may add multiples by a Decimal, whose currency is unknown."""

PRODUCTS = {np.dot, np.inner, np.outer, np.vdot, np.kron, np.tensordot, np.matmul}
"""Functions that go on after an error of an element, which is then an error of Python."""


def call_numpy(function: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """The result of a function of numpy whose arguments have columns or frames."""
    if function in EXACT_FUNCTIONS:
        return EXACT_FUNCTIONS[function](*args, **options)
    if function in INSTEAD and any(map(_is_exact, args)):
        instead_text = INSTEAD[function](*args[1:], **options)
        raise ExactnessError(f"np.{function.__name__} computes with floats: write {instead_text}")
    if function in PRODUCTS:
        _refuse_float_factors(args)
    if function in ADDITIONS:
        _warn_of_currencies(args)
    if function in (np.where, np.select):
        _refuse_chosen_floats(args, options)
    convert = _find_conversion(function, args, options)
    converted_args = [convert(argument) for argument in args]
    converted_options = {option_name: convert(option) for option_name, option in options.items()}
    try:
        return function._implementation(*converted_args, **converted_options)
    except (TypeError, ValueError):
        if function in HISTOGRAMS and any(map(_has_missing, args)):
            hint_text = "write frame.dropna(subset=[...]), or amounts.dropna(), first"
            message = f"np.{function.__name__} has no bin for a missing amount: {hint_text}"
            raise MisuseError(message) from None
        raise


def _has_missing(argument: Any) -> bool:
    """Whether an argument is a column or frame with a missing value."""
    is_column = isinstance(argument, pd.Series | pd.DataFrame | ExtensionArray)
    return is_column and bool(np.any(argument.isna()))


def _find_conversion(
    function: object, args: Sequence[Any], options: Mapping[str, Any]
) -> Callable[[Any], Any]:
    """The function that converts the columns and frames among the arguments of a numpy function."""
    if function is np.histogram:
        bins = options.get("bins", args[1] if len(args) > 1 else 10)  # numpy's default is 10
        return _leave_unchanged if np.ndim(bins) else _as_floats  # with edges, it only compares
    if function in STATISTICS:
        return _as_floats
    return _with_nan if function in WITHOUT_MISSING else _leave_unchanged


def _is_exact(argument: Any) -> bool:
    """Whether an argument is a column of exact amounts."""
    return str(getattr(argument, "dtype", "")) == "decimal"


def _warn_of_currencies(args: Sequence[Any]) -> None:
    """Warn of each column among the arguments that has several currencies."""
    for argument in args:
        column = getattr(argument, "array", argument)
        currencies: CurrencyRows | None = getattr(column, "currencies", None)
        if currencies:
            currencies.warn_of_sums(column.__arrow_array__())


def _refuse_float_factors(args: Sequence[Any]) -> None:
    """ExactnessError for floats that would be multiplied with amounts."""
    has_amounts = [_is_exact(argument) or _has_exact_column(argument) for argument in args]
    if any(has_amounts):
        for argument, is_of_amounts in zip(args, has_amounts, strict=True):
            if not is_of_amounts:
                refuse_floats(argument)


def _has_exact_column(argument: object) -> bool:
    return isinstance(argument, pd.DataFrame) and "decimal" in map(str, argument.dtypes)


def _refuse_chosen_floats(args: Sequence[Any], options: Mapping[str, Any]) -> None:
    """ExactnessError for a float beside amounts, from which `where` or `select` chooses.

    The first argument has conditions.
    """
    chosen_values: list[Any] = []
    for argument in (*args[1:], *options.values()):
        chosen_values += argument if isinstance(argument, list) else [argument]
    if any(map(_is_exact, chosen_values)):
        for values in chosen_values:
            if not _is_exact(values):
                refuse_floats(values)


def _leave_unchanged(argument: object) -> object:
    return argument


def _as_floats(argument: Any) -> Any:
    """Amounts as an array of floats; any other argument unchanged."""
    if isinstance(argument, pd.Series | pd.DataFrame | ExtensionArray):
        return argument.to_numpy(dtype=float, na_value=np.nan)
    return argument


def _with_nan(argument: Any) -> Any:
    """Amounts as an array of objects, NaN where one is missing; any other argument unchanged."""
    if isinstance(argument, pd.Series | pd.DataFrame | ExtensionArray):
        return argument.to_numpy(dtype=object, na_value=np.nan)
    return argument


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """`numpy.digitize` with exact comparisons, also for bins that are decimals."""
    bin_edges = np.array(bins, dtype=object)
    for index, edge in enumerate(bin_edges):
        if isinstance(edge, Decimal):
            bin_edges[index] = ExactDecimal(edge)  # which compares with NaN
    amounts = np.asarray(_with_nan(x), dtype=object)
    side: Any = "left" if right else "right"
    if len(bin_edges) > 1 and bin_edges[0] > bin_edges[-1]:  # descending
        return len(bin_edges) - np.searchsorted(bin_edges[::-1], amounts, side)
    return np.searchsorted(bin_edges, amounts, side)


def _sort(a: Any, axis: Any = -1, *args: Any, **options: Any) -> Any:
    """`numpy.sort`, of a column as an array of its amounts; missing ones come last."""
    if not _is_exact(a):
        return np.sort._implementation(a, axis, *args, **options)  # type: ignore[attr-defined]
    return np.asarray(pd.Series(a).sort_values(kind="stable"))


def _unique(ar: Any, *args: Any, **options: Any) -> Any:
    """`numpy.unique`, of a column as an array of its amounts; a missing one comes last."""
    if not _is_exact(ar) or args or options:
        return np.unique._implementation(ar, *args, **options)  # type: ignore[attr-defined]
    return _sort(pd.Series(ar).drop_duplicates())


def _median(a: Any, *args: Any, **options: Any) -> Any:
    """`numpy.median`, of a column as its own median; missing if an amount is."""
    if not _is_exact(a):
        return np.median._implementation(a, *args, **options)  # type: ignore[attr-defined]
    return pd.NA if a.isna().any() else a.median()


def _nanmedian(a: Any, *args: Any, **options: Any) -> Any:
    """`numpy.nanmedian`, of a column as its own median."""
    if not _is_exact(a):
        return np.nanmedian._implementation(_with_nan(a), *args, **options)  # type: ignore[attr-defined]
    return a.median()


def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """`numpy.isclose` with exact distances; floats are taken as they are printed."""
    left, right = np.broadcast_arrays(_as_decimals(a), _as_decimals(b))
    relative_tolerance, absolute_tolerance = (Decimal(str(tolerance)) for tolerance in (rtol, atol))

    def is_close(amount: Decimal | None, other: Decimal | None) -> bool:
        """Whether two amounts are close; missing ones only with `equal_nan`."""
        if amount is None or other is None:
            return equal_nan and amount is other
        distance = WIDE_CONTEXT.abs(WIDE_CONTEXT.subtract(amount, other))
        return distance <= WIDE_CONTEXT.add(
            absolute_tolerance, WIDE_CONTEXT.multiply(relative_tolerance, WIDE_CONTEXT.abs(other))
        )

    pairs = zip(left.flat, right.flat, strict=True)
    are_close = [is_close(amount, other) for amount, other in pairs]
    return np.array(are_close, dtype=bool).reshape(left.shape)


def _allclose(*args: Any, **options: Any) -> bool:
    """`numpy.allclose` with exact distances."""
    return bool(_isclose(*args, **options).all())


def _as_decimals(values: Any) -> Any:
    """The values as an array of Decimals; None for missing ones and for what is no number."""
    object_array = np.asarray(_with_nan(values), dtype=object)
    numbers = [read_number(value) for value in object_array.flat]
    decimal_array = np.empty(len(numbers), dtype=object)
    decimal_array[:] = numbers
    return decimal_array.reshape(object_array.shape)


def _write_percentile(q: Any = None, *_: object, **__: object) -> str:
    """What to write for the q-th percentile, 0 to 100."""
    is_one_number = isinstance(q, int | float | Decimal) and not isinstance(q, bool)
    return _write_quantile(Decimal(str(q)) / 100 if is_one_number else None)


def _write_quantile(q: Any = None, *_: object, **__: object) -> str:
    """What to write for the quantile of a share, 0 to 1; with the word "share" for several."""
    share_or_name = q if isinstance(q, int | float | Decimal) else "share"
    return f"amounts.quantile({share_or_name}), which is exact"


def _advise_on_differences(*_: object, **__: object) -> str:
    """The advice for the differences of neighbours, whatever they are taken of."""
    return "amounts.diff(), which is exact, or amounts.astype(float)"


INSTEAD: dict[Any, Callable[..., str]] = {
    np.percentile: _write_percentile,
    np.quantile: _write_quantile,
    np.nanpercentile: _write_percentile,
    np.nanquantile: _write_quantile,
    np.gradient: _advise_on_differences,
    np.trapezoid: lambda *_, **__: "amounts.astype(float)",
    np.nan_to_num: lambda *_, **__: "amounts.fillna(0), which is exact",
}
"""What to write for functions that compute with floats also between objects, by their arguments."""
EXACT_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.digitize: _digitize,
    np.isclose: _isclose,
    np.allclose: _allclose,
    np.median: _median,
    np.sort: _sort,
    np.unique: _unique,
    np.nanmedian: _nanmedian,
}
"""Functions that are computed here: numpy compares with floats in them."""
