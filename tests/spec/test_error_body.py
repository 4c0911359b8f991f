"""One reader of error bodies: words and field problems of generated and of hostile shapes."""

from __future__ import annotations

import json
from itertools import product

import pytest

from paylab.client.failures import read_refusal
from paylab.redaction.redaction import Redaction
from paylab.spec.complaints import read_sentence
from paylab.spec.error_body import read_error
from paylab.spec.error_words import is_status_phrase

FIELDS = (
    *("country", "recipient_id", "senderName", "details.wallet_address", "address.line_1"),
    *("financial_accounts.0.details.account_number", "a.b.c.d.e"),
)
TEXTS = ("is required", "must be upper case", "is unknown", "should have 18 digits", "is missing")


def steps(field):
    """A field as the steps to it, with numbers as numbers."""
    return [int(part) if part.isdecimal() else part for part in field.split(".")]


def nested(field, value):
    """An object that has a value at a field."""
    for part in reversed(steps(field)):
        value = [value] if part == 0 else {part: value}
    return value


def brackets(field):
    """A field with its numbers in brackets."""
    return field.replace(".0.", "[0].")


def pointer(field):
    """A field as a JSON pointer."""
    return "/" + field.replace(".", "/")


SHAPES = {
    "text": lambda f, t: f"{f} {t}",
    "quoted": lambda f, t: {"message": f"\"{f}\" {t}"},
    "colon": lambda f, t: {"error": f"{brackets(f)}: {t}"},
    "introduced": lambda f, t: {"error": f"Validation failed: {f} {t}"},
    "second": lambda f, t: {"error": f"It was refused. The {f} field {t}."},
    "first-only": lambda f, t: {"error": {"message": f"{brackets(f)} {t}", "code": 17}},
    "oauth": lambda f, t: {"error": "invalid_request", "error_description": f"{f} {t}"},
    "param": lambda f, t: {"error": {"message": t, "param": f, "code": "x", "type": "y"}},
    "flat": lambda f, t: {"message": t, "field": f, "status": 400},
    "target": lambda f, t: {"error": {"code": "E", "message": t, "target": brackets(f)}},
    "objects": lambda f, t: {"error": "no", "errors": [{"field": f, "message": t}]},
    "array": lambda f, t: [{"path": steps(f), "message": t, "code": "c"}],
    "loc": lambda f, t: {"detail": [{"loc": ["body", *steps(f)], "msg": t, "type": "x"}]},
    "instance": lambda f, t: {"errors": [{"instancePath": pointer(f), "message": t}]},
    "rfc7807": lambda f, t: {
        "title": "Your request is not valid",
        "invalid-params": [{"name": f, "reason": t}],
    },
    "rfc9457": lambda f, t: {"title": "No", "errors": [{"detail": t, "pointer": f"#{pointer(f)}"}]},
    "detail": lambda f, t: {"type": "about:blank", "title": "No", "detail": f"{f} {t}"},
    "json-api": lambda f, t: {
        "errors": [
            {"title": "No", "detail": t, "source": {"pointer": f"/data/attributes{pointer(f)}"}}
        ]
    },
    "by-field": lambda f, t: {"errors": {brackets(f): [t]}},
    "json-path": lambda f, t: {"title": "No", "errors": {f"$.{brackets(f)}": [t]}},
    "by-field-text": lambda f, t: {"message": "no", "errors": {f: t}},
    "nested": lambda f, t: {"message": "no", "errors": nested(f, [t])},
    "nested-alone": lambda f, t: nested(f, [t]),
    "format": lambda f, t: {"errors": {"_errors": [], **nested(f, {"_errors": [t]})}},
    "by-path": lambda f, t: {"message": "no", "errors": {f: {"message": t, "path": f}}},
    "violations": lambda f, t: {
        "error": {"code": 3, "message": "no", "details": [{"fieldViolations": [
            {"field": f, "description": t}]}]}
    },
    "wrapped": lambda f, t: {"response": {"body": {"errors": [{"field": f, "message": t}]}}},
    "html": lambda f, t: f"<html><body><h1>400</h1><p>{f} {t}</p></body></html>",
    "names": lambda f, t: {"message": t, "fields": [f]},
}  # fmt: skip
SHAPE_COUNT = 1_000


