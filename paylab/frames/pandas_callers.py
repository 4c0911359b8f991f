"""Find out which module of pandas calls a column, where pandas has no hook to refuse floats.

`nlargest` orders what `__array__` returns, `rolling` adds what `to_numpy(float)` returns, and
`mean` of a column of objects adds what `float` of each element returns. Only these three modules
are recognized, and matplotlib, which draws floats. If a version of pandas moves them, `nlargest`
and every conversion to floats inside pandas are refused.

The common type of amounts and floats is asked for when keys are matched, when columns are joined,
and to show a row: `find_type_use` tells these apart. If a version of pandas moves them, the common
type is that of objects, as for a row.
"""

from __future__ import annotations

import sys
from enum import Enum, auto
from importlib import import_module
from operator import attrgetter
from types import FrameType

RANKING = "pandas.core.methods.selectn"
WINDOWS = "pandas.core.window.rolling"
STATISTICS_MODULE = "pandas.core.nanops"
ORDERS = {STATISTICS_MODULE, "pandas.core.sorting", "pandas.core.algorithms"}
"""The modules that order objects: for `max`, `sort_values`, `rank` and the keys of groups."""
POSITIONS = {"nanargmax", "nanargmin"}
"""Functions whose result is no amount; numpy goes on after an error in them."""

TYPES = "pandas.core.dtypes.cast"
MERGES = "pandas.core.reshape.merge"
INDEXES = ("pandas.core.indexes.base", "pandas.core.indexes.api", "pandas.core.indexes.multi")
JOINED = {
    *("pandas.core.dtypes.concat", "pandas.core.internals.concat"),
    "pandas.core.internals.blocks",  # for `where` and `mask`
}
COLUMNS = "pandas.core.series"
FRAMES = "pandas.core.frame"
MATCHING = {
    *("get_indexer", "get_indexer_non_unique", "join", "union", "union_indexes"),
    *("intersection", "difference", "symmetric_difference"),
}
"""The functions of an index that match its labels with others."""


class TypeUse(Enum):
    """What pandas needs the common type of two columns for."""

    MATCH = auto()
    """To find equal values."""
    JOIN = auto()
    """To make one column of both."""
    CASES = auto()
    """To replace values of the one by those of the other, in `case_when`."""
    OTHER = auto()
    """For example, to show a row."""


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


def is_ordering() -> bool:
    """Whether pandas orders objects, of which numpy asks the calling function to compare two."""
    caller_frame: FrameType | None = sys._getframe(2)
    while caller_frame is not None:
        module_name = str(caller_frame.f_globals.get("__name__", ""))
        if not module_name.startswith("numpy."):
            is_position = caller_frame.f_code.co_name in POSITIONS
            return module_name in ORDERS and not is_position
        caller_frame = caller_frame.f_back
    return False


def find_type_use() -> TypeUse:
    """What the common type is for that pandas asks a type of column for."""
    caller_frame: FrameType | None = sys._getframe(2)
    while caller_frame is not None:
        module_name = str(caller_frame.f_globals.get("__name__", ""))
        function_name = caller_frame.f_code.co_name
        if module_name == MERGES or (module_name in INDEXES and function_name in MATCHING):
            return TypeUse.MATCH
        if module_name in JOINED:
            return TypeUse.JOIN
        if module_name == FRAMES and function_name == "combine":
            return TypeUse.JOIN
        if module_name == COLUMNS and function_name == "case_when":
            return TypeUse.CASES
        is_on_the_way = module_name.startswith("paylab.") or module_name == TYPES
        if not is_on_the_way and function_name != "_find_common_type_compat":
            return TypeUse.OTHER
        caller_frame = caller_frame.f_back
    return TypeUse.OTHER


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
