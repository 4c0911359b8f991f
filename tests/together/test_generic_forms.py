"""A service whose requests and answers have other shapes: client, simulator and forms follow."""

from __future__ import annotations

import json

import pytest

import paylab
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.corridors import examples
from paylab.corridors.on_ramps import ON_RAMPS, of_country
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

COUNTRIES = [each.country for each in ON_RAMPS]
FORMS = """
[signing]
base_path = "/payments"

[idempotency]
operations = "every_post"
key = "required"

[requests]
unknown_fields = "refuse"

[extra."individuals.create"]
purpose = "P01"
meta = { source = { app = "notebook" } }

[extra."financial_accounts.create"]
label = "mine"

[extra."quotes.create"]
purpose = "P02"

[extra."transfers.create"]
purpose = "P02"

[extra."conversion_accounts.create"]
wallet = { kind = "own" }

[extra."sandbox.deposit"]
note = "test"

[objects]
item = "result.object"
missing = "MISSING"
individuals.item = "individual"
conversion_accounts.item = "none"

[lists]
items = "result.rows"
more = "result.more"
cursor = "result.next"

[financial_accounts.fields]
individual_id = "owner.customer.id"

[quotes.fields]
financial_account_id = "to.account"
source_amount = "money.value"
source_currency = "money.currency"

[transfers.fields]
financial_account_id = "to.id"

[conversion_accounts.fields]
individual_id = "individual.id"
payout_account_id = "wallet.id"
client_reference_id = "meta.reference"

[sandbox_deposits.fields]
conversion_account_id = "account.id"
amount = "money.value"
currency = "money.currency"
"""
BY_ID = """
[quotes.fields]
financial_account_id = "account"
[transfers.fields]
financial_account_id = "account_id"
[conversion_accounts.fields]
payout_account_id = "wallet_id"
[objects]
item = "data"
"""
FILES = [FORMS.replace("MISSING", "null"), FORMS.replace("MISSING", "absent"), BY_ID]


@pytest.fixture(params=FILES, ids=["null", "absent", "by-id"])
def path(request, tmp_path):
    """A service.toml."""
    file = tmp_path / "service.toml"
    file.write_text(request.param)
    return file


@pytest.fixture
def served(path):
    """A simulator of the service on a port, and a client with the same file."""
    simulator = Simulator(service=Service.load(path), strict=True)
    with Server(simulator) as server:
        keys = Settings(
            server.base_url, server.api_key, server.secret_key, service=Service.load(path)
        )
        yield Client(keys, sleep=lambda _: simulator.advance(30), max_retries=0)


def sent(client, operation):
    """The body of the latest request of an operation, as it was sent."""
    target = client.service.path(operation)
    call = next(
        each for each in reversed(client.calls) if (each.method, each.path) == ("POST", target)
    )
    return json.loads(call.request_body.text)


@pytest.mark.parametrize("country", COUNTRIES)
def test_both_on_ramps_work_over_http(served, country):
    """From the individual to the completed conversion, with every request signed and strict."""
    who = served.individuals.create(**examples.individual(country, consent_at=served.clock()))
    sides = {side for each in who.status_details for side in paylab.status.detail(each.code).sides}
    served.individuals.upload_images(who, dict.fromkeys(sides, b"\xff\xd8\xff\xe0" + bytes(20_000)))
    assert served.individuals.images(who).images
    who = served.individuals.wait(who, "active")
    wallet = served.financial_accounts.create(who, "crypto_wallet", examples.wallet(served.service))
    currency = of_country(country).currency
    account = served.conversion_accounts.create(who, wallet, currency, client_reference_id="r-1")
    account = served.conversion_accounts.wait(account)
    assert (account.individual_id, account.payout_account.id) == (who.id, wallet.id)
    assert account.client_reference_id == "r-1"
    assert account.id in [each.id for each in served.conversion_accounts.list()]
    paid = served.sandbox.deposit(account, "40", currency, "María")
    assert (paid.conversion_account_id, str(paid.amount)) == (account.id, "40.00")
    done = served.conversions.wait(conversion_account_id=account)
    assert done.status == "completed"


