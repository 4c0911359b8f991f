"""Uses that a column is not made for: errors that say what to write instead.

Pandas answers in words of its own, or compares a time with a value that no time can equal.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_list_like, is_string_dtype

from ..errors.base import ArgumentError, UnknownItemError
from ..errors.cards import LateAttributeError
from ..errors.suggestions import find_nearest_name, find_suggestion
from ..errors.text import plain
from ..spec.time_arguments import read_date_or_time
from .decimal_objects import convert_decimals
from .word_uses import warn_of_unknown_words
from .wrapped_methods import Method

if TYPE_CHECKING:
    from typing import NoReturn

S = TypeVar("S", bound="Column")
Column: TypeAlias = "pd.Series[Any]"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

_ACCESSOR_USES = {
    "decimal": "amounts are exact decimals: write .astype(str).str for their text",
    "time": "times are aware datetimes: write .dt, as in .dt.strftime('%Y-%m-%d')",
    "text": "the column has text: write .str, or pd.to_datetime(column, utc=True) for times",
}
"""What to write instead of an accessor that a column does not have, by the kind of its values."""


def with_column_uses(class_: type[S]) -> type[S]:
    """Give a class of columns errors for wrong accessors, and for texts that are no times.

    They are set here, because in the class they would hide unknown names from mypy.
    """
    untyped_class: Any = class_
    read_attribute = untyped_class.__getattr__

    def get_attribute(column: Column, name: str) -> object:
        """The attribute of a column; a LateAttributeError with what to write if it has none."""
        try:
            return read_attribute(column, name)
        except AttributeError as error:
            if name.startswith("_"):  # pandas and IPython look up such names
                raise
            # The message is written when it is shown: `hasattr` asks for many names.
            write_message = partial(_describe_attribute, column, name, str(error))
            raise LateAttributeError(write_message) from None

    read_item = untyped_class.__getitem__

    def get_item(column: Column, key: object) -> object:
        """The item of a column; UnknownItemError for a text that is no label."""
        try:
            return read_item(column, key)
        except KeyError:
            if not isinstance(key, str) or not _has_labels(column):
                raise
            raise UnknownItemError(_describe_label(column, key)) from None

    untyped_class.__getattr__ = get_attribute
    untyped_class.__getitem__ = get_item
    untyped_class._cmp_method = _explain_comparison(untyped_class._cmp_method)
    untyped_class.isin = _explain_members(untyped_class.isin)
    return class_


def _describe_attribute(column: Column, name: str, pandas_message: str) -> str:
    """What to write instead of an attribute that a column does not have."""
    for accessor_name in ("dt", "str", "cat"):
        # A wrong accessor is an error, and so is no attribute.
        accessor = getattr(column, accessor_name, None) if name != accessor_name else None
        if not name.startswith("_") and hasattr(accessor, name):
            return f"a column has no attribute {name!r}: use .{accessor_name}.{name}"
    if "accessor" in pandas_message:
        return f"a column of {column.dtype} has no .{name}: {_ACCESSOR_USES[_find_kind(column)]}"
    if _has_labels(column) and find_suggestion(name, [*map(str, column.index)]):
        return _describe_label(column, name)
    nearest_name = find_nearest_name(
        name, (attribute_name for attribute_name in dir(pd.Series) if attribute_name[0] != "_")
    )
    hint_text = f"use {nearest_name}" if nearest_name else "it has what a Series of pandas has"
    return f"a column has no attribute {plain(name, 60)!r}: {hint_text}"


def _has_labels(column: Column) -> bool:
    """Whether a column has text as its index, as a row of a frame has."""
    return bool(is_string_dtype(column.index))


def _describe_label(column: Column, label: str) -> str:
    """What is wrong with a label, and the one that is meant, or all."""
    label_texts = [str(row_label) for row_label in column.index]
    suggested_label = find_suggestion(label, label_texts)
    hint_text = (
        f"use {suggested_label}" if suggested_label else f"it has {plain(', '.join(label_texts))}"
    )
    return f"nothing is labelled {plain(label, 60)!r}: {hint_text}"


def _find_kind(column: Column) -> str:
    """The kind of the values of a column, as a key of `_ACCESSOR_USES`."""
    if str(column.dtype) == "decimal":
        return "decimal"
    return "time" if is_datetime64_any_dtype(column.dtype) else "text"


def _explain_comparison(compare: Method) -> Method:
    """The comparison of a column; ArgumentError for what no time can be compared with.

    A word that no row has warns.
    """

    @wraps(compare)
    def call(column: Column, other: object, operator: Method) -> object:
        """Compare the column, after a check of what it is compared with."""
        has_times = isinstance(column.dtype, pd.DatetimeTZDtype)
        if has_times and isinstance(other, str | date) and not pd.isna(other):
            _check_time(column, other, operator.__name__)
        warn_of_unknown_words(column, [other])
        return compare(column, other, operator)

    return call


def _explain_members(isin: Method) -> Method:
    """The `isin` of a column; ArgumentError for what no time can be equal to.

    A word that no row has warns. Objects that are amounts are compared as amounts, since pandas
    looks objects up by hash.
    """

    @wraps(isin)
    def call(column: Column, values: Any) -> object:
        """Look up the values of the column, after a check of what they are looked up in."""
        if isinstance(column.dtype, pd.DatetimeTZDtype) and is_list_like(values):
            for value in values:
                if isinstance(value, str | date) and not pd.isna(value):
                    _check_time(column, value, "isin")
        elif is_list_like(values):
            warn_of_unknown_words(column, values)
        return isin(convert_decimals(column), values)

    return call


def _check_time(column: Column, other: str | date, operator_name: str) -> None:
    """ArgumentError for text that is no time, a time without a zone, and a day for `==`."""
    value_text = plain(str(other), 60)
    if isinstance(other, datetime):
        if other.tzinfo is None:
            _refuse(f"{value_text} has no time zone: write it with one, such as tzinfo=UTC")
        return
    if isinstance(other, str) and not _is_time(other):
        _refuse(f"{value_text!r} is not a time: write 2026-01-31 or 2026-01-31T09:30:00Z")
    is_day = isinstance(other, date) or _DAY.fullmatch(other) is not None
    if is_day:
        _check_day(column, other, operator_name)


def _check_day(column: Column, other: str | date, operator_name: str) -> None:
    """ArgumentError for a day that no time of the column equals, and for a `date` with `<`."""
    value_text = plain(str(other), 60)
    is_equality = operator_name in ("eq", "ne", "isin")
    if isinstance(other, date) and not is_equality:
        _refuse(f"{value_text} is a day, not a time: write it as text, {value_text!r}")
    if is_equality and not _has_only_days(column):
        comparison_code = (
            f'.isin(["{value_text}"])' if operator_name == "isin" else f' == "{value_text}"'
        )
        _refuse(
            f"{value_text} is a day, and the column has times: "
            f'write column.dt.strftime("%Y-%m-%d"){comparison_code}'
        )


def _is_time(text: str) -> bool:
    """Whether pandas or paylab can read a text as a time."""
    try:
        read_date_or_time(text)
    except ValueError:
        return not pd.isna(pd.to_datetime(text, errors="coerce", utc=True))
    return True


def _has_only_days(column: Column) -> bool:
    """Whether all times are midnights, as after `.dt.normalize()`."""
    times = column.dropna()
    return bool((times.dt.normalize() == times).all())


def _refuse(message: str) -> NoReturn:
    raise ArgumentError(message, "other")
