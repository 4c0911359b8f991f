"""The values of the client: immutable, and shown without what they hold."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import FrozenInstanceError, is_dataclass
from datetime import UTC, datetime

import httpx
import pytest

import paylab.client
from paylab.client.call import Body, Call, Timings
from paylab.client.exchange import describe_transport_failure
from paylab.client.orders import Order

NOW = datetime(2026, 1, 31, 9, 30, 0, 123000, tzinfo=UTC)
PRIVATE = "private words"
MADE_ONCE = {"DeferredCall", "OrderTicket"}
"""The classes that are filled after they were made."""

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(paylab.client.__path__, "paylab.client.")
]
VALUES = {
    kind
    for module in MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__
}


def test_a_value_is_not_changed():
    """No attribute of a value can be set."""
    for kind in (each for each in VALUES if each.__name__ not in MADE_ONCE):
        with pytest.raises(FrozenInstanceError):
            object.__new__(kind).anything = 1


def test_no_repr_shows_what_was_sent_or_answered(scripted):
    """A request, its answer and its record are shown without bodies and headers."""
    reply = httpx.Response(200, json={"a": PRIVATE}, headers={"X-A": PRIVATE})
    client, _ = scripted(reply)
    options = {"json": {"a": PRIVATE}, "headers": {"X-B": PRIVATE}}
    response = client.send("POST", "/v1/x", **options)
    call = client.calls[0]
    order = Order("transfers.create", {"a": PRIVATE})
    shown = (
        *(response, response.attempt, response.exchange, response.exchange.request),
        *(call, call.request_body, call.response_body, order),
        describe_transport_failure(httpx.ReadError(PRIVATE)),
    )
    assert PRIVATE in call.request_body.text
    assert PRIVATE in call.response_body.text
    assert not [each for each in shown if PRIVATE in repr(each)]


EVENTS = [
    ("connection.connect_tcp.started", 1.0),
    ("connection.connect_tcp.complete", 1.5),
    ("connection.start_tls.started", 1.5),
    ("connection.start_tls.complete", 1.75),
    ("http11.send_request_headers.started", 2.0),
    ("http11.send_request_headers.complete", 2.125),
    ("http11.receive_response_headers.started", 3.0),
    ("http11.receive_response_headers.complete", 5.0),
    ("http11.receive_response_body.started", 5.0),
    ("http11.receive_response_body.complete", 9.0),
    ("http11.response_closed.complete", 9.0),  # whose start nobody told of
]


def test_the_times_of_a_call_are_those_of_its_steps():
    """Each step counts for connecting, waiting or reading; without a network there are none."""
    assert Timings.of(EVENTS) == Timings(connecting=0.75, waiting=2.125, reading=4.0)
    assert Timings.of(EVENTS).total == 6.875
    assert str(Timings.of(EVENTS)) == "6875.0 ms (connecting 750.0, waiting 2125.0, reading 4000.0)"
    assert Timings.of([]) is None
    assert Timings.of(EVENTS[-1:]) is None


@pytest.mark.parametrize(
    ("status", "failed"),
    [(None, True), (199, True), (200, False), (299, False), (300, True), (404, True)],
)
def test_a_call_failed_unless_its_status_is_2xx(status, failed):
    """A call without an answer failed too."""
    assert Call(NOW, "GET", "/", "https://pay.test/", status).failed == failed


def test_the_path_of_a_call_has_no_query(scripted):
    """Its URL has it."""
    client, _ = scripted({})
    client.request("get", "/v1/transfers?limit=1", params={"cursor": "a"})
    [call] = client.calls
    assert (call.method, call.path) == ("GET", "/v1/transfers")
    assert call.url == "https://pay.test/v1/transfers?limit=1&cursor=a"


def test_a_call_is_shown_as_one_line():
    """A call is its request, outcome, time and number of the attempt."""
    call = Call(NOW, "GET", "/v1/x", "https://pay.test/v1/x", 201, replayed=True)
    assert repr(call) == "<Call GET /v1/x -> 201, replayed, attempt 1>"
    lost = Call(NOW, "GET", "/v1/x", "", error="cut", spent=Timings(0.001, 0.002, 0.003), attempt=2)
    assert str(lost) == "GET /v1/x -> no answer (cut) in 6 ms, attempt 2"


def test_a_body_is_shown_indented_if_it_is_json():
    """Other text is shown as it is; a body without bytes is false."""
    assert Body('{"a":"ñ"}', 10).pretty() == '{\n  "a": "ñ"\n}'
    assert Body("[" * 5, 5).pretty() == str(Body("[" * 5, 5)) == "[" * 5
    assert (bool(Body()), bool(Body("a", 1)), Body().exact) == (False, True, True)
