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
    write_field = FIELD_FORMS[settings.field_form]
    return [
        {settings.field: write_field(problem.field), settings.message: problem.message}
        for problem in problems
    ]


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

    The control API uses the format of `Service()`. Assumptions `errors.body`, `field.names`.
    """
    if isinstance(refused, CursorError):
        service = None  # the spec shows its body
    error_settings = (service or Service()).errors
    body: JsonObject = {}
    if refused.problems and error_settings.problems != NONE:
        set_value_at(
            body, error_settings.problems, _list_problems(error_settings, refused.problems)
        )
    text_path = error_settings.words
    if text_path != NONE:
        if isinstance(body.get(text_path), dict):  # the problems are in place of the text
            text_path = f"{text_path}.message"
        set_value_at(body, text_path, refused.text)
    return Reply.json(refused.status, {**body, **refused.extra}, **refused.headers)
