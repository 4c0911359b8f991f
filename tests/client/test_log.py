"""The call log: filters, limits on memory, listeners and export as HAR 1.2."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import sha256

import httpx
import jsonschema
import pytest

from paylab.client.call import Call, DeferredCall, Timings
from paylab.client.call_log import CallLog
from paylab.client.exchange import KEPT_BODY_LENGTH_MAX, shorten_body
from paylab.client.settings import Secret
from paylab.errors import APIStatusError
from paylab.redaction.redaction import Redaction

TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def thing(required, optional=None):
    """The schema of an object with these members."""
    members = {**required, **(optional or {}), "comment": TEXT}
    return {
        "type": "object",
        "required": [*required],
        "properties": members,
        "patternProperties": {"^_": {}},  # members of a program's own
        "additionalProperties": False,
    }


def many(item):
    """The schema of a list."""
    return {"type": "array", "items": item}


# Written from the HAR 1.2 specification, section by section.
PAIR = thing({"name": TEXT, "value": TEXT})
TIME = {"type": "number", "minimum": -1}
ZERO_UP = {"type": "number", "minimum": 0}
REQUEST = thing(
    {
        "method": TEXT,
        "url": {"type": "string", "format": "uri"},
        "httpVersion": TEXT,
        "cookies": many(PAIR),
        "headers": many(PAIR),
        "queryString": many(PAIR),
        "headersSize": WHOLE,
        "bodySize": WHOLE,
    },
    {"postData": thing({"mimeType": TEXT, "text": TEXT})},
)
RESPONSE = thing(
    {
        "status": WHOLE,
        "statusText": TEXT,
        "httpVersion": TEXT,
        "redirectURL": TEXT,
        "cookies": many(PAIR),
        "headers": many(PAIR),
        "headersSize": WHOLE,
        "bodySize": WHOLE,
        "content": thing({"size": WHOLE, "mimeType": TEXT}, {"text": TEXT, "compression": WHOLE}),
    }
)
ENTRY = thing(
    {
        "startedDateTime": {"type": "string", "format": "date-time"},
        "time": ZERO_UP,
        "request": REQUEST,
        "response": RESPONSE,
        "cache": thing({}),
        "timings": thing(
            {"send": TIME, "wait": TIME, "receive": TIME},
            {"blocked": TIME, "dns": TIME, "connect": TIME, "ssl": TIME},
        ),
    },
    {"serverIPAddress": TEXT, "connection": TEXT, "pageref": TEXT},
)
HAR = thing(
    {
        "log": thing(
            {
                "version": {"const": "1.2"},
                "creator": thing({"name": TEXT, "version": TEXT}),
                "entries": many(ENTRY),
            }
        )
    }
)


@pytest.fixture
def client(scripted):
    """A client that made a few calls, some of which failed."""
    answers = [
        {"id": "tr_1"},
        httpx.Response(404, json={"error": "no"}),
        httpx.ReadError("cut"),
        {},
    ]
    client, _ = scripted(*answers)
    client.request("GET", "/v1/transfers/tr_1", params={"a": "b c"})
    with pytest.raises(APIStatusError):
        client.request("POST", "/v1/individuals", json={"name": "Añá"})
    client.request("GET", "/v1/conversions")
    return client


def numbers(calls):
    """The numbers of calls."""
    return [call.number for call in calls]


@pytest.mark.parametrize(
    ("choose", "found"),
    [
        (lambda log: log, [1, 2, 3, 4]),
        (lambda log: log.failed, [2, 3]),
        (lambda log: log.where(path="/v1/conversions"), [3, 4]),
        (lambda log: log.where(path="/v1/con*"), [3, 4]),
        (lambda log: log.where(path="/v1/conv"), []),
        (lambda log: log.where(status=404), [2]),
        (lambda log: log.where(path="/v1/conversions", status=200), [4]),
        (lambda log: log.where(method="post"), [2]),
        (lambda log: log.failed.where(path="/v1/conversions"), [3]),
        (lambda log: log.where(), [1, 2, 3, 4]),
        (lambda log: log[1:3], [2, 3]),
        (lambda log: [log[-1], log.get(1)], [4, 1]),
    ],
)
def test_calls_are_found_again(client, choose, found):
    """Calls are selected by failure, path, status, method, slice and number."""
    assert numbers(choose(client.calls)) == found


def test_a_number_that_is_gone(client):
    """A number that is not in the log raises LookupError with that number."""
    with pytest.raises(LookupError, match="number 9"):
        client.calls.get(9)


def test_an_attempt_without_an_answer_is_a_call(client):
    """An attempt without an answer is a call of its own, and so is the next attempt."""
    third, fourth = client.calls[2:]
    assert (third.status, third.attempt, fourth.attempt) == (None, 1, 2)
    assert "cut" in third.error


def again(call, size=10):
    """The record of a call, to be kept under another number."""
    return DeferredCall(lambda number: replace(call, number=number), call.path, size)


def test_a_log_keeps_no_more_calls_than_asked(client):
    """The log drops the oldest calls above its limit; numbering continues."""
    log = CallLog(most=3)
    for _ in range(5):
        log.keep(again(client.calls[0]))
    assert numbers(log) == [3, 4, 5]


def test_the_latest_calls_are_built_without_the_older_ones(client):
    """A slice builds and redacts only its own calls."""
    built, log = [], CallLog()
    for path in "abc":

        def build(number, path=path):
            built.append(path)
            return replace(client.calls[0], path=path, number=number)

        log.keep(DeferredCall(build, path, 1))
    assert [call.path for call in log[-2:]] == ["b", "c"]
    assert built == ["b", "c"]


def test_a_log_keeps_no_more_bytes_than_asked(client):
    """The log drops the oldest calls above its size limit, but always keeps the latest."""
    log = CallLog(most_bytes=20)
    for _ in range(5):
        log.keep(again(client.calls[0], size=10))
    assert numbers(log) == [4, 5]
    log.keep(again(client.calls[0], size=21))
    assert numbers(log) == [6]


def test_a_log_keeps_200_calls_of_8_mib(client):
    """200 calls are kept, of 8 MiB together."""
    log = CallLog()
    for _ in range(201):
        log.keep(again(client.calls[0]))
    assert numbers(log) == [*range(2, 202)]
    for _ in range(2):
        log.keep(again(client.calls[0], size=4 * 2**20))
    assert numbers(log) == [202, 203]
    log.keep(again(client.calls[0], size=1))
    assert numbers(log) == [203, 204]


def test_a_body_is_kept_up_to_32_kib():
    """One character more is cut, and a secret across the limit is not shown in part."""
    clean = Redaction([Secret("key_live_1234")])
    whole = shorten_body(b"x" * 32768, clean)
    assert (whole.text, whole.exact) == ("x" * 32768, True)
    content = b"x" * 32769
    cut = shorten_body(content, clean)
    digest = sha256(content).hexdigest()[:16]
    assert cut.text == f"{'x' * 32768}… <32769 bytes, sha256 {digest}>"
    assert (cut.size, cut.exact) == (32769, False)
    assert "key_" not in shorten_body(b"x " * 16382 + b"key_live_1234" + content, clean).text


def test_a_long_body_is_cut_with_its_size_and_hash(scripted):
    """A long body is cut, and a data URI removed; both are shown with size and hash."""
    long = {"text": "x" * 100_000}
    client, _ = scripted(long, {})
    client.request("GET", "/v1/a")
    image = "data:image/png;base64," + "QUJD" * 5000
    client.request("POST", "/v1/b", json={"content": image})
    first, second = client.calls
    content = json.dumps(long, separators=(",", ":")).encode()
    assert len(first.response_body.text) < KEPT_BODY_LENGTH_MAX + 100
    assert first.response_body.size == len(content)
    assert sha256(content).hexdigest()[:16] in first.response_body.text
    assert "QUJDQUJD" not in second.request_body.text
    assert f"<15000 bytes, sha256 {sha256(b'ABC' * 5000).hexdigest()[:16]}>" in (
        second.request_body.text
    )


def test_the_har_follows_the_1_2_schema_and_the_file_equals_the_returned_value(client, tmp_path):
    """The HAR follows the 1.2 schema, and the file equals the returned value."""
    path = tmp_path / "calls.har"
    client.calls.har(path)
    made = client.calls.har(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Añá" in path.read_text(encoding="utf-8")
    read = json.loads(path.read_text(encoding="utf-8"))
    checker = jsonschema.FormatChecker()
    jsonschema.validate(read, HAR, format_checker=checker)
    assert read == made
    entries = read["log"]["entries"]
    assert [entry["response"]["status"] for entry in entries] == [200, 404, 0, 200]
    assert [entry["time"] for entry in entries] == [0, 0, 0, 0]
    assert {entry["request"]["headersSize"] for entry in entries} == {-1}
    assert [entry["comment"] for entry in entries][2:] == ["attempt 1", "attempt 2"]
    assert entries[2]["response"]["statusText"] == "the connection was cut off: cut"
    assert entries[0]["request"]["queryString"] == [{"name": "a", "value": "b c"}]
    assert json.loads(entries[1]["request"]["postData"]["text"]) == {"name": "Añá"}
    assert all(datetime.fromisoformat(entry["startedDateTime"]).tzinfo for entry in entries)
    for entry in entries:
        parts = [value for value in entry["timings"].values() if isinstance(value, int | float)]
        assert entry["time"] == sum(value for value in parts if value != -1)


@pytest.mark.parametrize("keep", [False, True])
def test_har_names_nobody_unless_asked(scripted, keep):
    """A HAR has no personal values in URL, request or answer, unless they are asked for."""
    client, _ = scripted({"email": "ana@example.org"})
    body, query = {"given_name": "Marisol"}, {"phone": "+525511112222"}
    client.request("POST", "/v1/x", json=body, params=query)
    text = json.dumps(client.calls.har(keep_personal=True) if keep else client.calls.har())
    assert [word in text for word in ("Marisol", "ana@", "5511112222")] == [keep] * 3


def test_the_time_of_a_har_is_that_of_its_steps():
    """A step that was not measured is left out."""
    kept = Call(datetime(2026, 1, 31, tzinfo=UTC), "GET", "/", "https://pay.test/")
    calls = [replace(kept, spent=Timings(connecting, 0.25, 0.5)) for connecting in (0.0, 1.0)]
    entries = CallLog(calls).har()["log"]["entries"]
    assert [(entry["timings"].get("connect"), entry["time"]) for entry in entries] == [
        (None, 750),
        (1000, 1750),
    ]


def test_an_empty_log_says_so_in_its_repr_and_makes_a_valid_har():
    """An empty log says so in its repr and makes a valid HAR."""
    assert repr(CallLog()) == "<no calls>"
    jsonschema.validate(CallLog().har(), HAR)


def test_who_listens_hears_every_attempt(client):
    """A listener gets every attempt until it is stopped; stopping it twice is no error."""
    heard = []
    stop = client.calls.listen(heard.append)
    client.calls.keep(again(client.calls[0]))
    stop()
    stop()
    client.calls.keep(again(client.calls[0]))
    assert numbers(heard) == [5]


@pytest.mark.parametrize("watch", ["listen", "follow"])
def test_a_watcher_that_fails_stops_nothing(scripted, caplog, watch):
    """An exception in a listener or a follower is logged and does not fail the call."""
    client, _ = scripted({"id": "tr_1"})
    getattr(client.calls, watch)(lambda *_: 1 / 0)
    assert client.request("GET", "/v1/transfers/tr_1") == {"id": "tr_1"}
    assert "could not be shown" in caplog.text


def test_controls_of_a_simulator_are_no_calls(scripted):
    """Requests that control a simulator are not kept in the log."""
    client, _ = scripted({})
    client.request("GET", "/_simulator")
    assert not client.calls


def test_a_page_is_cleaned_when_it_is_looked_at(scripted):
    """The record of a page is built and redacted on first access, and only once."""
    client, _ = scripted({"note": "s3cr3t/with+signs=", "data": ["x"]})
    client.send("GET", "/v1/transfers?limit=100&q=key_live_1234")
    (waiting,) = client.calls._calls
    assert not isinstance(waiting.call_or_maker, Call)
    assert "key_live" not in repr(vars(client.calls)) + repr(waiting)
    assert client.calls[-1] is client.calls.get(1) is waiting.call
    shown = repr(asdict(waiting)) + repr(asdict(pickle.loads(pickle.dumps(waiting.call))))
    assert "s3cr3t" not in shown
    assert "key_live" not in shown
    assert '"data":["x"]' in waiting.call.response_body.text
    assert waiting.call.number == 1


def test_a_number_that_a_request_names_is_hidden_in_its_answer(scripted):
    """A service may repeat it in a sentence; the calls before and after are not changed by it."""
    script = {"error": "XEXX010101 is unknown"}
    client, _ = scripted(script, script)
    client.send("POST", "/v1/x", json={"document": {"number": "XEXX010101"}})
    client.send("GET", "/v1/x")
    texts = [call.response_body.text for call in client.calls]
    assert ["XEXX010101" in text for text in texts] == [False, True]


def test_times_in_a_row_are_milliseconds(scripted):
    """The times of a call's row are in milliseconds."""
    client, _ = scripted({"data": [], "has_next_page": False})
    client.transfers.list().first()
    call = replace(client.calls[0], spent=Timings(connecting=0.25, waiting=0.5, reading=0.125))
    [row] = CallLog([call]).rows()
    assert [row[f"{step}_ms"] for step in ("connecting", "waiting", "reading")] == [250, 500, 125]
