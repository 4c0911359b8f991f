"""What the proxy sends to the service, and what it answers to the client."""

from __future__ import annotations

import json
import time

import httpx
import pytest
from proxy_front import SERVICE

import paylab
from paylab.client.settings import Settings
from paylab.errors.base import ConfigError
from paylab.proxy import Proxy
from paylab.proxy.recorder import Recorder
from paylab.proxy.upstream import Upstream
from paylab.redaction.hiding import Secret
from paylab.simulator import fault_kinds
from paylab.simulator.faults import new_fault
from paylab.simulator.messages import Request
from paylab.spec.service.service import Service

PAGE = {"data": [], "has_next_page": False, "cursor": None}
PERSON = {
    "product_types": ["global_payouts"],
    "given_name": "José",
    "family_name": "Núñez",
    "country": "MX",
    "address": {"country": "MX"},
}


def received(simulator):
    """The requests that the service received."""
    return simulator.world.journal.requests()


def add_fault(simulator, kind, operation, **details):
    """Arm a fault of the service once."""
    body = {"kind": kind, "operation": operation, "times": 1, **details}
    assert fault_kinds.check_fault(body) == []
    new_fault(simulator.world, body)


def scripted(*answers):
    """A service that gives these answers in turn, and the list of its requests."""
    requests = []

    def handle(request):
        requests.append(request)
        answer = answers[len(requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return httpx.MockTransport(handle), requests


@pytest.mark.parametrize(
    ("method", "target", "body", "status"),
    [
        ("GET", "/v1/transfers", b"", 200),
        ("GET", "/v1/transfers?limit=5&product_type=off_ramp", b"", 200),
        ("GET", "/v1/transfers?product_type=off%5Framp&limit=05", b"", 200),
        ("GET", "/v1/transfers/tr%2F1%20a", b"", 404),
        ("GET", "/v1/nothing", b"", 404),
        ("POST", "/v1/individuals", json.dumps(PERSON, ensure_ascii=False).encode(), 201),
        ("POST", "/v1/individuals", b"{", 400),
        ("DELETE", "/v1/webhook_subscriptions/none", b"", 404),
    ],
)
def test_a_request_is_signed_again_for_the_service(front, simulator, method, target, body, status):
    """The client signs the proxy's address, the service its own; all other bytes are the same."""
    answer = front.client.send(method, target, body)
    assert answer.status_code == status, answer.text
    [record] = received(simulator)
    request = record.request
    assert f"{request.path}?{request.query}".rstrip("?") == target
    assert (request.method, request.body) == (method, body)
    assert request.headers["host"] == SERVICE.removeprefix("http://")
    sent = front.proxy.requests.only()
    assert sent.status == status
    assert sent.verdicts["signature"] == {"result": "passed"}
    assert sent.verdicts["proxy"]["signed_again"]
    kept = ("x-date", "x-nonce", "x-content-sha256")
    assert [sent.headers[name] for name in kept] == [request.headers[name] for name in kept]


def test_a_further_signed_header_stays_signed(front, simulator):
    """Headers that a client signs beside those of the spec are signed for the service too."""
    changes = {"content_type": "application/json", "x_trace": "a b"}
    answer = front.client.send("POST", "/v1/individuals", json.dumps(PERSON).encode(), **changes)
    assert answer.status_code == 201
    assert "content-type;host" in received(simulator)[0].request.headers["authorization"]


@pytest.mark.parametrize(
    ("changes", "extra", "reason"),
    [
        ({}, {"authorization": ""}, "malformed-authorization"),
        ({}, {"x-content-sha256": "0" * 64}, "body-hash"),
        ({"host": "localhost:1"}, {"host": "localhost:2"}, "signature"),
        ({}, {"x-api-key": "another"}, "unknown-key"),
    ],
)
def test_a_wrong_signature_is_not_sent(front, simulator, changes, extra, reason):
    """A new signature would hide the mistake, so the proxy answers as the service would."""
    answer = front.client.send("GET", "/v1/transfers", extra=extra, **changes)
    assert (answer.status_code, answer.json()["reason"]) == (401, reason)
    assert answer.headers["server"] == "paylab-proxy"
    assert received(simulator) == []
    assert front.verdicts()["signature"]["result"] == "refused"
    assert front.verdicts()["proxy"] == {"result": "not sent"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"x_date": "2020-01-01T00:00:00.000Z"}, "stale-date"),
        ({"x_nonce": "1700000000000123456"}, "nonce-reused"),
    ],
)
def test_the_service_decides_about_date_and_nonce(front, simulator, changes, reason):
    """Both are kept, so the service sees the mistake itself; the journal names it."""
    for _ in range(2):
        answer = front.client.send("GET", "/v1/transfers", **changes)
    assert (answer.status_code, answer.json()["reason"]) == (401, reason)
    assert len(received(simulator)) == 2
    assert front.proxy.requests[-1].nonce_first_used == (1 if "x_nonce" in changes else None)
    assert front.verdicts()["signature"]["reason"] == reason


