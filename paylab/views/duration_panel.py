"""The panel of a chart of durations: a histogram, the median and p95 of each corridor."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..errors.extras import extra_imports
from .chart_style import (
    TEXT_COLOUR,
    Spec,
    colour_scale,
    label_lookup,
    number_axis,
    tooltip,
)
from .durations import short_duration

with extra_imports():
    import pandas as pd

TICK_SECONDS = (1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000, 8_640_000)
BINS_PER_POWER_OF_TEN = 8
ROW_HEIGHT = 38
LABEL_LINE_HEIGHT = 14
"""Pixels of the row of a corridor, and of each of the two lines of its label."""


def duration_panel(seconds_by_corridor: Mapping[str, pd.Series[Any]]) -> Spec:
    """One row per corridor: a histogram as a strip, the median and p95."""
    bin_rows = []
    quantile_rows = []
    for corridor_name, seconds_column in seconds_by_corridor.items():
        bin_rows += _bin_values(corridor_name, seconds_column)
        quantile_rows.append(_quantile_values(corridor_name, seconds_column))
    colour_channel = {
        "field": "corridor",
        "scale": colour_scale(seconds_by_corridor),
        "legend": None,
    }
    row_encoding = {"field": "corridor", "type": "nominal", "sort": list(seconds_by_corridor)}
    return {
        "height": ROW_HEIGHT * len(seconds_by_corridor),
        "layer": [
            _strip_layer(bin_rows, row_encoding, colour_channel),
            _quantile_layer(quantile_rows, row_encoding, colour_channel),
        ],
        "resolve": {"axis": {"y": "independent"}},
    }


def _strip_layer(bins: list[Spec], row_encoding: Spec, colour_channel: Spec) -> Spec:
    """The bins of each corridor as a strip; the opacity shows the number of rows."""
    longest_seconds = max(bin_row["high"] for bin_row in bins)
    ticks = [tick_seconds for tick_seconds in TICK_SECONDS if tick_seconds <= longest_seconds]
    label_expression = label_lookup(
        {str(tick_seconds): short_duration(tick_seconds) for tick_seconds in ticks}
    )
    log_scale = {"type": "log", "domain": [1, longest_seconds], "nice": False}
    time_axis: Spec = {
        "title": None,
        "values": ticks,
        "labelExpr": label_expression,
        "labelFlush": True,
        "grid": True,
    }
    opacity_channel = {
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
            "x": {**number_axis("low", log_scale, **time_axis), "stack": None},
            "x2": {"field": "high"},
            "color": colour_channel,
            "opacity": opacity_channel,
            "tooltip": tooltip(corridor="Corridor", between="Time", rows="Rows"),
        },
    }


def _quantile_layer(quantiles: list[Spec], row_encoding: Spec, colour_channel: Spec) -> Spec:
    """A line at p95 and a dot at the median of each corridor, with labels on the right."""
    label_expression = label_lookup(
        {quantile_row["corridor"]: quantile_row["label"] for quantile_row in quantiles}
    )
    label_axis = {
        "title": None,
        "orient": "right",
        "labelExpr": label_expression,
        "labelLineHeight": LABEL_LINE_HEIGHT,
        "labelOffset": -LABEL_LINE_HEIGHT // 2,
        "ticks": False,
        "domain": False,
    }
    tooltip_fields = tooltip(corridor="Corridor", median_text="Median", p95_text="p95", rows="Rows")
    p95_mark = {"type": "tick", "color": TEXT_COLOUR, "thickness": 2, "bandSize": 24}
    p95_encoding = {"x": {"field": "p95", "type": "quantitative"}, "tooltip": tooltip_fields}
    median_mark = {"type": "point", "filled": True, "size": 110, "stroke": "white", "opacity": 1}
    median_encoding = {
        "x": {"field": "median", "type": "quantitative"},
        "color": colour_channel,
        "tooltip": tooltip_fields,
    }
    return {
        "data": {"values": quantiles},
        "encoding": {"y": {**row_encoding, "axis": label_axis}},
        "layer": [
            {"mark": p95_mark, "encoding": p95_encoding},
            {"mark": median_mark, "encoding": median_encoding},
        ],
    }


def _bin_values(corridor: str, seconds: pd.Series[Any]) -> list[Spec]:
    """A histogram of durations, in bins of equal width on a logarithmic scale."""
    bin_numbers = (int(BINS_PER_POWER_OF_TEN * math.log10(duration)) for duration in seconds)
    count_by_bin = Counter(bin_numbers)
    largest_count = max(count_by_bin.values())
    bin_rows = []
    for bin_number, row_count in sorted(count_by_bin.items()):
        low_seconds = 10 ** (bin_number / BINS_PER_POWER_OF_TEN)
        high_seconds = 10 ** ((bin_number + 1) / BINS_PER_POWER_OF_TEN)
        bin_rows.append(
            {
                "corridor": corridor,
                "low": low_seconds,
                "high": high_seconds,
                "between": f"{short_duration(low_seconds)} to {short_duration(high_seconds)}",
                "rows": row_count,
                "weight": row_count / largest_count,
            }
        )
    return bin_rows


def _quantile_values(corridor: str, seconds: pd.Series[Any]) -> Spec:
    """The median and p95 of the durations of a corridor, as numbers and as texts."""
    median_seconds = float(seconds.quantile(0.5))
    p95_seconds = float(seconds.quantile(0.95))
    return {
        "corridor": corridor,
        "median": median_seconds,
        "p95": p95_seconds,
        # Two lines: on one, the longest durations exceed the width that Vega gives a label.
        "label": [f"median {short_duration(median_seconds)}", f"p95 {short_duration(p95_seconds)}"],
        "rows": len(seconds),
        "median_text": short_duration(median_seconds),
        "p95_text": short_duration(p95_seconds),
    }
