"""The search for the settings with which one step of a walk succeeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from ..errors.api import APIResponseError, APIStatusError, ServerError
from ..errors.base import PagingError, PaylabError, ServiceError
from ..spec.service.key import Value
from ..spec.service.service import Service
from .candidates import is_progress
from .names import Values
from .signatures import is_about_signature

R = TypeVar("R")

CANDIDATES_MAX = 12
"""So many candidates are tried for one refusal, ..."""
DIALECTS_MAX = 18
"""... and so many ways to sign for the refusal of a signature."""
ATTEMPTS_MAX = 48
"""So many candidates are tried for one step."""
SETTINGS_MAX = 12
"""So many settings one step may need."""

NAME = ".fields."
PATH = "paths."

READABLE = (APIStatusError, APIResponseError, PagingError)
"""Errors with an answer of the service. Without an answer nothing is tried."""


@dataclass(frozen=True)
class Success(Generic[R]):
    """The settings with which a step succeeded, and its result.

    `last_count` is the number of those that were tried together at last.
    """

    settings: Values
    last_count: int
    result: R


class SettingsSearch(Generic[R]):
    """Tries candidates for one step, of keys that begin with one of `key_prefixes`.

    `attempt` carries out the step with settings over those of `service`. `exhausted` are the paths
    that no step tries again; those of this search are added.
    """

    def __init__(
        self,
        attempt: Callable[[Values], R | PaylabError],
        service: Service,
        key_prefixes: tuple[str, ...],
        exhausted: set[str],
    ) -> None:
        self._attempt = attempt
        self._service = service
        self._key_prefixes = key_prefixes
        self._exhausted = exhausted
        self._tried = set[frozenset[tuple[str, Value]]]()

    def find(self, settings: Values, failure: PaylabError) -> Success[R] | None:
        """What succeeds with these settings, which fail alone, and more; None if nothing does.

        A candidate after which something else is refused is followed to its end before the next one
        is tried: with `amount` for `source_amount`, a service may go on to refuse `currency`.
        """
        for candidate in self._choose_candidates(settings, failure):
            changed_settings = {**settings, **candidate}
            step_result = self._attempt(changed_settings)
            if not isinstance(step_result, PaylabError):
                return Success(changed_settings, len(candidate), step_result)
            leads_on = isinstance(step_result, READABLE) and is_progress(
                failure, step_result, candidate
            )
            if leads_on and len(changed_settings) <= SETTINGS_MAX:
                success = self.find(changed_settings, step_result)
                if success is not None:
                    return success
        return None

    def _choose_candidates(self, settings: Values, failure: PaylabError) -> Iterator[Values]:
        """The candidates of a failure that are worth a request, as far as the limits permit.

        After the last one, its paths count as exhausted: other steps do not try them again.
        """
        # A service that fails says nothing about the request.
        if not isinstance(failure, READABLE) or isinstance(failure, ServerError):
            return
        service = self._service.with_values(dict(settings))
        worthwhile = (
            candidate
            for candidate in failure.doubts
            if self._is_permitted(candidate, settings) and _changes_service(service, candidate)
        )
        count_max = DIALECTS_MAX if is_about_signature(failure) else CANDIDATES_MAX
        for candidate in islice(worthwhile, count_max):
            if len(self._tried) >= ATTEMPTS_MAX:
                break
            self._tried.add(_combine(settings, candidate))
            yield candidate
        candidate_keys = {setting_key for candidate in failure.doubts for setting_key in candidate}
        self._exhausted.update(
            setting_key
            for setting_key in candidate_keys
            if setting_key.startswith(PATH) and setting_key.startswith(self._key_prefixes)
        )

    def _is_permitted(self, candidate: Values, settings: Values) -> bool:
        """Whether a candidate has permitted keys only, and was not tried with these settings."""
        # A field has one new name: a second one would only undo the first.
        renames_again = any(NAME in setting_key for setting_key in candidate.keys() & settings)
        if renames_again or _combine(settings, candidate) in self._tried:
            return False
        is_exhausted = candidate.keys() <= self._exhausted
        return not is_exhausted and all(
            setting_key.startswith(self._key_prefixes) for setting_key in candidate
        )


def _combine(settings: Values, candidate: Values) -> frozenset[tuple[str, Value]]:
    """Settings and a candidate as one set, by which a repeated attempt is known."""
    return frozenset({**settings, **candidate}.items())


def _changes_service(service: Service, candidate: Values) -> bool:
    """Whether a service has other values than a candidate, and permits those of the candidate."""
    if all(service.value(setting_key) == value for setting_key, value in candidate.items()):
        return False
    try:
        service.with_values(candidate)
    except ServiceError:
        return False
    return True
