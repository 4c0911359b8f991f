"""Columns that a frame does not have: errors with a similar column, or all."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from pandas.api.types import is_list_like

from ..errors.base import PaylabError, PaylabWarning, UnknownItemError, warn_caller
from ..errors.cards import LateAttributeError, MisuseError
from ..errors.habits import split_words
from ..errors.suggestions import find_misspelt_word, find_nearest_name, find_suggestion
from ..errors.text import plain
from .summary_sql import CURRENCY_COLUMNS, MEASURES, PERIODS, SQL_BY_CLOCK_PART
from .wrapped_methods import Method, wrap_methods

if TYPE_CHECKING:
    import pandas as pd

F = TypeVar("F", bound="pd.DataFrame")
_UNDEFINED_NAME = re.compile("name '(.*)' is not defined")

_METHOD_SIMILARITY_MIN = 0.9
"""The minimum similarity of a suggested method of pandas."""

_METHODS_WITH_COLUMNS = (
    *("agg", "aggregate", "astype", "boxplot", "drop_duplicates", "dropna", "duplicated"),
    *(
        "explode",
        "groupby",
        "hist",
        "insert",
        "join",
        "melt",
        "merge",
        "nlargest",
        "nsmallest",
        "pivot",
    ),
    *("pivot_table", "pop", "rename", "resample", "rolling", "set_index", "sort_values"),
    *("to_excel", "to_string", "value_counts"),
)
"""Methods of pandas frames whose KeyError is about a name of a column."""


class UnknownColumnWarning(PaylabWarning):
    """A column may not be what you expect: `reindex` adds one with a name like another one.

    Or a file has no known column, or a query of SQLite gives amounts, as text, an unknown name.
    """


def warn_of_unknown_names(address: str, column_names: Iterable[str], known: Iterable[str]) -> None:
    """Warn of a file that has none of the known columns, and so may be no export."""
    names = set(column_names)
    if names and names.isdisjoint(known):
        # The names are not shown: without a header they are the values of the first row.
        warn_caller(
            f"{address} has none of the columns that paylab knows, such as id, status: no text in "
            "it is read as an amount or a time. Does it have a header?",
            UnknownColumnWarning,
        )


def with_column_suggestions(class_: type[F]) -> type[F]:
    """Give a class of frames errors for a wrong name of a column.

    They are set here, because in the class they would hide unknown names from mypy.
    """
    untyped_class: Any = class_
    read_attribute = untyped_class.__getattr__

    def get_attribute(frame: pd.DataFrame, name: str) -> object:
        """The attribute of a frame; a LateAttributeError with a similar column if it has none."""
        try:
            return read_attribute(frame, name)
        except AttributeError:
            if name.startswith("_"):  # pandas and IPython look up such names
                raise
            raise LateAttributeError(partial(_describe_attribute, frame, name)) from None

    untyped_class.__getattr__ = get_attribute
    method_names = ("__getitem__", *_METHODS_WITH_COLUMNS)
    wrap_methods(untyped_class, method_names, lambda method: explain_columns(method, _frame_itself))
    untyped_class.groupby = _with_explained_groups(untyped_class.groupby)
    untyped_class.reindex = _warn_of_new_columns(untyped_class.reindex)
    untyped_class.query = _with_known_names(untyped_class.query)
    return class_


def _frame_itself(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def explain_columns(method: Method, frame_of: Callable[[Any], pd.DataFrame]) -> Method:
    """A method; UnknownItemError for a text among its arguments that is no column.

    `frame_of` returns the frame of the object whose method it is.
    """

    @wraps(method)
    def call(owner: Any, *args: object, **options: object) -> object:
        """Call the method, and replace pandas' error about an unknown column."""
        try:
            return method(owner, *args, **options)
        except (KeyError, ValueError) as error:
            frame = frame_of(owner)
            unknown_name = _find_unknown_name(frame, error, [args, [*options.values()]])
            explains_itself = type(error) not in (KeyError, ValueError)  # a subclass of them does
            if unknown_name is None or explains_itself:
                raise
            raise UnknownItemError(describe_unknown_column(frame, unknown_name)) from None

    return call


