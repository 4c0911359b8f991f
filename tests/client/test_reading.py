"""Answers that can be read, and answers that cannot."""

from __future__ import annotations

import json
from decimal import Decimal

import httpx
import pytest

from paylab import errors
from paylab.client.decoding import BODY_BYTES_MAX
from paylab.spec.models import Transfer

AT = "2026-01-31T09:30:00Z"
DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hi</html>",
        b"{",
        b"{'a': 1}",
        b'{"a": 1e99999999999999999999}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"\xff\xfe{}",
        DEEP,
    ],
)
def test_a_body_that_is_not_json_is_a_clear_error(scripted, body):
    """A body that is not JSON raises an error that has the call and shows none of the body."""
    client, _ = scripted(httpx.Response(200, content=body, headers={"content-type": "text/x"}))
    with pytest.raises(errors.APIResponseError) as caught:
        client.transfers.get("tr_1")
    assert str(caught.value) == "the answer to GET /v1/transfers/tr_1 is not JSON (text/x)"
    assert caught.value.call.status == 200
    assert caught.value.__context__ is None


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'"text"', b"5"])
def test_json_of_the_wrong_kind_is_a_clear_error(scripted, body):
    """A body that is empty or not a JSON object raises APIResponseError."""
    client, _ = scripted(body)
    with pytest.raises(errors.APIResponseError, match="must be an object, a Transfer"):
        client.transfers.get("tr_1")


NO_RESOURCE = (
    *({"id": "t", **said} for said in ({"success": False}, {"error": "x"}, {"errors": [1]})),
    *({"id": "t", "data": said} for said in ({"success": False}, {"error": "x"})),
    *({"id": " "}, {"data": {"id": "\t"}}, {}, {"error": "no"}, {"id": ""}),
    *({"id": None}, {"id": True}, {"data": {}}, {"data": []}),
)


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.transfers.get("tr_1"),
        lambda c: c.transfers.create(quote_id="qt_1"),
        lambda c: c.conversion_accounts.create("i", "f", "mxn"),
        lambda c: c.webhook_subscriptions.create("https://x.test/e", ["transfer.created"]),
    ],
)
def test_a_success_without_the_resource_is_an_error(scripted, call):
    """A success whose body has no id, or describes an error, raises APIResponseError."""
    client, script = scripted(*NO_RESOURCE)
    for _ in NO_RESOURCE:
        with pytest.raises(errors.APIResponseError, match=r"with an id|describes an error"):
            call(client)
    assert len(script.requests) == len(NO_RESOURCE)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "insufficient funds"}, "insufficient funds"),
        ({"success": False, "message": "limit reached"}, "limit reached"),
        ({"data": {"error": {"message": "quote is used"}}}, "quote is used"),
        ({"errors": [{"field": "amount", "message": "too small"}]}, "amount: too small"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.transfers.create(quote_id="qt_1"),
        lambda c: c.transfers.list().to_list(),
        lambda c: c.webhook_subscriptions.delete("wh_1"),
    ],
)
def test_the_words_of_a_success_that_describes_an_error_are_told(scripted, call, body, words):
    """The error of a 2xx response that describes an error contains the service's words."""
    client, _ = scripted(body)
    with pytest.raises(errors.APIResponseError, match=f"describes an error: .*{words}") as caught:
        call(client)
    assert "lists." not in str(caught.value.hint)


def test_a_payment_without_an_id_names_its_key(scripted):
    """If the answer to a payment has no id, the hint contains the Idempotency-Key."""
    client, script = scripted({"status": "pending"})
    with pytest.raises(errors.APIResponseError) as caught:
        client.transfers.create(quote_id="qt_1")
    assert script.sent("idempotency-key")[0] in caught.value.hint


def test_a_resource_may_be_wrapped(scripted):
    """A resource may be wrapped in `data`, as lists are."""
    client, _ = scripted({"data": {"id": "tr_1", "status": "pending"}}, {"data": {"images": []}})
    assert client.transfers.create(quote_id="qt_1").raw == {"id": "tr_1", "status": "pending"}
    assert client.individuals.images("ind_1").images == []


NO_BODY_SHOWN = {
    "deposit": lambda c: c.sandbox.deposit("ca_1", "5", "mxn").conversion_account_id,
    "token": lambda c: c.individuals.submit_token("ind_1", "t", "a", AT).id,
    "update": lambda c: c.financial_accounts.update("fa_1", {"clabe": "1"}).id,
    "delete": lambda c: c.webhook_subscriptions.delete("wh_1"),
}
KNOWN = {"deposit": "ca_1", "token": "ind_1", "update": "fa_1", "delete": None}


