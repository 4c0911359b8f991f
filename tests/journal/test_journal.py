"""The journal: its limits, its one sequence, and what a row says of a request."""

import json
import time
from base64 import b64decode
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise

import httpx
import pytest

import paylab
from paylab.errors import PaylabError
from paylab.journal import journal as journals
from paylab.journal.journal import Journal
from paylab.journal.rows import journal_rows, request_rows
from paylab.signing.canonical import ReceivedRequest
from paylab.simulator import Reply
from paylab.simulator.messages import Request
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

NOW = datetime(2026, 1, 15, tzinfo=UTC)


def added(journal, body=b"", reply=b"", **headers):
    """A request that was added to a journal."""
    record = journal.record_arrival(
        ReceivedRequest("POST", "/v1/transfers", "", headers, body), NOW
    )
    journal.add_request(record, Reply(201, reply))
    return record


def test_the_journal_has_a_most_of_requests():
    """The last 10,000 requests are stored, older ones are counted; numbers go on after a reset."""
    journal = Journal()
    assert (len(journal), journal.dropped) == (0, 0)
    for _ in range(10_001):
        added(journal)
    assert (len(journal), journal.dropped) == (10_000, 1)
    assert [record.number for record in journal.requests(9_999)] == [10_000, 10_001]
    journal.clear()
    added(journal)
    assert (len(journal), journal.dropped, journal.requests()[0].number) == (1, 0, 10_002)


def test_the_journal_has_a_most_of_notes():
    """The last 40,000 notes are stored."""
    journal = Journal()
    for _ in range(journals.NOTES_MAX + 5):
        journal.add_note("event", NOW)
    assert [note.sequence for note in journal.records()][:2] == [6, 7]


def test_the_journal_has_a_most_of_bytes():
    """The bodies together are bounded; a long one is cut, with the hash of the whole."""
    journal = Journal()
    sizes = (2**17, 2**17 + 1)
    for size in sizes:
        added(journal, b"x" * size, b"y" * size)
    whole, short = request_rows(journal, [])
    assert [len(whole[name]) for name in ("body", "answer")] == [2**17] * 2
    assert short["body"] == f"{'x' * 2000}... ({2**17 + 1} bytes)"
    assert short["answer"] == f"{'y' * 2000}... ({2**17 + 1} bytes)"
    for row, size in zip((whole, short), sizes, strict=True):
        assert (row["body_bytes"], row["answer_bytes"]) == (size, size)
        assert row["body_sha256"] == sha256(b"x" * size).hexdigest()
        assert row["answer_sha256"] == sha256(b"y" * size).hexdigest()
    most = journals.BODIES_BYTES_MAX // (2 * journals.BODY_BYTES_MAX)
    for _ in range(most):
        added(journal, b"x" * 2**17, b"y" * 2**17)
    assert (len(journal), journal.dropped) == (most, 2)


def test_an_answer_that_was_not_stored_is_amended():
    """Only the latest request gets another answer, and only if it is that one."""
    journal = Journal()
    first = added(journal)
    journal.amend(ReceivedRequest("GET", "/", "", {}), Reply(507))
    second = added(journal)
    journal.amend(first.request, Reply(507))
    journal.amend(second.request, Reply(507))
    assert [record.reply.status for record in journal.requests()] == [201, 507]


def test_a_reused_nonce_names_its_first_use():
    """The row of a request with a nonce that was used has the number of the first."""
    journal = Journal()
    for nonce in ("1", "2", "1", None, None, "1"):
        added(journal, **({"x-nonce": nonce} if nonce else {}))
    uses = [row["nonce_first_used"] for row in request_rows(journal, [])]
    assert uses == [None, None, 1, None, None, 1]
    assert request_rows(journal, [], 5)[0]["nonce_first_used"] == 1


@pytest.mark.parametrize(
    ("body", "has"),
    [
        (b"", False),
        (b'{"a": "abc"}', False),
        ('{"a": "José"}'.encode(), True),
        (b'{"a": "Jos\\u00e9"}', True),
        (b'{"a": "\\u0041\\n"}', False),
        (b'{"a": "\\ud83d\\ude00"}', True),
        (b"\xff", True),
    ],
)
def test_a_body_with_characters_that_are_not_ascii(body, has):
    """They are found as bytes and as escapes."""
    journal = Journal()
    added(journal, body)
    assert request_rows(journal, [])[0]["non_ascii"] is has


def test_the_bytes_of_bodies_are_shown_only_on_demand():
    """A raw row has them in Base64; others have neither them nor secrets."""
    journal = Journal()
    body = '{"note": "sk_secret_0123456789", "name": "Ñ"}'.encode("latin-1")
    added(journal, body, b"ok")
    [row] = journal_rows(journal, ["sk_secret_0123456789"], raw=True)
    assert b64decode(row.pop("raw_body")) == body
    assert b64decode(row.pop("raw_answer")) == b"ok"
    assert [row] == journal_rows(journal, ["sk_secret_0123456789"])
    assert "sk_secret" not in json.dumps(row)


@pytest.fixture
def service(lab):
    """A lab with an active individual, and an account to pay to."""
    fields = paylab.examples.recipient("MX")
    lab.person = lab.individuals.create(**fields)
    account = paylab.examples.account("MX")
    lab.account = lab.financial_accounts.create(lab.person.id, **account)
    lab.simulator.name_test("")
    return lab


def pay(lab, amount="10.00", **options):
    """A transfer to the account."""
    return lab.transfers.create(
        financial_account_id=lab.account.id,
        source_amount=amount,
        source_currency="usd",
        destination_currency="mxn",
        payout_method="spei",
        **options,
    )


