"""Expressions of `eval` and `query`: with exact amounts, Decimals, and times without a zone."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import FrameType
from typing import Any

import pandas as pd

from ..errors.base import ExactnessError
from .decimals import NUMBER
from .float_errors import USE_DECIMAL
from .frame_forms import find_exact_columns, remove_zones

_LOCAL_NAME = re.compile(r"@([^\W\d]\w*)")
"""A name of the caller in an expression of `eval` and `query`."""


_NUMBER_OR_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|[\w.]+""")
"""A number or name in an expression; what is in quotes is found whole."""


def evaluate(
    evaluate_by_pandas: Callable[..., Any],
    frame: pd.DataFrame,
    expression: str,
    options: Mapping[str, Any],
) -> Any:
    """The result of an expression; text without a zone is a time in UTC.

    `options` are those of `pandas.eval`: their `level` counts the functions from here to the
    caller. ExactnessError for a number in the text that has more digits than a float.
    """
    if find_exact_columns(frame):
        _refuse_long_numbers(expression)
    try:
        return evaluate_by_pandas(expression, **options)
    except TypeError as error:
        first_error = error
    resolvers = options.get("resolvers", ())
    if "'decimal'" in str(first_error) or "decimal.Decimal'" in str(first_error):
        # pandas computes with a column of decimals, but not with a single Decimal.
        variables = options.get("local_dict") or _list_variables(sys._getframe(options["level"]))
        new_expression, column_by_name = _replace_decimals(expression, variables, frame.index)
        if not column_by_name:
            message = f"{first_error}: {USE_DECIMAL}, as @rate in the expression"
            raise ExactnessError(message) from None
        new_options = {**options, "resolvers": (*resolvers, column_by_name)}
        return evaluate_by_pandas(new_expression, **new_options)
    # pandas reads '2026-11-01' as a time without a zone: try with such times.
    new_options = {**options, "resolvers": (*resolvers, *_make_naive_resolvers(frame))}
    try:
        return evaluate_by_pandas(expression, **new_options)
    except TypeError:
        raise first_error from None


def _make_naive_resolvers(frame: pd.DataFrame) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The times of columns and index by name, in UTC without a zone."""
    naive_frame = remove_zones(frame, "UTC")
    times_by_name = {
        column_name: naive_frame[column_name] for column_name in frame.select_dtypes("datetimetz")
    }
    index = naive_frame.index
    return times_by_name, {"index": index, index.name: index}


def _refuse_long_numbers(expression: str) -> None:
    """ExactnessError for a number in the text of `eval` or `query` that pandas would round.

    It makes a float of 1.5, which is compared as it is printed.
    """
    for token_text in _NUMBER_OR_QUOTED.findall(expression):
        is_decimal = NUMBER.fullmatch(token_text) and not token_text.isdigit()
        if is_decimal and Decimal(token_text) != Decimal(repr(float(token_text))):
            hint_text = "write @limit in the text, with limit = Decimal"
            raise ExactnessError(
                f'{token_text} has more digits than a float: {hint_text}("{token_text}")'
            )


def _list_variables(caller_frame: FrameType) -> dict[str, object]:
    """The variables of a caller, global and local, by name."""
    return {**caller_frame.f_globals, **caller_frame.f_locals}


def _replace_decimals(
    expression: str, values: Mapping[str, object], index: pd.Index[Any]
) -> tuple[str, dict[str, pd.Series[Any]]]:
    """An expression that names a column for each Decimal such as `@rate`, and these columns.

    The column of `@rate` is `_exact_rate`: it has the Decimal in every row.
    """
    column_by_new_name = {}
    for local_name in set(_LOCAL_NAME.findall(expression)):
        value = values.get(local_name)
        if isinstance(value, Decimal):
            column_by_new_name[f"_exact_{local_name}"] = pd.Series(
                [value] * len(index), index, dtype="decimal"
            )

    def replace_name(match: re.Match[str]) -> str:
        return f"_exact_{match[1]}" if f"_exact_{match[1]}" in column_by_new_name else match[0]

    return _LOCAL_NAME.sub(replace_name, expression), column_by_new_name
