"""Fields: when they show problems, how problems are worded, and what a browser may send."""

from __future__ import annotations

from itertools import count

import pytest

from paylab.errors import Problem
from paylab.errors.choices import describe_wrong_choice
from paylab.views.forms.field import (
    COMBO,
    RADIO,
    SELECT,
    TEXT,
    TICK,
    FormField,
    assumed_values_hint,
)
from paylab.views.forms.problem_sentences import problem_sentence

NUMBERS = count(1)


def typed(field, value, n=None):
    """Send a keystroke from a browser."""
    number = n or next(NUMBERS)
    field.receive({"kind": "input", "view": "v", "n": number, "value": value}, [])


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
            "UPI id",
            "1",
            Problem("upi_id", "must be at most 45 characters"),
            "Enter a UPI id: at most 45 characters. You entered 1 character.",
        ),
        (
            "Street",
            "9" * 40,
            Problem("street", "must be less"),
            "Enter a street: less. You entered “" + "9" * 40 + "”.",
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
            "Choose one of cbu, cvu (assumed).",
        ),
        (
            "Network",
            "bse",
            Problem("network", "must be one of base, solana, not bse; is base meant?"),
            "Choose one of base, solana. Is base meant?",
        ),
        (
            "Network",
            "x; y",
            Problem("network", "must be one of base, solana, not x; y; is base meant?"),
            "Choose one of base, solana. Is base meant?",
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
def test_a_problem_says_what_is_wrong_and_what_to_do(label, value, problem, said):
    """The text of a problem says what is wrong and what to do, and quotes the value."""
    field = FormField("x", label)
    field.set_value(value)
    assert problem_sentence(problem, field).startswith(said)


@pytest.mark.parametrize("entered", ["a; b", "x; is secret meant?", "a, not b", " a  b "])
def test_what_was_entered_is_never_a_suggestion(entered):
    """The text of the user is not shown as advice, whatever it looks like."""
    field = FormField("currency", "Currency")
    field.set_value(entered)
    problem = Problem("currency", describe_wrong_choice(["mxn", "php"], field.value))
    assert problem_sentence(problem, field) == "Choose one of mxn, php."


def test_a_list_that_takes_other_values_asks_for_none_of_its_own():
    """A value outside an assumed list is not called wrong where another one can be typed."""
    field = FormField("issuer", "Issuer", COMBO)
    problem = Problem("issuer", "must be one of bdo, bpi", "details.ph")
    sentence = problem_sentence(problem, field)
    assert sentence == "Not among the values that are assumed: bdo, bpi."


def test_a_text_is_judged_when_it_is_left():
    """A text is judged when it loses focus; one that shows a problem, at every keystroke."""
    field = FormField("x", "X")
    typed(field, "a")
    assert not field.shows_problems
    left(field)
    assert field.shows_problems
    field.show_problems([Problem("x", "is wrong")])
    typed(field, "ab")
    assert field.shows_problems
    field.show_problems([])
    typed(field, "abc")
    assert not field.shows_problems


@pytest.mark.parametrize(("kind", "value"), [(SELECT, 1), (TICK, True)])
def test_a_choice_is_judged_at_once(kind, value):
    """A choice is judged as soon as it is made."""
    field = FormField("x", "X", kind, options=[("none", ""), ("one", 1)] if kind == SELECT else ())
    assert not field.shows_problems
    typed(field, value)
    assert field.shows_problems


def test_what_is_typed_is_normalised_when_it_is_left():
    """The value is normalised at once; the page shows it normalised after the focus is lost."""
    field = FormField("x", "CURP")
    field.normalise = str.upper
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
    field.set_options([("Base", "base")])
    typed(field, "tron")
    field.set_options([("Base", "base"), ("Solana", "solana")])
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
    field.set_required(needed, assumed=assumed)
    before = field.props()["mark"]
    field.value = "something"
    assert before == field.props()["mark"] == mark


@pytest.mark.parametrize(
    ("number", "shown"), [("XEXX010101", "••••••••01"), ("12345", "•••45"), ("1234", "••••")]
)
def test_a_private_value_is_masked_after_it_was_sent(number, shown):
    """All but the last two characters are masked; a short value is masked completely."""
    field = FormField("x", "Number", value=number)
    field.private = True
    assert field.display_text() == shown


def test_a_field_that_was_sent_is_read_only():
    """Mark and hint are gone, a private value is masked, and a keystroke changes nothing."""
    field = FormField("x", "Number", value="XEXX010101", hint="Ten characters.")
    field.private = True
    field.set_required(True)
    shown = ("mark", "hint", "value")
    before = [field.props()[name] for name in shown]
    field.lock(True)
    typed(field, "other")
    assert before == ["Required", "Ten characters.", "XEXX010101"]
    assert [field.props()[name] for name in shown] == ["", "", "••••••••01"]
    field.lock(False)
    assert [field.props()[name] for name in shown] == before


def test_a_ticked_box_keeps_its_hint():
    """After sending, the hint of a box says what was ticked; a text that is not private stays."""
    box, text = FormField("x", "X", TICK, hint="At noon."), FormField("x", "X", value="12345")
    for field in (box, text):
        field.lock(True)
    assert (box.props()["hint"], text.props()["value"]) == ("At noon.", "12345")


@pytest.mark.parametrize(
    ("kind", "length", "sent", "wide"),
    [
        (SELECT, 32, False, False),
        (SELECT, 33, False, True),
        (TEXT, 33, False, False),
        (TEXT, 32, True, False),
        (TEXT, 33, True, True),
        (RADIO, 33, True, False),
    ],
)
def test_a_long_text_has_a_row_of_its_own(kind, length, sent, wide):
    """A list of long choices is wide, as is a long text that was sent."""
    text = "x" * length
    options = [] if kind == TEXT else [(text, text)]
    field = FormField("x", "X", kind, value=text, options=options)
    field.lock(sent)
    assert field.props()["wide"] is wide
    assert ("grid-column" in field.static()) is wide


@pytest.mark.parametrize(("kind", "sent"), [(SELECT, ["Base", ""]), (COMBO, ["Base", "base"])])
def test_only_an_open_list_sends_its_values(kind, sent):
    """A browser needs the values of a list only where it can send others."""
    field = FormField("x", "X", kind, options=[("Base", "base")])
    assert field.props()["options"] == [sent]


def test_a_choice_is_sent_by_its_place():
    """The browser gets and sends the place of a choice; -1 is no choice."""
    field = FormField("x", "X", SELECT, options=[("one", 1), ("two", 2)])
    assert (field.value, field.props()["value"]) == (1, 0)
    typed(field, 1)
    assert (field.value, field.display_text(), field.props()["value"]) == (2, "two", 1)
    typed(field, 0)
    assert field.value == 1
    field.value = 3
    assert (field.display_text(), field.props()["value"]) == ("", -1)


@pytest.mark.parametrize(
    ("kind", "value", "wanted", "chosen"),
    [
        (SELECT, "b", None, "b"),
        (SELECT, "z", "b", "b"),
        (SELECT, "z", "y", "a"),
        (COMBO, "z", "b", "z"),
        (COMBO, "", "b", "b"),
    ],
)
def test_new_options_keep_a_choice_or_take_the_wanted_one(kind, value, wanted, chosen):
    """A choice that is no longer there becomes the wanted one, or the first."""
    field = FormField("x", "X", kind, value=value)
    field.set_options([("A", "a"), ("B", "b")], wanted)
    assert field.value == chosen


def test_no_options_leave_no_choice():
    """A list without options is empty, and a list that was given a value keeps it."""
    field = FormField("x", "X", SELECT, options=[("A", "a")])
    field.set_options([])
    assert field.value == ""
    assert FormField("x", "X", SELECT, value="b", options=[("A", "a"), ("B", "b")]).value == "b"


def test_a_lazy_field_reports_its_change_once_it_is_left():
    """Leaving a field without another change reports nothing; keystrokes are counted by view."""
    field, heard = FormField("x", "X"), []
    field.lazy, field.on_change = True, lambda one: heard.append(one.value)
    typed(field, "a", n=3)
    assert (heard, field.props()["heard"]) == ([], {"v": 3})
    left(field)
    left(field)
    assert heard == ["a"]


def test_a_value_that_is_the_same_is_no_change():
    """Setting a field to its own value reports nothing; an empty value is not judged."""
    field, heard = FormField("x", "X"), []
    field.on_change = heard.append
    field.value = ""
    assert (heard, field.shows_problems) == ([], False)
    field.value = "a"
    assert (heard, field.shows_problems) == ([field], True)
    field.reset("")
    assert (field.value, field.shows_problems) == ("", False)


@pytest.mark.parametrize(("count", "end"), [(8, "w7. You"), (9, "w7, …. You")])
def test_a_long_list_is_cut_in_a_hint(count, end):
    """A hint has at most eight values."""
    assert end in assumed_values_hint([f"w{number}" for number in range(count)])


def test_an_input_that_arrives_after_a_newer_one_is_not_taken():
    """A kernel may receive two keystrokes in another order, or one twice: the last one counts."""
    field = FormField("clabe", "CLABE")
    typed(field, "12345", n=5)
    typed(field, "1234", n=4)
    typed(field, "12345", n=5)
    assert (field.value, field.props()["heard"]) == ("12345", {"v": 5})
    field.receive({"kind": "input", "view": "other page", "n": 1, "value": "9"}, [])
    assert field.value == "9"
    field.receive({"kind": "input", "view": "v", "value": "8"}, [])
    typed(field, "7", n=4)
    assert field.value == "8"  # an input without a number leaves the last number as it was
