"""Columns that a frame does not have: errors with a similar column, or all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.base import UnknownItemError
from ..errors.names import LateAttributeError, find_suggestion
from ..errors.text import plain

if TYPE_CHECKING:
    import pandas as pd

F = TypeVar("F", bound="pd.DataFrame")


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
    for method_name in _METHODS_WITH_COLUMNS:
        setattr(target, method_name, _with_known_columns(getattr(target, method_name)))
    target.drop = _with_known_columns(target.drop, "columns")
    return class_


_METHODS_WITH_COLUMNS = ("groupby", "pivot_table", "set_index", "sort_values")
"""Methods of pandas whose arguments name columns."""


def _with_known_columns(method: Callable[..., Any], option: str = "") -> Callable[..., Any]:
    """A method of a frame; UnknownItemError for a column that its error is about.

    `option` is the only one that names columns; without it, all arguments may.
    """

    @wraps(method)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> Any:
        try:
            return method(frame, *args, **options)
        except KeyError:
            keys = [options.get(option)] if option else [*args, *options.values()]
            unknown_name = _find_unknown_name(frame, keys)
            if unknown_name is None:
                raise
            raise UnknownItemError(_describe_unknown(frame, unknown_name)) from None

    return call


def _find_unknown_name(frame: pd.DataFrame, keys: Iterable[object]) -> str | None:
    """The first text among keys, or in a list of them, that is no column."""
    for key in keys:
        for name in key if isinstance(key, list | tuple) else [key]:
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