FINE = (b"true", b"OK", b"{}", b"null", b'{"success": true}')


@pytest.mark.parametrize("operation", NO_BODY_SHOWN)
def test_no_body_is_a_success_where_none_is_shown(scripted, operation):
    """If the spec shows no body, an answer without an error is a success with the sent ids."""
    answers = httpx.Response(204), httpx.Response(202), *FINE
    client, _ = scripted(*answers)
    for _ in answers:
        assert NO_BODY_SHOWN[operation](client) == KNOWN[operation]


@pytest.mark.parametrize(("operation", "told"), [("token", "x"), ("update", "x"), ("delete", None)])
def test_a_body_that_is_a_resource_is_read_where_none_is_shown(scripted, operation, told):
    """If the spec shows no body but the answer is a resource, the id of the answer is used."""
    client, _ = scripted(b'{"id": "x", "data": 1}')
    assert NO_BODY_SHOWN[operation](client) == told


FAILURES = (
    *(b'{"error": "no"}', b'{"errors": [1]}', b"false", b"<html>login", b'{"success": false}'),
    *(b'{"data": {"error": "x"}}', b'{"data": {"success": false}}'),
)


@pytest.mark.parametrize("operation", NO_BODY_SHOWN)
def test_an_error_is_one_whatever_its_status(scripted, operation):
    """An error body or a login page raises APIResponseError with every status of success."""
    answers = [httpx.Response(status, content=it) for it in FAILURES for status in (200, 201, 202)]
    client, _ = scripted(*answers)
    for _ in answers:
        with pytest.raises(errors.APIResponseError, match=r"describes an error|is not JSON"):
            NO_BODY_SHOWN[operation](client)


def test_numbers_are_read_exactly(scripted):
    """An amount sent as a JSON number is read without loss of digits."""
    client, _ = scripted(b'{"id": "tr_1", "source_amount": 12345678901234567890.123456789, "n": 1}')
    transfer = client.transfers.get("tr_1")
    assert transfer.source_amount == Decimal("12345678901234567890.123456789")


def test_a_byte_order_mark_is_no_obstacle(scripted):
    """A body that begins with a byte order mark is read."""
    client, _ = scripted(b'\xef\xbb\xbf{"id": "tr_1"}')
    assert client.transfers.get("tr_1").id == "tr_1"


def test_request_returns_decoded_json(scripted):
    """`request` returns any JSON decoded, and None for an answer without a body."""
    client, _ = scripted([1, {"a": "ñ"}], httpx.Response(204))
    assert client.request("get", "/v1/anything") == [1, {"a": "ñ"}]
    assert client.request("DELETE", "/v1/anything") is None


