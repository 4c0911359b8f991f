"""The journal of a world: what it stores of each request, and assertions on it."""

import json

import pytest

from paylab.errors.base import UnknownNameError
from paylab.simulator.requests import Requests

TRANSFER_KEY = "00000000-0000-4000-8000-000000000001"


@pytest.fixture
def seen(service):
    """The requests of the simulator of `service`, read through its control API."""
    return Requests(lambda after=0: service.get("/_simulator/requests").json)


def verdicts(request):
    """The result of each layer."""
    return {
        name: verdict.get("result", verdict.get("kind")) if isinstance(verdict, dict) else verdict
        for name, verdict in request.verdicts.items()
    }


def test_each_layer_leaves_its_verdict(service, seen, transfer_body):
    """A request that a layer refuses says which one, why, and that the next were skipped."""
    service.simulator.world.journal.clear()
    key = {"idempotency_key": TRANSFER_KEY}
    service.post("/v1/transfers", transfer_body, **key)
    service.post("/v1/transfers", transfer_body, **key)
    service.post("/v1/transfers", transfer_body | {"source_amount": "7"}, **key)
    service.post("/v1/transfers", transfer_body | {"source_amount": "x"})
    service.get("/v1/transfers", x_date="2026-01-15T12:00:00.000Z", authorization="HMAC-SHA256 x")
    service.get("/v1/nowhere")
    service.post("/_simulator/faults", {"kind": "status", "status": 500})
    service.get("/v1/transfers?limt=1")
    rows = [verdicts(each) for each in seen]
    assert [row["signature"] for row in rows] == [*["passed"] * 4, "refused", "passed", "passed"]
    assert [row["rules"] for row in rows] == [
        *("passed", "passed", "skipped", "refused"),
        *["skipped"] * 3,
    ]
    assert [row["idempotency"] for row in rows] == [
        *("new", "replayed", "conflict", "no key"),
        *["none"] * 3,
    ]
    assert [row["fault"] for row in rows] == [*[None] * 6, "status"]
    assert seen[3].verdicts["rules"]["problems"][0]["field"] == "source_amount"
    assert seen[4].verdicts["signature"]["reason"].startswith("malformed")
    assert [each.status for each in seen.refused] == [409, 400, 401, 404, 500]
    assert [each.verdict for each in (*seen[:2], seen[6])] == [
        "passed",
        "idempotency: replayed",
        "fault: status 500, kind status, strictness: limt is no query parameter: is limit meant?",
    ]
    assert len(seen.by_key(TRANSFER_KEY)) == 3


def test_keys_signatures_and_documents_are_not_in_the_journal(service, seen, person_body):
    """Neither the JSON nor the text of the journal contains a secret."""
    number = "XEXX010101HNEXXXA4"
    service.post("/v1/individuals", person_body | {"document": {"type": "curp", "number": number}})
    signature = service.signed("GET", "/v1/transfers")["authorization"].rpartition("=")[0][-60:]
    text = json.dumps([each.row for each in seen]) + seen.text()
    simulator = service.simulator
    for secret in (number, signature, simulator.api_key, simulator.secret_key):
        assert secret not in text
    seen.assert_sent("individuals.create", given_name="María", document={"number": number})


def test_a_request_that_was_not_let_through_has_its_operation(service, seen):
    """The operation of a path is noted also when the signature or a fault ends the request."""
    service.call("GET", "/v1/transfers", authorization="x")
    service.post("/_simulator/faults", {"kind": "status", "status": 503})
    service.get("/v1/transfers")
    assert [each.status for each in seen.of("transfers.list")] == [401, 503]


def test_a_report_says_a_refusal_once(make):
    """The words of a refused field are not repeated as a remark."""
    service = make(strict=True)
    seen = Requests(lambda *_: service.get("/_simulator/requests").json)
    service.post("/v1/transfers", {"client_refernce_id": "a"})
    [line] = [each for each in seen.text().splitlines() if "strictness: refused" in each]
    assert line.count("is not known") == 1


