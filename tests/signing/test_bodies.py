"""The mistake that explains a wrong X-Content-SHA256."""

from __future__ import annotations

import json
from hashlib import sha256
from time import perf_counter

import pytest

from paylab.signing.body_mistakes import find_body_mistake

PERSON = {"b": "María", "a": ["1.00", None]}
SENT = json.dumps(PERSON, ensure_ascii=False, separators=(",", ":")).encode()


def hashed(text):
    """The SHA-256 of a text, in hex."""
    return sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("claimed", "mistake", "words"),
    [
        (sha256(SENT).hexdigest().upper(), "uppercase-hash", "lower-case hex"),
        (hashed(""), "body-changed", "an empty body"),
        (hashed(SENT.decode() + "\n"), "body-changed", "a line break at its end"),
        (hashed(json.dumps(PERSON, ensure_ascii=False)), "body-changed", "with spaces after"),
        (hashed(json.dumps(PERSON)), "body-changed", "letters escaped"),
        (hashed(json.dumps(PERSON, separators=(",", ":"))), "body-changed", "letters escaped"),
        (hashed(json.dumps(PERSON, indent=2, ensure_ascii=False)), "body-changed", "by 2"),
        (hashed(json.dumps(PERSON, indent=4) + "\n"), "body-changed", "by 4, letters escaped"),
        (hashed('{"a":["1.00",null],"b":"María"}'), "body-changed", "without spaces, keys sorted"),
    ],
)
def test_a_wrong_hash_of_a_body_is_explained(claimed, mistake, words):
    """The finding has the id of the mistake and describes how the hash is wrong."""
    found = find_body_mistake(claimed, SENT)
    assert found.id == mistake
    assert words in found.message


def test_the_body_was_sent_with_white_space_around_it_but_hashed_without_it():
    """The body was sent with white space around it, but hashed without it."""
    found = find_body_mistake(hashed("{ }"), b"\r\n{ }\n")
    assert "without the white space around it" in found.message


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"\n", b"{", b"\xff\xfe", b"\x00" * 9, b"1e999", b"NaN", b'"\\ud800"', b'{"a":1}'),
        *(b"9" * 5000, b"[" * 900 + b"]" * 900, b"[" * 100_000),
        b'{"a":' * 200 + b"1" + b"}" * 200,
    ],
)
def test_a_hash_of_unknown_origin_is_not_explained(body):
    """A hash of unknown origin is not explained, and no body makes the search fail."""
    assert find_body_mistake("0" * 64, body) is None


@pytest.mark.parametrize(("size", "is_tried"), [(1_000_000, True), (1_000_001, False)])
def test_the_longest_body_that_is_written_otherwise(size, is_tried):
    """Other formats are tried for bodies of up to a million bytes."""
    body = b"x" * size
    assert bool(find_body_mistake(sha256(body + b"\n").hexdigest(), body)) == is_tried


def test_the_search_in_a_very_large_body_ends_within_a_second():
    """Other formats are not tried for a very large body: the search ends within a second."""
    body = b"[" + b"1," * 10_000_000 + b"1]"
    started = perf_counter()
    assert find_body_mistake("0" * 64, body) is None
    assert perf_counter() - started < 1
