"""From event type to handler: each event once, and never after a later one of its resource.

The status machine decides first: completed never leads back to started. Where it
allows both ways, or neither, `updated_at` decides, and last the order of the event types.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from threading import Lock, RLock
from typing import Any

from ..spec.codes import EVENT_TYPES
from ..spec.status import Machine
from .event import FAMILIES, OWN, Event, Identity, Mark, Wrapper, read


def is_stale(event: Mark, latest: Mark | None) -> bool:
    """Whether an event is older than the latest known one of its resource."""
    if latest is None or _says_it_follows(event, latest):
        return False
    forward = _leads(event.type, latest.status, event.status)
    back = _leads(event.type, event.status, latest.status)
    if forward != back:
        return back
    return _is_earlier(event, latest)


def _says_it_follows(event: Mark, latest: Mark) -> bool:
    """Whether a status change starts from the latest status and is not older."""
    if event.previous is None or event.previous != latest.status:
        return False
    return not _is_older(event, latest)


def _leads(event_type: str, start: str | None, end: str | None) -> bool:
    """Whether the status machine leads from one status to the other in any number of moves."""
    family = FAMILIES.get(event_type.partition(".")[0])
    if family is None or start is None or start == end:
        return False
    return end in _ahead(family[1].name, start)


@cache
def _ahead(name: str, start: str) -> frozenset[str]:
    """Every status that can still follow."""
    machine = _MACHINES[name]
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = [state for state in machine.onward(waiting.pop()) if state not in found]
        found.update(new)
        waiting += new
    return frozenset(found)


_MACHINES: dict[str, Machine] = {machine.name: machine for _, machine in FAMILIES.values()}


def _is_older(event: Mark, latest: Mark) -> bool:
    if event.updated_at is None or latest.updated_at is None:
        return False
    return event.updated_at < latest.updated_at


def _is_earlier(event: Mark, latest: Mark) -> bool:
    """Compare by time; when times are equal or unknown, by the order of the event types."""
    if event.updated_at and latest.updated_at and event.updated_at != latest.updated_at:
        return event.updated_at < latest.updated_at
    if event.type not in EVENT_TYPES or latest.type not in EVENT_TYPES:
        return False
    return EVENT_TYPES.index(event.type) < EVENT_TYPES.index(latest.type)


Handler = Callable[[Event], object]
Delivery = bytes | str | Mapping[str, Any] | Event

REMEMBERED = 1_000_000
"""Events, and resources, a router knows again; beyond that the oldest are forgotten."""

STRIPES = 64
"""Locks that resources share; events of one resource always meet the same one."""


@dataclass(frozen=True)
class Receipt:
    """The outcome of a delivery: handled, unhandled (no handler), stale or duplicate.

    True unless it was a duplicate.
    """

    event: Event
    outcome: str

    def __bool__(self) -> bool:
        return self.outcome != "duplicate"


class Router:
    """Handlers by event type; each event is handled once, even when delivered several times.

    Handlers of one resource run one at a time; those of different resources may run in parallel.
    `wrapper` says where the parts of a delivery stand: `Wrapper.of(lab.service)`.
    """

    def __init__(self, *, remember: int = REMEMBERED, wrapper: Wrapper = OWN) -> None:
        self._wrapper = wrapper
        self._handlers: dict[str | None, tuple[Handler, bool]] = {}
        self._handled: dict[Identity, None] = {}
        self._latest: dict[tuple[str, str], Mark] = {}
        self._remember = remember
        self._lock = Lock()
        self._stripes = [RLock() for _ in range(STRIPES)]

    def on(self, *event_types: str, stale: bool = False) -> Callable[[Handler], Handler]:
        """Register a handler for event types; a second one for a type replaces the first.

        With `stale` it also receives late events, marked `event.stale`. A type
        that looks mistyped gives a warning, and is registered: the service may have new types.
        """
        for event_type in event_types:
            _warn_of(event_type)

        def register(handler: Handler) -> Handler:
            for event_type in event_types:
                self._handlers[event_type] = (_plain(handler), stale)
            return handler

        return register

    def default(self, handler: Handler) -> Handler:
        """Register the handler for every type without one, known or not."""
        self._handlers[None] = (_plain(handler), False)
        return handler

    def handle(self, delivery: Delivery) -> Receipt:
        """Give an event to its handler; the receipt is false when it was handled before.

        An event whose handler raises counts as not handled, so a second delivery tries
        again. Anything that is not an event raises UnreadableEventError, a ValueError.
        """
        event = delivery if isinstance(delivery, Event) else read(delivery, self._wrapper)
        with self._stripe(event):
            if event.identity in self._handled:
                return Receipt(event, "duplicate")
            stale = is_stale(event.mark, self.latest(event))
            marked = replace(event, stale=stale)
            outcome = self._run(marked)
            self._note(marked)
        return Receipt(marked, outcome)

    def latest(self, event: Event) -> Mark | None:
        """The latest handled mark of an event's resource."""
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

    def _note(self, event: Event) -> None:
        with self._lock:
            _remember(self._handled, event.identity, None, self._remember)
            if not event.stale:
                _remember(self._latest, (event.family, event.id), event.mark, self._remember)

    def _stripe(self, event: Event) -> RLock:
        return self._stripes[hash((event.family, event.id)) % STRIPES]


def _warn_of(event_type: str) -> None:
    if event_type in EVENT_TYPES:
        return
    if "*" in event_type:
        told = f"{event_type!r} is no pattern here: name each type, or use default() for the rest"
    elif near := get_close_matches(event_type, EVENT_TYPES, n=1, cutoff=0.8):
        told = f"no event is called {event_type!r} in the spec; nearest: {near[0]}"
    else:
        return
    warnings.warn(told, stacklevel=3)


def _remember(memory: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Store a key as the newest, and drop the oldest when there are too many."""
    memory.pop(key, None)
    memory[key] = value
    if len(memory) > most:
        del memory[next(iter(memory))]


def _plain(handler: Handler) -> Handler:
    if inspect.iscoroutinefunction(handler):
        raise TypeError("a handler is a plain function: what it awaits would never be run")
    return handler
