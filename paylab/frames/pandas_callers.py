"""Find out which module of pandas calls a column, where pandas has no hook to refuse floats.

`nlargest` orders what `__array__` returns, `rolling` adds what `to_numpy(float)` returns, and
`mean` of a column of objects adds what `float` of each element returns. Only these three modules
are recognized, and matplotlib, which draws floats. If a version of pandas moves them, `nlargest`
and every conversion to floats inside pandas are refused.

The common type of amounts and floats is asked for when keys are matched, when columns are joined,
and to show a row: `find_type_use` tells these apart. If a version of pandas moves them, the common
type is that of objects, as for a row.

The results of a function of groups are converted by the array of the column. If a version of pandas
moves that, amounts that a function returns for text lose their currencies.
"""

from __future__ import annotations

import sys
from enum import Enum, auto
from importlib import import_module
from operator import attrgetter
from types import FrameType

RANKING_MODULE = "pandas.core.methods.selectn"
WINDOWS_MODULE = "pandas.core.window.rolling"
STATISTICS_MODULE = "pandas.core.nanops"
ORDERS = {STATISTICS_MODULE, "pandas.core.sorting", "pandas.core.algorithms"}
"""The modules that order objects: for `max`, `sort_values`, `rank` and the keys of groups."""
POSITIONS = {"nanargmax", "nanargmin", "searchsorted"}
"""Functions whose result is no amount; numpy goes on after an error in them."""

CONVERTING_RESULTS = {
    ("pandas.core.groupby.ops", "agg_series"),
    ("pandas.core.series", "combine"),
}
"""The functions that make a column of what the function of a user returned."""
STATISTICS_TABLE = "pandas.core.apply"
"""The module that makes a table of several statistics, for `agg`."""
TYPES = "pandas.core.dtypes.cast"
INDEXES = ("pandas.core.indexes.base", "pandas.core.indexes.api", "pandas.core.indexes.multi")
MATCHING = {
    *("get_indexer", "get_indexer_non_unique", "join", "union", "union_indexes"),
    *("intersection", "difference", "symmetric_difference"),
}
"""The functions of an index that match its labels with others."""


class TypeUse(Enum):
    """What pandas needs the common type of two columns for."""

    MATCH = auto()
    """To find equal values in two indexes."""
    MERGE = auto()
    """To find equal values in a merge."""
    JOIN = auto()
    """To make one column of both."""
    CASES = auto()
    """To replace values of the one by those of the other, in `case_when`."""
    OTHER = auto()
    """For example, to show a row."""


USE_BY_MODULE = {
    "pandas.core.reshape.merge": TypeUse.MERGE,
    "pandas.core.dtypes.concat": TypeUse.JOIN,
    "pandas.core.internals.concat": TypeUse.JOIN,
    "pandas.core.internals.blocks": TypeUse.JOIN,  # for `where` and `mask`
}
USE_BY_FUNCTION = {
    ("pandas.core.frame", "combine"): TypeUse.JOIN,
    ("pandas.core.series", "case_when"): TypeUse.CASES,
}


def has_windows() -> bool:
    """Whether this version of pandas converts the values of windows in the known module."""
    return _has_attribute(WINDOWS_MODULE, "BaseWindow._prep_values")


def has_statistics() -> bool:
    """Whether this version of pandas converts the objects of a statistic in the known module."""
    return _has_attribute(STATISTICS_MODULE, "_ensure_numeric")


def _has_attribute(module_name: str, dotted_name: str) -> bool:
    """Whether a module of pandas has a name, such as `BaseWindow._prep_values`."""
    try:
        attrgetter(dotted_name)(import_module(module_name))
    except (ImportError, AttributeError):
        return False
    return True


HAS_WINDOWS = has_windows()
HAS_BOTH = HAS_WINDOWS and has_statistics()


def is_ranking() -> bool:
    """Whether `nlargest` or `nsmallest` called the calling function; the module is compared."""
    return _find_caller_module() == RANKING_MODULE


