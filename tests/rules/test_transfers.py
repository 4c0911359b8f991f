"""The rules of transfers, quotes and routes."""

from __future__ import annotations

import pytest

from paylab import corridors
from paylab.rules import transfers
from paylab.spec import codes

TRANSFER = {
    "source_amount": "100.00",
    "source_currency": "usd",
    "destination_currency": "mxn",
    "financial_account": {"id": "fa_1"},
    "payout_method": "spei",
}
QUOTE = {
    "financial_account_id": "fa_1",
    "payout_method": "pix",
    "destination_currency": "BRL",
    "source_amount": "100",
}


def fields(problems):
    """The fields of the problems."""
    return [problem.field for problem in problems]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"source_currency": "USD", "destination_currency": "Mxn"},
        {"financial_account": None, "financial_account_id": "fa_1"},
        {"financial_account_id": "fa_1"},
        {"source_amount": None, "destination_amount": "0.01"},
        {"source_amount": None, "net_source_amount": "99.5"},
        {"source_currency": "usdc", "source_amount": "0.000001"},
        {"source_currency": "USDC", "source_network": "base", "source_type": "deposit"},
        {"source_type": "prefunded"},
        {"client_reference_id": "r" * 64},
        {"client_reference_id": "scenario:failed:1"},
        {"memo": ["ignored"]},
    ],
)
def test_valid_transfers_have_no_problems(change):
    """Valid transfers have no problems."""
    assert transfers.check(TRANSFER | change) == []


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"source_amount": None}, "source_amount", "exactly one of"),
        ({"destination_amount": "1"}, "destination_amount", "exactly one of"),
        ({"source_amount": 100}, "source_amount", "text"),
        ({"source_amount": "100.001"}, "source_amount", "at most 2 decimals in USD"),
        ({"source_amount": "0"}, "source_amount", "more than 0"),
        ({"source_amount": "-5"}, "source_amount", "more than 0"),
        ({"source_currency": None}, "source_currency", "required"),
        ({"source_currency": "EUR"}, "source_currency", "must be one of USD, USDC, PHP"),
        ({"source_currency": ["usd"]}, "source_currency", "must be one of"),
        ({"destination_currency": None}, "destination_currency", "required"),
        ({"destination_currency": "USD"}, "destination_currency", "must be one of MXN"),
        ({"payout_method": None}, "payout_method", "required"),
        ({"payout_method": "SPEI"}, "payout_method", "must be one of ach"),
        ({"payout_method": "pigeon"}, "payout_method", "must be one of ach"),
        ({"financial_account": None}, "financial_account", "required"),
        ({"financial_account": "fa_1"}, "financial_account", "object"),
        ({"financial_account": {}}, "financial_account.id", "required"),
        ({"financial_account": {"id": ""}}, "financial_account.id", "blank"),
        ({"financial_account": {"id": 5}}, "financial_account.id", "text"),
        ({"financial_account_id": "fa_2"}, "financial_account_id", "must equal"),
        ({"source_network": "tron"}, "source_network", "must be one of base"),
        ({"source_type": "deposit"}, "source_type", "stablecoin"),
        ({"source_type": "credit"}, "source_type", "must be one of prefunded"),
        ({"client_reference_id": "r" * 65}, "client_reference_id", "at most 64"),
        ({"client_reference_id": " "}, "client_reference_id", "blank"),
        ({"client_reference_id": 5}, "client_reference_id", "text"),
    ],
)
def test_an_invalid_transfer_has_one_problem_with_the_field_and_the_reason(change, field, words):
    """An invalid transfer has one problem, with the field and the reason."""
    (problem,) = transfers.check(TRANSFER | change)
    assert problem.field == field
    assert words in problem.message


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"client_reference_id": "r", "source_type": "deposit"}, []),
        ({"payout_method": "spei", "financial_account": {"id": "fa_1"}}, []),
        ({"source_amount": "5"}, ["source_amount"]),
        (
            {"source_amount": "5", "destination_amount": "5"},
            ["source_amount", "destination_amount"],
        ),
        ({"payout_method": "x"}, ["payout_method"]),
        ({"quote_id": ""}, ["quote_id"]),
        ({"quote_id": 5}, ["quote_id"]),
    ],
)
def test_a_transfer_from_a_quote_has_no_amounts(change, wrong):
    """A transfer from a quote has no amounts; its other fields only have to be well formed."""
    assert fields(transfers.check({"quote_id": "qt_1"} | change)) == wrong


