"""Python values as JSON bodies, paths and queries."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from types import SimpleNamespace
from uuid import UUID

import pytest

from paylab.client import parameters
from paylab.client.request import build_url, encode
from paylab.errors import RuleError
from paylab.spec.models import Address
from paylab.spec.money import Amount
from paylab.spec.service import Service


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("text", "text"),
        (True, True),
        (5, 5),
        (Decimal("10.50"), "10.50"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0E-8"), "0.00000000"),
        (Amount("007.10"), "007.10"),
        (datetime(2026, 1, 31, 9, 30, 0, 123456, UTC), "2026-01-31T09:30:00.123Z"),
        (datetime(2026, 1, 31, 1, tzinfo=timezone(timedelta(hours=2))), "2026-01-30T23:00:00.000Z"),
        (date(1990, 5, 4), "1990-05-04"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (["a", Decimal("1.0")], ["a", "1.0"]),
        (("a",), ["a"]),
        ({"b": {"c": None, "d": date(1990, 5, 4)}}, {"b": {"d": "1990-05-04"}}),
        (Address(country="MX"), {"country": "MX"}),
    ],
)
def test_a_value_as_it_is_sent(value, sent):
    """Amounts and times are sent as exact text, and None is left out."""
    assert parameters.body_fields({"a": value, "nothing": None}) == {"a": sent}


def test_a_whole_amount_is_text_too():
    """A whole number as an amount is sent as text; in other fields it stays a number."""
    assert parameters.body_fields({"source_amount": 50, "limit": 50}) == {
        "source_amount": "50",
        "limit": 50,
    }


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.5, "text or a Decimal"),
        (Decimal("NaN"), "finite"),
        (Decimal("Infinity"), "finite"),
        (Decimal("1E+999999"), "at most 100 digits"),
        (Decimal("1E-999999"), "at most 100 digits"),
        (datetime(2026, 1, 31), "time zone"),
        (datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5))), "between the years"),
        (b"bytes", "bytes cannot be sent"),
        (object(), "object cannot be sent"),
        (SimpleNamespace(raw={"id": "fa_1"}), "SimpleNamespace cannot be sent"),
    ],
)
@pytest.mark.parametrize("place", ["a", "a.b", "a.0"])
def test_what_cannot_be_sent_is_refused_by_field(value, words, place):
    """A value that cannot be sent raises RuleError with its dotted field name."""
    nested = {"a": value, "a.b": {"b": value}, "a.0": [value]}[place]
    with pytest.raises(RuleError, match=words) as caught:
        parameters.body_fields({"a": nested})
    assert [problem.field for problem in caught.value.problems] == [place]


def test_all_that_cannot_be_sent_is_listed():
    """One RuleError lists every value that cannot be sent."""
    with pytest.raises(RuleError) as caught:
        parameters.body_fields({"a": 1.5, "b": [b"", 2.5]})
    assert [problem.field for problem in caught.value.problems] == ["a", "b.0", "b.1"]


def test_json_is_compact_utf_8():
    """A body is written as compact UTF-8 JSON, with a Decimal as text."""
    body = {"name": "María", "rate": Decimal("1.50"), "speed": 0.5}
    assert encode(body) == '{"name":"María","rate":"1.50","speed":0.5}'.encode()


@pytest.mark.parametrize("body", [{"a": "\ud800"}, {"a": float("nan")}, {"a": object()}, {(1,): 2}])
def test_a_body_that_is_no_json_is_refused(body):
    """A body that cannot be written as JSON raises RuleError."""
    with pytest.raises(RuleError, match="cannot be sent as JSON"):
        encode(body)


@pytest.mark.parametrize(
    ("identifier", "raw"),
    [
        ("tr_1", b"/v1/transfers/tr_1"),
        ("a/b", b"/v1/transfers/a%2Fb"),
        ("a?b#c", b"/v1/transfers/a%3Fb%23c"),
        ("%41", b"/v1/transfers/%2541"),
        ("..", b"/v1/transfers/%2E%2E"),
        (".", b"/v1/transfers/%2E"),
        ("é x", b"/v1/transfers/%C3%A9%20x"),
    ],
)
def test_an_id_is_one_segment_of_the_path(identifier, raw):
    """An id is encoded as one path segment, whatever characters it contains."""
    path = Service().path("transfers.get", id=identifier)
    assert build_url("https://pay.test", path).raw_path == raw


@pytest.mark.parametrize("identifier", ["", None, True, {}, {"id": ""}, Address(), b"tr_1"])
def test_a_value_without_an_id_is_refused(scripted, identifier):
    """A value without an id raises RuleError and is not sent; it would address the list."""
    client, script = scripted()
    with pytest.raises(RuleError, match=r"must be an? .*id"):
        client.transfers.get(identifier)
    assert script.requests == []


@pytest.mark.parametrize(
    ("path", "params", "raw"),
    [
        ("/v1/x", {"a": "b c", "n": None, "l": [1, 2]}, b"/pre/v1/x?a=b+c&l=1&l=2"),
        ("/v1/x?b=1", {"a": True}, b"/pre/v1/x?b=1&a=true"),
        ("/v1/x?b=%20", None, b"/pre/v1/x?b=%20"),
        ("//other.test/x", None, b"/pre//other.test/x"),
    ],
)
def test_a_request_goes_below_the_base_url(path, params, raw):
    """The prefix of the base URL stays, parameters are encoded, and no path changes the host."""
    url = build_url("https://pay.test/pre", path, params)
    assert (url.host, url.raw_path) == ("pay.test", raw)


@pytest.mark.parametrize("path", ["v1/x", "", "https://other.test/v1/x", "/v1\n/x", "/v1/x#part"])
def test_a_path_that_cannot_be_sent(path):
    """A path that is relative, a URL, or has a line break or a fragment raises RuleError."""
    with pytest.raises(RuleError, match="path"):
        build_url("https://pay.test", path)


def test_the_body_is_json_only_where_there_is_one(scripted):
    """Only a request with a body has a Content-Type."""
    client, script = scripted({}, {})
    client.request("POST", "/v1/x", json={"a": 1})
    client.request("GET", "/v1/x")
    assert script.sent("content-type") == ["application/json", None]
