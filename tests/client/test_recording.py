"""A recording: what it contains, what it must not contain, and how its file is written."""

from __future__ import annotations

import errno
import io
import json
import re
from base64 import b64encode, urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random

import httpx
import pytest

from paylab.client.har import read_har
from paylab.client.recording import Recording
from paylab.errors import APIResponseError, ConfigError

IMAGE = b"\xff\xd8\xff\xe0" + Random(3).randbytes(12_000)
BASE64 = b64encode(IMAGE).decode()
NUMBER = "XEXX010101HNEXXXA4"
KEY, SECRET = "key_live_1234", "s3cr3t/with+signs="
FACTS = {
    "base_url": "https://pay.test",
    "service": {},
    "started": "2026-01-31T09:30:00.123Z",
}


def entries(path):
    """The entries of a recording."""
    return json.loads(path.read_bytes())["log"]["entries"]


def private(text):
    """The parts of the key, secret, document number or image that a text contains."""
    words = [KEY, SECRET, SECRET.replace("/", "\\/"), NUMBER, "Signature=M", "Signature=N"]
    words += [b64encode(SECRET.encode()).decode()[:20], NUMBER.encode().hex()]
    pieces = [BASE64[at : at + 40] for at in range(200, 4000, 700)]
    pieces += [IMAGE.hex()[at : at + 40] for at in range(200, 4000, 700)]
    return [word for word in [*words, *pieces] if word in text or word.lower() in text]


def test_the_file_is_a_whole_har_after_every_call(scripted, tmp_path):
    """It has one entry for each attempt, and what a replay needs besides."""
    client, _ = scripted(503, {"data": [], "has_next_page": False})
    path, counts = tmp_path / "run.har", []
    with Recording(path, client.session) as recording:
        client.watchers.append(lambda *_: counts.append(len(entries(path))))
        list(client.transfers.list(limit=3))
    assert counts == [1, 2]
    assert json.loads(path.read_bytes())["log"]["_paylab"] == FACTS
    assert [(each["request"]["url"], each["response"]["status"]) for each in entries(path)] == [
        ("https://pay.test/v1/transfers?limit=3", 503),
        ("https://pay.test/v1/transfers?limit=3", 200),
    ]
    answer = entries(path)[1]["response"]["content"]["text"]
    assert json.loads(answer) == {"data": [], "has_next_page": False}
    assert repr(recording) == "<stopped: 2 calls in run.har>"


@pytest.mark.parametrize(("marker", "is_replay"), [("true", True), ("false", False)])
def test_the_calls_of_a_file_say_whether_they_are_replays(scripted, tmp_path, marker, is_replay):
    """An answer that was stored under its Idempotency-Key is told from a new one."""
    headers = {"Idempotency-Replayed": marker}
    client, _ = scripted(httpx.Response(201, json={"id": "tr_1"}, headers=headers))
    path = tmp_path / "run.har"
    with Recording(path, client.session):
        client.request("POST", "/v1/transfers", json={})
    [call] = read_har(path).calls
    assert call.replayed is is_replay


def nested(text, times):
    """A text wrapped in JSON `times` times."""
    for _ in range(times):
        text = json.dumps({"inside": text})
    return text