def test_every_problem_of_a_transfer_is_listed_at_once():
    """An empty body has a problem for every required field."""
    assert fields(transfers.check({})) == [
        *("financial_account", "payout_method", "destination_currency"),
        *("source_currency", "source_amount"),
    ]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"source_amount": None, "destination_amount": "1.00"}, []),
        ({"source_amount": None, "net_source_amount": "1.00"}, []),
        ({"source_currency": "USDC", "source_network": "solana"}, []),
        ({"source_currency": "USDC"}, ["source_network"]),
        ({"source_currency": "usdc", "source_network": "tron"}, ["source_network"]),
        ({"source_currency": "xyz"}, ["source_currency"]),
        ({"source_amount": None}, ["source_amount"]),
        ({"source_amount": "1", "net_source_amount": "1"}, ["net_source_amount"]),
        ({"source_amount": "1.001"}, ["source_amount"]),
        ({"destination_currency": None}, ["destination_currency"]),
        ({"destination_currency": "VND"}, []),
        (
            {"destination_currency": "VND", "source_amount": None, "destination_amount": "1.5"},
            ["destination_amount"],
        ),
        ({"financial_account_id": None}, ["financial_account"]),
        ({"financial_account_id": 7}, ["financial_account_id"]),
        ({"payout_method": ""}, ["payout_method"]),
    ],
)
def test_a_quote_needs_exactly_one_amount_and_a_network_for_a_stablecoin(change, wrong):
    """A quote needs exactly one amount, and a network for a stablecoin; the default is USD."""
    assert fields(transfers.check_quote(QUOTE | change)) == wrong


@pytest.mark.parametrize("body", [None, [], "x", 7])
def test_a_body_that_is_not_an_object_has_one_problem_without_a_field_name(body):
    """A body that is not an object has one problem, without a field name."""
    assert fields(transfers.check(body)) == fields(transfers.check_quote(body)) == [""]


@pytest.mark.parametrize("corridor", corridors.ALL, ids=lambda corridor: corridor.country)
def test_every_rail_reaches_every_account_of_its_country(corridor):
    """Each local account type takes exactly the rails of its corridor."""
    for kind in set(corridor.account_types) - {"crypto_wallet"}:
        good = [
            rail
            for rail in codes.PAYOUT_METHODS
            if not transfers.check_route(corridor.country, kind, "usd", corridor.currency, rail)
        ]
        assert set(good) == set(corridor.payout_methods)


@pytest.mark.parametrize(
    ("route", "field", "words"),
    [
        (("MX", "bank_account", "USD", "BRL", "spei"), "destination_currency", "must be MXN"),
        (("MX", "bank_account", "USD", "mxn", "pix"), "payout_method", "must be spei"),
        (("MX", "bank_account", "EUR", "mxn", "spei"), "source_currency", "must be one of USD"),
        (("PH", "digital_wallet", "USD", "PHP", "ach"), "payout_method", "instapay, pesonet"),
        (("MX", "crypto_wallet", "USD", "USDC", "spei"), "payout_method", "must be one of base"),
        (("MX", "crypto_wallet", "USD", "MXN", "base"), "destination_currency", "must be USDC"),
        (("US", "bank_account", "USD", "MXN", "ach"), "payout_method", "no rail reaches"),
        (("XX", "bank_account", "USD", "MXN", "ach"), "payout_method", "no rail reaches"),
        ((None, [], {}, 5, True), "payout_method", "no rail reaches"),
    ],
)
def test_a_route_that_leads_nowhere_has_one_problem(route, field, words):
    """A route whose currency or rail does not fit the account has one problem."""
    (problem,) = transfers.check_route(*route)
    assert problem.field == field
    assert words in problem.message


@pytest.mark.parametrize("network", codes.NETWORKS)
def test_a_wallet_is_reached_over_its_own_network(network):
    """A wallet takes USDC only over its own network."""
    assert transfers.check_route("US", "crypto_wallet", "USD", "usdc", network) == []
    good = [rail for rail in codes.NETWORKS if not transfers.check_network(network, rail)]
    assert good == [network]
