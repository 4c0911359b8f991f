"""Every exception of paylab.

PaylabError
├── ConfigError              a setting is missing, unreadable or unsafe
│   ├── LedgerError          the ledger of payments cannot be read or written
│   └── ServiceError         settings of a service that cannot be followed
│       └── MissingOperationError   an operation that the service does not have
├── RuleError                our own check, before anything is sent; lists every problem
├── ReadOnlyError            not sent: nothing but GETs may be sent
├── ReplayError              not sent: a recording has no such request
├── ChoiceError              not sent: it is not clear whether another payment is meant
├── EMVError                 a QR text that is not a good EMV payload
├── ExactnessError           an amount that no exact column type can hold
├── SimulatorError           a control of the simulator was asked for something it cannot do
│   └── UnknownNameError     a name it does not know; the nearest it does
├── StepError                a result that an earlier cell did not give
├── WaitTimeoutError         the state waited for was not reached in time
├── PagingError              a list whose cursors lead nowhere
├── APIConnectionError       no answer: refused, reset, cut off
│   └── APITimeoutError      no answer in time
├── APIResponseError         an answer whose body cannot be read
└── APIStatusError           an answer that is not 2xx
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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import field as with_default
from traceback import format_exception
from typing import Any

FULL_TRACEBACK = "  All frames: import sys; print(sys.last_value.traceback())"


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a request.

    `field` is dotted (`document.number`, `financial_accounts.0.details.clabe`); `source` is
    "spec" for a rule the spec states, else the id of the assumption it rests on. `key` is the
    setting of a service.toml that changes the rule, if there is one.
    """

    field: str
    message: str
    source: str = "spec"
    key: str = with_default(default="", compare=False, kw_only=True)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class PaylabError(Exception):
    """The root: catching it catches everything paylab raises on purpose."""

    hint: str | None = None
    assumption: str | None = None
    """The row of the assumptions that a failed call rests on, if it rests on one."""
    key: str | None = None
    """The key of a service.toml that sets another answer to it."""
    after_lost = False
    """Whether an earlier attempt may have been carried out, whatever the last was answered."""

    def card(self) -> list[str]:
        """The lines a person needs, for a terminal or a notebook."""
        lines = [f"{type(self).__name__}: {self}"]
        return [*lines, f"  Try: {self.hint}"] if self.hint else lines

    def traceback(self) -> str:
        """All the frames, for whoever needs them; a notebook shows the card alone."""
        return "".join(format_exception(self))

    def _render_traceback_(self) -> list[str]:
        """Show the card instead of the frames: the hook IPython looks for."""
        return [*self.card(), FULL_TRACEBACK]


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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.hint, self.made, self.key)


class ServiceError(ConfigError):
    """Settings of a service that cannot be followed; `key` and `line` are set where known."""

    def __init__(self, message: str, key: str = "", line: int = 0) -> None:
        self.line = line
        self.key: str = key
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.key, self.line)


class MissingOperationError(ServiceError):
    """An operation that the service does not have: its path is "none"."""


class RuleError(PaylabError):
    """What would be sent breaks a rule; `problems` lists every one of them."""

    def __init__(self, problems: Iterable[Problem], hint: str | None = None) -> None:
        self.problems, self.hint = tuple(problems), hint
        super().__init__("not sent: " + "; ".join(map(str, self.problems)))

    def card(self) -> list[str]:
        """One line a problem, and what to try."""
        head = f"RuleError: nothing was sent, {_count(len(self.problems), 'problem')}"
        tries = [f"  Try: {self.hint}"] if self.hint else []
        return [head, *(f"  {problem}" for problem in self.problems), *tries]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems, self.hint)


class RuleWarning(UserWarning):
    """What is sent looks wrong: a likely typo, or something that only an assumption refuses."""


class ConfigWarning(UserWarning):
    """A setting that has no effect, such as a misspelt environment variable."""


class ReadOnlyError(PaylabError):
    """Not sent: the settings allow nothing but GETs."""


