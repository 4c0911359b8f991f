"""The body of a refusal, in the format that the service uses for errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors.base import Problem
from ..spec.json_path import set_value_at
from ..spec.service.error_bodies import ErrorSettings
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .messages import CursorError, RefusedError, Reply


def _problem_list(words: ErrorSettings, problems: Iterable[Problem]) -> object:
    if words.list_form == "sentences":
        return [str(problem) for problem in problems]
    if words.list_form == "by_field":
        by_field: dict[str, str] = {}
        for problem in problems:
            earlier = by_field.get(problem.field)
            by_field[problem.field] = (
                f"{earlier}; {problem.message}" if earlier else problem.message
            )
        return by_field
    form = FIELD_FORMS[words.field_form]
    return [
        {words.field: form(problem.field), words.message: problem.message} for problem in problems
    ]


def _pointer(field: str) -> str:
    return "".join(f"/{part}" for part in field.split(".")) if field else ""


def _steps(field: str) -> list[str | int]:
    return [int(part) if part.isdecimal() else part for part in field.split(".")] if field else []


FIELD_FORMS: Mapping[str, Callable[[str], object]] = {
    "dotted": str,
    "pointer": _pointer,
    "list": _steps,
}
"""The format of nested field names in problems."""


def refusal_reply(refused: RefusedError, service: Service | None = None) -> Reply:
    """The response to a refused request, with its text and the field problems.

    The control API uses the format of `Service()`. Assumptions `errors.body`, `field.names`.
    """
    if isinstance(refused, CursorError):
        service = None  # the spec shows its body
    words = (service or Service()).errors
    body: dict[str, Any] = {}
    if refused.problems and words.problems != NONE:
        set_value_at(body, words.problems, _problem_list(words, refused.problems))
    if words.words != NONE:
        # The problems may be in place of the text.
        holds = isinstance(body.get(words.words), dict)
        set_value_at(body, f"{words.words}.message" if holds else words.words, refused.text)
    return Reply.json(refused.status, {**body, **refused.extra}, **refused.headers)
