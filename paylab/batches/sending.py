"""Rows sent a few at a time; one that is refused does not keep the others back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice, takewhile

from ..client.resources import Transfers
from ..errors import (
    APIStatusError,
    AuthenticationError,
    ChoiceError,
    ConflictError,
    PaylabError,
    PermissionDeniedError,
    RateLimitError,
    RuleError,
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


def send_all(
    transfers: Transfers, rows: Sequence[Row], concurrency: int, may_go_on: Callable[[], bool]
) -> Iterator[Sent]:
    """Each row and its outcome, in the order of the answers; none is begun after `may_go_on`."""
    silent, done = 0, set[int]()
    waiting = takewhile(lambda _: silent < PATIENCE and may_go_on(), rows)
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
    except (ConflictError, ChoiceError) as error:
        return Outcome("conflict", {}, _words(error))
    except RuleError as error:
        return Outcome("refused", {}, _words(error))
    except PaylabError as error:
        return Outcome("refused" if _is_certain(error) else "unknown", {}, _words(error))
    except Exception as error:  # the request may have left: the other rows still get theirs
        return Outcome("unknown", {}, f"{type(error).__name__}: {error}")
    return Outcome("replayed" if made.replayed else "created", made.raw)


def _is_certain(error: PaylabError) -> bool:
    """Whether the service said that it made nothing."""
    refused = isinstance(error, APIStatusError) and not isinstance(error, UNCERTAIN)
    return refused and 400 <= getattr(error, "status", 0) < 500


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
