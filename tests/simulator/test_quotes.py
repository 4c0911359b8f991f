"""Quotes: prices, the three amounts, expiry and use."""

from __future__ import annotations

from decimal import Decimal

import pytest

BODY = {"payout_method": "spei", "destination_currency": "mxn"}


@pytest.fixture
def ask(service):
    """A function that requests a quote to a Mexican account."""
    account = service.payable("MX", "global_payouts", "off_ramp")
    reference = {"financial_account": {"id": account["id"]}}
    return lambda **change: service.post("/v1/quotes", {**reference, **BODY, **change})


def test_a_quote_has_all_fields_with_currencies_in_upper_case_and_padded_amounts(ask):
    """A quote has all fields, with currencies in upper case and padded amounts."""
    answer = ask(source_amount="100")
    assert answer.status == 201
    shown = {name: answer[name] for name in answer.json if not name.endswith("id")}
    assert shown == {
        "source_amount": "100.00",
        "source_currency": "USD",
        "destination_amount": "1833.90",
        "destination_currency": "MXN",
        "exchange_rate": "18.4312",
        "payout_method": "spei",
        "derived_source_amount": False,
        "total_fee": "0.50",
        "fee_currency": "USD",
        "total_tax": "0.00",
        "tax_currency": "USD",
        "net_source_amount": "99.50",
        "source_network": None,
        "expires_at": "2026-01-15T12:02:02.000Z",
        "created_at": "2026-01-15T12:00:02.000Z",
    }
    assert {"id", "financial_account_id", "recipient_id"} < answer.json.keys()


@pytest.mark.parametrize(
    ("given", "amount"),
    [
        ("source_amount", "250.07"),
        ("net_source_amount", "99.5"),
        ("net_source_amount", "1234567.89"),
        ("destination_amount", "0.01"),
        ("destination_amount", "1833.9"),
        ("destination_amount", "999999999999999.99"),
    ],
)
@pytest.mark.parametrize(("source", "places"), [("usd", 2), ("USDC", 6)])
def test_the_given_amount_is_exact_source_fee_net_and_derived_source_amount_is_correct(
    ask, given, amount, source, places
):
    """The given amount is exact, source = fee + net, and derived_source_amount is correct."""
    network = {"source_network": "base"} if source == "USDC" else {}
    answer = ask(**{given: amount, "source_currency": source}, **network)
    assert Decimal(answer[given]) == Decimal(amount)
    parts = Decimal(answer["total_fee"]) + Decimal(answer["net_source_amount"])
    assert Decimal(answer["source_amount"]) == parts
    assert len(answer["source_amount"].partition(".")[2]) == places
    assert answer["derived_source_amount"] is (given != "source_amount")


def test_a_smaller_source_would_not_reach_the_destination_amount(ask):
    """A smaller source would not reach the destination amount. Assumption `amount.derived`."""
    for wanted in ("1833.90", "1833.91", "10.00", "77777.77"):
        answer = ask(destination_amount=wanted)
        less = Decimal(answer["source_amount"]) - Decimal("0.01")
        smaller = ask(source_amount=str(less))
        net = Decimal(smaller["net_source_amount"]) if smaller.status == 201 else Decimal(0)
        assert net * Decimal(answer["exchange_rate"]) < Decimal(wanted)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({}, "source_amount"),
        ({"source_amount": "1", "net_source_amount": "1"}, "net_source_amount"),
        ({"source_amount": 100}, "source_amount"),
        ({"source_amount": "1.001"}, "source_amount"),
        ({"destination_amount": "1.001"}, "destination_amount"),
        ({"source_amount": "0.50"}, "source_amount"),
        ({"source_amount": "0"}, "source_amount"),
        ({"source_amount": "-1"}, "source_amount"),
        ({"source_amount": "1e3"}, "source_amount"),
        ({"source_amount": "100", "source_currency": "usdc"}, "source_network"),
        ({"source_amount": "100", "source_currency": "eur"}, "source_currency"),
        ({"source_amount": "100", "destination_currency": "brl"}, "destination_currency"),
        ({"source_amount": "100", "payout_method": "pix"}, "payout_method"),
        ({"source_amount": "100", "payout_method": "SPEI"}, "payout_method"),
    ],
)
def test_an_invalid_quote_returns_a_400_that_names_the_field(ask, change, field):
    """An invalid quote returns a 400 that names the field."""
    answer = ask(**change)
    assert (answer.status, [*answer.fields]) == (400, [field])


