"""What to write instead of a window of pandas, which computes with floats."""

from __future__ import annotations

import sys
from types import FrameType

PLACE = "pandas.core.window"
EXACT = ("sum", "mean", "min", "max", "median", "quantile")
"""The functions that `frame.paylab.rolling` has."""
STATISTICS = ("std", "var", "sem", "skew", "kurt", "corr", "cov", "apply", "count", "rank")
OTHERS = ("first", "last", "nunique")


def describe_window_call() -> str:
    """The call that asks for floats, and the exact one, from the functions of pandas below it."""
    caller: FrameType | None = sys._getframe(1)
    while caller is not None:
        function_name = caller.f_code.co_name
        is_window = str(caller.f_globals.get("__name__", "")).startswith(PLACE)
        if is_window and function_name in (*EXACT, *STATISTICS, *OTHERS):
            return _describe(caller.f_locals.get("self"), function_name)
        caller = caller.f_back
    return _describe(None, "sum")


def _describe(window: object, function_name: str) -> str:
    """What is wrong with a function of a window of pandas, and what to write."""
    kind = type(window).__name__
    length = getattr(window, "window", None)
    length_text = repr(length) if isinstance(length, int | str) else "..."
    call, arguments = f"rolling({length_text})", length_text
    if kind.startswith("Expanding"):
        call, arguments = "expanding()", "len(frame), min_periods=1"
    elif kind.startswith("Exponential"):
        call, arguments = "ewm(...)", ""
    if kind.endswith("GroupBy") and arguments:
        arguments += ", by=..."
    problem = f"{call}.{function_name}() of pandas computes with floats"
    floats = f"amounts.astype(float).{call}.{function_name}()"
    if function_name not in EXACT or not arguments:
        return f"{problem}, and has no exact form: write {floats}"
    share = "0.95" if function_name == "quantile" else ""
    exact = f"frame.paylab.rolling({arguments}).{function_name}({share})"
    return f"{problem}: write {exact}, which is exact, or {floats}"
