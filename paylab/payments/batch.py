"""A batch of payouts is a list of orders: those made before are found, the others are sent once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

from ..client.parameters import body_fields
from ..client.resources.transfers import Transfers
from ..errors import api
from ..errors.base import LedgerError, PaylabError
from ..spec import codes
from .identity import values
from .ledger import Ledger
from .outcome import Outcome, problems_of, word_of
from .plan import REFERENCE, PayoutRow, Payouts, Plan, plan
from .search import agrees, by_reference

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = 5
"""After this number of successive rows without a response, the others are not sent."""
CONCURRENCY = 8
# Every other row would get the same answer: these end the batch.
HOPELESS = (api.AuthenticationError, api.PermissionDeniedError)

Progress: TypeAlias = "Callable[[int, int], object]"


def key(reference: str) -> str:
    """A UUID (version 4 form) derived from the reference.

    Two machines that send the same file at the same time then send the same keys.

    >>> key("invoice-1")
    '55c9b931-ad2d-443e-9cb5-5b830db19dc3'
    """
    digest = sha256(b"paylab payout\0" + reference.encode("utf-8", "surrogatepass")).digest()
    return str(UUID(bytes=digest[:16], version=4))


def create_many(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
    transfers: Transfers,
    payouts: Payouts,
    *,
    ledger: Callable[[], Ledger | None] = lambda: None,
    reference: str = REFERENCE,
    concurrency: int = CONCURRENCY,
    progress: Progress | None = None,
    delimiter: str = ",",
    **defaults: Any,
) -> pd.DataFrame:
    """Check all payouts, send each once, and return a frame with one row per payout.

    Raises RuleError with every problem and its row before anything is sent. Rows that the ledger
    does not know are searched in the list by their reference before they are sent.
    """
    from .results import results_frame  # of an extra: if it is missing, nothing is sent

    checked = plan(payouts, reference=reference, delimiter=delimiter, **defaults)
    checked.refuse()
    batch = _Batch(transfers, checked, ledger, progress)
    batch.run(concurrency)
    return results_frame(checked, batch.outcomes)


def send(transfers: Transfers, row: PayoutRow) -> Outcome:
    """Send one row as an order, unless its payment is known."""
    make = partial(key, row.name) if row.name else None
    try:
        response = transfers.send(body_fields(row.body()), make=make, in_batch=True)
        word = "replayed" if response.replayed else "created"
        word = "done" if response.is_known else "found" if response.is_found else word
        return Outcome(word, response.identified)
    except LedgerError as error:
        word = "created" if error.made else "unsent"
        made = {"id": error.made} if error.made else {}
        return Outcome(word, made, problems_of(error), stops=error)
    except HOPELESS as error:
        word = "unknown" if error.after_lost else "unsent"
        return Outcome(word, {}, problems_of(error), stops=error)
    except PaylabError as error:
        is_limited = isinstance(error, api.RateLimitError)
        return Outcome(word_of(error), {}, problems_of(error), is_limited=is_limited)
    except Exception as error:  # the request may have left: the other rows still get theirs
        return Outcome("unknown", {}, f"{type(error).__name__}: {error}")


@dataclass
class _Batch:
    """One run of a batch."""

    transfers: Transfers
    checked: Plan
    ledger: Callable[[], Ledger | None]
    progress: Progress | None
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    failure: PaylabError | None = None
    silent: int = 0

    def run(self, concurrency: int) -> None:
        """Find payouts made before, and send the others."""
        try:
            self._find()
            self._send(concurrency)
        except LedgerError as error:
            self.failure = error
        except KeyboardInterrupt as stop:
            stop.add_note(f"interrupted: {self._count}")
            raise
        if self.failure and not isinstance(self.failure, LedgerError):
            self.failure.hint = "; ".join(filter(None, (self._count, self.failure.hint)))
            raise self.failure
        for row in self._left:
            why = str(self.failure or "the service does not answer")
            self.outcomes[row.number] = Outcome("unsent", {}, f"not sent: {why}")

    @property
    def _left(self) -> list[PayoutRow]:
        return [row for row in self.checked.rows if row.number not in self.outcomes]

    @property
    def _count(self) -> str:
        made = sum(outcome.is_made for outcome in self.outcomes.values())
        return (
            f"{made} of {len(self.checked.rows)} payouts were made; run the same batch again for "
            "the others: it continues where it stopped, and no row is paid twice"
        )

    def _find(self) -> None:
        """Search the list for references that the ledger does not know."""
        ledger, named = self.ledger(), [row for row in self.checked.rows if row.name]
        unknown = [row for row in named if not (ledger and ledger.knows(row.body()))]
        if not unknown:
            return
        listed = self.transfers.list(limit=codes.PAGE_MAX)
        found = by_reference(listed, {row.name for row in unknown})
        for row in unknown:
            if row.name not in found:
                continue
            one = found[row.name]
            if agrees(one, values(row.body())):
                self._settle(row, Outcome("found", one.raw))
            else:
                text = f"{one.id} was made under this reference with other values"
                self._settle(row, Outcome("conflict", {}, text))

    def _send(self, concurrency: int) -> None:
        waiting = takewhile(lambda _: not self.failure and self.silent < PATIENCE, self._left)
        limited = self._send_some(waiting, concurrency) if concurrency > 1 else []
        for row in chain(limited, waiting):
            self._settle(row, send(self.transfers, row))

    def _send_some(self, waiting: Iterator[PayoutRow], concurrency: int) -> list[PayoutRow]:
        """Send rows concurrently until one is refused with 429; return the rows refused so."""
        running, limited = dict[Future[Outcome], PayoutRow](), list[PayoutRow]()
        try:
            with ThreadPoolExecutor(concurrency, "paylab-payout") as pool:
                while True:
                    for row in islice(waiting, 0 if limited else concurrency - len(running)):
                        running[pool.submit(send, self.transfers, row)] = row
                    if not running:
                        return limited
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        row, outcome = running.pop(future), future.result()
                        if outcome.is_limited:
                            limited.append(row)
                        else:
                            self._settle(row, outcome)
        finally:  # after an interrupt, the rows under way have their answers
            for future, row in running.items():
                self.outcomes[row.number] = future.result()

    def _settle(self, row: PayoutRow, outcome: Outcome) -> None:
        self.outcomes[row.number] = outcome
        self.failure = self.failure or outcome.stops
        self.silent = self.silent + 1 if outcome.word in ("unknown", "unsent") else 0
        if self.progress:
            self.progress(len(self.outcomes), len(self.checked.rows))
