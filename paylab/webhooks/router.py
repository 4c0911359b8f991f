"""From event type to handler: each event once, and never after a later one of its resource."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from threading import Lock, RLock
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..spec.codes import EVENT_TYPES
from .event import OWN, Event, EventVersion, Identity, Wrapper, is_stale, read_event

Handler = Callable[[Event], object]
DeliveredEvent = bytes | str | Mapping[str, Any] | Event

REMEMBERED = 1_000_000
"""Maximum events and resources that a router remembers; the oldest are dropped."""

STRIPES = 64
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


@explain_arguments
class Router:
    """Handlers by event type; each event is handled once, even when delivered several times.

    Handlers of one resource run one at a time; those of different resources may run in parallel.
    `wrapper` describes the layout of a delivery: `Wrapper.of(lab.service)`.
    """

    def __init__(self, *, remember: int = REMEMBERED, wrapper: Wrapper = OWN) -> None:
        self._wrapper = wrapper
        self._handlers: dict[str | None, tuple[Handler, bool]] = {}
        self._handled: dict[Identity, None] = {}
        self._latest: dict[tuple[str, str], EventVersion] = {}
        self._remember = remember
        self._lock = Lock()
        self._stripes = [RLock() for _ in range(STRIPES)]

    def on(self, *event_types: str, stale: bool = False) -> Callable[[Handler], Handler]:
        """Register a handler for event types; a second one for a type replaces the first.

        With `stale` it also receives late events, marked `event.stale`. A type
        that looks mistyped gives a warning, and is registered: the service may have new types.

        >>> paid = router.on("transfer.completed")(print)
        """
        for event_type in event_types:
            _warn_of(event_type)

        def register(handler: Handler) -> Handler:
            for event_type in event_types:
                self._handlers[event_type] = (_plain(handler), stale)
            return handler

        return register

    def default(self, handler: Handler) -> Handler:
        """Register the handler for every type without one, known or not.

        >>> other = router.default(print)
        """
        self._handlers[None] = (_plain(handler), False)
        return handler

    def handle(self, delivery: DeliveredEvent) -> Receipt:
        """Give an event to its handler; the receipt is false when it was handled before.

        An event whose handler raises counts as not handled, so a second delivery tries
        again. Anything that is not an event raises UnreadableEventError, a ValueError.

        >>> bool(router.handle(delivery))
        True
        """
        event = delivery if isinstance(delivery, Event) else read_event(delivery, self._wrapper)
        with self._stripes[hash((event.family, event.id)) % STRIPES]:
            if event.identity in self._handled:
                return Receipt(event, "duplicate")
            stale = is_stale(event.mark, self.latest(event))
            marked = replace(event, stale=stale)
            outcome = self._run(marked)
            with self._lock:
                _remember(self._handled, event.identity, None, self._remember)
                if not stale:
                    key = event.family, event.id
                    _remember(self._latest, key, event.mark, self._remember)
        return Receipt(marked, outcome)

    def latest(self, event: Event) -> EventVersion | None:
        """The latest handled mark of an event's resource.

        >>> router.latest(paylab.events.read_event(delivery))
        """
        return self._latest.get((event.family, event.id))

    def _run(self, event: Event) -> str:
        default = self._handlers.get(None, (None, False))
        handler, takes_stale = self._handlers.get(event.type, default)
        if event.stale and not takes_stale:
            return "stale"
        if handler is None:
            return "unhandled"
        handler(event)
        return "stale" if event.stale else "handled"


def _warn_of(event_type: str) -> None:
    if event_type in EVENT_TYPES:
        return
    if "*" in event_type:
        message = f"{event_type!r} contains a wildcard: name each type, or use default() for others"
    elif nearest := get_close_matches(event_type, EVENT_TYPES, n=1, cutoff=0.8):
        message = f"no event is called {event_type!r} in the spec; nearest: {nearest[0]}"
    else:
        return
    warnings.warn(message, stacklevel=3)


def _remember(memory: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Store a key as the newest, and drop the oldest when there are too many."""
    memory.pop(key, None)
    memory[key] = value
    if len(memory) > most:
        del memory[next(iter(memory))]


def _plain(handler: Handler) -> Handler:
    if inspect.iscoroutinefunction(handler):
        raise ArgumentError("a handler must be a plain function: a coroutine would never run")
    return handler
