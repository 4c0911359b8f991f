"""Try a request again with one setting changed, and keep what makes it succeed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from ..client.call import Call
from ..client.client import Client
from ..client.exchange import Exchange
from ..client.retries import RETRY_AFTER_SECONDS_MAX
from ..errors.api import APIConnectionError, APIStatusError, RateLimitError
from ..errors.base import ConfigError, PaylabError, RuleError
from ..spec.service.service import Service
from .candidates import find_candidates
from .constants import find_blanks
from .names import Values
from .refusals import (
    describe_error,
    name_refused_request,
    raise_if_production,
    read_requested_wait,
)
from .report import PROVEN, ProbeFinding
from .settings_search import READABLE, SettingsSearch, Success
from .signatures import is_about_signature

R = TypeVar("R")
Step = Callable[[Client], R]
"""One request with the real client, made of the client's settings."""

BUDGET = 400
"""More requests than a normal service needs."""
WAITS_MAX = 4
"""How often a step is repeated when the service asks to wait, beyond the client's own retries."""
QUESTIONS_MAX = 4
"""So many candidates of a refusal that none of them helps are questions to the provider."""
LIMITS = "rate_limits."
EXTRA = "extra"


class BudgetError(PaylabError):
    """The permitted number of requests is used up."""


@dataclass
class Trials:
    """The settings found so far, and the requests that proved them.

    `client` is the client at the start; every other client has its clock, calls and transport.
    `refusals` are the errors behind settings that no candidate helped, and `exhausted` the paths of
    which all candidates were tried. `blanks` are the constant fields that the service requires and
    a person has to choose, by operation and place, with the words of the service.
    """

    client: Client
    budget: int
    pace: float = 0.0
    start: int = 0
    proofs: dict[str, ProbeFinding] = field(default_factory=dict)
    refusals: dict[str, APIStatusError] = field(default_factory=dict)
    exhausted: set[str] = field(default_factory=set)
    blanks: dict[tuple[str, str], str] = field(default_factory=dict)
    _final_refusals: set[tuple[str, str]] = field(default_factory=set)
    """The requests and words of the refusals that no candidate helps."""
    _signed_kinds: set[tuple[bool, str]] = field(default_factory=set)
    """The kinds of requests whose refused signature was searched for."""

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

    def run(self, step: Step[R], key_prefixes: tuple[str, ...] = ("",)) -> R:
        """The result of a step, with settings changed until it succeeds; else its first error.

        Only settings may change whose keys begin with one of `key_prefixes`.
        """
        step_result = self.attempt(step, {})
        if not isinstance(step_result, PaylabError):
            return step_result
        refusal = (name_refused_request(step_result), str(step_result))
        if refusal in self._final_refusals:
            raise step_result
        attempt_step = partial(self.attempt, step)
        search = SettingsSearch(attempt_step, self.service, key_prefixes, self.exhausted)
        success = search.find({}, step_result)
        if success is None:
            self._give_up(step_result, refusal)
            raise step_result
        self._adopt_needed(step, success)
        return success.result

    def _give_up(self, failure: PaylabError, refusal: tuple[str, str]) -> None:
        """Remember a refusal that no candidate helps.

        Its settings become questions to the provider, its constants are left for a person to fill.
        """
        for candidate in failure.doubts:
            for blank_place in find_blanks(candidate.get(EXTRA, {})):
                self.blanks.setdefault(blank_place, describe_error(failure))
        if not isinstance(failure, APIStatusError):
            return
        self._final_refusals.add(refusal)
        for candidate in failure.doubts[:QUESTIONS_MAX]:
            for setting_key in candidate:
                if setting_key != EXTRA:
                    self.refusals.setdefault(setting_key, failure)

    def _adopt_needed(self, step: Step[R], success: Success[R]) -> None:
        """Keep each value without which the step fails: it is tried without each in turn.

        It has failed already without the value that was tried last. How long to wait is read from
        a 429 and kept as it is: the step would succeed with a longer wait as well.
        """
        succeeded_call = self.number
        needed = dict(success.settings)
        last_key = list(needed)[-1] if success.last_count == 1 else None
        for setting_key in success.settings:
            if setting_key == last_key or setting_key.startswith(LIMITS):
                continue
            others = {other: value for other, value in needed.items() if other != setting_key}
            if not isinstance(self.attempt(step, others), PaylabError):
                needed = others
        self.adopt(needed, succeeded_call)

    def adopt(self, values: Values, call: int) -> None:
        """Keep values that were read in a successful answer and used in this call."""
        new_values = {
            setting_key: value
            for setting_key, value in values.items()
            if self.service.value(setting_key) != value
        }
        if not new_values:
            return
        self.client = self.client.with_service(self.service.with_values(new_values))
        for setting_key, value in new_values.items():
            self.proofs[setting_key] = ProbeFinding(setting_key, PROVEN, value, call=call)

    def withdraw(self, *keys: str) -> None:
        """Forget proofs that a later answer contradicts."""
        wrong_keys = self.proofs.keys() & {*keys}
        if not wrong_keys:
            return
        for setting_key in wrong_keys:
            del self.proofs[setting_key]
        kept_settings = {
            setting_key: value
            for setting_key, value in self.service.declared.items()
            if setting_key not in wrong_keys
        }
        self.client = self.client.with_service(Service(kept_settings))

    def attempt(self, step: Step[R], settings: Values) -> R | PaylabError:
        """The result of a step with these settings, or its error; no setting is kept."""
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
        for _ in range(WAITS_MAX):
            step_result = self._run_step(step, client)
            # The client has waited as long as the service asks for, unless that is too long.
            if not (isinstance(step_result, RateLimitError) and self._has_waited(step_result)):
                break
        return step_result

    def _has_waited(self, error: RateLimitError) -> bool:
        """Whether the service said how long to wait, and the client could wait so long."""
        seconds = read_requested_wait(error, self.service)
        return seconds is not None and seconds <= RETRY_AFTER_SECONDS_MAX

    def _run_step(self, step: Step[R], client: Client) -> R | PaylabError:
        """The result of a step, or its error with the settings that may be behind it."""
        exchanges = list[Exchange]()
        note_exchange = exchanges.append
        client.watchers.append(note_exchange)
        try:
            return step(client)
        except (*READABLE, APIConnectionError, ConfigError, RuleError) as error:
            raise_if_production(error)
            if exchanges and isinstance(error, READABLE) and not error.doubts:
                exchange = _find_refused_exchange(error, exchanges)
                error.doubts = self._find_candidates(error, exchange, client.service)
            return error
        finally:
            client.watchers.remove(note_exchange)

    def _find_candidates(
        self, error: PaylabError, exchange: Exchange, service: Service
    ) -> tuple[Values, ...]:
        """What to try after an error.

        Other signatures are tried once for each method, with and without a query: what is refused
        for one request is refused for the next one, too.
        """
        if is_about_signature(error):
            request_kind = (bool(exchange.request.url.query), exchange.request.method)
            if request_kind in self._signed_kinds:
                return ()
            self._signed_kinds.add(request_kind)
        has_signed = any(not call.failed for call in self.client.calls if call.number > self.start)
        return tuple(find_candidates(error, exchange, service, has_signed=has_signed))

    def find_answered_call(self) -> tuple[Call, str] | None:
        """The latest successful call, and its operation; None if the last three calls have none."""
        for call in reversed(self.client.calls[-3:]):
            route = self.service.match(call.path)[0].get(call.method)
            if not call.failed and route is not None:
                return call, route.operation
        return None


def _find_refused_exchange(error: PaylabError, exchanges: list[Exchange]) -> Exchange:
    """The exchange that an error is about: the last one of its path, else the last one."""
    path = getattr(getattr(error, "call", None), "path", "")
    of_path = [exchange for exchange in exchanges if exchange.request.path == path]
    return (of_path or exchanges)[-1]
