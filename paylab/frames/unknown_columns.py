"""Columns that a frame does not have: errors with a similar column, or all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.base import UnknownItemError
from ..errors.names import LateAttributeError, find_suggestion
from ..errors.text import plain

if TYPE_CHECKING:
    import pandas as pd

F = TypeVar("F", bound="pd.DataFrame")
_UNDEFINED_NAME = re.compile("name '(.*)' is not defined")


def with_column_suggestions(class_: type[F]) -> type[F]:
    """Give a class of frames errors for a wrong name of a column.

    They are set here, because in the class they would hide unknown names from mypy.
    """
    target: Any = class_
    read_attribute = target.__getattr__
    read_item = target.__getitem__

    def get_attribute(frame: pd.DataFrame, name: str) -> Any:
        try:
            return read_attribute(frame, name)
        except AttributeError:
            if name.startswith("_"):  # pandas and IPython look up such names
                raise
            raise LateAttributeError(partial(_describe_unknown, frame, name)) from None

    def get_item(frame: pd.DataFrame, key: Any) -> Any:
        try:
            return read_item(frame, key)
        except KeyError as error:
            unknown_name = _find_unknown_name(frame, [key])
            if unknown_name is None or type(error) is not KeyError:  # a subclass explains itself
                raise
            raise UnknownItemError(_describe_unknown(frame, unknown_name)) from None

    target.__getattr__ = get_attribute
    target.__getitem__ = get_item
    for method_name, (argument_count, option_names) in _METHODS_WITH_COLUMNS.items():
        method = getattr(target, method_name)
        setattr(target, method_name, _with_known_columns(method, argument_count, option_names))
    target.query = _with_known_names(target.query)
    return class_


_METHODS_WITH_COLUMNS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "agg": (1, ("func",)),
    "astype": (1, ("dtype",)),
    "drop": (0, ("columns",)),
    "drop_duplicates": (1, ("subset",)),
    "dropna": (0, ("subset",)),
    "groupby": (1, ("by",)),
    "melt": (2, ("id_vars", "value_vars")),
    "merge": (0, ("on", "left_on")),
    "pivot": (0, ("index", "columns", "values")),
    "pivot_table": (3, ("index", "columns", "values")),
    "set_index": (1, ("keys",)),
    "sort_values": (1, ("by",)),
}
"""Methods of pandas: how many of their first arguments name columns, and which options."""


def _with_known_columns(
    method: Callable[..., Any], argument_count: int, option_names: Iterable[str]
) -> Callable[..., Any]:
    """A method of a frame; UnknownItemError for a column that its error is about."""

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> Any:
        try:
            return method(frame, *args, **options)
        except KeyError:
            keys = [*args[:argument_count], *map(options.get, option_names)]
            unknown_name = _find_unknown_name(frame, keys)
            if unknown_name is None:
                raise
            raise UnknownItemError(_describe_unknown(frame, unknown_name)) from None

    return call


def _with_known_names(query: Callable[..., Any]) -> Callable[..., Any]:
    """The `query` of a frame; UnknownItemError for a name in its text that is no column."""

    @wraps(query)
    def call(frame: pd.DataFrame, *args: object, **options: Any) -> Any:
        # pandas looks for `@name` in the frame of the caller, which is one level further up.
        options["level"] = options.get("level", 0) + 1
        try:
            return query(frame, *args, **options)
        except NameError as error:
            name_match = _UNDEFINED_NAME.fullmatch(str(error))
            if name_match is None:  # such as a variable of the caller
                raise
            raise UnknownItemError(_describe_unknown(frame, name_match[1])) from None

    return call


def _find_unknown_name(frame: pd.DataFrame, keys: Iterable[object]) -> str | None:
    """The first text among keys, or in a list or dict of them, that is no column."""
    for key in keys:
        for name in key if isinstance(key, list | tuple | dict) else [key]:
            if isinstance(name, str) and name not in frame.columns:
                return name
    return None


def _describe_unknown(frame: pd.DataFrame, name: str) -> str:
    """What is wrong with a name, and the column that is meant, or all."""
    columns = [str(column) for column in frame.columns]
    message = f"the frame has no column {plain(name, 60)!r}"
    suggestion = find_suggestion(name, columns)
    if suggestion:
        return f"{message}: use {suggestion}"
    return f"{message}: it has {plain(', '.join(columns))}"