def test_a_payout_works_over_http(served):
    """A recipient with an account, a quote, and a transfer from it and one without."""
    who = served.individuals.create(**examples.recipient("MX", served.service))
    made = examples.account("MX", served.service)
    account = served.financial_accounts.create(who, made["type"], made["details"])
    terms = {"payout_method": "spei", "destination_currency": "MXN", "source_amount": "100.00"}
    quote = served.quotes.create(account, source_currency="USD", **terms)
    assert (quote.financial_account_id, str(quote.source_amount)) == (account.id, "100.00")
    from_quote = served.transfers.create(quote_id=quote)
    direct = served.transfers.create(account, source_currency="USD", **terms)
    assert served.transfers.get(direct).financial_account_id == account.id
    assert {from_quote.id, direct.id} <= {each.id for each in served.transfers.list()}


def test_each_form_is_on_the_wire(tmp_path):
    """Constants, nested names, places of ids, envelopes, keys and the signed path, as sent."""
    path = tmp_path / "service.toml"
    path.write_text(FILES[0])
    simulator = Simulator(service=Service.load(path), strict=True)
    with Server(simulator) as server:
        assert server.base_url.endswith("/payments")
        keys = Settings(
            server.base_url, server.api_key, server.secret_key, service=Service.load(path)
        )
        client = Client(keys, sleep=lambda _: simulator.advance(30), max_retries=0)
        who = client.individuals.create(**examples.recipient("PH"))
        created = client.calls[-1]
        body = json.loads(created.request_body.text)
        assert (body["purpose"], body["meta"]) == ("P01", {"source": {"app": "notebook"}})
        assert created.idempotency_key
        assert json.loads(created.response_body.text)["individual"]["id"] == who.id
        assert created.canonical.splitlines()[1] == "/v1/individuals"
        made = examples.account("PH", client.service)
        account = client.financial_accounts.create(who, made["type"], made["details"])
        assert sent(client, "financial_accounts.create")["owner"] == {"customer": {"id": who.id}}
        client.quotes.create(
            account,
            payout_method="instapay",
            source_currency="USD",
            destination_currency="PHP",
            source_amount="10.00",
        )
        quote = sent(client, "quotes.create")
        assert quote["to"] == {"account": account.id}
        assert quote["money"] == {"value": "10.00", "currency": "USD"}
        answer = json.loads(client.calls[-1].response_body.text)["result"]["object"]
        assert answer["to"] == {"account": account.id}
        assert answer["money"] == {"value": "10.00", "currency": "USD"}


@pytest.mark.parametrize("country", COUNTRIES)
def test_the_stepper_works_on_such_a_service(path, country):
    """The forms of an on-ramp end with a completed conversion."""
    service = Service.load(path)
    with paylab.connect(simulator=Simulator(service=service), service=path) as lab:
        walk = lab.onramp(country, example=True, consent=True)
        assert walk.submit().status == "completed"


def test_what_you_send_wins_over_a_constant(tmp_path):
    """A constant is only added where a field is missing; objects are joined."""
    service = Service({"extra": {"quotes.create": {"purpose": "P01", "meta": {"a": 1, "b": 2}}}})
    simulator = Simulator(service=service)
    with paylab.connect(simulator=simulator, service=service) as lab:
        who = lab.individuals.create(**examples.recipient("MX"))
        account = who.financial_accounts[0]
        lab.quotes.create(
            account,
            payout_method="spei",
            source_currency="USD",
            destination_currency="MXN",
            source_amount="10.00",
            extra={"purpose": "mine", "meta": {"b": 3}},
        )
        body = json.loads(lab.calls[-1].request_body.text)
    assert (body["purpose"], body["meta"]) == ("mine", {"a": 1, "b": 3})
