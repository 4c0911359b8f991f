"""The words of an error body: its message, its codes, and its visible text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from http import HTTPStatus

from ..errors.api import REQUEST_ID_KEYS
from .error_keys import CODE_KEYS, MESSAGE_KEYS, READ_KEYS
from .text import JsonMapping, JsonObject, JsonValue

TEXTS_MAX = 100
ERROR_DEPTH = 12
"""What is nested more deeply is not read."""
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


def read_error_message(body: JsonValue, depth_left: int = ERROR_DEPTH) -> list[str]:
    """The message of an error body as one text, or as a code and a text; empty without any.

    `{"error": "limit_exceeded", "message": "too much"}` has both.
    """
    if isinstance(body, dict):
        return _read_object_message(body, depth_left)
    items = body[:TEXTS_MAX] if isinstance(body, list) else [body]
    texts = list(map(read_scalar, items))
    has_texts_only = bool(texts) and all(texts)
    return ["; ".join(texts)] if has_texts_only else []


def _read_object_message(body: JsonObject, depth_left: int) -> list[str]:
    """The message of an object: a text, or a code and a text; empty if it has none."""
    folded_body = fold_keys(body)
    code = _read_first_message(folded_body, CODE_KEYS, depth_left)
    message = _read_first_message(folded_body, MESSAGE_KEYS, depth_left)
    if not code and not message:
        # {"problem": {"code": ..., "message": ...}}
        return _read_inner_message(folded_body, depth_left)
    if not message:
        return [code]
    if not code or code == message:
        return [message]
    if _is_sentence_with_name(code, message):
        return [code]
    return [code, message] if _is_code_needed(folded_body, code, message) else [message]


def _is_sentence_with_name(code: str, message: str) -> bool:
    """Whether the code is the sentence, and the message a name or a part of it.

    As in `{"error": "Amount is too low", "message": "amount"}`.
    """
    return " " in code and (_is_name(message) or message.lower() in code.lower())


def _is_code_needed(folded_body: JsonMapping, code: str, message: str) -> bool:
    """Whether a code says more than its message, as {"error": "limit", "message": "too much"}.

    Only the value of `error` does: {"title": "Bad Request", "detail": "amount is missing"}, of
    problem+json, has a title that repeats the status or the detail.
    """
    error_value = folded_body.get("error")
    return (
        isinstance(error_value, str) and not is_status_phrase(error_value) and code not in message
    )


def _read_inner_message(folded_body: JsonMapping, depth_left: int) -> list[str]:
    """The message of the first error object inside a body; empty if none has one.

    The keys of the body are those of `fold_keys`; `depth_left` levels of objects are read.
    """
    if not depth_left:
        return []
    for error_object in _find_error_objects(folded_body):
        message_parts = read_error_message(error_object, depth_left - 1)
        if message_parts:
            return message_parts
    return []


def _is_name(text: str) -> bool:
    """Whether a text is a name for programs, such as stale-date, and not a sentence."""
    return NAME_FOR_PROGRAMS.fullmatch(text) is not None


def _read_first_message(folded_body: JsonMapping, keys: Iterable[str], depth_left: int) -> str:
    """The text at the first of these keys that has one; "" if none has.

    A mere status phrase, such as "Bad Request", is returned only if no key has another text.
    """
    if not depth_left:
        return ""
    status_phrase = ""
    for key in keys:
        if key not in folded_body or _has_lists_by_field(key, folded_body[key]):
            continue
        message_text = ": ".join(read_error_message(folded_body[key], depth_left - 1))
        if message_text and not is_status_phrase(message_text):
            return message_text
        status_phrase = status_phrase or message_text
    return status_phrase


def _has_lists_by_field(key: str, value: JsonValue) -> bool:
    """Whether the key is `errors` and the value has messages by field: {"email": ["is taken"]}.

    A field called `title` or `message` is no title or message of the error then.
    """
    return key == "errors" and isinstance(value, dict) and has_messages_by_field(value, ERROR_DEPTH)


def _find_error_objects(folded_body: JsonMapping) -> Iterator[JsonObject]:
    """Yield the objects in a body with a code and a message: each is an error, whatever its key."""
    for body_key, inner_value in folded_body.items():
        # The values of these keys were read: reading them twice at each depth would take long.
        if body_key in READ_KEYS or not isinstance(inner_value, dict):
            continue
        inner_keys = fold_keys(inner_value).keys()
        has_code = bool(inner_keys & {"code", "errorcode"})
        has_message = bool(inner_keys & {*MESSAGE_KEYS})
        if has_code and has_message:
            yield inner_value


def read_scalar(value: JsonValue) -> str:
    """A text without markup, or a number as text; "" for any other value."""
    if value is None or isinstance(value, dict | list | bool):
        return ""
    return strip_markup(value).strip() if isinstance(value, str) else str(value)


def find_texts(
    json_value: JsonValue, key: str = "", depth_left: int = ERROR_DEPTH
) -> Iterator[str]:
    """Yield every text in a body of unknown shape, after its key: "amount: is too low"."""
    if isinstance(json_value, dict) and depth_left:
        for inner_key, inner_value in json_value.items():
            if not is_request_id(inner_key):
                yield from find_texts(inner_value, str(inner_key), depth_left - 1)
    elif isinstance(json_value, list) and depth_left:
        for item in json_value:
            yield from find_texts(item, key, depth_left - 1)
    elif isinstance(json_value, str) and json_value.strip():
        visible_text = strip_markup(json_value)
        yield f"{key}: {visible_text}" if key else visible_text


def is_request_id(key: object) -> bool:
    """Whether a key or a code is that of the id of the request, which errors show elsewhere."""
    return str(key).replace("_", "").replace("-", "").lower() in REQUEST_ID_KEYS


def fold_keys(body: JsonMapping) -> JsonObject:
    """Copy an object with its keys in lower case, without "_" and "-".

    `errorMessage`, `error_message` and `Error-Message` all become `errormessage`.
    """
    return {
        str(body_key).replace("_", "").replace("-", "").lower(): body[body_key] for body_key in body
    }


def has_messages_by_field(value: object, depth_left: int) -> bool:
    """Whether an object consists of messages by field, such as `{"amount": ["is too low"]}`.

    Fields may be inside others, down to `depth_left`. An object of empty values has no messages.
    """
    if not depth_left or not isinstance(value, dict):
        return False
    members = list(value.values())
    return any(members) and all(_are_messages(member, depth_left - 1) for member in members)


def _are_messages(value: object, depth_left: int) -> bool:
    """Whether a value is a list of messages of a field, or an object of fields with messages."""
    if isinstance(value, list):
        return all(_is_text_or_messages(item, depth_left) for item in value)
    return has_messages_by_field(value, depth_left)


def _is_text_or_messages(item: JsonValue, depth_left: int) -> bool:
    """Whether an item of a list is a message, or an object of fields with messages."""
    return isinstance(item, str) or item == {} or has_messages_by_field(item, depth_left)


def is_status_phrase(text: str) -> bool:
    """Whether a text is only the standard phrase of a status, also as a code: bad_request."""
    return text.strip(" .").replace("_", " ").lower() in STATUS_PHRASES


def strip_markup(text: str) -> str:
    """Remove the tags of a text if it is HTML; a long text is cut."""
    text = text[:MARKUP_CHARACTERS_MAX]
    if not is_markup(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE_MARKUP.sub(" ", text)))


def is_markup(text: str) -> bool:
    """Whether a text is an HTML page or a part of one."""
    return HTML_TAG.search(text[:MARKUP_CHARACTERS_MAX]) is not None
