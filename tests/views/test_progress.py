"""The display of a wait and of the progress of a long operation."""

from __future__ import annotations

import pytest

from paylab.client.resources.operations import Poller
from paylab.spec import status
from paylab.views.progress import (
    SPEED_SHOWN_SECONDS,
    UPDATE_SECONDS,
    WAIT_SHOWN_SECONDS,
    Bar,
    Line,
    progress,
    waiting,
)


class ImageFacts:
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
                "waiting: the account is pending; 2 s so far, at most 8 s more",
                "waiting: the account is pending; 3 s so far, at most 7 s more",
                "the account is active after 4 s",
            ],
        ),
    ],
)
def test_a_long_wait_counts_and_a_short_one_is_silent(rounds, shown):
    """A long wait shows the status, the elapsed and remaining seconds; a short one nothing."""
    now, lines, states = [0.0], [], ["pending"] * rounds + ["active"]

    def sleep(seconds):
        now[0] += seconds

    told = waiting(lines.append, lambda: now[0])
    Poller(sleep, lambda: told, 10, 1, status.INDIVIDUAL).poll(
        lambda: ImageFacts(states.pop(0)), "active", "the account"
    )
    assert lines == shown


@pytest.mark.parametrize(
    ("measure", "counts", "words"),
    [
        (Bar, [(1, 4), (4, 4)], ["1 of 4 rows", "4 of 4 rows"]),
        (Line, [(100, 1), (200, 2)], ["100 rows, 1 page", "200 rows, 2 pages"]),
    ],
)
def test_a_bar_and_a_line_show_what_is_done(measure, counts, words):
    """A second update within the pause is not shown; the final state is always shown."""
    now, lines = [0.0], []
    with progress(measure("rows"), lambda shown: lines.append(repr(shown)), lambda: now[0]) as tell:
        for first, second in counts:
            tell(first, second)
            tell(first, second)  # within the pause, so it is not shown
            now[0] += UPDATE_SECONDS
    assert lines == [*words, words[-1]]


@pytest.mark.parametrize(
    ("first", "seconds", "shown"),
    [
        ((1_000, 11), SPEED_SHOWN_SECONDS * 2, "3,000 rows, 31 pages, 100 rows/s"),
        ((1_000, 11), SPEED_SHOWN_SECONDS, "3,000 rows, 31 pages, 200 rows/s"),
        ((1_000, 11), SPEED_SHOWN_SECONDS - 0.1, "3,000 rows, 31 pages"),
        ((100, 1), SPEED_SHOWN_SECONDS * 2, "3,000 rows, 31 pages, 150 rows/s"),
    ],
)
def test_a_long_run_shows_its_speed(first, seconds, shown):
    """The speed does not count rows that an earlier run fetched."""
    now = [5.0]
    line = Line("rows", lambda: now[0])
    line.count(*first)
    now[0] += seconds
    line.count(3_000, 31)
    assert repr(line) == shown


def test_a_bar_fills_up():
    """The bar has a length as soon as it is shown, and its numbers beside it."""
    bar = Bar("payouts")
    assert 'value="0" max="1"' in bar._repr_mimebundle_()["text/html"]
    bar.count(1, 4)
    assert 'value="1" max="4"></progress> 1 of 4 payouts' in bar._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("seconds", "shown"), [(WAIT_SHOWN_SECONDS, ["still"]), (WAIT_SHOWN_SECONDS - 0.1, [])]
)
def test_a_wait_is_shown_after_a_moment(seconds, shown):
    """A wait that ends at once shows nothing; its text has no quotes."""
    now, lines = [5.0], []
    with waiting(lambda text: lines.append(repr(text)), lambda: now[0]) as tell:
        now[0] += seconds
        tell("still")
    assert lines == shown


def test_outside_a_notebook_progress_is_a_line_of_the_terminal(monkeypatch, capsys):
    """The line is written over itself and ended; a log, which is no terminal, gets nothing."""
    with progress(Bar("payouts")) as tell:
        tell(1, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress(Bar("payouts")) as tell:
        tell(1, 2)
    assert capsys.readouterr().err == "\r1 of 2 payouts\x1b[K" * 2 + "\n"
