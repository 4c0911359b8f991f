"""CLABEs: published examples, invalid texts and check digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.corridors import clabe

PUBLISHED = "032180000118359719"  # the worked example that most descriptions of the CLABE give
bodies = st.text("0123456789", min_size=17, max_size=17)


@pytest.mark.parametrize("number", [PUBLISHED, "002010077777777771"])
def test_published_examples_are_valid(number):
    """Published examples are valid."""
    assert clabe.is_valid(number)
    assert clabe.check_digit(number[:17]) == number[17]


def test_the_products_of_the_worked_example_are_as_published():
    """The products of the worked example are as published."""
    assert clabe.products(PUBLISHED[:17]) == (0, 1, 2, 3, 6, 0, 0, 0, 0, 3, 7, 8, 9, 5, 9, 1, 7)


def test_a_clabe_has_a_bank_a_plaza_an_account_and_a_check_digit():
    """A CLABE has 3 digits of bank, 3 of plaza, 11 of account and 1 check digit."""
    assert clabe.parts(PUBLISHED) == ("032", "180", "00011835971", "9")


@pytest.mark.parametrize(
    "junk",
    ["", PUBLISHED[:17], PUBLISHED + "0", PUBLISHED + "\n", "\u0660" * 18, "x" * 18, None, 7],
)
def test_anything_but_18_digits_is_not_a_clabe_and_has_no_parts(junk):
    """Anything but 18 digits is not a CLABE and has no parts."""
    assert not clabe.is_valid(junk)
    with pytest.raises(ValueError, match="exactly 18 digits"):
        clabe.parts(junk)


@pytest.mark.parametrize("junk", ["", PUBLISHED, "x" * 17])
def test_a_check_digit_is_made_from_17_digits_and_nothing_else(junk):
    """A check digit is made from 17 digits and nothing else."""
    with pytest.raises(ValueError, match="exactly 17 digits"):
        clabe.check_digit(junk)


@given(bodies, st.integers(0, 16), st.integers(1, 9))
def test_a_clabe_with_one_wrong_digit_is_never_valid(body, place, step):
    """A CLABE with one wrong digit is never valid."""
    wrong = str((int(body[place]) + step) % 10)
    number = body + clabe.check_digit(body)
    assert clabe.is_valid(number)
    assert not clabe.is_valid(number[:place] + wrong + number[place + 1 :])
