"""The shared parts of operations: lists, waiting, and the names in nested objects."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from ...errors.api import APIResponseError
from ...errors.base import OptionError, Problem, RuleWarning, WaitTimeoutError, warn_caller
from ...errors.choices import suggest_choice
from ...errors.suggestions import find_nearest_name
from ...light_dataclass import light_dataclass
from ...spec import codes
from ...spec.field_names import make_account_names
from ...spec.json_path import join_path
from ...spec.operations.field import OBJECT, Field
from ...spec.operations.records import OPERATIONS
from ...spec.service.lists import ListForm
from ...spec.service.service import Service
from ...spec.service.statuses import STATUSES
from ...spec.status import MACHINES, Machine
from ...spec.text import JsonObject, plain
from ..parameters import check_field_names, refuse_spec_problems


def check_limit(limit: int | None, list_form: ListForm) -> None:
    """RuleError for a page size that neither the spec nor the service allows.

    A page size of the spec is always accepted, and reduced for a service with smaller pages.
    """
    if limit is None:
        return
    limit_max = max(codes.PAGE_MAX, list_form.max_limit)
    message = f"must be a whole number from 1 to {limit_max}"
    if not isinstance(limit, int) or isinstance(limit, bool):
        message += f", not {plain(repr(limit), 60)}; filters have names, as in status="
        refuse_spec_problems([Problem("limit", message)])
    elif limit > limit_max:
        message += f", since it is the size of a page: .list().to_list({limit}) reads more"
        refuse_spec_problems([Problem("limit", message)])
    elif limit < 1:
        refuse_spec_problems([Problem("limit", message)])


W = TypeVar("W")

WAIT_SECONDS = 120.0
POLL_SECONDS = 1.0
POLL_SECONDS_MIN = 0.001
FINAL_ADVICE = "no wait helps: the error's `last` is the object, with the reason if it has one"

Until = str | Collection[str] | Callable[[Any], bool]
"""A status, several statuses, or a function of the resource that returns when to stop."""


class WaitingClient(Protocol):
    """The part of a client that a wait uses."""

    sleep: Callable[[float], None]
    wait_shown: Callable[[], AbstractContextManager[Callable[[str], None]]]

    @property
    def service(self) -> Service:
        """The settings of its service."""


@light_dataclass(frozen=True)
class Poller:
    """How long to wait and how often to poll; only sleeps count as waiting time.

    `shown` gives a function that is called with the state of the wait in each round. `machine` has
    the statuses of the specification, and `declared` are those of the settings.
    """

    sleep: Callable[[float], None]
    shown: Callable[[], AbstractContextManager[Callable[[str], None]]]
    timeout: float
    every: float
    machine: Machine
    declared: tuple[str, ...] = ()

    @classmethod
    def for_resource(
        cls, client: WaitingClient, resource: str, timeout: float, every: float
    ) -> Poller:
        """A poller for a resource of a service; OptionError for an invalid number of seconds."""
        problems = [
            *_check_seconds("timeout", timeout, least=0),
            *_check_seconds("every", every, least=POLL_SECONDS_MIN),
        ]
        if problems:
            raise OptionError(problems)
        declared_statuses = STATUSES[resource](client.service.statuses)
        machine = MACHINES[resource]
        return cls(
            sleep=client.sleep,
            shown=client.wait_shown,
            timeout=timeout,
            every=every,
            machine=machine,
            declared=declared_statuses,
        )

    def poll(
        self,
        read_resource: Callable[[], W | None],
        until: Until,
        subject_text: str,
        final: Set[str] = frozenset(),
        explain_delay: Callable[[W | None], str] = lambda _: "",
    ) -> W:
        """Poll with `read_resource` until `until` holds; WaitTimeoutError carries the last state.

        A status in `final` that is not the expected one ends the wait. `explain_delay` says why a
        resource may still be waiting.
        """
        wait_end = _WaitEnd(until)
        self._warn_of_misspelt_end(wait_end)
        seconds_waited = 0.0
        with self.shown() as show_state:
            while True:
                resource = read_resource()
                state_text = f"{subject_text} {_describe_state(resource)}"
                # A resource that is not there yet (None) has no status, and is no error.
                if wait_end.needs_status and getattr(resource, "status", "") is None:
                    raise APIResponseError(f"the answer has no status of {subject_text}")
                if resource is not None and wait_end.is_reached(resource):
                    show_state(f"{state_text} after {seconds_waited:g} s")
                    return resource
                seconds_left = self.timeout - seconds_waited
                times_text = f"{seconds_waited:.0f} s so far, at most {seconds_left:.0f} s more"
                status_note = self._describe_unknown_status(resource, wait_end)
                show_state(f"waiting: {state_text}{status_note}; {times_text}")
                if wait_end.needs_status and getattr(resource, "status", None) in final:
                    message = f"{state_text}, which is final{self._explain_unknown_end(wait_end)}"
                    raise WaitTimeoutError(message, resource, hint=FINAL_ADVICE)
                if seconds_left <= 0:
                    advice_text = self._advise_on_status(resource, wait_end)
                    advice_text += self._explain_unknown_end(wait_end)
                    advice_text += explain_delay(resource)
                    last_text = f"{subject_text} {_describe_state(resource, 'is still')}"
                    message = f"after {seconds_waited:g} s {last_text}{advice_text}"
                    raise WaitTimeoutError(message, resource, hint=self._advise_to_wait_longer())
                pause_seconds = min(self.every, seconds_left)
                self.sleep(pause_seconds)
                seconds_waited += pause_seconds

    def _advise_to_wait_longer(self) -> str:
        """The advice after a wait that was too short: twice its time, and a minute at least."""
        seconds = max(2 * self.timeout, 60.0)
        return f"wait longer, as with timeout={seconds:g}; the error's `last` is the latest state"

    def _describe_unknown_status(self, resource: Any, end: _WaitEnd) -> str:
        """A note about a status that neither the specification nor the settings know; else ""."""
        known_statuses = (*self.machine.states, *self.declared)
        if resource is None or not end.needs_status or resource.status in known_statuses:
            return ""
        return f", which paylab does not know (the wait ends at {end})"

    def _warn_of_misspelt_end(self, wait_end: _WaitEnd) -> None:
        """Warn before a wait for a status that is spelt nearly like a known one."""
        known_statuses = (*self.machine.states, *self.declared)
        for status in wait_end.statuses:
            suggestion_text = suggest_choice(known_statuses, status)
            if suggestion_text and status not in known_statuses:
                message = f"{plain(repr(status), 60)} is no status that paylab knows"
                warn_caller(str(Problem("until", f"{message}{suggestion_text}")), RuleWarning)

    def _explain_unknown_end(self, wait_end: _WaitEnd) -> str:
        """The only status that ends a wait if neither the specification nor the settings have it.

        Empty for any other end.
        """
        known_statuses = (*self.machine.states, *self.declared)
        if len(wait_end.statuses) != 1 or wait_end.statuses[0] in known_statuses:
            return ""
        known_text = ", ".join(known_statuses)
        return f"; until={wait_end.statuses[0]!r} is no status that paylab knows: {known_text}"

    def _advise_on_status(self, resource: Any, wait_end: _WaitEnd) -> str:
        """Which statuses end a wait, and what to write if another status should end it.

        Empty for a status of the specification.
        """
        if resource is None or not wait_end.needs_status or resource.status in self.machine.states:
            return ""
        status_text = plain(str(resource.status), 60)
        return (
            f", and the wait ends at {wait_end}; if {status_text} is the end, write "
            f'wait(..., until="{status_text}")'
        )


def _check_seconds(name: str, seconds: object, least: float) -> list[Problem]:
    """The problem of a time to wait that is not a finite number of at least `least` seconds."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if is_number and least <= seconds < math.inf:  # type: ignore[operator]
        return []
    message = f"must be a number of seconds, {least:g} or more, not {plain(repr(seconds), 60)}"
    return [Problem(name, message)]


