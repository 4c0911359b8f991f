"""A clock whose time changes only when a test changes it."""

from __future__ import annotations

import pytest


class Clock:
    """A callable that returns a time in seconds since 1970, which a test sets as `now`."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """Return the time that is set."""
        return self.now


@pytest.fixture
def clock():
    return Clock()
