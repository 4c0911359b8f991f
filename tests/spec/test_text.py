"""JSON that is read and written without loss, and text that is safe to print."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paylab.spec.text import format_json, plain, printable, read_json, show_json, write_json

FRACTIONS = st.decimals(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FRACTIONS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(value=VALUES)
@settings(max_examples=60)
def test_what_is_written_is_read_again(value):
    """A JSON value is read as it was written: every digit and every character."""
    for write in (write_json, show_json, format_json):
        again = read_json(write(value))
        assert again == value
        assert isinstance(again, Decimal) == isinstance(value, Decimal)
        assert json.loads(write(value), parse_float=Decimal) == again


def test_json_is_one_line_of_ascii_for_programs():
    """One line of ASCII for programs; for people every visible character, also indented."""
    value = {"a": [1, {"é": Decimal("1.50")}], "b": [], "c": {}, "d": (None, True)}
    one = '{"a": [1, {"\\u00e9": 1.50}], "b": [], "c": {}, "d": [null, true]}'
    assert write_json(value) == one
    assert show_json(value) == one.replace("\\u00e9", "é")
    assert show_json("é\u202e") == '"é\\u202e"'
    assert format_json(value).splitlines() == [
        *("{", '  "a": [', "    1,", "    {", '      "é": 1.50', "    }", "  ],"),
        *('  "b": [],', '  "c": {},', '  "d": [', "    null,", "    true", "  ]", "}"),
    ]


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", '{"a": -Infinity}', "[1e99999999999999999999]", b"\xff", "[1,]"]
)
def test_what_is_no_json(text):
    """Text that is not JSON is a ValueError, NaN and huge exponents included."""
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), float("nan")])
def test_what_cannot_be_written(value):
    """A number that JSON does not have is a ValueError."""
    with pytest.raises(ValueError, match=r"JSON"):
        write_json([value])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32-le"])
def test_the_encodings_of_json_are_recognised(encoding):
    """The encodings of JSON are recognised."""
    assert read_json('{"a": "é"}'.encode(encoding)) == {"a": "é"}


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a \n\t b ", "a b"),
        ("\x1b[2J\u202eé", "\\x1b[2J\\u…"),
        ("x" * 10, "x" * 10),
        ("x" * 11, "x" * 9 + "…"),
        ("\x00\x00\x00", "\\x00\\x00\\…"),
        (" " * 99 + "x", "x"),
        (" " * 100 + "x", ""),
    ],
)
def test_text_becomes_one_short_printable_line(text, safe):
    """White space is folded, what is invisible is escaped, and the end is cut off."""
    assert plain(text, 10) == safe


def test_a_line_has_at_most_500_characters():
    """A line has at most 500 characters."""
    assert plain("x" * 500) == "x" * 500
    assert plain("x" * 501) == "x" * 499 + "…"


def test_what_may_be_kept():
    """Characters that a caller allows stay as they are."""
    assert printable("a\n\tb", keep="\n") == "a\n\\tb"
