"""The assumptions as a table, and one of them as a card."""

from __future__ import annotations

import re

import paylab
from paylab.lab import displays


def test_every_assumption_is_below_a_line_of_its_area():
    """Each area is a line that opens; each row has its id and keys, in the text its id."""
    shown = paylab.assumptions._repr_mimebundle_()
    visible = re.sub("<[^>]*>", " ", shown["text/html"])
    areas = {row.area for row in paylab.assumptions.ALL}
    assert shown["text/html"].count("<details") == len(areas) + 1
    assert [row.id for row in paylab.assumptions.ALL if f" {row.id} " not in visible] == []
    assert "quotes.default_source_currency" in visible
    assert "`" not in visible
    first_cells = {line.split("  ")[0] for line in shown["text/plain"].splitlines()}
    assert {row.id for row in paylab.assumptions.ALL} <= first_cells


def test_one_assumption_is_readable_as_text_and_as_a_card():
    """Its question, what is assumed, its origin and the keys that change it."""
    assumption = paylab.assumptions.get("details.mx")
    visible = re.sub("<[^>]*>", " ", displays.show(assumption))
    for text in (repr(assumption), visible):
        for part in ("details.mx", assumption.question, " clabe", "bank_account.required"):
            assert part in text
