"""Items: the pace of reading an object or a list until a status is final."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ..spec.status import MACHINES
from .facts import RequestFacts, gap_seconds
from .history import History
from .item import Item, Observation, Situation, note_right, note_wrong

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


def observe_polling(history: History) -> Iterator[Observation]:
    """Observe whether a poll pauses between its reads; without a gap for seconds it is broken.

    Nothing is observed where an object is read once, or only when an event prompts it.
    """
    for repeated_requests in history.repeats():
        readings = [
            request
            for request in repeated_requests
            if request.method == "GET" and request.is_ok and request.is_received
        ]
        yield from _find_busy_polls(readings)
        yield from _find_paused_polls(history, readings)


def _find_busy_polls(readings: Sequence[RequestFacts]) -> Iterator[Observation]:
    """Observe runs of many readings of one object without a pause, over seconds."""
    for poll_readings in _split_readings(readings, lambda gap: gap < HURRY_SECONDS):
        real_seconds = (poll_readings[-1].real_at - poll_readings[0].real_at).total_seconds()
        if len(poll_readings) >= BUSY_READS and real_seconds >= BUSY_SECONDS:
            request_path = poll_readings[0].row["path"]
            yield note_wrong(
                poll_readings[-1],
                f"{len(poll_readings)} reads of {request_path} in {real_seconds:.1f} s",
            )


def _find_paused_polls(history: History, readings: Sequence[RequestFacts]) -> Iterator[Observation]:
    """Observe runs of readings with pauses up to a final status; those in an event do not count."""
    unprompted_readings = [reading for reading in readings if not _is_prompted(history, reading)]
    for poll_readings in _split_readings(
        unprompted_readings, lambda gap: PAUSE_SECONDS <= gap <= POLL_SECONDS
    ):
        final_reading = _find_end(poll_readings)
        if final_reading is not None:
            yield note_right(
                final_reading, f"read with pauses until {final_reading.row['path']} was final"
            )


def _split_readings(
    readings: Sequence[RequestFacts], is_close: Callable[[float], bool]
) -> Iterator[Sequence[RequestFacts]]:
    """Split readings into runs whose gaps, in seconds, all pass the test `is_close`."""
    start_index = 0
    for index, (earlier_reading, later_reading) in enumerate(pairwise(readings), start=1):
        if not is_close(gap_seconds(earlier_reading, later_reading)):
            yield readings[start_index:index]
            start_index = index
    if readings:
        yield readings[start_index:]


def _is_prompted(history: History, reading: RequestFacts) -> bool:
    """Whether a reading was sent while an event was handled, so that no poll set its time."""
    earlier_count = bisect_right(
        history.deliveries, reading.sequence, key=lambda note: note.sequence
    )
    if earlier_count == 0:
        return False
    latest_delivery = history.deliveries[earlier_count - 1]
    handling_seconds = float(latest_delivery["duration"] or 0)
    seconds_after_delivery = (reading.real_at - latest_delivery.real_at).total_seconds()
    return seconds_after_delivery <= handling_seconds + ROUNDING_SECONDS


def _find_end(poll: Sequence[RequestFacts]) -> RequestFacts | None:
    """The first reading of a poll that shows a final status after another one.

    None without such a reading, and for operations without a status machine.
    """
    unfinished_ids: set[str] = set()
    for reading in poll:
        status_machine = MACHINES.get(reading.operation.partition(".")[0])
        if status_machine is None:
            return None
        for answered_object in reading.objects:
            object_id = str(answered_object.get("id"))
            if not status_machine.is_final(answered_object.get("status")):
                unfinished_ids.add(object_id)
            elif object_id in unfinished_ids:
                return reading
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
        observe=observe_polling,
        situation=Situation("create a transfer, and read it until its status is final"),
    ),
)
