"""`paylab.signing.sign` refuses parts that no request has, each a usual reason of a 401."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from paylab import signing
from paylab.errors import ArgumentError, RuleWarning

RIGHT = {
    "secret": "secret",
    "method": "GET",
    "path": "/v1/transfers",
    "query": "limit=2",
    "headers": {"host": "a.test", "x-date": "2026-01-31T09:30:00.123Z"},
    "content_hash": signing.EMPTY_HASH,
}


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("secret", "", "secret is empty"),
        ("secret", b"", "secret is empty"),
        ("method", "get", "must be in upper case, such as GET, not 'get'"),
        ("method", None, "must be the text as it is sent, not None"),
        ("path", "v1/transfers", "must begin with /"),
        ("path", "/v1/transfers?limit=2", "pass what follows ? as query"),
        ("query", "?limit=2", "must not begin with ?"),
        ("query", {"limit": 2}, "query must be the text as it is sent"),
        ("headers", {}, "x-date is missing, whose value is signed; they are none"),
        ("headers", {"host": "x"}, "x-date is missing, whose value is signed; they are host"),
        ("headers", {"X-Date": "x"}, "must have lower-case names, not 'X-Date'"),
        ("headers", {"x-date": datetime(2026, 1, 1, tzinfo=UTC)}, "headers['x-date'] must be"),
        ("headers", [("x-date", "x")], "must be a dict of names and values"),
        ("headers", {1: "x"}, "a name of headers must be the text"),
        ("content_hash", b"abc", "content_hash must be the text"),
    ],
)
def test_a_part_that_no_request_has_is_named(part, value, words):
    """The error names the part and what it must be, and never shows the secret."""
    with pytest.raises(ArgumentError) as raised:
        signing.sign(**RIGHT | {part: value})
    assert words in str(raised.value)
    assert raised.value.argument.startswith(part) or part in str(raised.value)


@pytest.mark.parametrize("content_hash", ["abc", signing.EMPTY_HASH.upper()])
def test_a_hash_in_another_form_is_signed_with_a_warning(content_hash):
    """A service may hash in another way, so the value is signed as it is."""
    with pytest.warns(RuleWarning, match="content_hash: is no SHA-256 in lower-case hex"):
        signature = signing.sign(**RIGHT | {"content_hash": content_hash})
    assert signature.canonical.endswith(content_hash)


def test_a_right_request_is_signed():
    """The checks change nothing of what is signed."""
    assert signing.sign(**RIGHT).canonical.startswith("GET\n/v1/transfers\nlimit=2\nhost:a.test\n")
