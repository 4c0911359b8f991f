"""A recording: what it contains, what it must not contain, and how its file is written."""

from __future__ import annotations

import json
import logging
import os
import re
from base64 import b64encode, urlsafe_b64encode
from random import Random
from threading import Thread

import httpx
import pytest

from paylab.client.recording import Recording
from paylab.errors import ConfigError

IMAGE = b"\xff\xd8\xff\xe0" + Random(3).randbytes(12_000)
BASE64 = b64encode(IMAGE).decode()
NUMBER = "XEXX010101HNEXXXA4"
KEY, SECRET = "key_live_1234", "s3cr3t/with+signs="
ABOUT = {
    "started": "2026-01-31T09:30:00.123Z",
    "base_url": "https://pay.test",
    "service": {},
}


def lines(path):
    """The lines of a recording, parsed."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def private(text):
    """The parts of the key, secret, document number or image that a text contains."""
    words = [KEY, SECRET, SECRET.replace("/", "\\/"), NUMBER, "Signature=M", "Signature=N"]
    words += [b64encode(SECRET.encode()).decode()[:20], NUMBER.encode().hex()]
    pieces = [BASE64[at : at + 40] for at in range(200, 4000, 700)]
    pieces += [IMAGE.hex()[at : at + 40] for at in range(200, 4000, 700)]
    return [word for word in [*words, *pieces] if word in text or word.lower() in text]


def test_a_call_is_one_line_with_request_and_answer(scripted, tmp_path):
    """A recording has one line for the run and one line for each attempt."""
    client, _ = scripted(503, {"data": [], "has_next_page": False})
    with Recording(tmp_path / "run.calls", client) as recording:
        list(client.transfers.list(limit=3))
    first, *calls = lines(tmp_path / "run.calls")
    assert first == {"recording": 1, **ABOUT}
    assert [(call["number"], call["method"], call["target"], call["status"]) for call in calls] == [
        (1, "GET", "/v1/transfers?limit=3", 503),
        (2, "GET", "/v1/transfers?limit=3", 200),
    ]
    assert json.loads(calls[1]["answer"]) == {"data": [], "has_next_page": False}
    assert repr(recording) == "<stopped: 2 calls in run.calls>"


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
            *({"id": str(at), "note": f"{'x ' * 100}{NUMBER}"} for at in range(2000)),
            {"document": {"type": "curp", "number": NUMBER}},
        ]
    ),
    "secret": json.dumps({"echo": [SECRET, KEY]}),
    "secret in JSON in JSON": nested(json.dumps({"echo": SECRET}).replace("/", "\\/"), 3),
    "secret in a long list": json.dumps([{"id": f"{'x ' * 60}", "echo": SECRET}] * 3000),
    "html": f"<p title='{SECRET}'>{NUMBER} document number={NUMBER}</p>",
    "latin-1": f'{{"name": "Ñ {SECRET}"}}'.encode("latin-1"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_answer_gives_nothing_away(scripted, tmp_path, attack):
    """No secret, document number or image of an answer is written, however it is wrapped."""
    body = ATTACKS[attack]
    headers = {"X-Echo": f"{SECRET} {KEY}", "Set-Cookie": f"s={SECRET}"}
    client, _ = scripted(httpx.Response(200, content=body, headers=headers))
    with Recording(tmp_path / "run.calls", client):
        client.fetch("/v1/anything")
    text = (tmp_path / "run.calls").read_text()
    assert lines(tmp_path / "run.calls")[1]["answer"]
    assert private(text) == []
    assert private(text.replace("\\\\", "\\").replace("\\n", "")) == []


@pytest.mark.parametrize(
    "attack", [name for name, body in ATTACKS.items() if isinstance(body, str)]
)
def test_a_request_gives_nothing_away(scripted, tmp_path, attack):
    """No secret, document number or image of a request body, path or query is written."""
    client, _ = scripted({}, {}, 400)
    with Recording(tmp_path / "run.calls", client):
        client.request(
            "POST",
            "/v1/anything",
            json={"given": ATTACKS[attack], "number": NUMBER, "document": {"number": NUMBER}},
        )
        client.request("GET", f"/v1/people/{NUMBER}", params={"document": NUMBER, "q": SECRET})
    assert len(lines(tmp_path / "run.calls")) == 3
    assert private((tmp_path / "run.calls").read_text()) == []


def test_an_upload_is_recorded_by_its_sides(scripted, tmp_path):
    """An upload is recorded with the fields of its body, without the images."""
    client, _ = scripted({"images": []})
    with Recording(tmp_path / "run.calls", client):
        client.individuals.upload_images("ind_1", {"selfie": IMAGE})
    assert lines(tmp_path / "run.calls")[1]["request"] == '{"images":[{"type":"selfie"}]}'


def test_signatures_are_not_written(scripted, tmp_path):
    """The signature, nonce and body hash of a request are not written."""
    client, script = scripted({})
    with Recording(tmp_path / "run.calls", client):
        client.request("POST", "/v1/anything", json={"document": {"number": NUMBER}})
    text = (tmp_path / "run.calls").read_text()
    for name in ("authorization", "x-content-sha256", "x-nonce"):
        assert script.sent(name)[0] not in text


def test_the_file_is_private_and_continued(scripted, tmp_path):
    """A new run is appended, also after an incomplete line, and the file mode is 600."""
    path = tmp_path / "run.calls"
    for _ in range(2):
        client, _ = scripted({})
        with Recording(path, client):
            client.request("GET", "/v1/anything")
        with path.open("a") as file:
            file.write('{"number": 2, "wh')
    path.chmod(0o644)
    client, _ = scripted()
    Recording(path, client).stop()
    starts = [line for line in path.read_text().splitlines() if line.startswith('{"recording"')]
    assert len(starts) == 3
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"my notes", b'{"log": {}}', b"\x00" * 80])
def test_a_file_that_is_no_recording_is_left_alone(scripted, tmp_path, content):
    """A file that is not a recording is refused and not changed."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    client, _ = scripted()
    with pytest.raises(ConfigError, match="is not a recording of calls"):
        Recording(path, client)
    assert path.read_bytes() == content


