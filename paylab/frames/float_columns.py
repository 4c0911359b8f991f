"""Exact columns as floats, for statistics and plots."""

from __future__ import annotations

import pandas as pd

from .decimal_array import DecimalDtype


def as_floats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with exact columns as floats, for statistics and plots; `attrs` says so."""
    exact = [name for name, kind in frame.dtypes.items() if isinstance(kind, DecimalDtype)]
    found = frame.astype(dict.fromkeys(exact, float))
    found.attrs = {**frame.attrs, "amounts": "float"}
    return found
