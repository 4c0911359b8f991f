"""What an error body says, whatever its shape: text, object, list, HTML or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from typing import Any

from ..errors import Problem
from ..redaction import Redaction
from .plain import plain
from .reading import parse

TEXT_KEYS = ("error", "message", "error_message", "error_description", "detail", "title", "reason")
LIST_KEYS = ("errors", "details", "detail", "problems", "violations", "error")
FIELD_KEYS = ("field", "path", "param", "loc", "name", "property")
WORD_KEYS = ("message", "msg", "error", "reason", "detail", "description", "code")
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
    except (ValueError, RecursionError):
        body, problems, words = text or None, (), _visible(text)
    return Said(plain(words) or _name(status), problems, body)


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


def _words(body: object) -> str:
    if isinstance(body, dict):
        found = (_words(body[key]) for key in TEXT_KEYS if body.get(key))
        return next((words for words in found if words), "")
    if body is None or isinstance(body, list):
        return ""
    return _visible(body) if isinstance(body, str) else str(body)


def _problems(body: object) -> Iterator[Problem]:
    if isinstance(body, list):
        yield from (_problem(item) for item in body)
    if isinstance(body, dict):
        for key in LIST_KEYS:
            yield from _listed(body.get(key))


def _listed(value: object) -> Iterator[Problem]:
    if isinstance(value, list):
        yield from (_problem(item) for item in value)
    elif isinstance(value, dict):
        yield from _by_field(value)


def _by_field(value: dict[str, Any]) -> Iterator[Problem]:
    """`{"email": ["is required"]}`; an object that is one error in itself lists no fields."""
    if value.keys() & {*TEXT_KEYS, "code"}:
        yield from _problems(value)
        return
    for field, words in value.items():
        for word in words if isinstance(words, list) else [words]:
            yield Problem(plain(field, 100), plain(_words(word) or str(word)), SOURCE)


def _problem(item: object) -> Problem:
    if not isinstance(item, dict):
        return Problem("", plain(_words(item) or str(item)), SOURCE)
    field = next((item[key] for key in FIELD_KEYS if item.get(key)), "")
    words = next((_words(item[key]) for key in WORD_KEYS if item.get(key)), "")
    return Problem(plain(_dotted(field), 100), plain(words or "is refused"), SOURCE)


def _dotted(field: object) -> str:
    parts = field if isinstance(field, list) else [field]
    return ".".join(str(part) for part in parts)
