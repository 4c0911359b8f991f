"""The estimated time at a service: from the Date header, or from a simulator's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from paylab.client.service_clock import ServiceClock
from paylab.errors import APIConnectionError

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TOLERANCE = 300


def after(seconds):
    """A time in seconds after noon."""
    return NOON + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("skew", "seen", "earliest", "latest"),
    [
        (None, 0, 0, 0),
        (1.9, 0, 0, 0),  # Date has no fractions
        (2.0, 2, 0, 2),
        (-60.0, -60, -60, 0),
        (TOLERANCE, 300, 0, 300),
        (-3e11, 0, 0, 0),  # before the year 1
    ],
)
def test_the_date_header_moves_the_estimate(skew, seen, earliest, latest):
    """Both clocks may be wrong by the difference; the latest Date counts."""
    clock = ServiceClock(lambda: NOON, TOLERANCE)
    for each in (17.0, skew) if skew is not None else ():
        clock.observe(200, each)
    clock.observe(200)
    assert clock.now() == after(seen)
    assert clock.span() == (after(earliest), after(latest))
    assert clock.earliest() == after(earliest)


@pytest.mark.parametrize(
    ("skews", "warnings"),
    [([29.9], 0), ([30.0], 1), ([-30.0, -31.0], 1), ([30.0, 1.0, 30.0], 2), ([30.0, None, 30], 1)],
)
def test_a_large_difference_is_said_once(caplog, skews, warnings):
    """A warning is logged when the difference becomes large, and again after it was small."""
    clock = ServiceClock(lambda: NOON, TOLERANCE)
    for skew in skews:
        clock.observe(200, skew)
    assert len(caplog.records) == warnings


def test_a_simulator_is_asked_once_until_its_clock_was_moved():
    """Its time goes on at its own speed; `now` and `span` always ask."""
    now, asked = [0.0], []

    def ask():
        asked.append(now[0])
        return after(1000 + 10 * now[0]), 10.0

    clock = ServiceClock(lambda: after(now[0]), TOLERANCE, ask)
    assert clock.earliest() == after(1000)
    now[0] = 5
    assert (clock.earliest(), asked) == (after(1050), [0.0])
    clock.forget()
    assert (clock.earliest(), asked) == (after(1050), [0.0, 5])
    assert clock.span() == (after(1050), after(1050))
    assert (clock.now(), len(asked)) == (after(1050), 4)


def test_another_service_is_asked_no_more_once_it_has_answered():
    """Without an answer it may still be a simulator that starts later."""
    asked = []

    def ask():
        asked.append(1)
        if len(asked) == 1:
            raise APIConnectionError("could not connect")

    clock = ServiceClock(lambda: NOON, TOLERANCE, ask)
    for status in (None, None, 500):
        clock.observe(status)
        assert clock.earliest() == NOON
    assert (clock.span(), len(asked)) == ((NOON, NOON), 3)