def test_a_folder_that_is_not_there_is_named(scripted, tmp_path):
    """A recording in a missing folder raises a ConfigError with its path, before any call."""
    client, _ = scripted()
    path = tmp_path / "none" / "run.calls"
    with pytest.raises(ConfigError, match=f"{re.escape(str(path))} cannot be written"):
        Recording(path, client)


def test_threads_write_whole_lines(scripted, tmp_path):
    """Calls from several threads are one line each, with unique numbers."""
    client, _ = scripted(*[{"text": "x" * 5000}] * 80)
    with Recording(tmp_path / "run.calls", client):

        def work():
            for _ in range(10):
                client.request("GET", "/v1/anything")

        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(call["number"] for call in lines(tmp_path / "run.calls")[1:]) == list(
        range(1, 81)
    )


def test_a_recording_that_cannot_be_written_does_not_fail_the_call(scripted, tmp_path, caplog):
    """If the file cannot be written, the recording stops and the call returns its answer."""
    client, _ = scripted({"id": "1"}, {"id": "2"})
    recording = Recording(tmp_path / "run.calls", client)
    file = recording._file
    recording._file = os.open(tmp_path / "run.calls", os.O_RDONLY)
    os.close(file)
    with caplog.at_level(logging.ERROR):
        assert client.request("GET", "/v1/anything") == {"id": "1"}
    assert "recording to run.calls stopped" in caplog.text
    assert "stopped" in repr(recording)
    assert client.request("GET", "/v1/anything") == {"id": "2"}


def test_recording_again_to_one_file_begins_a_new_run(scripted, tmp_path):
    """A second recording to the same file stops the first and begins a new run."""
    client, _ = scripted({}, {})
    path = tmp_path / "run.calls"
    first = Recording(path, client)
    client.request("GET", "/v1/anything")
    second = Recording(path, client)
    client.request("GET", "/v1/anything")
    assert [line.get("number") for line in lines(path)] == [None, 1, None, 1]
    assert (first.count, second.count) == (1, 1)
    assert "stopped" in repr(first)
