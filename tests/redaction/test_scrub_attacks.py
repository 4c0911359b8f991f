"""What leaves through a gap in `paylab scrub`, and what it must not touch."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from functools import cache

import pytest
from scrub_cases import INNOCENT, INNOCENT_DOCUMENTS, LEAKS, outputs, result, source, stream

from paylab.cli.main import main
from paylab.redaction.scrub import scrub

URL_SAFE = str.maketrans("+/", "-_")


def texts(value):
    """Every text and number in a document, as one text for each."""
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts(part)]
    if isinstance(value, list):
        inner = [text for part in value for text in texts(part)]
        return [*inner, "".join(inner), ", ".join(inner)]
    return [str(value), *inside(str(value))]


@cache
def inside(text):
    """The texts in a text that is JSON, or Base64 of a text; most texts are in every document."""
    for read in (json.loads, lambda text: urlsafe_b64decode(text.translate(URL_SAFE)).decode()):
        try:
            inner = read(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(inner, str | dict | list):
            return texts(inner)
    return []


def holds(document, secret):
    """Whether a text or the texts of a list have a secret."""
    return any(secret in text for text in texts(document))


@pytest.mark.parametrize(("document", "secret"), LEAKS.values(), ids=LEAKS)
def test_no_leak_survives_scrubbing(document, secret):
    """A scrubbed document has neither the secret nor a finding."""
    assert holds(document, secret)
    clean, findings = scrub(document)
    assert findings
    assert not holds(clean, secret)
    assert scrub(clean) == (clean, [])


@pytest.mark.parametrize("name", ["image in hex", "Base64 in lines"])
def test_the_command_finds_and_removes_a_leak(tmp_path, name):
    """`--check` ends with status 1, and a scrubbed file has neither the secret nor a finding."""
    document, secret = LEAKS[name]
    path = tmp_path / "book.json"
    path.write_text(json.dumps(document))
    assert main(["scrub", "--check", str(path)]) == 1
    assert main(["scrub", str(path)]) == 0
    assert not holds(json.loads(path.read_text()), secret)
    assert main(["scrub", "--check", str(path)]) == 0


def test_no_innocent_text_changes():
    """In a source, a stream, a value, and HTML."""
    for text in INNOCENT:
        made = outputs(stream(text), result([text]), result(f"<p>{text}</p>", "text/html"))
        for document in (source(text), made):
            assert scrub(document) == (document, []), text


@pytest.mark.parametrize("document", INNOCENT_DOCUMENTS)
def test_no_innocent_document_changes(document):
    """In lists, streams and parsed JSON."""
    assert scrub(document) == (document, [])
