"""Ids that the service gave in the last seconds. Not every server may know a new id at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .request import OutgoingRequest

if TYPE_CHECKING:
    from .exchange import Exchange

RETRY_PAUSES = (0.25, 0.5, 1.0, 1.25)
"""The seconds before each repetition."""
FRESH_TIME = timedelta(seconds=3)
DEPTH_MAX = 4
BODY_BYTES_SEARCHED = 1_000
IDS_KEPT_MIN = 100
"""Up to this number of ids, old ones are not removed; then whenever the number has doubled."""


class FreshIds:
    """The ids of the last 3 seconds: a 404 for a request that names one is repeated."""

    def __init__(self) -> None:
        """Start without ids."""
        self._received: dict[str, datetime] = {}
        self._kept_max = IDS_KEPT_MIN

    def __contains__(self, id_: str) -> bool:
        return id_ in self._received

    def remember(self, request: OutgoingRequest, body: object, now: datetime) -> None:
        """Remember the ids in the answer to a POST; forget the id of a deleted object."""
        if request.method == "DELETE":
            self._forget_named_ids(request)
        elif request.method == "POST":
            self._received |= dict.fromkeys(_find_ids(body), now)
            if len(self._received) > self._kept_max:
                self._remove_old(now)

    def _remove_old(self, now: datetime) -> None:
        """Remove the ids that are not fresh any more."""
        ids_with_times = list(self._received.items())  # other threads may add to it
        self._received = {
            id_: received_at
            for id_, received_at in ids_with_times
            if now - received_at <= FRESH_TIME
        }
        # Twice what is left, so that not every further id leads to another removal.
        self._kept_max = max(IDS_KEPT_MIN, 2 * len(self._received))

    def pause_before_retry(self, exchange: Exchange, now: datetime) -> float | None:
        """Seconds before the next attempt of a request that got a 404.

        None for no further attempt: all pauses are used up, no id is fresh, or the 404 is about the
        path, or about an object of another kind, which will not be found later.
        """
        from .absent_objects import is_about_path, names_other_kind  # only a 404 needs them

        request = exchange.request
        body_start = exchange.content[:BODY_BYTES_SEARCHED].decode("utf-8", "replace")
        if is_about_path(body_start) or names_other_kind(request.asked):
            return None
        if exchange.number > len(RETRY_PAUSES):
            self._forget_named_ids(request)
            return None
        # Twice the time, since the pauses before this attempt have taken up to 3 s of it.
        received_times = [self._received[id_] for id_ in self._find_named_ids(request)]
        is_fresh = any(now - received_at <= 2 * FRESH_TIME for received_at in received_times)
        return RETRY_PAUSES[exchange.number - 1] if is_fresh else None

    def _forget_named_ids(self, request: OutgoingRequest) -> None:
        """Forget the ids that a request names."""
        for id_ in self._find_named_ids(request):
            self._received.pop(id_, None)

    def _find_named_ids(self, request: OutgoingRequest) -> list[str]:
        """The ids that a request names; other threads may add to those received."""
        return [id_ for id_ in list(self._received) if _names_id(request, id_)]


def _names_id(request: OutgoingRequest, id_: str) -> bool:
    """Whether a request has an id in its path or its body."""
    content = request.content if isinstance(request.content, bytes) else b""
    return id_ in request.path.split("/") or f'"{id_}"'.encode() in content


def _find_ids(body: object, depth: int = DEPTH_MAX) -> Iterator[str]:
    """The ids of the objects in an answer, down to a depth."""
    members: Any = ()
    if isinstance(body, dict):
        members = body.values()
        if isinstance(id_ := body.get("id"), str) and id_:
            yield id_
    elif isinstance(body, list):
        members = body
    if depth:
        for member in members:
            yield from _find_ids(member, depth - 1)
