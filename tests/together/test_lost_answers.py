"""A lost or spoiled answer to a payment, of every kind: asked for again, it is one payment."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any

import httpx
import pytest
from one_order import PAID, Place

from paylab.errors import PaylabError
from paylab.simulator.transport import SimulatorTransport

HTML = b"<!doctype html><html><body><h1>Bad gateway</h1></body></html>"
WORDS = b'{"error": "insufficient funds"}'


@dataclass(frozen=True)
class Broken(httpx.SyncByteStream):
    """A body whose connection is reset in its middle."""

    begun: bytes

    def __iter__(self):
        yield self.begun
        raise httpx.ReadError("connection reset")


def failure(kind, words):
    """An answer that is an exception of the connection."""

    def fail(request, answer):
        raise kind(words, request=request) if issubclass(kind, httpx.RequestError) else kind(words)

    return fail


def reply(status, body=b"", kind="application/json", **headers):
    """An answer with this status and body."""
    given = {"content-type": kind, **{key.replace("_", "-"): text for key, text in headers.items()}}
    return lambda request, answer: httpx.Response(status, headers=given, content=body)


def shortened(request, answer):
    """The first half of the service's answer."""
    return httpx.Response(201, content=answer.content[: len(answer.content) // 2])


def without_id(request, answer):
    """The service's answer without its id."""
    return httpx.Response(201, json={**answer.json(), "id": None})


def cut(request, answer):
    """The first half of the service's answer, then a reset."""
    half = answer.content[: len(answer.content) // 2]
    return httpx.Response(201, stream=Broken(half))


BEFORE: dict[str, Any] = {
    "refused connection": failure(httpx.ConnectError, "connection refused"),
    "no connection in time": failure(httpx.ConnectTimeout, "no connection"),
    "reset before it arrived": failure(httpx.WriteError, "broken pipe"),
    "no answer, not carried out": failure(httpx.ReadTimeout, "no answer"),
    "500 and not carried out": reply(500, WORDS),
    "503 to be sent again": reply(503, b"", retry_after="0"),
    "425": reply(425),
    "429": reply(429, WORDS, retry_after="0"),
    "307 to the same address": reply(307, location="/v1/transfers"),
    "401 of a gateway": reply(401, HTML, "text/html"),
}
"""Answers to a payment that the service has not carried out."""

AFTER: dict[str, Any] = {
    "reset": failure(httpx.ReadError, "connection reset"),
    "closed": failure(httpx.RemoteProtocolError, "closed without a response"),
    "no answer in time": failure(httpx.ReadTimeout, "no answer"),
    "interrupted": failure(KeyboardInterrupt, "stopped"),
    "cut in the middle": cut,
    "shortened": shortened,
    "without its id": without_id,
    "201 and HTML": reply(201, HTML, "text/html"),
    "201 and nothing": reply(201),
    "201 and junk": reply(201, bytes(range(256))),
    "201 not compressed as it says": reply(201, b"\x00\x01", content_encoding="gzip"),
    "201 and null": reply(201, b"null"),
    "201 and text": reply(201, b'"created"'),
    "201 and a list": reply(201, b"[]"),
    "201 and an object": reply(201, b"{}"),
    "201 and an id that is none": reply(201, b'{"id": {"value": 1}, "status": "pending"}'),
    "201 and an empty id": reply(201, b'{"id": "", "status": "pending"}'),
    "200 and an error": reply(200, WORDS),
    "202": reply(202, b"{}"),
    "204": reply(204),
    "301": reply(301, location="https://elsewhere.example/v1/transfers"),
    "303 to a page": reply(303, HTML, "text/html", location="/thanks"),
    "400 of a gateway": reply(400, HTML, "text/html"),
    "403 of a gateway": reply(403, HTML, "text/html"),
    "404 of a gateway": reply(404, HTML, "text/html"),
    "408": reply(408),
    "409": reply(409, WORDS),
    "422 of a gateway": reply(422, WORDS),
    "425 after it was carried out": reply(425),
    "429 after it was carried out": reply(429, HTML, "text/html", retry_after="0"),
    "500": reply(500, WORDS),
    "502 and HTML": reply(502, HTML, "text/html"),
    "503": reply(503, HTML, "text/html", retry_after="0"),
    "504": reply(504, HTML, "text/html"),
    "520": reply(520),
}
"""Answers to a payment that the service has carried out."""

KINDS = [*((spoil, False) for spoil in BEFORE.items()), *((spoil, True) for spoil in AFTER.items())]
COMBINATIONS = list(product((0, 2), ({}, {"client_reference_id": "a"})))
"""Numbers of retries, and the fields of the payment."""


OTHERWISE = {
    *("429", "401 of a gateway", "500 and not carried out", "reset", "interrupted", "shortened"),
    *("without its id", "201 and nothing", "201 and an id that is none", "200 and an error"),
    *("403 of a gateway", "429 after it was carried out"),
}
"""Kinds of answers that a batch treats in different ways: it stops, slows down or goes on."""


def cases(first, names=frozenset([*BEFORE, *AFTER])):
    """Kinds of answers with one of the combinations in turn; the others are the whole table."""
    for number, ((name, spoil), carried_out) in enumerate(KINDS, first):
        for at, (retries, fields) in enumerate(COMBINATIONS):
            is_sample = name in names and at == number % len(COMBINATIONS)
            marks = () if is_sample else pytest.mark.whole_table
            words = f"{name}, {retries} retries, {'a' if fields else 'no'} reference"
            yield pytest.param(retries, fields, spoil, carried_out, id=words, marks=marks)


class Spoiling(httpx.BaseTransport):
    """The simulator's transport, which spoils the answers to payments until it is repaired."""

    def __init__(self, simulator, spoil, carried_out):
        self.inner, self.spoil, self.carried_out = (
            SimulatorTransport(simulator.respond),
            spoil,
            carried_out,
        )
        self.repaired = False

    def handle_request(self, request):
        """The simulator's response, or what is left of it."""
        is_payment = request.method == "POST" and request.url.path == "/v1/transfers"
        if self.repaired or not is_payment:
            return self.inner.handle_request(request)
        answer = self.inner.handle_request(request) if self.carried_out else None
        return self.spoil(request, answer)


class Rig:
    """A place, and labs on its ledger whose answers are spoiled."""

    def __init__(self, folder, spoil, carried_out, retries):
        self.place = Place(folder)
        self.transport = Spoiling(self.place.simulator, spoil, carried_out)
        self.retries = retries

    def lab(self):
        """A lab as a script that is started again has it."""
        return self.place.lab(self.transport, max_retries=self.retries)

    @property
    def made(self):
        """The ids of the payments at the service."""
        return self.place.transfers


@pytest.mark.parametrize(("retries", "fields", "spoil", "carried_out"), list(cases(0)))
def test_one_payment_after_spoiled_answers(tmp_path, retries, fields, spoil, carried_out):
    """Three calls that are spoiled and one that is not: one payment, the one that is returned."""
    rig = Rig(tmp_path, spoil, carried_out, retries)
    for _ in range(3):
        told = None
        with suppress(PaylabError, KeyboardInterrupt):
            told = rig.lab().pay(**fields).id
        assert len(rig.made) == carried_out
        assert told is None or [told] == rig.made
    rig.transport.repaired = True
    assert [rig.lab().pay("object", source_amount="50.00", **fields).id] == rig.made


@pytest.mark.parametrize(("retries", "fields", "spoil", "carried_out"), list(cases(1, OTHERWISE)))
def test_one_payout_after_spoiled_answers(tmp_path, retries, fields, spoil, carried_out):
    """The same for a row of a batch, whose outcome is never that of a payment that is none."""
    rig = Rig(tmp_path, spoil, carried_out, retries)
    for _ in range(2):
        outcomes = []
        with suppress(PaylabError, KeyboardInterrupt):
            outcomes = rig.lab().batch(fields)
        assert len(rig.made) == carried_out
        assert carried_out or not {*outcomes} & {*PAID}
    rig.transport.repaired = True
    assert rig.lab().batch(fields)[0] in PAID
    assert len(rig.made) == 1


@pytest.mark.parametrize(
    ("status", "retries"), [*zip([400, 403, 404, 408, 409, 422, 500], cycle([0, 2]))]
)
def test_a_refusal_after_the_payment_was_made_is_not_certain(tmp_path, status, retries):
    """After a lost answer, an error says that the payment may have been carried out."""
    rig = Rig(tmp_path, failure(httpx.ReadError, "connection reset"), True, retries)
    with pytest.raises(PaylabError):
        rig.lab().pay()
    rig.transport.spoil, rig.transport.carried_out = reply(status, HTML, "text/html"), False
    with pytest.raises(PaylabError) as error:
        rig.lab().pay()
    assert "may have been carried out" in f"{error.value} {error.value.hint}"
    rig.transport.repaired = True
    assert [rig.lab().pay().id] == rig.made
