"""Call a handler by event type: once per event, and not after a later event of its resource."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock, RLock
from typing import NamedTuple, TypeVar

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, PaylabWarning, warn_caller
from ..errors.choices import suggest_choice
from ..errors.names import with_name_suggestions
from ..spec import codes
from ..spec.codes import EVENT_TYPES
from ..spec.text import JsonMapping, plain
from .event import SPEC_WRAPPER, Event, EventVersion, Identity, Wrapper, is_stale, read_event

Handler = Callable[[Event], object]
K = TypeVar("K")
V = TypeVar("V")
DeliveredEvent = bytes | str | JsonMapping | Event

EVENTS_MAX = 1_000_000
"""Maximum events and resources that a router remembers; the oldest are dropped."""

LOCK_COUNT = 64
"""Number of locks; events of one resource always use the same one."""


@dataclass(frozen=True)
class Receipt:
    """The outcome of a delivery: handled, unhandled (no handler), stale or duplicate.

    True unless it was a duplicate.
    """

    event: Event
    outcome: str

    def __bool__(self) -> bool:
        return self.outcome != "duplicate"


class _Registration(NamedTuple):
    """A handler, and whether it also receives events that are late."""

    handler: Handler
    takes_stale: bool


@with_name_suggestions
@explain_arguments
class Router:
    """Handlers by event type; each event is handled once, even when delivered several times.

    Handlers of one resource run one at a time; those of different resources may run in parallel.
    `wrapper` describes the layout of a delivery: `Wrapper.of(lab.service)`.
    """

    def __init__(self, *, remember: int = EVENTS_MAX, wrapper: Wrapper = SPEC_WRAPPER) -> None:
        """Start without handlers; `remember` is the number of handled events that are known."""
        self._wrapper = wrapper
        self._registrations: dict[str, _Registration] = {}
        self._default: _Registration | None = None
        self._handled: dict[Identity, None] = {}
        self._latest: dict[tuple[str, str], EventVersion] = {}
        self._events_max = remember
        self._lock = Lock()
        self._resource_locks = [RLock() for _ in range(LOCK_COUNT)]

    def on(
        self, *event_types: codes.EventType | str, stale: bool = False
    ) -> Callable[[Handler], Handler]:
        """Register a handler for event types; a second one for a type replaces the first.

        With `stale` it also receives late events, marked `event.stale`. A type
        that looks mistyped gives a warning, and is registered: the service may have new types.

        >>> paid = router.on("transfer.completed")(print)
        """
        for event_type in event_types:
            _warn_if_unknown(event_type)

        def register_handler(handler: Handler) -> Handler:
            """Register a function for all of the types, and return it unchanged."""
            _require_function(handler)
            for event_type in event_types:
                self._registrations[event_type] = _Registration(handler, stale)
            return handler

        return register_handler

    def default(self, handler: Handler) -> Handler:
        """Register the handler for every type without one, known or not.

        >>> other = router.default(print)
        """
        _require_function(handler)
        self._default = _Registration(handler, takes_stale=False)
        return handler

    def handle(self, delivery: DeliveredEvent) -> Receipt:
        """Give an event to its handler; the receipt is false when it was handled before.

        An event whose handler raises counts as not handled, so a second delivery tries
        again. Anything that is not an event raises UnreadableEventError, a ValueError.

        >>> bool(router.handle(delivery))
        True
        """
        event = delivery if isinstance(delivery, Event) else read_event(delivery, self._wrapper)
        # Events of one resource have the same lock: they are handled one after another.
        with self._resource_locks[hash((event.family, event.id)) % LOCK_COUNT]:
            if event.identity in self._handled:
                return Receipt(event, "duplicate")
            marked_event = replace(event, stale=is_stale(event.version, self.latest(event)))
            outcome_text = self._call_handler(marked_event)
            self._remember_event(marked_event)
        return Receipt(marked_event, outcome_text)

    def _remember_event(self, event: Event) -> None:
        """Store that an event is handled, and its state unless a later one was handled."""
        with self._lock:
            _add_newest(
                self._handled, entry_key=event.identity, entry=None, entries_max=self._events_max
            )
            if not event.stale:
                resource_key = event.family, event.id
                _add_newest(
                    self._latest, resource_key, entry=event.version, entries_max=self._events_max
                )

    def latest(self, event: Event) -> EventVersion | None:
        """Return the version in the latest handled event of an event's resource; None without any.

        >>> router.latest(paylab.events.read_event(delivery))
        """
        return self._latest.get((event.family, event.id))

    def _call_handler(self, event: Event) -> str:
        """Call the handler of an event, and return the outcome."""
        registration = self._registrations.get(event.type, self._default)
        if event.stale and not (registration and registration.takes_stale):
            return "stale"
        if registration is None:
            return "unhandled"
        registration.handler(event)
        return "stale" if event.stale else "handled"


def _warn_if_unknown(event_type: str) -> None:
    """Warn about an event type that is not in the spec and looks mistyped."""
    if event_type in EVENT_TYPES:
        return
    if "*" in event_type:
        message = f"{event_type!r} contains a wildcard: name each type, or use default() for others"
    else:
        suggestion_text = suggest_choice(EVENT_TYPES, event_type)
        if not suggestion_text:
            return
        message = f"no event is called {event_type!r} in the spec{suggestion_text}"
    warn_caller(message, PaylabWarning)


def _add_newest(entries: dict[K, V], entry_key: K, entry: V, entries_max: int) -> None:
    """Store an entry as the newest, and drop the oldest if there are too many."""
    entries.pop(entry_key, None)  # otherwise a known key would keep its old place
    entries[entry_key] = entry
    if len(entries) > entries_max:
        oldest_key = next(iter(entries))
        del entries[oldest_key]


def require_router(value: object) -> None:
    """ArgumentError unless a value handles events as a Router does."""
    if not hasattr(value, "handle"):
        message = f"router must be a Router with handlers, not {plain(repr(value), 60)}"
        raise ArgumentError(message, "router")


def _require_function(handler: Handler) -> None:
    """Raise ArgumentError for a coroutine function."""
    if inspect.iscoroutinefunction(handler):
        raise ArgumentError("a handler must be a plain function: a coroutine would never run")
