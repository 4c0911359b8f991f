"""What an error body says: the service's words and its problems by field, in any shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from itertools import islice
from typing import Any

from ..errors import Problem
from ..redaction.redaction import Redaction
from ..spec.paging import value_at
from ..spec.text import plain
from .response import parse_json

# Names of keys without case and underscores, most likely first.
TEXT_KEYS = (
    *("error", "message", "errormessage", "errordescription", "detail", "title", "reason"),
    *("description", "msg", "text", "issue", "summary", "faultstring", "code", "errorcode"),
)
LIST_KEYS = (
    *("errors", "details", "detail", "problems", "violations", "error", "message", "messages"),
    *("issues", "reasons", "invalidparams"),
)
FIELD_KEYS = ("field", "path", "param", "parameter", "loc", "name", "property", "pointer")
WORD_KEYS = (
    *("message", "msg", "text", "error", "reason", "detail", "description", "issue", "title"),
    "code",
)
# The standard text of a status; any other text is preferred.
PHRASES = frozenset(status.phrase for status in HTTPStatus)
MOST_WORDS = 10
MOST_PROBLEMS = 100
# Problems listed by the service have no rule of ours.
SOURCE = "service"
INVISIBLE = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)

TAG = re.compile(r"<[^<>]*>")
MARKUP = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)

# Searching the end of an unclosed element would take quadratic time.
LONGEST_MARKUP = 2**13


@dataclass(frozen=True)
class ErrorBody:
    """The service's message, its field problems, and the body."""

    text: str
    problems: tuple[Problem, ...] = ()
    body: Any = None


def read_refusal(status: int, content: bytes, redaction: Redaction, form: Any = None) -> ErrorBody:
    """The message of a refusal, or the name of the status.

    `form` are the [errors] of a service: where its words stand, before all other places.
    """
    text = redaction.text(content.decode("utf-8", "replace"))
    try:
        body = redaction.json(parse_json(content))
        stated = _problems_at(body, form) if form else ()
        problems = tuple(stated or _problems(body))[:MOST_PROBLEMS]
        stated_words = _text(value_at(body, form.words)) if form else ""
        words = stated_words or _words(body) or "; ".join(map(str, problems))
        if not words or words.isdigit():  # any word is better than a bare number
            words = "; ".join(islice(_anything(body), MOST_WORDS)) or words
    except (ValueError, RecursionError):
        body, problems, words = text or None, (), _visible(text)
    # Markup and entities are gone from the words: what they hid is looked for again.
    return ErrorBody(plain(redaction.text(words)) or _name(status), problems, body)


def _problems_at(body: object, form: Any) -> tuple[Problem, ...]:
    """The field problems by the settings of the service."""
    found = value_at(body, form.problems)
    if form.list_form == "by_field" and isinstance(found, dict):
        return tuple(_by_field(found))
    if not isinstance(found, list):
        return ()
    return tuple(
        Problem(plain(_dotted(field), 100), plain(_words(words)), SOURCE)
        if (field := value_at(item, form.field)) and (words := value_at(item, form.message))
        else _problem(item)
        for item in found
    )


def _name(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no reason given"


def _visible(text: str) -> str:
    """The visible text of a body that may be HTML."""
    text = text[:LONGEST_MARKUP]
    if not MARKUP.search(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE.sub(" ", text)))


def _folded(body: dict[str, Any]) -> dict[str, Any]:
    """An object by normalised keys: `errorMessage` and `error_message` are the same."""
    return {str(name).replace("_", "").replace("-", "").lower(): body[name] for name in body}


def _words(body: object) -> str:
    if isinstance(body, dict):
        known = _folded(body)
        return _chosen([words for key in TEXT_KEYS if (words := _words(known.get(key)))])
    if isinstance(body, list):
        texts = [_text(item) for item in body[:MOST_PROBLEMS]]
        return "; ".join(texts) if all(texts) else ""
    return _text(body)


def _text(value: object) -> str:
    if value is None or isinstance(value, dict | list | bool):
        return ""
    return _visible(value) if isinstance(value, str) else str(value)


def _chosen(words: list[str]) -> str:
    """The message: a sentence is preferred to a code or the name of the status."""
    first, *others = [each for each in words if each not in PHRASES] or words or [""]
    sentence = next((each for each in others if " " in each), "")
    return f"{first}: {sentence}" if sentence and " " not in first else first


def _anything(body: object, name: str = "") -> Iterator[str]:
    """Every text of a body with its key, for unknown formats."""
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _anything(value, str(key))
    elif isinstance(body, list):
        for value in body:
            yield from _anything(value, name)
    elif isinstance(body, str) and body.strip():
        yield f"{name}: {_visible(body)}" if name else _visible(body)


def _problems(body: object) -> Iterator[Problem]:
    if isinstance(body, list):
        yield from (_problem(item) for item in body)
    if isinstance(body, dict):
        known = _folded(body)
        for key in LIST_KEYS:
            yield from _listed(known.get(key))


def _listed(value: object) -> Iterator[Problem]:
    if isinstance(value, list):
        yield from (_problem(item) for item in value)
    elif isinstance(value, dict):
        yield from _by_field(value)


def _by_field(value: dict[str, Any]) -> Iterator[Problem]:
    """Field problems of the form `{"email": ["is required"]}`."""
    if _folded(value).keys() & {*TEXT_KEYS} or any(map(_lists_objects, value.values())):
        yield from _problems(value)
        return
    for field, words in value.items():
        for word in words if isinstance(words, list) else [words]:
            yield Problem(plain(field, 100), plain(_words(word) or str(word)), SOURCE)


def _lists_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _problem(item: object) -> Problem:
    if not isinstance(item, dict):
        return Problem("", plain(_words(item) or str(item)), SOURCE)
    known = _folded(item)
    source = known.get("source")  # where JSON:API names the field
    named = {**(_folded(source) if isinstance(source, dict) else {}), **known}
    field = next((named[key] for key in FIELD_KEYS if named.get(key)), "")
    words = next((said for key in WORD_KEYS if (said := _words(known.get(key)))), "")
    return Problem(plain(_dotted(field), 100), plain(words or "is refused"), SOURCE)


def _dotted(field: object) -> str:
    """`a.0.b`, from a list of steps or a JSON pointer too."""
    parts = field if isinstance(field, list) else [field]
    text = ".".join(str(part) for part in parts)
    return text.removeprefix("/data/attributes").strip("/").replace("/", ".")
