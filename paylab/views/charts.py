"""Charts of a frame of transfers or conversions: volume, funnel, times, failures and fees.

Each function takes a frame and returns a `Chart`; the chart of an empty frame says so, and a frame
without a column that is drawn is an ArgumentError.
Lengths and positions are floats; amounts in tooltips are exact sums of decimals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from functools import reduce
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.extras import extra_imports
from ..spec.status import CONVERSION, TRANSFER
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
from .chart_ticks import day_domain, day_labels, day_ticks, power_ticks, whole_ticks
from .duration_panel import duration_panel
from .funnel_panel import funnel_panel

with extra_imports():
    import pandas as pd

CORRIDORS_MAX = 8
POINTS_MAX = 400
REASONS_MAX = 12
VOLUME_HEIGHT = 220
FEES_HEIGHT = 240
REASON_HEIGHT = 44
"""Pixels of a panel of amounts, of a panel of fees, and of each bar with its reason."""
AMOUNT_AXIS: Spec = {"format": ",.3~r", "grid": True}
SUM_CONTEXT = Context(prec=1_000)
OTHERS = "others"
"""The name of the corridors that have no colour of their own in a panel."""


@explain_arguments
def volume(frame: pd.DataFrame | None) -> Chart:
    """Source volume per day and corridor, with a panel for each currency.

    >>> charts.volume(lab.transfers.frame())
    Chart('Volume per day and corridor')
    """
    drawn_fields = ["created_at", "source_amount", "source_currency"]
    row_frame = chart_rows(frame, drawn_fields).dropna(subset=drawn_fields)
    row_frame["day"] = row_frame["created_at"].dt.strftime("%Y-%m-%d")
    return make_chart("Volume per day and corridor", _panels_by_currency(row_frame, _volume_panel))


@explain_arguments
def statuses(frame: pd.DataFrame | None) -> Chart:
    """A funnel: the number of rows created, started and completed, and the status of the rest.

    >>> charts.statuses(lab.transfers.frame())
    Chart('Status funnel')
    """
    count_by_status = Counter(chart_rows(frame, ["status"])["status"].dropna())
    has_conversions = frame is not None and "deposit_amount" in frame  # transfers lack it
    status_machine = CONVERSION if has_conversions else TRANSFER
    return make_chart(
        "Status funnel", [funnel_panel(count_by_status, status_machine)] if count_by_status else []
    )


@explain_arguments
def completion(frame: pd.DataFrame | None) -> Chart:
    """The time to completion per corridor: distribution, median (dot) and p95 (line).

    >>> charts.completion(lab.transfers.frame())
    Chart('Time to completion')
    """
    row_frame = chart_rows(frame, ["completed_in"])
    row_frame = row_frame[row_frame["completed_in"] >= 0]
    duration_groups = sorted(
        row_frame.groupby("corridor")["completed_in"], key=lambda group: group[1].median()
    )
    # The scale is logarithmic: what took less than a second is drawn at one second.
    seconds_by_corridor = {
        str(corridor_name): seconds_column.clip(lower=1)
        for corridor_name, seconds_column in duration_groups
    }
    panels = [duration_panel(seconds_by_corridor)] if seconds_by_corridor else []
    return make_chart("Time to completion", panels)


@explain_arguments
def failures(frame: pd.DataFrame | None) -> Chart:
    """The number of failed rows by reason and corridor, and their share of the corridor.

    >>> charts.failures(lab.transfers.frame())
    Chart('Failures by reason')
    """
    row_frame = chart_rows(frame, ["status"])
    failed_rows = row_frame[row_frame["status"] == "failed"]
    if failed_rows.empty:
        return make_chart("Failures by reason", [], "no row has failed")
    count_by_corridor = Counter(row_frame["corridor"])
    failed_count_by_group = Counter(
        zip(_group_rare_reasons(failed_rows), failed_rows["corridor"], strict=True)
    )
    bars = []
    for (reason, corridor_name), failed_count in _sort_by_count(failed_count_by_group):
        corridor_count = count_by_corridor[corridor_name]
        share_text = f"{failed_count / corridor_count:.1%} of {corridor_count:,} rows"
        bars.append(
            {"reason": reason, "corridor": corridor_name, "rows": failed_count, "share": share_text}
        )
    return make_chart("Failures by reason", [_reason_panel(bars)])


@explain_arguments
def fees(frame: pd.DataFrame | None) -> Chart:
    """Fee against amount, with a panel for each currency that has both.

    >>> charts.fees(lab.transfers.frame())
    Chart('Fees against amount')
    """
    drawn_fields = ["source_amount", "source_currency", "total_fee", "fee_currency"]
    row_frame = chart_rows(frame, drawn_fields)
    row_frame = row_frame[row_frame["source_currency"] == row_frame["fee_currency"]]
    row_frame = row_frame.dropna(subset=["source_amount", "total_fee"])
    # The scales are logarithmic: zero has no place on them.
    row_frame = row_frame[(row_frame["source_amount"] > 0) & (row_frame["total_fee"] > 0)]
    return make_chart("Fees against amount", _panels_by_currency(row_frame, _fee_panel))


def _panels_by_currency(
    rows: pd.DataFrame, make_currency_panel: Callable[[pd.DataFrame, str], Spec]
) -> list[Spec]:
    """A panel for the rows of each source currency."""
    currency_column = rows["source_currency"]
    return [
        make_currency_panel(rows[currency_column == currency], currency)
        for currency in sorted(currency_column.unique())
    ]


def _volume_panel(rows: pd.DataFrame, currency: str) -> Spec:
    """Stacked bars of the exact sums per day and corridor."""
    bar_frame = rows.assign(corridor=_group_small_corridors(rows))
    amounts_by_day_and_corridor: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    columns = (bar_frame[column_name] for column_name in ("day", "corridor", "source_amount"))
    for day, corridor_name, amount in zip(*columns, strict=True):
        amounts_by_day_and_corridor[day, corridor_name].append(amount)
    bars = []
    for (day, corridor_name), bar_amounts in sorted(amounts_by_day_and_corridor.items()):
        exact_sum = reduce(SUM_CONTEXT.add, bar_amounts)
        # A tooltip of `day` would show milliseconds, since its axis reads it as a time.
        bar = {"day": day, "date": day, "corridor": corridor_name, "rows": len(bar_amounts)}
        bars.append(bar | _amount_values(exact_sum, currency))
    days = {day for day, _ in amounts_by_day_and_corridor}
    ticks = day_ticks(days)
    day_axis_options = {
        "title": None,
        "labelExpr": day_labels(ticks),
        "labelOverlap": True,
        "values": ticks,
    }
    encoding = {
        "x": {
            "field": "day",
            "timeUnit": "utcyearmonthdate",
            "scale": {"domain": day_domain(days)},
            "axis": day_axis_options,
        },
        "y": number_axis("amount", title=f"{currency} a day", tickCount=4, **AMOUNT_AXIS),
        "order": {"field": "corridor"},
        "tooltip": tooltip(date="Day (UTC)", corridor="Corridor", exact="Amount", rows="Rows"),
    }
    return with_legend_filter(
        make_panel(VOLUME_HEIGHT, values=bars, mark="bar", encoding=encoding),
        _corridor_names(bar_frame),
    )


def _group_rare_reasons(failed_rows: pd.DataFrame) -> pd.Series[Any]:
    """The reason of each failed row if it is a frequent one, else "other reasons"."""
    reason_column = failed_rows["failure_reason"].fillna("no reason given")
    frequent_reasons = [
        reason for reason, _ in _sort_by_count(Counter(reason_column))[:REASONS_MAX]
    ]
    return reason_column.where(reason_column.isin(frequent_reasons), "other reasons")


def _reason_panel(bars: list[Spec]) -> Spec:
    """Stacked bars with the reason above each bar, so that both fit a narrow page.

    A bar is the number of failed rows of a reason in a corridor.
    """
    count_by_reason: Counter[str] = Counter()
    for bar in bars:
        count_by_reason[bar["reason"]] += bar["rows"]
    reasons = [reason for reason, _ in _sort_by_count(count_by_reason)]
    largest_count = max(count_by_reason.values())
    label_by_reason = {reason: f"{reason} ({count_by_reason[reason]:,})" for reason in reasons}
    reason_axis = {
        "labelExpr": label_lookup(label_by_reason),
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
    corridor_names = sorted({bar["corridor"] for bar in bars})
    return with_legend_filter(
        make_panel(REASON_HEIGHT * len(reasons), values=bars, mark=bar_mark, encoding=encoding),
        corridor_names,
    )


def _fee_panel(rows: pd.DataFrame, currency: str) -> Spec:
    """A point of fee and amount for each row; of a large frame, for every n-th row."""
    row_interval = -(-len(rows) // POINTS_MAX)  # rounded up
    shown_rows = rows.iloc[::row_interval]
    point_frame = shown_rows.assign(corridor=_group_small_corridors(shown_rows))
    columns = (
        point_frame[column_name] for column_name in ("id", "corridor", "source_amount", "total_fee")
    )
    points = []
    for row_id, corridor_name, amount, fee in zip(*columns, strict=True):
        point = {"id": row_id, "corridor": corridor_name, **_amount_values(amount, currency)}
        points.append(point | {"fee": float(fee), "exact_fee": f"{fee:,f} {currency}"})
    encoding = {
        "x": _log_axis("amount", f"amount, {currency}", point_frame["source_amount"]),
        "y": _log_axis("fee", f"fee, {currency}", point_frame["total_fee"]),
        "tooltip": tooltip(id="Id", corridor="Corridor", exact="Amount", exact_fee="Fee"),
    }
    point_mark = {"type": "point", "filled": True, "size": 30}
    return with_legend_filter(
        make_panel(FEES_HEIGHT, values=points, mark=point_mark, encoding=encoding),
        _corridor_names(point_frame),
    )


def _log_axis(field: str, title: str, amounts: pd.Series[Any]) -> Spec:
    """A logarithmic axis of positive amounts, with a line at each power of ten."""
    ticks = power_ticks(amounts.min(), amounts.max())
    log_scale = {"type": "log", "domain": [ticks[0], ticks[-1]]}
    return number_axis(field, log_scale, title=title, values=ticks, **AMOUNT_AXIS)


def _amount_values(amount: Decimal, currency: str) -> Spec:
    """An amount as a float for its position, and as exact text for its tooltip."""
    return {"amount": float(amount), "exact": f"{amount:,f} {currency}"}


def _sort_by_count(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """Pairs of a key and its count, the largest count first; equal ones in order of their keys."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _corridor_names(rows: pd.DataFrame) -> list[str]:
    """The corridors of the rows in order of their names; the others are last."""
    return sorted(rows["corridor"].unique(), key=lambda name: (name == OTHERS, name))


def _group_small_corridors(rows: pd.DataFrame) -> pd.Series[Any]:
    """The corridor of each row if it is one of the largest by amount, else "others"."""
    corridor_column = rows["corridor"]
    sum_by_corridor = rows["source_amount"].astype("float64").groupby(corridor_column).sum()
    descending_sums = sum_by_corridor.sort_values(ascending=False, kind="stable")
    largest_names = [str(corridor) for corridor in descending_sums.index]
    if len(largest_names) > CORRIDORS_MAX:
        # One less, since the group of all others counts as a corridor, too.
        largest_names = largest_names[: CORRIDORS_MAX - 1]
    return corridor_column.where(corridor_column.isin(largest_names), OTHERS)


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
