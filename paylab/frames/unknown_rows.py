"""Rows that a frame does not have: the service's ids are a column, and rows are numbered."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from pandas.api.types import is_integer_dtype

from ..errors.base import PaylabError, UnknownItemError
from ..errors.cards import MisuseError
from ..errors.suggestions import find_suggestion
from ..errors.text import plain
from .unknown_columns import describe_unknown_column, list_texts
from .wrapped_methods import Method, wrap_indexers, wrap_methods

if TYPE_CHECKING:
    import pandas as pd

F = TypeVar("F", bound="pd.DataFrame")


def with_row_suggestions(class_: type[F]) -> type[F]:
    """Give a class of frames errors for keys that are no rows, and for sums of text.

    They are set here, because in the class they would hide unknown names from mypy.
    """
    untyped_class: Any = class_
    wrap_indexers(
        untyped_class,
        lambda class_: {"__getitem__": _explain_rows(class_.__getitem__, attrgetter("obj"))},
    )
    untyped_class.xs = _explain_rows(untyped_class.xs, lambda frame: frame)
    untyped_class.drop = _explain_dropped(untyped_class.drop)
    wrap_methods(untyped_class, ("filter", "where"), _explain_conditions)
    wrap_methods(untyped_class, _STATISTICS, _explain_text)
    wrap_methods(untyped_class, ("resample", "rolling", "asfreq", "between_time"), _explain_times)
    return class_


_STATISTICS = ("sum", "mean", "median", "std", "var", "corr", "cov", "quantile", "prod")
"""Methods of frames that pandas refuses for columns of text, unless it is told to leave them."""


def _explain_conditions(method: Method) -> Method:
    """A method; MisuseError for a column as the name of an argument, as other libraries take it."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Refuse an argument with the name of a column, then call the method."""
        for option_name, option_value in options.items():
            if option_name in frame.columns:
                condition_code = f"frame[frame[{option_name!r}] == {plain(repr(option_value), 60)}]"
                raise MisuseError(
                    f"{method.__name__}() takes no columns by name: write {condition_code}"
                )
        return method(frame, *args, **options)

    return call


def _explain_times(method: Method) -> Method:
    """A method that needs times; MisuseError with the column of times if the rows are numbered."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Refuse numbered rows if the frame has a column of times, then call the method."""
        time_column_names = list(map(str, frame.select_dtypes("datetimetz").columns))
        is_numbered = is_integer_dtype(frame.index) and frame.index.nlevels == 1
        window = args[0] if args else None
        needs_times = method.__name__ != "rolling" or isinstance(window, str)  # not for 7 rows
        names_times = bool({"on", "level"} & options.keys())
        if time_column_names and is_numbered and needs_times and not names_times:
            time_column_name = time_column_names[0]
            if "created_at" in time_column_names:
                time_column_name = "created_at"
            method_name = method.__name__
            code_by_method = {
                "resample": f'frame.resample(..., on="{time_column_name}")',
                "rolling": f'frame.paylab.rolling(..., on="{time_column_name}")',
            }
            usual_code = f'frame.set_index("{time_column_name}").{method_name}(...)'
            code_text = code_by_method.get(method_name, usual_code)
            raise MisuseError(
                f"rows are numbered, and {method_name} needs times: write {code_text}"
            )
        return method(frame, *args, **options)

    return call


def _explain_text(method: Method) -> Method:
    """A statistic; MisuseError that names the columns without numbers, and what to write."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Call the statistic, and replace pandas' error about columns without numbers."""
        try:
            return method(frame, *args, **options)
        except (TypeError, ValueError) as error:
            non_number_names = frame.select_dtypes(exclude="number").columns
            if (
                isinstance(error, PaylabError)
                or "numeric_only" in options
                or non_number_names.empty
            ):
                raise
            names_text = plain(", ".join(map(str, non_number_names)), 80)
            hint_text = (
                f"write .{method.__name__}(numeric_only=True) to leave them out, or "
                '.astype("decimal") of those with text of numbers'
            )
            message = (
                f"{method.__name__}() of columns that are no numbers ({names_text}): {hint_text}"
            )
            raise MisuseError(message) from error

    return call


def _explain_rows(method: Method, frame_of: Callable[[Any], pd.DataFrame]) -> Method:
    """A method that takes the key of a row; UnknownItemError for one that it does not find."""

    @wraps(method)
    def call(owner: object, key: object, *args: object, **options: object) -> object:
        """Look up the key, and replace pandas' error about one that is not found."""
        frame = frame_of(owner)
        has_levels = frame.index.nlevels > 1
        try:
            return method(owner, key, *args, **options)
        except (KeyError, TypeError, ValueError) as error:
            message: str | None = None
            if has_levels and isinstance(error, KeyError) and not options.get("axis"):
                # Also after an error of our own: pandas takes the last level for a column then.
                message = _describe_levels(frame, key)
            elif not isinstance(error, PaylabError):
                row_key, *column_keys = key if isinstance(key, tuple) else (key,)
                message = _describe_key(frame, row_key, column_keys)
            if message is None:
                raise
            raise UnknownItemError(message) from None

    return call


def _describe_key(frame: pd.DataFrame, row_key: object, column_keys: list[object]) -> str | None:
    """What to write instead of a key; None if it is not about an id or a column."""
    if isinstance(row_key, str) and is_integer_dtype(frame.index):
        key_text = repr(plain(row_key, 60))
        if row_key in frame.columns:
            return f"rows are numbered, and {key_text} is a column: write frame[{key_text}]"
        column_name = "id" if "id" in frame.columns else "..."
        return f'rows are numbered: write frame[frame["{column_name}"] == {key_text}]'
    if isinstance(row_key, int) and is_integer_dtype(frame.index) and row_key not in frame.index:
        return f"there is no row {row_key}: the frame has {len(frame)}, numbered from 0"
    unknown_names = (
        key_name for key_name in list_texts(column_keys) if key_name not in frame.columns
    )
    unknown_name = next(unknown_names, None)
    return describe_unknown_column(frame, unknown_name) if unknown_name else None


def _describe_levels(frame: pd.DataFrame, key: object) -> str:
    """Say that no row has a key of several levels, or that its last part is no column.

    In `.loc["x", "y"]`, "y" is of the second level, unless it is similar to a column.
    """
    key_parts = key if isinstance(key, tuple) else (key,)
    has_column_keys = isinstance(key_parts[0], tuple)
    column_names = [*map(str, frame.columns)]
    for part_text in list_texts(key_parts[1:]):
        if part_text not in column_names and (
            has_column_keys or find_suggestion(part_text, column_names)
        ):
            return describe_unknown_column(frame, part_text)
    row_key = key_parts[0] if has_column_keys else key
    level_names_text = ", ".join(map(str, frame.index.names))
    key_text = plain(repr(row_key), 60)
    return f"no row has the key {key_text}: rows are found by {plain(level_names_text)}"


def _explain_dropped(drop: Method) -> Method:
    """Make the `drop` of a frame raise UnknownItemError for a column that is dropped as a row."""

    @wraps(drop)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Drop as pandas does, and replace its error about names that are no rows."""
        try:
            return drop(frame, *args, **options)
        except KeyError:
            names_to_drop = [*list_texts([args, [*options.values()]])]
            unknown_names = [name for name in names_to_drop if name not in frame.columns]
            if unknown_names:
                message = describe_unknown_column(frame, unknown_names[0])
            elif names_to_drop:  # all are columns, but pandas searched for rows
                column_name = names_to_drop[0]
                message = f"{column_name!r} is a column: write drop(columns={column_name!r})"
            else:
                raise
            raise UnknownItemError(message) from None

    return call
