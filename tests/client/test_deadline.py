"""Calls end at their deadline when an answer never ends; encoded bodies have a size limit."""

from __future__ import annotations

import gzip
import socket
import time
import zlib
from contextlib import closing, suppress
from threading import Thread

import httpcore
import httpx
import pytest

from paylab import errors
from paylab.client import Client
from paylab.client.bounded import BoundedBackend
from paylab.client.deadline import Deadline
from paylab.client.decoding import BODY_BYTES_MAX
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
                    Thread(target=talk, args=(connection,), daemon=True).start()

        Thread(target=accept, daemon=True).start()
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
    with client(serve(answer), timeout=0.05) as each, pytest.raises(errors.PaylabError):
        each.transfers.get("tr_1")


def test_the_deadline_is_for_all_attempts_together(serve):
    """After its deadline a call is not tried again, and the error names the deadline."""
    answer = dripped(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n")
    with client(serve(answer)) as each, pytest.raises(errors.APITimeoutError, match="deadline"):
        each.transfers.get("tr_1")
    assert len(each.calls) == 1


@pytest.fixture
def slow(settings):
    """Make a client whose attempts take 3 s of its own clock each and are answered with 503."""
    now = [0.0]

    def wait(seconds):
        now[0] += seconds

    def answer(_):
        wait(3.0)
        return httpx.Response(503)

    def make(**options):
        transport = httpx.MockTransport(answer)
        return Client(settings, transport=transport, sleep=wait, perf=lambda: now[0], **options)

    return make


def attempts(client, **options):
    """The number of attempts of a call that fails."""
    with pytest.raises(errors.ServerError) as caught:
        client.transfers.get("tr_1", **options)
    return caught.value.call.attempt


def test_each_call_has_a_deadline_of_its_own(slow):
    """Each of three calls has 4 s from its own start, which is enough to begin two attempts."""
    each = slow(timeout=1.0)
    assert [attempts(each) for _ in range(3)] == [2, 2, 2]


def test_a_timeout_of_one_call_is_its_deadline_too(slow):
    """The timeout of a call sets its deadline; the next call has that of the settings again."""
    each = slow(timeout=60.0)
    assert [attempts(each), attempts(each, timeout=1.0), attempts(each)] == [3, 2, 3]


def test_a_kept_connection_has_the_deadline_of_the_current_call():
    """A connection of an earlier call is read until the deadline of the call that uses it."""
    now = [0.0]
    deadline = Deadline(lambda: now[0])
    backend = BoundedBackend(httpcore.MockBackend([b"1", b"2", b"3"]), deadline.cap)
    with deadline.within(4):
        connection = backend.connect_tcp("pay.test", 443)
    now[0] = 100.0
    with deadline.within(4):
        assert connection.read(1) == b"1"
        now[0] = 104.0
        with pytest.raises(httpcore.ReadTimeout, match="deadline of the whole call"):
            connection.read(1)


def test_a_deadline_is_not_shared_between_threads():
    """The deadline of a call in one thread does not end a call in another thread."""
    deadline, found = Deadline(lambda: 0.0), []
    with deadline.within(0):
        other = Thread(target=lambda: found.append(deadline.has_passed))
        other.start()
        other.join()
        assert (deadline.has_passed, found) == (True, [False])


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


BOMB = gzip.compress(b" " * (BODY_BYTES_MAX + 1), mtime=0)


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


def test_a_timeout_is_cut_to_the_time_left():
    """Outside of a call a timeout is as given; inside it ends with the call, if it has one."""
    deadline = Deadline(lambda: 10.0)
    assert [deadline.cap(each, httpcore.ReadTimeout) for each in (None, 9.0)] == [None, 9.0]
    with deadline.within(4):
        caps = [deadline.cap(each, httpcore.ReadTimeout) for each in (None, 9.0, 1.0)]
    assert caps == [4.0, 4.0, 1.0]


@pytest.mark.parametrize(("bytes_", "sent"), [(70_000, 2), (80_000, 3)])
def test_an_upload_has_time_for_its_size(settings, bytes_, sent):
    """To the 4 s of the call come those for its Base64 at 50,000 bytes a second."""
    now, requests = [0.0], []

    def busy(request):
        requests.append(request)
        now[0] += 3.0
        return httpx.Response(429, headers={"Retry-After": "0"})

    transport = httpx.MockTransport(busy)
    each = Client(settings, transport=transport, perf=lambda: now[0], timeout=1.0, max_retries=9)
    with pytest.raises(errors.RateLimitError):
        each.individuals.upload_images("ind_1", {"selfie": b"%PDF-" + bytes(bytes_ - 5)})
    assert len(requests) == sent
