"""Faults on calls over a socket."""

from __future__ import annotations

import time

import httpx
import pytest

PATH = "/v1/transfers"


def fault(wire, kind, **details):
    """Add a fault."""
    return wire.made("/_simulator/faults", {"kind": kind, **details})


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("refuse", (httpx.RemoteProtocolError, httpx.ReadError)),
        ("drop_after", (httpx.RemoteProtocolError, httpx.ReadError)),
        ("truncate", (httpx.RemoteProtocolError, httpx.ReadError)),
    ],
)
def test_the_client_gets_no_answer_or_half_of_one(wire, kind, error, caplog):
    """The client gets no answer or half of one; the next request succeeds, and nothing is logged.

    uvicorn logs an error, which a notebook shows in red, for an answer that was not begun.
    """
    fault(wire, kind)
    with pytest.raises(error):
        wire.get(PATH)
    assert wire.get(PATH).status == 200
    assert [one.message for one in caplog.records if one.name.startswith("uvicorn")] == []


def test_a_truncated_answer_has_the_full_content_length_and_half_the_body(wire):
    """A truncated answer has the full Content-Length and half the body."""
    fault(wire, "truncate")
    target, headers, got = wire.server.base_url + PATH, wire.signed("GET", PATH), []
    with (
        httpx.Client() as client,
        client.stream("GET", target, headers=headers) as response,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        got.extend(response.iter_bytes())
    assert response.status_code == 200
    assert len(b"".join(got)) == int(response.headers["content-length"]) // 2


def test_a_request_with_the_fault_timeout_gets_no_answer(wire):
    """A request with the fault timeout gets no answer; other requests succeed meanwhile."""
    fault(wire, "timeout")
    began = time.monotonic()
    with httpx.Client(timeout=0.3) as client, pytest.raises(httpx.ReadTimeout):
        client.get(wire.server.base_url + PATH, headers=wire.signed("GET", PATH))
    assert time.monotonic() - began < 2
    assert wire.get(PATH).status == 200


def test_a_request_whose_answer_is_dropped_was_carried_out(wire):
    """After drop_after the transfer exists although the client got no answer."""
    account = wire.payable()
    body = {
        "financial_account": {"id": account["id"]},
        "source_currency": "usd",
        "destination_currency": "mxn",
        "payout_method": "spei",
        "source_amount": "5",
    }
    fault(wire, "drop_after", method="POST", path=PATH)
    with pytest.raises(httpx.HTTPError):
        wire.post(PATH, body)
    assert len(wire.get(PATH)["data"]) == 1


@pytest.mark.parametrize(
    ("kind", "details", "status", "header"),
    [
        ("html", {}, 502, ("content-type", "text/html")),
        ("status", {"status": 429, "retry_after": 3}, 429, ("retry-after", "3")),
        ("status", {"status": 503}, 503, ("content-type", "application/json")),
        ("skew", {"seconds": 400}, 401, ("content-type", "application/json")),
        ("skew", {"seconds": 200}, 200, ("content-type", "application/json")),
    ],
)
def test_over_a_socket_a_fault_gives_the_expected_status_and_header(
    wire, kind, details, status, header
):
    """Over a socket a fault gives the expected status and header."""
    fault(wire, kind, **details)
    answer = wire.get(PATH)
    assert (answer.status, answer.headers[header[0]]) == (status, header[1])


def test_the_fault_bad_cursor_refuses_a_valid_cursor_once(wire):
    """The fault bad_cursor refuses a valid cursor once."""
    wire.post("/_simulator/seed", {"transfers": 2})
    cursor = wire.get(f"{PATH}?limit=1")["cursor"]
    fault(wire, "bad_cursor")
    answers = [wire.get(f"{PATH}?limit=1&cursor={cursor}") for _ in range(2)]
    assert [answer.status for answer in answers] == [400, 200]
    assert answers[0].json == {"error": "Invalid pagination token"}


def test_only_the_struck_connection_is_cut(wire):
    """A fault does not close the idle connection of another client."""
    with httpx.Client() as other:
        url = wire.server.base_url + PATH
        assert other.get(url, headers=wire.signed("GET", PATH)).status_code == 200
        fault(wire, "refuse")
        with pytest.raises(httpx.HTTPError):
            wire.get(PATH)
        assert other.get(url, headers=wire.signed("GET", PATH)).status_code == 200


def test_a_custom_fault_cuts_delays_and_slows_a_body(wire):
    """So many bytes arrive of a cut body; a late and slow one arrives whole, and late."""
    whole = wire.get(PATH).body
    fault(wire, "custom", operation="transfers.list", cut_after=5, times=1)
    fault(wire, "custom", operation="transfers.list", delay=0.2, slow=0.2, times=1)
    url, headers, received = wire.server.base_url + PATH, wire.signed("GET", PATH), []
    answer = httpx.stream("GET", url, headers=headers, trust_env=False)
    with answer as response, pytest.raises(httpx.RemoteProtocolError):
        received.extend(response.iter_raw())
    assert b"".join(received) == whole[:5]
    begun = time.monotonic()
    assert wire.get(PATH).body == whole
    assert time.monotonic() - begun >= 0.35
