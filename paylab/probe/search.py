"""Send a refused request again with other settings, and keep those that make it succeed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..client.call import Call
from ..client.client import Client
from ..client.exchange import Exchange
from ..errors.api import APIConnectionError, APIResponseError, APIStatusError, ServerError
from ..errors.base import ConfigError, PagingError, PaylabError, RuleError, ServiceError
from ..spec.service.service import Service
from .constants import find_blanks
from .guesses import guess_settings
from .hopeless import raise_if_forbidden
from .refused_request import Guess, describe_error
from .report import PROVEN, ProbeFinding

R = TypeVar("R")
Action = Callable[[Client], R]
"""What a run does with a client: one request, or several that belong together."""

RECENT_CALLS = 3
"""The number of the latest calls among which the call of an action is looked for."""
BUDGET = 400
"""More requests than a normal service needs."""
GUESSES_MAX = 18
"""So many guesses are tried for one refusal."""
REQUESTS_MAX = 48
"""So many requests are sent in search of the settings of one action."""
QUESTIONS_MAX = 4
"""So many guesses of a refusal that none of them helps are questions to the provider."""

NO_PROGRESS = (*range(300, 400), 401, 403, 404, 405, 429, 501)
"""Statuses that say nothing about the fields of a request."""
ANSWERED = (APIStatusError, APIResponseError, PagingError)
"""Errors with an answer of the service. Without an answer nothing is tried."""


class BudgetError(PaylabError):
    """The permitted number of requests is used up."""


@dataclass(frozen=True)
class Success(Generic[R]):
    """The settings with which an action succeeded, and its result."""

    settings: Guess
    result: R


@dataclass(frozen=True)
class FailedAction:
    """The error of an action, and the settings with which it may succeed, most likely first."""

    error: PaylabError
    guesses: tuple[Guess, ...] = ()


@dataclass
class SettingsSearch:
    """Does actions, and finds the settings that they need; `proofs` are those found so far.

    `client` is the client at the start; every other client has its clock, calls and transport.
    `start` is the number of the last call before. `refusals` are the errors behind settings that no
    guess helped. `blanks` are the constant fields that the service requires and a person has to
    choose, by operation and place, with the words of the service.
    """

    client: Client
    budget: int
    pace: float = 0.0
    start: int = 0
    proofs: dict[str, ProbeFinding] = field(default_factory=dict)
    refusals: dict[str, APIStatusError] = field(default_factory=dict)
    blanks: dict[tuple[str, str], str] = field(default_factory=dict)
    _failed: set[tuple[str, frozenset[object]]] = field(default_factory=set, init=False)
    """The words of first refusals with settings that did not help: they are not tried again."""

    @property
    def service(self) -> Service:
        """The service with everything that was proven."""
        return self.client.service

    @property
    def sent(self) -> int:
        """The number of requests."""
        return self.number - self.start

    @property
    def number(self) -> int:
        """The number of the latest call; 0 before the first one."""
        return self.client.calls[-1].number if self.client.calls else 0

    def run(self, action: Action[R], key_prefixes: tuple[str, ...] = ("",)) -> R:
        """Do an action, with other settings if it needs them, and return its result.

        The settings that it needs are proven. If none helps, the first error of the action is
        raised. Only settings may change whose keys begin with one of `key_prefixes`.
        """
        outcome = self.find(action, key_prefixes)
        if isinstance(outcome, FailedAction):
            self._note_questions(outcome)
            raise outcome.error
        self._keep_needed(action, outcome)
        return outcome.result

    def find(self, action: Action[R], key_prefixes: tuple[str, ...]) -> Success[R] | FailedAction:
        """Find settings with which an action succeeds, and keep none; else return its first error.

        For example, after "currency must be upper case" the action is done once more with
        `{"currencies.case": "upper"}`. A guess after which something else is refused is followed to
        its end before the next one is tried: with `amount` for `source_amount`, a service may
        refuse `currency`.
        """
        first_outcome = self.attempt(action, {})
        if isinstance(first_outcome, Success):
            return first_outcome
        first_words = _describe_without_ids(first_outcome.error)
        last_request_number = self.sent + REQUESTS_MAX
        failed_attempts = set[tuple[str, frozenset[object]]]()
        planned_attempts = self._plan_attempts({}, first_outcome, key_prefixes)
        while planned_attempts and self.sent < last_request_number:
            # From the end: first the most likely guess, and what follows it before the others.
            tried_values, refusal = planned_attempts.pop()
            attempt_key = (first_words, frozenset(tried_values.items()))
            if attempt_key in self._failed | failed_attempts:
                continue
            outcome = self.attempt(action, tried_values)
            if isinstance(outcome, Success):
                return outcome
            failed_attempts.add(attempt_key)
            if is_progress(refusal.error, outcome.error):
                planned_attempts += self._plan_attempts(tried_values, outcome, key_prefixes)
        self._failed |= failed_attempts
        return first_outcome

    def _plan_attempts(
        self, settings: Guess, refusal: FailedAction, key_prefixes: tuple[str, ...]
    ) -> list[tuple[Guess, FailedAction]]:
        """List the settings to try after a refusal, the most likely last, each with the refusal.

        They are the refused `settings` with one more guess.
        """
        if isinstance(refusal.error, ServerError):  # says nothing about the request
            return []
        service = self.service.with_values(settings)
        guesses = [
            guess
            for guess in refusal.guesses
            if all(setting_key.startswith(key_prefixes) for setting_key in guess)
            and _changes_service(service, guess)
        ]
        return [({**settings, **guess}, refusal) for guess in reversed(guesses[:GUESSES_MAX])]

    def _note_questions(self, refusal: FailedAction) -> None:
        """Remember a refusal that no guess helps.

        Its settings become questions to the provider, its constants are left for a person to fill.
        """
        for guess in refusal.guesses:
            for blank_place in find_blanks(guess.get("extra", {})):
                self.blanks.setdefault(blank_place, describe_error(refusal.error))
        if isinstance(refusal.error, APIStatusError):
            for guess in refusal.guesses[:QUESTIONS_MAX]:
                for setting_key in guess.keys() - {"extra"}:
                    self.refusals.setdefault(setting_key, refusal.error)

    def _keep_needed(self, action: Action[R], success: Success[R]) -> None:
        """Try an action that succeeded without each of its values, and keep those that it needs.

        If the budget ends before all are tried, the values that are left are kept as well.
        """
        # The attempts below are calls, too; the values are proven by the one before them.
        proving_call_number = self.number
        needed_values = dict(success.settings)
        for setting_key in success.settings:
            # How long to wait is what a 429 said: the action succeeds with any longer wait, too.
            is_waiting_time = setting_key.startswith("rate_limits.")
            # With no value at all the action is known to fail: the last value is needed.
            if is_waiting_time or len(needed_values) == 1:
                continue
            other_values = {
                other_key: value
                for other_key, value in needed_values.items()
                if other_key != setting_key
            }
            try:
                outcome = self.attempt(action, other_values)
            except BudgetError:
                break
            if isinstance(outcome, Success):
                needed_values = other_values
        self.adopt(needed_values, proving_call_number)

    def adopt(self, values: Guess, call_number: int) -> None:
        """Keep values that the call of this number used, or showed in its successful answer."""
        new_values = {
            setting_key: setting_value
            for setting_key, setting_value in values.items()
            if self.service.value(setting_key) != setting_value
        }
        if not new_values:
            return
        self.client = self.client.with_service(self.service.with_values(new_values))
        for setting_key, setting_value in new_values.items():
            self.proofs[setting_key] = ProbeFinding(
                setting_key, PROVEN, setting_value, call=call_number
            )

    def withdraw(self, *keys: str) -> None:
        """Forget proofs that a later answer contradicts."""
        wrong_keys = self.proofs.keys() & {*keys}
        for setting_key in wrong_keys:
            del self.proofs[setting_key]
        if wrong_keys:
            declared_values = self.service.declared
            kept_values = {
                setting_key: setting_value
                for setting_key, setting_value in declared_values.items()
                if setting_key not in wrong_keys
            }
            self.client = self.client.with_service(Service(kept_values))

    def attempt(self, action: Action[R], settings: Guess) -> Success[R] | FailedAction:
        """Do an action with these settings, none of which is kept."""
        if self.sent >= self.budget:
            raise BudgetError("the budget of requests is used up")
        client = self.client
        try:
            if settings:
                client = client.with_service(self.service.with_values(settings))
        except ConfigError as error:  # this secret cannot sign in that dialect
            return FailedAction(error)
        if self.pace:
            client.sleep(self.pace)
        exchanges = list[Exchange]()
        note_exchange = exchanges.append
        client.watchers.append(note_exchange)
        try:
            return Success(settings, action(client))
        except (*ANSWERED, APIConnectionError, ConfigError, RuleError) as error:
            raise_if_forbidden(error)
            return FailedAction(error, self._guess_settings(error, exchanges, client.service))
        finally:
            client.watchers.remove(note_exchange)

    def _guess_settings(
        self, error: PaylabError, exchanges: list[Exchange], service: Service
    ) -> tuple[Guess, ...]:
        """Guess settings that may help after an error; empty without an answer of the service.

        The error is about the last exchange with its path, else about the last exchange.
        """
        if not exchanges or not isinstance(error, ANSWERED):
            return ()
        path = getattr(error.call, "path", "")
        exchanges_of_path = [exchange for exchange in exchanges if exchange.request.path == path]
        calls = [call for call in self.client.calls if call.number > self.start]
        has_signed = any(not call.failed for call in calls)
        exchange = (exchanges_of_path or exchanges)[-1]
        return tuple(guess_settings(error, exchange, service, has_signed=has_signed))

    def find_answered_call(self) -> tuple[Call, str] | None:
        """The latest successful call, and its operation; None if no recent call has succeeded."""
        for call in reversed(self.client.calls[-RECENT_CALLS:]):
            route = self.service.match(call.path)[0].get(call.method)
            if not call.failed and route is not None:
                return call, route.operation
        return None


def is_progress(before: PaylabError, after: PaylabError) -> bool:
    """Whether the error `after`, with more settings, is about something else than `before`."""
    if getattr(after, "status", None) in NO_PROGRESS:
        return False
    return _describe_without_ids(after) != _describe_without_ids(before)


def _describe_without_ids(error: PaylabError) -> str:
    """Describe a refusal by the method, whether there was a query, and the words without ids.

    The text is the same when a request is refused again, such as for another person: "400 no
    account fa_7 for ind_1" gives "POST ... no account ... for ...".
    """
    call = error.call
    request_text = ""
    if call:
        request_text = f"{call.method} with a query" if "?" in call.url else call.method
    return re.sub(r"\w*\d\w*", "...", f"{request_text} {describe_error(error)}")


def _changes_service(service: Service, guess: Guess) -> bool:
    """Whether a service has other values than a guess, and permits those of the guess."""
    if all(
        service.value(setting_key) == setting_value for setting_key, setting_value in guess.items()
    ):
        return False
    try:
        service.with_values(guess)
    except ServiceError:
        return False
    return True
