"""HTML and plain text in which every value is escaped."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.views import html as page


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("María 最佳", "María 最佳"),
        ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#x27;"),
        ("a\nb\x1b[31m", "a\\nb\\x1b[31m"),
        ("\u202e\u2066\ufeff\ud800", "\\u202e\\u2066\\ufeff\\ud800"),
        (None, "None"),
    ],
)
def test_escape(value, shown):
    """Markup is escaped, and invisible characters are shown as escapes."""
    assert page.escape(value) == shown


@given(st.text(), st.text())
def test_table_keeps_its_shape(label, text):
    """A row has one heading and one cell, whatever its text is."""
    html = page.table([(label, text)])
    assert re.findall("<(/?[a-z]+)", html)[2:6] == ["tr", "th", "/th", "td"]
    inner = page.cell(text)
    assert html.replace(inner, "", 1).count("<") == 10 if inner else html.count("<") == 10


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=30))
def test_a_grid_holds_twenty_rows_and_says_how_many_more(rows):
    """A grid shows at most 20 rows, each with all cells, and the number of the others."""
    html = page.grid(("a", "b"), rows)
    assert html.count("<tr ") == 1 + min(len(rows), page.ROWS)
    assert html.count("<td ") == 2 * min(len(rows), page.ROWS)
    assert (f"{len(rows) - page.ROWS} more" in html) is (len(rows) > page.ROWS)


def test_an_id_is_short_whole_when_pointed_at_and_copied():
    """A long id is shortened; its tooltip has the full id, which the button copies."""
    row_id = "tr_01KF0FJV6500004241TXGWEA8R"
    shown = page.cell(row_id)
    assert f'title="{row_id}"' in shown
    assert ">tr_\u2026EA8R<" in shown
    assert "paylab-copy" in shown
    assert page.cell("completed, and no word is long") == "completed, and no word is long"


def test_plain():
    """The rows of plain text are aligned; a title needs no rows."""
    assert page.plain_text("Title", [("a", "1"), ("long", "2")]) == "Title\n  a     1\n  long  2"
    assert page.plain_text("Title", []) == "Title"


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("SIMULATOR (embedded)", page.BADGES["SIMULATOR"]),
        ("SANDBOX", page.BADGES["SANDBOX"]),
        ("api.payments.example", page.LIVE),
    ],
)
def test_a_badge_has_the_colour_of_its_service(text, colour):
    """The simulator, the sandbox and other hosts have badges of different colours."""
    shown = page.badge(text)
    assert f"background:{colour};" in shown
    assert f">{text}</span>" in shown


def test_an_empty_badge_is_nothing():
    """A card without a label has no badge; a label is escaped."""
    assert page.badge("") == ""
    assert "paylab-badge" not in page.card("x")
    assert page.badge("<b>") in page.card("x", label="<b>")
