"""Styles of a frame: cells show exact amounts, and bars and colours are computed with floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from .float_columns import as_floats

COMPUTED = ("_bar", "_background_gradient")  # pandas' functions of lengths and colours


class ExactStyler(Styler):
    """The styles of a frame with exact amounts."""

    data: pd.DataFrame

    def _apply(self, func: Callable[..., Any], *args: Any, **options: Any) -> Any:
        styler: Any = super()
        if getattr(func, "__name__", "") not in COMPUTED:
            return styler._apply(func, *args, **options)
        exact = self.data
        self.data = as_floats(exact)
        try:
            return styler._apply(func, *args, **options)
        finally:
            self.data = exact
