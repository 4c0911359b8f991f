"""Refusals of a service: their words in one line, and those after which nothing may be created."""

from __future__ import annotations

from collections.abc import Iterable

from ..client.call import Call
from ..client.retries import requested_wait
from ..errors.api import APIStatusError, PermissionDeniedError, RateLimitError
from ..errors.base import PaylabError, Problem
from ..spec.complaints import Complaint
from ..spec.service.service import Service
from ..spec.text import plain

PROBLEMS_MAX = 5
"""So many problems of a refusal are repeated."""


class HopelessError(PaylabError):
    """The walk cannot work; the message says why and what to do."""


def describe_error(error: BaseException) -> str:
    """An error in one line: its status, the words of the service, and its problems by field."""
    error_text = " ".join(str(error).split())
    call = getattr(error, "call", None)
    if isinstance(error, APIStatusError) and call and is_web_page(call):
        error_text += ", a web page"
    for problem in getattr(error, "problems", ())[:PROBLEMS_MAX]:
        if problem.field and problem.field not in error_text:
            error_text += f"; {problem.field}: {problem.message}"
    return plain(error_text, 300)


def split_complaints(problems: Iterable[Problem]) -> list[Complaint]:
    """The complaints of problems, one for each field."""
    complaints = [Complaint(problem.field, problem.message) for problem in problems]
    return [part for complaint in complaints for part in complaint.split_by_field()]


def is_web_page(call: Call) -> bool:
    """Whether an answer is a web page, which is no answer of an API."""
    is_html = "html" in str(call.response_headers.get("content-type", "")).lower()
    return is_html or call.response_body.text.lstrip().startswith("<")


def read_requested_wait(error: RateLimitError, service: Service) -> float | None:
    """The seconds that a 429 asks to wait; None if it does not say so in the way of the service."""
    call = error.call
    limits = service.rate_limits
    return requested_wait(call.response_headers, call.when, limits.header, limits.unit)


def name_refused_request(error: PaylabError) -> str:
    """The method and the last static part of the path of a refused request; "" if none was sent."""
    call = getattr(error, "call", None)
    return f"{call.method} {call.path.rpartition('/')[2]}" if call else ""


def raise_if_production(error: PaylabError) -> None:
    """HopelessError if a POST was answered with 403, after which nothing may be created."""
    call = getattr(error, "call", None)
    if isinstance(error, PermissionDeniedError) and call and call.method == "POST":
        raise HopelessError(
            f"the service refuses POST {plain(call.path, 100)} with {describe_error(error)}: it is "
            "production, or this key may only read; use the keys of a sandbox, or leave out --write"
        ) from error
