"""No input causes a 5xx, and the simulator still works afterwards."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paylab.simulator import dispatch
from paylab.simulator.messages import RefusedError, Request
from paylab.simulator.routing import CONTROLS
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

JUNK = [
    b"",
    b"{",
    b"nul",
    b"[]",
    b"7",
    b'"text"',
    b"null",
    b"NaN",
    b'{"a": NaN}',
    b'{"a": Infinity}',
    b'{"a": 1e999}',
    b'{"a": 1' + b"0" * 5000 + b"}",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    b"\x00",
    b'{"\x00": 1}',
    b'{"id": "\\u0000", "to": "\\ud800"}',
    b"\xff\xfe{\x00}\x00",
    b"\xed\xa0\x80",
    b'{"a": "\xff"}',
    b'\xef\xbb\xbf{"a": 1}',
    '{"é": "\N{PILE OF POO}"}'.encode("utf-16"),
]


def operations():
    """Each path with its method, except the reset."""
    return [
        (method, path.replace("{id}", "x"))
        for _, method, path in (*Service().routes, *CONTROLS)
        if path != "/_simulator/reset"
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_body_is_utf_8(service, encoding):
    """A body in another encoding than UTF-8 without a BOM (RFC 8259) returns 400."""
    good = '{"url": "https://example.com/", "event_types": ["transfer.created"]}'
    answer = service.call("POST", "/v1/webhook_subscriptions", good.encode(encoding))
    assert (answer.status, answer.json["error"][:20]) == (400, "the body is not JSON")


@pytest.mark.parametrize(("method", "path"), operations())
def test_an_invalid_body_never_causes_a_5xx(service, method, path):
    """An invalid body never causes a 5xx; every answer other than a 204 is JSON."""
    for body in JUNK if method in ("POST", "PUT") else JUNK[::8]:  # others are not read
        answer = service.call(method, path, body)
        assert answer.status < 500
        assert (answer.body == b"") == (answer.status == 204)
        assert answer.status == 204 or isinstance(answer.json, dict | list)
    assert service.get("/_simulator/snapshot").status == 200


def test_junk_is_a_400(service):
    """An invalid body of a new individual returns 400."""
    assert {service.post("/v1/individuals", body).status for body in JUNK} == {400}


def targets(service):
    """A valid body for every POST, after creating the objects that it needs."""
    owner = service.active("MX", "on_ramp", "global_payouts")
    account, wallet = service.account(owner), service.wallet(owner)
    ready = service.on_ramp("MX")
    waiting, tokened = service.person("MX", "on_ramp"), service.person("US", "on_ramp")
    pay = {
        "financial_account": {"id": account["id"]},
        "source_currency": "usd",
        "destination_currency": "mxn",
        "payout_method": "spei",
        "source_amount": "100",
        "client_reference_id": "r",
    }
    quote = service.made("/v1/quotes", pay)
    paid = service.made("/v1/transfers", pay)
    url = {"url": "https://example.com/a?b=c", "event_types": ["transfer.created"]}
    image = {"type": "selfie", "content": "data:image/png;base64,AAAA"}
    clabe = {"clabe": "1" * 18}
    return {
        "/v1/individuals": {
            **{name: owner[name] for name in ("product_types", "given_name", "family_name")},
            **{name: owner[name] for name in ("country", "phone", "date_of_birth", "document")},
            **{name: owner[name] for name in ("idv_consent_recorded_at", "address")},
            "financial_accounts": [{"type": "bank_account", "details": clabe}],
        },
        f"/v1/individuals/{tokened['id']}/verification_token": {
            "provider": "idv_provider",
            "token": "t",
            "applicant_id": "a",
            "partner_terms_accepted_at": "2026-01-15T11:00:00Z",
        },
        f"/v1/individuals/{waiting['id']}/verification_images": {"images": [image]},
        "/v1/financial_accounts": {
            "individual_id": owner["id"],
            "type": "bank_account",
            "details": clabe,
        },
        f"/v1/financial_accounts/{account['id']}": {"details": clabe},
        f"/v1/financial_accounts/{wallet['id']}": {"details": wallet["details"]},
        "/v1/quotes": {**pay, "source_network": "base"},
        "/v1/transfers": {**pay, "source_type": "prefunded", "source_network": "base"},
        "/v1/transfers ": {"quote_id": quote["id"], "payout_method": "spei", "source_type": None},
        "/v1/conversion_accounts": {
            "individual_id": ready["individual_id"],
            "payout_account": {"id": ready["payout_account"]["id"]},
            "source_currency": "mxn",
            "destination_currency": "usdc",
            "client_reference_id": "scenario:slow",
        },
        "/v1/sandbox/deposits": {
            "conversion_account_id": ready["id"],
            "amount": "1",
            "currency": "mxn",
            "sender_name": "",
        },
        "/v1/webhook_subscriptions": url,
        "/_simulator/clock": {"advance_seconds": 1, "frozen": True, "speed": 1},
        f"/_simulator/objects/{paid['id']}": {"to": "started", "reason": "r"},
        "/_simulator/faults": {
            "kind": "event_delay",
            "method": "POST",
            "path": "/none",
            "times": 1,
            "retry_after": 1,
            "probability": 0.5,
            "seed": 1,
            "seconds": 1,
            "event_type": "transfer.created",
        },
    }


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(
        ["\ud800", "\x00", "", " ", "mxn", "base", "x" * 5000, "[", "*?[z-a]", "9" * 40]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def spoilt(body, path, value):
    """A copy of the body with the value at a path replaced."""
    if not path:
        return value
    if isinstance(body, list):
        return [spoilt(body[0], path[1:], value), *body[1:]]
    return {**body, path[0]: spoilt(body[path[0]], path[1:], value)}


def paths(body, at=()):
    """The path of every value in a body."""
    if at:
        yield at
    inner = body.items() if isinstance(body, dict) else ()
    for name, each in inner:
        yield from paths(each, (*at, name))
    if isinstance(body, list) and body:
        yield from paths(body[0], (*at, 0))


@pytest.fixture(scope="module")
def world(module_service):
    """A client of the module's simulator, and the valid bodies."""
    return module_service, targets(module_service)


@settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_a_spoilt_body_never_causes_a_5xx(world, data):
    """A valid body with one or two values replaced is accepted or refused, never a 5xx."""
    service, bodies = world
    target = data.draw(st.sampled_from(sorted(bodies)))
    body = bodies[target]
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from([*paths(body)]))
        body = spoilt(body, place, data.draw(values))
    answer = service.post(target.strip(), json.dumps(body).encode())
    assert answer.status < 500
    assert answer.json is not None


@pytest.mark.parametrize("value", [None, "", "\ud800", [], {}, -1, 2**70, True, "9" * 40])
def test_the_world_is_still_whole(make, value):
    """After requests with odd values every list can be read, and the clock can be advanced."""
    service = make(send=lambda url, body: 200)
    bodies = targets(service)
    for target, body in bodies.items():
        for place in paths(body):
            text = json.dumps(spoilt(body, place, value))
            assert service.post(target.strip(), text.encode()).status < 500
    assert service.delete("/_simulator/faults").status == 204
    assert service.advance(10**6).status == 200
    for name in ("individuals", "transfers", "conversions", "conversion_accounts"):
        assert service.get(f"/v1/{name}?limit=100").status == 200
    for target in ("/_simulator/events", "/_simulator/deliveries", "/_simulator/faults"):
        assert service.get(target).status == 200
    snapshot = service.get("/_simulator/snapshot")
    assert service.put("/_simulator/snapshot", snapshot.body).status == 200
    assert service.get("/_simulator/snapshot").json == snapshot.json


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "", 404),
        ("GET", "*", 404),
        ("GET", "/v1", 404),
        ("GET", "/v1/", 404),
        ("GET", "/v1/nothing", 404),
        ("GET", "/V1/transfers", 404),
        ("GET", "/v1/transfers/", 404),
        ("GET", "//v1/transfers", 404),
        ("GET", "/v1/individuals/{id}", 404),
        ("GET", "/v1/individuals/x/verification_images/y", 404),
        ("GET", "/v1/../v1/transfers", 404),
        ("GET", "/v1/individuals/%00", 404),
        ("GET", "/v1/individuals/%ff%fe", 404),
        ("GET", "/v1/individuals/" + "x" * 100_000, 404),
        ("GET", "/v1/individuals/\x00\xff", 404),
        ("GET", "/_simulator/nothing", 400),
        ("DELETE", "/v1/transfers", 405),
        ("PUT", "/v1/individuals", 405),
        ("PATCH", "/v1/transfers/x", 405),
        ("HEAD", "/v1/transfers", 405),
        ("OPTIONS", "/v1/transfers", 405),
        ("BREW", "/v1/transfers", 405),
        ("get", "/v1/transfers", 405),
        ("GET", "/v1/quotes", 405),
        ("GET", "/v1/sandbox/deposits", 405),
        ("GET", "/v1/financial_accounts/x", 405),
        ("DELETE", "/_simulator", 405),
    ],
)
def test_an_unknown_path_returns_404(service, method, path, status):
    """An unknown path returns 404; an unsupported method returns 405 with Allow."""
    answer = service.call(method, path)
    assert answer.status == status
    assert ("allow" in answer.headers) is (status == 405)


