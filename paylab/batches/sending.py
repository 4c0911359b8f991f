"""Rows sent a few at a time; one that is refused does not keep the others back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice, takewhile

from ..client.resources import Transfers
from ..errors import (
    APIStatusError,
    AuthenticationError,
    ConflictError,
    PaylabError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
)
from .keys import key
from .outcome import Outcome
from .rows import REFERENCE, Row

PATIENCE = 5
"""So many rows in succession without an answer, and the others are not sent."""

Sent = tuple[Row, Outcome]

# What every other row would be answered too: these end the batch.
HOPELESS = (AuthenticationError, PermissionDeniedError)
UNCERTAIN = (RateLimitError, ServerError)


def send_all(transfers: Transfers, rows: Sequence[Row], concurrency: int) -> Iterator[Sent]:
    """Each row and what came of it, in the order of the answers."""
    silent, done = 0, set[int]()
    waiting = takewhile(lambda _: silent < PATIENCE, rows)
    sent = _one_by_one if concurrency == 1 else partial(_some, concurrency=concurrency)
    for row, outcome in sent(transfers, waiting):
        done.add(row.number)
        silent = silent + 1 if outcome.word == "unknown" else 0
        yield row, outcome
    reason = "not sent: the service does not answer"
    yield from ((row, Outcome("unsent", {}, reason)) for row in rows if row.number not in done)


def send(transfers: Transfers, row: Row) -> Outcome:
    """Send one row, under the key that follows from its reference."""
    try:
        made = transfers.create(idempotency_key=key(str(row.get(REFERENCE))), **row.body())
    except HOPELESS:
        raise
    except ConflictError as error:
        return Outcome("conflict", {}, _words(error))
    except PaylabError as error:
        certain = isinstance(error, APIStatusError) and not isinstance(error, UNCERTAIN)
        return Outcome("refused" if certain else "unknown", {}, _words(error))
    return Outcome("replayed" if made.replayed else "created", made.raw)


def _one_by_one(transfers: Transfers, waiting: Iterator[Row]) -> Iterator[Sent]:
    return ((row, send(transfers, row)) for row in waiting)


def _some(transfers: Transfers, waiting: Iterator[Row], concurrency: int) -> Iterator[Sent]:
    running = dict[Future[Outcome], Row]()
    with ThreadPoolExecutor(concurrency, "paylab-payout") as pool:
        while True:
            for row in islice(waiting, concurrency - len(running)):
                running[pool.submit(send, transfers, row)] = row
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()


def _words(error: PaylabError) -> str:
    problems = "; ".join(map(str, getattr(error, "problems", ())))
    return problems or str(error)