def test_generated_shapes_read_the_same():
    """The same problem in each of 1,000 bodies has the same field and the same words."""
    cases = list(product(SHAPES, FIELDS, TEXTS))
    assert len(cases) >= SHAPE_COUNT
    wrong = {}
    for shape, field, text in cases:
        body = SHAPES[shape](field, text)
        content = body if isinstance(body, str) else json.dumps(body)
        found = read_refusal(400, content.encode(), Redaction([]))
        told = {(each.field, each.message.rstrip(".")) for each in found.problems}
        read = {(each.field, each.words.rstrip(".")) for each in found.complaints}
        if told != {(field, text)} or read != told or not found.text:
            wrong.setdefault(shape, []).append((field, text, told, found.text))
    assert not wrong


@pytest.mark.parametrize(
    ("sentence", "fields", "kind"),
    [
        ("details.wallet_address is required", ["details.wallet_address"], "missing"),
        ("unknown field 'x'", ["x"], "unknown"),
        ("Unrecognized key(s) in object: 'x', 'y'", ["x", "y"], "unknown"),
        ("Additional properties are not allowed ('x', 'y' were unexpected)", ["x", "y"], "unknown"),
        ("property x should not exist", ["x"], "unknown"),
        ("unknown field `x`, expected one of `a`, `b`", ["x"], "unknown"),
        ("Missing required fields: a, b_c and d", ["a", "b_c", "d"], "missing"),
        ("a.0.details.x missing required field: x", ["a.0.details.x"], "missing"),
        ("must have required property 'x'", ["x"], "missing"),
        ("'x' is a required property", ["x"], "missing"),
        ("The details.x field is required", ["details.x"], "missing"),
        ("body/details/x must be string", ["details.x"], ""),
        ("Invalid value for parameter 'x'", ["x"], ""),
        ("'foo' is not one of ['a', 'b']", [""], ""),
        ("account is not active", [""], ""),
        ("signature is invalid", [""], ""),
        ("invalid_request: the wallet is odd", [""], ""),
        ("no such individual", [""], ""),
        ("Validation is required", [""], "missing"),
    ],
)
def test_a_sentence_names_its_fields_or_none(sentence, fields, kind):
    """A sentence that is about fields names them; one about an object or a value names none."""
    told = list(read_sentence(sentence).split_by_field())
    assert [each.field for each in told] == fields
    assert {(each.is_missing, each.is_unknown) for each in told} == {
        (kind == "missing", kind == "unknown")
    }


def test_the_fields_of_a_problem_within_an_object():
    """Names in the words of a problem are fields of the object that it is about."""
    words = "must have required property 'x'"
    found = read_error([{"instancePath": "/details", "message": words}])
    assert [each.field for each in found.complaints] == ["details.x"]
    assert [each.field for each in found.problems] == ["details"]


@pytest.mark.parametrize(
    ("wrap", "levels"),
    [
        (lambda body: {"error": body}, 11),
        (lambda body: {"response": body}, 11),
        (lambda body: {"message": "no", "details": body}, 11),
        (lambda body: {"errors": [body]}, 6),
    ],
)
def test_a_problem_is_read_at_any_reasonable_depth(wrap, levels):
    """A problem within objects of errors is read down to twelve objects and lists."""
    body = {"field": "x", "message": "y"}
    for _ in range(levels):
        body = wrap(body)
        assert [(each.field, each.message) for each in read_error(body).problems] == [("x", "y")]
    assert ("x", "y") not in [
        (each.field, each.message) for each in read_error(wrap(body)).problems
    ]


def deep(value):
    """A body that is nested in itself 900 times under keys of errors."""
    for number in range(900):
        value = {("error", "errors", "details")[number % 3]: value}
    return value


