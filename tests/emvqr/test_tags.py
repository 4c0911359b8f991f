"""Every tag has a name, and only the templates of the standard contain tags."""

from __future__ import annotations

import pytest

from paylab.emvqr import fields

TWO_DIGITS = [f"{number:02d}" for number in range(100)]


@pytest.mark.parametrize("parent", ["", "27.", "62.", "64.", "88."])
def test_every_tag_has_a_name(parent):
    """Every tag has a name."""
    assert all(fields.field_name(parent + tag) for tag in TWO_DIGITS)


def test_neither_a_payload_nor_a_field_can_be_changed(mutable):
    """Neither a payload nor a field can be changed."""
    assert mutable("emvqr") == set()


def test_tags_from_26_to_51_and_62_64_and_from_80_are_templates():
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
def test_each_card_network_has_its_own_range_of_tags(called):
    """Each card network has its own range of tags, and so have templates and the standard."""
    named = [int(tag) for tag in TWO_DIGITS if fields.field_name(tag) == called]
    assert named == [*MERCHANT[called]]


@pytest.mark.parametrize(
    ("path", "scheme", "called"),
    [
        ("62.00", "", "Globally unique identifier"),
        ("62.08", "", "Purpose of transaction"),
        ("62.12", "", "Reserved for EMVCo"),
        ("62.49", "", "Reserved for EMVCo"),
        ("62.50", "", "Payment system template"),
        ("62.99", "", "Payment system template"),
        ("64.02", "", "Merchant city, alternate language"),
        ("64.50", "", "Reserved for EMVCo"),
        ("27.00", "", "Globally unique identifier"),
        ("27.50", "com.p2pqrpay", "Scheme specific"),
        ("27.05", "COM.P2PQRPAY", "Mobile number"),
        ("28.05", "ph.ppmi.p2m", "Proxy-notify flag"),
        ("28.04", "ph.ppmi.p2micro", "Credit account"),
        ("88.01", "ph.ppmi.qrph", "Acquirer required information"),
        ("88.01", "", "Scheme specific"),
    ],
)
def test_tags_within_a_template_are_named(path, scheme, called):
    """A tag within a template is named by the standard or by the scheme of the template."""
    assert fields.field_name(path, scheme) == called
