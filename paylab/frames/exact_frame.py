"""The pandas classes of our frames: text is escaped when shown, and pandas' gaps are closed.

Plots and styles compute with floats; merges on floats are refused; databases get exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pandas as pd
from pandas.api.types import is_float_dtype, is_list_like

from ..errors.base import ExactnessError
from ..errors.text import printable_lines
from .decimal_array import DecimalDtype
from .exact_decimal import USE_DECIMAL


class ExactSeries(pd.Series):
    """A column or row of an `ExactFrame`, whose text is escaped when it is shown."""

    @property
    def _constructor(self) -> Callable[..., ExactSeries]:
        return ExactSeries

    @property
    def _constructor_expanddim(self) -> Callable[..., ExactFrame]:
        return ExactFrame

    @property
    def plot(self) -> Any:
        """As in pandas; amounts are drawn as floats."""
        is_exact = isinstance(self.dtype, DecimalDtype)
        return pd.Series(self.astype(float) if is_exact else self).plot

    def hist(self, *args: Any, **options: Any) -> Any:
        """As in pandas; amounts are counted as floats."""
        return pd.Series(self.astype(float)).hist(*args, **options)

    def value_counts(self, *args: Any, **options: Any) -> Any:
        """As in pandas, which would return a plain series."""
        return ExactSeries(super().value_counts(*args, **options))

    def __repr__(self) -> str:
        return printable_lines(super().__repr__())

    def to_string(self, buf: Any = None, *args: Any, **options: Any) -> Any:
        """As in pandas; without a file to write to, invisible characters are escaped."""
        return _shown(super().to_string(buf, *args, **options))


class ExactFrame(pd.DataFrame):
    """A pandas frame whose `query` and `to_excel` also work for times with a time zone.

    Results of its methods are frames of this class too. The text of the service that a frame holds
    is escaped when it is shown; `to_csv` and values have it as it was sent.
    """

    @property
    def _constructor(self) -> Callable[..., ExactFrame]:
        return ExactFrame

    @property
    def _constructor_sliced(self) -> Callable[..., ExactSeries]:
        return ExactSeries

    def __repr__(self) -> str:
        return printable_lines(super().__repr__())

    def _repr_html_(self) -> str | None:
        return _shown(cast(Any, super())._repr_html_())

    def to_string(self, buf: Any = None, *args: Any, **options: Any) -> Any:
        """As in pandas; without a file to write to, invisible characters are escaped."""
        return _shown(super().to_string(buf, *args, **options))

    @property
    def plot(self) -> Any:
        """As in pandas; amounts are drawn as floats."""
        return pd.DataFrame(as_floats(self)).plot

    def hist(self, *args: Any, **options: Any) -> Any:
        """As in pandas; amounts are counted as floats."""
        return pd.DataFrame(as_floats(self)).hist(*args, **options)

    def boxplot(self, *args: Any, **options: Any) -> Any:
        """As in pandas; amounts are drawn as floats."""
        return pd.DataFrame(as_floats(self)).boxplot(*args, **options)

    @property
    def style(self) -> Any:
        """As in pandas; the lengths of bars are computed with floats."""
        from .styles import ExactStyler

        return ExactStyler(self)

    def merge(self, right: Any, *args: Any, **options: Any) -> Any:
        """As in pandas; ExactnessError if exact amounts are matched with floats."""
        named = dict(zip(("how", "on", "left_on", "right_on"), args, strict=False))
        _refuse_float_keys(self, right, named | options)
        return super().merge(right, *args, **options)

    def to_sql(self, name: str, con: Any, **options: Any) -> Any:  # type: ignore[misc]
        """As in pandas; amounts are exact numbers, but text in SQLite, which has none."""
        from .sql_columns import sql_columns

        columns, types = sql_columns(self, con)
        return columns.to_sql(name, con, **options | {"dtype": types | options.get("dtype", {})})

    def eval(self, expr: str, **options: Any) -> Any:
        """As in pandas, also for `query`; times compared with text without a zone are in UTC."""
        options["level"] = options.get("level", 0) + 1
        try:
            return super().eval(expr, **options)
        except TypeError as error:
            if "'decimal'" in str(error):
                message = f"{error}: {USE_DECIMAL}, as @rate in the expression"
                raise ExactnessError(message) from None
            # pandas reads '2026-11-01' as a time without a zone
            naive = self._without_zones("UTC")
            times = {name: naive[name] for name in self.select_dtypes("datetimetz")}
            index = {"index": naive.index, naive.index.name: naive.index}
            options["resolvers"] = (*options.get("resolvers", ()), times, index)
            try:
                return super().eval(expr, **options)
            except TypeError:
                raise error from None

    def to_excel(self, *args: Any, **options: Any) -> None:  # type: ignore[misc]
        """As in pandas; times are written without their zone, because a workbook has no zones.

        `frame.paylab.to_excel` also keeps long amounts exact and escapes formulas.
        """
        self._without_zones().to_excel(*args, **options)

    def _without_zones(self, tz: str | None = None) -> pd.DataFrame:
        """A plain frame with naive times, in a zone or as shown."""
        found = pd.DataFrame(self)
        for at, kind in enumerate(found.dtypes):
            if isinstance(kind, pd.DatetimeTZDtype):
                found.isetitem(at, _naive(found.iloc[:, at].array, tz))
        index = found.index
        if isinstance(index, pd.MultiIndex):
            found.index = index.set_levels([_naive(level, tz) for level in index.levels])
        else:
            found.index = _naive(index, tz)
        return found


def _shown(text: str | None) -> str | None:
    """A text that pandas made for people; None when it was written to a file."""
    return None if text is None else printable_lines(text)


def _naive(values: Any, tz: str | None) -> Any:
    """An array or an index; times lose their zone."""
    if not isinstance(values.dtype, pd.DatetimeTZDtype):
        return values
    return (values.tz_convert(tz) if tz else values).tz_localize(None)


def as_floats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with exact columns as floats, for statistics and plots; `attrs` says so."""
    exact = [name for name, kind in frame.dtypes.items() if isinstance(kind, DecimalDtype)]
    found = frame.astype(dict.fromkeys(exact, float))
    found.attrs = {**frame.attrs, "amounts": "float"}
    return found