@pytest.mark.parametrize(
    "body",
    [
        deep("x is required"),
        deep([{"field": "x", "message": "y"}] * 50),
        {"errors": [{"field": "a", "message": "b"}] * 10_000},
        {"errors": {f"f{n}": [{"message": "m"}] * 10 for n in range(500)}},
        {"errors": [[[[]]]] * 1_000, "error": [None, True, 1.5, {}]},
        {"field": {"a": 1}, "message": {"field": ["x"]}, "errors": {"": {"": [""]}}},
        {"errors": [{"field": "\x1b[2J" * 50, "message": "\x1b]0;x\x07\ud800"}]},
        {"message": "a_" * 20_000 + " is required", "errors": "' is" * 10_000},
        {"error": "<p" * 10_000 + "<script>" * 10_000},
        {"errors": {"/" * 5_000: "[" * 5_000, "a" * 5_000: [["b"]]}},
        *(None, True, 0, -1.5, "", [], {}, [None], {"": None}, {"errors": None}, {"error": {}}),
    ],
    ids=lambda body: str(body)[:20],
)
def test_a_hostile_body_is_read_within_limits(body):
    """Any body gives at most 100 printable problems, in bounded time and depth."""
    found = read_refusal(400, json.dumps(body).encode(), Redaction([]))
    assert found.text.isprintable()
    assert found.text
    assert len(found.problems) <= 100
    assert all(f"{each.field}{each.message}".isprintable() for each in found.problems)
    assert all(len(each.field) <= 100 and len(each.message) <= 500 for each in found.problems)


@pytest.mark.parametrize("key", ["error", "message", "detail", "errors", "surprise"])
@pytest.mark.parametrize(("depth", "is_read"), [(1, True), (12, True), (13, False), (900, False)])
def test_words_are_read_to_a_depth(key, depth, is_read):
    """Words stand at most twelve objects deep; a hostile body of any depth ends the search."""
    body = "insufficient funds"
    for _ in range(depth):
        body = {key: body}
    assert ("insufficient funds" in read_error(body).text) is is_read


def test_the_most_that_is_read():
    """A hundred problems, ten words of an unknown shape, and a hundred characters of a name."""
    many = [{"field": f"f{number}", "message": "m"} for number in range(101)]
    assert [len(read_error({"errors": many[:end]}).problems) for end in (99, 101)] == [99, 100]
    unknown = {f"key_{number}": {"why": "so"} for number in range(11)}
    assert read_error(unknown).text == "; ".join(["why: so"] * 10)
    for length, shown in ((100, "f" * 100), (101, "f" * 99 + "…")):
        (problem,) = read_error({"errors": [{"field": "f" * length, "message": "m"}]}).problems
        assert problem.field == shown


@pytest.mark.parametrize(
    ("body", "text", "fields"),
    [
        ({"error": "Bad Request", "message": "no", "path": "/v1/quotes"}, "no", []),
        ({"message": "no", "path": ["details", "clabe"]}, "no", ["details.clabe"]),
        ({"error": "invalid_request", "error_description": "no"}, "invalid_request: no", []),
        ({"error": "denied", "error_description": "it was denied"}, "it was denied", []),
    ],
)
def test_the_path_of_a_request_and_a_code(body, text, fields):
    """A text path is that of the request, steps are a field; a code in the words is left out."""
    found = read_error(body)
    assert (found.text, [each.field for each in found.problems]) == (text, fields)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "X-Date is too old", "reason": "stale-date"}, "X-Date is too old"),
        ({"error": "the signature differs", "reason": "signature"}, "the signature differs"),
        ({"error": "the amount is wrong", "reason": "negative"}, "the amount is wrong: negative"),
        ({"error": "bad_request_2", "reason": "stale-date"}, "bad_request_2: stale-date"),
        ({"error": "bad_request_2", "reason": "it is too old"}, "bad_request_2: it is too old"),
    ],
)
def test_a_sentence_is_not_followed_by_its_name(body, words):
    """The name of a reason is left out after a sentence, and a reason that says more is kept."""
    assert read_error(body).text == words


@pytest.mark.parametrize("phrase", ["Unprocessable Entity", "Unprocessable Content"])
def test_the_phrase_of_a_status_is_known_in_its_old_and_its_new_text(phrase):
    """RFC 9110 renamed phrases that services still send; Python has those of its version."""
    assert is_status_phrase(phrase)
