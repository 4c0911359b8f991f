"""Charts of a frame of transfers or conversions: volume, funnel, times, failures and fees.

Each function takes a frame and returns a `Chart`; the chart of an empty frame says so.
Lengths and positions are floats; amounts in tooltips are exact sums of decimals.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from functools import reduce
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.extras import explained
from ..spec import status
from .chart_rows import drawn_rows
from .chart_style import (
    FAILED,
    WIDTH,
    Chart,
    Spec,
    colour_scale,
    filtered,
    lookup,
    panel_of,
    panels,
    quantity,
    tooltip,
)

with explained():
    import pandas as pd

MOST_CORRIDORS = 8
MOST_POINTS = 400
MOST_REASONS = 12
TICKS = (1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000, 8_640_000)  # seconds
BINS = 8  # for each power of ten
AMOUNTS: Spec = {"format": ",.3~r", "grid": True}
SUMS = Context(prec=1_000)
STAGES = ("created", "started", "completed")
COLOURS = ("#2f6fd0", "#1d8c99", "#2e8b57")


@explain_arguments
def volume(frame: pd.DataFrame | None) -> Chart:
    """Source volume per day and corridor, with a panel for each currency.

    >>> charts.volume(lab.transfers.frame())
    Chart('Volume per day and corridor')
    """
    rows = drawn_rows(frame).dropna(subset=["created_at", "source_amount", "source_currency"])
    rows["day"] = rows["created_at"].dt.strftime("%Y-%m-%d")
    return panels("Volume per day and corridor", _by_currency(rows, _volume_panel))


@explain_arguments
def statuses(frame: pd.DataFrame | None) -> Chart:
    """A funnel: the number of rows created, started and completed, and the status of the rest.

    >>> charts.statuses(lab.transfers.frame())
    Chart('Status funnel')
    """
    counts = Counter(drawn_rows(frame)["status"].dropna())
    is_conversion = frame is not None and "deposit_amount" in frame
    machine = status.CONVERSION if is_conversion else status.TRANSFER
    return panels("Status funnel", [_funnel(counts, machine)] if counts else [])


@explain_arguments
def completion(frame: pd.DataFrame | None) -> Chart:
    """The time to completion per corridor: distribution, median (dot) and p95 (line).

    >>> charts.completion(lab.transfers.frame())
    Chart('Time to completion')
    """
    rows = drawn_rows(frame)
    rows = rows[rows["completed_in"] >= 0]
    groups = sorted(rows.groupby("corridor")["completed_in"], key=lambda each: each[1].median())
    times = {str(name): seconds.clip(lower=1) for name, seconds in groups}
    return panels("Time to completion", [_spread(times)] if times else [])


@explain_arguments
def failures(frame: pd.DataFrame | None) -> Chart:
    """The number of failed rows by reason and corridor, and their share of the corridor.

    >>> charts.failures(lab.transfers.frame())
    Chart('Failures by reason')
    """
    rows = drawn_rows(frame)
    failed = rows[rows["status"] == "failed"]
    if failed.empty:
        return panels("Failures by reason", [], "no row has failed")
    stated_reasons = failed["failure_reason"].fillna("no reason given")
    common = [reason for reason, _ in _ranked(Counter(stated_reasons))][:MOST_REASONS]
    reasons = stated_reasons.where(stated_reasons.isin(common), "other reasons")
    counts = Counter(zip(reasons, failed["corridor"], strict=True))
    of_all = Counter(rows["corridor"])
    values = [
        {"reason": reason, "corridor": name, "rows": n}
        | {"share": f"{n / of_all[name]:.1%} of {of_all[name]:,} rows"}
        for (reason, name), n in _ranked(counts)
    ]
    return panels("Failures by reason", [_reasons(values)])


@explain_arguments
def fees(frame: pd.DataFrame | None) -> Chart:
    """Fee against amount, with a panel for each currency that has both.

    >>> charts.fees(lab.transfers.frame())
    Chart('Fees against amount')
    """
    points = drawn_rows(frame)
    points = points[points["source_currency"] == points["fee_currency"]]
    points = points.dropna(subset=["source_amount", "total_fee"])
    points = points[(points["source_amount"] > 0) & (points["total_fee"] > 0)]
    return panels("Fees against amount", _by_currency(points, _fee_panel))


def _funnel(counts: Mapping[str, int], machine: status.Machine) -> Spec:
    """The Vega-Lite specification of a funnel, from the number of rows per status."""
    passed = {word: _passed(machine, word) for word in counts}
    total = sum(counts.values())
    values: list[Spec] = []
    labels: dict[str, str | list[str]] = {}
    for stage in STAGES:
        stage_rows = sum(n for word, n in counts.items() if stage in passed[word])
        last = {word: n for word, n in counts.items() if passed[word][-1] == stage != word}
        ends = [f"{n:,} {word}" for word, n in sorted(last.items())]
        share = f"{stage_rows / total:.1%}"
        labels[stage] = [stage, f"{stage_rows:,} ({share})", *ends]
        stage_values = {
            "stage": stage,
            "rows": stage_rows,
            "share": share,
            "others": ", ".join(ends),
        }
        values.append({**stage_values, "left": -stage_rows / 2, "right": stage_rows / 2})
    text = {"labelExpr": lookup(labels), "labelFontSize": 12, "labelLineHeight": 16}
    axis = {"title": None, "ticks": False, "domain": False, "labelPadding": 10, "labelOffset": -16}
    colours = {"domain": list(STAGES), "range": list(COLOURS)}
    y = {"field": "stage", "type": "nominal", "sort": list(STAGES)}
    place = {
        "y": {**y, "axis": {**axis, **text}},
        "x": {"field": "left", "type": "quantitative", "axis": None, "stack": None},
        "x2": {"field": "right"},
        "color": {"field": "stage", "scale": colours, "legend": None},
        "tooltip": tooltip(stage="Stage", rows="Rows", share="Of all", others="Others here"),
    }
    return panel_of(76 * len(STAGES), values, {"type": "bar", "opacity": 0.9}, place)


def _passed(machine: status.Machine, word: str) -> list[str]:
    """The stages that every row with this status has passed: each way to it leads through them."""
    ends = set(machine.moves.values())
    first = {at for at, _ in machine.moves} - ends

    def is_passed(stage: str) -> bool:
        return word in ends and not any(machine.path(at, word, without=stage) for at in first)

    return [STAGES[0], *(stage for stage in STAGES[1:] if stage == word or is_passed(stage))]


@explain_arguments
def duration_text(seconds: float) -> str:
    """Format seconds as 45 s, 3 min, 2.5 h or 4 d.

    >>> charts.duration_text(9000)
    '2.5 h'
    """
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _by_currency(rows: pd.DataFrame, panel: Callable[[pd.DataFrame, str], Spec]) -> list[Spec]:
    groups = rows["source_currency"]
    return [panel(rows[groups == currency], currency) for currency in sorted(groups.unique())]


def _volume_panel(rows: pd.DataFrame, currency: str) -> Spec:
    rows = rows.assign(corridor=_most(rows))
    sums: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for day, name, amount in zip(rows["day"], rows["corridor"], rows["source_amount"], strict=True):
        sums[day, name].append(amount)
    values = [
        {"day": day, "corridor": name, "rows": len(amounts)}
        | _amount(reduce(SUMS.add, amounts), currency)
        for (day, name), amounts in sorted(sums.items())
    ]
    days = {"title": None, "format": "%d %b", "labelOverlap": True, "tickCount": 6}
    place = {
        "x": {"field": "day", "timeUnit": "utcyearmonthdate", "axis": days},
        "y": quantity("amount", title=f"{currency} a day", tickCount=4, **AMOUNTS),
        "order": {"field": "corridor"},
        "tooltip": tooltip(day="Day (UTC)", corridor="Corridor", exact="Amount", rows="Rows"),
    }
    return filtered(panel_of(220, values, "bar", place), _ordered(rows))


def _spread(times: Mapping[str, pd.Series[Any]]) -> Spec:
    """One row per corridor: a histogram as a strip, the median and p95."""
    bins = [bin_ for name, seconds in times.items() for bin_ in _bins(name, seconds)]
    longest = max(bin_["high"] for bin_ in bins)
    ticks = [tick for tick in TICKS if tick <= longest]
    words = lookup({str(tick): duration_text(tick) for tick in ticks})
    log = {"type": "log", "domain": [1, longest], "nice": False}
    times_axis: Spec = {"title": None, "values": ticks, "labelExpr": words, "labelFlush": True}
    colour = {"field": "corridor", "scale": colour_scale(times), "legend": None}
    weight = {"scale": {"domain": [0, 1], "range": [0.12, 0.8]}, "legend": None}
    y = {"field": "corridor", "type": "nominal", "sort": list(times)}
    strip = {
        "data": {"values": bins},
        "mark": {"type": "bar", "height": {"band": 0.62}},
        "encoding": {
            "y": {**y, "axis": {"title": None}},
            "x": {**quantity("low", log, **times_axis, grid=True), "stack": None},
            "x2": {"field": "high"},
            "color": colour,
            "opacity": {"field": "weight", "type": "quantitative", **weight},
            "tooltip": tooltip(corridor="Corridor", between="Time", rows="Rows"),
        },
    }
    points = [_quantiles(*bin_) for bin_ in times.items()]
    labels = lookup({bin_["corridor"]: bin_["label"] for bin_ in points})
    right = {"orient": "right", "labelExpr": labels, "ticks": False, "domain": False}
    marks = {
        "data": {"values": points},
        "encoding": {"y": {**y, "axis": {"title": None, **right}}},
        "layer": _marks(colour),
    }
    axes = {"axis": {"y": "independent"}}
    return {"height": 38 * len(times), "layer": [strip, marks], "resolve": axes}


def _bins(name: str, seconds: pd.Series[Any]) -> list[Spec]:
    """A histogram of durations, in bins of equal width on a logarithmic scale."""
    counts = Counter(int(BINS * math.log10(second)) for second in seconds)
    most = max(counts.values())
    bins = []
    for place, n in sorted(counts.items()):
        low = 10 ** (place / BINS)
        high = 10 ** ((place + 1) / BINS)
        between = f"{duration_text(low)} to {duration_text(high)}"
        edges = {"low": low, "high": high, "between": between}
        bins.append({"corridor": name, **edges, "rows": n, "weight": n / most})
    return bins


def _quantiles(name: str, seconds: pd.Series[Any]) -> Spec:
    median, p95 = (float(seconds.quantile(part)) for part in (0.5, 0.95))
    words = {"median_text": duration_text(median), "p95_text": duration_text(p95)}
    label = f"median {words['median_text']}, p95 {words['p95_text']}"
    rows = len(seconds)
    return {"corridor": name, "median": median, "p95": p95, "label": label, "rows": rows, **words}


def _marks(colour: Spec) -> list[Spec]:
    """A line at p95 and a dot at the median."""
    tips = tooltip(corridor="Corridor", median_text="Median", p95_text="p95", rows="Rows")
    dot = {"type": "point", "filled": True, "size": 110, "stroke": "white", "opacity": 1}
    line = {"type": "tick", "color": FAILED, "thickness": 3, "bandSize": 24}
    p95 = {"x": {"field": "p95", "type": "quantitative"}, "tooltip": tips}
    median = {"x": {"field": "median", "type": "quantitative"}, "color": colour, "tooltip": tips}
    return [{"mark": line, "encoding": p95}, {"mark": dot, "encoding": median}]


def _reasons(values: list[Spec]) -> Spec:
    """Stacked bars with the reason above each bar, so that both fit a narrow page."""
    totals: Counter[str] = Counter()
    for value in values:
        totals[value["reason"]] += value["rows"]
    order = [reason for reason, _ in _ranked(totals)]
    names = sorted({value["corridor"] for value in values})
    labels = {reason: f"{reason} ({totals[reason]:,})" for reason in order}
    above_bar = {"labelAlign": "left", "labelOffset": -12, "labelPadding": -2, "labelLimit": WIDTH}
    hidden = {"title": None, "ticks": False, "domain": False}
    axis = {"labelExpr": lookup(labels), **above_bar, **hidden}
    place = {
        "y": {"field": "reason", "type": "nominal", "sort": order, "axis": axis},
        "x": quantity("rows", title="rows", tickMinStep=1, format=",d"),
        "tooltip": tooltip(reason="Reason", corridor="Corridor", rows="Rows", share="Share"),
    }
    mark = {"type": "bar", "height": 14, "yOffset": 8}
    return filtered(panel_of(44 * len(order), values, mark, place), names)


def _fee_panel(points: pd.DataFrame, currency: str) -> Spec:
    drawn = points.iloc[:: -(-len(points) // MOST_POINTS)]
    drawn = drawn.assign(corridor=_most(drawn))
    columns = (drawn[name] for name in ("id", "corridor", "source_amount", "total_fee"))
    values = [
        {"id": row_id, "corridor": name, **_amount(amount, currency)}
        | {"fee": float(fee), "exact_fee": f"{fee:,f} {currency}"}
        for row_id, name, amount, fee in zip(*columns, strict=True)
    ]
    log = {"type": "log", "nice": True}
    place = {
        "x": quantity("amount", log, title=f"amount, {currency}", tickCount=5, **AMOUNTS),
        "y": quantity("fee", log, title=f"fee, {currency}", tickCount=5, **AMOUNTS),
        "tooltip": tooltip(id="Id", corridor="Corridor", exact="Amount", exact_fee="Fee"),
    }
    mark = {"type": "point", "filled": True, "size": 30}
    return filtered(panel_of(240, values, mark, place), _ordered(drawn))


def _amount(amount: Decimal, currency: str) -> Spec:
    return {"amount": float(amount), "exact": f"{amount:,f} {currency}"}


def _ranked(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _ordered(rows: pd.DataFrame) -> list[str]:
    return sorted(rows["corridor"].unique(), key=lambda name: (name == "others", name))


def _most(rows: pd.DataFrame) -> pd.Series[Any]:
    """The corridors with the largest sums, and the others combined."""
    sums = rows["source_amount"].astype("float64").groupby(rows["corridor"]).sum()
    largest = [str(name) for name in sums.sort_values(ascending=False, kind="stable").index]
    shown_names = largest if len(largest) <= MOST_CORRIDORS else largest[: MOST_CORRIDORS - 1]
    return rows["corridor"].where(rows["corridor"].isin(shown_names), "others")