def test_paylab_itself_works_through_the_proxy(front, simulator):
    """The client of paylab makes a payment; the assertions of the double hold."""
    with paylab.connect(front.proxy.base_url, *front.keys) as lab:
        person = lab.individuals.create(**paylab.examples.recipient("MX"))
        lab.transfers.create(
            financial_account=person.financial_accounts[0].id,
            payout_method="spei",
            source_currency="USD",
            destination_currency="MXN",
            source_amount="10.00",
            client_reference_id="invoice-1",
        )
        assert lab.simulator is None
    requests = front.proxy.requests
    requests.assert_sent("POST /v1/transfers", source_amount="10", times=1)
    assert requests.of("transfers.create").only().verdict == "passed"
    assert len(received(simulator)) == len(requests)
    assert {request.verdicts["contract"]["result"] for request in requests} == {"passed"}


@pytest.mark.parametrize(
    ("kind", "words", "is_carried_out"),
    [
        ("refuse", "nothing was sent", False),
        ("drop_after", "closed the connection", True),
        ("truncate", "it may have been carried out", True),
    ],
)
def test_a_dropped_connection_is_answered_once(front, simulator, kind, words, is_carried_out):
    """The proxy answers 502, says what is known, and repeats nothing."""
    add_fault(simulator, kind, "individuals.create")
    answer = front.client.send("POST", "/v1/individuals", json.dumps(PERSON).encode())
    assert answer.status_code == 502
    assert words in answer.json()["error"]
    assert len(received(simulator)) == 1
    assert front.verdicts()["proxy"]["result"] == "failed"
    assert words in front.proxy.requests[-1].verdict
    assert len(simulator.world.tables["individuals"].rows) == is_carried_out


def test_a_slow_service_is_answered_504(make_front):
    """A timeout says that the request may have been carried out."""
    transport, requests = scripted(httpx.ReadTimeout("slow"))
    front = make_front(transport, timeout=5)
    answer = front.client.send("GET", "/v1/transfers")
    assert answer.status_code == 504
    assert "did not answer within 5 seconds" in answer.json()["error"]
    assert len(requests) == 1


JSON = {"content-type": "application/json"}
ANSWERS = [
    (httpx.Response(200, json=PAGE), []),
    (httpx.Response(200, json={"data": []}), ["has_next_page: is required", "cursor: is required"]),
    (httpx.Response(200, json={**PAGE, "data": 5}), ["data: must be of the type array"]),
    (httpx.Response(200, text="<html>"), ["the Content-Type must be application/json"]),
    (httpx.Response(200, text="{", headers=JSON), ["the body is not JSON"]),
    (httpx.Response(418, json={}), ["the status 418 is not documented"]),
    (
        httpx.Response(302, headers={"location": "https://elsewhere.test/"}),
        ["the status 302 is not documented"],
    ),
    (httpx.Response(503, text="busy", headers={"retry-after": "3"}), []),
]


@pytest.mark.parametrize(("answer", "problems"), ANSWERS)
def test_an_answer_comes_as_it_is_and_is_compared_with_the_document(make_front, answer, problems):
    """No redirect is followed, no answer changed; the journal says what the document forbids."""
    transport, requests = scripted(answer)
    front = make_front(transport)
    result = front.client.send("GET", "/v1/transfers")
    assert (result.status_code, result.content) == (answer.status_code, answer.content)
    for name in ("location", "retry-after", "content-type"):
        assert result.headers.get(name) == answer.headers.get(name)
    message = front.verdicts()["contract"].get("message", "")
    assert message == "; ".join(f"answer: {problem}" for problem in problems)
    assert len(requests) == 1


@pytest.mark.parametrize("location", ["https://elsewhere.test/", "/v1/other"])
def test_a_redirect_whose_body_comes_in_pieces_is_answered_and_journaled(make_front, location):
    """As from a network: it is sent once, not followed, and the answer has its body."""
    stream = Pieces([b'{"moved":', b" true}"])
    transport, requests = scripted(
        httpx.Response(302, headers={"location": location}, stream=stream)
    )
    front = make_front(transport)
    answer = front.client.send("POST", "/v1/transfers", b"{}")
    assert (answer.status_code, answer.content) == (302, b'{"moved": true}')
    assert answer.headers["location"] == location
    assert (len(requests), len(front.proxy.requests)) == (1, 1)


