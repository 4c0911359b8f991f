"""The body of an error, in whatever shape a service sends it: its words and its field problems.

Known shapes: one text, a list of texts, `{"error"}`, `{"error", "error_description"}`,
`{"error": {"message", "param", "code"}}`, problem details (RFC 7807 and 9457), JSON:API, lists of
objects with a field and a message, and objects of field and messages at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from http import HTTPStatus
from itertools import chain, islice
from typing import Any

from ..errors.base import Problem
from .complaints import Complaint, dotted_path, is_missing, is_unknown, read_sentence, sentences
from .json_path import value_at
from .service.error_bodies import ErrorSettings
from .text import plain

SOURCE = "service"
"""The source of problems that the service reports; no rule of ours is behind them."""
MOST_PROBLEMS = 100
MOST_WORDS = 10
DEEPEST = 12
"""What is nested more deeply is not read."""
LONGEST_NAME = 100

# Names of keys without case, underscores and hyphens, most likely first.
CODES = ("error", "title", "issue", "code", "errorcode")
MESSAGES = (
    "message", "errormessage", "errordescription", "detail", "description", "reason", "msg",
    "text", "responsetext", "failuremessage", "failurereason", "summary", "faultstring", "errors",
)  # fmt: skip
LISTS = (
    "errors", "details", "detail", "problems", "violations", "error", "message", "messages",
    "issues", "reasons", "invalidparams", "fielderrors", "validationerrors", "invalidfields",
    "fieldviolations", "causes", "suberrors", "errormessages", "failedconstraints",
)  # fmt: skip
ONE_ERROR = frozenset({"error", "fault", "exception"})
"""Keys of one error. Other keys hold fields, unless a message is beside them."""
ALSO_FIELDS = frozenset({"details", "detail", "message", "messages", "reasons"})
"""Keys that may be fields of a request: an object without a message beside it is one."""
CONTAINERS = frozenset(LISTS) - ALSO_FIELDS
NAMES_ONLY = {
    "missingfields": "is missing",
    "missing": "is missing",
    "unknownfields": "is unknown",
    "fields": "",
}
"""Keys of lists of field names, and what they say about each."""
FIELDS = (
    "field", "fieldname", "param", "parameter", "pointer", "loc", "propertyname", "attribute",
    "target", "property", "propertypath", "instancepath",
)  # fmt: skip
ITEM_FIELDS = (*FIELDS, "path", "name", "key", "location", "reference")
"""In a list of problems, these name a field too; elsewhere a path is that of the request."""
ITEM_WORDS = (
    "message", "msg", "defaultmessage", "errormessage", "detail", "description", "text",
    "error", "issue", "reason", "title", "code",
)  # fmt: skip
PHRASES = frozenset(status.phrase for status in HTTPStatus)
"""The standard texts of the statuses; any other text is preferred."""

INVISIBLE = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
HTML_TAG = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)
# Searching the end of an unclosed element would take quadratic time.
LONGEST_MARKUP = 2**13


@dataclass(frozen=True)
class ErrorBody:
    """What an error body says: one printable line, its field problems, and the body."""

    text: str
    problems: tuple[Problem, ...] = ()
    body: Any = None

    @cached_property
    def complaints(self) -> tuple[Complaint, ...]:
        """What is said of each field; of an error without fields, its sentences."""
        problems = self.problems or tuple(
            Problem("", complaint_parts) for complaint_parts in sentences(self.text)
        )
        complaint_parts = (Complaint(problem.field, problem.message).each() for problem in problems)
        return tuple(dict.fromkeys(part for parts in complaint_parts for part in parts))


def read_error(body: object, form: ErrorSettings | None = None) -> ErrorBody:
    """The words and problems of a body: parsed JSON, or text that is not JSON.

    `form` are the [errors] of a service: where it keeps them, tried before all other places.
    """
    stated = _at(body, form) if form else []
    problems = stated or list(islice(_problems(body), MOST_PROBLEMS))
    texts = [text for text in [_scalar(value_at(body, form.words))] if text] if form else []
    if not texts or " " not in texts[0]:  # a code: the message beside it says more
        texts = _words(body) or texts
    if not any(problem.field for problem in problems):
        remaining_texts = texts or islice(_anything(body), MOST_PROBLEMS)
        from_sentences = (_spoken(part) for text in remaining_texts for part in sentences(text))
        with_fields = [
            part for part in from_sentences if part.field and (texts or _is_about_field(part))
        ]
        problems = with_fields or problems
    words = ": ".join(texts) or "; ".join(map(str, problems))
    if not words or words.isdigit():  # any word is better than a bare number
        words = "; ".join(islice(_anything(body), MOST_WORDS)) or words
    return ErrorBody(words, tuple(dict.fromkeys(problems))[:MOST_PROBLEMS], body)


def is_error(body: object) -> bool:
    """Whether an object describes an error, whatever the status of its answer."""
    if not isinstance(body, dict):
        return False
    return any(body.get(key) for key in ("error", "errors")) or body.get("success") is False


def _at(body: object, form: ErrorSettings) -> list[Problem]:
    """The field problems at the keys of the settings."""
    stated_problems = value_at(body, form.problems)
    if form.list_form == "by_field" and isinstance(stated_problems, dict):
        return list(islice(_by_field(stated_problems, ""), MOST_PROBLEMS))
    problems = list[Problem]()
    for item in stated_problems[:MOST_PROBLEMS] if isinstance(stated_problems, list) else ():
        field = value_at(item, form.field)
        words = _words(value_at(item, form.message))
        problems += [_problem(field, words[0])] if field and words else _item(item, 0)
    return problems


# Words


def _words(body: object, depth: int = DEEPEST) -> list[str]:
    """The message of a body: a text, or a code and a text."""
    if isinstance(body, dict):
        by_name = _folded(body)
        code = _chosen(by_name, CODES, depth)
        message = _chosen(by_name, MESSAGES, depth)
        if not message or not code or message == code:
            return [message or code] if message or code else []
        # A title and the status are repeated in a detail; the value of `error` is not.
        is_told = isinstance(by_name.get("error"), str) and by_name["error"] not in PHRASES
        return [code, message] if is_told and code not in message else [message]
    texts = [_scalar(item) for item in (body[:MOST_PROBLEMS] if isinstance(body, list) else [body])]
    return ["; ".join(texts)] if texts and all(texts) else []


def _chosen(known: Mapping[str, Any], keys: Iterable[str], depth: int) -> str:
    """The text at the first of these keys that has one; a phrase of HTTP only if nothing else."""
    texts = [": ".join(_words(known[key], depth - 1)) for key in keys if key in known and depth]
    texts = [text for text in texts if text]
    return next((text for text in texts if text not in PHRASES), "") or next(iter(texts), "")


def _scalar(value: object) -> str:
    if value is None or isinstance(value, dict | list | bool):
        return ""
    return visible_text(value).strip() if isinstance(value, str) else str(value)


def visible_text(text: str) -> str:
    """The visible text of a text that may be HTML."""
    text = text[:LONGEST_MARKUP]
    if not HTML_TAG.search(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE.sub(" ", text)))


def _anything(body: object, name: str = "", depth: int = DEEPEST) -> Iterator[str]:
    """Every text of a body with its key, for unknown shapes."""
    if isinstance(body, dict) and depth:
        for key, value in body.items():
            yield from _anything(value, str(key), depth - 1)
    elif isinstance(body, list) and depth:
        for value in body:
            yield from _anything(value, name, depth - 1)
    elif isinstance(body, str) and body.strip():
        yield f"{name}: {visible_text(body)}" if name else visible_text(body)


def _folded(body: Mapping[Any, Any]) -> dict[str, Any]:
    """An object by normalised keys: `errorMessage` and `error_message` are the same."""
    return {str(name).replace("_", "").replace("-", "").lower(): body[name] for name in body}


# Problems


def _problems(body: object, depth: int = DEEPEST) -> Iterator[Problem]:
    """The field problems of one error."""
    if not depth:
        return
    if isinstance(body, list):
        yield from chain.from_iterable(_item(item, depth - 1) for item in body)
    if not isinstance(body, dict):
        return
    by_name = _folded(body)
    has_message = any(_scalar(by_name.get(key)) for key in (*MESSAGES, *CODES))
    stated = [*islice(_stated(body, by_name, depth, has_message=has_message), MOST_PROBLEMS)]
    if stated:
        yield from stated
    elif not has_message and not by_name.keys() & CONTAINERS and _is_by_field(body, depth):
        yield from _by_field(body, "", depth - 1)
    else:
        for key, value in by_name.items():
            if isinstance(value, dict) and key not in LISTS:  # those were read above
                yield from _problems(value, depth - 1)


def _stated(
    body: dict[str, Any], known: Mapping[str, Any], depth: int, *, has_message: bool
) -> Iterator[Problem]:
    """The field that one error names, and the problems in its lists."""
    message = "".join(_words(body, depth)[-1:])
    source = known.get("source")
    place = _field(_folded(source), ITEM_FIELDS) if isinstance(source, dict) else ""
    if has_message and (field := place or _field(known, FIELDS)):
        yield _problem(field, message)
    for key, words in NAMES_ONLY.items():
        names = known.get(key)
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            yield from (_problem(name, words or message) for name in names)
    for key in LISTS:
        yield from _held(key, known.get(key), depth - 1, has_message=has_message)


def _held(key: str, value: object, depth: int, *, has_message: bool) -> Iterator[Problem]:
    """The problems under a key that may hold some."""
    if isinstance(value, list):
        yield from chain.from_iterable(_item(item, depth) for item in value)
    if not isinstance(value, dict) or (key in ALSO_FIELDS and not has_message):
        return
    by_name = _folded(value)
    is_one = key in ONE_ERROR or any(
        isinstance(by_name.get(name), str) for name in (*MESSAGES, *CODES) if name in by_name
    )
    # Without any key of an error, its keys are names of fields.
    has_names = not by_name.keys() & {*MESSAGES, *CODES, *LISTS} and _is_by_field(value, depth)
    if is_one and not (key in ONE_ERROR and has_names):
        yield from _problems(value, depth)
    else:
        yield from _by_field(value, "", depth)


def _item(item: object, depth: int) -> list[Problem]:
    """The problems of one item of a list: a text, or an object."""
    if not isinstance(item, dict):
        texts = _words(item)
        return [_spoken(texts[0])] if texts else []
    by_name = _folded(item)
    words = next((": ".join(text) for key in ITEM_WORDS if (text := _words(by_name.get(key)))), "")
    if not words and isinstance(by_name.get("constraints"), dict):
        words = "; ".join(filter(None, map(_scalar, by_name["constraints"].values())))
    source = by_name.get("source")  # where JSON:API names the field
    place = _field(_folded(source), ITEM_FIELDS) if isinstance(source, dict) else ""
    field = place or _field(by_name, ITEM_FIELDS)
    if field:
        return [_problem(field, words or "is refused")]
    inner = [*islice(_problems(item, max(depth - 1, 0)), MOST_PROBLEMS)]
    return inner or [_spoken(words or "is refused")]


def _field(known: Mapping[str, Any], keys: Iterable[str]) -> object:
    """The name or the steps of the field that an object is about; empty if there is none."""
    for key in keys:
        value = known.get(key)
        is_steps = isinstance(value, list) and all(isinstance(part, str | int) for part in value)
        if value and (is_steps or (isinstance(value, str | int) and value is not True)):
            return value
    steps = known.get("path")  # a text is the path of the request
    return steps if isinstance(steps, list) and steps else ""


def _is_by_field(value: object, depth: int) -> bool:
    """Whether an object has messages for fields, at any depth, and nothing else."""
    if not depth or not isinstance(value, dict):
        return False
    members = list(value.values())
    return any(members) and all(_are_messages(member, depth - 1) for member in members)


def _are_messages(value: object, depth: int) -> bool:
    if isinstance(value, list):
        return all(
            isinstance(item, str) or item == {} or _is_by_field(item, depth) for item in value
        )
    return _is_by_field(value, depth)


def _by_field(value: object, at: str, depth: int = DEEPEST) -> Iterator[Problem]:
    """The problems of an object such as `{"details": {"clabe": ["is required"]}}`."""
    if isinstance(value, dict) and depth:
        by_name = _folded(value)
        words = [text for key in ITEM_WORDS if at and (text := _scalar(by_name.get(key)))]
        if words:  # one problem, under the name of its field
            own_place = dotted_path(_field(by_name, ITEM_FIELDS) or "")
            yield _problem(
                own_place if own_place.startswith(at) else f"{at}.{own_place}".strip("."), words[0]
            )
            return
        for name, inner in value.items():
            is_self = str(name).lower() in ("_errors", "non_field_errors", "__all__", "base")
            inner_name = dotted_path(name)
            yield from _by_field(
                inner, at if is_self else f"{at}.{inner_name}".strip("."), depth - 1
            )
    elif isinstance(value, list) and depth:
        for number, inner in enumerate(value):
            by_name = _folded(inner) if isinstance(inner, dict) else {"message": "a text"}
            is_message = any(_scalar(by_name.get(key)) for key in ITEM_WORDS)
            yield from _by_field(inner, at if is_message else f"{at}.{number}", depth - 1)
    else:
        text = _scalar(value)
        if text:
            yield _problem(at, text) if at else _spoken(text)


def _problem(field: object, words: str) -> Problem:
    return Problem(plain(dotted_path(field), LONGEST_NAME), plain(visible_text(words)), SOURCE)


def _is_about_field(problem: Problem) -> bool:
    """Whether words of an unknown shape are about a field rather than a key and its value."""
    words = problem.message
    return is_missing(words) or is_unknown(words) or words.startswith(("must ", "should "))


def _spoken(sentence: str) -> Problem:
    """The problem in a sentence, with the field that it names."""
    complaint = read_sentence(" ".join(sentence.split()))
    return _problem(complaint.field, complaint.words)
