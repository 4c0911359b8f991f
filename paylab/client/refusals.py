"""What an error body says, whatever its shape: text, object, list, HTML or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from itertools import islice
from typing import Any

from ..errors import Problem
from ..printable import plain
from ..redaction import Redaction
from .reading import parse

# Names of keys without case and underscores, the likeliest first.
TEXT_KEYS = (
    *("error", "message", "errormessage", "errordescription", "detail", "title", "reason"),
    *("description", "msg", "issue", "summary", "faultstring", "code", "errorcode"),
)
LIST_KEYS = (
    *("errors", "details", "detail", "problems", "violations", "error", "message", "messages"),
    *("issues", "reasons", "invalidparams"),
)
FIELD_KEYS = ("field", "path", "param", "parameter", "loc", "name", "property", "pointer")
WORD_KEYS = ("message", "msg", "error", "reason", "detail", "description", "issue", "title", "code")
# What every body of a status says; other words beside it say more.
PHRASES = frozenset(status.phrase for status in HTTPStatus)
MOST_WORDS = 10
MOST_PROBLEMS = 100
# Problems the service listed rest on no rule of ours.
SOURCE = "service"

INVISIBLE = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
MARKUP = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)
# Looking for the end of an element that never ends takes quadratic time.
LONGEST_MARKUP = 2**13


@dataclass(frozen=True)
class Said:
    """The service's words, the field problems it listed, and the body they came in."""

    text: str
    problems: tuple[Problem, ...] = ()
    body: Any = None


def read_refusal(status: int, content: bytes, redaction: Redaction) -> Said:
    """What the service said when it refused; the status's own name when it said nothing."""
    text = redaction.text(content.decode("utf-8", "replace"))
    try:
        body = redaction.json(parse(content))
        problems = tuple(_problems(body))[:MOST_PROBLEMS]
        words = _words(body) or "; ".join(map(str, problems))
        words = words or "; ".join(islice(_anything(body), MOST_WORDS))
    except (ValueError, RecursionError):
        body, problems, words = text or None, (), _visible(text)
    # Markup and entities are gone from the words: what they hid is looked for again.
    return Said(plain(redaction.text(words)) or _name(status), problems, body)


def _name(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no reason given"


def _visible(text: str) -> str:
    """The text a person would see; markup is only looked for where there is some."""
    text = text[:LONGEST_MARKUP]
    if not MARKUP.search(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE.sub(" ", text)))


def _folded(body: dict[str, Any]) -> dict[str, Any]:
    """An object by the plain names of its keys: `errorMessage` and `error_message` are one."""
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
    """The first words; a sentence is added to a mere code, and a status's own name gives way."""
    first, *others = [each for each in words if each not in PHRASES] or words or [""]
    sentence = next((each for each in others if " " in each), "")
    return f"{first}: {sentence}" if sentence and " " not in first else first


def _anything(body: object, name: str = "") -> Iterator[str]:
    """Every text of a body with the name it stands under, for keys nobody knows."""
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
    """`{"email": ["is required"]}`; an object that is one error in itself lists no fields."""
    if _folded(value).keys() & {*TEXT_KEYS}:
        yield from _problems(value)
        return
    for field, words in value.items():
        for word in words if isinstance(words, list) else [words]:
            yield Problem(plain(field, 100), plain(_words(word) or str(word)), SOURCE)


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
