"""Equal orders are equal bytes, whatever the spelling of their fields."""

from __future__ import annotations

import json
from decimal import Decimal
from unicodedata import normalize

import pytest

import paylab
from paylab.client.order_body import order_body
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

ORDER = {
    "client_reference_id": "café",
    "destination_currency": "MXN",
    "financial_account": {"id": "fa_1"},
    "payout_method": "spei",
    "source_amount": "50.00",
    "source_currency": "USD",
}
SPELLINGS = {
    "the fields in another order": dict(reversed(ORDER.items())),
    "an amount without decimals": {**ORDER, "source_amount": "50"},
    "an amount with zeros": {**ORDER, "source_amount": "0050.000"},
    "words in another case": {**ORDER, "source_currency": "usd", "payout_method": "SPEI"},
    "a decomposed reference": {**ORDER, "client_reference_id": normalize("NFD", " café ")},
    "the account by its id": {
        **{name: value for name, value in ORDER.items() if name != "financial_account"},
        "financial_account_id": "fa_1",
    },
    "the account both ways": {**ORDER, "financial_account_id": "fa_1"},
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_equal_orders_are_equal_bytes(spelling):
    """A spelling of an order has the body of the order, byte for byte."""
    body = order_body("transfers.create", spelling, Service())
    assert json.dumps(body) == json.dumps(ORDER)


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ({"source_amount": "5", "source_currency": "USDC"}, "5.000000"),
        ({"source_amount": "1000000.5", "source_currency": "USD"}, "1000000.50"),
        ({"source_amount": "5.001", "source_currency": "USD"}, "5.001"),
        ({"source_amount": "5"}, "5"),
        ({"source_amount": "five", "source_currency": "USD"}, "five"),
        ({"source_amount": "9" * 30, "source_currency": "USD"}, "9" * 30 + ".00"),
    ],
)
def test_an_amount_has_the_decimals_of_its_currency(fields, sent):
    """An amount with more decimals, or that is none, is sent as it is."""
    assert order_body("transfers.create", fields, Service())["source_amount"] == sent


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"currencies.case": "lower"}, ("usd", "50.00", {"id": "fa_1"})),
        ({"amounts.requests": "number"}, ("USD", 50.0, {"id": "fa_1"})),
    ],
)
def test_a_service_with_other_settings_gets_equal_bytes_too(settings, sent):
    """The settings of a service decide the case of words and the form of amounts."""
    simulator = Simulator(service=Service().with_values(settings))
    lab = paylab.connect(simulator=simulator)
    person = lab.individuals.create(**examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **examples.account("MX")).id
    rail = {"payout_method": "spei", "destination_currency": "mxn"}
    for amount in ("50", Decimal("50.0")):
        lab.transfers.create(account, source_amount=amount, source_currency="Usd", **rail)
    bodies = {call.request_body.text for call in lab.calls if call.path == "/v1/transfers"}
    body = json.loads(bodies.pop().replace(account, "fa_1"))
    given = (body["source_currency"], body["source_amount"], body["financial_account"])
    assert (given, bodies) == (sent, set())


def test_what_was_typed_stays_in_the_code_of_a_form(lab):
    """The code that a form shows has the amount as it was typed."""
    person = lab.individuals.create(**examples.recipient("MX"))
    form = lab.forms.transfer(person, amount="50")
    form.submit()
    assert "source_amount='50'" in form.code().replace('"', "'")
