"""Rows that a frame does not have: the service's ids are a column, and rows are numbered."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from pandas.api.types import is_integer_dtype

from ..errors.base import PaylabError, UnknownItemError
from ..errors.cards import MisuseError
from ..errors.names import find_suggestion
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
    target: Any = class_
    wrap_indexers(
        target, lambda class_: {"__getitem__": _explain_rows(class_.__getitem__, attrgetter("obj"))}
    )
    target.xs = _explain_rows(target.xs, lambda frame: frame)
    target.drop = _explain_dropped(target.drop)
    wrap_methods(target, ("filter", "where"), _explain_conditions)
    wrap_methods(target, _STATISTICS, _explain_text)
    wrap_methods(target, ("resample", "rolling", "asfreq", "between_time"), _explain_times)
    return class_


_STATISTICS = ("sum", "mean", "median", "std", "var", "corr", "cov", "quantile", "prod")
"""Methods of frames that pandas refuses for columns of text, unless it is told to leave them."""


def _explain_conditions(method: Method) -> Method:
    """A method; MisuseError for a column as the name of an argument, as other libraries take it."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        for name, value in options.items():
            if name in frame.columns:
                condition = f"frame[frame[{name!r}] == {plain(repr(value), 60)}]"
                raise MisuseError(
                    f"{method.__name__}() takes no columns by name: write {condition}"
                )
        return method(frame, *args, **options)

    return call


def _explain_times(method: Method) -> Method:
    """A method that needs times; MisuseError with the column of times if the rows are numbered."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        time_names = [str(name) for name in frame.select_dtypes("datetimetz").columns]
        is_numbered = is_integer_dtype(frame.index) and frame.index.nlevels == 1
        is_of_times = method.__name__ != "rolling" or isinstance((*args, None)[0], str)
        if time_names and is_numbered and is_of_times and not {"on", "level"} & options.keys():
            name = "created_at" if "created_at" in time_names else time_names[0]
            uses = {
                "resample": f'frame.resample(..., on="{name}")',
                "rolling": f'frame.paylab.rolling(..., on="{name}")',
            }
            use = uses.get(method.__name__, f'frame.set_index("{name}").{method.__name__}(...)')
            raise MisuseError(f"rows are numbered, and {method.__name__} needs times: write {use}")
        return method(frame, *args, **options)

    return call


def _explain_text(method: Method) -> Method:
    """A statistic; MisuseError that names the columns without numbers, and what to write."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        try:
            return method(frame, *args, **options)
        except (TypeError, ValueError) as error:
            other_columns = frame.select_dtypes(exclude="number").columns
            if isinstance(error, PaylabError) or "numeric_only" in options or other_columns.empty:
                raise
            names_text = plain(", ".join(map(str, other_columns)), 80)
            use = (
                f"write .{method.__name__}(numeric_only=True) to leave them out, or "
                '.astype("decimal") of those with text of numbers'
            )
            message = f"{method.__name__}() of columns that are no numbers ({names_text}): {use}"
            raise MisuseError(message) from error

    return call


def _explain_rows(method: Method, frame_of: Callable[[Any], pd.DataFrame]) -> Method:
    """A method that takes the key of a row; UnknownItemError for one that it does not find."""

    @wraps(method)
    def call(owner: object, key: object, *args: object, **options: object) -> object:
        frame = frame_of(owner)
        has_levels = frame.index.nlevels > 1
        try:
            return method(owner, key, *args, **options)
        except (KeyError, TypeError, ValueError) as error:
            if has_levels and isinstance(error, KeyError) and not options.get("axis"):
                # Also after an error of our own: pandas takes the last level for a column then.
                message: str | None = _describe_levels(frame, key)
            elif isinstance(error, PaylabError):
                raise
            else:
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
    unknown_names = (name for name in list_texts(column_keys) if name not in frame.columns)
    unknown_name = next(unknown_names, None)
    return describe_unknown_column(frame, unknown_name) if unknown_name else None


def _describe_levels(frame: pd.DataFrame, key: object) -> str:
    """Say that no row has a key of several levels, or that its last part is no column.

    In `.loc["x", "y"]`, "y" is of the second level, unless it is similar to a column.
    """
    parts = key if isinstance(key, tuple) else (key,)
    has_column_keys = isinstance(parts[0], tuple)
    columns = [*map(str, frame.columns)]
    for name in list_texts(parts[1:]):
        if name not in columns and (has_column_keys or find_suggestion(name, columns)):
            return describe_unknown_column(frame, name)
    row_key = parts[0] if has_column_keys else key
    level_names = ", ".join(map(str, frame.index.names))
    return f"no row has the key {plain(repr(row_key), 60)}: rows are found by {plain(level_names)}"


def _explain_dropped(drop: Method) -> Method:
    """Make the `drop` of a frame raise UnknownItemError for a column that is dropped as a row."""

    @wraps(drop)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
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
