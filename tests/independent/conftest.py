"""A clock that moves only when a test moves it."""

from __future__ import annotations

import pytest


class Clock:
    """Seconds since 1970, as a callable."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """Now."""
        return self.now


@pytest.fixture
def clock():
    return Clock()
