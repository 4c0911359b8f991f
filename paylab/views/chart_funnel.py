"""The funnel of statuses: how many rows were created, started and completed."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.status import Machine
from .chart_style import Spec, lookup, tooltip
from .html import visible

STAGES = ("created", "started", "completed")
FULL = 0.6
"""The fraction of a stage drawn at full width; the rest narrows to the next stage."""
COLOURS = ("#2f6fd0", "#1d8c99", "#2e8b57")


def funnel(counts: Mapping[str, int], machine: Machine) -> Spec:
    """The Vega-Lite specification of a funnel, from the number of rows per status."""
    passed = {word: _passed(machine, word) for word in counts}
    total = sum(counts.values())
    stages: list[Spec] = []
    for at, stage in enumerate(STAGES):
        here = sum(n for word, n in counts.items() if stage in passed[word])
        last = {word: n for word, n in counts.items() if passed[word][-1] == stage != word}
        ends = [f"{n:,} {visible(word)}" for word, n in sorted(last.items())]
        share = f"{here / total:.1%}"
        label = [stage, f"{here:,} ({share})", *ends]
        words = {"stage": stage, "rows": here, "share": share, "others": ", ".join(ends)}
        stages.append({**words, "label": label, "at": at})
    return _drawn(stages)


def _passed(machine: Machine, word: str) -> list[str]:
    """The stages that every row with this status has passed."""
    later = [stage for stage in STAGES[1:] if word == stage or _only_through(machine, word, stage)]
    return [STAGES[0], *later]


def _only_through(machine: Machine, word: str, stage: str) -> bool:
    """Whether every path from the initial status to `status` passes through a stage."""
    targets = set(machine.moves.values())
    first = {at for at, _ in machine.moves} - targets
    return word in targets and not any(machine.path(at, word, without=stage) for at in first)


def _drawn(stages: list[Spec]) -> Spec:
    """Bars that narrow to the next bar, with numbers on the left."""
    outline = []
    for stage, after in zip(stages, [*stages[1:], None], strict=True):
        edges = [(0.0, stage["rows"]), (FULL, stage["rows"])]
        edges += [] if after is None else [(1.0, after["rows"])]
        outline += [
            {**stage, "y": stage["at"] + down, "left": -wide / 2, "right": wide / 2}
            for down, wide in edges
        ]
    words = {str(stage["at"]): stage["label"] for stage in stages}
    axis = {
        "title": None,
        "values": [stage["at"] for stage in stages],
        "labelExpr": lookup(words),
        "labelBaseline": "top",
        "labelPadding": 10,
        "labelLineHeight": 16,
        "labelFontSize": 12,
        "ticks": False,
        "domain": False,
    }
    down = {"reverse": True, "domain": [0, len(stages) - 1 + FULL]}
    across = {"type": "quantitative", "axis": None, "stack": None}
    colour = {"domain": list(STAGES), "range": list(COLOURS)}
    place = {
        "y": {"field": "y", "type": "quantitative", "scale": down, "axis": axis},
        "x": {"field": "left", **across},
        "x2": {"field": "right"},
        "color": {"field": "stage", "scale": colour, "legend": None},
        "tooltip": tooltip(stage="Stage", rows="Rows", share="Of all", others="Others here"),
    }
    mark = {"type": "area", "orient": "horizontal", "opacity": 0.9}
    height = 76 * len(stages)
    return {"height": height, "data": {"values": outline}, "mark": mark, "encoding": place}
