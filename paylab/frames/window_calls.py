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
    caller_frame: FrameType | None = sys._getframe(1)
    while caller_frame is not None:
        function_name = caller_frame.f_code.co_name
        is_window = str(caller_frame.f_globals.get("__name__", "")).startswith(WINDOW_MODULES)
        if is_window and function_name in (
            *EXACT_WINDOW_FUNCTIONS,
            *INEXACT_WINDOW_FUNCTIONS,
            *OTHER_WINDOW_FUNCTIONS,
        ):
            return _describe(caller_frame.f_locals.get("self"), function_name)
        caller_frame = caller_frame.f_back
    return _describe(None, "sum")


def _describe(window: object, function_name: str) -> str:
    """Say what is wrong with a function of a window of pandas, and what to write."""
    class_name = type(window).__name__
    window_length = getattr(window, "window", None)
    length_text = repr(window_length) if isinstance(window_length, int | str) else "..."
    call_code, argument_code = f"rolling({length_text})", length_text
    if class_name.startswith("Expanding"):
        call_code, argument_code = "expanding()", "len(frame), min_periods=1"
    elif class_name.startswith("Exponential"):
        call_code, argument_code = "ewm(...)", ""
    if class_name.endswith("GroupBy") and argument_code:
        argument_code += ", by=..."
    problem_text = f"{call_code}.{function_name}() of pandas computes with floats"
    float_code = f"amounts.astype(float).{call_code}.{function_name}()"
    if function_name not in EXACT_WINDOW_FUNCTIONS or not argument_code:
        return f"{problem_text}, and has no exact form: write {float_code}"
    share_text = "0.95" if function_name == "quantile" else ""
    exact_code = f"frame.paylab.rolling({argument_code}).{function_name}({share_text})"
    return f"{problem_text}: write {exact_code}, which is exact, or {float_code}"
