"""All the rows together, one by its id, and the README section made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import groupby
from operator import attrgetter

from .accounts import ACCOUNTS
from .individuals import INDIVIDUALS
from .on_ramp import ON_RAMP
from .readings import AREA as READINGS_AREA
from .readings import READINGS
from .row import Gap
from .scenarios import SCENARIOS
from .signing import SIGNING
from .transfers import TRANSFERS
from .webhooks import WEBHOOKS

ALL: tuple[Gap, ...] = (
    *SIGNING,
    *INDIVIDUALS,
    *ACCOUNTS,
    *TRANSFERS,
    *ON_RAMP,
    *WEBHOOKS,
    *READINGS,
)
_BY_ID = {gap.id: gap for gap in ALL}

INTRODUCTION = """\
The spec leaves some things open, and the toolkit has to do something there. Each such place is
a row here; the client, the rules and the simulator all go by these rows, and so can you:
`paylab.gaps.get("details.mx")`. Origin: *spec* settles the matter after all, *public* means that
a public description of this kind of service says so (likely, not certain), *chosen* is ours."""


def get(key: str) -> Gap:
    """The row with this id; KeyError, with the nearest ids, if there is none."""
    if key in _BY_ID:
        return _BY_ID[key]
    near = get_close_matches(str(key), _BY_ID, cutoff=0.5)
    raise KeyError(f"no gap is called {key!r}" + (f"; nearest: {', '.join(near)}" if near else ""))


def markdown() -> str:
    """The README's section: a table an area, then the simulated outcomes."""
    areas = [_area(name, list(rows)) for name, rows in groupby(ALL, attrgetter("area"))]
    return "\n\n".join([INTRODUCTION, *areas, _scenarios()])


def _area(name: str, rows: Sequence[Gap]) -> str:
    if name == READINGS_AREA:
        return _section(name, ("id", "reading"), ((row.id, row.assumed) for row in rows))
    cells = ((row.id, row.question, row.assumed, row.origin) for row in rows)
    return _section(name, ("id", "open question", "assumed", "origin"), cells)


def _scenarios() -> str:
    cells = ((row.where, row.value or "an empty text", row.outcome) for row in SCENARIOS)
    return _section("Simulated outcomes", ("where", "value", "outcome"), cells)


def _section(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([f"### {title}", "", *_table(head, rows)])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