def test_an_answer_with_a_status_that_http_does_not_have_is_answered_502(make_front):
    """The client is told that the request may have been carried out."""
    transport, _ = scripted(httpx.Response(999, json={}))
    answer = make_front(transport).client.send("POST", "/v1/transfers", b"{}")
    assert answer.status_code == 502
    assert "999, which is no status of HTTP: it may have been" in answer.json()["error"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("x odd", "1"), ("x-\xe9", "1"), ("x-odd", "1\n2"), ("x-odd", "1\x002")],
)
def test_an_answer_with_a_header_that_http_does_not_have_is_answered_502(make_front, name, value):
    """The client is told that the request was sent; it is journaled, and sent once."""
    odd_header = (name.encode("latin-1"), value.encode("latin-1"))
    transport, requests = scripted(httpx.Response(200, json={}, headers=[odd_header]))
    front = make_front(transport)
    answer = front.client.send("POST", "/v1/transfers", b"{}")
    assert answer.status_code == 502
    assert f"{name!r}, which is none of HTTP: the request was sent" in answer.json()["error"]
    assert front.proxy.requests.only().verdicts["proxy"]["result"] == "failed"
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("method", "target", "body", "message"),
    [
        ("GET", "/v1/transfers?limit=500", b"", "request: limit: must be at most 100"),
        ("POST", "/v1/individuals", b"[]", "request: must be of the type object"),
        ("POST", "/v1/quotes", b'{"payout_method": 1}', "request: payout_method: must be"),
        ("PUT", "/v1/quotes", b"{}", "request: the document has no such method and path"),
    ],
)
def test_a_request_is_compared_with_the_document(make_front, method, target, body, message):
    """It is sent all the same: the service decides."""
    transport, requests = scripted(httpx.Response(400, json={"error": "no"}))
    front = make_front(transport)
    assert front.client.send(method, target, body).status_code == 400
    assert message in front.verdicts()["contract"]["message"]
    assert len(requests) == 1


def test_an_endless_answer_is_cut_off(make_front):
    """An endless answer does not fill the memory; what comes compressed is decoded."""
    pieces = (b" " * 2**20 for _ in range(10**6))
    transport, _ = scripted(
        httpx.Response(200, stream=Pieces(pieces)),
        httpx.Response(200, content=b"x", headers={"content-encoding": "br"}),
    )
    front = make_front(transport)
    answer = front.client.send("GET", "/v1/transfers")
    assert answer.status_code == 502
    assert "is larger than" in answer.json()["error"]


def test_headers_of_a_connection_stay_there(make_front):
    """Any other header passes with its bytes, in both directions; a repeated one is joined."""
    headers = [
        (b"content-type", b"application/json"),
        (b"x-note", "é".encode()),
        (b"x-part", b"1"),
        (b"X-Part", b"2"),
        (b"connection", b"x-hop"),
        (b"x-hop", b"1"),
        (b"keep-alive", b"timeout=5"),
    ]
    transport, requests = scripted(httpx.Response(200, json=PAGE, headers=headers))
    front = make_front(transport)
    extra = {"x-note": "ñ".encode(), "te": "trailers", "connection": "x-mine", "x-mine": "1"}
    answer = front.client.send("GET", "/v1/transfers", extra=extra)
    assert dict(answer.headers.raw)[b"x-note"] == "é".encode()
    assert answer.headers["x-part"] == "1, 2"
    assert not {"x-hop", "keep-alive"} & {name.lower() for name in answer.headers}
    sent = dict(requests[0].headers.raw)
    assert sent[b"x-note"] == "ñ".encode()
    assert not {b"te", b"x-mine", b"connection"} & sent.keys()


class Pieces(httpx.SyncByteStream):
    """A body in pieces."""

    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        return iter(self.pieces)


