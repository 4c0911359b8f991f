"""For any JSON, every rule returns a list of problems and raises no exception."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paylab.errors import Problem
from paylab.rules import accounts, deposits, images, individuals, transfers, webhooks
from paylab.spec import codes, money

TEXT = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.sampled_from(
        [
            *("MX", "IN", "PH", "DE", "pix", "bank_account", "crypto_wallet", "ph_qr_code", "upi"),
            *("on_ramp", "off_ramp", "USDC", "mxn", "deposit", "selfie", "curp", "1.5", "a@b.c"),
            *("data:image/png;base64,", "http://[", "https://\ud83d", "2026-01-31T09:30:00Z"),
            *("0001-01-01T00:00:00+14:00", "\0", "000201", "cpf", "evp", "GB", "\ud800T"),
        ]
    ),
)
LEAF = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT)
NAMES = st.sampled_from(
    [
        *("product_types", "given_name", "country", "phone", "date_of_birth", "address"),
        *("idv_consent_recorded_at", "document", "number", "type", "financial_accounts"),
        *("details", "individual_id", "pix_key", "pix_key_type", "iban", "upi_id", "clabe"),
        *("qrph_payload", "issuer", "network", "images", "content", "provider", "token", "id"),
        *("source_amount", "source_currency", "destination_amount", "destination_currency"),
        *("quote_id", "financial_account", "financial_account_id", "source_type", "amount"),
        *("currency", "sender_name", "payout_account", "url", "event_types", "line_1"),
        *("partner_terms_accepted_at", "client_reference_id", "payout_method", "source_network"),
    ]
)
JSON = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | TEXT, inner, max_size=12),
    max_leaves=30,
)

# No deadline: the machine may be busy, and these tests do not measure speed.
some = settings(max_examples=30, deadline=None)

RULES = {
    "individuals.check": individuals.check,
    "individuals.find_warnings": individuals.find_warnings,
    "individuals.check_token": individuals.check_token,
    "accounts.check": accounts.check,
    "accounts.check in MX": partial(accounts.check, country="MX"),
    "accounts.check_entry in PH": partial(accounts.check_entry, country="PH"),
    "images.check": images.check,
    "transfers.check": transfers.check,
    "transfers.check_quote": transfers.check_quote,
    "deposits.check": deposits.check,
    "deposits.check of mxn": partial(deposits.check, currency="mxn"),
    "deposits.check_account": deposits.check_account,
    "deposits.check_account in PH": partial(deposits.check_account, country="PH"),
    "webhooks.check": webhooks.check,
}
TYPED = [("MX", "bank_account"), ("BR", "pix"), ("IN", "upi"), ("PH", "ph_qr_code")]
TYPED += [("GB", "bank_account"), ("DE", "bank_account"), ("US", "crypto_wallet")]


def are_problems(found):
    """Whether this is a list of problems with a field and a reason."""
    whole = isinstance(found, list) and all(isinstance(one, Problem) for one in found)
    return whole and all(isinstance(one.field, str) and one.message for one in found)


@some
@given(body=st.dictionaries(NAMES, JSON, max_size=20) | JSON)
def test_every_rule_returns_problems_for_any_body(body):
    """Every rule returns problems for any JSON body, and the same ones when called again.

    All rules check the same body, because generating it takes longer than checking it.
    """
    for name, rule in RULES.items():
        found = rule(body)
        assert are_problems(found), name
        assert rule(body) == found, name


@some
@given(details=st.dictionaries(NAMES, JSON) | JSON)
def test_checks_and_warnings_of_account_details_return_problems_for_any_json(details):
    """Checks and warnings of account details return problems for any JSON."""
    for place in TYPED:
        assert are_problems(accounts.check_details(*place, details)), place
        assert are_problems(accounts.find_warnings(*place, details)), place


@settings(some, max_examples=15)
@given(route=st.tuples(JSON, JSON, JSON, JSON, JSON))
def test_the_rules_of_routes_return_problems_for_any_json_values(route):
    """The rules of routes return problems for any JSON values."""
    assert are_problems(transfers.check_route(*route))
    assert are_problems(transfers.check_network(*route[:2]))


@some
@given(JSON, JSON)
def test_the_rule_of_amounts_returns_problems_for_any_json_amount_and_currency(value, currency):
    """The rule of amounts returns problems for any JSON amount and currency."""
    assert are_problems(money.check_amount(value, currency, "amount"))


@some
@given(st.binary())
def test_any_bytes_are_recognized_as_one_of_the_six_types_or_as_none(data):
    """Any bytes are recognized as one of the six types or as none."""
    assert images.sniff_type(data) in (None, *codes.IMAGE_TYPES)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_deep_and_huge_bodies_have_problems(rule):
    """Rules return problems for deeply nested values and for very long texts."""
    deep = []
    for _ in range(50_000):
        deep = [deep]
    names = NAMES.elements
    assert are_problems(rule(dict.fromkeys(names, deep)))
    assert are_problems(rule(dict.fromkeys(names, "9" * 5_000_000)))
