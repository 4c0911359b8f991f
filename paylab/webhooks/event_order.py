"""The order of events of one resource: which of two events is later.

The status machine decides first: completed never leads back to started. Where it
allows both ways, or neither, `updated_at` decides, and last the order of the event types.
"""

from __future__ import annotations

from functools import lru_cache

from ..spec.codes import EVENT_TYPES
from .event import FAMILIES, Mark


def is_stale(event: Mark, latest: Mark | None) -> bool:
    """Whether an event is older than the latest known one of its resource.

    >>> paylab.events.is_stale(paylab.events.read_event(delivery), None)
    False
    """
    if latest is None:
        return False
    says_it_follows = event.previous is not None and event.previous == latest.status
    if says_it_follows and not _is_older(event, latest):
        return False
    forward = _leads(event.type, latest.status, event.status)
    back = _leads(event.type, event.status, latest.status)
    if forward != back:
        return back
    return _is_earlier(event, latest)


@lru_cache(maxsize=1024)
def _leads(event_type: str, start: str | None, end: str | None) -> bool:
    """Whether the status machine leads from one status to the other in any number of moves."""
    family = FAMILIES.get(event_type.partition(".")[0])
    if family is None or start is None or start == end:
        return False
    return bool(family[1].path(start, end or ""))


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
