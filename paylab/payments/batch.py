"""A batch of payouts is a list of orders: those made before are found, the others are sent once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice, takewhile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from .. import files
from ..client.client import Client
from ..client.orders import Order
from ..client.parameters import body_fields
from ..errors.base import (
    ChoiceError,
    ConfigError,
    PaylabError,
    Problem,
    RuleError,
    RuleWarning,
)
from ..runtime import make_executor
from ..spec.models import Transfer
from ..spec.time_arguments import read_duration
from . import outcome
from .comparison import LOOKBACK_AGE, WEEK, describe_payment, raise_if_dead_or_old
from .identity import TRANSFER, values
from .outcome import Outcome, already_paid, outcome_of_error
from .payout_rows import PayoutRow
from .plan import Plan
from .recognition import recognise_payment
from .search import find_by_references

if TYPE_CHECKING:
    import pandas as pd

    from .results import ResultsFile

SILENCE = 5
"""After this number of successive rows without a response, the others are not sent."""
CONCURRENCY = 8
UNANSWERED = "not sent: the service does not answer"
REPEATABLE = (
    "payouts without a client_reference_id can be sent again without paying twice for 24 hours only"
)

Older = Literal["paid", "pay"]
Progress: TypeAlias = "Callable[[int, int], object]"


@dataclass(frozen=True)
class BatchChoices:
    """What you chose for payouts that may have been made before.

    `lookback` is how far the list is searched, None for not at all; `older` is whether an equal
    payment that is older than 7 days is this payout ("paid") or not ("pay"); `retry_failed` pays a
    payout again whose payment failed, expired or was cancelled.
    """

    lookback: timedelta | None = LOOKBACK_AGE
    older: Older | None = None
    retry_failed: bool = False

    @classmethod
    def read(cls, lookback: object, older: object, *, retry_failed: bool) -> BatchChoices:
        """The choices as they were given; RuleError for one that is none."""
        if older not in (None, "paid", "pay"):
            message = f'must be "paid" or "pay", not {older!r:.40}'
            raise RuleError([Problem("older", message)])
        bound = None if lookback is None else read_duration(lookback, "lookback")
        return cls(bound, older, retry_failed)


def check_results_path(to: str | PathLike[str], payouts: object) -> Path:
    """The path of the results; ConfigError if it cannot be written, or is the file of payouts."""
    path = files.path_of(to)
    try:
        files.require_writable(path)
    except ConfigError as error:
        raise ConfigError(f"the results: {error}; nothing was sent") from None
    is_file = isinstance(payouts, str | PathLike)
    if is_file and path.resolve() == files.path_of(payouts).resolve():  # type: ignore[arg-type]
        raise ConfigError(f"the results in {path} would replace the payouts; nothing was sent")
    return path


@dataclass
class Batch:
    """One run of a batch: what the list says of its rows, then an order for each other row."""

    client: Client
    checked: Plan
    choices: BatchChoices
    tell: Callable[[str], object]
    progress: Progress | None = None
    file: ResultsFile | None = None
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    """The names under which rows are paid again."""
    failure: PaylabError | None = None
    silent: int = 0
    current: int = 0
    """The row that is sent now, if rows are sent one by one."""

    def run(self, to: Path | None, concurrency: int) -> pd.DataFrame:
        """Send each payout once, unless the list has it; return a frame with one row per payout.

        RuleError with every problem and its row before anything is sent. ChoiceError if the list
        cannot tell, or if you have to choose. `to` is the file of the results.
        """
        from .results import Results, ResultsFile  # of an extra: if it is missing, nothing is sent

        self.checked.refuse()
        if not all(row.name for row in self.checked.rows):
            warnings.warn(REPEATABLE, RuleWarning, stacklevel=4)  # of the caller of the lab
        results = Results(self.checked)
        with ExitStack() as stack:
            if to is not None:
                self.file = stack.enter_context(ResultsFile(to, self.checked, results))
            self._settle_all(concurrency)
        return results.frame(self.outcomes)

    def _settle_all(self, concurrency: int) -> None:
        """Find payouts made before, and send the others unless one is a conflict."""
        reason = UNANSWERED
        try:
            self._look_up()
            conflict = self._first_conflict()
            if conflict is None:
                self._send(concurrency)
            else:
                reason = f"not sent: nothing of the batch is, since row {conflict} is a conflict"
        except KeyboardInterrupt as stop:
            stop.add_note(f"interrupted: {self._count}")
            self._leave("not sent: interrupted")
            raise
        except PaylabError as error:  # the list could not tell, or you have to choose
            self.failure = error
        self._leave(f"not sent: {self.failure}" if self.failure else reason)
        words = {settled.word for settled in self.outcomes.values()}
        # A row whose payout was made, or may have been, must be returned.
        if self.failure and words.isdisjoint(outcome.MADE | {outcome.UNKNOWN}):
            raise self.failure

    def _first_conflict(self) -> int | None:
        conflicts = (at for at, row in self.outcomes.items() if row.word == outcome.CONFLICT)
        return next(conflicts, None)

    def _leave(self, reason: str) -> None:
        """Settle the rows that are not sent, but not one that may be under way."""
        for row in self._left:
            if row.number != self.current:
                self._settle(row, Outcome(outcome.UNSENT, error=reason))

    @property
    def _left(self) -> list[PayoutRow]:
        return [row for row in self.checked.rows if row.number not in self.outcomes]

    @property
    def _count(self) -> str:
        made = sum(settled.is_made for settled in self.outcomes.values())
        return (
            f"{made} of {len(self.checked.rows)} payouts were made; run the same batch again for "
            "the others: it continues where it stopped, and no row is paid twice"
        )

    def _order(self, row: PayoutRow, new: str = "") -> Order:
        fields = body_fields(row.body())
        terms = self.client.quotes.terms(fields.get("quote_id"))
        return Order(TRANSFER, fields, terms, new, is_quiet=True)

    def _look_up(self) -> None:
        """Look for the references of the batch in the list, back to the bound."""
        named = {row.name: row for row in self.checked.rows if row.name}
        lookback = self.choices.lookback
        if not named or lookback is None:
            return
        clock = self.client.service_clock

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return clock.now() - lookback

        payments = find_by_references(self.client.transfers, named.keys(), since, self.tell)
        now = clock.now()
        questions: list[str] = []
        for row in (row for reference, row in named.items() if reference in payments):
            try:
                payment = self._listed_payment(row, payments[row.name], now)
                if payment is not None:
                    self._settle(row, already_paid(payment))
            except ChoiceError as error:
                self.names[row.number] = self._next_name(error)
                if error.reason == "old" and self.choices.older is None:
                    questions.append(f"row {row.number}: {describe_payment(error.payment, now)}")
                elif not self.names[row.number]:
                    self._settle(row, self._outcome_of(error))
        if questions:
            raise _ask(questions)

    def _listed_payment(
        self, row: PayoutRow, listed: Sequence[Transfer], now: datetime
    ) -> Transfer | None:
        """The payment of a row in the list; ChoiceError if none is surely this payout."""
        order = self._order(row)
        order_values = values(order.fields, order.terms)
        payment = recognise_payment(order_values, listed, lambda: now)
        if payment is not None:
            raise_if_dead_or_old(order_values, payment, now, WEEK, needs_age=True)
        return payment

    def _send(self, concurrency: int) -> None:
        waiting = takewhile(lambda _: not self.failure and self.silent < SILENCE, self._left)
        limited = self._send_some(waiting, concurrency) if concurrency > 1 else []
        for row in chain(limited, waiting):
            self.current = row.number
            self._settle(row, self._send_row(row))
            self.current = 0

    def _send_some(self, waiting: Iterator[PayoutRow], concurrency: int) -> list[PayoutRow]:
        """Send rows concurrently until one is refused with 429; return the rows refused so."""
        running = dict[Future[Outcome], PayoutRow]()
        limited = list[PayoutRow]()
        try:
            with make_executor(concurrency, "paylab-payout") as pool:
                while True:
                    for row in islice(waiting, 0 if limited else concurrency - len(running)):
                        running[pool.submit(self._send_row, row)] = row
                    if not running:
                        return limited
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        row = running.pop(future)
                        if future.result().is_limited:
                            limited.append(row)
                        else:
                            self._settle(row, future.result())
        finally:  # after an interrupt, the rows under way have their answers
            for future, row in running.items():
                self._settle(row, future.result())

    def _send_row(self, row: PayoutRow) -> Outcome:
        """Send one row as an order; again under the names that your choices give it."""
        name = self.names.get(row.number, "")
        names = set[str]()
        while True:
            try:
                response = self.client.transfers.send(self._order(row, name))
                word = outcome.REPLAYED if response.replayed else outcome.CREATED
                transfer = response.identified
                return Outcome(word, {**transfer, "id": str(transfer["id"])})
            except ChoiceError as error:
                names.add(name)
                name = self._next_name(error)
                if not name or name in names:
                    return self._outcome_of(error)
            except PaylabError as error:
                return outcome_of_error(error)
            except Exception as error:  # the request may have left: the other rows still get theirs
                return Outcome(outcome.UNKNOWN, error=f"{type(error).__name__}: {error}")

    def _next_name(self, error: ChoiceError) -> str:
        """The name that pays a row again whose payment failed or is old, if you chose that."""
        is_chosen = {
            "dead": self.choices.retry_failed,
            "old": self.choices.older == "pay",
        }
        return str(error.payment.id or "") if is_chosen.get(error.reason) else ""

    def _outcome_of(self, error: ChoiceError) -> Outcome:
        if error.reason == "old" and self.choices.older == "paid":
            return already_paid(error.payment)
        return outcome_of_error(error)

    def _settle(self, row: PayoutRow, settled: Outcome) -> None:
        self.outcomes[row.number] = settled
        self.failure = self.failure or settled.stops
        self.silent = self.silent + 1 if settled.word in (outcome.UNKNOWN, outcome.UNSENT) else 0
        if self.file is not None:
            self.file.note(row, settled)
        if self.progress:
            self.progress(len(self.outcomes), len(self.checked.rows))


def _ask(rows: Sequence[str]) -> ChoiceError:
    """The error for rows with an equal payment of which it cannot be told whether it is theirs."""
    some = "; ".join(rows[:5]) + ("; ..." if len(rows) > 5 else "")
    what = f"nothing was sent: {len(rows)} payouts have an equal payment older than 7 days: {some}"
    hint = (
        'older="paid" (--older paid) counts them as paid, older="pay" (--older pay) pays them again'
    )
    return ChoiceError(what, hint, reason="old")