def test_no_key_is_shown(front, tmp_path):
    """Keys, signatures and document numbers are in no journal, HAR file or repr."""
    body = json.dumps({**PERSON, "document": {"type": "curp", "number": "BOXW310820HNERXN09"}})
    front.client.send("POST", "/v1/individuals", body.encode())
    path = front.proxy.har(tmp_path / "calls.har")
    assert path.stat().st_mode & 0o777 == 0o600
    shown = path.read_text() + repr(front.proxy) + front.proxy.requests.text()
    for secret in (*front.keys, "Signature=", front.proxy.control_token, "BOXW310820HNERXN09"):
        assert secret not in shown
    [entry] = json.loads(path.read_text())["log"]["entries"]
    assert entry["request"]["url"] == f"{SERVICE}/v1/individuals"
    raw = front.proxy.har(tmp_path / "raw.har", raw=True).read_text()
    assert "BOXW310820HNERXN09" in raw


def test_read_only_sends_no_post(make_front, simulator):
    """A GET passes, anything else is refused with 403 before it is sent."""
    front = make_front(simulator, read_only=True)
    assert front.client.send("GET", "/v1/transfers").status_code == 200
    answer = front.client.send("POST", "/v1/individuals", json.dumps(PERSON).encode())
    assert answer.status_code == 403
    assert "read-only" in answer.json()["error"]
    assert [record.request.method for record in received(simulator)] == ["GET"]


@pytest.mark.parametrize("keys", [None, ("key", "secret")])
def test_pass_through_sends_the_signature_of_the_client(keys):
    """Host and signature are those of the client, who must sign the host of the service."""
    transport, requests = scripted(httpx.Response(200, json=PAGE))
    with Proxy("https://pay.test", keys=keys, pass_through=True, transport=transport) as proxy:
        head = {"host": "pay.test", "authorization": "HMAC-SHA256 mine", "x-trace": "1"}
        answer = httpx.get(f"{proxy.base_url}/v1/transfers", headers=head)
        assert answer.json() == PAGE
        assert {name: requests[0].headers[name] for name in head} == head
        wrong = httpx.get(f"{proxy.base_url}/v1/transfers")
        assert wrong.status_code == 421
        assert "send and sign pay.test" in wrong.json()["error"]
        verdict = proxy.requests[0].verdicts["signature"]
        assert verdict["result"] == ("passed" if keys else "skipped")
        assert ("malformed-authorization" in verdict.values()) is bool(keys)
        assert not proxy.requests[0].verdicts["proxy"]["signed_again"]
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("to", "options", "words"),
    [
        ("http://pay.test", {}, "must begin with https://"),
        ("https://pay.test?x", {}, "must not have a query"),
        ("https://pay.test", {"keys": None}, "PAYLAB_API_KEY"),
    ],
)
def test_a_proxy_that_cannot_work_says_why(to, options, words):
    """Nothing listens before address, keys and options are right."""
    with pytest.raises(ConfigError, match=words):
        Proxy(to, **{"keys": ("key", "secret"), **options})


def test_the_journal_needs_the_token_or_a_signature(front, simulator):
    """Controls of a simulator behind the proxy are not reachable through it."""
    token = {"authorization": f"Bearer {front.proxy.control_token}"}
    controls = f"{front.proxy.base_url}/_simulator"
    front.client.send("GET", "/v1/transfers")
    assert httpx.get(f"{controls}/requests").status_code == 401
    wrong = {"authorization": "Bearer ct_proxy_0"}
    assert httpx.get(f"{controls}/journal", headers=wrong).status_code == 401
    [row] = httpx.get(f"{controls}/requests", headers=token).json()
    assert row["path"] == "/v1/transfers"
    assert front.client.send("GET", "/_simulator/journal?after=0").json()[0]["number"] == 1
    assert httpx.get(f"{controls}/requests?after=1", headers=token).json() == []
    assert httpx.post(f"{controls}/clock", headers=token, json={}).status_code == 404
    summary = httpx.get(controls, headers=token)
    assert summary.json()["proxy"]["to"] == SERVICE
    assert summary.headers["server"] == "paylab-proxy"
    assert len(received(simulator)) == 1


def test_a_test_names_itself_by_header_or_control(front, simulator):
    """The header is for the journal and is not sent to the service."""
    front.client.send("GET", "/v1/transfers", extra={"x-paylab-test": "first"})
    token = {"authorization": f"Bearer {front.proxy.control_token}"}
    url = f"{front.proxy.base_url}/_simulator/test"
    assert httpx.post(url, headers=token, json={"name": "second"}).status_code == 200
    front.client.send("GET", "/v1/transfers")
    assert [request.test for request in front.proxy.requests] == ["first", "second"]
    assert "x-paylab-test" not in received(simulator)[0].request.headers


