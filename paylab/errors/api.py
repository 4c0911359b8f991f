"""The errors of calls: no response, a refusal, or a response that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .base import PaylabError, Problem
from .text import plain


class APIError(PaylabError):
    """A call without a usable answer: no response, a response that is not 2xx, or unreadable.

    `call` is the attempt.
    """

    def __init__(self, message: str, call: Any = None) -> None:
        self.call = call
        super().__init__(message)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """AttributeError with the name to use instead of an unknown one."""
            from .names import raise_unknown_attribute

            raise_unknown_attribute(self, name)

    @property
    def message(self) -> str:
        """The service's message, or what went wrong."""
        return str(getattr(self, "text", "") or self)

    @property
    def status_code(self) -> int | None:
        """The status of the response; None without one."""
        return getattr(self, "status", None) or getattr(self.call, "status", None)

    @property
    def request(self) -> Any:
        """The call, which has method, url, request_headers and request_body without secrets."""
        return self.call

    @property
    def response(self) -> Any:
        """The call, which has status, response_headers and response_body without secrets."""
        return self.call

    @property
    def request_id(self) -> str | None:
        """The id of the request that the service names in a header or the body of its response."""
        headers = getattr(self.call, "response_headers", {})
        for header_name in REQUEST_ID_HEADERS:
            if headers.get(header_name):
                return str(headers[header_name])
        return next(_find_request_ids(getattr(self, "body", None)), None)

    @property
    def code(self) -> str | None:
        """The error code in the service's response."""
        body = getattr(self, "body", None)
        if not isinstance(body, Mapping):
            return None
        for error_object in (body.get("error"), body):
            error_code = error_object.get("code") if isinstance(error_object, Mapping) else None
            if isinstance(error_code, str):
                return error_code
        return None


PROBLEMS_SHOWN_MAX = 5
"""Problems in the text of an error; its card has all of them."""
PROBLEM_CHARACTERS_MAX = 200
REQUEST_ID_HEADERS = ("x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid")


REQUEST_ID_KEYS = frozenset({"requestid", "traceid", "correlationid", "debugid"})
"""Keys of a body that hold the id of the request, without case, underscores and hyphens."""
ID_DEPTH_MAX = 3
ID_ITEMS_MAX = 10
"""How deep in a body, and in how many items of a list, the id of the request is looked for."""


def _find_request_ids(body: Any, depth: int = ID_DEPTH_MAX) -> Iterator[str]:
    """Yield the ids of the request in an error body, in objects up to `depth` levels deep."""
    if not depth:
        return
    if isinstance(body, Sequence) and not isinstance(body, str):
        for member in body[:ID_ITEMS_MAX]:
            yield from _find_request_ids(member, depth - 1)
    elif isinstance(body, Mapping):
        for field_name, field_value in body.items():
            folded_name = re.sub("[_-]", "", str(field_name)).lower()
            if isinstance(field_value, str) and folded_name in REQUEST_ID_KEYS:
                yield field_value
            yield from _find_request_ids(field_value, depth - 1)


class APIConnectionError(APIError):
    """No response from the service."""


class APITimeoutError(APIConnectionError):
    """No response in time; the request may still have been carried out."""


class APIResponseError(APIError):
    """A response whose body cannot be read: not JSON, truncated, or of the wrong shape."""


class APIStatusError(APIError):
    """A response that is not 2xx.

    `status` is the code, `text` the service's message, `problems` its field problems, `body` the
    parsed body (or its text), `call` the attempt.
    """

    def __init__(  # noqa: PLR0913 - all that a reader needs next
        self,
        status: int,
        text: str = "",
        *,
        problems: Sequence[Problem] = (),
        body: Any = None,
        call: Any = None,
        hint: str | None = None,
    ) -> None:
        """Make the error of a response; its message has the problems that `text` does not say."""
        self.status = status
        self.text = text
        self.body = body
        self.problems = tuple(problems)
        self.hint = hint
        super().__init__("; ".join(filter(None, [self._head(), *self._list_problem_texts()])), call)

    def _list_problem_texts(self) -> list[str]:
        """The problems that the message does not say, and how many more there are."""
        unmentioned_problems = self._unmentioned_problems()
        problem_texts = [
            plain(str(problem), PROBLEM_CHARACTERS_MAX) for problem in unmentioned_problems
        ]
        if len(problem_texts) <= PROBLEMS_SHOWN_MAX:
            return problem_texts
        return [
            *problem_texts[:PROBLEMS_SHOWN_MAX],
            f"and {len(problem_texts) - PROBLEMS_SHOWN_MAX} more",
        ]

    def _head(self) -> str:
        """The status and the message of the service, or the only problem."""
        return f"{self.status} {self._only_problem or self.text}".strip()

    @property
    def _only_problem(self) -> str:
        """The only problem with its field, if the message of the service says no more."""
        if len(self.problems) != 1:
            return ""
        problem = self.problems[0]
        says_more = problem.message != self.text or _names_field(self.text, problem.field)
        return "" if says_more else plain(str(problem))

    def _details(self) -> list[str]:
        """The lines with the call, and with the problems that the message does not say."""
        unmentioned_problems = self._unmentioned_problems()
        return [*super()._details(), *(f"  {problem}" for problem in unmentioned_problems)]

    def _unmentioned_problems(self) -> list[Problem]:
        """The problems that the message of the service does not say already."""
        return [] if self._only_problem else list(filter(self._is_unmentioned, self.problems))

    def _is_unmentioned(self, problem: Problem) -> bool:
        """Whether the message of the service leaves out a problem, or its field."""
        return problem.message not in self.text or not _names_field(self.text, problem.field)


def _names_field(sentence: str, field: str) -> bool:
    """Whether a sentence names a field, with any signs between the parts of the name: `a[0].b`."""
    name_pattern = r"\W+".join(re.findall(r"\w+", field))
    return re.search(rf"\b{name_pattern}\b", sentence) is not None


class RedirectError(APIStatusError):
    """A redirect, which paylab never follows: signed headers go to one host only."""


class BadRequestError(APIStatusError):
    """400: the request is invalid."""


class AuthenticationError(APIStatusError):
    """401: the signature or its headers were refused."""


class PermissionDeniedError(APIStatusError):
    """403: not allowed here, for example a sandbox operation outside the sandbox."""


class NotFoundError(APIStatusError):
    """404: no such object."""


class ConflictError(APIStatusError):
    """409: the Idempotency-Key was used with another body."""


class UnprocessableError(APIStatusError):
    """422: the object is not in a state that allows this."""


class RateLimitError(APIStatusError):
    """429: too many requests."""


class ServerError(APIStatusError):
    """5xx: the service failed."""


CLASSES_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitError,
}


def error_class_of_status(status: int) -> type[APIStatusError]:
    """The error class of a status code."""
    if status in CLASSES_BY_STATUS:
        return CLASSES_BY_STATUS[status]
    if 300 <= status < 400:
        return RedirectError
    return ServerError if status >= 500 else APIStatusError
