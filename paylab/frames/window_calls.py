"""Says what to write in place of a window of pandas, since pandas computes it with floats."""

from __future__ import annotations

import sys
from types import FrameType

WINDOW_MODULES = "pandas.core.window"
EXACT_WINDOW_FUNCTIONS = ("sum", "mean", "min", "max", "median", "quantile")
"""The functions that `frame.paylab.rolling` has."""
INEXACT_WINDOW_FUNCTIONS = (
    "std",
    "var",
    "sem",
    "skew",
    "kurt",
    "corr",
    "cov",
    "apply",
    "count",
    "rank",
)
OTHER_WINDOW_FUNCTIONS = ("first", "last", "nunique")


def describe_window_call() -> str:
    """The call that asks for floats, and the exact one, from the functions of pandas below it."""
    caller: FrameType | None = sys._getframe(1)
    while caller is not None:
        function_name = caller.f_code.co_name
        is_window = str(caller.f_globals.get("__name__", "")).startswith(WINDOW_MODULES)
        if is_window and function_name in (
            *EXACT_WINDOW_FUNCTIONS,
            *INEXACT_WINDOW_FUNCTIONS,
            *OTHER_WINDOW_FUNCTIONS,
        ):
            return _describe(caller.f_locals.get("self"), function_name)
        caller = caller.f_back
    return _describe(None, "sum")


def _describe(window: object, function_name: str) -> str:
    """Say what is wrong with a function of a window of pandas, and what to write."""
    class_name = type(window).__name__
    length = getattr(window, "window", None)
    length_text = repr(length) if isinstance(length, int | str) else "..."
    call, arguments = f"rolling({length_text})", length_text
    if class_name.startswith("Expanding"):
        call, arguments = "expanding()", "len(frame), min_periods=1"
    elif class_name.startswith("Exponential"):
        call, arguments = "ewm(...)", ""
    if class_name.endswith("GroupBy") and arguments:
        arguments += ", by=..."
    problem = f"{call}.{function_name}() of pandas computes with floats"
    floats = f"amounts.astype(float).{call}.{function_name}()"
    if function_name not in EXACT_WINDOW_FUNCTIONS or not arguments:
        return f"{problem}, and has no exact form: write {floats}"
    share = "0.95" if function_name == "quantile" else ""
    exact = f"frame.paylab.rolling({arguments}).{function_name}({share})"
    return f"{problem}: write {exact}, which is exact, or {floats}"