def test_the_text_of_requests_shows_the_last_ten(service, seen, transfer_body):
    """The last ten are shown, of a long body its start, of a refusal its reason once."""
    service.simulator.world.journal.clear()
    for limit in range(1, 12):
        service.get(f"/v1/transfers?limit={limit}")
    lines = seen.text().splitlines()
    assert lines[0] == "(1 earlier requests)"
    assert "limit=2 ->" in lines[1]
    assert "earlier" not in seen.text(11)
    assert not [line for line in lines if "sent: " in line or "answer: " in line]
    service.post("/v1/transfers", transfer_body | {"source_amount": "é" * 700})
    *verdicts, sent = seen.text(1).splitlines()
    assert (sent[:10], sent[-4:], len(sent)) == ("   sent: {", "é...", 9 + 600 + 3)
    assert [line.count("source_amount") for line in verdicts if "refused" in line] == [1]
    assert repr(seen[-1]) == "<POST /v1/transfers -> 400>"
    assert seen[-1].is_refused
    assert "rules: refused; source_amount" in seen[-1].verdict
    assert seen[0].verdict == "passed"


def test_an_assertion_names_the_nearest_request(service, seen, transfer_body):
    """A failed assertion shows the nearest request and the fields that differ."""
    service.post("/v1/transfers", transfer_body | {"client_refernce_id": "a"})
    sent = {"source_amount": "100.00", "destination_currency": "mxn"}
    assert seen.assert_sent("POST /v1/transfers", **sent, times=1).only().operation
    cases = [
        ({"source_amount": "99"}, "source_amount: '100' was sent, not '99'"),
        ({"client_reference_id": "a"}, "was not sent, but client_refernce_id was"),
        ({"financial_account": {"id": "fa_x"}}, "financial_account.id: "),
        ({"source_amount": "100", "times": 2}, "was sent once, not 2 times\nno other request"),
        ({"times": 0}, "was sent once, not 0 times\n4. POST /v1/transfers"),
    ]
    for fields, words in cases:
        with pytest.raises(AssertionError) as failure:
            seen.assert_sent("POST /v1/transfers", **fields)
        assert words in str(failure.value)
    with pytest.raises(AssertionError, match="not 1"):
        seen.of("POST").of("/v1/quotes").only()


@pytest.mark.parametrize(
    ("operation", "near"),
    [
        ("transfers.craete", "transfers.create"),
        ("tranfers", "transfers."),
        ("", "individuals.create"),
    ],
)
def test_an_operation_that_there_is_not_is_no_empty_list(seen, operation, near):
    """A misspelt operation is an error; otherwise `times=0` holds always."""
    with pytest.raises(UnknownNameError, match=near):
        seen.assert_sent(operation, times=0)


def test_too_few_requests_show_the_nearest_other(service, seen, transfer_body):
    """One request fits and two are wanted: the nearest of the others is shown."""
    service.post("/v1/transfers", transfer_body)
    service.post("/v1/transfers", transfer_body | {"source_amount": "99"})
    with pytest.raises(AssertionError, match="source_amount: '99' was sent, not '100'"):
        seen.assert_sent("transfers.create", source_amount="100", times=2)


def made(*rows):
    """Requests of made up rows, which have no fields and were answered with 200."""
    usual = {
        "at": "2026-01-15T12:00:00.000Z",
        "method": "POST",
        "path": "/v1/transfers",
        "query": {},
        "headers": {},
        "body": None,
        "operation": "transfers.create",
        "verdicts": {},
        "status": 200,
        "answer": None,
    }
    listed = [{**usual, "number": number, **row} for number, row in enumerate(rows, 1)]
    return Requests(lambda after=0: listed[after:])


