"""Error bodies of any shape become a text, field problems and a hint."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from paylab import errors
from paylab.client import Client
from paylab.client.failures import read_refusal
from paylab.client.settings import Secret
from paylab.errors import Problem
from paylab.redaction.redaction import Redaction
from paylab.spec.service import Service

HTML = b"""<!DOCTYPE html><html><head><title>502</title><style>p {}</style>
<script>alert(1)</script></head><body><h1>502 Bad&nbsp;Gateway</h1><!-- x --><p>nginx</p></html>"""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"error": "Invalid pagination token"}', "Invalid pagination token"),
        (b'{"message": "no such individual"}', "no such individual"),
        (b'{"error": {"code": "x1", "message": "no such individual"}}', "no such individual"),
        (b'{"detail": "Not found", "title": "t"}', "Not found"),
        (b'{"errors": ["one", "two"]}', "one; two"),
        (b'["one", {"message": "two"}]', "one; two"),
        (b'"just text"', "just text"),
        (b'{"message": ["a is odd", "b is odd"], "error": "Bad Request"}', "a is odd; b is odd"),
        (b'{"error": "invalid", "error_description": "It is odd"}', "invalid: It is odd"),
        (
            b'{"error": "invalid_request", "error_description": "Expired"}',
            "invalid_request: Expired",
        ),
        (b'{"errorMessage": "too much"}', "too much"),
        (b'{"code": "no_funds"}', "no_funds"),
        (b'{"issue": "TOO_LOW"}', "TOO_LOW"),
        (b'{"error": {"code": 5, "details": {"reason": "R"}}}', "reason: R"),
        (b'{"messages": [{"text": "T", "field": "f"}]}', "f: T"),
        (b'{"fault": {"faultstring": "It is odd"}}', "faultstring: It is odd"),
        (b'{"message": {"en": "It is odd"}}', "en: It is odd"),
        (b'{"a": {"b": ["It", "is", {"c": "odd"}]}, "d": 5}', "b: It; b: is; c: odd"),
        (b'{"status": 400, "ok": false}', "Bad Request"),
        (b"plain words", "plain words"),
        (b"a < b and c > d", "a < b and c > d"),
        (HTML, "502 Bad Gateway nginx"),
        (b"", "Bad Request"),
        (b"   ", "Bad Request"),
        (b"null", "Bad Request"),
        (b"{}", "Bad Request"),
        (b"[]", "Bad Request"),
        (b"{", "{"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"5", "5"),
        (b"\x1b[31mred\x07\nnext", "\\x1b[31mred\\x07 next"),
        ("\u202eevil".encode(), "\\u202eevil"),
        (b"[" * 100_000, "[" * 499 + "…"),
        (b"x" * 10_000, "x" * 499 + "…"),
    ],
)
def test_the_words_of_a_refusal_are_one_line(body, text):
    """The text of an error body of any shape is one printable line."""
    assert read_refusal(400, body, Redaction([])).text == text


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (
            b'{"error": "no", "errors": [{"field": "a.b", "message": "is required"}]}',
            ["a.b: is required"],
        ),
        (
            b'{"errors": {"email": ["is required", "is odd"]}}',
            ["email: is required", "email: is odd"],
        ),
        (b'{"errors": {"email": "is required"}}', ["email: is required"]),
        (b'{"detail": [{"loc": ["body", "x", 0], "msg": "bad", "type": "t"}]}', ["x.0: bad"]),
        (b'{"error": {"message": "no", "details": [{"field": "a", "reason": "bad"}]}}', ["a: bad"]),
        (b'{"errors": ["one", 2, null]}', ["one", "2"]),
        (b'[{"field": 7, "message": {"message": "deep"}}]', ["7: deep"]),
        (b'{"details": [{"issue": "TOO_LOW", "path": ["a", 0]}]}', ["a.0: TOO_LOW"]),
        (b'{"details": [{"field": "/a/b", "description": "odd"}]}', ["a.b: odd"]),
        (b'{"details": [{"path": "a.b", "message": "odd"}]}', ["a.b: odd"]),
        (b'{"issues": [{"path": ["a"], "code": "too_small"}]}', ["a: too_small"]),
        (b'{"message": ["a is odd", "b is odd"]}', ["a is odd", "b is odd"]),
        (
            b'{"errors": [{"detail": "odd", "source": {"pointer": "/data/attributes/a/b"}}]}',
            ["a.b: odd"],
        ),
        (b'{"errors": [{"title": "odd", "source": {"parameter": "limit"}}]}', ["limit: odd"]),
        (b'{"errors": "text"}', []),
        (b"not json", []),
    ],
)
def test_the_field_problems_of_a_refusal_are_read(body, problems):
    """Field problems are read from an error body, with dotted field names."""
    said = read_refusal(400, body, Redaction([]))
    assert list(map(str, said.problems)) == problems


def test_problems_of_the_service_are_told_from_our_own():
    """A problem that the service reports has the source "service"."""
    said = read_refusal(400, b'{"errors": [{"field": "a", "message": "b"}]}', Redaction([]))
    assert said.problems == (Problem("a", "b", "service"),)
    assert said.body == {"errors": [{"field": "a", "message": "b"}]}


def test_a_status_nobody_named():
    """A status without a standard phrase and without a body gives a fixed text."""
    assert read_refusal(599, b"", Redaction([])).text == "no reason given"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, errors.BadRequestError),
        (401, errors.AuthenticationError),
        (403, errors.PermissionDeniedError),
        (404, errors.NotFoundError),
        (409, errors.ConflictError),
        (418, errors.APIStatusError),
        (422, errors.UnprocessableError),
        (429, errors.RateLimitError),
        (500, errors.ServerError),
        (599, errors.ServerError),
    ],
)
def test_each_status_has_its_error(scripted, status, error):
    """Each status raises its error class, with the status, text, body and call."""
    no = httpx.Response(status, json={"error": "no"})
    client, _ = scripted(no, 401, max_retries=0)  # after a 401 another dialect is tried
    with pytest.raises(errors.APIStatusError) as caught:
        client.transfers.get("tr_1")
    raised = caught.value
    assert type(raised) is error
    assert (raised.status, raised.text, raised.body) == (status, "no", {"error": "no"})
    assert raised.call is client.calls[0]


@pytest.mark.parametrize(
    ("status", "method", "path", "text", "advice"),
    [
        (400, "GET", "/v1/transfers", "Invalid pagination token", "list again from the start"),
        (400, "POST", "/v1/transfers", "Idempotency-Key is required", "this call has no"),
        (400, "POST", "/v1/transfers", "Idempotency-Key must be a UUID", "UUID of 36"),
        (403, "POST", "/v1/sandbox/deposits", "no", "only in the sandbox"),
        (422, "POST", "/v1/individuals/i/verification_images", "no", "action_required"),
        (422, "POST", "/v1/individuals/i/verification_token", "no", "action_required"),
        (400, "POST", "/v1/individuals/i/verification_token", "It verifies with images", "upload_"),
        (422, "POST", "/v1/transfers", "it has no crypto_wallet", "an off-ramp needs a wallet"),
        (422, "POST", "/v1/transfers", "expired: ask for a new one", "lab.quotes.again(quote)"),
        (429, "POST", "/v1/individuals", "no", "wait"),
        (399, "GET", "/v1/transfers", "", "set the base URL"),
        (307, "GET", "/v1/transfers", "", "set the base URL"),
    ],
)
def test_a_known_cause_has_a_hint(scripted, status, method, path, text, advice):
    """An error with a known cause has a hint that says what to try."""
    client, _ = scripted(httpx.Response(status, json={"error": text}), 401, max_retries=0)
    with pytest.raises(errors.APIStatusError) as caught:
        client.request(method, path)
    assert advice in caught.value.hint


@pytest.mark.parametrize(
    ("status", "text", "advice"),
    [
        (409, "Conflict", "with another body"),
        (409, "Idempotency-Key was used with a different body", "with another body"),
        (409, "A request with this Idempotency-Key is in progress", "is under way: wait"),
        (400, "Idempotency-Key must be a UUID", "UUID of 36"),
        (400, "Idempotency-Key header is required", "it was sent as Idempotency-Key"),
        (400, "Missing required header 'Idempotency-Key'", "it was sent as Idempotency-Key"),
        (409, "The PIX key belongs to another person", None),
    ],
)
def test_the_advice_about_a_key_that_was_sent(scripted, status, text, advice):
    """A refusal of the Idempotency-Key is told by what the request carried."""
    client, _ = scripted(httpx.Response(status, json={"error": text}))
    key = client.new_key()
    with pytest.raises(errors.APIStatusError) as caught:
        client.request("POST", "/v1/transfers", json={}, idempotency_key=key)
    hint = caught.value.hint
    assert hint is None if advice is None else advice in hint


DIALECT = "signed with an empty line for the absent query, and not the same GET as paylab signs it"


@pytest.mark.parametrize(
    ("verified", "words"),
    [
        ((401,), "paylab doctor"),
        ((200, 200), "paylab doctor"),
        ((200, 401), DIALECT),
        ((200, 401), "run `paylab probe`"),
    ],
)
def test_a_dialect_is_told_only_if_the_signing_in_force_failed_on_the_same_get(
    scripted, verified, words
):
    """A GET that another dialect verifies is sent as signed now, too; no setting is named."""
    replies = [httpx.Response(status, json={"data": []}) for status in (401, *verified)]
    client, script = scripted(*replies, max_retries=0)
    with pytest.raises(errors.AuthenticationError) as caught:
        client.request("POST", "/v1/individuals", json={})
    assert words in caught.value.hint
    assert "signing." not in caught.value.hint
    assert [request.method for request in script.requests] == ["POST"] + ["GET"] * len(verified)


@pytest.mark.parametrize(("status", "path"), [(400, "/v1/x"), (402, "/v1/x"), (422, "/v1/x")])
def test_an_unknown_cause_has_no_hint(scripted, status, path):
    """An error with an unknown cause has no hint."""
    client, _ = scripted(status)
    with pytest.raises(errors.APIStatusError) as caught:
        client.request("POST", path)
    assert caught.value.hint is None


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://elsewhere.test/v1/transfers", "https://elsewhere.test/v1/transfers"),
        ("//evil\x1b[2J.test", "//evil\\x1b[2J.test"),
        ("", "nowhere"),
    ],
)
def test_a_redirect_is_an_error_that_names_its_target(scripted, location, shown):
    """A redirect raises an error that shows its target, and is not followed."""
    client, script = scripted(httpx.Response(302, headers=[(b"location", location.encode())]))
    with pytest.raises(errors.RedirectError) as caught:
        client.transfers.get("tr_1")
    assert str(caught.value) == f"302 redirects to {shown}, which is not followed"
    assert len(script.requests) == 1


def test_the_error_of_a_missing_conversion_has_its_call(settings):
    """A 404 keeps the service's words and its call; without the operation, the list is read."""
    service = Service({"paths.conversion": "/v1/conversions/{id}"})
    answer = httpx.MockTransport(lambda _: httpx.Response(404, json={"error": "no route"}))
    client = Client(replace(settings, service=service), transport=answer)
    with pytest.raises(errors.NotFoundError, match="no route") as caught:
        client.conversions.get("conv_1")
    assert caught.value.call.path == "/v1/conversions/conv_1"
    empty = httpx.MockTransport(
        lambda _: httpx.Response(200, json={"data": [], "has_next_page": False})
    )
    with pytest.raises(errors.NotFoundError, match="conv_1") as caught:
        Client(settings, transport=empty).conversions.get("conv_1")
    assert caught.value.status == 404


