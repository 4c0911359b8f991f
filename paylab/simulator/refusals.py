"""The body of a refusal, in the format that the service uses for errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..errors.base import Problem
from ..spec.json_path import set_value_at
from ..spec.service.error_bodies import ErrorSettings
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject
from .messages import CursorError, RefusedError, Reply


def _list_problems(settings: ErrorSettings, problems: Iterable[Problem]) -> object:
    """The problems as the service lists them: as sentences, by field, or as objects."""
    if settings.list_form == "sentences":
        return [str(problem) for problem in problems]
    if settings.list_form == "by_field":
        messages_by_field: dict[str, list[str]] = {}
        for problem in problems:
            messages_by_field.setdefault(problem.field, []).append(problem.message)
        return {
            field_path: "; ".join(messages) for field_path, messages in messages_by_field.items()
        }
    return [_write_problem(settings, problem) for problem in problems]


def _write_problem(settings: ErrorSettings, problem: Problem) -> JsonObject:
    """The problem of one field as an object."""
    problem_object: JsonObject = {}
    field_key = settings.field
    message_key = settings.message
    write_field_name = FIELD_FORMS[settings.field_form]
    set_value_at(problem_object, field_key, write_field_name(problem.field))
    set_value_at(problem_object, message_key, problem.message)
    return problem_object


def _write_json_pointer(field_path: str) -> str:
    """A nested field as a JSON pointer."""
    if not field_path:
        return ""
    return "".join(f"/{segment}" for segment in field_path.split("."))


def _split_field_path(field_path: str) -> list[str | int]:
    """A nested field as a list of names and indexes."""
    if not field_path:
        return []
    return [int(segment) if segment.isdecimal() else segment for segment in field_path.split(".")]


FIELD_FORMS: Mapping[str, Callable[[str], object]] = {
    "dotted": str,
    "pointer": _write_json_pointer,
    "list": _split_field_path,
}
"""The format of nested field names in problems."""


def refusal_reply(refused: RefusedError, service: Service | None = None) -> Reply:
    """The response to a refused request, with its text and the field problems.

    Without a service, as in the control API, its body has the format of `Service()`. Assumptions
    `errors.body`, `field.names`.
    """
    if service is None or isinstance(refused, CursorError):  # the spec shows the body of the latter
        service = Service()
    error_settings = service.errors
    has_problems = bool(refused.problems) and error_settings.problems != NONE
    body: JsonObject = {}
    if has_problems:
        problems_value = _list_problems(error_settings, refused.problems)
        set_value_at(body, error_settings.problems, problems_value)
    if error_settings.words != NONE:
        text_path = error_settings.words
        if has_problems:
            text_path = error_settings.words_beside_problems
        set_value_at(body, text_path, refused.text)
    return Reply.json(refused.status, {**body, **refused.extra}, **refused.headers)