def test_problems_of_the_body_and_of_the_account_are_listed_at_once(ask):
    """One answer lists the problems of the body and those against the account."""
    fields = ask(source_amount="x", payout_method="pix", destination_currency="brl").fields
    assert fields.keys() == {"source_amount", "payout_method", "destination_currency"}


@pytest.mark.parametrize("amount", ["0.51", "0.50"])
def test_an_amount_must_be_more_than_the_fee(ask, amount):
    """An amount equal to the fee is refused; a cent more is accepted."""
    assert ask(source_amount=amount).status == (201 if amount == "0.51" else 400)


def test_account_by_either_name(service, ask):
    """The account can be given as an object or as an id; an unknown one returns 404."""
    account = service.payable()
    body = BODY | {"source_amount": "5"}
    assert service.post("/v1/quotes", body | {"financial_account_id": account["id"]}).status == 201
    assert service.post("/v1/quotes", body | {"financial_account_id": "x"}).status == 404
    assert service.post("/v1/quotes", body | {"financial_account": {"id": "x"}}).status == 404
    assert service.post("/v1/quotes", body | {"financial_account": "x"}).status == 400
    assert service.post("/v1/quotes", body).status == 400


@pytest.mark.parametrize(("seconds", "status"), [(119.999, 201), (120, 422)])
def test_a_quote_is_valid_for_less_than_120_seconds(service, ask, seconds, status):
    """A quote is valid for less than 120 seconds."""
    quote = ask(source_amount="100")
    service.advance(seconds)
    assert service.post("/v1/transfers", {"quote_id": quote["id"]}).status == status


def test_a_transfer_takes_the_quote_over(service, ask):
    """A transfer has the terms of its quote, and a quote can be used once."""
    quote = ask(destination_amount="1000").json
    made = service.post("/v1/transfers", {"quote_id": quote["id"], "destination_currency": "mxn"})
    assert made.status == 201
    same = made.json.keys() & quote.keys() - {"id", "created_at"}
    assert {name: made[name] for name in same} == {name: quote[name] for name in same}
    assert {"source_amount", "exchange_rate", "total_fee", "recipient_id"} <= same
    assert service.post("/v1/transfers", {"quote_id": quote["id"]}).status == 422


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"source_amount": "100"}, 400),
        ({"destination_currency": "brl"}, 400),
        ({"source_currency": "USDC"}, 400),
        ({"payout_method": "pix"}, 400),
        ({"financial_account_id": "x"}, 404),
        ({"source_type": "deposit"}, 400),
        ({"quote_id": "x"}, 404),
        ({"quote_id": 7}, 400),
        ({"source_currency": "usd", "payout_method": "spei"}, 201),
    ],
)
def test_a_body_that_says_otherwise(service, ask, change, status):
    """A transfer from a quote may repeat the quote's terms but not contradict them."""
    body = {"quote_id": ask(source_amount="100")["id"], **change}
    assert service.post("/v1/transfers", body).status == status


def test_a_transfer_may_repeat_the_network_of_its_quote_but_not_change_it(service):
    """Another source network than that of the quote is a 400, the same one is accepted."""
    account = service.payable("MX", "global_payouts", "off_ramp")
    service.wallet(service.get("/v1/individuals")["data"][0])
    terms = {"source_currency": "USDC", "source_network": "base", "source_amount": "10"}
    reference = {"financial_account": {"id": account["id"]}}
    quote = service.made("/v1/quotes", {**reference, **BODY, **terms})
    body = {"quote_id": quote["id"]}
    assert service.post("/v1/transfers", body | {"source_network": "solana"}).status == 400
    assert service.post("/v1/transfers", body | {"source_network": "base"}).status == 201
