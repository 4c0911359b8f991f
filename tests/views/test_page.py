"""No value gets out of the text it is in."""

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
    """Markup is escaped, and what cannot be seen is spelled out."""
    assert page.escape(value) == shown


@given(st.text(), st.text())
def test_table_keeps_its_shape(label, text):
    """Whatever the words, a row is one heading and one cell."""
    html = page.table([(label, text)])
    assert re.findall("<(/?[a-z]+)", html)[2:6] == ["tr", "th", "/th", "td"]
    assert html.count("<") == html.count(">") == 10


def test_plain():
    """Rows are aligned, and a title can stand alone."""
    assert page.plain_text("Title", [("a", "1"), ("long", "2")]) == "Title\n  a     1\n  long  2"
    assert page.plain_text("Title", []) == "Title"


def test_facts():
    """A table of anything, as HTML and as text."""
    facts = page.Facts("Title", [("a", "1")])
    assert facts.table() == [("a", "1")]
    assert repr(facts) == facts._repr_mimebundle_()["text/plain"] == "Title\n  a  1"


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("SIMULATOR (embedded)", page.BADGES["SIMULATOR"]),
        ("SANDBOX", page.BADGES["SANDBOX"]),
        ("api.payments.example", page.LIVE),
    ],
)
def test_a_badge_has_the_colour_of_its_service(text, colour):
    """A simulator, the sandbox and any other host cannot be taken for one another."""
    shown = page.badge(text)
    assert f"background:{colour};" in shown
    assert f">{text}</span>" in shown


def test_an_empty_badge_is_nothing():
    """A card without a label has no badge."""
    assert page.badge("") == ""
    assert "paylab-badge" not in page.card("x")
    assert page.badge("<b>") in page.card("x", label="<b>")
