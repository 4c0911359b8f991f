"""Fields: when they show problems, how problems are worded, and what a browser may send."""

from __future__ import annotations

import pytest

from paylab.errors import Problem
from paylab.views.forms.field import COMBO, SELECT, TICK, FormField, wording


def typed(field, value, n=1):
    """Send a keystroke from a browser."""
    field.receive({"kind": "input", "view": "v", "n": n, "value": value}, [])


def left(field):
    """Send the loss of focus from a browser."""
    field.receive({"kind": "leave"}, [])


@pytest.mark.parametrize(
    ("label", "value", "problem", "said"),
    [
        ("CLABE", "", Problem("clabe", "is required"), "Required"),
        (
            "CLABE",
            "12",
            Problem("clabe", "must be exactly 18 digits"),
            "Enter a CLABE: 18 digits. You entered 2 characters.",
        ),
        (
            "Date of birth",
            "1990",
            Problem("date_of_birth", "must be a date like 1990-12-31"),
            "Enter a date like 1990-12-31. You entered “1990”.",
        ),
        (
            "IBAN",
            "",
            Problem("iban", "must be 5 to 34 characters"),
            "Enter an IBAN: 5 to 34 charac",
        ),
        (
            "Account type",
            "x",
            Problem("account_type", "must be one of cbu, cvu", "details.ar"),
            "Choose one of cbu, cvu (assumed: the specification does not say so).",
        ),
        ("E-mail", "a@b.c", Problem("email", "is taken", "service"), "E-mail is taken."),
        (
            "Amount",
            "9" * 60,
            Problem("amount", "must be less"),
            "Enter an amount: less. You entered “" + "9" * 40 + "…”.",
        ),
    ],
)
def test_wording(label, value, problem, said):
    """The text of a problem says what is wrong and what to do, and quotes the value."""
    field = FormField("x", label)
    field.put(value)
    assert wording(problem, field).startswith(said)


def test_a_text_is_judged_when_it_is_left():
    """A text is judged when it loses focus; one that shows a problem, at every keystroke."""
    field = FormField("x", "X")
    typed(field, "a")
    assert not field.judged
    left(field)
    assert field.judged
    field.say([Problem("x", "is wrong")])
    typed(field, "ab")
    assert field.judged
    field.say([])
    typed(field, "abc")
    assert not field.judged


@pytest.mark.parametrize(("kind", "value"), [(SELECT, 1), (TICK, True)])
def test_a_choice_is_judged_at_once(kind, value):
    """A choice is judged as soon as it is made."""
    field = FormField("x", "X", kind, options=[("none", ""), ("one", 1)] if kind == SELECT else ())
    assert not field.judged
    typed(field, value)
    assert field.judged


def test_what_is_typed_is_normalised_when_it_is_left():
    """The value is normalised at once; the page shows it normalised after the focus is lost."""
    field = FormField("x", "CURP")
    field.normal = str.upper
    typed(field, "abc")
    assert (field.value, field.props()["value"]) == ("ABC", "abc")
    left(field)
    assert field.props()["value"] == "ABC"


@pytest.mark.parametrize("given", [-1, 2, "1", None, 1.5, True])
def test_a_choice_that_is_not_there_changes_nothing(given):
    """An invalid option number from the browser is ignored."""
    field = FormField("x", "X", SELECT, options=[("one", 1), ("two", 2)])
    typed(field, given)
    assert field.value == 1


def test_another_value_can_be_typed_into_an_assumed_list():
    """A typed value that is not in the list stays when the list changes."""
    field = FormField("x", "X", COMBO)
    field.offer([("Base", "base")])
    typed(field, "tron")
    field.offer([("Base", "base"), ("Solana", "solana")])
    assert field.value == "tron"


@pytest.mark.parametrize(
    ("needed", "assumed", "mark"),
    [
        (True, False, "Required"),
        (True, True, "Required, assumed"),
        (False, False, "Optional"),
        (None, False, ""),
    ],
)
def test_the_mark_stays_whatever_is_filled_in(needed, assumed, mark):
    """The mark is the same before and after the field is filled in."""
    field = FormField("x", "X")
    field.require(needed, assumed=assumed)
    before = field.props()["mark"]
    field.value = "something"
    assert before == field.props()["mark"] == mark


@pytest.mark.parametrize(("number", "shown"), [("XEXX010101", "••••••••01"), ("1234", "••••")])
def test_a_private_value_is_masked_after_it_was_sent(number, shown):
    """All but the last two characters are masked; a short value is masked completely."""
    field = FormField("x", "Number", value=number)
    field.private = True
    assert field.shown() == shown