class _WaitEnd:
    """The end of a wait: one of some statuses, or a function of the resource."""

    def __init__(self, until: Until) -> None:
        """Read `until`: a function, a status, or several statuses."""
        self._function = until if callable(until) else None
        self.needs_status = self._function is None
        self.statuses: tuple[str, ...] = ()
        if isinstance(until, str):
            self.statuses = (until,)
        elif not callable(until):
            self.statuses = tuple(sorted(until))

    def is_reached(self, resource: Any) -> bool:
        """Whether a resource ends the wait."""
        if self._function is not None:
            return self._function(resource)
        return resource.status in self.statuses

    def __str__(self) -> str:
        """The statuses in words, such as `active, disabled or pending`."""
        return " or ".join(filter(None, (", ".join(self.statuses[:-1]), *self.statuses[-1:])))


def _describe_state(resource: Any, verb: str = "is") -> str:
    """The status of a resource after a verb, or that it was not found."""
    return "was not found" if resource is None else f"{verb} {plain(str(resource.status), 60)}"


Body = JsonObject

# The similarity from which a name in details is probably a typo of a known one.
TYPO_SIMILARITY = 0.85


@lru_cache(maxsize=16)
def find_detail_names(service: Service, requested_type: str) -> frozenset[str]:
    """The names that the details of an account type can have: our names and the service's names.

    For an unknown type, the names of all types.
    """
    account_types = (
        [requested_type] if requested_type in codes.ACCOUNT_TYPES else codes.ACCOUNT_TYPES
    )
    detail_names: set[str] = set()
    for account_type in account_types:
        for account_form in service.accounts_of(account_type):
            detail_names.update(make_account_names(account_form).our_names)
            detail_names.update(account_form.fields)
    return frozenset(detail_names)


