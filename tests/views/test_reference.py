"""The reference as a card: every row is there, below the line of its area."""

from __future__ import annotations

import re

import paylab
from paylab.views import reference


def test_every_assumption_is_below_a_line_of_its_area():
    """Each area is a line that opens, each row has its id and keys, and the text is Markdown."""
    shown = reference.assumptions()._repr_mimebundle_()
    visible = re.sub("<[^>]*>", " ", shown["text/html"])
    areas = {row.area for row in paylab.assumptions.ALL}
    assert shown["text/html"].count("<details") == len(areas) + 1
    assert [row.id for row in paylab.assumptions.ALL if f" {row.id} " not in visible] == []
    assert "quotes.default_source_currency" in visible
    assert "`" not in visible
    assert shown["text/plain"] == paylab.assumptions.markdown()