def test_a_body_without_end_is_given_up(scripted):
    """A body above 8 MiB raises an error, and the request is not repeated."""
    chunk = b" " * 2**20
    endless = httpx.Response(200, content=(chunk for _ in range(BODY_BYTES_MAX // len(chunk) + 1)))
    client, script = scripted(endless)
    with pytest.raises(errors.APIResponseError, match="larger than 8 MiB"):
        client.transfers.get("tr_1")
    assert len(script.requests) == 1


@pytest.mark.parametrize("header", ["true", "True"])
def test_a_replayed_answer_says_so(scripted, header):
    """`replayed` is set if the answer has the header Idempotency-Replayed: true."""
    replay = httpx.Response(201, json={"id": "tr_1"}, headers={"Idempotency-Replayed": header})
    client, _ = scripted(replay, {"id": "tr_1"})
    first = client.send("POST", "/v1/transfers").read(Transfer)
    second = client.send("POST", "/v1/transfers").read(Transfer)
    assert (first.replayed, second.replayed) == (True, False)
    assert first == second
    assert client.calls[0].replayed


@pytest.mark.parametrize(
    "envelope",
    [
        [{"id": "a"}, {"id": "b"}],
        {"data": [{"id": "a"}, {"id": "b"}], "has_next_page": False, "cursor": None},
        {"data": [{"id": "a"}, {"id": "b"}]},
        {"data": [{"id": "a"}, {"id": "b"}], "has_next_page": None, "cursor": ""},
    ],
)
def test_a_list_is_an_array_or_an_envelope(scripted, envelope):
    """A list may be an array or an envelope, with or without page fields."""
    client, _ = scripted(envelope)
    listed = client.conversion_accounts.list().to_list()
    assert [one.id for one in listed] == ["a", "b"]
    assert not any(one.replayed for one in listed)


@pytest.mark.parametrize("odd", [None, "text", [], {"type": "x"}, {"details": 5}, {"details": {}}])
def test_instructions_of_any_shape_are_read(scripted, odd):
    """An account is read whatever its deposit instructions are."""
    client, _ = scripted({"id": "ca_1", "deposit_instructions": odd})
    assert client.conversion_accounts.get("ca_1").raw["deposit_instructions"] == odd


@pytest.mark.parametrize(
    ("envelope", "words"),
    [
        ({}, "must contain a list"),
        ({"data": {}}, "must contain a list"),
        ({"data": ["tr_1"]}, "must contain a list of objects"),
        ("text", "must be a page"),
        (
            {"items": [], "next_cursor": "c"},
            "must contain a list.*it contains 'items', 'next_cursor'",
        ),
        ({"data": [], "next_cursor": "c", "has_more": True}, "whether another page follows"),
        ({"data": []}, "whether another page follows"),
        ([], "must be a page"),
        ({"data": [], "has_next_page": "yes"}, "unreadable"),
        ({"data": [], "has_next_page": True, "cursor": 7}, "unreadable"),
    ],
)
def test_a_page_of_the_wrong_shape_is_a_clear_error(scripted, envelope, words):
    """A page of the wrong shape raises APIResponseError and does not read as empty."""
    client, _ = scripted(json.dumps(envelope).encode())
    with pytest.raises(errors.APIResponseError, match=words):
        list(client.transfers.list())


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([{"data": [], "has_next_page": True, "cursor": None}], "no cursor"),
        ([{"data": [], "has_next_page": True}], "no cursor"),
        ([{"data": [], "has_next_page": True, "cursor": "c"}] * 2, "same cursor twice"),
        (
            [{"data": [], "has_next_page": True, "cursor": str(n)} for n in range(200)],
            "101 empty pages in a row",
        ),
    ],
)
def test_a_list_that_leads_nowhere_is_an_error(scripted, pages, words):
    """A missing or repeated cursor, or too many empty pages, raises PagingError."""
    client, _ = scripted(*pages)
    with pytest.raises(errors.PagingError, match=words):
        list(client.transfers.list())


def test_filters_go_along_with_every_cursor(scripted):
    """Every page request repeats the filters beside the cursor."""
    more = {"data": [{"id": "a"}], "has_next_page": True, "cursor": "c+1"}
    client, script = scripted(more, {"data": [{"id": "b"}], "has_next_page": False, "cursor": None})
    ids = [one.id for one in client.transfers.list(limit=1, product_type="off_ramp")]
    assert ids == ["a", "b"]
    assert [request.url.query for request in script.requests] == [
        b"limit=1&product_type=off_ramp",
        b"limit=1&product_type=off_ramp&cursor=c%2B1",
    ]


def test_what_is_wrapped_is_preferred(scripted):
    """The resource inside `data` is read, not the id beside it."""
    client, _ = scripted({"id": "req_1", "data": {"id": "tr_9"}})
    assert client.transfers.create(quote_id="qt_1").id == "tr_9"


@pytest.mark.parametrize(("size", "is_read"), [(8 * 2**20, True), (8 * 2**20 + 1, False)])
def test_a_body_may_have_8_mib(scripted, size, is_read):
    """A body of exactly 8 MiB is read; one byte more is an error."""
    body = b'{"id": "tr_1"}'
    stream = httpx.ByteStream(b" " * (size - len(body)) + body)
    client, _ = scripted(httpx.Response(200, stream=stream), max_retries=0)
    if is_read:
        assert client.transfers.get("tr_1").id == "tr_1"
    else:
        with pytest.raises(errors.APIResponseError, match="larger than 8 MiB"):
            client.transfers.get("tr_1")


def test_every_2xx_is_a_success(scripted):
    """299 is the last one; 300 says that the service is elsewhere."""
    client, _ = scripted(httpx.Response(299, json={"id": "tr_1"}), httpx.Response(300, json={}))
    assert client.transfers.get("tr_1").id == "tr_1"
    with pytest.raises(errors.RedirectError, match="300 redirects to nowhere"):
        client.transfers.get("tr_1")