def explain_class(
    class_: type, method_names: Iterable[str], frame_of: Callable[[Any], pd.DataFrame]
) -> type:
    """A subclass whose methods explain the columns that a frame does not have."""
    method_by_name = {
        method_name: explain_columns(getattr(class_, method_name), frame_of)
        for method_name in method_names
    }
    return types.new_class(
        class_.__name__, (class_,), exec_body=lambda body: body.update(method_by_name)
    )


def explain_plot(frame: pd.DataFrame) -> Any:
    """The `plot` of a frame, which explains the columns that it does not have."""
    plot_accessor: Any = frame.plot
    return explain_class(type(plot_accessor), ["__call__"], lambda _: frame)(frame)


_STATISTICS_OF_GROUPS = ("sum", "mean", "median", "std", "var", "sem", "quantile", "prod")
_METHODS_OF_GROUPS = ("__getitem__", "agg", "aggregate", "value_counts", "rolling")


def _with_explained_groups(groupby: Method) -> Method:
    """The `groupby` of a frame; its groups raise errors that explain unknown columns."""

    @wraps(groupby)
    def call(frame: pd.DataFrame, *args: object, **options: object) -> object:
        """Group the frame; the class of the groups is replaced by one with better errors."""
        groups = groupby(frame, *args, **options)
        class_ = type(groups)
        if class_ not in _GROUP_CLASSES:
            _GROUP_CLASSES[class_] = _explain_groups(class_)
        groups.__class__ = _GROUP_CLASSES[class_]  # pandas has no hook for the class of groups
        return groups

    return call


def _explain_statistic(method: Method) -> Method:
    """A statistic of groups; MisuseError that says to leave out the columns without numbers."""

    @wraps(method)
    def call(groups: Any, *args: object, **options: object) -> object:
        """Call the statistic, and replace pandas' error about columns without numbers."""
        try:
            return method(groups, *args, **options)
        except (TypeError, ValueError, NotImplementedError) as error:
            if isinstance(error, PaylabError) or "numeric_only" in options:
                raise
            argument_code = "..., numeric_only=True" if args else "numeric_only=True"
            hint_text = f"write .{method.__name__}({argument_code})"
            message = f"{method.__name__}() of groups with columns that are no numbers: {hint_text}"
            raise MisuseError(message) from error

    return call


_GROUP_CLASSES: dict[type, type] = {}
"""The explained classes of groups, by pandas' own."""


def _explain_groups(class_: type) -> Any:
    """A class of groups with errors for unknown columns."""
    explained_class: Any = explain_class(class_, _METHODS_OF_GROUPS, lambda groups: groups.obj)
    wrap_methods(explained_class, _STATISTICS_OF_GROUPS, _explain_statistic)
    read_attribute = explained_class.__getattr__

    def get_attribute(groups: Any, name: str) -> object:
        """The attribute of groups; a LateAttributeError with a similar column if they have none."""
        try:
            return read_attribute(groups, name)
        except AttributeError:
            if name.startswith("_"):
                raise
            raise LateAttributeError(partial(describe_unknown_column, groups.obj, name)) from None

    explained_class.__getattr__ = get_attribute
    return explained_class


def _with_known_names(query: Method) -> Method:
    """The `query` of a frame; UnknownItemError for a name in its text that is no column."""

    @wraps(query)
    def call(frame: pd.DataFrame, *args: object, **options: Any) -> object:
        # pandas looks for `@name` in the frame of the caller, which is one level further up.
        """Query the frame, and replace pandas' error about an undefined name."""
        options["level"] = options.get("level", 0) + 1
        try:
            return query(frame, *args, **options)
        except NameError as error:
            name_match = _UNDEFINED_NAME.fullmatch(str(error))
            if name_match is None:  # such as a variable of the caller
                raise
            raise UnknownItemError(describe_unknown_column(frame, name_match[1])) from None

    return call


