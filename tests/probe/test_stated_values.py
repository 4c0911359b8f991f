"""The words and numbers that a message says are accepted."""

from __future__ import annotations

import pytest

from paylab.probe.candidates import stated_numbers, stated_words


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        ("must be one of cpf, cnpj or evp", ("cpf", "cnpj", "evp")),
        ("expected: 'SAVINGS' | 'CHECKING'", ("SAVINGS", "CHECKING")),
        ("must be text", ()),
        ("should be an object", ()),
        ("must be a; allowed values are b, c", ("b", "c")),
        ("is required", ()),
    ],
)
def test_the_words_that_are_accepted(words, choices):
    """The longest list of words counts; words that name a type are none."""
    assert stated_words(words) == choices


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("must have 1 to 64 characters", (1, 64)),
        ("at most 123456789", (123456789,)),
        ("not 1234567890", ()),
        ("is required", ()),
    ],
)
def test_the_numbers_of_a_limit(words, numbers):
    """Integers of up to nine digits; a longer one is an id rather than a limit."""
    assert stated_numbers(words) == numbers
