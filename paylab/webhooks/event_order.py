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
    now, before = event.updated_at, latest.updated_at
    is_older = bool(now and before and now < before)
    is_newer = bool(now and before and now > before)
    if event.previous is not None and event.previous == latest.status and not is_older:
        return False
    forward = _leads(event.type, latest.status, event.status)
    back = _leads(event.type, event.status, latest.status)
    if forward != back:
        return back
    if is_older or is_newer or not {event.type, latest.type} <= set(EVENT_TYPES):
        return is_older
    return EVENT_TYPES.index(event.type) < EVENT_TYPES.index(latest.type)


@lru_cache(maxsize=1024)
def _leads(event_type: str, start: str | None, end: str | None) -> bool:
    """Whether the status machine leads from one status to the other in any number of moves."""
    family = FAMILIES.get(event_type.partition(".")[0])
    if family is None or start is None or start == end:
        return False
    return bool(family[1].path(start, end or ""))
