"""Every exception of paylab.

PaylabError
├── ConfigError              a setting is missing, unreadable or unsafe
│   ├── LedgerError          the ledger of payments cannot be read or written
│   └── ServiceError         settings of a service that cannot be used
│       └── MissingOperationError   an operation that the service does not have
├── RuleError                a check before sending; lists every problem
├── ReadOnlyError            not sent: only GETs are allowed
├── ReplayError              not sent: a recording has no such request
├── ChoiceError              not sent: it is not clear whether another payment is meant
├── EMVError                 a QR text that is not a valid EMV payload
├── ExactnessError           an amount that cannot be stored exactly
├── SimulatorError           the simulator cannot do what was requested
│   └── UnknownNameError     an unknown name, with similar known names
├── WaitTimeoutError         the expected state was not reached in time
├── PagingError              a list with invalid cursors
└── APIError                 a call without a usable answer
    ├── APIConnectionError       no response: refused, reset, interrupted
    │   └── APITimeoutError      no response in time
    ├── APIResponseError         a response whose body cannot be read
    └── APIStatusError           a response that is not 2xx
        ├── RedirectError           3xx, never followed with signed headers
        ├── BadRequestError         400
        ├── AuthenticationError     401
        ├── PermissionDeniedError   403
        ├── NotFoundError           404
        ├── ConflictError           409
        ├── UnprocessableError      422
        ├── RateLimitError          429
        └── ServerError             5xx
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .base_error import PaylabError as PaylabError  # noqa: PLC0414 - imported from here
from .base_error import Problem as Problem  # noqa: PLC0414
from .base_error import called


class ConfigError(PaylabError):
    """A setting is missing, unreadable or unsafe."""


class LedgerError(ConfigError):
    """The ledger of payments cannot be read or written.

    `made` and `key` are set when the payment was made before the ledger failed.
    """

    def __init__(
        self, message: str, hint: str | None = None, made: str = "", key: str = ""
    ) -> None:
        self.hint, self.made, self.key = hint, made, key
        super().__init__(message)


class ServiceError(ConfigError):
    """Settings of a service that cannot be used; `key` and `line` are set if known."""

    def __init__(self, message: str, key: str = "", line: int = 0) -> None:
        self.line = line
        self.key: str = key
        super().__init__(message)


class MissingOperationError(ServiceError):
    """The service does not have an operation: its path is "none"."""


class RuleError(PaylabError):
    """A request that breaks rules; `problems` lists all of them."""

    def __init__(self, problems: Iterable[Problem], hint: str | None = None) -> None:
        self.problems, self.hint = tuple(problems), hint
        super().__init__("not sent: " + "; ".join(map(str, self.problems)))

    def card(self) -> list[str]:
        """One line per problem, and what to try."""
        number = len(self.problems)
        head = f"RuleError: nothing was sent, {number} problem{'' if number == 1 else 's'}"
        tries = [f"  Try: {self.hint}"] if self.hint else []
        return [head, *(f"  {problem}" for problem in self.problems), *tries]


class RuleWarning(UserWarning):
    """A request looks wrong: a likely typo, or a broken assumption."""


class ConfigWarning(UserWarning):
    """A setting that has no effect, or that contradicts the service's responses."""


class RepeatWarning(UserWarning):
    """A list repeats rows; each id is read once."""


class ReadOnlyError(PaylabError):
    """Not sent: the settings allow only GETs."""


class ReplayError(PaylabError):
    """A request that is not in the recording; `nearest` is the most similar recorded request.

    `differences` lists the fields that differ.
    """

    def __init__(self, message: str, nearest: str = "", differences: Sequence[str] = ()) -> None:
        self.nearest, self.differences = nearest, tuple(differences)
        super().__init__(message)

    def __str__(self) -> str:
        near = f"; nearest: {self.nearest}" if self.nearest else ""
        return f"{self.args[0]}{near}" + "".join(f"; {each}" for each in self.differences)

    def card(self) -> list[str]:
        """The request, the most similar recorded request, and the differences."""
        lines = [f"{type(self).__name__}: {self.args[0]}"]
        lines += [f"  Nearest: {self.nearest}"] if self.nearest else []
        return [*lines, *(f"    {each}" for each in self.differences)]


