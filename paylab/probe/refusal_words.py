"""What a service says when it refuses: in one line, by field, and how long to wait."""

from __future__ import annotations

from ..client.call import Call
from ..client.retries import requested_wait
from ..errors.api import APIStatusError, RateLimitError
from ..spec.complaints import Complaint
from ..spec.error_body import ErrorBody
from ..spec.service.service import Service
from ..spec.text import plain

PROBLEMS_MAX = 5
"""So many problems of a refusal are repeated."""


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


def read_complaints(error: APIStatusError) -> tuple[Complaint, ...]:
    """What a refusal says of each field; the sentences of one that names no field."""
    return ErrorBody(error.text, error.problems).complaints


def is_web_page(call: Call) -> bool:
    """Whether an answer is a web page, which is no answer of an API."""
    is_html = "html" in str(call.response_headers.get("content-type", "")).lower()
    return is_html or call.response_body.text.lstrip().startswith("<")


def read_requested_wait(error: RateLimitError, service: Service) -> float | None:
    """The seconds that a 429 asks to wait; None if it does not say so in the way of the service."""
    call = error.call
    limits = service.rate_limits
    return requested_wait(call.response_headers, call.when, limits.header, limits.unit)
