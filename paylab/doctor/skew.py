"""The difference between the service's clock and ours, seen in its Date header."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ..codes import SIGNATURE_TOLERANCE
from ..instants import from_http

WORTH_SAYING = 30.0
"""Seconds of difference from which on it is said, long before it is an error."""


def skew(headers: Mapping[str, str], sent: datetime) -> float | None:
    """Seconds the service's clock is ahead of ours; None without a readable Date header.

    Date counts whole seconds, and the answer took its time: a second or two mean nothing.
    """
    date = from_http(headers.get("date", ""))
    return None if date is None else (date - sent).total_seconds()


def skew_warning(seconds: float | None) -> str | None:
    """A sentence about a difference that is, or will be, trouble; None for one that is not."""
    if seconds is None or abs(seconds) < WORTH_SAYING:
        return None
    side = "ahead of" if seconds > 0 else "behind"
    verdict = "too much: every request is refused" if abs(seconds) > SIGNATURE_TOLERANCE else "much"
    return (
        f"the service's clock is {abs(seconds):.0f} s {side} this machine's, which is {verdict}; "
        f"{SIGNATURE_TOLERANCE} s are allowed: set this machine's clock"
    )
