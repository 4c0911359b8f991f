"""A batch of payouts is a list of orders: those made before are found, the others are sent once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice, takewhile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

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
from ..spec.time_arguments import read_duration
from . import outcome
from .earlier_payments import decide
from .identity import TRANSFER, values
from .outcome import Outcome, outcome_of
from .plan import REFERENCE, PayoutRow, Payouts, Plan, plan
from .repetition import describe
from .search import by_references

if TYPE_CHECKING:
    import pandas as pd

    from .results import ResultsFile

SILENCE = 5
"""After this number of successive rows without a response, the others are not sent."""
CONCURRENCY = 8
LOOKBACK = timedelta(days=45)
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

    lookback: timedelta | None = LOOKBACK
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


def create_many(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
    client: Client,
    payouts: Payouts,
    choices: BatchChoices | None = None,
    *,
    tell: Callable[[str], object] = str,
    reference: str = REFERENCE,
    references: bool = True,
    to: str | PathLike[str] | None = None,
    concurrency: int = CONCURRENCY,
    progress: Progress | None = None,
    delimiter: str = ",",
    **defaults: Any,
) -> pd.DataFrame:
    """Check all payouts, send each once, and return a frame with one row per payout.

    Raises RuleError with every problem and its row before anything is sent. The references are
    looked for in the list first: ChoiceError if it cannot tell, or if you have to choose. `tell`
    shows how far the list was read.
    """
    from .results import Results, ResultsFile  # of an extra: if it is missing, nothing is sent

    checked = plan(
        payouts, reference=reference, references=references, delimiter=delimiter, **defaults
    )
    checked.refuse()
    if not all(row.name for row in checked.rows):
        warnings.warn(REPEATABLE, RuleWarning, stacklevel=4)  # of the caller of the lab
    results = Results(checked)
    file = None if to is None else ResultsFile(results_path(to, payouts), checked, results)
    batch = Batch(client, checked, choices or BatchChoices(), tell, progress, file)
    try:
        batch.run(concurrency)
    finally:
        if file is not None:
            file.close()
    return results.frame(batch.outcomes)


def results_path(to: str | PathLike[str], payouts: object) -> Path:
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

    def run(self, concurrency: int) -> None:
        """Find payouts made before, and send the others unless one is a conflict."""
        conflicts: list[int] = []
        try:
            self._look_up()
            conflicts = [at for at, one in self.outcomes.items() if one.word == outcome.CONFLICT]
            if not conflicts:
                self._send(concurrency)
        except KeyboardInterrupt as stop:
            stop.add_note(f"interrupted: {self._count}")
            for row in self._left:
                if row.number != self.current:
                    self._settle(row, Outcome(outcome.UNSENT, error="not sent: interrupted"))
            raise
        except PaylabError as error:  # the list could not tell, or you have to choose
            self.failure = error
        why = f"not sent: {self.failure}" if self.failure else UNANSWERED
        if conflicts:
            why = f"not sent: nothing of the batch is, since row {conflicts[0]} is a conflict"
        for row in self._left:
            self._settle(row, Outcome(outcome.UNSENT, error=why))
        if self.failure and not self._is_any_made:
            raise self.failure

    @property
    def _is_any_made(self) -> bool:
        """Whether a payout was made or may have been: its row must be returned."""
        words = {one.word for one in self.outcomes.values()}
        return bool(words & (outcome.MADE | {outcome.UNKNOWN}))

    @property
    def _left(self) -> list[PayoutRow]:
        return [row for row in self.checked.rows if row.number not in self.outcomes]

    @property
    def _count(self) -> str:
        made = sum(one.is_made for one in self.outcomes.values())
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

        def show(pages: int, rows: int, last: datetime | None) -> None:
            bound = since()
            is_over = last is not None and last < bound
            if pages > 1 and pages.bit_count() == 1 and not is_over:  # 2, 4, 8, ...: seldom
                back = f", back to {last:%Y-%m-%d} of {bound:%Y-%m-%d}" if last else ""
                self.tell(f"reading the list for earlier payouts: {pages:,} pages so far{back}")

        payments = by_references(self.client.transfers, named.keys(), since, show)
        now = clock.now()
        old: list[str] = []
        for reference, row in named.items():
            order = self._order(row)
            decision = decide(
                values(order.fields, order.terms),
                payments.get(reference, ()),
                now,
                retries_failed=self.choices.retry_failed,
            )
            self.names[row.number] = decision.new
            if decision.old is not None and self.choices.older is None:
                old.append(f"row {row.number}: {describe(decision.old, now)}")
            elif decision.old is not None and self.choices.older == "paid":
                self._settle(row, Outcome(outcome.PAID, decision.old.to_dict()))
            elif decision.old is not None:
                self.names[row.number] = decision.old.id
            elif decision.outcome is not None:
                self._settle(row, decision.outcome)
        if old:
            raise _ask(old)

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
                return Outcome(word, response.identified)
            except ChoiceError as error:
                if error.reason == "old" and self.choices.older == "paid":
                    return Outcome(outcome.PAID, error.payment.to_dict())
                names.add(name)
                name = self._next_name(error)
                if not name or name in names:
                    return outcome_of(error)
            except PaylabError as error:
                return outcome_of(error)
            except Exception as error:  # the request may have left: the other rows still get theirs
                return Outcome(outcome.UNKNOWN, error=f"{type(error).__name__}: {error}")

    def _next_name(self, error: ChoiceError) -> str:
        """The name that pays a row again whose payment failed or is old, if you chose that."""
        is_chosen = {
            "dead": self.choices.retry_failed,
            "old": self.choices.older == "pay",
        }
        return str(error.payment.id or "") if is_chosen.get(error.reason) else ""

    def _settle(self, row: PayoutRow, settled: Outcome) -> None:
        self.outcomes[row.number] = settled
        self.failure = self.failure or settled.stops
        self.silent = self.silent + 1 if settled.word in (outcome.UNKNOWN, outcome.UNSENT) else 0
        if self.file is not None:
            self.file.note(row, settled)
        if self.progress:
            self.progress(len(self.outcomes), len(self.checked.rows))


def _ask(old: list[str]) -> ChoiceError:
    """The error for rows with an equal payment of which it cannot be told whether it is theirs."""
    some = "; ".join(old[:5]) + ("; ..." if len(old) > 5 else "")
    what = f"nothing was sent: {len(old)} payouts have an equal payment older than 7 days: {some}"
    hint = (
        'older="paid" (--older paid) counts them as paid, older="pay" (--older pay) pays them again'
    )
    return ChoiceError(what, hint, reason="old")
