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
from ..service.key import SettingKey
from ..service.keys import setting_keys
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
    """Every row of the reference, with its area and the keys that change it."""
    keys_by_row: dict[str, list[SettingKey]] = {}
    for setting in setting_keys().values():
        keys_by_row.setdefault(setting.row, []).append(setting)
    area_row_pairs = [(area.AREA, row) for area in AREAS for row in area.ROWS]
    area_row_pairs += [(READINGS, row) for row in webhook_rows.READINGS]
    return tuple(
        replace(row, area=area_name, keys=tuple(keys_by_row.get(row.id, ())))
        for area_name, row in area_row_pairs
    )


@explain_arguments
def get(key: str) -> Assumption:
    """The row with this id; UnknownItemError with similar ids if it does not exist.

    >>> paylab.assumptions.get("signing.empty-query").origin
    'spec, public'
    """
    row_by_id = {row.id: row for row in assumption_rows()}
    if key in row_by_id:
        return row_by_id[key]
    similar_ids = get_close_matches(str(key), row_by_id, cutoff=0.5)
    hint = f"; nearest: {', '.join(similar_ids)}" if similar_ids else "; ALL has every assumption"
    raise UnknownItemError(f"no assumption is called {key!r}{hint}")


@explain_arguments
def markdown() -> str:
    """All rows as Markdown: a table per area, then the simulated outcomes.

    >>> paylab.assumptions.markdown()[:3]
    'The'
    """
    area_sections = [
        _write_area_section(area_name, list(rows))
        for area_name, rows in groupby(assumption_rows(), attrgetter("area"))
    ]
    outcome_rows = (
        (scenario.where, scenario.value or "an empty text", scenario.outcome)
        for scenario in SCENARIOS
    )
    outcome_section = _write_section(
        "Simulated outcomes", ("where", "value", "outcome"), outcome_rows
    )
    return "\n\n".join([INTRODUCTION, *area_sections, outcome_section])


def _write_area_section(area_name: str, assumptions: Sequence[Assumption]) -> str:
    """The heading and the table of an area, with two columns to fit on a narrow page."""
    if area_name == READINGS:
        reading_rows = [
            (assumption.id, _join_lines(assumption.assumed, _write_key_line(assumption)))
            for assumption in assumptions
        ]
        return _write_section(area_name, ("id", "reading, keys"), reading_rows)
    question_rows = []
    for assumption in assumptions:
        question_cell = _join_lines(
            f"**{assumption.question}**", assumption.assumed, _write_key_line(assumption)
        )
        question_rows.append((f"{assumption.id}<br>*{assumption.origin}*", question_cell))
    return _write_section(
        area_name, ("id, origin", "open question, assumption, keys"), question_rows
    )


def _join_lines(*texts: str) -> str:
    """The texts of a cell as lines of Markdown; empty ones are left out."""
    return "<br>".join(filter(None, texts))


def _write_key_line(assumption: Assumption) -> str:
    """The keys of a row as a line, "Keys: `a`, `b`"; "" if it has none."""
    shown_names = key_names(assumption)
    return (
        "Keys: " + ", ".join(f"`{shown_name}`" for shown_name in shown_names) if shown_names else ""
    )


def key_names(assumption: Assumption) -> list[str]:
    """The names of the keys of a row that are shown.

    Keys of names stand for their table once, and keys of a single list or object are left out.
    """
    shown_names: list[str] = []
    for setting in assumption.keys:
        is_of_one_member = setting.base and setting.name.startswith(("lists.", "objects."))
        if not is_of_one_member:
            shown_names.append(
                setting.name.rpartition(".")[0] if ".fields." in setting.name else setting.name
            )
    return list(dict.fromkeys(shown_names))


def _write_section(title: str, head: Sequence[str], table_rows: Iterable[Sequence[str]]) -> str:
    """A heading and a table in Markdown."""
    markdown_lines = [f"### {title}", ""]
    for table_row in (head, ["---"] * len(head), *table_rows):
        cell_texts = [cell_text.replace("|", "\\|") for cell_text in table_row]
        markdown_lines.append(f"| {' | '.join(cell_texts)} |")
    return "\n".join(markdown_lines)
