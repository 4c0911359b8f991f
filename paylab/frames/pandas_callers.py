"""Find out which module of pandas calls a column, where pandas has no hook to refuse floats.

`nlargest` orders what `__array__` returns, `rolling` adds what `to_numpy(float)` returns, and
`mean` of a column of objects adds what `float` of each element returns. Only these three modules
are recognized, and matplotlib, which draws floats. If a version of pandas moves them, `nlargest`
and every conversion to floats inside pandas are refused.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter
from types import FrameType

RANKING = "pandas.core.methods.selectn"
WINDOWS = "pandas.core.window.rolling"
STATISTICS_MODULE = "pandas.core.nanops"


def has_windows() -> bool:
    """Whether this version of pandas converts the values of windows in the known module."""
    return _has_attribute(WINDOWS, "BaseWindow._prep_values")


def has_statistics() -> bool:
    """Whether this version of pandas converts the objects of a statistic in the known module."""
    return _has_attribute(STATISTICS_MODULE, "_ensure_numeric")


def _has_attribute(module_name: str, dotted_name: str) -> bool:
    try:
        attrgetter(dotted_name)(import_module(module_name))
    except (ImportError, AttributeError):
        return False
    return True


HAS_WINDOWS = has_windows()
HAS_BOTH = HAS_WINDOWS and has_statistics()


def is_ranking() -> bool:
    """Whether the caller of the calling function is `nlargest` or `nsmallest`."""
    return _find_caller() == RANKING


def is_window(*, is_known: bool = HAS_WINDOWS) -> bool:
    """Whether the caller of the calling function is a window of pandas."""
    caller = _find_caller()
    return caller == WINDOWS or (not is_known and caller.startswith("pandas."))


def is_statistic_or_window(*, is_known: bool = HAS_BOTH) -> bool:
    """Whether the caller of the calling function is a statistic or a window of pandas."""
    caller = _find_caller()
    return caller in (STATISTICS_MODULE, WINDOWS) or (not is_known and caller.startswith("pandas."))


def is_plotting() -> bool:
    """Whether matplotlib asks for the values of a column or frame.

    Callers inside pandas, numpy and paylab are skipped.
    """
    # 0 is this function, 1 the method that asks, 2 its caller.
    caller_frame: FrameType | None = sys._getframe(2)
    while caller_frame is not None:
        module_name = str(caller_frame.f_globals.get("__name__", ""))
        if not module_name.startswith(("pandas.", "numpy.", "paylab.")):
            return module_name.startswith("matplotlib.")
        caller_frame = caller_frame.f_back
    return False


def _find_caller() -> str:
    """The name of the module that called the function that asks who calls it."""
    # 0 is this function, 1 for example `is_ranking`, 2 the method that asks, 3 its caller.
    caller_frame = sys._getframe(3)
    return str(caller_frame.f_globals.get("__name__", ""))
