"""The order of events of one resource: which of two events is later.

The status machine decides first: completed never leads back to started. Where it
allows both ways, or neither, `updated_at` decides, and last the order of the event types.
"""

from __future__ import annotations

from functools import cache

from ..spec.codes import EVENT_TYPES
from ..spec.status import Machine
from .event import FAMILIES, Mark


def is_stale(event: Mark, latest: Mark | None) -> bool:
    """Whether an event is older than the latest known one of its resource.

    >>> paylab.events.is_stale(paylab.events.read_event(delivery), None)
    False
    """
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