def test_the_header_allow_has_the_methods_separated_by_commas(service):
    """The header Allow has the methods, separated by commas."""
    assert service.delete("/v1/transfers").headers["allow"] == "POST, GET"


QUERIES = (
    *("", "&", "&&=&", "=", "limit", "limit=%", "limit=%zz", "cursor=%ff", "+", "?"),
    *("limit=5;cursor=x", "limit=1%00", "cursor=\xff", "a=" + "b" * 100_000),
    "limit=" + "9" * 10_000,
)


@pytest.mark.parametrize("path", ["/v1/transfers", "/v1/individuals", "/_simulator"])
def test_an_unusual_query_is_accepted_or_refused_with_a_400(service, path):
    """An unusual query is accepted or refused with a 400."""
    for query in QUERIES:
        assert service.get(f"{path}?{query}").status in (200, 400), query


HEADERS = {
    "authorization": "Authorization must read",
    "x-date": "X-Date must be UTC in ISO 8601",
    "x-nonce": "the signature differs",  # each value is valid, if it is signed
    "x-api-key": "Credential and X-API-Key differ",
    "x-content-sha256": "X-Content-SHA256 must be 64 lower-case hex digits",
    "host": "the signature differs",
}
"""The headers of a request, and how the error for an invalid value begins."""


@pytest.mark.parametrize(("name", "words"), HEADERS.items())
def test_an_invalid_header_is_named_by_the_401(service, name, words):
    """An invalid header returns a 401 that names it, or the signature that it changes."""
    for value in ("", " ", "\x00", "\xff" * 50, "é", "9" * 10_000, ";", ",,,"):
        answer = service.get("/v1/transfers", **{name.replace("-", "_"): value})
        assert (answer.status, answer["error"][: len(words)]) == (401, words), value


@pytest.mark.parametrize("name", HEADERS)
def test_an_invalid_but_signed_header_is_accepted_or_a_401(service, name):
    """An invalid header value with a valid signature returns 200 or 401."""
    for value in ("", "\xff", "2026-13-45T99:99:99Z", "0001-01-01T00:00:00+14:00", "x" * 9999):
        headers = service.signed("GET", "/v1/transfers", **{name: value})
        assert service.carry("GET", "/v1/transfers", headers, b"").status in (200, 401)


@settings(max_examples=30, deadline=None)
@given(
    st.text(st.characters(max_codepoint=255), max_size=8),
    st.text(st.characters(max_codepoint=255), max_size=40),
    st.text(st.characters(max_codepoint=255), max_size=40),
    st.dictionaries(
        st.sampled_from([*HEADERS, "idempotency-key"]),
        st.text(st.characters(max_codepoint=255), max_size=40),
    ),
    st.binary(max_size=40),
)
def test_a_request_with_arbitrary_unsigned_content_returns_401(method, path, query, headers, body):
    """A request with arbitrary unsigned content returns 401."""
    reply = Simulator().respond(Request(method, path, query, headers, body))
    assert reply.status == 401


def test_a_body_has_at_most_64_levels_unless_more_are_allowed():
    """A body has at most 64 levels, and another limit where a larger one is given."""

    def body(levels):
        text = '{"a":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
        return Request("POST", "/v1/transfers", "", {}, text.encode())

    assert body(64).json()
    assert body(72).json(deepest=72)
    for request, most in ((body(65), 64), (body(73), 72)):
        with pytest.raises(RefusedError, match="nested too deeply"):
            request.json(deepest=most)


@pytest.mark.parametrize(("size", "status"), [(12, 400), (13, 413)])
def test_in_process_a_body_has_the_same_limit_as_over_http(service, monkeypatch, size, status):
    """In process a body has the same limit as over HTTP."""
    monkeypatch.setattr(dispatch, "BODY_BYTES_MAX", 12)  # 256 MiB need seconds and the memory
    assert service.post("/v1/transfers", b"{" + b" " * (size - 2) + b"}").status == status
