"""The rehearsal of `paylab simulator --rehearse`, told on stderr."""

from __future__ import annotations

import time
from threading import Event

from ..readiness.item import Item
from ..simulator.rehearsal import Rehearsal
from .terminal import warn_user

CHECK_SECONDS = 0.5
"""Seconds between two looks at the journal."""

SETTLING_SECONDS = 3.0
"""Seconds after which what is shown is judged again: a hasty repetition comes sooner."""

COLOURS = {"shown": "green", "broken": "red"}


def rehearse(rehearsal: Rehearsal, seconds: float, stopped: Event) -> None:
    """Play each missing situation until it is shown or broken, each for at most `seconds`."""
    warn_user("Rehearsal: it begins with the first request of your integration.")
    while not rehearsal.has_requests and not stopped.wait(CHECK_SECONDS):
        pass
    played_ids: set[str] = set()
    while not stopped.is_set() and (next_item := rehearsal.find_next(played_ids)):
        played_ids.add(next_item.id)
        action_text = next_item.situation.action if next_item.situation else ""
        warn_user(f"{len(played_ids)}. {next_item.what}. Let your integration {action_text}.")
        _play(rehearsal, next_item, seconds, stopped)
    warn_user("The rehearsal is over: `paylab ready` judges.")


def _play(rehearsal: Rehearsal, item: Item, seconds: float, stopped: Event) -> None:
    """Play one situation for at most `seconds`, and print what it showed."""
    rehearsal.set_up(item)
    deadline = time.monotonic() + seconds
    judged_item = rehearsal.judge(item)
    while judged_item.verdict == "not seen" and time.monotonic() < deadline:
        if stopped.wait(min(CHECK_SECONDS, seconds)):
            break
        rehearsal.follow_up()
        judged_item = rehearsal.judge(item)
    if judged_item.verdict == "shown":  # a late request may still break it
        stopped.wait(min(SETTLING_SECONDS, seconds))
        judged_item = rehearsal.judge(item)
    rehearsal.clean_up()
    evidence_text = f" ({judged_item.evidence[0]})" if judged_item.evidence else ""
    colour = COLOURS.get(judged_item.verdict, "yellow")
    warn_user(f"   {judged_item.verdict}{evidence_text}", colour)
