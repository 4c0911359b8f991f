"""A replay: which recorded answer a request gets, and the error when there is none."""

from __future__ import annotations

import json
import re
from base64 import b64encode

import pytest

from paylab.client import Client
from paylab.client.replay import Replay
from paylab.client.settings import Settings
from paylab.errors import (
    APIConnectionError,
    APIResponseError,
    APITimeoutError,
    ConfigError,
    ReplayError,
    ServerError,
)
from paylab.lab.lab import connect

PAY = "https://pay.test"
FACTS = {"base_url": PAY, "started": "2026-01-31T09:30:00.000Z"}


def call(method, target, answer=None, *, request="", status=200, error=None, base=PAY):
    """One entry of a HAR file."""
    if not isinstance(request, str):
        request = json.dumps(request)
    response = {"status": status, "content": {"text": json.dumps(answer or {})}}
    return {
        "request": {"method": method, "url": base + target, "postData": {"text": request}},
        "response": response | ({"_error": error} if error else {}),
    }


def written(path, calls, **log):
    """Write the calls as a HAR file, one second apart."""
    entries = [
        {"startedDateTime": f"2026-01-31T09:30:{at:02}.000Z", **each}
        for at, each in enumerate(calls, 1)
    ]
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries, **log}}))
    return path


@pytest.fixture
def replayed(tmp_path):
    """A client that replays a recording of these calls."""

    def make(*calls, **options):
        replay = Replay(written(tmp_path / "run.har", calls, _paylab=FACTS))
        settings = Settings("https://pay.test", "replay", "replay")
        given = {"transport": replay, "clock": replay.now, "sleep": lambda _: None}
        return Client(settings, **{**given, **options})

    return make


def statuses(client, times, path="/v1/individuals/i"):
    """The statuses that repeated reads return."""
    return [client.request("GET", path)["status"] for _ in range(times)]


def seen(*words):
    """Recorded reads of one individual."""
    return [call("GET", "/v1/individuals/i", {"id": "i", "status": word}) for word in words]


def test_repeated_reads_give_the_recorded_sequence_then_the_last_again(replayed):
    """Repeated reads get the recorded answers in order, and then the last one again."""
    client = replayed(*seen("pending", "pending", "active"))
    assert statuses(client, 5) == ["pending", "pending", "active", "active", "active"]


def test_a_read_does_not_run_ahead_of_a_write(replayed):
    """Until the write is sent, additional reads get the last answer recorded before it."""
    write = call("POST", "/v1/individuals/i/verification_images", request={"images": []})
    client = replayed(*seen("action_required"), write, *seen("pending", "active"))
    assert statuses(client, 3) == ["action_required"] * 3
    client.request("POST", "/v1/individuals/i/verification_images", json={"images": []})
    assert statuses(client, 3) == ["pending", "active", "active"]


def test_a_read_that_was_left_out_before_a_write_is_not_given_after_it(replayed):
    """After a write, a read does not get an unused answer recorded before the write."""
    write = call("POST", "/v1/x", request={})
    client = replayed(*seen("action_required"), write, *seen("active"))
    client.request("POST", "/v1/x", json={})
    assert statuses(client, 1) == ["active"]


def test_pages_follow_their_cursors(replayed):
    """A replayed list follows its cursors, also when it is read again."""
    client = replayed(
        call(
            "GET",
            "/v1/transfers?limit=1",
            {"data": [{"id": "a"}], "has_next_page": True, "cursor": "c+/="},
        ),
        call(
            "GET",
            "/v1/transfers?limit=1&cursor=c%2B%2F%3D",
            {"data": [{"id": "b"}], "has_next_page": False},
        ),
    )
    assert [row.id for row in client.transfers.list(limit=1)] == ["a", "b"]
    assert [row.id for row in client.transfers.list(limit=1)] == ["a", "b"]


