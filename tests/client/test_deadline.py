"""A service that never ends its answer: each call ends all the same, by its deadline."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from contextlib import closing, suppress

import httpx
import pytest

from paylab import errors
from paylab.client import Client
from paylab.client.connection import LARGEST_BODY
from paylab.client.retries import TIMES
from paylab.client.settings import Settings

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
TIMEOUT = 0.15


def dripped(start, drop):
    """Send a beginning, and then the same few bytes again and again, each in good time."""

    def answer(connection):
        connection.sendall(start)
        while True:
            connection.sendall(drop)
            time.sleep(0.02)

    return answer


def flooded(start, drop):
    """The same as fast as it can be read."""

    def answer(connection):
        connection.sendall(start)
        while True:
            connection.sendall(drop * 1000)

    return answer


@pytest.fixture
def serve():
    """Answer each connection with a function; gives the base URL."""
    listeners = []

    def start(answer):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def talk(connection):
            with suppress(OSError), closing(connection):
                connection.recv(65_536)
                answer(connection)

        def accept():
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=talk, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in listeners:
        listener.close()


def client(base_url, **options):
    """A client with short patience that does not sleep between attempts."""
    settings = Settings(base_url, "key", "secret", **{"timeout": TIMEOUT, **options})
    return closing(Client(settings, sleep=lambda _: None))


@pytest.mark.parametrize(
    "answer",
    [
        dripped(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        dripped(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        flooded(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        dripped(HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
        dripped(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        flooded(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"{}", mtime=0), b"\0"),
    ],
    ids=["head", "100 continue", "many 100 continue", "body", "chunks", "after gzip"],
)
def test_an_answer_without_end_is_given_up(serve, answer):
    """Each read is in time, and all of them together are not."""
    begun = time.monotonic()
    with client(serve(answer)) as each, pytest.raises(errors.PaylabError):
        each.transfers.get("tr_1")
    assert time.monotonic() - begun < TIMES * TIMEOUT + 3


def test_the_deadline_is_for_all_attempts_together(serve):
    """A call that has used it up is not tried again, and says so."""
    answer = dripped(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n")
    with client(serve(answer)) as each, pytest.raises(errors.APITimeoutError, match="deadline"):
        each.transfers.get("tr_1")
    assert len(each.calls) == 1


def test_a_timeout_of_one_call_is_its_deadline_too(serve):
    """The next call has that of the settings again."""
    answer = dripped(HEAD + b"Content-Length: 100000\r\n\r\n", b" ")
    begun = time.monotonic()
    with client(serve(answer), timeout=60.0) as each, pytest.raises(errors.APITimeoutError):
        each.transfers.get("tr_1", timeout=TIMEOUT)
    assert time.monotonic() - begun < 10


def test_each_call_has_a_deadline_of_its_own(serve):
    """Connections are used again after one that was slow."""

    def answer(connection):
        body = HEAD + b'Content-Length: 11\r\n\r\n{"id":"tr"}'
        while True:
            connection.sendall(body)
            connection.recv(65_536)

    with client(serve(answer), timeout=0.1) as each:
        for _ in range(3):
            assert each.transfers.get("tr").id == "tr"
            time.sleep(0.15)


def encoded(name, content):
    """An answer that is decoded while it is read."""
    headers = {"content-encoding": name}
    return httpx.Response(200, headers=headers, stream=httpx.ByteStream(content))


def deflated(content):
    """Without the head that zlib writes."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZip, identity", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", deflated),
        ("identity", bytes),
        ("", bytes),
    ],
)
def test_an_encoded_body_is_read(scripted, name, pack):
    """In the two encodings that are asked for, and in none."""
    each, script = scripted(encoded(name, pack(b'{"id": "tr_1"}')))
    assert each.transfers.get("tr_1").id == "tr_1"
    assert script.sent("accept-encoding") == ["gzip, deflate"]


BOMB = gzip.compress(b" " * (LARGEST_BODY + 1))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gzip", BOMB, "larger than 8 MiB"),
        ("gzip, gzip", gzip.compress(BOMB, mtime=0), "its encoding is 'gzip, gzip'"),
        ("br", b"x", "its encoding is 'br'"),
        ("gzip", gzip.compress(b'{"id": "tr_1"}', mtime=0)[:-9], "ends too early"),
        ("gzip", b"not gzip", "cannot be decompressed"),
    ],
)
def test_what_grows_or_cannot_be_decoded_is_a_clear_error(scripted, name, content, words):
    """It is not tried again, and never held whole."""
    each, script = scripted(encoded(name, content))
    with pytest.raises(errors.APIResponseError, match=words):
        each.transfers.get("tr_1")
    assert len(script.requests) == 1
