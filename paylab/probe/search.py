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
from .guesses import guess_settings, is_progress
from .hopeless import raise_if_forbidden
from .names import Guess
from .refusal_words import describe_error
from .report import PROVEN, ProbeFinding

R = TypeVar("R")
Action = Callable[[Client], R]
"""What a run does with a client: one request, or several that belong together."""

BUDGET = 400
"""More requests than a normal service needs."""
GUESSES_MAX = 18
"""So many guesses are tried for one refusal."""
REQUESTS_MAX = 48
"""So many requests are sent in search of the settings of one action."""
SETTINGS_MAX = 12
"""So many settings may be changed for one action."""
QUESTIONS_MAX = 4
"""So many guesses of a refusal that none of them helps are questions to the provider."""

ANSWERED = (APIStatusError, APIResponseError, PagingError)
"""Errors with an answer of the service. Without an answer nothing is tried."""


class BudgetError(PaylabError):
    """The permitted number of requests is used up."""


@dataclass(frozen=True)
class Success(Generic[R]):
    """The settings with which an action succeeded, and its result.

    `last_guess` has those that were added last: the action fails without them.
    """

    settings: Guess
    last_guess: Guess
    result: R


@dataclass(frozen=True)
class _Refusal:
    """The first refusal of an action, and what a search may do about it.

    Only settings may change whose keys begin with one of `key_prefixes`, and `last_request` is the
    number of requests after which no other guess is tried.
    """

    words: str
    key_prefixes: tuple[str, ...]
    last_request: int


