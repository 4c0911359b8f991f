"""The module that calls a column: pandas computes with floats where it gives no other hook.

`nlargest` orders what `__array__` returns, and `rolling` adds what `to_numpy(float)` returns. Only
these two modules are told apart. If a version of pandas moves them, `nlargest` and every conversion
to floats inside pandas are refused.
"""

from __future__ import annotations

import sys
from importlib import import_module

from ..errors.base import PaylabError

RANKING = "pandas.core.methods.selectn"
WINDOWS = "pandas.core.window.rolling"
INEXACT = (
    "windows of pandas compute with floats: write frame.paylab.rolling(7).sum(), which is exact, "
    "or compute with each `for window in amounts.rolling(7)`; for statistics write "
    "amounts.astype(float).rolling(7)"
)


class WindowError(PaylabError):
    """`rolling`, `expanding` or `ewm` of exact amounts, which pandas would compute with floats."""


def has_windows() -> bool:
    """Whether this pandas converts the values of windows in the known module."""
    try:
        return hasattr(import_module(WINDOWS).BaseWindow, "_prep_values")
    except (ImportError, AttributeError):
        return False


HAS_WINDOWS = has_windows()


def is_ranking() -> bool:
    """Whether the caller of the calling function is `nlargest` or `nsmallest`."""
    return _caller() == RANKING


def refuse_windows(*, is_known: bool = HAS_WINDOWS) -> None:
    """WindowError if the caller of the calling function is a window of pandas."""
    module = _caller()
    if module == WINDOWS or (not is_known and module.startswith("pandas.")):
        raise WindowError(INEXACT)


def _caller() -> str:
    return str(sys._getframe(3).f_globals.get("__name__", ""))
