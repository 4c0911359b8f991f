"""Try a request again with one setting changed, and keep what makes it succeed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from ..client.call import Call
from ..client.client import Client
from ..client.exchange import Exchange
from ..client.retries import RETRY_AFTER_SECONDS_MAX, requested_wait
from ..errors.api import (
    APIConnectionError,
    APIResponseError,
    APIStatusError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
)
from ..errors.base import ConfigError, PagingError, PaylabError, RuleError, ServiceError
from ..spec.service.key import Value
from ..spec.service.service import Service
from ..spec.text import plain
from .candidates import Values, candidates, is_about_signature, is_progress
from .constants import find_blanks
from .report import PROVEN, HopelessError, ProbeFinding

R = TypeVar("R")
Step = Callable[[Client], R]
"""One request with the real client, made of the client's settings."""

BUDGET = 400
"""More requests than a normal service needs."""

HANDFUL = 12
"""The most candidates that are tried for one refusal."""

MOST_DIALECTS = 18
"""The most ways to sign that are tried."""

DEEPEST = 12
"""The most settings that one request may need."""

MOST_ATTEMPTS = 48
"""The most candidates that are tried for one step."""

MOST_WAITS = 4
"""How often a step is repeated when the service asks to wait, beyond the client's own retries."""

LIMITS = "rate_limits."
NAME = ".fields."
EXTRA = "extra"
MOST_ASKED = 4
MOST_PROBLEMS = 5

READABLE = (APIStatusError, APIResponseError, PagingError)
"""Errors with an answer of the service. Without an answer nothing is tried."""


class BudgetError(PaylabError):
    """The permitted number of requests is used up."""


@dataclass
class Trials:
    """The settings found so far, and the requests that proved them.

    `client` is the client at the start; every other client has its clock, calls and transport.
    `blanks` are the constant fields that the service requires and a person has to choose, by
    operation and place, with the words of the service.
    """

    client: Client
    budget: int
    pace: float = 0.0
    start: int = 0
    proofs: dict[str, ProbeFinding] = field(default_factory=dict)
    refusals: dict[str, APIStatusError] = field(default_factory=dict)
    exhausted: set[str] = field(default_factory=set)
    blanks: dict[tuple[str, str], str] = field(default_factory=dict)
    _given_up: set[tuple[str, str]] = field(default_factory=set)
    _signed: set[tuple[bool, str]] = field(default_factory=set)
    _tried: set[frozenset[tuple[str, Value]]] = field(default_factory=set)

    def run(self, step: Step[R], only: tuple[str, ...] = ("",)) -> R:
        """The result of a step, with settings changed until it succeeds; else its first error.

        `only` are the beginnings of the keys that may change.
        """
        first_outcome = self.attempt(step, {})
        if not isinstance(first_outcome, PaylabError):
            return first_outcome
        self._tried = set[frozenset[tuple[str, Value]]]()
        refusal = (_operation_of(first_outcome), str(first_outcome))
        if refusal not in self._given_up:
            for pending, attempt_number, step_result in self._search_settings(
                step, {}, first_outcome, only
            ):
                self._keep_needed_values(step, pending, attempt_number)
                return step_result
            self._give_up(first_outcome, refusal)
        raise first_outcome

    def _give_up(self, failure: PaylabError, refusal: tuple[str, str]) -> None:
        """Remember a refusal that no candidate helps, with what a person has to say."""
        if isinstance(failure, APIStatusError):
            self._given_up.add(refusal)
            for setting_key in (
                setting_key
                for doubted_settings in failure.doubts[:MOST_ASKED]
                for setting_key in doubted_settings
            ):
                if setting_key != EXTRA:
                    self.refusals.setdefault(setting_key, failure)
        for doubted_settings in failure.doubts:
            for blank_path in find_blanks(doubted_settings.get(EXTRA, {})):
                self.blanks.setdefault(blank_path, words_of(failure))

    def _search_settings(
        self, step: Step[R], pending: Values, failure: PaylabError, only: tuple[str, ...]
    ) -> Iterator[tuple[Values, int, R]]:
        """The settings that succeed, with the number of those that were tried last.

        A change whose refusal is about something else is followed to its end before the next one.
        """
        for better_settings, step_result in self._find_better_candidates(
            step, pending, failure, only
        ):
            together = {**pending, **better_settings}
            if not isinstance(step_result, PaylabError):
                yield together, len(better_settings), step_result
            elif len(together) <= DEEPEST:
                yield from self._search_settings(step, together, step_result, only)

    def adopt(self, values: Values, call: int) -> None:
        """Keep values that were read in a successful answer and used in this call."""
        new_settings = {
            setting_key: setting_value
            for setting_key, setting_value in values.items()
            if self.service.value(setting_key) != setting_value
        }
        if new_settings:
            self.client = self.client.with_service(self.service.with_values(new_settings))
            self.proofs |= {
                setting_key: ProbeFinding(setting_key, PROVEN, setting_value, call=call)
                for setting_key, setting_value in new_settings.items()
            }

    def withdraw(self, *keys: str) -> None:
        """Forget proofs that a later answer contradicts."""
        wrong_keys = {setting_key for setting_key in keys if setting_key in self.proofs}
        if wrong_keys:
            self.proofs = {
                setting_key: proof
                for setting_key, proof in self.proofs.items()
                if setting_key not in wrong_keys
            }
            kept_settings = {
                setting_key: v
                for setting_key, v in self.service.declared.items()
                if setting_key not in wrong_keys
            }
            self.client = self.client.with_service(Service(kept_settings))

    @property
    def service(self) -> Service:
        """The service with everything that was proven."""
        return self.client.service

    def _find_better_candidates(
        self, step: Step[R], pending: Values, failure: PaylabError, only: tuple[str, ...]
    ) -> Iterator[tuple[Values, R | PaylabError]]:
        """The candidates that succeed, or whose refusal is about something else."""
        if not isinstance(failure, READABLE) or isinstance(failure, ServerError):
            return
        service = self.service.with_values(dict(pending))
        tried = 0
        most = MOST_DIALECTS if is_about_signature(failure) else HANDFUL
        for candidate_settings in failure.doubts:
            together = frozenset({**pending, **candidate_settings}.items())
            if tried >= most or len(self._tried) >= MOST_ATTEMPTS:
                break
            if together in self._tried or any(
                setting_name in pending
                for setting_name in candidate_settings
                if NAME in setting_name
            ):
                continue
            if (
                not all(setting_key.startswith(only) for setting_key in candidate_settings)
                or {*candidate_settings} <= self.exhausted
            ):
                continue
            if all(
                service.value(setting_key) == setting_value
                for setting_key, setting_value in candidate_settings.items()
            ):
                continue
            try:
                service.with_values(candidate_settings)
            except ServiceError:
                continue
            tried += 1
            self._tried.add(together)
            step_result = self.attempt(step, {**pending, **candidate_settings})
            if not isinstance(step_result, PaylabError) or (
                isinstance(step_result, READABLE)
                and is_progress(failure, step_result, candidate_settings)
            ):
                yield candidate_settings, step_result
        paths = {
            setting_key
            for candidate_settings in failure.doubts
            for setting_key in candidate_settings
            if setting_key.startswith("paths.")
        }
        self.exhausted |= {setting_key for setting_key in paths if setting_key.startswith(only)}

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
            step_result = self._run_step(step, client)
            # The client waits as long as the service asks for; a wait that is too long is an error.
            may_succeed_now = isinstance(step_result, RateLimitError) and _has_waited(
                step_result, self.service
            )
            if not may_succeed_now:
                break
        return step_result

    def _run_step(self, step: Step[R], client: Client) -> R | PaylabError:
        """The result of a step, or its error with the settings that may be behind it."""
        exchanges = list[Exchange]()
        watcher = exchanges.append
        client.watchers.append(watcher)
        try:
            return step(client)
        except (*READABLE, APIConnectionError, ConfigError, RuleError) as error:
            refuse_production(error)
            if exchanges and isinstance(error, READABLE) and not error.doubts:
                path = getattr(getattr(error, "call", None), "path", "")
                refused = [
                    exchange for exchange in exchanges if exchange.request.path == path
                ] or exchanges
                error.doubts = self._find_candidates(error, refused[-1], client.service)
            return error
        finally:
            client.watchers.remove(watcher)

    def _find_candidates(
        self, error: PaylabError, exchange: Exchange, service: Service
    ) -> tuple[Values, ...]:
        """What to try after an error; other signatures once for each kind of request."""
        has_signed = any(not call.failed for call in self.client.calls if call.number > self.start)
        if is_about_signature(error):
            request_kind = (bool(exchange.request.url.query), exchange.request.method)
            if request_kind in self._signed:
                return ()
            self._signed.add(request_kind)
        return tuple(candidates(error, exchange, service, has_signed=has_signed))

    def _keep_needed_values(self, step: Step[R], pending: Values, attempt_number: int) -> None:
        """Keep each value without which the step fails.

        The step has failed already without the `last` values that were tried together.
        """
        succeeded = self.number
        needed = dict(pending)
        keys_known_needed = list(pending)[-1:] if attempt_number == 1 else []
        # How long to wait is read from a 429: to wait too long would succeed as well.
        for setting_key in (
            setting_key
            for setting_key in pending
            if setting_key not in keys_known_needed and not setting_key.startswith(LIMITS)
        ):
            other_settings = {
                other_key: setting_value
                for other_key, setting_value in needed.items()
                if other_key != setting_key
            }
            if not isinstance(self.attempt(step, other_settings), PaylabError):
                needed = other_settings
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


