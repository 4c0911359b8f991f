"""Columns that a frame does not have: errors with a similar column, or all."""

from __future__ import annotations

from functools import partial
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
            if name.startswith("_"):  # that pandas and IPython look up
                raise
            raise LateAttributeError(partial(_describe_unknown, frame, name)) from None

    def get_item(frame: pd.DataFrame, key: Any) -> Any:
        try:
            return read_item(frame, key)
        except KeyError as error:
            if isinstance(key, str) and type(error) is KeyError and key not in frame.columns:
                raise UnknownItemError(_describe_unknown(frame, key)) from None
            raise

    target.__getattr__ = get_attribute
    target.__getitem__ = get_item
    return class_


def _describe_unknown(frame: pd.DataFrame, name: str) -> str:
    """What is wrong with a name, and the column that is meant, or all."""
    columns = [str(column) for column in frame.columns]
    message = f"the frame has no column {plain(name, 60)!r}"
    suggestion = find_suggestion(name, columns)
    if suggestion:
        return f"{message}: use {suggestion}"
    return f"{message}: it has {plain(', '.join(columns))}"
