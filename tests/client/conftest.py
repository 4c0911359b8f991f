"""A client with a scripted transport that returns given replies and stores the requests."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import httpx
import pytest

from paylab.client import Client
from paylab.client.settings import Settings

NOW = datetime(2026, 1, 31, 9, 30, 0, 123000, tzinfo=UTC)


class Script(httpx.BaseTransport):
    """A transport that returns its replies in order and stores the requests and the sleeps."""

    def __init__(self, replies):
        self.replies, self.requests, self.naps = list(replies), [], []

    def handle_request(self, request):
        """Return the next reply; raise it if it is an exception."""
        request.read()
        self.requests.append(request)
        assert self.replies, f"asked once too often: {request}"
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return _response(reply)

    def sent(self, header):
        """The value of one header in each request."""
        return [request.headers.get(header) for request in self.requests]


def _response(reply):
    if isinstance(reply, httpx.Response):
        return reply
    if isinstance(reply, int):
        return httpx.Response(reply, json={})
    if isinstance(reply, bytes):
        return httpx.Response(200, content=reply)
    return httpx.Response(200, json=reply)


@pytest.fixture
def settings():
    """Settings for a service that does not exist."""
    return Settings("https://pay.test", "key_live_1234", "s3cr3t/with+signs=")


@pytest.fixture
def scripted(settings):
    """Make a client and its script from replies: statuses, JSON, bytes, responses, exceptions."""

    def make(*replies, **options):
        script = Script(replies)
        given = {"clock": lambda: NOW, "sleep": script.naps.append, "random": Random(7)}
        return Client(settings, transport=script, **{**given, **options}), script

    return make
