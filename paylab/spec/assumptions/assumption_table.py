"""The assumptions as a table: in a notebook and in a terminal."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from ..tables import Row, Section, html_sections, wrap_columns
from .assumption import SCENARIOS, Assumption
from .reference import assumption_rows, key_names

COLUMNS = ("Id and origin", "What to ask", "What is assumed")
COLUMN_PERCENTS = (22, 32, 46)
OUTCOME_COLUMNS = ("Where", "Value", "Outcome")
OUTCOME_PERCENTS = (24, 30, 46)
TEXT_WIDTHS = (26, 36, 54)
"""The widths of the columns in a terminal, in characters."""

INTRODUCTION = (
    "Where the specification is silent, paylab assumes an answer; set its keys to change it. The "
    "origin is spec (it answers the question after all), public (a description of this kind of "
    "service says so) or chosen by paylab."
)


def write_html_table() -> str:
    """The assumptions in HTML, a table per area, and a table of the simulated outcomes."""
    assumptions = assumption_rows()
    sections = [
        Section(area_name, COLUMNS, [*map(_make_cells, area_group)], COLUMN_PERCENTS)
        for area_name, area_group in groupby(assumptions, attrgetter("area"))
    ]
    outcome_rows = [
        (scenario.where, scenario.value or "an empty text", scenario.outcome)
        for scenario in SCENARIOS
    ]
    sections.append(Section("Simulated outcomes", OUTCOME_COLUMNS, outcome_rows, OUTCOME_PERCENTS))
    return html_sections(f"{len(assumptions)} assumptions", INTRODUCTION, sections)


def _make_cells(assumption: Assumption) -> Row:
    """The cells of an assumption: id and origin, question, what is assumed and its keys."""
    assumed_lines = [assumption.assumed]
    keys_text = ", ".join(f"`{key_name}`" for key_name in key_names(assumption))
    if keys_text:
        assumed_lines.append(f"Keys: {keys_text}")
    id_lines = [assumption.id, assumption.origin]
    return "\n".join(id_lines), assumption.question, "\n".join(assumed_lines)


def write_text_table() -> str:
    """The assumptions for a terminal: id, what to ask, and what is assumed."""
    assumption_cells = [
        (assumption.id, assumption.question, assumption.assumed) for assumption in assumption_rows()
    ]
    return wrap_columns([("Id", *COLUMNS[1:]), *assumption_cells], TEXT_WIDTHS)