class ReplayError(PaylabError):
    """A request that a recording does not have; `nearest` is the recorded request most like it.

    `differences` says field by field what is not the same.
    """

    def __init__(self, message: str, nearest: str = "", differences: Sequence[str] = ()) -> None:
        self.nearest, self.differences = nearest, tuple(differences)
        super().__init__(message)

    def __str__(self) -> str:
        near = f"; nearest: {self.nearest}" if self.nearest else ""
        return f"{self.args[0]}{near}" + "".join(f"; {each}" for each in self.differences)

    def card(self) -> list[str]:
        """What was asked, the nearest request of the recording, and how they differ."""
        lines = [f"{type(self).__name__}: {self.args[0]}"]
        lines += [f"  Nearest: {self.nearest}"] if self.nearest else []
        return [*lines, *(f"    {each}" for each in self.differences)]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.nearest, self.differences)


class ChoiceError(PaylabError):
    """Not sent: something like it was sent before, and only the caller knows what is meant.

    When it was the same order and its key has expired, `expired` is the id of what it made, ""
    when no answer was seen.
    """

    def __init__(self, message: str, hint: str | None = None, expired: str | None = None) -> None:
        self.hint, self.expired = hint, expired
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.hint, self.expired)


class EMVError(PaylabError, ValueError):
    """A QR text that is not a good EMV payload: what is wrong and at which character."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        self.reason, self.offset = reason, offset
        super().__init__(f"{reason} (at character {offset})")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.offset)


class ExactnessError(PaylabError, ValueError):
    """An amount that cannot be kept exactly; names column, row and value."""


class SimulatorError(PaylabError):
    """The simulator cannot do what its control was asked."""


class UnknownNameError(SimulatorError, AttributeError):
    """A name the simulator does not know; `nearest` are those it does that look like it."""

    def __init__(self, kind: str, name: str, nearest: Sequence[str] = ()) -> None:
        self.kind, self.word, self.nearest = kind, name, tuple(nearest)
        self.hint = ", ".join(self.nearest) or None
        super().__init__(f"no {kind} is called {name!r}")

    def __str__(self) -> str:
        return f"{self.args[0]}; nearest: {self.hint}" if self.hint else str(self.args[0])

    def card(self) -> list[str]:
        """The wrong name, and those that look like it."""
        head = f"{type(self).__name__}: {self.args[0]}"
        return [head, f"  Nearest: {self.hint}"] if self.hint else [head]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.word, self.nearest)


class StepError(PaylabError):
    """A result is missing, because the step or cell that gives it failed or was left out.

    `cause` says which.
    """

    cause: Any = None


class WaitTimeoutError(PaylabError, TimeoutError):
    """The state waited for was not reached in time; `last` is the object as last seen."""

    def __init__(self, message: str, last: Any = None) -> None:
        self.last = last
        super().__init__(message)


class PagingError(PaylabError):
    """A list that cannot be walked: a cursor repeats, or the next page has none."""


class APIConnectionError(PaylabError):
    """The service gave no answer; `call` is the attempt."""

    def __init__(self, message: str, call: Any = None) -> None:
        self.call = call
        super().__init__(message)

    def card(self) -> list[str]:
        """What failed, which call it was, what to try."""
        head, *rest = super().card()
        return [head, *_called(self.call), *rest]


class APITimeoutError(APIConnectionError):
    """The service gave no answer in time; the request may still have been carried out."""


class APIResponseError(PaylabError):
    """An answer whose body cannot be read: not JSON, cut short, or of the wrong shape."""

    def __init__(self, message: str, call: Any = None) -> None:
        self.call = call
        super().__init__(message)

    def card(self) -> list[str]:
        """What cannot be read, which call it was, what to try."""
        head, *rest = super().card()
        return [head, *_called(self.call), *rest]


class APIStatusError(PaylabError):
    """An answer that is not 2xx.

    `status` is the code, `text` the service's words whatever shape they came in, `problems`
    the field problems it listed, `body` the parsed body (or its text), `call` the attempt.
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

    def card(self) -> list[str]:
        """What was refused, the service's words, its field problems, what to try."""
        lines = [f"{type(self).__name__}: {self}", *_called(self.call)]
        lines += [f"  {problem}" for problem in self.problems if str(problem) != self.text]
        return [*lines, f"  Try: {self.hint}"] if self.hint else lines


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


def _called(call: Any) -> list[str]:
    """The line that names a call, and where to find it again."""
    if call is None:
        return []
    number = getattr(call, "number", 0)
    where = f" (number {number} in lab.calls)" if number else ""
    return [f"  Call: {call}{where}"]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
