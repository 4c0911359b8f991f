"""What scrub takes for an example, a placeholder or a small picture, exactly at the bounds."""

from __future__ import annotations

from struct import pack

import pytest

from paylab.corridors.examples import PEOPLE
from paylab.redaction.document_rules import is_example_number
from paylab.redaction.placeholders import is_placeholder, is_stand_in, is_word
from paylab.redaction.scrub import scrub
from paylab.redaction.scrub_rules import (
    is_small_base64_image,
    is_small_image,
)
from paylab.redaction.text_cleaner import RULES
from paylab.spec.codes import IMAGE_MIN

CURP = str(next(iter(PEOPLE.values()))["document"]["number"])


@pytest.mark.parametrize(
    ("text", "stand_in", "placeholder", "word"),
    [
        ("", True, True, True),
        ("***", True, True, True),
        ("env:PAYLAB_SECRET_KEY_1", True, True, True),
        ("keyring:me1", True, True, True),
        ("<SECRET1>", True, True, True),
        ("$SECRET1", True, True, True),
        ("{secret1}", True, True, True),
        ("your-api-key", True, True, True),
        ("xxxx", True, True, True),
        ("x" * 24, True, True, True),
        ("w" * 24, False, True, True),
        ("w" * 25, False, False, False),
        ("word1", False, False, True),
        ("word1234", False, False, False),
        ("some_name_1", False, False, True),
        ("config.secret1", False, False, True),
        (f"{'w' * 24}.a1", False, False, True),
        (f"{'w' * 25}.a1", False, False, False),
        ("a.1b", False, False, False),
        ("Zm9yIHRlc3Rz", False, False, False),
    ],
)
def test_stand_ins_placeholders_and_words_are_told_apart(text, stand_in, placeholder, word):
    """A stand-in names no secret, a placeholder may be a word of prose, a word a name in code."""
    assert (is_stand_in(text), is_placeholder(text), is_word(text)) == (stand_in, placeholder, word)


@pytest.mark.parametrize(
    ("number", "example"), [(CURP, True), ("000.000", True), ("", True), ("001", False)]
)
def test_numbers_of_example_people_and_of_zeros_stay(number, example):
    """The numbers of example people, and numbers of zeros."""
    assert is_example_number(number) == example


def png(size, width=21, height=21, depth=1):
    """The head of a PNG, filled up to a size."""
    head = b"\x89PNG\r\n\x1a\n" + pack(">I4sIIB", 13, b"IHDR", width, height, depth)
    return head.ljust(size, b"\0")


@pytest.mark.parametrize(
    ("data", "small"),
    [
        (bytes(IMAGE_MIN - 1), True),
        (bytes(IMAGE_MIN), False),
        (png(IMAGE_MIN), True),
        (png(2**16), True),
        (png(2**16 + 1), False),
        (png(IMAGE_MIN, height=22), False),
        (png(IMAGE_MIN, depth=8), False),
        (b"GIF89a".ljust(16, b"\0") + png(IMAGE_MIN)[16:], False),
    ],
)
def test_only_a_small_image_or_a_qr_code_counts_as_small(data, small):
    """Smaller than any image of the service, or a QR code: a square PNG of two colours."""
    assert is_small_image(data) == small


def test_a_picture_that_cannot_be_read_is_not_small():
    """Text that is no Base64 is removed."""
    assert (is_small_base64_image("A"), is_small_base64_image("")) == (False, True)


def cleaned(source):
    """A source after scrubbing, and the kinds that were found."""
    clean, found = scrub({"cells": [{"cell_type": "code", "source": source}]})
    return clean["cells"][0]["source"], [each.kind for each in found]


PDF = "data:application/pdf;base64,"


@pytest.mark.parametrize(
    ("source", "clean", "kinds"),
    [
        (PDF + "A" * 31, PDF + "A" * 31, []),
        (PDF + "A" * 32, "[removed: data URI]", ["data URI"]),
        (
            "{'token': 'abcdefgh', 'applicant_id': 'a'}",
            "{'token': '[removed: share token]', 'applicant_id': 'a'}",
            ["share token"],
        ),
        ("token: abcdefgh, applicant_id: a", "token: abcdefgh, applicant_id: a", []),
        ("token: abcdefg1", "token: abcdefg1", []),
        (["x-api-key", "abc1"], ["x-api-key", "[removed: key]"], ["key"]),
        (["x-api-key", "abc1", "z"], ["x-api-key", "abc1", "z"], []),
        ([{"header": "X-API-Key", "value": "abc1"}], None, ["key"]),
        ([{"field": "api_key", "value": "word"}], None, []),
        ([{"secret_key": "abcdef1"}, "abcdef1"], None, ["key"]),
        ([{"secret_key": "abcdefg1"}, "abcdefg1"], None, ["key", "key"]),
        ([{"type": "curp", "number": "AB12"}], None, ["document number"]),
        ([{"type": "curp", "number": "none"}], None, []),
        ([{"type": "curp", "number": CURP}], None, []),
        ([{"type": "card", "number": "AB12"}], None, []),
        ([{"document": {"number": 98765}}], None, ["document number"]),
        ([{"image/png": "A" * 20}, {"image/svg+xml": "<svg/>"}], None, []),
        ([{"image/png": "A"}], [{}], ["image"]),
        ([{"application/pdf": ""}], [{}], ["PDF"]),
        ([{"cookies": [{"name": "a", "value": "abc1"}, {"name": "b"}]}], None, ["key"]),
        ([{"cookies": ["value", {"name": "b"}, 5]}], None, []),
        ([{"encoding": "base64", "text": "cGtfbGl2ZV9hYmNkZWZnaGlqa2xtbm9wMQ=="}], None, ["key"]),
    ],
)
def test_from_which_size_and_by_which_names(source, clean, kinds):
    """URIs of 60 characters, secrets of eight, and what the name of a field makes secret."""
    found = cleaned(source)
    assert found[1] == kinds
    assert clean is None or found[0] == clean
    assert kinds or found[0] == source


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.example], ids=lambda r: r.example)
def test_a_rule_finds_one_secret_in_its_example(rule):
    """The example of a rule has one secret, which no scrubbed file has."""
    [(start, end)] = rule.find(rule.example)
    cleaned, leaks = scrub({"cells": [{"source": rule.example}]})
    assert rule.example[start:end] not in str(cleaned)
    assert leaks


@pytest.mark.parametrize(
    ("labelled_value", "is_found"),
    [
        ("2024-01-01", False),
        ("2024-01-01T10:20:30.123Z", False),
        ("2024-01-01T10:20+02:00", False),
        ("2024-01-01xyzSECRETkey99", True),
    ],
)
def test_a_key_that_begins_with_a_date_is_found(labelled_value, is_found):
    """A date, with or without a time, is no secret; what follows a date otherwise is."""
    text = f"the secret is {labelled_value}"
    found_spans = [span for rule in RULES for span in rule.find(text)]
    assert bool(found_spans) is is_found
