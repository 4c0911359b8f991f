"""Each operation: what it sends and what it reads."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from paylab import errors
from paylab.spec import models

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 10_240
PNG_URI = "data:image/png;base64," + base64.b64encode(PNG).decode()
TWICE = bytes(byte for byte in PNG for _ in range(2))
CONSENT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
PERSON = {
    "product_types": ["on_ramp"],
    "given_name": "María",
    "family_name": "González",
    "country": "MX",
    "phone": "+525512345678",
    "date_of_birth": "1990-05-14",
    "address": {"country": "MX"},
    "document": {"type": "curp", "number": "GOHM900514MDFNRR09"},
}
ROUTE = {"source_currency": "usd", "destination_currency": "mxn", "payout_method": "spei"}
ACCOUNT = models.FinancialAccount(id="fa_1")


@pytest.mark.parametrize(
    ("call", "line", "body", "kind"),
    [
        (lambda c: c.individuals.get("ind_1"), "GET /v1/individuals/ind_1", None, "Individual"),
        (
            lambda c: c.individuals.create(**PERSON, idv_consent_recorded_at=CONSENT, email=None),
            "POST /v1/individuals",
            {**PERSON, "idv_consent_recorded_at": "2026-01-31T09:30:00.000Z"},
            "Individual",
        ),
        (
            lambda c: c.individuals.submit_token("ind_1", "tok", "app_1", CONSENT),
            "POST /v1/individuals/ind_1/verification_token",
            {
                "provider": "idv_provider",
                "token": "tok",
                "applicant_id": "app_1",
                "partner_terms_accepted_at": "2026-01-31T09:30:00.000Z",
            },
            "Individual",
        ),
        (
            lambda c: c.individuals.upload_images("ind_1", {"selfie": PNG}),
            "POST /v1/individuals/ind_1/verification_images",
            {"images": [{"type": "selfie", "content": PNG_URI}]},
            "VerificationImages",
        ),
        (
            lambda c: c.individuals.images("ind_1"),
            "GET /v1/individuals/ind_1/verification_images",
            None,
            "VerificationImages",
        ),
        (
            lambda c: c.financial_accounts.create(
                "ind_1", "crypto_wallet", {"address": "0x" + "a" * 40, "network": "base"}
            ),
            "POST /v1/financial_accounts",
            {
                "individual_id": "ind_1",
                "type": "crypto_wallet",
                "details": {"address": "0x" + "a" * 40, "network": "base"},
            },
            "FinancialAccount",
        ),
        (
            lambda c: c.financial_accounts.update("fa_1", {"clabe": "1"}),
            "POST /v1/financial_accounts/fa_1",
            {"details": {"clabe": "1"}},
            "FinancialAccount",
        ),
        (
            lambda c: c.quotes.create("fa_1", **ROUTE, source_amount=Decimal("10.5")),
            "POST /v1/quotes",
            {"financial_account": {"id": "fa_1"}, **ROUTE, "source_amount": "10.5"},
            "Quote",
        ),
        (
            lambda c: c.transfers.create(ACCOUNT, **ROUTE, source_amount="10.50"),
            "POST /v1/transfers",
            {"financial_account": {"id": "fa_1"}, **ROUTE, "source_amount": "10.50"},
            "Transfer",
        ),
        (
            lambda c: c.transfers.create(quote_id="qt_1"),
            "POST /v1/transfers",
            {"quote_id": "qt_1"},
            "Transfer",
        ),
        (lambda c: c.transfers.get("tr_1"), "GET /v1/transfers/tr_1", None, "Transfer"),
        (
            lambda c: c.conversion_accounts.create("ind_1", {"id": "fa_1"}, "mxn"),
            "POST /v1/conversion_accounts",
            {"individual_id": "ind_1", "payout_account": {"id": "fa_1"}, "source_currency": "mxn"},
            "ConversionAccount",
        ),
        (
            lambda c: c.conversion_accounts.get("ca_1"),
            "GET /v1/conversion_accounts/ca_1",
            None,
            "ConversionAccount",
        ),
        (
            lambda c: c.sandbox.deposit("ca_1", 50, "mxn"),
            "POST /v1/sandbox/deposits",
            {"conversion_account_id": "ca_1", "amount": "50", "currency": "mxn"},
            "Deposit",
        ),
        (
            lambda c: c.sandbox.deposit("ca_1", "1.00", "mxn", sender_name=""),
            "POST /v1/sandbox/deposits",
            {
                "conversion_account_id": "ca_1",
                "amount": "1.00",
                "currency": "mxn",
                "sender_name": "",
            },
            "Deposit",
        ),
        (
            lambda c: c.webhook_subscriptions.create(
                "https://x.test/e", iter(["transfer.created"])
            ),
            "POST /v1/webhook_subscriptions",
            {"url": "https://x.test/e", "event_types": ["transfer.created"]},
            "WebhookSubscription",
        ),
        (
            lambda c: c.webhook_subscriptions.get("wh_1"),
            "GET /v1/webhook_subscriptions/wh_1",
            None,
            "WebhookSubscription",
        ),
        (
            lambda c: c.webhook_subscriptions.delete("wh_1"),
            "DELETE /v1/webhook_subscriptions/wh_1",
            None,
            "NoneType",
        ),
    ],
)
def test_an_operation_sends_one_request_with_this_body_and_returns_this_model(
    scripted, call, line, body, kind
):
    """An operation sends one request with this body and returns this model."""
    client, script = scripted({"id": "x", "individual_id": "ind_1", "new": 1})
    result = call(client)
    request = script.requests[0]
    assert f"{request.method} {request.url.path}" == line
    assert (json.loads(request.content) if request.content else None) == body
    assert type(result).__name__ == kind


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda c: c.individuals.list(limit=2), "/v1/individuals?limit=2"),
        (lambda c: c.transfers.list(), "/v1/transfers"),
        (lambda c: c.transfers.list(cursor="c"), "/v1/transfers?cursor=c"),
        (
            lambda c: c.transfers.list(100, "on_ramp"),
            "/v1/transfers?limit=100&product_type=on_ramp",
        ),
        (lambda c: c.conversion_accounts.list(limit=1), "/v1/conversion_accounts?limit=1"),
        (lambda c: c.conversions.list(limit=1), "/v1/conversions?limit=1"),
        (lambda c: c.webhook_subscriptions.list(), "/v1/webhook_subscriptions"),
    ],
)
def test_a_list_asks_when_it_is_walked(scripted, call, line):
    """A list sends no request before it is iterated."""
    page = {"data": [{"id": "a"}, {"id": "b"}], "has_next_page": False, "cursor": None}
    client, script = scripted(page)
    pager = call(client)
    assert script.requests == []
    assert [item.id for item in pager] == ["a", "b"]
    assert script.requests[0].url.raw_path.decode() == line


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: c.transfers.list(limit=0), "limit: must be a whole number from 1 to 100"),
        (lambda c: c.transfers.list(limit=101), "limit"),
        (lambda c: c.transfers.list(limit="20"), "limit"),
        (lambda c: c.transfers.list(limit=True), "limit"),
        (lambda c: c.conversions.list(limit=101), "limit"),
        (lambda c: c.transfers.list(product_type="loans"), "product_type: must be one of"),
        (lambda c: c.sandbox.deposit("ca_1", "50.01", "mxn"), "at most 50"),
        (lambda c: c.sandbox.deposit("ca_1", 1.5, "mxn"), "a float is not exact"),
        (lambda c: c.individuals.submit_token("i", "", "a", CONSENT), "token"),
        (lambda c: c.individuals.submit_token("i", "x" * 4097, "a", CONSENT), "token"),
        (lambda c: c.individuals.create(**{**PERSON, "phone": None}), "phone"),
        (lambda c: c.individuals.upload_images("i", {}), "images"),
        (lambda c: c.individuals.upload_images("i", {"selfie": PNG[:9_999]}), "10 KB"),
        (lambda c: c.individuals.upload_images("i", {"selfie": b"GIF89a"}), "is not a PDF, JPEG"),
        (lambda c: c.individuals.upload_images("i", {"side": PNG}), "images.0.type"),
        (lambda c: c.individuals.upload_images("i", ["x"]), "images.0"),
        (lambda c: c.individuals.upload_images("i", 5), "images: must be a dict"),
        (
            lambda c: c.individuals.upload_images("i", {"selfie": memoryview(PNG)[::2]}),
            "is not a PDF",
        ),
        (lambda c: c.webhook_subscriptions.create("https://x.test", None), "event_types"),
        (lambda c: c.webhook_subscriptions.create("https://x.test", "all"), "event_types"),
        (lambda c: c.financial_accounts.create("i", "pix", memoryview(b"x")), "of type memoryview"),
        (lambda c: c.transfers.create(5, source_currency="zzz"), "source_currency: must be one of"),
        (lambda c: c.conversions.wait("x", since=datetime(2026, 1, 31)), "with a time zone"),
        (lambda c: c.conversions.wait("x", since="2026-01-31"), "with a time zone"),
        (lambda c: c.financial_accounts.create("i", "iban", {}), "type"),
        (lambda c: c.transfers.create("fa_1", source_currency="eur"), "source_currency"),
        (lambda c: c.transfers.create("", **ROUTE), "not empty"),
        (lambda c: c.conversion_accounts.create("i", {}, "mxn"), "payout_account.id"),
        (lambda c: c.webhook_subscriptions.create("https://x.test", ["x"]), "event_types.0"),
        (lambda c: c.conversions.wait(), "either id or"),
        (lambda c: c.conversions.wait("a", conversion_account_id="b"), "either id or"),
    ],
)
def test_what_the_spec_refuses_is_not_sent(scripted, call, words):
    """A call that breaks a rule of the spec raises RuleError and sends no request."""
    client, script = scripted()
    with pytest.raises(errors.RuleError, match=words):
        call(client)
    assert script.requests == []


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.individuals.create(given_name="only"),
        lambda c: c.financial_accounts.create("i", "bank_account", {"made": "up"}),
        lambda c: c.webhook_subscriptions.create("http://x.test", ["transfer.created"]),
        lambda c: c.transfers.create("fa_1", extra={"unheard_of": "field"}),
    ],
)
def test_what_is_only_assumed_is_left_to_the_service(scripted, call):
    """A call that breaks only an assumption is sent, and the service decides."""
    client, script = scripted({"id": "x"})
    call(client)
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "form", ["bytes", "path", "uri", "items", "items of bytes", "view", "every other byte"]
)
def test_images_come_in_many_forms(scripted, tmp_path, form):
    """Images given in any supported form are sent as the same data URI."""
    path = tmp_path / "selfie.png"
    path.write_bytes(PNG)
    forms = {
        "bytes": {"selfie": PNG},
        "path": {"selfie": path},
        "uri": {"selfie": PNG_URI},
        "items": [{"type": "selfie", "content": PNG_URI}],
        "items of bytes": [{"type": "selfie", "content": bytearray(PNG)}],
        "view": {"selfie": memoryview(PNG)},
        "every other byte": {"selfie": memoryview(TWICE)[::2]},
    }
    client, script = scripted({"individual_id": "ind_1"})
    client.individuals.upload_images("ind_1", forms[form])
    sent = json.loads(script.requests[0].content)
    assert sent == {"images": [{"type": "selfie", "content": PNG_URI}]}


def test_a_call_tells_what_happened(scripted):
    """The repr of a call has method, path, status and attempt, and not the query."""
    client, _ = scripted({"id": "tr_1"}, {"data": [], "has_next_page": False}, 400)
    client.transfers.get("tr_1")
    assert list(client.transfers.list(cursor="c" * 500)) == []
    with pytest.raises(errors.BadRequestError):
        client.transfers.create(quote_id="qt_1")
    assert [repr(call) for call in client.calls] == [
        "<Call GET /v1/transfers/tr_1 -> 200, attempt 1>",
        "<Call GET /v1/transfers -> 200, attempt 1>",
        "<Call POST /v1/transfers -> 400, attempt 1>",
    ]


def test_only_the_latest_calls_are_kept(scripted):
    """The client keeps the latest 200 calls and drops older ones."""
    client, _ = scripted(*[{"id": "x"}] * 250)
    for number in range(250):
        client.transfers.get(f"tr_{number}")
    assert len(client.calls) == 200
    assert client.calls[0].path == "/v1/transfers/tr_50"


def test_the_repr_of_a_client_names_the_service(scripted):
    """The repr of a client shows only its base URL."""
    client, _ = scripted()
    assert repr(client) == "Client('https://pay.test')"


def test_a_quote_is_asked_for_again(scripted):
    """With the same body, or with the terms of a quote that this client did not ask for."""
    quote = {"id": "qt_1", "financial_account_id": "fa_1", **ROUTE, "source_amount": "7.00"}
    client, script = scripted(quote, {**quote, "id": "qt_2"})
    extra = {"extra": {"memo": "x"}}
    first = client.quotes.create("fa_1", **ROUTE, net_source_amount="7", **extra)
    assert client.quotes.again(first).id == "qt_2"
    another, other_script = scripted({**quote, "id": "qt_3"})
    assert another.quotes.again(first).id == "qt_3"
    requests = [*script.requests, *other_script.requests]
    bodies = [json.loads(request.content) for request in requests]
    assert bodies[1] == bodies[0] == {**bodies[0], "net_source_amount": "7", "memo": "x"}
    assert bodies[2] == {"financial_account": {"id": "fa_1"}, **ROUTE, "source_amount": "7.00"}