@dataclass
class SettingsSearch:
    """Does actions, and finds the settings that they need; `proofs` are those found so far.

    `client` is the client at the start; every other client has its clock, calls and transport.
    `refusals` are the errors behind settings that no guess helped. `blanks` are the constant fields
    that the service requires and a person has to choose, by operation and place, with the words of
    the service.
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
        """The result of an action; the settings that it needs are proven. Else its first error.

        Only settings may change whose keys begin with one of `key_prefixes`.
        """
        try:
            success = self.find(action, key_prefixes)
        except PaylabError as error:
            self._note_questions(error)
            raise
        self._keep_needed(action, success)
        return success.result

    def find(self, action: Action[R], key_prefixes: tuple[str, ...]) -> Success[R]:
        """The settings with which an action succeeds; none of them is kept. Else its first error.

        For example, after "currency must be upper case" the action is done once more with
        `{"currencies.case": "upper"}`.
        """
        first_result = self.attempt(action, {})
        if not isinstance(first_result, PaylabError):
            return Success({}, {}, first_result)
        words = _describe_without_ids(first_result)
        refusal = _Refusal(words, key_prefixes, self.sent + REQUESTS_MAX)
        success = self._follow(action, refusal, {}, first_result)
        if success is None:
            raise first_result
        return success

    def _follow(
        self, action: Action[R], refusal: _Refusal, settings: Guess, failure: PaylabError
    ) -> Success[R] | None:
        """The first success with `settings` and more of them; None if no guess leads to one.

        `failure` is that of the action with `settings`. A guess after which something else is
        refused is followed to its end before the next one is tried: with `amount` for
        `source_amount`, a service may refuse `currency`.
        """
        for guess in self._choose_guesses(settings, failure, refusal.key_prefixes):
            new_settings = {**settings, **guess}
            attempt = (refusal.words, frozenset(new_settings.items()))
            if attempt in self._failed or self.sent >= refusal.last_request:
                continue
            result = self.attempt(action, new_settings)
            if not isinstance(result, PaylabError):
                return Success(new_settings, guess, result)
            is_followed = len(new_settings) <= SETTINGS_MAX
            if is_followed and is_progress(failure, result, guess):
                success = self._follow(action, refusal, new_settings, result)
                if success is not None:
                    return success
            self._failed.add(attempt)
        return None

    def _choose_guesses(
        self, settings: Guess, failure: PaylabError, key_prefixes: tuple[str, ...]
    ) -> list[Guess]:
        """The guesses of a failure that are worth a request."""
        # A service that fails says nothing about the request.
        if not isinstance(failure, ANSWERED) or isinstance(failure, ServerError):
            return []
        service = self.service.with_values(settings)
        guesses = [
            guess
            for guess in failure.doubts
            if all(key.startswith(key_prefixes) for key in guess)
            and _changes_service(service, guess)
        ]
        return guesses[:GUESSES_MAX]

    def _note_questions(self, failure: PaylabError) -> None:
        """Remember a refusal that no guess helps.

        Its settings become questions to the provider, its constants are left for a person to fill.
        """
        for guess in failure.doubts:
            for blank_place in find_blanks(guess.get("extra", {})):
                self.blanks.setdefault(blank_place, describe_error(failure))
        if isinstance(failure, APIStatusError):
            for guess in failure.doubts[:QUESTIONS_MAX]:
                for key in guess.keys() - {"extra"}:
                    self.refusals.setdefault(key, failure)

    def _keep_needed(self, action: Action[R], success: Success[R]) -> None:
        """Keep each value without which the action fails: it is tried without each in turn.

        How long to wait is read from a 429 and kept as it is: the action would succeed with a
        longer wait as well.
        """
        succeeded_call = self.number
        needed = dict(success.settings)
        is_last_known = len(success.last_guess) == 1
        for key in success.settings:
            if key.startswith("rate_limits.") or (is_last_known and key in success.last_guess):
                continue
            others = {other: value for other, value in needed.items() if other != key}
            if not isinstance(self.attempt(action, others), PaylabError):
                needed = others
        self.adopt(needed, succeeded_call)

    def adopt(self, values: Guess, call: int) -> None:
        """Keep values that were read in a successful answer, or used in this call."""
        new_values = {
            key: value for key, value in values.items() if self.service.value(key) != value
        }
        if not new_values:
            return
        self.client = self.client.with_service(self.service.with_values(new_values))
        for key, value in new_values.items():
            self.proofs[key] = ProbeFinding(key, PROVEN, value, call=call)

    def withdraw(self, *keys: str) -> None:
        """Forget proofs that a later answer contradicts."""
        wrong_keys = self.proofs.keys() & {*keys}
        for key in wrong_keys:
            del self.proofs[key]
        if wrong_keys:
            declared = self.service.declared
            kept = {key: value for key, value in declared.items() if key not in wrong_keys}
            self.client = self.client.with_service(Service(kept))

    def attempt(self, action: Action[R], settings: Guess) -> R | PaylabError:
        """The result of an action with these settings, or its error with guesses; none is kept."""
        if self.sent >= self.budget:
            raise BudgetError("the budget of requests is used up")
        client = self.client
        try:
            if settings:
                client = client.with_service(self.service.with_values(settings))
        except ConfigError as error:  # this secret cannot sign in that dialect
            return error
        if self.pace:
            client.sleep(self.pace)
        exchanges = list[Exchange]()
        note_exchange = exchanges.append
        client.watchers.append(note_exchange)
        try:
            return action(client)
        except (*ANSWERED, APIConnectionError, ConfigError, RuleError) as error:
            raise_if_forbidden(error)
            if exchanges and isinstance(error, ANSWERED) and not error.doubts:
                exchange = _find_refused_exchange(error, exchanges)
                error.doubts = tuple(
                    guess_settings(error, exchange, client.service, has_signed=self._has_signed())
                )
            return error
        finally:
            client.watchers.remove(note_exchange)

    def _has_signed(self) -> bool:
        """Whether a request of this search has succeeded, so that its signature was right."""
        return any(not call.failed for call in self.client.calls if call.number > self.start)

    def find_answered_call(self) -> tuple[Call, str] | None:
        """The latest successful call, and its operation; None if the last three calls have none."""
        for call in reversed(self.client.calls[-3:]):
            route = self.service.match(call.path)[0].get(call.method)
            if not call.failed and route is not None:
                return call, route.operation
        return None


def _find_refused_exchange(error: PaylabError, exchanges: list[Exchange]) -> Exchange:
    """The exchange that an error is about: the last one of its path, else the last one."""
    path = getattr(error.call, "path", "")
    of_path = [exchange for exchange in exchanges if exchange.request.path == path]
    return (of_path or exchanges)[-1]


def _describe_without_ids(error: PaylabError) -> str:
    """The method, whether there was a query, and the words of a refusal without its ids.

    They are the same when a request is refused again, such as for another person: of "400 no
    account fa_7 for ind_1" they are "POST ... no account ... for ...".
    """
    call = error.call
    request_text = f"{call.method}{' with a query' * ('?' in call.url)}" if call else ""
    return re.sub(r"\w*\d\w*", "...", f"{request_text} {describe_error(error)}")


def _changes_service(service: Service, guess: Guess) -> bool:
    """Whether a service has other values than a guess, and permits those of the guess."""
    if all(service.value(key) == value for key, value in guess.items()):
        return False
    try:
        service.with_values(guess)
    except ServiceError:
        return False
    return True