def test_foreign_hosts_and_pages_are_refused(front, simulator):
    """A web page that resolves its name to this machine gets nothing."""
    url = f"{front.proxy.base_url}/v1/transfers"
    for head, status in (({"host": "evil.test"}, 421), ({"origin": "https://evil.test"}, 403)):
        answer = httpx.get(url, headers=head)
        assert (answer.status_code, answer.headers["server"]) == (status, "paylab-proxy")
    assert received(simulator) == []


def test_a_slow_request_holds_up_no_other(make_front, simulator):
    """While one waits for the service, another is answered; a client that leaves is noted."""
    front = make_front(simulator)
    add_fault(simulator, "custom", "transfers.list", delay=1)
    head = front.client.headers("GET", "/v1/transfers")
    with pytest.raises(httpx.ReadTimeout):
        front.client.http.get("/v1/transfers", headers=head, timeout=0.2)
    assert front.client.send("GET", "/v1/conversions").status_code == 200
    assert [request.path for request in front.proxy.requests] == ["/v1/conversions"]
    deadline = time.monotonic() + 30
    while not any(request.hung_up for request in front.proxy.requests):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert front.proxy.requests.of("transfers.list").only().sent == "nothing"
    assert len(received(simulator)) == 2


def test_the_path_of_the_service_is_that_of_the_proxy():
    """With a base address that has a path, the client signs and sends the same path."""
    transport, requests = scripted(httpx.Response(200, json=PAGE))
    keys = ("key", "secret")
    with Proxy("https://pay.test/api", keys=keys, transport=transport) as proxy:
        with paylab.connect(proxy.base_url, *keys) as lab:
            assert lab.transfers.list().to_list() == []
        assert requests[0].extensions["target"].startswith(b"/api/v1/transfers")
        request = proxy.requests.only()
        assert (request.path, request.operation) == ("/v1/transfers", "transfers.list")
        assert httpx.get(f"http://127.0.0.1:{proxy.port}/v1/transfers").status_code == 404
    assert len(requests) == 1


class FailingPieces(httpx.SyncByteStream):
    """A body that fails in its middle."""

    def __iter__(self):
        yield b"{"
        raise ValueError("odd")


@pytest.mark.parametrize(
    "odd_answer",
    [
        ValueError("odd"),
        RuntimeError("odd"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "odd"),
        httpx.InvalidURL("odd"),
        httpx.DecodingError("odd"),
        httpx.Response(200, stream=Pieces([b"no gzip"]), headers={"content-encoding": "gzip"}),
        httpx.Response(200, stream=FailingPieces()),
    ],
)
def test_an_answer_that_cannot_be_read_is_journaled_and_not_asked_for_again(make_front, odd_answer):
    """The client reads in a 502 that the request was sent, and the service receives it once."""
    transport, requests = scripted(odd_answer, httpx.Response(200, json=PAGE))
    front = make_front(transport)
    answer = front.client.send("POST", "/v1/transfers", b"{}")
    assert answer.status_code == 502
    assert "the request was sent, it may have been carried out" in answer.json()["error"]
    assert front.proxy.requests.only().verdicts["proxy"]["result"] == "failed"
    assert len(requests) == 1


class FailingChecker:
    """A contract that fails at a request, or at an answer."""

    def __init__(self, fails_at):
        self.fails_at = fails_at

    def request_problems(self, *_):
        """Fail at the request, or find nothing."""
        if self.fails_at == "request":
            raise KeyError("secret")
        return []

    def answer_problems(self, *_):
        """Fail at the answer."""
        raise KeyError("secret")


@pytest.mark.parametrize(
    ("fails_at", "message", "sent_count"),
    [("request", "nothing was sent", 0), ("answer", "the request was sent, do not send it", 1)],
)
def test_a_failure_of_the_proxy_says_whether_the_request_was_sent(fails_at, message, sent_count):
    """It is answered 502 and journaled, and the request is sent once at most."""
    transport, requests = scripted(httpx.Response(200, json=PAGE))
    settings = Settings(SERVICE, Secret("key"), Secret("secret"))
    upstream = Upstream(settings, transport)
    recorder = Recorder(Service(), upstream, FailingChecker(fails_at))
    reply = recorder.respond(Request("POST", "/v1/transfers", "", {"host": "localhost"}, b"{}"))
    upstream.close()
    assert reply.status == 502
    assert message in json.loads(reply.body)["error"]
    assert b"secret" not in reply.body
    [request_record] = recorder.journal.requests()
    assert message in request_record.verdicts(request_record)["proxy"]["message"]
    assert len(requests) == sent_count