def refuse_production(error: PaylabError) -> None:
    """HopelessError if a POST was answered with 403, after which nothing may be created."""
    call = getattr(error, "call", None)
    if isinstance(error, PermissionDeniedError) and call and call.method == "POST":
        raise HopelessError(
            f"the service refuses POST {plain(call.path, 100)} with {words_of(error)}: it is "
            "production, or this key may only read; use the keys of a sandbox, or leave out --write"
        ) from error


def is_web_page(call: Call) -> bool:
    """Whether an answer is a web page, which is no answer of an API."""
    is_html = "html" in str(call.response_headers.get("content-type", "")).lower()
    return is_html or call.response_body.text.lstrip().startswith("<")


def words_of(error: BaseException) -> str:
    """An error in one line: its status, the words of the service, and its problems by field."""
    error_text = " ".join(str(error).split())
    call = getattr(error, "call", None)
    if isinstance(error, APIStatusError) and call and is_web_page(call):
        error_text += ", a web page"
    for problem in getattr(error, "problems", ())[:MOST_PROBLEMS]:
        if problem.field and problem.field not in error_text:
            error_text += f"; {problem.field}: {problem.message}"
    return plain(error_text, 300)


def _operation_of(error: PaylabError) -> str:
    """The method and the last static part of the path that was refused."""
    call = getattr(error, "call", None)
    return f"{call.method} {call.path.rpartition('/')[2]}" if call else ""


def _has_waited(error: RateLimitError, service: Service) -> bool:
    """Whether the service said how long to wait, and the client could wait so long."""
    limits = service.rate_limits
    call = error.call
    seconds = requested_wait(call.response_headers, call.when, limits.header, limits.unit)
    return seconds is not None and seconds <= RETRY_AFTER_SECONDS_MAX
