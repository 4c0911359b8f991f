"""The journal of a world: what it stores of each request, and assertions on it."""

import json

import pytest

from paylab.errors.base import UnknownNameError
from paylab.simulator import journal
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
    assert [row["signature"] for row in rows] == [*["passed"] * 4, "refused", "passed", "skipped"]
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


def test_the_journal_is_bounded(service, seen, monkeypatch):
    """The oldest requests are dropped and counted, and a long body is left out."""
    service.simulator.world.journal.clear()
    monkeypatch.setattr(journal, "MOST", 2)
    for limit in (1, 2, 3):
        service.get(f"/v1/transfers?limit={limit}")
    assert [each.query["limit"] for each in seen] == ["2", "3"]
    assert seen.dropped == 1
    service.post("/v1/individuals", {"given_name": "x" * journal.LONGEST})
    assert seen[-1].body.endswith("bytes)")


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
