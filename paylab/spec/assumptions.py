"""What the spec leaves open and what is assumed there, as data that everything else reads."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from operator import attrgetter
from pathlib import Path

READINGS = "Precise readings"
"""The area whose rows make another row more exact, and have no question of their own."""

INTRODUCTION = """\
The spec leaves some points open, and the toolkit has to do something there. Each such point is
a row here. The client, the rules and the simulator follow these rows, and you can read one with
`paylab.gaps.get("details.mx")`. Origin: *spec* settles the point after all, *public* means that
a public description of this kind of service says so (likely, not certain), *chosen* is ours."""


@dataclass(frozen=True)
class Gap:
    """A point that the spec leaves open.

    `origin` says where the assumption comes from: "spec" (it settles the point after all),
    "public" (a public description of this kind of service says so: likely, not certain) or
    "chosen" (ours).
    """

    id: str
    assumed: str
    origin: str
    area: str
    question: str = ""


@dataclass(frozen=True)
class Scenario:
    """A special value that makes the simulator end in a certain way."""

    where: str
    value: str
    outcome: str


_DATA = tomllib.loads(Path(__file__).with_name("assumptions.toml").read_text(encoding="utf-8"))
ALL: tuple[Gap, ...] = tuple(Gap(**row) for row in _DATA["assumptions"])
SCENARIOS: tuple[Scenario, ...] = tuple(Scenario(**row) for row in _DATA["scenarios"])
_BY_ID = {gap.id: gap for gap in ALL}


def get(key: str) -> Gap:
    """The row with this id; KeyError, with the nearest ids, if there is none."""
    if key in _BY_ID:
        return _BY_ID[key]
    near = get_close_matches(str(key), _BY_ID, cutoff=0.5)
    raise KeyError(f"no gap is called {key!r}" + (f"; nearest: {', '.join(near)}" if near else ""))


def markdown() -> str:
    """All rows as Markdown: a table per area, then the simulated outcomes."""
    areas = [_area(name, list(rows)) for name, rows in groupby(ALL, attrgetter("area"))]
    outcomes = ((each.where, each.value or "an empty text", each.outcome) for each in SCENARIOS)
    simulated = _section("Simulated outcomes", ("where", "value", "outcome"), outcomes)
    return "\n\n".join([INTRODUCTION, *areas, simulated])


def _area(name: str, rows: Sequence[Gap]) -> str:
    if name == READINGS:
        return _section(name, ("id", "reading"), ((row.id, row.assumed) for row in rows))
    cells = ((row.id, row.question, row.assumed, row.origin) for row in rows)
    return _section(name, ("id", "open question", "assumed", "origin"), cells)


def _section(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([f"### {title}", "", *_table(head, rows)])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


__all__ = ["ALL", "SCENARIOS", "Gap", "Scenario", "get", "markdown"]