def test_all_that_happens_is_in_one_sequence(service):
    """Controls, requests, events and deliveries have numbers in the order in which they began."""
    with service.inbox(["transfer.created", "transfer.funded"]):
        last = service.simulator.journal()[-1]["sequence"]
        service.simulator.faults.event_duplicate(event_type="transfer.created")
        service.simulator.name_test("tests/test_a.py::test_b", expects="409")
        transfer = pay(service)
        service.simulator.clock.advance("5s")
        service.simulator.move(pay(service, "11.00").id, "started")
    records = service.simulator.journal(last)
    assert all(one["sequence"] < two["sequence"] for one, two in pairwise(records))
    names = [row.get("control") or row.get("event_type") or row["operation"] for row in records]
    assert names[:5] == [
        "fault_armed",
        "test_named",
        "transfers.create",
        "transfer.created",
        "fault_fired",
    ]
    assert {"clock_moved", "object_moved"} <= set(names)
    assert records[0]["object"] == records[4]["object"]
    assert records[0]["test"] is None
    assert {(row["test"], row["expects"]) for row in records[2:]} == {
        ("tests/test_a.py::test_b", "409")
    }
    event = records[3]
    deliveries = [row for row in records if row["kind"] == "delivery"]
    of_event = [row for row in deliveries if row["event_id"] == event["event_id"]]
    assert [row["cause"] for row in of_event] == ["first", "fault"]
    assert records[4]["event_id"] == event["event_id"]
    assert event["resource_id"] == transfer.id
    assert all(row["status"] == 200 and row["duration"] >= 0 for row in deliveries)


@pytest.mark.parametrize(
    ("headers", "names"),
    [
        ([None, "a", None, "b"], [None, "a", "a", "b"]),
        (["x" * 300], ["x" * 200]),
    ],
)
def test_a_header_names_the_test(service, headers, names):
    """X-Paylab-Test names the test of its request and of what follows."""
    last = service.simulator.requests[-1].number
    for name in headers:
        service.get("/v1/transfers", headers={"X-Paylab-Test": name} if name else {})
    assert [row.test for row in service.simulator.requests.after(last)] == names


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "name"), ({"name": 1}, "name"), ({"name": "", "expect": "409"}, "expect")],
)
def test_a_name_is_text(service, body, field):
    """Another value is an error that names the field."""
    with pytest.raises(PaylabError, match=field):
        service.post("/_simulator/test", json=body)


FAULTS = {
    "an answer": ({}, "whole", False, "passed"),
    "status": ({"kind": "status"}, "whole", False, "passed"),
    "drop_after": ({"kind": "drop_after"}, "nothing", False, "passed"),
    "refuse": ({"kind": "refuse"}, "nothing", False, "passed"),
    "truncate": ({"kind": "truncate"}, "part", False, "passed"),
    "timeout": ({"kind": "timeout"}, "nothing", True, "passed"),
    "late": ({"kind": "custom", "delay": 30}, "nothing", True, "passed"),
    "slow": ({"kind": "custom", "slow": 30}, "part", True, "passed"),
}


@pytest.fixture(scope="module")
def served():
    """A simulator over HTTP, and its lab."""
    with Server(Simulator(frozen=False)) as server:
        keys = (server.base_url, server.api_key, server.secret_key)
        yield server, paylab.connect(*keys, max_retries=0)


@pytest.mark.parametrize("case", FAULTS)
def test_a_row_says_what_the_client_received(served, case):
    """How much was sent, whether the client hung up, how long it took, and the signature."""
    _, lab = served
    details, sent, has_hung_up, signature = FAULTS[case]
    lab.simulator.faults.clear()
    last = len(lab.simulator.requests)
    if details:
        lab.post("/_simulator/faults", json={**details, "path": "/v1/transfers"})
    try:
        lab.get("/v1/transfers", timeout=0.3)
    except PaylabError:
        assert details
    deadline = time.monotonic() + 30
    row = lab.simulator.requests[last].row
    while row["duration"] is None and time.monotonic() < deadline:
        time.sleep(0.01)
        row = lab.simulator.requests[last].row
    assert (row["sent"], row["hung_up"]) == (sent, has_hung_up)
    assert row["verdicts"]["signature"]["result"] == signature
    assert row["duration"] > 0
    expected = {"whole": row["answer_bytes"], "nothing": 0}
    assert row["sent_bytes"] == expected.get(sent, row["sent_bytes"])


def test_a_wrong_signature_is_found_under_a_fault(served):
    """A fault answers, and the verdict names the mistake; the nonce can be used again."""
    server, lab = served
    lab.simulator.faults.clear()
    lab.simulator.faults.status(path="/v1/transfers", status=503)
    assert httpx.get(f"{server.base_url}/v1/transfers").status_code == 503
    row = lab.simulator.requests[-1].row
    assert row["verdicts"]["signature"]["result"] == "refused"
    assert "authorization" in row["verdicts"]["signature"]["message"].lower()


@pytest.mark.parametrize("body", [b"[", b"\xff", b"[" * 4000, b"1"])
def test_a_control_that_takes_no_body_ignores_one_that_is_no_object(body):
    """It is answered and noted without the body."""
    simulator = Simulator()
    path = "/_simulator/faults"
    headers = {"content-type": "application/json"}
    reply = simulator.respond(Request("DELETE", path, "", headers, body, is_trusted=True))
    assert reply.status < 300
    [note] = journal_rows(simulator.world.journal, [])
    assert (note["control"], "body" in note) == ("faults_cleared", False)
