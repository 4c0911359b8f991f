"""The panel of a status funnel: a bar for each stage, and what became of the other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..spec import status
from .chart_style import Spec, label_lookup, make_panel, tooltip

STAGES = ("created", "started", "completed")
STAGE_COLOURS = ("#2f6fd0", "#1d8c99", "#2e8b57")
STAGE_HEIGHT = 76
"""Pixels of a bar with its labels."""


def funnel_panel(count_by_status: Mapping[str, int], status_machine: status.Machine) -> Spec:
    """The panel of a funnel, from the number of rows per status: a bar for each stage."""
    total_count = sum(count_by_status.values())
    bars = []
    label_by_stage: dict[str, str | list[str]] = {}
    for stage in STAGES:
        row_count = 0
        stopped_texts = []
        for status_name, status_count in sorted(count_by_status.items()):
            passed_stages = _passed_stages(status_machine, status_name)
            if stage in passed_stages:
                row_count += status_count
            if stage == passed_stages[-1] and status_name != stage:
                stopped_texts.append(f"{status_count:,} {status_name}")
        share_text = f"{row_count / total_count:.1%}"
        label_by_stage[stage] = [stage, f"{row_count:,} ({share_text})", *stopped_texts]
        bars.append(_stage_bar(stage, row_count, share_text, stopped_texts))
    bar_mark = {"type": "bar", "opacity": 0.9}
    return make_panel(
        STAGE_HEIGHT * len(STAGES),
        values=bars,
        mark=bar_mark,
        encoding=_stage_encoding(label_by_stage),
    )


def _stage_bar(stage: str, row_count: int, share_text: str, stopped_texts: Sequence[str]) -> Spec:
    """The bar of a stage, as wide as the number of rows that passed it.

    `stopped_texts` count the rows that go no further, such as "2 failed".
    """
    return {
        "stage": stage,
        "rows": row_count,
        "share": share_text,
        "others": ", ".join(stopped_texts) or "none",
        "left": -row_count / 2,
        "right": row_count / 2,
    }


def _stage_encoding(labels: Mapping[str, str | list[str]]) -> Spec:
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


def _passed_stages(status_machine: status.Machine, status_name: str) -> list[str]:
    """The stages that every row with this status has passed, because every path leads there."""
    entered_states = set(status_machine.moves.values())
    initial_states = {state for state, _ in status_machine.moves} - entered_states

    def is_passed(stage: str) -> bool:
        """Whether no path from an initial state to the status goes around a stage."""
        if status_name == stage:
            return True
        if status_name not in entered_states:
            return False
        return not any(
            status_machine.path(state, status_name, without=stage) for state in initial_states
        )

    created_stage, *later_stages = STAGES
    return [created_stage, *filter(is_passed, later_stages)]
