"""The card of a CLABE."""

from __future__ import annotations

import re

import pytest

from paylab.views.cards import check_digit_calculation, clabe_card

CLABE = "002010077777777771"


def text_of(html):
    """The text of HTML, without its tags."""
    return re.sub("<[^>]+>", " ", html)


def test_the_table_has_bank_plaza_account_check_digit_and_the_additional_rows():
    """The table has bank, plaza, account, check digit and the additional rows."""
    assert clabe_card(CLABE, [("Rail", "spei")]).table() == [
        ("Bank code", "002, Banamex"),
        ("Plaza", "010, the town of the branch"),
        ("Account", "07777777777"),
        ("Check digit", "1, correct"),
        ("Rail", "spei"),
    ]


def test_the_digits_are_in_groups_and_can_be_selected_without():
    """The digits are shown in groups, and ungrouped in an element that one click selects."""
    html = clabe_card(CLABE)._repr_mimebundle_()["text/html"]
    groups = re.findall(r">(\d+)</div>", html)
    assert groups == ["002", "010", "07777777777", "1"]
    assert re.search(rf'<code style="[^"]*user-select:all[^"]*">{CLABE}</code>', html)


def test_the_plain_text_has_the_digits_grouped_and_ungrouped():
    """The plain text has the digits grouped and ungrouped."""
    shown = clabe_card(CLABE)._repr_mimebundle_()["text/plain"]
    assert "002 010 07777777777 1" in shown
    assert CLABE in shown


def test_a_bank_without_a_name():
    """An unknown bank code says that it has no name."""
    shown = dict(clabe_card("032180000118359719").table())["Bank code"]
    assert shown == "032, not a bank we know by name"


@pytest.mark.parametrize(
    ("clabe", "problem"),
    [
        ("032180000118359718", "Do not pay: the check digit should be 9"),
        ("12345", "Do not pay: a CLABE has exactly 18 digits"),
        ("<b>bold</b>\x1b[31m", "Do not pay: a CLABE has exactly 18 digits"),
    ],
)
def test_an_invalid_clabe_is_shown_escaped_with_a_warning(clabe, problem):
    """A text that is not a valid CLABE is shown escaped, with a warning not to pay."""
    shown = clabe_card(clabe)._repr_mimebundle_()
    assert problem in text_of(shown["text/html"])
    assert problem in shown["text/plain"]
    assert "<b>" not in shown["text/html"]
    assert "\x1b" not in shown["text/html"] + shown["text/plain"]


@pytest.mark.parametrize(
    ("clabe", "total"),
    [
        ("032180000118359719", "61, and 9 makes it 70"),
        ("000000000000000000", "0, and 0 makes it 0"),
    ],
)
def test_the_calculation_of_the_check_digit_ends_in_a_multiple_of_ten(clabe, total):
    """The steps of the check digit end with a sum that is a multiple of ten."""
    assert check_digit_calculation(clabe)[-1] == f"sum       {total}"
