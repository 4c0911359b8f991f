"""The rules of sandbox deposits and conversion accounts."""

from __future__ import annotations

import pytest

from paylab.rules import deposits

DEPOSIT = {"conversion_account_id": "ca_1", "amount": "50", "currency": "mxn"}
ACCOUNT = {
    "individual_id": "ind_1",
    "source_currency": "mxn",
    "payout_account": {"id": "fa_1"},
}


def said(problems):
    """The messages of the problems by field."""
    return {problem.field: problem.message for problem in problems}


@pytest.mark.parametrize(
    ("change", "currency"),
    [
        ({}, "mxn"),
        ({}, None),
        ({"currency": "MXN"}, "mxn"),
        ({"amount": "50.00"}, "mxn"),
        ({"amount": "0.01"}, "mxn"),
        ({"amount": "100.00", "currency": "php"}, "php"),
        ({"amount": "100", "currency": "PHP"}, None),
        ({"sender_name": ""}, "mxn"),
        ({"sender_name": "Scenario Failed"}, "mxn"),
        ({"sender_name": None}, "mxn"),
    ],
)
def test_valid_deposits_have_no_problems(change, currency):
    """Valid deposits have no problems."""
    assert deposits.check(DEPOSIT | change, currency) == []


@pytest.mark.parametrize(
    ("change", "currency", "field", "words"),
    [
        ({"conversion_account_id": None}, "mxn", "conversion_account_id", "required"),
        ({"conversion_account_id": ""}, "mxn", "conversion_account_id", "blank"),
        ({"currency": "php"}, "mxn", "currency", "must be mxn"),
        ({"currency": None}, "php", "currency", "required"),
        ({"currency": "usd"}, None, "currency", "must be one of mxn, php"),
        ({"currency": 5}, "mxn", "currency", "must be mxn"),
        ({"amount": "50.01"}, "mxn", "amount", "at most 50"),
        ({"amount": "50.01"}, None, "amount", "at most 50"),
        ({"amount": "100.01", "currency": "php"}, "php", "amount", "at most 100"),
        ({"amount": "9" * 30}, "mxn", "amount", "at most 50"),
        ({"amount": "0"}, "mxn", "amount", "more than 0"),
        ({"amount": "-1"}, "mxn", "amount", "more than 0"),
        ({"amount": 50}, "mxn", "amount", "text"),
        ({"amount": "1.001"}, "mxn", "amount", "at most 2 decimals"),
        ({"amount": None}, "mxn", "amount", "required"),
        ({"sender_name": 5}, "mxn", "sender_name", "text"),
    ],
)
def test_an_invalid_deposit_has_one_problem_with_the_field_and_the_reason(
    change, currency, field, words
):
    """An invalid deposit has one problem, with the field and the reason."""
    assert words in said(deposits.check(DEPOSIT | change, currency))[field]
    assert len(deposits.check(DEPOSIT | change, currency)) == 1


def test_every_problem_of_a_deposit_is_listed_at_once():
    """A wrong amount and a wrong currency are both listed."""
    problems = deposits.check(DEPOSIT | {"amount": "51", "currency": "php"}, "mxn")
    assert list(said(problems)) == ["currency", "amount"]


@pytest.mark.parametrize(
    ("change", "country"),
    [
        ({}, "MX"),
        ({}, None),
        ({"source_currency": "MXN"}, "MX"),
        ({"source_currency": "php"}, "PH"),
        ({"destination_currency": "usdc"}, "MX"),
        ({"client_reference_id": "r" * 255}, "MX"),
        ({"client_reference_id": "scenario:slow"}, "MX"),
    ],
)
def test_valid_conversion_accounts_have_no_problems(change, country):
    """Valid conversion accounts have no problems."""
    assert deposits.check_account(ACCOUNT | change, country) == []


@pytest.mark.parametrize(
    ("change", "country", "field", "words"),
    [
        ({"individual_id": None}, "MX", "individual_id", "required"),
        ({"source_currency": None}, "MX", "source_currency", "required"),
        ({"source_currency": "php"}, "MX", "source_currency", "must be mxn"),
        ({"source_currency": "mxn"}, "PH", "source_currency", "must be php"),
        ({"source_currency": "usd"}, None, "source_currency", "must be one of mxn, php"),
        ({"source_currency": "ars"}, "AR", "source_currency", "no on-ramp is known for AR"),
        ({"source_currency": None}, "AR", "source_currency", "no on-ramp is known for AR"),
        ({"source_currency": "mxn"}, "XX", "source_currency", "no on-ramp is known for"),
        ({"source_currency": ["mxn"]}, "MX", "source_currency", "must be mxn"),
        ({"destination_currency": "USD"}, "MX", "destination_currency", "must be USDC"),
        ({"payout_account": None}, "MX", "payout_account", "required"),
        ({"payout_account": "fa_1"}, "MX", "payout_account", "object"),
        ({"payout_account": {"type": "crypto_wallet"}}, "MX", "payout_account.id", "required"),
        ({"payout_account": {"id": 5}}, "MX", "payout_account.id", "text"),
        ({"client_reference_id": "r" * 256}, "MX", "client_reference_id", "at most 255"),
        ({"client_reference_id": ""}, "MX", "client_reference_id", "blank"),
    ],
)
def test_an_invalid_conversion_account_has_one_problem_with_the_field_and_the_reason(
    change, country, field, words
):
    """An invalid conversion account has one problem, with the field and the reason."""
    (problem,) = deposits.check_account(ACCOUNT | change, country)
    assert problem.field == field
    assert words in problem.message


@pytest.mark.parametrize("body", [None, [], "x", 7])
def test_a_body_that_is_not_an_object_has_one_problem_without_a_field_name(body):
    """A body that is not an object has one problem, without a field name."""
    wanted = {"": "must be a JSON object"}
    assert said(deposits.check(body)) == said(deposits.check_account(body)) == wanted
