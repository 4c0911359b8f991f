"""Every tag has a name, and only the templates of the standard contain tags."""

from __future__ import annotations

import pytest

from paylab.emvqr import fields

TWO_DIGITS = [f"{number:02d}" for number in range(100)]


@pytest.mark.parametrize("parent", ["", "27.", "62.", "64.", "88."])
def test_every_tag_has_a_name(parent):
    """Every tag has a name."""
    assert all(fields.name(parent + tag) for tag in TWO_DIGITS)


def test_templates():
    """Templates are 26 to 51, 62, 64 and 80 to 99, and 50 to 99 within 62."""
    top = [int(tag) for tag in TWO_DIGITS if fields.is_template(tag)]
    assert top == [*range(26, 52), 62, 64, *range(80, 100)]
    assert [tag for tag in TWO_DIGITS if fields.is_template(f"62.{tag}")] == TWO_DIGITS[50:]
    assert not any(fields.is_template(f"27.{tag}") for tag in TWO_DIGITS)


MERCHANT = {
    "Visa": (2, 3),
    "Mastercard": (4, 5),
    "Discover": (9, 10),
    "Amex": (11, 12),
    "JCB": (13, 14),
    "UnionPay": (15, 16),
    "Reserved for EMVCo": (*range(6, 9), *range(17, 26), *range(65, 80)),
    "Merchant account information": range(26, 52),
    "Unreserved template": range(80, 100),
}
"""The names of the standard for whole ranges of tags."""


@pytest.mark.parametrize("called", MERCHANT)
def test_ranges(called):
    """Each card network has its own range of tags, and so have templates and the standard."""
    named = [int(tag) for tag in TWO_DIGITS if fields.name(tag) == called]
    assert named == [*MERCHANT[called]]
