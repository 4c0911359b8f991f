"""HAR files of a journal: what was sent, what the client received, and the bytes on demand."""

import json
import stat
from base64 import b64decode
from hashlib import sha256

import pytest

import paylab
from paylab.errors import PaylabError
from paylab.journal.har import har_entry


@pytest.fixture
def lab():
    """A lab on an embedded simulator that tries each request once."""
    return paylab.connect(max_retries=0)


@pytest.fixture
def read_har(lab, tmp_path):
    """A function that writes a HAR file and returns its log."""

    def read(**options):
        path = lab.simulator.har(tmp_path / "requests.har", **options)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        return json.loads(path.read_text())["log"]

    return read


@pytest.mark.parametrize(
    ("kind", "status", "error"),
    [
        ("drop_after", 0, "the connection was dropped"),
        ("refuse", 0, "the connection was dropped"),
        ("timeout", 0, "the client hung up"),
        ("truncate", 200, "the answer was cut after "),
        ("status", 503, None),
    ],
)
def test_the_response_is_what_the_client_received(lab, read_har, kind, status, error):
    """An answer that was dropped has status 0; what the service decided stands beside it."""
    lab.simulator.faults.add(kind, path="/v1/transfers")
    with pytest.raises(PaylabError):
        lab.get("/v1/transfers")
    [entry] = read_har()["entries"]
    response = entry["response"]
    assert response["status"] == status
    assert (response.get("_error") or "").startswith(error or "")
    assert ("_error" in response) == (error is not None)
    assert bool(response["content"]["text"]) == (kind == "status")
    assert entry["_paylab"]["status"] == (200 if kind in ("drop_after", "truncate") else 503)
    assert entry["time"] > 0


def test_a_file_to_share_has_no_personal_data(lab, read_har):
    """Bodies are redacted; the length and the hash are those of the bytes that were sent."""
    lab.individuals.create(**paylab.examples.recipient("MX"))
    log = read_har()
    [entry] = log["entries"]
    assert paylab.examples.recipient("MX")["family_name"] not in json.dumps(log)
    assert log["_paylab"]["raw"] is False
    assert "comment" not in log
    raw_body = read_har(raw=True)["entries"][0]["request"]["postData"]["text"].encode()
    facts = entry["_paylab"]
    assert facts["body_sha256"] == sha256(raw_body).hexdigest()
    assert facts["body_bytes"] == entry["request"]["bodySize"] == len(raw_body)


def test_a_raw_file_has_the_bytes(lab, read_har):
    """Bodies are as they came, signatures are never written."""
    with pytest.raises(PaylabError):
        lab.post("/v1/quotes", json={"source_amount": "Ñ"})
    log = read_har(raw=True)
    assert log["_paylab"]["raw"] is True
    assert "keep this file private" in log["comment"]
    [entry] = log["entries"]
    assert json.loads(entry["request"]["postData"]["text"]) == {"source_amount": "Ñ"}
    assert lab.simulator.journal(raw=True)[0]["raw_body"]
    headers = {header["name"]: header["value"] for header in entry["request"]["headers"]}
    assert headers["authorization"] == "***"


def test_bytes_that_are_no_text_are_base64():
    """A body that is not UTF-8 is written in Base64, as HAR has it for content."""
    row = {
        "method": "POST",
        "path": "/v1/x",
        "query": {},
        "headers": {},
        "body": "?",
        "body_bytes": 2,
        "raw_body": "/w==",
        "real_at": "2026-01-15T12:00:00.000Z",
        "status": 200,
        "answer_headers": {},
        "answer": "?",
        "answer_bytes": 3,
        "raw_answer": "//8A",
        "sent": "part",
        "sent_bytes": 2,
        "hung_up": False,
        "duration": 1,
    }
    entry = har_entry(row, "http://simulator")
    assert entry["request"]["postData"]["encoding"] == "base64"
    assert b64decode(entry["response"]["content"]["text"]) == b"\xff\xff"
    assert entry["response"]["_error"] == "the answer was cut after 2 of 3 bytes"
    assert entry["time"] == 1000


def test_a_lab_answers_from_the_file(lab, tmp_path):
    """`connect(replay=...)` reads it: a lost answer is lost again."""
    page = lab.get("/v1/transfers")
    lab.simulator.faults.drop_after(path="/v1/conversions")
    with pytest.raises(PaylabError):
        lab.get("/v1/conversions")
    replayed = paylab.connect(replay=lab.simulator.har(tmp_path / "requests.har"), max_retries=0)
    assert replayed.get("/v1/transfers") == page
    with pytest.raises(PaylabError, match="connection was dropped"):
        replayed.get("/v1/conversions")
