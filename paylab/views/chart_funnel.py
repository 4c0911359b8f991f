"""The funnel of statuses: how many rows were created, started and completed."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.status import Machine
from .chart_style import Spec, lookup, panel_of, tooltip
from .html import visible

STAGES = ("created", "started", "completed")
COLOURS = ("#2f6fd0", "#1d8c99", "#2e8b57")


def funnel(counts: Mapping[str, int], machine: Machine) -> Spec:
    """The Vega-Lite specification of a funnel, from the number of rows per status."""
    passed = {word: _passed(machine, word) for word in counts}
    total = sum(counts.values())
    values: list[Spec] = []
    labels: dict[str, str | list[str]] = {}
    for stage in STAGES:
        here = sum(n for word, n in counts.items() if stage in passed[word])
        last = {word: n for word, n in counts.items() if passed[word][-1] == stage != word}
        ends = [f"{n:,} {visible(word)}" for word, n in sorted(last.items())]
        share = f"{here / total:.1%}"
        labels[stage] = [stage, f"{here:,} ({share})", *ends]
        told = {"stage": stage, "rows": here, "share": share, "others": ", ".join(ends)}
        values.append({**told, "left": -here / 2, "right": here / 2})
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


def _passed(machine: Machine, word: str) -> list[str]:
    """The stages that every row with this status has passed: each way to it leads through them."""
    ends = set(machine.moves.values())
    first = {at for at, _ in machine.moves} - ends

    def is_passed(stage: str) -> bool:
        return word in ends and not any(machine.path(at, word, without=stage) for at in first)

    return [STAGES[0], *(stage for stage in STAGES[1:] if stage == word or is_passed(stage))]
