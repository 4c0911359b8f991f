"""Frames and columns of exact amounts. They show escaped text and draw floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pandas as pd
from pandas.api.types import is_bool_dtype

from ..errors.cards import MisuseError
from ..errors.text import printable_lines
from .column_entries import fill_limits, refuse_mixture, with_named_entries
from .column_uses import with_column_uses
from .decimal_dtype import DecimalDtype
from .decimal_objects import (
    ResultConverter,
    convert_decimals,
    has_decimals,
    is_kept_as_objects,
    is_of_arrow_decimals,
    make_exact,
    widen_operands,
)
from .entered_currencies import warn_of_written_currencies
from .expressions import evaluate
from .frame_forms import (
    as_floats,
    exact_styler,
    first_columns_text,
    remove_zones,
    require_matplotlib,
    sql_columns,
    with_bin_texts,
    with_decimal_mark,
)
from .merges import refuse_other_index, refuse_other_keys
from .numpy_functions import call_numpy
from .operands import refuse_floats
from .pandas_callers import is_converting_results, is_plotting
from .unknown_columns import explain_plot, with_column_suggestions
from .unknown_rows import with_row_suggestions


@with_named_entries
@with_column_uses
class ExactSeries(pd.Series):
    """A column or row of an `ExactFrame`, whose text is escaped when it is shown."""

    def __init__(self, data: Any = None, *args: Any, **options: Any) -> None:
        """Make a column as pandas does; Decimals, also those of Arrow, are exact.

        A Series is kept as it is: pandas makes each column of a frame and each row of one.
        """
        untyped_super: Any = super()
        is_kept = isinstance(data, pd.Series) or options.get("dtype") is not None
        untyped_super.__init__(data if is_kept else convert_decimals(data), *args, **options)

    @property
    def _constructor(self) -> Callable[..., ExactSeries]:
        """The class of results that are columns, for which pandas asks."""
        return ExactSeries

    @property
    def _constructor_expanddim(self) -> Callable[..., ExactFrame]:
        """The class of results that are frames, for which pandas asks."""
        return ExactFrame

    def __array_function__(self, function: Any, types: object, args: Any, options: Any) -> Any:
        """The result of a numpy function, also of one that refuses objects, such as `corrcoef`."""
        return call_numpy(function, args, options)

    @property
    def plot(self) -> Any:
        """Plot as pandas does; amounts are drawn as floats."""
        require_matplotlib()
        is_exact = isinstance(self.dtype, DecimalDtype)
        return pd.Series(self.astype(float) if is_exact else self).plot

    def hist(self, *args: Any, **options: Any) -> Any:
        """Draw a histogram as pandas does; amounts are counted as floats."""
        require_matplotlib()
        return pd.Series(self.astype(float)).hist(*args, **options)

    def _arith_method(self, other: Any, operator: Any) -> Any:
        """The hook of pandas for `+`, `-` and so on: whole numbers and a Decimal are exact."""
        pandas_class: Any = pd.Series  # the method of its class takes a widened column as `self`
        if is_bool_dtype(self.dtype) and has_decimals(other):
            self.astype(DecimalDtype())  # an ExactnessError, as for amounts beside a mask
        left, right = widen_operands(self, other)
        return pandas_class._arith_method(left, right, operator)

    def _binop(self, other: Any, *args: Any, **options: Any) -> Any:
        """The hook of pandas for `add(fill_value=)` and so on, exact as `_arith_method`."""
        pandas_class: Any = pd.Series
        wide_frame, wide_operand = widen_operands(self, other)
        return pandas_class._binop(wide_frame, wide_operand, *args, **options)

    def value_counts(self, *args: Any, **options: Any) -> Any:
        """Count values as pandas does, but return an exact series."""
        return ExactSeries(super().value_counts(*args, **options))

    def _map_values(self, mapper: object, na_action: object = None) -> object:
        """The hook of pandas for `map`, `apply` and `transform`: amounts keep their currencies."""
        if isinstance(self.dtype, pd.ArrowDtype | pd.StringDtype):
            return ResultConverter(self.array).map_values(mapper, na_action)
        return cast(Any, super())._map_values(mapper, na_action)

    @property
    def array(self) -> Any:  # type: ignore[override]
        """The array of the column; where pandas converts results of functions, a converter."""
        array = super().array
        is_of_arrow = isinstance(array.dtype, pd.ArrowDtype | pd.StringDtype)
        if is_of_arrow and not is_of_arrow_decimals(array.dtype) and is_converting_results():
            return ResultConverter(array)
        return array

    def map(self, *args: Any, **options: Any) -> Any:
        """Do as pandas does, but make a column of Decimals exact."""
        return make_exact(super().map(*args, **options))

    def apply(self, *args: Any, **options: Any) -> Any:
        """Do as pandas does, but make a column of Decimals exact."""
        return make_exact(super().apply(*args, **options))

    def clip(self, lower: Any = None, upper: Any = None, **options: Any) -> Any:
        """Limit as pandas does; a missing limit leaves its amount as it is."""
        return super().clip(fill_limits(self, lower), fill_limits(self, upper), **options)

    def convert_dtypes(self, *args: Any, **options: Any) -> Any:  # type: ignore[misc]
        """Convert as pandas does; amounts stay as they are."""
        is_exact = isinstance(self.dtype, DecimalDtype)
        return self.copy() if is_exact else super().convert_dtypes(*args, **options)

    def combine(self, other: Any, func: Any, *args: Any, **options: Any) -> Any:
        """Combine as pandas does, but exactly; ExactnessError for floats beside amounts."""
        sides = (self, other)
        exact_flags = [isinstance(getattr(side, "dtype", None), DecimalDtype) for side in sides]
        for side, is_exact_side in zip(sides, exact_flags, strict=True):
            if any(exact_flags) and not is_exact_side:
                refuse_floats(side)
        try:
            return super().combine(other, func, *args, **options)
        except TypeError as error:
            if "NA is ambiguous" not in str(error):
                raise
            hint_text = "write np.fmax(amounts, others), or np.fmin, which leave them out"
            raise MisuseError(f"combine() compares missing values: {hint_text}") from None

    def to_csv(self, path_or_buf: Any = None, *args: Any, **options: Any) -> Any:
        """Write a CSV as pandas does; `decimal` is the mark in amounts."""
        return self.to_frame().to_csv(path_or_buf, *args, **options)

    def __repr__(self) -> str:
        return printable_lines(super().__repr__())

    def to_string(self, buf: Any = None, *args: Any, **options: Any) -> Any:
        """Write text as pandas does; without a file, invisible characters are escaped."""
        return _escape_text(super().to_string(buf, *args, **options))


@with_named_entries
@with_row_suggestions
@with_column_suggestions
class ExactFrame(pd.DataFrame):
    """A pandas frame whose `query` and `to_excel` also work for times with a time zone.

    Results of its methods are frames of this class too. The text of the service that a frame holds
    is escaped when it is shown; `to_csv` and values have it as it was sent.
    """

    @property
    def _constructor(self) -> Callable[..., ExactFrame]:
        """The class of results that are frames, for which pandas asks."""
        return ExactFrame

    @property
    def _constructor_sliced(self) -> Callable[..., ExactSeries]:
        """The class of columns and rows of the frame, for which pandas asks."""
        return ExactSeries

    def __repr__(self) -> str:
        return printable_lines(first_columns_text(pd.DataFrame(self)))

    def _repr_html_(self) -> str | None:
        return _escape_text(cast(Any, super())._repr_html_())

    def to_string(self, buf: Any = None, *args: Any, **options: Any) -> Any:
        """Write text as pandas does; without a file, invisible characters are escaped."""
        return _escape_text(super().to_string(buf, *args, **options))

    def to_markdown(self, *args: Any, **options: Any) -> Any:
        """Write Markdown as pandas does, with all digits: tabulate would make floats of amounts."""
        return super().to_markdown(*args, **{"disable_numparse": True} | options)

    def __array_function__(self, function: Any, types: object, args: Any, options: Any) -> Any:
        """The result of a numpy function, also of one that refuses objects, such as `corrcoef`."""
        return call_numpy(function, args, options)

    @property
    def plot(self) -> Any:
        """Plot as pandas does; amounts are drawn as floats."""
        require_matplotlib()
        return explain_plot(pd.DataFrame(as_floats(self)))

    def hist(self, *args: Any, **options: Any) -> Any:
        """Draw a histogram as pandas does; amounts are counted as floats."""
        require_matplotlib()
        return pd.DataFrame(as_floats(self)).hist(*args, **options)

    def boxplot(self, *args: Any, **options: Any) -> Any:
        """Plot as pandas does; amounts are drawn as floats."""
        require_matplotlib()
        return pd.DataFrame(as_floats(self)).boxplot(*args, **options)

    @property
    def style(self) -> Any:
        """Style as pandas does; the lengths of bars are computed with floats."""
        return exact_styler(self)

    def merge(self, right: Any, *args: Any, **options: Any) -> Any:
        """Match rows as pandas does; ExactnessError for exact amounts and another kind of key."""
        option_by_name = dict(zip(("how", "on", "left_on", "right_on"), args, strict=False))
        refuse_other_keys(self, right, option_by_name | options)
        return make_exact(super().merge(right, *args, **options))

    def join(self, other: Any, on: Any = None, *args: Any, **options: Any) -> Any:
        """Match rows as pandas does; ExactnessError for exact amounts and another kind of key."""
        refuse_other_index(self, other, on)
        return make_exact(super().join(other, on, *args, **options))

    def round(self, decimals: Any = 0, *args: Any, **options: Any) -> Any:
        """Round as pandas does, and also exact columns and columns of Decimals.

        Pandas leaves Decimals unrounded, and exact columns if `decimals` is a dict.
        """
        rounded_frame = super().round(decimals, *args, **options)
        is_by_column = isinstance(decimals, Mapping | pd.Series)
        for position, (column_name, dtype) in enumerate(self.dtypes.items()):
            if is_by_column and column_name not in decimals:
                continue
            column = self.iloc[:, position]
            is_exact = isinstance(dtype, DecimalDtype)
            exact_column: Any = column if is_exact else convert_decimals(column)
            if not isinstance(exact_column.dtype, DecimalDtype):
                continue  # no Decimals
            decimal_places = decimals[column_name] if is_by_column else decimals
            rounded_frame.isetitem(position, exact_column.round(int(decimal_places)))
        return rounded_frame

    def map(self, *args: Any, **options: Any) -> Any:
        """Do as pandas does, but make columns of Decimals exact."""
        return make_exact(super().map(*args, **options))

    def apply(self, *args: Any, **options: Any) -> Any:
        """Do as pandas does, but make columns of Decimals exact."""
        return make_exact(super().apply(*args, **options))

    def convert_dtypes(self, *args: Any, **options: Any) -> Any:  # type: ignore[misc]
        """Convert as pandas does; amounts stay as they are."""
        converted_frame = self.copy()
        for position in range(self.shape[1]):
            column: Any = self.iloc[:, position]
            converted_frame.isetitem(position, column.convert_dtypes(*args, **options))
        return converted_frame

    def _sanitize_column(self, value: Any) -> Any:
        """A new column as pandas stores it; Decimals are exact."""
        # `frame["rate"] = ...`, `assign` and `insert` have no other hook.
        # `references` are pandas' own, to the arrays that the column shares.
        column, references = cast(Any, super())._sanitize_column(value)
        refuse_mixture(column)
        is_kept = is_kept_as_objects(value) or column.ndim != 1
        return column if is_kept else convert_decimals(column), references

    def _arith_method(self, other: Any, operator: Any) -> Any:
        """The hook of pandas for `+`, `-` and so on: whole numbers and a Decimal are exact."""
        pandas_class: Any = pd.DataFrame
        left, right = widen_operands(self, other)
        return pandas_class._arith_method(left, right, operator)

    def _flex_arith_method(self, other: Any, operator: Any, **options: Any) -> Any:
        """The hook of pandas for `add(fill_value=)` and so on, exact as `_arith_method`."""
        pandas_class: Any = pd.DataFrame
        left, right = widen_operands(self, other)
        return pandas_class._flex_arith_method(left, right, operator, **options)

    def _reduce(self, *args: Any, **options: Any) -> Any:
        """The hook of pandas for `sum`, `max` and so on: a result per row is an exact column."""
        result = cast(Any, super())._reduce(*args, **options)
        return ExactSeries(result) if isinstance(result, pd.Series) else result

    def to_numpy(self, *args: Any, **options: Any) -> Any:
        """Make an array as pandas does; for matplotlib, amounts are floats."""
        if is_plotting():
            return pd.DataFrame(as_floats(self)).to_numpy(*args, **options)
        return super().to_numpy(*args, **options)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Make an array as pandas does; for matplotlib, amounts are floats."""
        if dtype is None and is_plotting():
            return pd.DataFrame(as_floats(self)).to_numpy()
        return super().__array__(dtype, copy)

    def to_csv(self, path_or_buf: Any = None, *args: Any, **options: Any) -> Any:
        """Write a CSV as pandas does; exact amounts too use the decimal mark of `decimal=`."""
        decimal_mark = options.get("decimal", ".")
        if decimal_mark == ".":
            return super().to_csv(path_or_buf, *args, **options)
        marked_frame = with_decimal_mark(pd.DataFrame(self), decimal_mark)
        return marked_frame.to_csv(path_or_buf, *args, **options)

    def to_parquet(self, path: Any = None, *args: Any, **options: Any) -> Any:
        """Write Parquet as pandas does; bins of `pd.cut` are text, since Arrow lacks them."""
        warn_of_written_currencies(self)
        return pd.DataFrame(with_bin_texts(self)).to_parquet(path, *args, **options)

    def dot(self, other: Any) -> Any:
        """Multiply as pandas does; ExactnessError for floats."""
        refuse_floats(other)
        return super().dot(other)

    def to_sql(self, name: str, con: Any, **options: Any) -> Any:  # type: ignore[misc]
        """Write a table as pandas does; amounts are exact numbers, and text in SQLite."""
        sql_frame, type_by_amount_name = sql_columns(self, con)
        options["dtype"] = type_by_amount_name | options.get("dtype", {})
        return sql_frame.to_sql(name, con, **options)

    def eval(self, expr: str, **options: Any) -> Any:
        """Evaluate as pandas does, also for `query`; text without a zone is a time in UTC.

        ExactnessError for a number in the text that has more digits than a float.
        """
        # pandas looks for `@name` in the frame of the caller, which is two levels further up.
        options["level"] = options.get("level", 0) + 2
        return evaluate(super().eval, frame=self, expression=expr, options=options)

    def to_excel(self, *args: Any, **options: Any) -> None:  # type: ignore[misc]
        """Write a workbook as pandas does; times have no zone, because a workbook has no zones.

        `frame.paylab.to_excel` also keeps long amounts exact and escapes formulas.
        """
        remove_zones(self).to_excel(*args, **options)


def _escape_text(shown_text: str | None) -> str | None:
    """Escape a text that pandas made for people; None, if it was written to a file, stays None."""
    return None if shown_text is None else printable_lines(shown_text)