def check_individual(body: Body, service: Service) -> None:
    """RuleError for an unknown field in address, document or financial_accounts."""
    nested_fields = [field for field in OPERATIONS["individuals.create"].fields if field.fields]
    problems: list[Problem] = []
    for field in nested_fields:
        problems += _check_nested_fields(field, body.get(field.name), service)
    refuse_spec_problems(problems)


def check_detail_names(details: object, kind: object, service: Service) -> None:
    """RuleError for a name in details that looks like a misspelt field."""
    refuse_spec_problems(_check_details(kind, details, path="details", service=service))


def _check_nested_fields(field: Field, nested_value: object, service: Service) -> Iterator[Problem]:
    """Problems for unknown fields of an object, or of each item of a list."""
    if field.kind == OBJECT:
        yield from check_field_names(nested_value, field.inner_names(), field.name)
        return
    items = nested_value if isinstance(nested_value, list) else []
    for index, nested_object in enumerate(items):
        item_path = join_path(field.name, index)
        yield from check_field_names(nested_object, field.inner_names(), item_path)
        if isinstance(nested_object, Mapping):
            yield from _check_details(
                nested_object.get("type"),
                details=nested_object.get("details"),
                path=f"{item_path}.details",
                service=service,
            )


def _check_details(
    account_type: object, details: object, path: str, service: Service
) -> Iterator[Problem]:
    """Problems for likely misspellings only, because most names in details are assumed."""
    known_names = find_detail_names(service, str(account_type))
    details = details if isinstance(details, Mapping) else {}
    for detail_name in details:
        if detail_name in known_names:
            continue
        near_name = find_nearest_name(str(detail_name), known_names, TYPO_SIMILARITY)
        if near_name and near_name not in details:
            yield Problem(
                join_path(path, str(detail_name)),
                f"is not a known field; is {near_name} meant? (extra={{...}} sends it unchanged)",
            )
