"""Nonces already used, remembered for as long as the date they came with is good."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta

from ..codes import SIGNATURE_TOLERANCE


class Nonces:
    """A set that forgets; a date may be that far ahead, so a nonce is kept twice as long."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._order: deque[tuple[datetime, str]] = deque()

    def __contains__(self, nonce: object) -> bool:
        return nonce in self._seen

    def add(self, nonce: str, now: datetime) -> None:
        """Remember a nonce, and forget those too old to matter."""
        self._seen.add(nonce)
        self._order.append((now, nonce))
        horizon = now - timedelta(seconds=2 * SIGNATURE_TOLERANCE)
        while self._order and self._order[0][0] < horizon:
            self._seen.discard(self._order.popleft()[1])