@pytest.mark.parametrize(
    ("recorded", "sent"),
    [
        ({"at": "2026-01-31T09:30:00.123Z"}, {"at": "2027-05-05T00:00:00Z"}),
        ({"a": "1", "b": {"c": ["2"]}}, {"b": {"c": ["2"]}, "a": "1"}),
        (
            {"document": {"type": "curp", "number": "***"}},
            {"document": {"type": "curp", "number": "XEXX010101HNEXXXA4"}},
        ),
        ({"note": "of ***"}, {"note": "of XEXX010101HNEXXXA4"}),
        (
            {"content": "data:image/png;base64,<12000 bytes, sha256 0123456789abcdef>"},
            {"content": "data:image/png;base64,iVBORw0KGgo" + "A" * 80},
        ),
    ],
)
def test_what_differs_from_run_to_run_is_not_compared(replayed, recorded, sent):
    """Times, redacted values, images and the order of keys are not compared."""
    client = replayed(call("POST", "/v1/x", {"id": "x"}, request=recorded))
    assert client.request("POST", "/v1/x", json=sent) == {"id": "x"}


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        (
            "POST",
            "/v1/x",
            {"amount": "12", "to": "a"},
            ["body.amount: '10' was recorded, '12' was sent"],
        ),
        ("POST", "/v1/x", {"to": "a"}, ["body.amount: '10' was recorded, nothing was sent"]),
        (
            "POST",
            "/v1/x?limit=3",
            {"amount": "10", "to": "a"},
            ["query.limit: nothing was recorded, '3' was sent"],
        ),
        (
            "POST",
            "/v1/xs",
            {"amount": "10", "to": "a"},
            ["path: '/v1/x' was recorded, '/v1/xs' was sent"],
        ),
        (
            "DELETE",
            "/v1/y/2",
            None,
            [
                "method: 'GET' was recorded, 'DELETE' was sent",
                "path: '/v1/y/1' was recorded, '/v1/y/2' was sent",
            ],
        ),
    ],
)
def test_a_request_that_was_not_recorded_shows_the_nearest(replayed, method, path, body, told):
    """The error shows the nearest recorded call and every field that differs."""
    client = replayed(
        call("GET", "/v1/y/1"), call("POST", "/v1/x", request={"amount": "10", "to": "a"})
    )
    with pytest.raises(ReplayError, match=f"{method} .* was not recorded in run.har") as error:
        client.request(method, path, json=body)
    assert list(error.value.differences) == told
    assert error.value.card()[1].startswith("  Nearest: call")
    assert told[0] in str(error.value)


def test_the_error_shows_the_first_eight_differences(replayed):
    """More are counted."""
    client = replayed(call("POST", "/v1/x", request={f"a{at}": "1" for at in range(10)}))
    with pytest.raises(ReplayError) as error:
        client.request("POST", "/v1/x", json={f"a{at}": "2" for at in range(10)})
    assert len(error.value.differences) == 9
    assert error.value.differences[-1] == "and 2 more"
    with pytest.raises(ReplayError) as error:
        client.request("POST", "/v1/x", json={f"a{at}": "12"[at > 1] for at in range(10)})
    assert len(error.value.differences) == 8


@pytest.mark.parametrize("path", ["/v1/x", "/_simulator/clock"])
def test_a_replay_knows_whether_controls_were_used(tmp_path, path):
    """Only a recording of a simulator has them."""
    replay = Replay(written(tmp_path / "run.har", [call("GET", path)], _paylab=FACTS))
    assert replay.has_controls == (path != "/v1/x")


def test_the_error_shows_no_document_number(replayed):
    """The error for an unrecorded request shows no document number."""
    client = replayed(call("POST", "/v1/x", request={"a": "1"}))
    with pytest.raises(ReplayError) as error:
        client.request("POST", "/v1/x", json={"document": {"number": "XEXX010101HNEXXXA4"}})
    assert "XEXX" not in str(error.value)
    assert "***" in str(error.value)


def test_a_write_is_answered_as_often_as_it_was_recorded(replayed):
    """Sending a recorded write again is an error; with the same key it gets the same answer."""
    body = {"quote_id": "q"}
    client = replayed(call("POST", "/v1/transfers", {"id": "t", "status": "started"}, request=body))
    first = client.transfers.create(quote_id="q")
    key = client.calls[-1].idempotency_key
    assert client.transfers.create(quote_id="q", idempotency_key=key) == first
    with pytest.raises(ReplayError, match=r"recorded 1 time in .* and is sent again"):
        client.transfers.create(quote_id="q")


def test_retries_see_the_recorded_failures(replayed):
    """Retries get the recorded 503 and timeout, and then the answer."""
    body = {"quote_id": "q"}
    client = replayed(
        call("POST", "/v1/transfers", request=body, status=503),
        call("POST", "/v1/transfers", request=body, status=0, error="no answer in time: slow"),
        call("POST", "/v1/transfers", {"id": "t"}, request=body),
    )
    assert client.transfers.create(quote_id="q").id == "t"
    assert [each.status for each in client.calls] == [503, None, 200]


@pytest.mark.parametrize(
    ("status", "told", "error"),
    [
        (0, "no answer in time", APITimeoutError),
        (0, "could not connect: refused", APIConnectionError),
        (0, "net::ERR_BLOCKED_BY_CLIENT", APIConnectionError),
        (200, "the body is larger than 8 MiB", APIResponseError),
        (200, "the connection was cut off: early", APIConnectionError),
        (500, None, ServerError),
    ],
)
def test_recorded_failures_are_raised_where_they_happened(replayed, status, told, error):
    """A recorded failure is raised where it happened: before the answer or in its body."""
    client = replayed(call("GET", "/v1/x", status=status, error=told), max_retries=0)
    with pytest.raises(error, match=re.escape((told or "500").rpartition(": ")[2])):
        client.request("GET", "/v1/x")
    assert client.calls[-1].status == (status or None)


