"""Calls end at their deadline when an answer never ends; encoded bodies have a size limit."""

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
    """Make a handler that sends `start`, then `drop` every 20 ms without end."""

    def answer(connection):
        connection.sendall(start)
        while True:
            connection.sendall(drop)
            time.sleep(0.02)

    return answer


def flooded(start, drop):
    """Make a handler that sends `start`, then `drop` without end and without pauses."""

    def answer(connection):
        connection.sendall(start)
        while True:
            connection.sendall(drop * 1000)

    return answer


@pytest.fixture
def serve():
    """Start a server that answers each connection with a function; return its base URL."""
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
    """A client with a short timeout that does not sleep between attempts."""
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
    """A call fails at its deadline although each single read is in time."""
    begun = time.monotonic()
    with client(serve(answer)) as each, pytest.raises(errors.PaylabError):
        each.transfers.get("tr_1")
    assert time.monotonic() - begun < TIMES * TIMEOUT + 3


def test_the_deadline_is_for_all_attempts_together(serve):
    """After its deadline a call is not tried again, and the error names the deadline."""
    answer = dripped(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n")
    with client(serve(answer)) as each, pytest.raises(errors.APITimeoutError, match="deadline"):
        each.transfers.get("tr_1")
    assert len(each.calls) == 1


def test_a_timeout_of_one_call_is_its_deadline_too(serve):
    """The timeout of one call sets its deadline instead of the timeout in the settings."""
    answer = dripped(HEAD + b"Content-Length: 100000\r\n\r\n", b" ")
    begun = time.monotonic()
    with client(serve(answer), timeout=60.0) as each, pytest.raises(errors.APITimeoutError):
        each.transfers.get("tr_1", timeout=TIMEOUT)
    assert time.monotonic() - begun < 10


def test_each_call_has_a_deadline_of_its_own(serve):
    """Several calls of one client each have their own deadline."""

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
    """A response with this Content-Encoding and these raw bytes."""
    headers = {"content-encoding": name}
    return httpx.Response(200, headers=headers, stream=httpx.ByteStream(content))


def deflated(content):
    """Compress as raw deflate, without the zlib header."""
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
    """The client accepts gzip and deflate, and reads bodies with either or no encoding."""
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
    """A body that is too large or cannot be decoded is an error and is not requested again."""
    each, script = scripted(encoded(name, content))
    with pytest.raises(errors.APIResponseError, match=words):
        each.transfers.get("tr_1")
    assert len(script.requests) == 1
