"""The words of an error body: its message, its codes, and its visible text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from http import HTTPStatus
from typing import Any

from ..errors.api import BODY_IDS

MOST_TEXTS = 100
DEEPEST = 12
"""What is nested more deeply is not read."""
# Names of keys without case, underscores and hyphens, most likely first.
CODES = ("error", "title", "issue", "code", "errorcode")
MESSAGES = (
    "errordetails", "message", "errormessage", "errordescription", "detail", "description",
    "reason", "msg", "text", "responsetext", "failuremessage", "failurereason", "summary",
    "faultstring", "statusmessage", "errors",
)  # fmt: skip
READ = frozenset((*CODES, *MESSAGES))
PHRASES = frozenset(status.phrase.lower() for status in HTTPStatus)
"""The standard texts of the statuses; any other text is preferred."""

INVISIBLE = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
HTML_TAG = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)
# Searching the end of an unclosed element would take quadratic time.
LONGEST_MARKUP = 2**13


def body_words(body: object, depth: int = DEEPEST) -> list[str]:
    """The message of a body: a text, or a code and a text."""
    if isinstance(body, dict):
        known = by_folded_name(body)
        code = _chosen(known, CODES, depth)
        message = _chosen(known, MESSAGES, depth)
        if not message and not code:
            inner = (body_words(error, depth - 1) for error in _errors_in(known) if depth)
            return next(filter(None, inner), [])
        if not message or not code or message == code:
            return [message or code] if message or code else []
        # A title and the status are repeated in a detail; the value of `error` is not.
        is_told = isinstance(known.get("error"), str) and not is_phrase(known["error"])
        return [code, message] if is_told and code not in message else [message]
    items = body[:MOST_TEXTS] if isinstance(body, list) else [body]
    texts = list(map(scalar_text, items))
    return ["; ".join(texts)] if texts and all(texts) else []


def _chosen(known: Mapping[str, Any], keys: Iterable[str], depth: int) -> str:
    """The text at the first of these keys that has one; a phrase of HTTP only if nothing else."""
    values = [known[key] for key in keys if key in known and not _is_lists(key, known[key])]
    texts = [": ".join(body_words(value, depth - 1)) for value in values if depth]
    texts = [text for text in texts if text]
    return next((text for text in texts if not is_phrase(text)), "") or next(iter(texts), "")


def _is_lists(key: str, value: object) -> bool:
    """Whether errors are lists by field: its keys are no title or message of an error."""
    return key == "errors" and isinstance(value, dict) and is_by_field(value, DEEPEST)


def _errors_in(known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects in a body with a code and a message: each is an error, whatever its key."""
    for key, value in known.items():
        # Those of the other keys were read: reading them twice at each depth would take long.
        inner = by_folded_name(value) if isinstance(value, dict) and key not in READ else {}
        if inner.keys() & {"code", "errorcode"} and inner.keys() & set(MESSAGES):
            yield value


def scalar_text(value: object) -> str:
    """The visible text of a text or a number; "" for any other value."""
    if value is None or isinstance(value, dict | list | bool):
        return ""
    return visible_text(value).strip() if isinstance(value, str) else str(value)


def every_text(body: object, name: str = "", depth: int = DEEPEST) -> Iterator[str]:
    """Every text of a body with its key, for unknown shapes."""
    if isinstance(body, dict) and depth:
        for key, value in body.items():
            if not is_request_id(key):
                yield from every_text(value, str(key), depth - 1)
    elif isinstance(body, list) and depth:
        for value in body:
            yield from every_text(value, name, depth - 1)
    elif isinstance(body, str) and body.strip():
        yield f"{name}: {visible_text(body)}" if name else visible_text(body)


def is_request_id(key: object) -> bool:
    """Whether a key or a code is of the id of the request, which the hint tells."""
    return str(key).replace("_", "").replace("-", "").lower() in BODY_IDS


def by_folded_name(body: Mapping[Any, Any]) -> dict[str, Any]:
    """An object by normalised keys: `errorMessage` and `error_message` are the same."""
    return {str(name).replace("_", "").replace("-", "").lower(): body[name] for name in body}


def is_by_field(value: object, depth: int) -> bool:
    """Whether an object has messages for fields, at any depth, and nothing else."""
    if not depth or not isinstance(value, dict):
        return False
    members = list(value.values())
    return any(members) and all(_are_messages(each, depth - 1) for each in members)


def _are_messages(value: object, depth: int) -> bool:
    if isinstance(value, list):
        return all(
            isinstance(each, str) or each == {} or is_by_field(each, depth) for each in value
        )
    return is_by_field(value, depth)


def is_phrase(text: str) -> bool:
    """Whether a text is only the standard phrase of a status, also as a code: bad_request."""
    return text.strip(" .").replace("_", " ").lower() in PHRASES


def visible_text(text: str) -> str:
    """The visible text of a text that may be HTML."""
    text = text[:LONGEST_MARKUP]
    if not is_markup(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE.sub(" ", text)))


def is_markup(text: str) -> bool:
    """Whether a text is an HTML page or a part of one."""
    return HTML_TAG.search(text[:LONGEST_MARKUP]) is not None