MULTIPART = (
    b'--b\r\nContent-Disposition: form-data; name="front"\r\nContent-Type: image/jpeg\r\n\r\n'
    + IMAGE
    + b"\r\n--b--"
)
MIME_LINES = "\r\n".join(BASE64[at : at + 76] for at in range(0, len(BASE64), 76))
ATTACKS = {
    "image": IMAGE,
    "multipart": MULTIPART,
    "multipart in base64": f"--b\r\nContent-Transfer-Encoding: base64\r\n\r\n{MIME_LINES}\r\n--b--",
    "data uri": json.dumps({"content": f"data:image/jpeg;base64,{BASE64}"}),
    "bare base64": json.dumps({"content": BASE64}),
    "escaped slashes": json.dumps({"content": BASE64}).replace("/", "\\/"),
    "url-safe base64": json.dumps({"content": urlsafe_b64encode(IMAGE).decode()}),
    "base64 without its head": json.dumps({"content": BASE64[100:]}),
    "hexadecimal": json.dumps({"content": IMAGE.hex()}),
    "base64 of base64": json.dumps({"content": b64encode(BASE64.encode()).decode()}),
    "image in JSON in JSON": nested(json.dumps({"content": f"data:image/jpeg;base64,{BASE64}"}), 3),
    "document": json.dumps({"document": {"type": "curp", "number": NUMBER}}),
    "document in JSON in JSON": nested(json.dumps({"document": {"number": NUMBER}}), 3),
    "document in a late row": json.dumps(
        [
            *({"id": str(at), "note": f"{'x ' * 100}{NUMBER}"} for at in range(700)),
            {"document": {"type": "curp", "number": NUMBER}},
        ]
    ),
    "document under its own name": json.dumps({"curp": NUMBER, "doc": {"CURP": NUMBER}}),
    "secret": json.dumps({"echo": [SECRET, KEY]}),
    "secret in JSON in JSON": nested(json.dumps({"echo": SECRET}).replace("/", "\\/"), 3),
    "secret in a long list": json.dumps([{"id": f"{'x ' * 60}", "echo": SECRET}] * 1200),
    "html": f"<p title='{SECRET}'>{NUMBER} document number={NUMBER}</p>",
    "latin-1": f'{{"name": "Ñ {SECRET}"}}'.encode("latin-1"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_answer_gives_nothing_away(scripted, tmp_path, attack):
    """No secret, document number or image of an answer is written, however it is wrapped."""
    body = ATTACKS[attack]
    headers = {"X-Echo": f"{SECRET} {KEY}", "Set-Cookie": f"s={SECRET}"}
    client, _ = scripted(httpx.Response(200, content=body, headers=headers))
    with Recording(tmp_path / "run.har", client.session), suppress(APIResponseError):
        client.send("GET", "/v1/anything")
    text = (tmp_path / "run.har").read_text()
    assert entries(tmp_path / "run.har")[0]["response"]["content"]["text"]
    assert private(text) == []
    assert private(text.replace("\\\\", "\\").replace("\\n", "")) == []


SENT = ("bare base64", "image in JSON in JSON", "document in JSON in JSON", "secret in a long list")


@pytest.mark.parametrize("attack", SENT)
def test_a_request_gives_nothing_away(scripted, tmp_path, attack):
    """No secret, document number or image of a request body, path or query is written."""
    client, _ = scripted({}, {}, 400)
    with Recording(tmp_path / "run.har", client.session):
        client.request(
            "POST",
            "/v1/anything",
            json={"given": ATTACKS[attack], "number": NUMBER, "document": {"number": NUMBER}},
        )
        client.request("GET", f"/v1/people/{NUMBER}", params={"document": NUMBER, "q": SECRET})
    assert len(entries(tmp_path / "run.har")) == 2
    assert private((tmp_path / "run.har").read_text()) == []


def test_an_upload_is_recorded_by_its_sides(scripted, tmp_path):
    """An upload is recorded with the fields of its body, without the images."""
    client, _ = scripted({"images": []})
    with Recording(tmp_path / "run.har", client.session):
        client.individuals.upload_images("ind_1", {"selfie": IMAGE})
    sent = entries(tmp_path / "run.har")[0]["request"]["postData"]["text"]
    assert sent == '{"images":[{"type":"selfie"}]}'


def test_signatures_are_not_written(scripted, tmp_path):
    """The signature, nonce and body hash of a request are not written."""
    client, script = scripted({})
    with Recording(tmp_path / "run.har", client.session):
        client.request("POST", "/v1/anything", json={"document": {"number": NUMBER}})
    text = (tmp_path / "run.har").read_text()
    for name in ("authorization", "x-content-sha256", "x-nonce"):
        assert script.sent(name)[0] not in text


def test_a_recording_replaces_an_earlier_one(scripted, tmp_path):
    """A second recording to a file ends the first and replaces it; only its owner can read it."""
    client, _ = scripted({}, {}, {})
    path = tmp_path / "run.har"
    first = Recording(path, client.session)
    client.request("GET", "/v1/first")
    client.request("GET", "/v1/first")
    path.chmod(0o644)
    second = Recording(path, client.session)
    client.request("GET", "/v1/second")
    assert [each["request"]["url"] for each in entries(path)] == ["https://pay.test/v1/second"]
    assert (first.count, second.count, "stopped" in repr(first)) == (2, 1, True)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"my notes", "is not a HAR file"),
        (b"\x00" * 80, "is not a HAR file"),
        (b'{"log": {"entries": [], "creator": {"name": "Firefox"}}}', "a HAR of another program"),
    ],
)
def test_a_file_that_is_no_recording_is_left_alone(scripted, tmp_path, content, words):
    """A file that is not a recording is refused and not changed."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    client, _ = scripted()
    with pytest.raises(ConfigError, match=words):
        Recording(path, client.session)
    assert path.read_bytes() == content
    assert client.watchers == []


def test_a_folder_that_is_not_there_is_named(scripted, tmp_path):
    """A recording in a missing folder raises a ConfigError with its path, before any call."""
    client, _ = scripted()
    path = tmp_path / "none" / "run.har"
    with pytest.raises(
        ConfigError, match=f"cannot write run.har: there is no folder {re.escape(str(path.parent))}"
    ):
        Recording(path, client.session)


def test_threads_write_whole_entries(scripted, tmp_path):
    """Calls from several threads are one entry each."""
    client, _ = scripted(*[{"text": "x" * 5000}] * 32)
    path = tmp_path / "run.har"
    with Recording(path, client.session), ThreadPoolExecutor(8) as pool:
        paths = [f"/v1/{number}" for number in range(32)]
        list(pool.map(lambda each: client.request("GET", each), paths))
    urls = {each["request"]["url"] for each in entries(path)}
    assert urls == {f"https://pay.test{each}" for each in paths}


class FullDisk(io.FileIO):
    """A file of which one write stores a part and then fails."""

    room = 40

    def write(self, content):
        """Store what fits; the disk has room again when the file was truncated."""
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= (size := min(self.room, len(content)))
        return super().write(content[:size])

    def truncate(self, size=None):
        """Make room."""
        self.room = 40
        return super().truncate(size)


def test_a_recording_that_cannot_be_written_does_not_fail_the_call(scripted, tmp_path, caplog):
    """On a full disk the recording stops, the file stays whole and the call has its answer."""
    client, _ = scripted({"id": "1"}, {"id": "2"}, {"id": "3"})
    path = tmp_path / "run.har"
    recording = Recording(path, client.session)
    client.request("GET", "/v1/first")
    recording._file.close()
    recording._file = FullDisk(path, "r+")
    assert client.request("GET", "/v1/second") == {"id": "2"}
    assert "recording to run.har stopped" in caplog.text
    assert "stopped: 1 call in" in repr(recording)
    assert client.request("GET", "/v1/third") == {"id": "3"}
    assert [each["request"]["url"] for each in entries(path)] == ["https://pay.test/v1/first"]


def test_a_long_body_is_recorded_whole(scripted, tmp_path):
    """Of a list that is redacted in parts, nothing but its secrets is lost."""
    rows = [{"id": f"tr_{at}", "note": "x " * 60, "echo": KEY} for at in range(3000)]
    client, _ = scripted({"data": rows})
    with Recording(tmp_path / "run.har", client.session):
        client.request("GET", "/v1/transfers")
    [entry] = entries(tmp_path / "run.har")
    text = json.dumps({"data": rows}, separators=(",", ":")).replace(KEY, "***")
    assert entry["response"]["content"]["text"] == text
