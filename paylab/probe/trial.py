"""Try a request again with one setting changed, and keep what makes it succeed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from ..client.call import Call
from ..client.client import Client
from ..client.exchange import Exchange
from ..errors.api import (
    APIConnectionError,
    APIResponseError,
    APIStatusError,
    RateLimitError,
    ServerError,
)
from ..errors.base import ConfigError, PagingError, PaylabError, RuleError, ServiceError
from ..spec.service.key import Value
from ..spec.service.service import Service
from .assumption_hints import doubts_of
from .candidates import Values, candidates, is_progress
from .report import PROVEN, ProbeFinding

R = TypeVar("R")
Step = Callable[[Client], R]
"""One request with the real client, made of the client's settings."""

BUDGET = 400
"""More requests than a normal service needs."""

HANDFUL = 12
"""The most candidates that are tried for one refusal."""

DEEPEST = 12
"""The most settings that one request may need."""

MOST_ATTEMPTS = 48
"""The most candidates that are tried for one step."""

MOST_WAITS = 4
"""How often a step is repeated when the service asks to wait, beyond the client's own retries."""

LIMITS, NAME = "rate_limits.", ".fields."

READABLE = (APIStatusError, APIResponseError, PagingError)
"""Errors with an answer of the service. Without an answer nothing is tried."""


class BudgetError(PaylabError):
    """The permitted number of requests is used up."""


@dataclass
class Trials:
    """The settings found so far, and the requests that proved them.

    `client` is the client at the start; every other client has its clock, calls and transport.
    """

    client: Client
    budget: int
    pace: float = 0.0
    start: int = 0
    proofs: dict[str, ProbeFinding] = field(default_factory=dict)
    refusals: dict[str, APIStatusError] = field(default_factory=dict)
    exhausted: set[str] = field(default_factory=set)
    _tried: set[frozenset[tuple[str, Value]]] = field(default_factory=set)

    def run(self, step: Step[R], only: tuple[str, ...] = ("",)) -> R:
        """The result of a step, with settings changed until it succeeds; else its first error.

        `only` are the beginnings of the keys that may change.
        """
        first = self.attempt(step, {})
        if not isinstance(first, PaylabError):
            return first
        self._tried = set[frozenset[tuple[str, Value]]]()
        for pending, last, result in self._searched(step, {}, first, only):
            self._prove(step, pending, last)
            return result
        if isinstance(first, APIStatusError):
            for doubt in first.doubts:
                self.refusals.setdefault(doubt.key, first)
        raise first

    def _searched(
        self, step: Step[R], pending: Values, failure: PaylabError, only: tuple[str, ...]
    ) -> Iterator[tuple[Values, int, R]]:
        """The settings that succeed, with the number of those that were tried last.

        A change whose refusal is about something else is followed to its end before the next one.
        """
        for values, result in self._better(step, pending, failure, only):
            together = {**pending, **values}
            if not isinstance(result, PaylabError):
                yield together, len(values), result
            elif len(together) <= DEEPEST:
                yield from self._searched(step, together, result, only)

    def adopt(self, values: Values, call: int) -> None:
        """Keep values that were read in a successful answer and used in this call."""
        new = {key: value for key, value in values.items() if self.service.value(key) != value}
        if new:
            self.client = self.client.with_service(self.service.with_values(new))
            self.proofs |= {
                key: ProbeFinding(key, PROVEN, value, call=call) for key, value in new.items()
            }

    @property
    def service(self) -> Service:
        """The service with everything that was proven."""
        return self.client.service

    def _better(
        self, step: Step[R], pending: Values, failure: PaylabError, only: tuple[str, ...]
    ) -> Iterator[tuple[Values, R | PaylabError]]:
        """The candidates that succeed, or whose refusal is about something else."""
        if not isinstance(failure, READABLE) or isinstance(failure, ServerError):
            return
        service, tried = self.service.with_values(dict(pending)), 0
        for values in candidates(failure, service):
            together = frozenset({**pending, **values}.items())
            if tried >= HANDFUL or len(self._tried) >= MOST_ATTEMPTS:
                break
            if together in self._tried or any(name in pending for name in values if NAME in name):
                continue
            if not all(key.startswith(only) for key in values) or {*values} <= self.exhausted:
                continue
            if all(service.value(key) == value for key, value in values.items()):
                continue
            try:
                service.with_values(values)
            except ServiceError:
                continue
            tried += 1
            self._tried.add(together)
            result = self.attempt(step, {**pending, **values})
            if not isinstance(result, PaylabError) or (
                isinstance(result, READABLE) and is_progress(failure, result, values)
            ):
                yield values, result
        paths = {doubt.key for doubt in failure.doubts if doubt.key.startswith("paths.")}
        self.exhausted |= {key for key in paths if key.startswith(only)}

    def attempt(self, step: Step[R], values: Values) -> R | PaylabError:
        """The result of a step with these values, or its error; nothing is remembered of it."""
        if self.sent >= self.budget:
            raise BudgetError("the budget of requests is used up")
        client = self.client
        try:
            if values:
                client = client.with_service(self.service.with_values(values))
        except ConfigError as error:  # this secret cannot sign in that dialect
            return error
        if self.pace:
            client.sleep(self.pace)
        for _ in range(MOST_WAITS):
            result = self._result(step, client)
            # Without a time to wait, the doubts of a 429 name the header that may say it.
            if not isinstance(result, RateLimitError) or result.doubts:
                break
        return result

    def _result(self, step: Step[R], client: Client) -> R | PaylabError:
        """The result of a step, or its error with the settings that may be behind it."""
        exchanges = list[Exchange]()
        watcher = exchanges.append
        client.watchers.append(watcher)
        try:
            return step(client)
        except (*READABLE, APIConnectionError, ConfigError, RuleError) as error:
            if exchanges and isinstance(error, READABLE):
                error.doubts = error.doubts or doubts_of(error, exchanges[-1], client.service)
            return error
        finally:
            client.watchers.remove(watcher)

    def _prove(self, step: Step[R], pending: Values, last: int) -> None:
        """Keep each value without which the step fails.

        The step has failed already without the `last` values that were tried together.
        """
        succeeded, needed = self.number, dict(pending)
        failed = list(pending)[-1:] if last == 1 else []
        # How long to wait is read from a 429: to wait too long would succeed as well.
        for key in (key for key in pending if key not in failed and not key.startswith(LIMITS)):
            rest = {name: value for name, value in needed.items() if name != key}
            if not isinstance(self.attempt(step, rest), PaylabError):
                needed = rest
        self.adopt(needed, succeeded)

    @property
    def sent(self) -> int:
        """The number of requests."""
        return self.number - self.start

    @property
    def number(self) -> int:
        """The number of the latest call."""
        return self.client.calls[-1].number if self.client.calls else 0

    def answered(self) -> tuple[Call, str] | None:
        """The latest successful call, and its operation."""
        for call in reversed(self.client.calls[-3:]):
            route = self.service.match(call.path)[0].get(call.method)
            if not call.failed and route is not None:
                return call, route.operation
        return None


def words_of(error: BaseException) -> str:
    """An error in one line: its status and the words of the service."""
    text = " ".join(str(error).split())
    return text[:200]