VALIDATION = {
    "error": "Validation failed",
    "errors": [
        {"field": "given_name", "message": "is required"},
        {"field": "address.country", "message": "must be one of MX, PH"},
    ],
}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            VALIDATION,
            "400 Validation failed; given_name: is required; "
            "address.country: must be one of MX, PH",
        ),
        ({"error": "a[0].b must be c"}, "400 a[0].b must be c"),
        (
            {"error": "No", "errors": [{"field": f"f{n}", "message": "is odd"} for n in range(7)]},
            "400 No; " + "; ".join(f"f{n}: is odd" for n in range(5)) + "; and 2 more",
        ),
        (
            {"error": "No", "errors": [{"field": "a\nb", "message": "\x1b[2J" + "x" * 300}]},
            "400 No; a b: \\x1b[2J" + "x" * 187 + "…",
        ),
    ],
)
def test_the_text_of_an_error_has_the_first_problems(scripted, body, text):
    """`str` and a traceback have the first five problems with their fields, escaped and short."""
    client, _ = scripted(httpx.Response(400, json=body))
    with pytest.raises(errors.BadRequestError) as caught:
        client.request("POST", "/v1/individuals", json={})
    assert str(caught.value) == text
    assert caught.value.traceback().count(text) == 1


@pytest.mark.parametrize(
    ("status", "words", "advice", "source"),
    [
        (400, "email is required", "add email to the call: it must be an e-mail address", None),
        (400, "given_name is required", "add given_name to the call", "individual.required"),
        (400, "'country' is not supported", "country must be one of AR", None),
        (400, "country must be one of MX", None, None),
        (400, "unknown field 'phone'", "does not know phone", None),
        (400, "tax_id is required", "no field tax_id here: ask your provider", None),
        (400, "Missing key", None, None),
        (403, "Forbidden", "ask your provider whether", None),
        (404, "no route", "check the base URL", None),
        (503, "down", "it may have been carried out", None),
        (400, "phone must have a signature of its owner", None, None),
    ],
)
def test_the_advice_about_an_individual_says_who_decides(scripted, status, words, advice, source):
    """What the specification says of the field, else who decides, with its assumption as data."""
    client, _ = scripted(httpx.Response(status, json={"error": words}), max_retries=0)
    with pytest.raises(errors.APIStatusError) as caught:
        client.request("POST", "/v1/individuals", json={"country": "MX"})
    assert advice in caught.value.hint if advice else caught.value.hint is None
    assert caught.value.assumption == source


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("signature differs", 4),
        ("The API key has expired", 1),
        ("IP address not allowed", 1),
        ("account suspended", 1),
        ("the clock is skewed", 1),
    ],
)
def test_no_dialect_is_tried_if_the_words_say_why(settings, words, asked):
    """Other dialects are tried in one round a session, and only for a refusal that may need it."""
    paths = []

    def answer(request):
        paths.append(request.url.path)
        return httpx.Response(401, json={"error": words})

    keys = replace(settings, secret_key=Secret("c0ffee00" * 4))
    client = Client(keys, transport=httpx.MockTransport(answer))
    for _ in range(2):
        with pytest.raises(errors.AuthenticationError) as caught:
            client.transfers.get("tr_1")
    assert len(paths) == asked + 1
    assert "signing." not in str(caught.value.hint)


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"X-Request-Id": "req_1"}, {"error": "Forbidden"}),
        ({}, {"error": "Forbidden", "trace_id": "req_1"}),
        ({}, {"error": {"message": "Forbidden", "innerError": {"request-id": "req_1"}}}),
    ],
)
def test_a_provider_is_told_the_id_of_the_request(scripted, headers, body):
    """Where only the provider knows more, the advice has the id that the service gave the call."""
    client, _ = scripted(httpx.Response(403, json=body, headers=headers))
    with pytest.raises(errors.PermissionDeniedError) as caught:
        client.request("POST", "/v1/individuals", json={})
    assert caught.value.request_id == "req_1"
    assert caught.value.hint.endswith("your provider can look this call up by its id req_1")
