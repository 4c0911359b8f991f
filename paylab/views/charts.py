"""Charts of a frame of transfers or conversions: volume, funnel, times, failures and fees.

Each function takes a frame and returns a `Chart`; the chart of an empty frame says so.
Lengths and positions are floats; amounts in tooltips are exact sums of decimals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from functools import reduce
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.extras import extra_imports
from ..spec import status
from .chart_rows import chart_rows
from .chart_style import (
    WIDTH,
    Chart,
    Spec,
    label_lookup,
    make_chart,
    make_panel,
    number_axis,
    tooltip,
    with_legend_filter,
)
from .chart_ticks import day_ticks, power_ticks, whole_ticks
from .duration_panel import duration_panel

with extra_imports():
    import pandas as pd

CORRIDORS_MAX = 8
POINTS_MAX = 400
REASONS_MAX = 12
AMOUNT_AXIS: Spec = {"format": ",.3~r", "grid": True}
SUM_CONTEXT = Context(prec=1_000)
STAGES = ("created", "started", "completed")
STAGE_COLOURS = ("#2f6fd0", "#1d8c99", "#2e8b57")
OTHERS = "others"
"""The name of the corridors that have no colour of their own in a panel."""


@explain_arguments
def volume(frame: pd.DataFrame | None) -> Chart:
    """Source volume per day and corridor, with a panel for each currency.

    >>> charts.volume(lab.transfers.frame())
    Chart('Volume per day and corridor')
    """
    rows = chart_rows(frame).dropna(subset=["created_at", "source_amount", "source_currency"])
    rows["day"] = rows["created_at"].dt.strftime("%Y-%m-%d")
    return make_chart("Volume per day and corridor", _panels_by_currency(rows, _volume_panel))


@explain_arguments
def statuses(frame: pd.DataFrame | None) -> Chart:
    """A funnel: the number of rows created, started and completed, and the status of the rest.

    >>> charts.statuses(lab.transfers.frame())
    Chart('Status funnel')
    """
    counts = Counter(chart_rows(frame)["status"].dropna())
    has_conversions = frame is not None and "deposit_amount" in frame  # transfers lack it
    status_machine = status.CONVERSION if has_conversions else status.TRANSFER
    return make_chart("Status funnel", [_funnel_panel(counts, status_machine)] if counts else [])


@explain_arguments
def completion(frame: pd.DataFrame | None) -> Chart:
    """The time to completion per corridor: distribution, median (dot) and p95 (line).

    >>> charts.completion(lab.transfers.frame())
    Chart('Time to completion')
    """
    rows = chart_rows(frame)
    rows = rows[rows["completed_in"] >= 0]
    duration_groups = sorted(
        rows.groupby("corridor")["completed_in"], key=lambda group: group[1].median()
    )
    seconds_by_corridor = {
        str(corridor): seconds.clip(lower=1) for corridor, seconds in duration_groups
    }
    panels = [duration_panel(seconds_by_corridor)] if seconds_by_corridor else []
    return make_chart("Time to completion", panels)


@explain_arguments
def failures(frame: pd.DataFrame | None) -> Chart:
    """The number of failed rows by reason and corridor, and their share of the corridor.

    >>> charts.failures(lab.transfers.frame())
    Chart('Failures by reason')
    """
    rows = chart_rows(frame)
    failed_rows = rows[rows["status"] == "failed"]
    if failed_rows.empty:
        return make_chart("Failures by reason", [], "no row has failed")
    corridor_counts = Counter(rows["corridor"])
    failed_counts = Counter(
        zip(_group_rare_reasons(failed_rows), failed_rows["corridor"], strict=True)
    )
    bars = []
    for (reason, corridor), failed_count in _sort_by_count(failed_counts):
        corridor_count = corridor_counts[corridor]
        share_text = f"{failed_count / corridor_count:.1%} of {corridor_count:,} rows"
        bars.append(
            {"reason": reason, "corridor": corridor, "rows": failed_count, "share": share_text}
        )
    return make_chart("Failures by reason", [_reason_panel(bars)])


@explain_arguments
def fees(frame: pd.DataFrame | None) -> Chart:
    """Fee against amount, with a panel for each currency that has both.

    >>> charts.fees(lab.transfers.frame())
    Chart('Fees against amount')
    """
    rows = chart_rows(frame)
    rows = rows[rows["source_currency"] == rows["fee_currency"]]
    rows = rows.dropna(subset=["source_amount", "total_fee"])
    rows = rows[(rows["source_amount"] > 0) & (rows["total_fee"] > 0)]  # the scales are logarithmic
    return make_chart("Fees against amount", _panels_by_currency(rows, _fee_panel))


def _funnel_panel(counts: Mapping[str, int], machine: status.Machine) -> Spec:
    """The panel of a funnel, from the number of rows per status: a bar for each stage."""
    stages_by_status = {status_name: _passed_stages(machine, status_name) for status_name in counts}
    last_stage_by_status = {
        status_name: stages[-1] for status_name, stages in stages_by_status.items()
    }
    total_count = sum(counts.values())
    bars = []
    labels: dict[str, str | list[str]] = {}
    for stage in STAGES:
        row_count = sum(
            status_count
            for status_name, status_count in counts.items()
            if stage in stages_by_status[status_name]
        )
        share_text = f"{row_count / total_count:.1%}"
        stopped_texts = [
            f"{status_count:,} {status_name}"
            for status_name, status_count in sorted(counts.items())
            if last_stage_by_status[status_name] == stage and status_name != stage
        ]
        labels[stage] = [stage, f"{row_count:,} ({share_text})", *stopped_texts]
        bars.append(_funnel_bar(stage, row_count, share_text, stopped_texts))
    bar_mark = {"type": "bar", "opacity": 0.9}
    return make_panel(76 * len(STAGES), bars, bar_mark, _funnel_encoding(labels))


def _funnel_bar(stage: str, row_count: int, share_text: str, stopped_texts: Sequence[str]) -> Spec:
    """The bar of a stage, as wide as the number of rows that passed it.

    `stopped_texts` count the rows that go no further, such as "2 failed".
    """
    return {
        "stage": stage,
        "rows": row_count,
        "share": share_text,
        "others": ", ".join(stopped_texts),
        "left": -row_count / 2,
        "right": row_count / 2,
    }


def _funnel_encoding(labels: Mapping[str, str | list[str]]) -> Spec:
    """Bars in the middle of the panel, with the label of each stage beside its bar."""
    stage_axis = {
        "title": None,
        "ticks": False,
        "domain": False,
        "labelPadding": 10,
        "labelOffset": -16,
        "labelExpr": label_lookup(labels),
        "labelFontSize": 12,
        "labelLineHeight": 16,
    }
    colour_scale = {"domain": list(STAGES), "range": list(STAGE_COLOURS)}
    return {
        "y": {"field": "stage", "type": "nominal", "sort": list(STAGES), "axis": stage_axis},
        "x": {"field": "left", "type": "quantitative", "axis": None, "stack": None},
        "x2": {"field": "right"},
        "color": {"field": "stage", "scale": colour_scale, "legend": None},
        "tooltip": tooltip(stage="Stage", rows="Rows", share="Of all", others="Others here"),
    }


def _passed_stages(machine: status.Machine, status_name: str) -> list[str]:
    """The stages that every row with this status has passed, because every path leads there."""
    entered_states = set(machine.moves.values())
    initial_states = {state for state, _ in machine.moves} - entered_states

    def is_passed(stage: str) -> bool:
        """Whether no path from an initial state to the status goes around a stage."""
        if status_name == stage:
            return True
        if status_name not in entered_states:
            return False
        return not any(machine.path(state, status_name, without=stage) for state in initial_states)

    created_stage, *later_stages = STAGES
    return [created_stage, *filter(is_passed, later_stages)]


def _panels_by_currency(
    rows: pd.DataFrame, make_currency_panel: Callable[[pd.DataFrame, str], Spec]
) -> list[Spec]:
    """A panel for the rows of each source currency."""
    currencies = rows["source_currency"]
    return [
        make_currency_panel(rows[currencies == currency], currency)
        for currency in sorted(currencies.unique())
    ]


def _volume_panel(rows: pd.DataFrame, currency: str) -> Spec:
    """Stacked bars of the exact sums per day and corridor."""
    rows = rows.assign(corridor=_group_small_corridors(rows))
    amounts_by_day_and_corridor: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    columns = (rows[column_name] for column_name in ("day", "corridor", "source_amount"))
    for day, corridor, amount in zip(*columns, strict=True):
        amounts_by_day_and_corridor[day, corridor].append(amount)
    bars = []
    for (day, corridor), bar_amounts in sorted(amounts_by_day_and_corridor.items()):
        exact_sum = reduce(SUM_CONTEXT.add, bar_amounts)
        bar = {"day": day, "corridor": corridor, "rows": len(bar_amounts)}
        bars.append(bar | _amount_values(exact_sum, currency))
    ticks = day_ticks({day for day, _ in amounts_by_day_and_corridor})
    day_axis_options = {"title": None, "format": "%d %b", "labelOverlap": True, "values": ticks}
    encoding = {
        "x": {"field": "day", "timeUnit": "utcyearmonthdate", "axis": day_axis_options},
        "y": number_axis("amount", title=f"{currency} a day", tickCount=4, **AMOUNT_AXIS),
        "order": {"field": "corridor"},
        "tooltip": tooltip(day="Day (UTC)", corridor="Corridor", exact="Amount", rows="Rows"),
    }
    return with_legend_filter(make_panel(220, bars, "bar", encoding), _corridor_names(rows))


def _group_rare_reasons(failed_rows: pd.DataFrame) -> pd.Series[Any]:
    """The reason of each failed row if it is a frequent one, else "other reasons"."""
    reasons = failed_rows["failure_reason"].fillna("no reason given")
    frequent_reasons = [reason for reason, _ in _sort_by_count(Counter(reasons))[:REASONS_MAX]]
    return reasons.where(reasons.isin(frequent_reasons), "other reasons")


def _reason_panel(bars: list[Spec]) -> Spec:
    """Stacked bars with the reason above each bar, so that both fit a narrow page.

    A bar is the number of failed rows of a reason in a corridor.
    """
    count_by_reason: Counter[str] = Counter()
    for bar in bars:
        count_by_reason[bar["reason"]] += bar["rows"]
    reasons = [reason for reason, _ in _sort_by_count(count_by_reason)]
    largest_count = max(count_by_reason.values())
    labels = {reason: f"{reason} ({count_by_reason[reason]:,})" for reason in reasons}
    reason_axis = {
        "labelExpr": label_lookup(labels),
        # The label is above the bar.
        "labelAlign": "left",
        "labelOffset": -12,
        "labelPadding": -2,
        "labelLimit": WIDTH,
        "title": None,
        "ticks": False,
        "domain": False,
    }
    encoding = {
        "y": {"field": "reason", "type": "nominal", "sort": reasons, "axis": reason_axis},
        "x": number_axis("rows", title="rows", values=whole_ticks(largest_count), format=",d"),
        "tooltip": tooltip(reason="Reason", corridor="Corridor", rows="Rows", share="Share"),
    }
    bar_mark = {"type": "bar", "height": 14, "yOffset": 8}
    corridors = sorted({bar["corridor"] for bar in bars})
    return with_legend_filter(make_panel(44 * len(reasons), bars, bar_mark, encoding), corridors)


def _fee_panel(rows: pd.DataFrame, currency: str) -> Spec:
    """A point of fee and amount for each row; of a large frame, for every n-th row."""
    row_interval = -(-len(rows) // POINTS_MAX)  # rounded up
    rows = rows.iloc[::row_interval]
    rows = rows.assign(corridor=_group_small_corridors(rows))
    columns = (
        rows[column_name] for column_name in ("id", "corridor", "source_amount", "total_fee")
    )
    points = []
    for row_id, corridor, amount, fee in zip(*columns, strict=True):
        point = {"id": row_id, "corridor": corridor, **_amount_values(amount, currency)}
        points.append(point | {"fee": float(fee), "exact_fee": f"{fee:,f} {currency}"})
    encoding = {
        "x": _log_axis("amount", f"amount, {currency}", rows["source_amount"]),
        "y": _log_axis("fee", f"fee, {currency}", rows["total_fee"]),
        "tooltip": tooltip(id="Id", corridor="Corridor", exact="Amount", exact_fee="Fee"),
    }
    point_mark = {"type": "point", "filled": True, "size": 30}
    return with_legend_filter(make_panel(240, points, point_mark, encoding), _corridor_names(rows))


def _log_axis(field: str, title: str, amounts: pd.Series[Any]) -> Spec:
    """A logarithmic channel for positive amounts, with a line at each power of ten."""
    ticks = power_ticks(amounts.min(), amounts.max())
    log_scale = {"type": "log", "domain": [ticks[0], ticks[-1]]}
    return number_axis(field, log_scale, title=title, values=ticks, **AMOUNT_AXIS)


def _amount_values(amount: Decimal, currency: str) -> Spec:
    """An amount as a float for its position, and as exact text for its tooltip."""
    return {"amount": float(amount), "exact": f"{amount:,f} {currency}"}


def _sort_by_count(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """The items of a counter, the largest first; equal ones in order of their keys."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _corridor_names(rows: pd.DataFrame) -> list[str]:
    """The corridors of the rows in order of their names; the others are last."""
    return sorted(rows["corridor"].unique(), key=lambda name: (name == OTHERS, name))


def _group_small_corridors(rows: pd.DataFrame) -> pd.Series[Any]:
    """The corridor of each row if it is one of the largest by amount, else "others"."""
    corridors = rows["corridor"]
    amount_sums = rows["source_amount"].astype("float64").groupby(corridors).sum()
    descending_sums = amount_sums.sort_values(ascending=False, kind="stable")
    largest_names = [str(corridor) for corridor in descending_sums.index]
    if len(largest_names) > CORRIDORS_MAX:
        largest_names = largest_names[: CORRIDORS_MAX - 1]  # the others are one more
    return corridors.where(corridors.isin(largest_names), OTHERS)


__all__ = [
    "completion",
    "failures",
    "fees",
    "statuses",
    "volume",
]


def __dir__() -> list[str]:
    """The charts, which an editor completes."""
    return sorted(__all__)