@pytest.mark.parametrize(
    ("operation", "numbers"),
    [
        ("transfers.create", [1]),
        ("GET", [2, 3]),
        ("get /v1/transfers", [2]),
        (" GET /v1/transfers ", [2]),
        ("/v1/transfers", [1, 2]),
        ("/v1/*", [1, 2]),
        ("/v1/individuals/*", [3]),
        ("/v1/individuals/{id}", [3]),
        ("/v1/individuals", []),
        ("PATCH", []),
    ],
)
def test_requests_are_chosen_by_name_method_or_path(operation, numbers):
    """An operation is a name, a method, a path with any segments, or both of these."""
    get = {"method": "GET", "operation": "transfers.list"}
    one = {"method": "GET", "operation": "individuals.get", "path": "/v1/individuals/ind_1"}
    assert [each.number for each in made({}, get, one).of(operation)] == numbers


@pytest.mark.parametrize(
    ("sent", "wanted", "fits"),
    [
        ("10.00", "10", True),
        ("10.00", 10, True),
        (10.5, "10.50", True),
        ("10.00", "10.01", False),
        ("***", "anything", True),
        (True, True, True),
        (True, 1, False),
        ("1", True, False),
        ("usd", "USD", False),
        ({"id": "a", "more": 1}, {"id": "a"}, True),
        ({"id": "a"}, {"id": "b"}, False),
        ({"id": "a"}, {"idd": "a"}, False),
        ({"id": "a"}, "a", False),
        (None, None, True),
    ],
)
def test_amounts_are_compared_as_numbers(sent, wanted, fits):
    """Amounts are compared as numbers; an object may have more members."""
    requests = made({"body": {"field": sent}}, {"query": {"field": sent}})
    assert len(requests.assert_sent("transfers.create", field=wanted, times=2 * fits)) == 2 * fits


@pytest.mark.parametrize(
    ("bodies", "times", "words"),
    [
        ([], None, "was sent 0 times, not at least once\nno request was sent"),
        ([{"a": 1}] * 7, 1, "was sent 7 times, not once\n3. POST"),
        ([{"a": 1}], 2, "was sent once, not 2 times\nno other request was sent"),
        ([{"b": 1}, {"a": 2}, {"b": 1}], None, "the nearest request:\n2. POST"),
        ([{"a": 2}, {"a": 3}], None, "the nearest request:\n2. POST"),
    ],
)
def test_a_failed_assertion_shows_the_nearest_requests(bodies, times, words):
    """The newest of the nearest requests is shown, or the last five that were too many."""
    requests = made(*({"body": body} for body in bodies))
    with pytest.raises(AssertionError) as failure:
        requests.assert_sent("transfers.create", a=1, times=times)
    assert words in str(failure.value)
    assert str(failure.value).count("POST /v1/transfers -> 200") <= 5


def test_one_request_is_returned():
    """One request is returned; of too many the last five are listed."""
    assert made({}).only().number == 1
    with pytest.raises(AssertionError, match=r"there are 0 requests, not 1$"):
        made().only()
    with pytest.raises(AssertionError) as failure:
        made(*[{}] * 6).only()
    assert [line[:2] for line in str(failure.value).splitlines()[1:]] == [
        "2.",
        "3.",
        "4.",
        "5.",
        "6.",
    ]


def test_a_request_as_text_has_its_query_and_body():
    """The query, the body up to 600 characters and the answer of a refusal are shown."""
    refused = {"status": 400, "answer": "no", "query": {"a": "1", "b": "2"}, "body": "x" * 600}
    first, second, third = made(
        refused, {"status": 399, "answer": "no", "body": "x" * 601}, {"status": 400}
    )
    assert first.text().splitlines() == [
        "1. POST /v1/transfers?a=1&b=2 -> 400  (2026-01-15T12:00:00.000Z)",
        f"   sent: {'x' * 600}",
        "   answer: no",
    ]
    assert second.text().splitlines()[1:] == [f"   sent: {'x' * 600}..."]
    assert third.text().count("\n") == 0
    judged = {"rules": {"result": "refused", "message": "no"}, "signature": {"result": "passed"}}
    assert made({"verdicts": judged})[0].text().splitlines()[1:] == [
        "   passed: signature",
        "   rules: refused; no",
    ]
    assert [each.is_refused for each in (first, second)] == [True, False]
    with pytest.raises(AttributeError, match=r"has at, method,.*; not nothing"):
        first.nothing  # noqa: B018
    assert made().text() == "no requests"
