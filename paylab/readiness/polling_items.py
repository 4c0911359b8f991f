"""Items: the pace at which an object or a list is read until a status is final."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ..spec.status import MACHINES
from .facts import RequestFacts, gap_seconds
from .history import History
from .item import Item, Observation, Situation, broken, shown

BUSY_READS = 50
"""Reads in a row without a gap that are a busy poll."""

BUSY_SECONDS = 2
"""Real seconds that a busy poll lasts: a test whose pauses are left out is over sooner."""

HURRY_SECONDS = 0.1
"""A gap below this, on both clocks, is none."""

PAUSE_SECONDS = 0.5
"""A gap from this on, on either clock, is a pause between two reads of a poll."""

POLL_SECONDS = 600
"""A read after a longer gap belongs to another poll."""

ROUNDING_SECONDS = 0.001
"""How much later a time may seem: a journal has milliseconds."""


def judge_polling(history: History) -> Iterator[Observation]:
    """A poll pauses between its reads. One that runs without a gap for seconds is broken."""
    for requests in history.repeats():
        reads = [
            request
            for request in requests
            if request.method == "GET" and request.is_ok and request.is_received
        ]
        for poll in _split_reads(reads, lambda gap: gap < HURRY_SECONDS):
            real_seconds = (poll[-1].real_at - poll[0].real_at).total_seconds()
            if len(poll) >= BUSY_READS and real_seconds >= BUSY_SECONDS:
                path = poll[0].row["path"]
                yield broken(poll[-1], f"{len(poll)} reads of {path} in {real_seconds:.1f} s")
        unprompted = [read for read in reads if not _is_prompted(history, read)]
        for poll in _split_reads(unprompted, lambda gap: PAUSE_SECONDS <= gap <= POLL_SECONDS):
            last = _find_end(poll)
            if last is not None:
                yield shown(last, f"read with pauses until {last.row['path']} was final")


def _split_reads(
    reads: Sequence[RequestFacts], is_close: Callable[[float], bool]
) -> Iterator[Sequence[RequestFacts]]:
    """The reads in order, split where the gap between two is of another kind."""
    start_index = 0
    for index, (earlier, later) in enumerate(pairwise(reads), start=1):
        if not is_close(gap_seconds(earlier, later)):
            yield reads[start_index:index]
            start_index = index
    if reads:
        yield reads[start_index:]


def _is_prompted(history: History, read: RequestFacts) -> bool:
    """Whether the receiver sent it while it handled an event: the event set the pace."""
    index = bisect_right(history.deliveries, read.sequence, key=lambda note: note.sequence)
    if index == 0:
        return False
    delivery = history.deliveries[index - 1]
    handling_seconds = float(delivery["duration"] or 0)
    return (read.real_at - delivery.real_at).total_seconds() <= handling_seconds + ROUNDING_SECONDS


def _find_end(poll: Sequence[RequestFacts]) -> RequestFacts | None:
    """The first read with a final status of an object that an earlier read had in motion."""
    moving_ids: set[str] = set()
    for read in poll:
        machine = MACHINES.get(read.operation.partition(".")[0])
        if machine is None:
            return None
        for answered_object in read.objects:
            object_id = str(answered_object.get("id"))
            if not machine.is_final(answered_object.get("status")):
                moving_ids.add(object_id)
            elif object_id in moving_ids:
                return read
    return None


ITEMS = (
    Item(
        "retries.polling",
        "A poll pauses between its reads",
        f"Poll until status is active after a 202. {BUSY_READS} reads without a gap, for "
        f"{BUSY_SECONDS} seconds of real time or more, are a load on the service that tells "
        f"nothing new; gaps of at least {PAUSE_SECONDS} seconds, on the clock of the machine or "
        "of the simulator, are pauses.",
        "spec: Endpoints",
        "Create a transfer, and read it with pauses until its status is final.",
        judge=judge_polling,
        situation=Situation("create a transfer, and read it until its status is final"),
    ),
)
