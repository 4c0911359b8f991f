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
from itertools import chain, islice
from typing import Any

from ..errors.base import Problem
from .complaints import Complaint, dotted_path, is_missing, is_unknown, read_sentence, sentences
from .error_words import (
    CODES,
    DEEPEST,
    MESSAGES,
    body_words,
    by_folded_name,
    every_text,
    is_by_field,
    is_phrase,
    is_request_id,
    scalar_text,
    visible_text,
)
from .json_path import value_at
from .service.error_bodies import ErrorSettings
from .text import plain

SOURCE = "service"
"""The source of problems that the service reports; no rule of ours is behind them."""
MOST_PROBLEMS = 100
MOST_WORDS = 10
LONGEST_NAME = 100

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
NO_FIELDS = frozenset({"", *LISTS})
"""What stands before words without being a field, such as details."""
NAMES_ONLY = {
    "missingfields": "is missing",
    "missing": "is missing",
    "unknownfields": "is unknown",
    "fields": "",
}
"""Keys of lists of field names, and what they say about each."""
FIELDS = (
    "field", "fieldname", "param", "parameter", "pointer", "loc", "propertyname", "attribute",
    "target", "property", "propertypath", "instancepath", "jsonpath",
)  # fmt: skip
ITEM_FIELDS = (*FIELDS, "path", "name", "key", "location", "reference")
"""In a list of problems, these name a field too; elsewhere a path is that of the request."""
SELVES = ("_errors", "non_field_errors", "__all__", "base", "errors", "fields")
"""Keys of the messages about an object itself, and of containers: no part of a path."""
ITEM_WORDS = (
    "message", "msg", "defaultmessage", "errormessage", "detail", "description", "text",
    "details", "errordescription", "errorreason", "error", "issue", "reason", "title", "code",
)  # fmt: skip
PLACES = frozenset({"body", "query", "path", "header", "headers"})
"""Where in a request a field is: never a field itself."""
BARE_CODE = re.compile(r"[A-Z][A-Z\d_]*")
FIELD_CODE = re.compile(r"(?P<field>[a-z]\w*)_(?P<words>required|invalid)")
FIELD_PATH = re.compile(r"[a-z]\w*([.\[_]\w+\]?)+")


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
    texts = body_words(body)
    place = scalar_text(value_at(body, form.words)) if form else ""
    is_sentence = " " in place and not is_phrase(place)
    if place and (is_sentence or not texts) and not any(place in text for text in texts):
        texts = [place]
    if not any(problem.field for problem in problems):
        remaining_texts = texts or islice(every_text(body), MOST_PROBLEMS)
        from_sentences = (_spoken(part) for text in remaining_texts for part in sentences(text))
        with_fields = [part for part in from_sentences if part.field not in NO_FIELDS]
        with_fields = [part for part in with_fields if texts or _is_about_field(part)]
        problems = with_fields or problems
    words = ": ".join(texts) or "; ".join(map(str, problems))
    if not words or words.isdigit():  # any word is better than a bare number
        words = "; ".join(islice(every_text(body), MOST_WORDS)) or words
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
        words = body_words(value_at(item, form.message))
        problems += [_problem(field, words[0])] if field and words else _item(item, 0)
    return problems


def _problems(body: object, depth: int = DEEPEST) -> Iterator[Problem]:
    """The field problems of one error."""
    if not depth:
        return
    if isinstance(body, list):
        yield from chain.from_iterable(_item(item, depth - 1) for item in body)
    if not isinstance(body, dict):
        return
    by_name = by_folded_name(body)
    has_message = any(scalar_text(by_name.get(key)) for key in (*MESSAGES, *CODES))
    stated = [*islice(_stated(body, by_name, depth, has_message=has_message), MOST_PROBLEMS)]
    if stated:
        yield from stated
    elif not has_message and not by_name.keys() & CONTAINERS and is_by_field(body, depth):
        yield from _by_field(body, "", depth - 1)
    else:
        for key, value in by_name.items():
            if isinstance(value, dict) and key not in LISTS:  # those were read above
                yield from _problems(value, depth - 1)


