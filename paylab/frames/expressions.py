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
_WITHOUT_TYPE = "has no attribute 'type'"
"""The end of an AttributeError of pandas where an operand of a refused operation is computed."""
_CALL = re.compile(r"(?<![\w.@`])(?:[^\W\d]\w*|`[^`]*`)(?:\.\w+\((?:[^()]|\([^()]*\))*\))+")
"""A call of methods of a column in an expression, such as `total_fee.quantile(0.5)`."""
_NAME = re.compile(r"`[^`]*`|@?[^\W\d][\w.]*")
"""A name in an expression, also one of the caller."""
_NUMBER_OR_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|[\w.]+""")
"""A number or name in an expression; what is in quotes is found whole."""


def evaluate(
    evaluate_by_pandas: Callable[..., Any],
    frame: pd.DataFrame,
    expression: str,
    options: Mapping[str, Any],
) -> Any:
    """The result of an expression, in which a time without a zone is in UTC.

    `options` are those of `pandas.eval`: their `level` counts the functions from here to the
    caller. ExactnessError for a number in the text that has more digits than a float.
    """
    if find_exact_columns(frame):
        _refuse_long_numbers(expression)
    try:
        return evaluate_by_pandas(expression, **options)
    except (TypeError, AttributeError) as error:
        if isinstance(error, AttributeError) and not str(error).endswith(_WITHOUT_TYPE):
            raise
        first_error = error
    resolvers = options.get("resolvers", ())
    if "decimal" in str(first_error) or isinstance(first_error, AttributeError):
        # pandas computes with a column of decimals, but not with a single Decimal.
        variables = options.get("local_dict") or _list_variables(sys._getframe(options["level"]))
        deeper_options = {**options, "level": options["level"] + 1}
        return _evaluate_exactly(evaluate_by_pandas, frame, expression, deeper_options, variables)
    # pandas reads '2026-11-01' as a time without a zone: try with such times.
    new_options = {**options, "resolvers": (*resolvers, *_make_naive_resolvers(frame))}
    try:
        return evaluate_by_pandas(expression, **new_options)
    except TypeError:
        raise first_error from None


def _evaluate_exactly(
    evaluate_by_pandas: Callable[..., Any],
    frame: pd.DataFrame,
    expression: str,
    options: Mapping[str, Any],
    variables: Mapping[str, object],
) -> Any:
    """The result of an expression with single Decimals, each as a column that has it in every row.

    One amount if the expression has no column otherwise. ExactnessError, with what to write, for
    what pandas refuses all the same.
    """
    # First, because an argument such as that of `quantile(@share)` is one number.
    statistic_by_call = _find_statistics(evaluate_by_pandas, expression, options)
    name_by_call = {
        call_text: f"_exact_statistic_{call_number}"
        for call_number, call_text in enumerate(statistic_by_call)
    }
    new_expression = _CALL.sub(lambda match: name_by_call.get(match[0], match[0]), expression)
    new_expression, decimal_by_name = _replace_decimals(new_expression, variables)
    decimal_by_name |= {name_by_call[call]: amount for call, amount in statistic_by_call.items()}
    names = {name.partition(".")[0] for name in _NAME.findall(new_expression)}
    is_of_rows = not names <= decimal_by_name.keys()
    make_column: Any = frame._constructor_sliced
    index = frame.index if is_of_rows else pd.RangeIndex(1)
    column_by_name = {
        name: make_column([amount] * len(index), index, dtype="decimal")
        for name, amount in decimal_by_name.items()
    }
    resolvers = (*options.get("resolvers", ()), column_by_name)
    try:
        result = evaluate_by_pandas(new_expression, **{**options, "resolvers": resolvers})
    except (TypeError, AttributeError) as error:
        raise _explain(error) from None
    return result if is_of_rows or not isinstance(result, pd.Series) else result.iloc[0]


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
    expression: str, values: Mapping[str, object]
) -> tuple[str, dict[str, Decimal]]:
    """An expression with a name of its own for each Decimal such as `@rate`, and the Decimals.

    The name of `@rate` is `_exact_rate`.
    """
    decimal_by_new_name: dict[str, Decimal] = {}
    for local_name in set(_LOCAL_NAME.findall(expression)):
        local_value = values.get(local_name)
        if isinstance(local_value, Decimal):
            decimal_by_new_name[f"_exact_{local_name}"] = local_value

    def replace_name(match: re.Match[str]) -> str:
        return f"_exact_{match[1]}" if f"_exact_{match[1]}" in decimal_by_new_name else match[0]

    return _LOCAL_NAME.sub(replace_name, expression), decimal_by_new_name


def _find_statistics(
    evaluate_by_pandas: Callable[..., Any], expression: str, options: Mapping[str, Any]
) -> dict[str, Decimal]:
    """The calls in an expression that give one amount, such as `total_fee.sum()`, with it."""
    call_options = {
        option_name: option for option_name, option in options.items() if option_name != "inplace"
    }
    call_options["level"] += 1
    amount_by_call: dict[str, Decimal] = {}
    for call_text in set(_CALL.findall(expression)):
        try:
            statistic = evaluate_by_pandas(call_text, **call_options)
        except (TypeError, AttributeError, NameError):  # for example, of a column that it makes
            continue
        if isinstance(statistic, Decimal):
            amount_by_call[call_text] = statistic
    return amount_by_call


def _explain(error: Exception) -> Exception:
    """The error of an operation that pandas refuses in an expression, with what to write."""
    error_text = str(error)
    if "float" in error_text:
        return ExactnessError(f"{error_text}: {USE_DECIMAL}, as @rate in the expression")
    hint_text = "compute the amount first, as total = ..., and write @total in the expression"
    if isinstance(error, AttributeError) and error_text.endswith(_WITHOUT_TYPE):
        # pandas does not say what it refuses
        hint_text = f"{hint_text}; {USE_DECIMAL}"
        return ExactnessError(f"eval does not compute these amounts: {hint_text}")
    return ExactnessError(f"{error_text}: {hint_text}") if "decimal." in error_text else error
