"""The panel of a chart of durations: a histogram, the median and p95 of each corridor."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..errors.extras import extra_imports
from .chart_style import (
    FAILED_COLOUR,
    Spec,
    colour_scale,
    label_lookup,
    number_axis,
    tooltip,
)

with extra_imports():
    import pandas as pd

TICK_SECONDS = (1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000, 8_640_000)
BINS_PER_POWER_OF_TEN = 8


def duration_panel(seconds_by_corridor: Mapping[str, pd.Series[Any]]) -> Spec:
    """One row per corridor: a histogram as a strip, the median and p95."""
    bins = []
    quantiles = []
    for corridor, seconds in seconds_by_corridor.items():
        bins += _bin_values(corridor, seconds)
        quantiles.append(_quantile_values(corridor, seconds))
    colour = {"field": "corridor", "scale": colour_scale(seconds_by_corridor), "legend": None}
    row_encoding = {"field": "corridor", "type": "nominal", "sort": list(seconds_by_corridor)}
    return {
        "height": 38 * len(seconds_by_corridor),
        "layer": [
            _strip_layer(bins, row_encoding, colour),
            _quantile_layer(quantiles, row_encoding, colour),
        ],
        "resolve": {"axis": {"y": "independent"}},
    }


def duration_text(seconds: float) -> str:
    """Format seconds as 45 s, 3 min, 2.5 h or 4 d.

    >>> duration_text(9000)
    '2.5 h'
    """
    for unit_seconds, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit_seconds:
            return f"{seconds / unit_seconds:.3g} {unit}"
    return f"{seconds:.3g} s"


def _strip_layer(bins: list[Spec], row_encoding: Spec, colour: Spec) -> Spec:
    """The bins of each corridor as a strip; the opacity shows the number of rows."""
    longest = max(bin_["high"] for bin_ in bins)
    ticks = [tick for tick in TICK_SECONDS if tick <= longest]
    tick_labels = label_lookup({str(tick): duration_text(tick) for tick in ticks})
    scale = {"type": "log", "domain": [1, longest], "nice": False}
    axis: Spec = {
        "title": None,
        "values": ticks,
        "labelExpr": tick_labels,
        "labelFlush": True,
        "grid": True,
    }
    opacity = {
        "field": "weight",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0.12, 0.8]},
        "legend": None,
    }
    return {
        "data": {"values": bins},
        "mark": {"type": "bar", "height": {"band": 0.62}},
        "encoding": {
            "y": {**row_encoding, "axis": {"title": None}},
            "x": {**number_axis("low", scale, **axis), "stack": None},
            "x2": {"field": "high"},
            "color": colour,
            "opacity": opacity,
            "tooltip": tooltip(corridor="Corridor", between="Time", rows="Rows"),
        },
    }


def _quantile_layer(quantiles: list[Spec], row_encoding: Spec, colour: Spec) -> Spec:
    """A line at p95 and a dot at the median of each corridor, with labels on the right."""
    labels = label_lookup({value["corridor"]: value["label"] for value in quantiles})
    axis = {"title": None, "orient": "right", "labelExpr": labels, "ticks": False, "domain": False}
    tips = tooltip(corridor="Corridor", median_text="Median", p95_text="p95", rows="Rows")
    p95_mark = {"type": "tick", "color": FAILED_COLOUR, "thickness": 3, "bandSize": 24}
    p95_encoding = {"x": {"field": "p95", "type": "quantitative"}, "tooltip": tips}
    median_mark = {"type": "point", "filled": True, "size": 110, "stroke": "white", "opacity": 1}
    median_encoding = {
        "x": {"field": "median", "type": "quantitative"},
        "color": colour,
        "tooltip": tips,
    }
    return {
        "data": {"values": quantiles},
        "encoding": {"y": {**row_encoding, "axis": axis}},
        "layer": [
            {"mark": p95_mark, "encoding": p95_encoding},
            {"mark": median_mark, "encoding": median_encoding},
        ],
    }


def _bin_values(corridor: str, seconds: pd.Series[Any]) -> list[Spec]:
    """A histogram of durations, in bins of equal width on a logarithmic scale."""
    counts = Counter(int(BINS_PER_POWER_OF_TEN * math.log10(second)) for second in seconds)
    largest_count = max(counts.values())
    bins = []
    for index, count in sorted(counts.items()):
        low = 10 ** (index / BINS_PER_POWER_OF_TEN)
        high = 10 ** ((index + 1) / BINS_PER_POWER_OF_TEN)
        bins.append(
            {
                "corridor": corridor,
                "low": low,
                "high": high,
                "between": f"{duration_text(low)} to {duration_text(high)}",
                "rows": count,
                "weight": count / largest_count,
            }
        )
    return bins


def _quantile_values(corridor: str, seconds: pd.Series[Any]) -> Spec:
    """The median and p95 of the durations of a corridor, as numbers and as texts."""
    median = float(seconds.quantile(0.5))
    p95 = float(seconds.quantile(0.95))
    return {
        "corridor": corridor,
        "median": median,
        "p95": p95,
        "label": f"median {duration_text(median)}, p95 {duration_text(p95)}",
        "rows": len(seconds),
        "median_text": duration_text(median),
        "p95_text": duration_text(p95),
    }
