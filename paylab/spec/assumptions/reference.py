"""The open points of the spec and the assumptions about them, as rows of the reference.

A row describes an assumption. If software can follow a service that differs, settings have the id
of the row, which a user sets in a service.toml.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from operator import attrgetter

from ...errors.arguments import explain_arguments
from ...errors.base import UnknownItemError
from ..service.key import Key
from ..service.keys import keys
from . import (
    account_rows,
    individual_rows,
    on_ramp_rows,
    payout_rows,
    reading_rows,
    signing_rows,
    webhook_rows,
)
from .assumption import SCENARIOS, Assumption

AREAS = (
    signing_rows,
    individual_rows,
    account_rows,
    payout_rows,
    on_ramp_rows,
    webhook_rows,
    reading_rows,
)

READINGS = reading_rows.AREA
"""The area whose rows clarify other rows and have no question."""

INTRODUCTION = """\
The specification leaves some points open. Each row has an open question, what paylab assumes, and
the keys that change it. Below the id is the origin: *spec* means that the specification answers the
question after all, *public* that a public description of this kind of service says so (likely, not
certain), *chosen* that paylab chose it."""


@cache
def assumption_rows() -> tuple[Assumption, ...]:
    """Every row with its settings."""
    keys_by_row: dict[str, list[Key]] = {}
    for setting in keys().values():
        keys_by_row.setdefault(setting.row, []).append(setting)
    placed = [(area.AREA, row) for area in AREAS for row in area.ROWS]
    placed += [(READINGS, row) for row in webhook_rows.READINGS]
    return tuple(
        replace(row, area=area, keys=tuple(keys_by_row.get(row.id, ()))) for area, row in placed
    )


@explain_arguments
def get(key: str) -> Assumption:
    """The row with this id; UnknownItemError with similar ids if it does not exist.

    >>> paylab.assumptions.get("signing.empty-query").origin
    'spec, public'
    """
    by_id = {row.id: row for row in assumption_rows()}
    if key in by_id:
        return by_id[key]
    similar = get_close_matches(str(key), by_id, cutoff=0.5)
    nearest = f"; nearest: {', '.join(similar)}" if similar else ""
    raise UnknownItemError(f"no assumption is called {key!r}{nearest}")


@explain_arguments
def markdown() -> str:
    """All rows as Markdown: a table per area, then the simulated outcomes.

    >>> paylab.assumptions.markdown()[:3]
    'The'
    """
    areas = [
        _write_area_section(area_name, list(rows))
        for area_name, rows in groupby(assumption_rows(), attrgetter("area"))
    ]
    outcomes = (
        (scenario.where, scenario.value or "an empty text", scenario.outcome)
        for scenario in SCENARIOS
    )
    simulated = _write_section("Simulated outcomes", ("where", "value", "outcome"), outcomes)
    return "\n\n".join([INTRODUCTION, *areas, simulated])


def _write_area_section(area_name: str, assumptions: Sequence[Assumption]) -> str:
    """The table of an area. It has two columns, so that no page is too narrow."""
    if area_name == READINGS:
        readings = [
            (assumption.id, _join_lines(assumption.assumed, _write_key_line(assumption)))
            for assumption in assumptions
        ]
        return _write_section(area_name, ("id", "reading, keys"), readings)
    questions = []
    for assumption in assumptions:
        question = _join_lines(
            f"**{assumption.question}**", assumption.assumed, _write_key_line(assumption)
        )
        questions.append((f"{assumption.id}<br>*{assumption.origin}*", question))
    return _write_section(area_name, ("id, origin", "open question, assumption, keys"), questions)


def _join_lines(*texts: str) -> str:
    return "<br>".join(filter(None, texts))


def _write_key_line(assumption: Assumption) -> str:
    """The keys of a row; keys of fields and single lists are grouped by their prefix."""
    key_names: list[str] = []
    for key in assumption.keys:
        is_of_one_member = key.base and key.name.startswith(("lists.", "objects."))
        if not is_of_one_member:
            key_names.append(key.name.rpartition(".")[0] if ".fields." in key.name else key.name)
    if not key_names:
        return ""
    return "Keys: " + ", ".join(f"`{name}`" for name in dict.fromkeys(key_names))


def _write_section(title: str, head: Sequence[str], table_rows: Iterable[Sequence[str]]) -> str:
    """A heading and a table in Markdown."""
    markdown_lines = [f"### {title}", ""]
    for table_row in (head, ["---"] * len(head), *table_rows):
        cells = [cell.replace("|", "\\|") for cell in table_row]
        markdown_lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(markdown_lines)