def _warn_of_new_columns(reindex: Method) -> Method:
    """The `reindex` of a frame; a warning for a new column whose name is similar to one."""

    @wraps(reindex)
    def call(frame: pd.DataFrame, *args: object, **options: Any) -> object:
        """Warn of likely misspelt names, then reindex the frame as pandas does."""
        new_names = options.get("columns", ())
        column_names = [str(column_name) for column_name in frame.columns]
        for new_name in list_texts(list(new_names) if is_list_like(new_names) else new_names):
            suggested_name = (
                None if new_name in column_names else find_suggestion(new_name, column_names)
            )
            if suggested_name:
                message = (
                    f"the frame has no column {plain(new_name, 60)!r}, so all of it is missing"
                )
                warn_caller(f"{message}: is {suggested_name} meant?", UnknownColumnWarning)
        return reindex(frame, *args, **options)

    return call


def _find_unknown_name(
    frame: pd.DataFrame, error: Exception, arguments: Iterable[object]
) -> str | None:
    """The first text among arguments that is no column and that an error is about."""
    error_text = str(error)
    candidate_names = [
        argument_text
        for argument_text in list_texts(arguments)
        if argument_text not in frame.columns
    ]
    return next(
        (candidate_name for candidate_name in candidate_names if candidate_name in error_text), None
    )


def _describe_attribute(frame: pd.DataFrame, name: str) -> str:
    """What is wrong with an attribute: it suggests a near column, else a near method of pandas.

    Without either it lists the columns.
    """
    import pandas as pd

    column_names = [str(column_name) for column_name in frame.columns]
    if find_suggestion(name, column_names):
        return describe_unknown_column(frame, name)
    method_names = [
        method_name for method_name in dir(pd.DataFrame) if not method_name.startswith("_")
    ]
    suggested_method = find_suggestion(name, method_names)
    if suggested_method and _is_close(name, suggested_method):
        return f"the frame has no column or method {plain(name, 60)!r}: use {suggested_method}"
    return describe_unknown_column(frame, name)


def _is_close(name: str, suggestion: str) -> bool:
    """Whether a method has all words of a name or is spelt nearly alike.

    pandas has a method that is similar to nearly every word.
    """
    has_all_words = {*split_words(name)} <= {*split_words(suggestion)}
    return (
        has_all_words or find_nearest_name(name, [suggestion], _METHOD_SIMILARITY_MIN) is not None
    )


def _is_computed(name: str, column_names: Collection[str]) -> bool:
    """Whether a summary of a frame computes a grouping of this name from the columns.

    A frame that is a summary itself is not summarized again.
    """
    needed_columns: Collection[str] = ()
    if name in (*PERIODS, *SQL_BY_CLOCK_PART):
        needed_columns = ("created_at",)
    elif name == "corridor":
        needed_columns = CURRENCY_COLUMNS[:2]  # source and destination
    is_summary = any(measure in column_names for measure in MEASURES)
    return bool(needed_columns) and {*needed_columns} <= {*column_names} and not is_summary


def list_texts(value: object) -> Iterator[str]:
    """The texts in nested lists, tuples and dicts, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from list_texts([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple):
        for member in value:
            yield from list_texts(member)


def describe_unknown_column(frame: pd.DataFrame, name: str) -> str:
    """Say that a column is unknown, and name the column that is meant, or all."""
    column_names = [str(column_name) for column_name in frame.columns]
    message = f"the frame has no column {plain(name, 60)!r}"
    if _is_computed(name, column_names):
        return f'{message}: use frame.paylab.summarize(["{name}"]), which computes it'
    suggested_name = find_suggestion(name, column_names) or find_misspelt_word(name, column_names)
    if suggested_name:
        return f"{message}: use {suggested_name}"
    return f"{message}: it has {plain(', '.join(column_names))}"
