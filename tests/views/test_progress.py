"""A wait is shown once it takes longer than a moment."""

from __future__ import annotations

import pytest

from paylab.client.resources.operations import Patience
from paylab.views.progress import waiting


class Seen:
    """Something with a status."""

    def __init__(self, status):
        self.status = status


@pytest.mark.parametrize(
    ("rounds", "shown"),
    [
        (1, []),
        (
            4,
            [
                "waiting: the account was pending; 2 s so far, at most 8 s more",
                "waiting: the account was pending; 3 s so far, at most 7 s more",
                "the account was active after 4 s",
            ],
        ),
    ],
)
def test_a_long_wait_counts_and_a_short_one_is_silent(rounds, shown):
    """What was seen, how long it has taken, and how long it may take."""
    now, lines, states = [0.0], [], ["pending"] * rounds + ["active"]

    def sleep(seconds):
        now[0] += seconds

    patience = Patience(sleep, 10, 1, lambda: waiting(lines.append, lambda: now[0]))
    patience.poll(lambda: Seen(states.pop(0)), "active", "the account")
    assert lines == shown