def _stated(
    body: dict[str, Any], known: Mapping[str, Any], depth: int, *, has_message: bool
) -> Iterator[Problem]:
    """The field that one error names, and the problems in its lists."""
    message = "".join(body_words(body, depth)[-1:])
    source = known.get("source")
    place = _place(source)
    if isinstance(source, dict) and isinstance(source.get("key"), dict):
        yield from _by_field(source["key"], "", depth)
    elif has_message and (field := place or _field(known, FIELDS)):
        yield _problem(field, message)
    codes = known.get("errorcodes")
    for code in codes if isinstance(codes, list) else ():
        if match := FIELD_CODE.fullmatch(str(code)):
            yield _problem(match["field"], f"is {match['words']}")
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
    by_name = by_folded_name(value)
    is_one = key in ONE_ERROR or any(
        isinstance(by_name.get(name), str) for name in (*MESSAGES, *CODES) if name in by_name
    )
    # Without any key of an error, its keys are names of fields.
    has_names = not by_name.keys() & {*MESSAGES, *CODES, *LISTS} and is_by_field(value, depth)
    if is_one and not (key in ONE_ERROR and has_names):
        yield from _problems(value, depth)
    else:
        yield from _by_field(value, "", depth)


def _item(item: object, depth: int) -> list[Problem]:
    """The problems of one item of a list: a text, or an object."""
    if not isinstance(item, dict):
        texts = body_words(item)
        return [_spoken(texts[0])] if texts else []
    by_name = by_folded_name(item)
    words = next(
        (": ".join(text) for key in ITEM_WORDS if (text := body_words(by_name.get(key)))), ""
    )
    if not words and isinstance(by_name.get("constraints"), dict):
        words = "; ".join(filter(None, map(scalar_text, by_name["constraints"].values())))
    if is_request_id(by_name.get("code")):
        return []
    field = _place(by_name.get("source")) or _field(by_name, ITEM_FIELDS)
    if field:
        return [_problem(field, words or "is refused")]
    inner = [*islice(_problems(item, max(depth - 1, 0)), MOST_PROBLEMS)]
    return inner or [_spoken(words or "is refused")]


def _place(source: object) -> object:
    """The field that the source of an error names, as JSON:API has it, or as a path."""
    if isinstance(source, dict):
        return _field(by_folded_name(source), ITEM_FIELDS)
    return source if isinstance(source, str) and FIELD_PATH.fullmatch(source) else ""


def _field(known: Mapping[str, Any], keys: Iterable[str]) -> object:
    """The name or the steps of the field that an object is about; empty if there is none."""
    for key in keys:
        value = known.get(key)
        if str(value).lower() in PLACES:
            continue
        is_steps = isinstance(value, list) and all(isinstance(part, str | int) for part in value)
        if value and (is_steps or (isinstance(value, str | int) and value is not True)):
            return value
    steps = known.get("path")  # a text is the path of the request
    return steps if isinstance(steps, list) and steps else ""


def _by_field(value: object, at: str, depth: int = DEEPEST) -> Iterator[Problem]:
    """The problems of an object such as `{"details": {"clabe": ["is required"]}}`."""
    if isinstance(value, dict) and depth:
        by_name = by_folded_name(value)
        words = [text for key in ITEM_WORDS if at and (text := scalar_text(by_name.get(key)))]
        if words:  # one problem, under the name of its field
            own_place = dotted_path(_field(by_name, ITEM_FIELDS) or "")
            yield _problem(
                own_place if own_place.startswith(at) else f"{at}.{own_place}".strip("."), words[0]
            )
            return
        for name, inner in value.items():
            is_self = str(name).lower() in SELVES
            inner_name = dotted_path(name)
            yield from _by_field(
                inner, at if is_self else f"{at}.{inner_name}".strip("."), depth - 1
            )
    elif isinstance(value, list) and depth:
        for number, inner in enumerate(value):
            by_name = by_folded_name(inner) if isinstance(inner, dict) else {"message": "a text"}
            is_message = any(scalar_text(by_name.get(key)) for key in ITEM_WORDS)
            yield from _by_field(inner, at if is_message else f"{at}.{number}", depth - 1)
    else:
        text = scalar_text(value)
        if text:
            yield _problem(at, text) if at else _spoken(text)


def _problem(field: object, words: str) -> Problem:
    return Problem(plain(dotted_path(field), LONGEST_NAME), plain(visible_text(words)), SOURCE)


def _is_about_field(problem: Problem) -> bool:
    """Whether words of an unknown shape are about a field rather than a key and its value."""
    words = problem.message
    if BARE_CODE.fullmatch(words):
        return False
    return is_missing(words) or is_unknown(words) or words.startswith(("must ", "should "))


def _spoken(sentence: str) -> Problem:
    """The problem in a sentence, with the field that it names."""
    complaint = read_sentence(" ".join(sentence.split()))
    return _problem(complaint.field, complaint.words)
