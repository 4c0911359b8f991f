"""The enumerations and limits of the service."""

from __future__ import annotations

import pytest

from paylab.spec import codes


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (codes.COUNTRIES, 42),
        (codes.SEPA, 31),
        (codes.PRODUCTS, 3),
        (codes.DOCUMENT_TYPES, 15),
        (codes.STATUS_DETAIL_CODES, 20),
        (codes.ACCOUNT_TYPES, 6),
        (codes.IMAGE_SIDES, 3),
        (codes.IMAGE_TYPES, 6),
        (codes.PAYOUT_METHODS, 21),
        (codes.TRANSFER_STATUSES, 8),
        (codes.CONVERSION_STATUSES, 7),
        (codes.DESTINATION_CURRENCIES, 11),
        (codes.DEPOSIT_INSTRUCTION_TYPES, 6),
        (codes.EVENT_TYPES, 11),
    ],
)
def test_enumerations_are_whole_and_name_nothing_twice(words, count):
    """Each enumeration has as many words as the spec lists, without duplicates."""
    assert len(words) == len(set(words)) == count


# The limits of the specification, typed from its table.
LIMITS = {
    "PAGE_MAX": 100,
    "TOKEN_MAX": 4_096,
    "IMAGES_MAX": 10,
    "IMAGE_MIN": 10 * 1_024,
    "IMAGE_MAX": 15 * 1_024**2,
    "IDEMPOTENCY_HOURS": 24,
    "UPI_MAX": 45,
    "PHONE_MAX_IN": 20,
    "HOLDER_NAME_MIN": 2,
    "HOLDER_NAME_MAX": 140,
    "IBAN_MIN": 15,
    "IBAN_MAX": 34,
}


def test_each_limit_is_that_of_the_specification():
    """Each limit is that of the specification."""
    assert {name: getattr(codes, name) for name in LIMITS} == LIMITS


def test_only_the_body_of_a_request_is_filled_in_while_it_is_read(mutable):
    """Only the body of a request is filled in while it is read."""
    assert mutable("spec") == {"RequestBody"}


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        (codes.SEPA, codes.COUNTRIES),
        (codes.NETWORKS, codes.PAYOUT_METHODS),
        (codes.STABLECOINS, codes.SOURCE_CURRENCIES),
    ],
)
def test_parts_belong_to_their_whole(part, whole):
    """A list that is a part of another contains only words of that list."""
    assert set(part) <= set(whole)


@pytest.mark.parametrize(
    ("currency", "places"), [("USD", 2), ("mxn", 2), ("USDC", 6), ("usdc", 6), ("VND", 0)]
)
def test_usdc_has_six_decimals_vnd_none_the_others_two_in_any_letter_case(currency, places):
    """USDC has six decimals, VND none, the others two, in any letter case."""
    assert codes.minor_unit(currency) == places


@pytest.mark.parametrize(("a", "b", "same"), [("mxn", "MXN", True), ("mxn", "php", False)])
def test_currencies_compare_without_case(a, b, same):
    """Currencies are compared without regard to letter case."""
    assert codes.same_currency(a, b) is same


def test_usdc_is_a_stablecoin_in_any_letter_case():
    """USDC is a stablecoin, in any letter case; USD is not."""
    assert codes.is_stablecoin("usdc")
    assert not codes.is_stablecoin("USD")
