"""The parameters of operations: fields, options and unknown names."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import httpx
import pytest

from paylab import errors
from paylab.client import Client
from paylab.client.request import Options
from paylab.client.settings import Settings
from paylab.spec import models
from paylab.spec.operations.records import OPERATIONS as RECORDS
from paylab.spec.service import Service

KEY = "7f0c1f0e-8d6b-4e0e-9d57-0d8d7f4b2a11"
ROUTE = {"source_currency": "usd", "destination_currency": "mxn", "payout_method": "spei"}
PERSON = {"product_types": ["global_payouts"], "given_name": "M", "family_name": "G"}

CLIENT = Client(Settings("http://localhost", "key", "secret"))
PROPERTIES = [name for name, made in vars(Client).items() if isinstance(made, cached_property)]
RESOURCES = [name for name in PROPERTIES if name != "orders"]
KINDS = {kind.__name__: kind for kind in (type(getattr(CLIENT, each)) for each in RESOURCES)}
"""The classes of the operations by name."""
OPERATIONS = [
    getattr(kind, name)
    for kind in KINDS.values()
    for name in vars(kind)
    if not name.startswith("_")
]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda c: c.transfers.create("fa_1", dry_run=True), "dry_run"),
        (lambda c: c.transfers.create("fa_1", idempotencyKey=KEY), "is 'idempotency_key' meant"),
        (lambda c: c.transfers.create("fa_1", extra_headers={}), "is 'headers' meant"),
        (lambda c: c.transfers.create("fa_1", sourceAmount="1"), "is 'source_amount' meant"),
        (lambda c: c.transfers.create("fa_1", client_referense_id="x"), "'client_reference_id'"),
        (lambda c: c.quotes.create("fa_1", source_amont="1"), "is 'source_amount' meant"),
        (lambda c: c.individuals.create(given_nmae="x"), "is 'given_name' meant"),
        (lambda c: c.conversion_accounts.create("i", "f", "mxn", dry_run=1), "dry_run"),
        (lambda c: c.sandbox.deposit("ca_1", "1", "mxn", sender="x"), "is 'sender_name' meant"),
        (lambda c: c.financial_accounts.update("fa_1", {}, detials={}), "is 'details' meant"),
        (lambda c: c.transfers.wait("tr_1", time_out=3), "is 'timeout' meant"),
        (lambda c: c.request("POST", "/v1/transfers", body={}), "body"),
    ],
)
def test_an_unknown_parameter_is_not_sent(scripted, call, named):
    """An unknown parameter raises TypeError with the likely name, and nothing is sent."""
    client, script = scripted()
    with pytest.raises(TypeError, match=named):
        call(client)
    assert script.requests == []


def test_every_parameter_is_shown():
    """Signatures list every parameter instead of `**`, including the options of each call."""
    for operation in OPERATIONS:
        parameters = inspect.signature(operation).parameters
        assert not [p for p in parameters.values() if p.kind == p.VAR_KEYWORD], operation
        if operation.__name__ not in ("wait", "terms"):
            assert {"idempotency_key", "timeout", "headers"} <= parameters.keys(), operation


@pytest.mark.parametrize("name", [each for each in RECORDS if RECORDS[each].fields])
def test_every_field_of_an_operation_is_a_parameter(name):
    """A method has a parameter for each field of its record, and sends no other field."""
    resource, _, verb = name.partition(".")
    kind = KINDS[resource.title().replace("_", "")]
    method = getattr(kind, verb)
    shown = {
        each for each in inspect.signature(method).parameters if each not in Options.__annotations__
    }
    fields = {each.name for each in RECORDS[name].fields} - {"payout_account_id"}
    assert shown - {"self", "id", "extra", "new", "lookback"} == fields


def test_options_are_no_part_of_a_body(scripted):
    """The body has no options: key and headers are sent as headers, the timeout is not sent."""
    client, script = scripted({"id": "tr_1"})
    options = {"idempotency_key": KEY, "timeout": 3, "headers": {"X-Trace": "t", "Accept": "a/b"}}
    client.transfers.create("fa_1", **ROUTE, source_amount="1", **options)
    request = script.requests[0]
    body = {"financial_account": {"id": "fa_1"}, **ROUTE, "source_amount": "1"}
    assert json.loads(request.content) == body
    assert request.headers["idempotency-key"] == KEY
    assert (request.headers["x-trace"], request.headers["accept"]) == ("t", "a/b")
    assert set(request.extensions["timeout"].values()) == {3}


@pytest.mark.parametrize(
    "call",
    [
        lambda c, **o: c.transfers.get("tr_1", **o),
        lambda c, **o: c.transfers.list(**o).first(),
        lambda c, **o: c.individuals.upload_images("i", {"selfie": b"\xff\xd8\xff" * 5_000}, **o),
        lambda c, **o: c.request("GET", "/v1/x", **o),
        lambda c, **o: c.webhook_subscriptions.delete("wh_1", **o),
    ],
)
def test_every_call_takes_them(scripted, call):
    """Every kind of call takes the options, including lists, uploads and `request`."""
    client, script = scripted({"data": [], "has_next_page": False, "id": "x", "images": []})
    call(client, timeout=0.5, headers={"X-Trace": "t"})
    assert script.requests[0].headers["x-trace"] == "t"
    assert script.requests[0].extensions["timeout"]["read"] == 0.5


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"timeout": 0}, "timeout: must be"),
        ({"timeout": -1}, "timeout: must be"),
        ({"timeout": 10**400}, "timeout: must be"),
        ({"timeout": "3"}, "timeout: must be"),
        ({"timeout": float("inf")}, "timeout: must be"),
        ({"timeout": True}, "timeout: must be"),
        ({"headers": {"X-API-Key": "other"}}, "headers.X-API-Key: is set by paylab"),
        ({"headers": {"authorization": "x"}}, "is set by paylab"),
        ({"headers": {"X-A": "a\r\nX-B: b"}}, "printable ASCII"),
        ({"headers": {"X A": "a"}}, "not a valid name"),
        ({"headers": {"X-A": 5}}, "must be text"),
        ({"headers": [("X-A", "b")]}, "headers: must be a dict"),
        ({"idempotency_key": 5}, "must be a UUID of 36 characters"),
        ({"extra": {1: 1.5}}, "a float is not exact"),
        ({"idempotency_key": "short"}, "UUID of 36"),
        ({"extra": "x"}, "extra: must be a dict"),
    ],
)
def test_an_option_that_cannot_be_is_not_sent(scripted, option, words):
    """An invalid option raises RuleError and sends nothing; signed headers stay as they are."""
    client, script = scripted()
    with pytest.raises(errors.RuleError, match=words):
        client.transfers.create("fa_1", **ROUTE, source_amount="1", **option)
    assert script.requests == []


def test_extra_is_laid_over_the_body(scripted):
    """Fields of `extra` are merged into the body, including into nested objects."""
    client, script = scripted({"id": "ind_1"})
    extra = {"nickname": "x", "address": {"line1": "y"}}
    client.individuals.create(**PERSON, address={"city": "z"}, extra=extra)
    sent = json.loads(script.requests[0].content)
    assert (sent["nickname"], sent["address"]) == ("x", {"city": "z", "line1": "y"})


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        ({"source_amount": "99"}, "extra.source_amount: has another value"),
        ({"source_currency": "usdc"}, "extra.source_currency: has another value"),
        ({"financial_account": {"id": "fa_2"}}, "extra.financial_account.id: has another value"),
        ({"financial_account": "fa_1"}, "extra.financial_account: has another value"),
    ],
)
def test_a_field_with_two_values_is_not_sent(scripted, extra, field):
    """A field that has another value in `extra` raises RuleError, and nothing is sent."""
    client, script = scripted()
    with pytest.raises(errors.RuleError, match=field):
        client.transfers.create("fa_1", **ROUTE, source_amount="10", extra=extra)
    assert script.requests == []


def test_a_field_with_one_value_twice_is_sent(scripted):
    """A field that has the same value in `extra` is sent; values are compared as sent."""
    client, script = scripted({"id": "tr_1"})
    client.transfers.create("fa_1", **ROUTE, source_amount="10", extra={"source_amount": 10})
    assert json.loads(script.requests[0].content)["source_amount"] == "10"


@pytest.mark.parametrize("name", ["source_amount", "destination_amount", "net_source_amount"])
def test_a_bool_is_no_amount(scripted, name):
    """A bool is refused as an amount; other fields can be true or false."""
    client, script = scripted({"id": "tr_1"})
    for given in ({name: True}, {"extra": {name: False}}):
        with pytest.raises(errors.RuleError, match=f"{name}: must be text or a Decimal"):
            client.transfers.create("fa_1", **ROUTE, **given)
    with pytest.raises(errors.RuleError, match="amount: must be text or a Decimal"):
        client.sandbox.deposit("ca_1", True, "mxn")
    extra = {"derived_source_amount": True}
    client.transfers.create("fa_1", **ROUTE, source_amount="1", extra=extra)
    assert json.loads(script.requests[0].content)["derived_source_amount"] is True


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: c.individuals.create(address={"line1": "x"}), "address.line1.*line_1 meant"),
        (lambda c: c.individuals.create(address={"street": "x"}), "address.street.*known are"),
        (lambda c: c.individuals.create(address=models.Address(zip="x")), "address.zip"),
        (lambda c: c.individuals.create(document={"numer": "x"}), "document.numer.*number meant"),
        (
            lambda c: c.individuals.create(financial_accounts=[{"kind": "pix", "details": {}}]),
            "financial_accounts.0.kind",
        ),
        (
            lambda c: c.individuals.create(
                financial_accounts=[{"type": "bank_account", "details": {"sortCode": "1"}}]
            ),
            "financial_accounts.0.details.sortCode.*sort_code meant",
        ),
        (
            lambda c: c.financial_accounts.create("i", "bank_account", {"CLABE": "1"}),
            "details.CLABE.*clabe meant",
        ),
        (
            lambda c: c.financial_accounts.update("fa_1", {"upi_ID": "a@b"}),
            "details.upi_ID",
        ),
        (lambda c: c.transfers.create({"ID": "fa_1"}), "financial_account.ID.*id meant"),
        (lambda c: c.transfers.create({"idd": "x", "id": "fa_1"}), "financial_account.idd"),
        (
            lambda c: c.conversion_accounts.create("i", {"Id": "fa_1"}, "mxn"),
            "payout_account.Id.*id meant",
        ),
    ],
)
def test_a_nested_name_that_is_no_field_is_not_sent(scripted, call, words):
    """An unknown name in a nested object is refused: the service would ignore its value."""
    client, script = scripted()
    with pytest.raises(errors.RuleError, match=words):
        call(client)
    assert script.requests == []


@pytest.mark.parametrize(
    "account",
    [
        "fa_1",
        {"id": "fa_1"},
        MappingProxyType({"id": "fa_1"}),
        {"id": "fa_1", "type": "pix", "details": {}},
        models.FinancialAccount(id="fa_1", type="pix"),
    ],
)
def test_an_account_may_stand_for_its_id(scripted, account):
    """An account can be passed as an id, a dict or a result; only its id is sent."""
    client, script = scripted({"id": "ca_1"}, {"id": "tr_1"})
    client.conversion_accounts.create(models.Individual(id="ind_1"), account, "mxn")
    client.transfers.create(account, **ROUTE, source_amount="1")
    first, second = (json.loads(request.content) for request in script.requests)
    assert (first["individual_id"], first["payout_account"]) == ("ind_1", {"id": "fa_1"})
    assert second["financial_account"] == {"id": "fa_1"}


@pytest.mark.parametrize("id_", ["tr_1", models.Transfer(id="tr_1"), {"id": "tr_1"}])
def test_a_result_may_stand_for_its_id(scripted, id_):
    """A result or a dict can be passed instead of an id in a path."""
    client, script = scripted({"id": "tr_1", "status": "completed"})
    client.transfers.wait(id_)
    assert script.requests[0].url.path == "/v1/transfers/tr_1"


def test_a_quote_may_stand_for_its_id(scripted):
    """A Quote can be passed as `quote_id`; its id is sent."""
    client, script = scripted({"id": "tr_1"})
    client.transfers.create(quote_id=models.Quote(id="qt_1"))
    assert json.loads(script.requests[0].content) == {"quote_id": "qt_1"}


@pytest.mark.parametrize(
    ("base", "ending"), [("https://pay.test", ""), ("https://pay.test/api", "/v1/")]
)
def test_a_base_url_may_end_in_v1(base, ending):
    """A base URL may end in /v1 or slashes; requests contain /v1 only once."""
    asked = []

    def answer(request):
        asked.append(request)
        return httpx.Response(200, json={"id": "x"})

    settings = Settings(base + ending, "key", "secret")
    Client(settings, transport=httpx.MockTransport(answer)).transfers.get("tr_1")
    assert str(asked[0].url) == f"{base}/v1/transfers/tr_1"


@pytest.fixture
def renamed(settings):
    """A client of a service that renames two fields, and the list of bodies it sends."""
    names = {
        "transfers.fields.client_reference_id": "reference",
        "financial_accounts.IN.upi.fields.upi_id": "vpa",
    }
    sent = []

    def answer(request):
        sent.append(json.loads(request.content))
        return httpx.Response(201, json={"id": "tr_1"})

    own = replace(settings, service=Service().with_values(names))
    return Client(own, transport=httpx.MockTransport(answer)), sent


@pytest.mark.parametrize(
    ("send", "field"),
    [
        (
            lambda c: c.transfers.create(
                "fa_1", **ROUTE, client_reference_id="a", extra={"reference": "b"}
            ),
            "reference: is the service's name of client_reference_id",
        ),
        (
            lambda c: c.financial_accounts.create("i", "upi", {"upi_id": "a@b", "vpa": "c@d"}),
            "details.vpa: is the service's name of upi_id",
        ),
    ],
)
def test_one_field_by_both_its_names_is_not_sent(renamed, send, field):
    """A field given by our name and by the service's name with two values is not sent."""
    client, sent = renamed
    with pytest.raises(errors.RuleError, match=field):
        send(client)
    assert sent == []


def test_the_services_name_of_a_field_is_sent_as_it_is(renamed):
    """A field can be given by the service's name, alone or beside ours with the same value."""
    client, sent = renamed
    for more in ({}, {"client_reference_id": "b"}):
        client.transfers.create("fa_1", **ROUTE, **more, extra={"reference": "b"})
    assert [body["reference"] for body in sent] == ["b", "b"]


@pytest.mark.parametrize(
    ("call", "has_extra"),
    [
        (lambda c: c.transfers.create(memo=1), True),
        (lambda c: c.transfers.get("tr_1", memo=1), False),
    ],
)
def test_extra_is_named_where_there_is_a_body(scripted, call, has_extra):
    """A reading has no body, so that nothing could send the field."""
    client, _ = scripted()
    with pytest.raises(TypeError, match=r"has no parameter 'memo'") as caught:
        call(client)
    assert ("extra={'memo': ...} sends an unknown body field" in str(caught.value)) == has_extra
