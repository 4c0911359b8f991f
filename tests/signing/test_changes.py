"""A changed request is refused with a reason, and no input makes the verifier raise an error."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paylab.signing.canonical import ReceivedRequest
from paylab.signing.unauthorized import verify

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
DATE = {"unreadable-date", "stale-date", "signature"}
LISTED = {"missing-header", "malformed-authorization"}


def spoilt(text):
    """Yield the text with one character changed, removed or doubled, for every character."""
    for at, letter in enumerate(text):
        for new in (chr(ord(letter) ^ 1), letter.swapcase(), "", letter * 2):
            changed = text[:at] + new + text[at + 1 :]
            if changed != text:
                yield changed


@pytest.mark.parametrize("part", ["method", "path", "query"])
def test_changing_any_character_of_the_method_path_or_query_invalidates_the_signature(
    signed, check, part
):
    """Changing any character of the method, path or query invalidates the signature."""
    request = signed(path="/v1/a%2Fb//c+d", query="x=%c3%a1&y=+")
    reasons = {
        getattr(check(replace(request, **{part: text})), "reason", text)
        for text in [*spoilt(getattr(request, part))][::3]  # each is searched for a mistake
    }
    assert reasons == {"signature"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("host", {"signature"}),
        ("x-api-key", {"unknown-key"}),
        ("x-date", DATE),
        ("x-content-sha256", {"body-hash"}),
        ("x-nonce", {"signature"}),
        ("x-name", {"signature"}),
    ],
)
def test_changing_any_character_of_a_signed_header_is_refused_with_the_expected_reason(
    signed, check, resent, name, expected
):
    """Changing any character of a signed header is refused with the expected reason."""
    request = signed(headers={"x-name": "María: ñ"})
    reasons = {
        getattr(check(resent(request, **{name: text})), "reason", text)
        for text in [*spoilt(request.headers[name])][:: 3 if expected == {"signature"} else 1]
    }
    assert reasons == expected


@pytest.mark.parametrize(
    ("after", "until", "expected"),
    [
        ("", "Credential=", {"malformed-authorization"}),
        ("Credential=", ",Sig", {"unknown-key", *LISTED}),
        ("SignedHeaders=", ",Sig", LISTED),
        ("Signature=", "", {"signature", "malformed-authorization"}),
    ],
)
def test_changing_any_character_of_the_authorization_header_is_refused(
    signed, check, resent, after, until, expected
):
    """Changing any character of the Authorization header is refused."""
    request = signed()
    line = request.headers["authorization"]
    start = line.index(after) + len(after)
    stop = line.index(until, start) if until else len(line)
    texts = list(spoilt(line[start:stop]))[:: 7 if after == "Signature=" else 1]  # it is searched
    lines = (line[:start] + text + line[stop:] for text in texts)
    reasons = {
        getattr(check(resent(request, authorization=each)), "reason", each) for each in lines
    }
    assert reasons <= expected


def test_changing_any_bit_of_the_body_is_refused_because_of_the_body_hash(signed, check):
    """Changing any bit of the body is refused because of the body hash."""
    request = signed(body='{"name":"María"}'.encode())
    for at in range(len(request.body) * 8):
        body = bytearray(request.body)
        body[at // 8] ^= 1 << at % 8
        assert check(replace(request, body=bytes(body))).reason == "body-hash"


def test_bytes_that_are_no_text(signed, check, resent):
    """The same letter in another encoding is refused in a path, a query and a header."""
    request = signed(path="/v1/é", query="é", headers={"x-name": "é"})
    assert check(request) is None
    for changed in (
        replace(request, path="/v1/\xe9"),
        replace(request, query="\xe9"),
        resent(request, x_name="\xe9"),
        resent(request, x_name="é?"),
        resent(request, x_name="e\u0301"),
    ):
        assert check(changed).reason == "signature"


def test_exchanging_the_values_of_two_signed_headers_is_refused(signed, check, resent):
    """Exchanging the values of two signed headers is refused."""
    request = signed(headers={"x-a": "1", "x-b": "2"})
    assert check(resent(request, x_a="2", x_b="1")).reason == "signature"


ANY = st.text(st.characters(), max_size=60)
BYTES = st.binary(max_size=60).map(lambda data: data.decode("latin-1"))
TEXT = ANY | BYTES
NAMES = st.sampled_from(
    ["host", "x-api-key", "x-date", "x-content-sha256", "x-nonce", "authorization"]
)


@settings(deadline=None, max_examples=40)
@given(
    st.builds(
        ReceivedRequest,
        TEXT,
        TEXT,
        TEXT,
        st.dictionaries(NAMES | TEXT, TEXT),
        st.binary(max_size=60),
    )
)
def test_a_request_of_random_text_is_refused_with_a_message(request):
    """A request of random text is refused with a message."""
    assert verify(request, {}.get, NOW).message


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_request_with_one_junk_header_is_refused(signed, check, resent, data):
    """A valid request in which one header is random text is refused."""
    request = signed()
    name, text = data.draw(NAMES), data.draw(TEXT)
    refusal = check(resent(request, **{name: text}))
    assert refusal is None if text == request.headers[name] else refusal.message


@settings(deadline=None, max_examples=40)
@given(TEXT, TEXT, TEXT, st.dictionaries(TEXT, TEXT, max_size=3))
def test_a_request_of_random_text_with_a_well_formed_authorization_header_is_refused(
    signed, check, resent, method, path, query, headers
):
    """A request of random text with a well-formed Authorization header is refused."""
    request = replace(signed(), method=method, path=path, query=query)
    junk = {f"x{name.lower()}": text for name, text in headers.items()}
    line = request.headers["authorization"]
    names = ";".join(["host;x-api-key;x-content-sha256;x-date;x-nonce", *junk])
    parts = line.split("SignedHeaders=")[0], names, line.split(",Signature=")[1]
    spoiled = "{}SignedHeaders={},Signature={}".format(*parts)
    sent = {**request.headers, **junk, "authorization": spoiled}
    assert check(replace(request, headers=sent)).message