def merge(left: pd.DataFrame, right: Any, **options: Any) -> pd.DataFrame:
    """`pandas.merge` with its keywords; ExactnessError if exact amounts are matched with floats.

    pandas itself would find only the floats that are equal to an amount in binary.

    >>> paylab.frames.merge(frame, frame[["id"]], on="id").shape == frame.shape
    True
    """
    _refuse_float_keys(left, right, options)
    return pd.DataFrame.merge(left, right, **options)


def _refuse_float_keys(left: pd.DataFrame, right: Any, options: Mapping[str, Any]) -> None:
    """ExactnessError if a key is an amount on one side and a float on the other."""
    other = right.to_frame() if isinstance(right, pd.Series) else right
    on, left_on, right_on = (options.get(name) for name in ("on", "left_on", "right_on"))
    left_index, right_index = (options.get(name, False) for name in ("left_index", "right_index"))
    is_unnamed = on is None and left_on is None and not left_index
    if is_unnamed and options.get("how") != "cross":
        on = [name for name in left.columns if name in other.columns]
    pairs = zip(
        _keys(left, left_on if on is None else on, is_index=left_index),
        _keys(other, right_on if on is None else on, is_index=right_index),
        strict=False,
    )
    for keys in pairs:
        is_exact = [isinstance(key.dtype, DecimalDtype) for key in keys]
        if any(is_exact) and any(is_float_dtype(key.dtype) for key in keys):
            name = keys[is_exact.index(True)].name
            raise ExactnessError(
                f"{name} is exact on one side of the merge and a float on the other: read the "
                'other column as text, and write .astype("decimal")'
            )


def _keys(frame: pd.DataFrame, names: Any, *, is_index: bool) -> list[Any]:
    """The columns and levels of the index that a merge compares."""
    if is_index:
        return [frame.index.get_level_values(at) for at in range(frame.index.nlevels)]
    listed = names if isinstance(names, list | tuple) else [names]
    keys: list[Any] = []
    for name in listed:
        if is_list_like(name):
            keys.append(pd.Series(cast(Any, name)))
        elif name in frame.columns:
            keys.append(frame[name])
        elif name in frame.index.names:
            keys.append(frame.index.get_level_values(name))
    return keys
