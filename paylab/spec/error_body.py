"""The body of an error, in whatever shape a service sends it: its words and its field problems.

Known shapes: one text, a list of texts, `{"error"}`, `{"error", "error_description"}`,
`{"error": {"message", "param", "code"}}`, problem details (RFC 7807 and 9457), JSON:API, lists of
objects with a field and a message, and objects of field and messages at any depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from ..errors.base import Problem
from .complaints import Complaint, split_sentences, to_dotted_path
from .error_fields import FIELD_KEYS, ITEM_FIELD_KEYS, read_field_name, read_source_field
from .error_keys import (
    CODE_KEYS,
    CONTAINER_KEYS,
    ITEM_MESSAGE_KEYS,
    LIST_KEYS,
    MESSAGE_KEYS,
    NAME_LIST_MESSAGES,
    NOT_FIELDS,
    ONE_ERROR_KEYS,
    OWN_KEYS,
    POSSIBLE_FIELDS,
    READ_KEYS,
)
from .error_words import (
    ERROR_DEPTH,
    find_texts,
    fold_keys,
    has_messages_by_field,
    is_request_id,
    is_status_phrase,
    read_error_message,
    read_scalar,
)
from .field_problems import (
    is_about_field,
    make_problem,
    read_field_codes,
    read_name_list,
    read_sentence_problem,
)
from .json_path import value_at
from .service.error_bodies import ErrorSettings
from .text import JsonMapping, JsonObject, JsonValue

PROBLEMS_MAX = 100
TEXTS_SHOWN_MAX = 10


@dataclass(frozen=True)
class ErrorBody:
    """An error body: one printable line, its field problems, and the body."""

    text: str
    problems: tuple[Problem, ...] = ()
    body: JsonValue = None

    @cached_property
    def complaints(self) -> tuple[Complaint, ...]:
        """The complaints about each field; of an error without fields, its sentences."""
        raw_complaints = [Complaint(problem.field, problem.message) for problem in self.problems]
        if not raw_complaints:
            raw_complaints = [Complaint("", sentence) for sentence in split_sentences(self.text)]
        field_complaints = chain.from_iterable(
            complaint.split_by_field() for complaint in raw_complaints
        )
        return tuple(dict.fromkeys(field_complaints))


def read_error(body: JsonValue, settings: ErrorSettings | None = None) -> ErrorBody:
    """Read the message and the problems of a body: parsed JSON, or text that is not JSON.

    `settings` are the [errors] of a service: where it keeps both. These places are tried first.
    """
    messages = read_error_message(body)
    problems: list[Problem] = []
    if settings is not None:
        messages = _prefer_stated_message(messages, body, settings)
        problems = _read_stated_problems(body, settings)
    if not problems:
        problems = list(islice(_find_problems(body), PROBLEMS_MAX))
    if not any(problem.field for problem in problems):
        problems = _find_problems_in_text(body, messages) or problems
    # Two messages are a code and its text.
    error_text = ": ".join(messages) or "; ".join(map(str, problems))
    if not error_text or error_text.isdigit():  # any text is better than a bare number
        joined_texts = "; ".join(islice(find_texts(body), TEXTS_SHOWN_MAX))
        error_text = joined_texts or error_text
    unique_problems = tuple(dict.fromkeys(problems))
    return ErrorBody(error_text, unique_problems[:PROBLEMS_MAX], body)


def is_error(body: object) -> bool:
    """Whether an object describes an error, whatever the status of its answer."""
    if not isinstance(body, dict):
        return False
    return (
        any(body.get(error_key) for error_key in ("error", "errors"))
        or body.get("success") is False
    )


def _prefer_stated_message(
    messages: list[str], body: JsonValue, settings: ErrorSettings
) -> list[str]:
    """The message at the key of the settings if it says more than `messages`; else `messages`."""
    stated_message = read_scalar(value_at(body, settings.words))
    if not stated_message or any(stated_message in message for message in messages):
        return messages
    is_sentence = " " in stated_message and not is_status_phrase(stated_message)
    return [stated_message] if is_sentence or not messages else messages


def _read_stated_problems(body: JsonValue, settings: ErrorSettings) -> list[Problem]:
    """The field problems under the keys that the settings state; empty if nothing is there."""
    stated_problems = value_at(body, settings.problems)
    if settings.list_form == "by_field" and isinstance(stated_problems, dict):
        return list(islice(_read_by_field(stated_problems, path=""), PROBLEMS_MAX))
    if not isinstance(stated_problems, list):
        return []
    problems: list[Problem] = []
    for stated_problem in stated_problems[:PROBLEMS_MAX]:
        stated_field = value_at(stated_problem, settings.field)
        messages = read_error_message(value_at(stated_problem, settings.message))
        if stated_field and messages:
            problems.append(make_problem(stated_field, messages[0]))
        else:  # it is not as stated: read it as an item of any list
            problems += _read_item(stated_problem, depth=0)
    return problems


def _find_problems_in_text(body: JsonValue, messages: list[str]) -> list[Problem]:
    """The problems of fields that the sentences of the messages name.

    Without messages, all texts of the body are read, and only what is surely about a field counts.
    """
    texts = messages or islice(find_texts(body), PROBLEMS_MAX)
    sentences = chain.from_iterable(map(split_sentences, texts))
    all_problems = map(read_sentence_problem, sentences)
    field_problems = [problem for problem in all_problems if problem.field not in NOT_FIELDS]
    if messages:
        return field_problems
    return [problem for problem in field_problems if is_about_field(problem)]


def _find_problems(body: JsonValue, depth: int = ERROR_DEPTH) -> Iterator[Problem]:
    """Yield the field problems of one error, or of each error in a list."""
    if not depth:
        return
    if isinstance(body, list):
        yield from chain.from_iterable(_read_item(error_item, depth - 1) for error_item in body)
    if not isinstance(body, dict):
        return
    folded_body = fold_keys(body)
    has_message = any(
        read_scalar(folded_body.get(body_key)) for body_key in (*MESSAGE_KEYS, *CODE_KEYS)
    )
    all_problems = _read_error_object(
        body, folded_error=folded_body, depth=depth, has_message=has_message
    )
    problems = list(islice(all_problems, PROBLEMS_MAX))
    if problems:
        yield from problems
        return
    # Without any key of an error, the keys of the body may be the names of fields.
    has_containers = not folded_body.keys().isdisjoint(CONTAINER_KEYS)
    if not has_message and not has_containers and has_messages_by_field(body, depth):
        yield from _read_by_field(body, path="", depth=depth - 1)
        return
    for body_key, inner_value in folded_body.items():
        if isinstance(inner_value, dict) and body_key not in LIST_KEYS:  # those were read above
            yield from _find_problems(inner_value, depth - 1)


def _read_error_object(
    error: JsonObject, folded_error: JsonMapping, depth: int, has_message: bool
) -> Iterator[Problem]:
    """Yield the problem of the field that one error names, and the problems in its lists.

    `folded_error` is the error with folded keys; `has_message` is whether it has a message or code.
    """
    messages = read_error_message(error, depth)
    message = messages[-1] if messages else ""  # the text, which may follow a code
    error_source = folded_error.get("source")
    if isinstance(error_source, dict) and isinstance(error_source.get("key"), dict):
        # Some services have the messages by field there: {"key": {"clabe": ["is required"]}}.
        yield from _read_by_field(error_source["key"], path="", depth=depth)
    elif has_message:
        # JSON:API has {"pointer": "/data/attributes/clabe"} as the source.
        field_name_or_path = read_source_field(error_source)
        if not field_name_or_path:
            field_name_or_path = read_field_name(folded_error, FIELD_KEYS)
        if field_name_or_path:
            yield make_problem(field_name_or_path, message)
    yield from read_field_codes(folded_error.get("errorcodes"))
    for list_name, message_of_list in NAME_LIST_MESSAGES.items():
        name_list = folded_error.get(list_name)
        yield from read_name_list(name_list, message_of_list or message)
    yield from _read_problem_lists(folded_error, depth - 1, has_message)


def _read_problem_lists(
    folded_error: JsonMapping, depth: int, has_message: bool
) -> Iterator[Problem]:
    """Yield the problems under each key for lists of them, such as `errors` and `details`.

    A list has an item for each problem. An object is one error, or has messages by field.
    """
    for list_name in LIST_KEYS:
        list_or_object = folded_error.get(list_name)
        # Without a message beside it, an object under such a key is a field: {"details": {...}}.
        may_be_field = list_name in POSSIBLE_FIELDS and not has_message
        if isinstance(list_or_object, list):
            yield from chain.from_iterable(_read_item(item, depth) for item in list_or_object)
        elif isinstance(list_or_object, dict) and not may_be_field:
            yield from _read_container(list_name, list_or_object, depth)


def _read_container(key: str, container: JsonObject, depth: int) -> Iterator[Problem]:
    """Yield the problems in an object under a key such as `errors`.

    It is one error, as in `{"error": {"message": "too low"}}`, or it has the messages of fields,
    as in `{"errors": {"amount": ["is required"]}}`.
    """
    if _is_one_error(key, container, depth):
        yield from _find_problems(container, depth)
    else:
        yield from _read_by_field(container, path="", depth=depth)


def _is_one_error(key: str, container: JsonObject, depth: int) -> bool:
    """Whether the object under a key is one error, and not an object of messages by field."""
    folded_container = fold_keys(container)
    if key not in ONE_ERROR_KEYS:  # messages by field are usual there, unless it has a text
        return any(isinstance(folded_container.get(read_key), str) for read_key in READ_KEYS)
    # Under "error" an object is an error unless all its keys can only be names of fields.
    has_error_keys = not folded_container.keys().isdisjoint((*MESSAGE_KEYS, *CODE_KEYS, *LIST_KEYS))
    return has_error_keys or not has_messages_by_field(container, depth)


def _read_item(item: JsonValue, depth: int) -> list[Problem]:
    """The problems of one item of a list of errors: a text, or an object."""
    if not isinstance(item, dict):
        texts = read_error_message(item)
        return [read_sentence_problem(texts[0])] if texts else []
    folded_item = fold_keys(item)
    if is_request_id(folded_item.get("code")):  # it is the id of the request, and no problem
        return []
    message = _read_item_message(folded_item) or "is refused"
    source_field = read_source_field(folded_item.get("source"))
    field_name_or_path = source_field or read_field_name(folded_item, ITEM_FIELD_KEYS)
    if field_name_or_path:
        return [make_problem(field_name_or_path, message)]
    inner_depth = max(depth - 1, 0)
    inner_problems = list(islice(_find_problems(item, inner_depth), PROBLEMS_MAX))
    return inner_problems or [read_sentence_problem(message)]


def _read_item_message(folded_item: JsonMapping) -> str:
    """The message of an item with folded keys; "" if it has none.

    class-validator has messages as `{"constraints": {"isEmail": "must be an email"}}`.
    """
    for message_key in ITEM_MESSAGE_KEYS:
        code_and_text = read_error_message(folded_item.get(message_key))
        message = ": ".join(code_and_text)
        if message:
            return message
    constraints = folded_item.get("constraints")
    if not isinstance(constraints, dict):
        return ""
    return "; ".join(filter(None, map(read_scalar, constraints.values())))


def _read_by_field(value: JsonValue, path: str, depth: int = ERROR_DEPTH) -> Iterator[Problem]:
    """Yield the problems of an object such as `{"details": {"clabe": ["is required"]}}`.

    `path` is the dotted path of the field that has the value; "" for the whole body.
    """
    if isinstance(value, dict) and depth:
        yield from _read_field_object(value, path, depth)
    elif isinstance(value, list) and depth:
        yield from _read_field_list(value, path, depth - 1)
    else:
        message = read_scalar(value)
        if message:
            yield make_problem(path, message) if path else read_sentence_problem(message)


def _read_field_list(items: list[JsonValue], path: str, depth: int) -> Iterator[Problem]:
    """Yield the problems in the messages of a field, or in the items of a field that is a list."""
    for index, item in enumerate(items):
        if not _is_message(item):  # an item of the field: its messages are by field again
            yield from _read_by_field(item, f"{path}.{index}", depth)
        elif isinstance(item, dict) and not path:  # it has to name its field itself
            yield from _read_item(item, depth)
        else:
            yield from _read_by_field(item, path, depth)


def _read_field_object(value: JsonObject, path: str, depth: int) -> Iterator[Problem]:
    """Yield the problem of the field at `path`, or the problems of the fields inside it.

    The object is `{"message": "too low"}`, or `{"clabe": ["is required"]}`.
    """
    folded_value = fold_keys(value)
    messages = [read_scalar(folded_value.get(message_key)) for message_key in ITEM_MESSAGE_KEYS]
    message = next(filter(None, messages), "")
    if path and message:
        field = to_dotted_path(read_field_name(folded_value, ITEM_FIELD_KEYS) or "")
        if not field.startswith(path):  # it is a name inside the path, or empty
            field = f"{path}.{field}".strip(".")
        yield make_problem(field, message)
        return
    for field_key, inner_value in value.items():
        inner_path = path
        if str(field_key).lower() not in OWN_KEYS:
            inner_path = f"{path}.{to_dotted_path(field_key)}".strip(".")
        yield from _read_by_field(inner_value, inner_path, depth - 1)


def _is_message(item: JsonValue) -> bool:
    """Whether an item of a list is a text, or an object with a message."""
    if not isinstance(item, dict):
        return True
    folded_item = fold_keys(item)
    return any(read_scalar(folded_item.get(message_key)) for message_key in ITEM_MESSAGE_KEYS)
