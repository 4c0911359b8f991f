"""The code that forms show: literals, and lines that are broken when they are too long."""

from __future__ import annotations

import pytest

from paylab.views.forms.code import INDENT, WIDTH, Expression, literal, write_call


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("María", '"María"'),
        (Expression("lab.clock()"), "lab.clock()"),
        (["a", Expression("b")], '["a", b]'),
        ({"a": None, "b": True}, '{"a": None, "b": True}'),
        (5, "5"),
    ],
)
def test_text_is_quoted_as_in_json_an_expression_is_not(value, text):
    """Text is quoted as in JSON, an expression is not; other values are those of Python."""
    assert literal(value) == text


@pytest.mark.parametrize(("length", "lines"), [(WIDTH, 1), (WIDTH + 1, 3)])
def test_a_call_that_is_too_long_has_one_argument_per_line(length, lines):
    """A call of 88 characters stays on one line."""
    text = "x" * (length - len('y = f(a="")'))
    made = write_call("f", keywords={"a": text}, assign_to="y").splitlines()
    assert made == ([f'y = f(a="{text}")'] if lines == 1 else ["y = f(", f'    a="{text}",', ")"])


@pytest.mark.parametrize(("length", "lines"), [(WIDTH - 2 * len(INDENT), 1), (81, 3)])
def test_an_object_that_is_too_long_has_one_entry_per_line(length, lines):
    """An object of a broken call is indented twice, so that its limit is lower by eight."""
    value = {"k": "x" * (length - len('{"k": ""}'))}
    assert len(literal(value, multiline=True).splitlines()) == lines
    assert len(literal(value).splitlines()) == 1