def is_window(*, is_known: bool = HAS_WINDOWS) -> bool:
    """Whether the module of pandas' windows called the calling function."""
    caller_module = _find_caller_module()
    return caller_module == WINDOWS_MODULE or (not is_known and caller_module.startswith("pandas."))


def is_statistic_or_window(*, is_known: bool = HAS_BOTH) -> bool:
    """Whether pandas' module of statistics or of windows called the calling function."""
    caller_module = _find_caller_module()
    return caller_module in (STATISTICS_MODULE, WINDOWS_MODULE) or (
        not is_known and caller_module.startswith("pandas.")
    )


def is_converting_results() -> bool:
    """Whether pandas asks a column for its array to convert the results of a function."""
    # 0 is this function, 1 the property that asks, 2 its caller.
    caller_frame = sys._getframe(2)
    module_name = str(caller_frame.f_globals.get("__name__", ""))
    return (module_name, caller_frame.f_code.co_name) in CONVERTING_RESULTS


def is_ordering() -> bool:
    """Whether the calling function compares two objects because pandas orders them, by numpy."""
    caller_frame: FrameType | None = sys._getframe(2)
    while caller_frame is not None:
        module_name = str(caller_frame.f_globals.get("__name__", ""))
        if not module_name.startswith("numpy."):
            is_position = caller_frame.f_code.co_name in POSITIONS
            return module_name in ORDERS and not is_position
        caller_frame = caller_frame.f_back
    return False


def find_numpy_function() -> tuple[str, bool]:
    """The function of numpy that computes with an element, and whether pandas called it.

    "" without one. numpy's own calls of its functions are skipped.
    """
    caller_frame: FrameType | None = sys._getframe(1)
    function_name = ""
    while caller_frame is not None:
        module_name = str(caller_frame.f_globals.get("__name__", ""))
        if module_name.startswith("numpy."):
            function_name = caller_frame.f_code.co_name
        elif function_name or not module_name.startswith("paylab."):
            return function_name, module_name.startswith("pandas.")
        caller_frame = caller_frame.f_back
    return function_name, False


def find_type_use() -> TypeUse:
    """What pandas needs the common type for, for which it asks the type of a column."""
    caller_frame: FrameType | None = sys._getframe(2)
    type_use: TypeUse | None = None
    while caller_frame is not None and type_use is None:
        module_name = str(caller_frame.f_globals.get("__name__", ""))
        type_use = _find_use(module_name, caller_frame.f_code.co_name)
        caller_frame = caller_frame.f_back
    if type_use is TypeUse.JOIN and _has_caller(caller_frame, STATISTICS_TABLE):
        return TypeUse.OTHER  # sums and floats below each other
    return type_use or TypeUse.OTHER


def _has_caller(caller_frame: FrameType | None, module_name: str) -> bool:
    """Whether a module is among the functions of pandas that lead to a frame of the stack."""
    while caller_frame is not None:
        caller_name = str(caller_frame.f_globals.get("__name__", ""))
        if caller_name == module_name or not caller_name.startswith("pandas."):
            return caller_name == module_name
        caller_frame = caller_frame.f_back
    return False


def _find_use(module_name: str, function_name: str) -> TypeUse | None:
    """What a function needs a common type for; None for one that asks for its caller."""
    if module_name in USE_BY_MODULE:
        return USE_BY_MODULE[module_name]
    if (module_name, function_name) in USE_BY_FUNCTION:
        return USE_BY_FUNCTION[module_name, function_name]
    if module_name in INDEXES and function_name in MATCHING:
        return TypeUse.MATCH
    is_in_between = module_name.startswith("paylab.") or module_name == TYPES
    if is_in_between or function_name == "_find_common_type_compat":
        return None
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


def _find_caller_module() -> str:
    """The name of the module that called the function that asks who calls it."""
    # 0 is this function, 1 for example `is_ranking`, 2 the method that asks, 3 its caller.
    caller_frame = sys._getframe(3)
    return str(caller_frame.f_globals.get("__name__", ""))