def test_time_is_that_of_the_recording(replayed):
    """The clock of a replay advances to the time of each answer and never goes back."""
    client = replayed(call("GET", "/v1/x"), call("GET", "/v1/y"))
    begun = client.clock()
    client.request("GET", "/v1/y")
    client.request("GET", "/v1/x")
    assert (client.clock() - begun).total_seconds() == 2


OTHER = "https://api.example.com"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file"),
        ("", "is not a HAR file"),
        ('{"recording": 1}', "is not a HAR file"),
        ({"entries": [{}]}, "is not a HAR file"),
        ({"entries": [], "_paylab": [1]}, "is not a HAR file"),
        ({"entries": [], "_paylab": {"service": 0.1}}, "is not a HAR file"),
        (
            [{**call("GET", "/v1/transfers"), "response": {"status": float("inf")}}],
            "is not a HAR file",
        ),
        ({}, "has no call of the service: none of its 0 URLs has a path such as /v1/transfers"),
        ([call("GET", "/", base=OTHER)], "has no call of the service: none of its 1 URLs"),
        (
            [call("GET", "/v1/transfers", base=base) for base in (OTHER, f"{OTHER}/api")],
            f"has calls to several services \\({OTHER}, {OTHER}/api\\)",
        ),
    ],
)
def test_a_file_that_cannot_be_replayed_is_an_error(tmp_path, content, words):
    """A file that cannot be replayed raises a ConfigError with its path and the reason."""
    path = tmp_path / "run.har"
    if isinstance(content, str):
        path.write_text(content)
    elif content is not None:
        log = content if isinstance(content, dict) else {"entries": content}
        written(path, [], **log)
    with pytest.raises(ConfigError, match=f"^{re.escape(str(path))} {words}"):
        Replay(path)


def test_a_har_of_another_program_is_replayed(tmp_path):
    """The base URL is that of the calls with paths of the service; other pages are left out."""
    person = {"document": {"type": "curp", "number": "XEXX010101HNEXXXA4"}}
    packed = {"text": b64encode(b'{"id": "ind_1"}').decode(), "encoding": "base64"}
    made = call("post", "/v1/individuals", request=person, status=201, base=f"{OTHER}/api")
    made["response"] = {"status": 201, "content": packed, "headers": GZIP}
    made["startedDateTime"] = "2026-01-31T09:30:07.5+01:00"
    pages = call("GET", "/", base=OTHER), call("GET", "/v1/transfers/", base="https://cdn.test")
    path = written(tmp_path / "browser.har", [pages[0], made, pages[1]], pages=[])
    lab = connect(replay=path)
    assert lab.settings.base_url == f"{OTHER}/api"
    assert lab.clock().isoformat() == "2026-01-31T08:30:07.500000+00:00"
    assert lab.request("POST", "/v1/individuals", json=person) == {"id": "ind_1"}
    with pytest.raises(ReplayError, match="nearest: call 2, POST /api/v1/individuals"):
        lab.request("GET", "/")


def test_recorded_headers_of_any_text_are_replayed(tmp_path):
    """A name or a value that is not ASCII is no reason to fail."""
    made = call("GET", "/v1/transfers", {"data": []})
    made["response"]["headers"] = [
        {"name": "\u202e", "value": "1"},
        {"name": "x", "value": "é\ud800"},
    ]
    lab = connect(replay=written(tmp_path / "odd.har", [made], _paylab=FACTS))
    assert lab.request("GET", "/v1/transfers") == {"data": []}


GZIP = [{"name": "Content-Encoding", "value": "gzip"}, {"name": "Content-Length", "value": "9"}]


def test_an_answer_that_is_not_whole_is_not_given(tmp_path):
    """The calls of a lab keep the beginning of a long answer only, which is not an answer."""
    lab = connect()
    assert len(lab.transfers.list(limit=100).first().id) > 0
    short = lab.request("GET", "/v1/transfers", params={"limit": 1})
    lab.calls.har(tmp_path / "calls.har", keep_personal=True)
    again = connect(replay=tmp_path / "calls.har")
    assert again.request("GET", "/v1/transfers", params={"limit": 1}) == short
    with pytest.raises(ReplayError, match=r"answer of call 1, GET /v1/transfers is not whole"):
        again.transfers.list(limit=100).first()
