"""The rows of what the spec leaves open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paylab
from paylab import gaps

PACKAGE = Path(paylab.__file__).parent
ROOT = PACKAGE.parent
ORIGINS = {"spec", "public", "chosen", "spec, public", "public, spec", "spec, chosen"}


def test_ids_are_unique():
    """No two rows answer to one id."""
    assert len({gap.id for gap in gaps.ALL}) == len(gaps.ALL)


@pytest.mark.parametrize("gap", gaps.ALL, ids=lambda gap: gap.id)
def test_rows_are_complete(gap):
    """Every row says what is assumed and why, and is found by its id."""
    assert gaps.get(gap.id) is gap
    assert gap.assumed
    assert gap.origin in ORIGINS
    assert gap.question or gap.area == "Precise readings"


def test_unknown_id():
    """A row that does not exist is a KeyError that names the nearest."""
    with pytest.raises(KeyError, match=r"nearest: .*details\.mx"):
        gaps.get("details.mex")


def test_every_row_is_in_the_readme_section():
    """The generated section names every row and every scenario."""
    section = gaps.markdown()
    assert all(f"| {gap.id} |" in section for gap in gaps.ALL)
    assert all(scenario.outcome in section for scenario in gaps.SCENARIOS)


def test_the_section_is_well_formed():
    """Every row of a table has as many cells as the row above it."""
    tables = re.findall(r"(?:^\|.*\n?)+", gaps.markdown(), re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1
    assert len(tables) == 8


def test_problems_rest_on_rows_that_exist():
    """Every source that a rule or a corridor names is "spec" or the id of a row."""
    text = "".join(path.read_text() for path in [*PACKAGE.glob("rules/*.py"), *_tables()])
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*|check-digits)"', text))
    assert named
    assert named <= {gap.id for gap in gaps.ALL}


def _tables():
    return [PACKAGE / "corridors.py", PACKAGE / "account_fields.py"]
