"""The words of an error body: its message, its codes, and its visible text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from http import HTTPStatus

from ..errors.api import REQUEST_ID_KEYS
from .text import JsonMapping, JsonObject, JsonValue

TEXTS_MAX = 100
ERROR_DEPTH = 12
"""What is nested more deeply is not read."""
# Names of keys without case, underscores and hyphens, most likely first.
CODES = ("error", "title", "issue", "code", "errorcode")
MESSAGES = (
    "errordetails", "message", "errormessage", "errordescription", "detail", "description",
    "reason", "msg", "text", "responsetext", "failuremessage", "failurereason", "summary",
    "faultstring", "statusmessage", "errors",
)  # fmt: skip
READ_KEYS = frozenset((*CODES, *MESSAGES))
STATUS_PHRASES = frozenset(
    {
        *(status.phrase.lower() for status in HTTPStatus),
        *("request entity too large", "content too large"),
        *("request-uri too long", "uri too long"),
        *("requested range not satisfiable", "range not satisfiable"),
        *("unprocessable entity", "unprocessable content"),
    }
)
"""The standard texts of the statuses, old and new; any other text is preferred.

Python 3.13 has the new texts of RFC 9110, and services send both.
"""

NAME_FOR_PROGRAMS = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)+")

INVISIBLE_MARKUP = re.compile(
    r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE
)
TAG = re.compile(r"<[^<>]*>")
HTML_TAG = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)
# Searching the end of an unclosed element would take quadratic time.
MARKUP_CHARACTERS_MAX = 2**13


def read_error_message(body: JsonValue, depth: int = ERROR_DEPTH) -> list[str]:
    """The message of a body: a text, or a code and a text; empty if it has none."""
    if isinstance(body, dict):
        return _read_object_message(body, depth)
    items = body[:TEXTS_MAX] if isinstance(body, list) else [body]
    texts = list(map(read_scalar, items))
    has_texts_only = bool(texts) and all(texts)
    return ["; ".join(texts)] if has_texts_only else []


def _read_object_message(body: JsonObject, depth: int) -> list[str]:
    """The message of an object: a text, or a code and a text; empty if it has none."""
    by_name = fold_keys(body)
    code = _read_first_message(by_name, CODES, depth)
    message = _read_first_message(by_name, MESSAGES, depth)
    if not code and not message:
        return _read_inner_message(by_name, depth)  # {"problem": {"code": ..., "message": ...}}
    if not code or not message or code == message:
        return [message or code]
    if _is_sentence_with_name(code, message):
        return [code]
    return [code, message] if _is_code_needed(by_name, code, message) else [message]


def _is_sentence_with_name(code: str, message: str) -> bool:
    """Whether the code is the sentence: {"error": "Amount is too low", "message": "amount"}."""
    return " " in code and (_is_name(message) or message.lower() in code.lower())


def _is_code_needed(by_name: JsonMapping, code: str, message: str) -> bool:
    """Whether a code says more than its message, as {"error": "limit", "message": "too much"}.

    Only the value of `error` does: {"title": "Bad Request", "detail": "amount is missing"}, of
    problem+json, has a title that repeats the status or the detail.
    """
    error = by_name.get("error")
    return isinstance(error, str) and not is_status_phrase(error) and code not in message


def _read_inner_message(by_name: JsonMapping, depth: int) -> list[str]:
    """The message of the first error object inside a body that has one; empty if none has."""
    if not depth:
        return []
    for error in _find_error_objects(by_name):
        message = read_error_message(error, depth - 1)
        if message:
            return message
    return []


def _is_name(text: str) -> bool:
    """Whether a text is a name for programs, like stale-date, and no word of a sentence."""
    return NAME_FOR_PROGRAMS.fullmatch(text) is not None


def _read_first_message(by_name: JsonMapping, keys: Iterable[str], depth: int) -> str:
    """The text at the first of these keys that has one; a phrase of HTTP only if nothing else."""
    if not depth:
        return ""
    status_phrase = ""
    for key in keys:
        if key not in by_name or _has_lists_by_field(key, by_name[key]):
            continue
        text = ": ".join(read_error_message(by_name[key], depth - 1))
        if text and not is_status_phrase(text):
            return text
        status_phrase = status_phrase or text
    return status_phrase


def _has_lists_by_field(key: str, value: JsonValue) -> bool:
    """Whether `errors` has lists by field: its keys are no title or message of an error."""
    return key == "errors" and isinstance(value, dict) and has_messages_by_field(value, ERROR_DEPTH)


def _find_error_objects(by_name: JsonMapping) -> Iterator[JsonObject]:
    """The objects in a body with a code and a message: each is an error, whatever its key."""
    for key, value in by_name.items():
        # The values of these keys were read: reading them twice at each depth would take long.
        if key in READ_KEYS or not isinstance(value, dict):
            continue
        inner_keys = fold_keys(value).keys()
        has_code = bool(inner_keys & {"code", "errorcode"})
        has_message = bool(inner_keys & {*MESSAGES})
        if has_code and has_message:
            yield value


def read_scalar(value: JsonValue) -> str:
    """The visible text of a text or a number; "" for any other value."""
    if value is None or isinstance(value, dict | list | bool):
        return ""
    return strip_markup(value).strip() if isinstance(value, str) else str(value)


def find_texts(json_value: JsonValue, key: str = "", depth: int = ERROR_DEPTH) -> Iterator[str]:
    """Yield every text of a body after the key that has it, for unknown shapes."""
    if isinstance(json_value, dict) and depth:
        for inner_key, member in json_value.items():
            if not is_request_id(inner_key):
                yield from find_texts(member, str(inner_key), depth - 1)
    elif isinstance(json_value, list) and depth:
        for item in json_value:
            yield from find_texts(item, key, depth - 1)
    elif isinstance(json_value, str) and json_value.strip():
        visible_text = strip_markup(json_value)
        yield f"{key}: {visible_text}" if key else visible_text


def is_request_id(key: object) -> bool:
    """Whether a key or a code is that of the id of the request, which errors show elsewhere."""
    return str(key).replace("_", "").replace("-", "").lower() in REQUEST_ID_KEYS


def fold_keys(body: JsonMapping) -> JsonObject:
    """An object by normalised keys: `errorMessage` and `error_message` are the same."""
    return {str(key).replace("_", "").replace("-", "").lower(): body[key] for key in body}


def has_messages_by_field(value: object, depth: int) -> bool:
    """Whether an object has messages for fields, at any depth, and nothing else."""
    if not depth or not isinstance(value, dict):
        return False
    members = list(value.values())
    return any(members) and all(_are_messages(member, depth - 1) for member in members)


def _are_messages(value: object, depth: int) -> bool:
    """Whether a value is a list of messages of a field, or an object of fields with messages."""
    if isinstance(value, list):
        return all(_is_text_or_messages(item, depth) for item in value)
    return has_messages_by_field(value, depth)


def _is_text_or_messages(item: JsonValue, depth: int) -> bool:
    return isinstance(item, str) or item == {} or has_messages_by_field(item, depth)


def is_status_phrase(text: str) -> bool:
    """Whether a text is only the standard phrase of a status, also as a code: bad_request."""
    return text.strip(" .").replace("_", " ").lower() in STATUS_PHRASES


def strip_markup(text: str) -> str:
    """The visible text of a text that may be HTML."""
    text = text[:MARKUP_CHARACTERS_MAX]
    if not is_markup(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE_MARKUP.sub(" ", text)))


def is_markup(text: str) -> bool:
    """Whether a text is an HTML page or a part of one."""
    return HTML_TAG.search(text[:MARKUP_CHARACTERS_MAX]) is not None
