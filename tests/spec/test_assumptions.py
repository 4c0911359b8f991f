"""The rows of what the spec leaves open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paylab
from paylab.spec import assumptions

PACKAGE = Path(paylab.__file__).parent
ROOT = PACKAGE.parent
ORIGINS = {"spec", "public", "chosen", "spec, public", "public, spec", "spec, chosen"}


def test_ids_are_unique():
    """No two rows answer to one id."""
    assert len({gap.id for gap in assumptions.ALL}) == len(assumptions.ALL)


@pytest.mark.parametrize("gap", assumptions.ALL, ids=lambda gap: gap.id)
def test_rows_are_complete(gap):
    """Every row says what is assumed and why, and is found by its id."""
    assert assumptions.get(gap.id) is gap
    assert gap.assumed
    assert gap.origin in ORIGINS
    assert gap.question or gap.area == "Precise readings"


def test_unknown_id():
    """A row that does not exist is a KeyError that names the nearest."""
    with pytest.raises(KeyError, match=r"nearest: .*details\.mx"):
        assumptions.get("details.mex")


def test_every_row_is_in_the_readme_section():
    """The generated section names every row and every scenario."""
    section = assumptions.markdown()
    assert all(f"| {gap.id} |" in section for gap in assumptions.ALL)
    assert all(scenario.outcome in section for scenario in assumptions.SCENARIOS)


def test_the_section_is_well_formed():
    """Every row of a table has as many cells as the row above it."""
    tables = re.findall(r"(?:^\|.*\n?)+", assumptions.markdown(), re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1
    assert len(tables) == 8


def test_problems_rest_on_rows_that_exist():
    """Every source that a rule or a corridor names is "spec" or the id of a row."""
    text = "".join(path.read_text() for path in [*PACKAGE.glob("rules/*.py"), *_tables()])
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*|check-digits)"', text))
    assert named
    assert named <= {gap.id for gap in assumptions.ALL}


def _tables():
    return list(PACKAGE.glob("corridors/*.py"))