class ChoiceError(PaylabError):
    """Not sent: a similar request was sent before, and it is not clear what you want.

    If the same order was sent with a key that has expired, `expired` is the id of its result, or
    "" if no response was received.
    """

    def __init__(self, message: str, hint: str | None = None, expired: str | None = None) -> None:
        self.hint, self.expired = hint, expired
        super().__init__(message)


class EMVError(PaylabError, ValueError):
    """A QR text that is not a valid EMV payload, with the reason and the character offset."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        self.reason, self.offset = reason, offset
        super().__init__(f"{reason} (at character {offset})")


class ExactnessError(PaylabError, ValueError):
    """An amount that cannot be kept exactly; names column, row and value."""


class SimulatorError(PaylabError):
    """The simulator cannot do what was requested."""


class UnknownNameError(SimulatorError, AttributeError):
    """A name that the simulator does not know; `nearest` are similar known names."""

    def __init__(self, kind: str, name: str, nearest: Sequence[str] = ()) -> None:
        self.kind, self.word, self.nearest = kind, name, tuple(nearest)
        self.hint = ", ".join(self.nearest) or None
        super().__init__(f"no {kind} is called {name!r}")

    def _noted(self) -> str:
        return ""  # the text has it

    def __str__(self) -> str:
        return f"{self.args[0]}; nearest: {self.hint}" if self.hint else str(self.args[0])

    def card(self) -> list[str]:
        """The wrong name, and similar known names."""
        head = f"{type(self).__name__}: {self.args[0]}"
        return [head, f"  Nearest: {self.hint}"] if self.hint else [head]


class WaitTimeoutError(PaylabError, TimeoutError):
    """The expected state was not reached in time; `last` is the latest state of the object."""

    def __init__(self, message: str, last: Any = None) -> None:
        self.last = last
        super().__init__(message)


class PagingError(PaylabError):
    """A list that cannot be read: a cursor repeats or is missing."""


class APIError(PaylabError):
    """A call without a usable answer: no response, a response that is not 2xx, or unreadable."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            from .spec.names import suggest  # rarely needed

            suggest(self, name)

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
        """The id of the request that the service names in a header of its response."""
        headers = getattr(self.call, "response_headers", {})
        return next((headers[name] for name in REQUEST_IDS if name in headers), None)

    @property
    def code(self) -> str | None:
        """The error code in the service's response."""
        body = getattr(self, "body", None)
        inner = body.get("error") if isinstance(body, Mapping) else None
        found = [each.get("code") for each in (inner, body) if isinstance(each, Mapping)]
        return next((each for each in found if isinstance(each, str)), None)


REQUEST_IDS = ("x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid")


class APIConnectionError(APIError):
    """No response from the service; `call` is the attempt."""

    def __init__(self, message: str, call: Any = None) -> None:
        self.call = call
        super().__init__(message)


class APITimeoutError(APIConnectionError):
    """No response in time; the request may still have been carried out."""


class APIResponseError(APIError):
    """A response whose body cannot be read: not JSON, truncated, or of the wrong shape."""

    def __init__(self, message: str, call: Any = None) -> None:
        self.call = call
        super().__init__(message)


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
        self.status, self.text, self.body, self.call = status, text, body, call
        self.problems, self.hint = tuple(problems), hint
        super().__init__(f"{status} {text}".strip())
        for line in self._told():
            self.add_note(line)

    def card(self) -> list[str]:
        """The refused call, the service's message and field problems, and what to try."""
        lines = [f"{type(self).__name__}: {self}", *called(self.call)]
        lines += self._told()
        return [*lines, f"  Try: {self.hint}"] if self.hint else lines

    def _told(self) -> list[str]:
        """The field problems that the message of the service does not say already."""
        return [f"  {problem}" for problem in self.problems if not _is_in(problem, self.text)]


def _is_in(problem: Problem, text: str) -> bool:
    return problem.field in text and problem.message in text


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


BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitError,
}


def for_status(status: int) -> type[APIStatusError]:
    """The error class of a status code."""
    if 300 <= status < 400:
        return RedirectError
    return BY_STATUS.get(status, ServerError if status >= 500 else APIStatusError)
