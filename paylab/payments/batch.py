"""A batch of payouts is a list of orders: those made before are found, the others are sent once.

The list is read once for the references of the rows. Of an equal payment that is older than 7 days
you have to choose what it means, and nothing is sent; nor is it if a reference has a payment with
other values. Each row gets one outcome, also one that is not sent: after a conflict, an interrupt,
or several rows without an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from .. import files
from ..client.client import Client
from ..client.orders import Order
from ..client.parameters import body_fields
from ..errors.base import (
    ChoiceError,
    ConfigError,
    PaylabError,
    RuleWarning,
    warn_caller,
)
from ..runtime import make_executor
from ..spec.models import Transfer
from . import outcome
from .identity import TRANSFER, values
from .outcome import BatchChoices, Outcome, UnpaidWarning, outcome_of_error
from .payment_errors import DESCRIBED_MAX, age_of, describe_payment, old_error
from .payout_rows import PayoutRow
from .plan import Plan
from .recognition import LOOKBACK_AGE, WEEK, find_live_payment, raise_unless_success
from .search import find_by_references, payment_pages

if TYPE_CHECKING:
    from .batch_results import BatchResults
    from .results import ResultsFile

UNANSWERED_ROWS_MAX = 5
"""After this number of successive rows without a response, the others are not sent."""
CONCURRENCY = 8
REPEATABLE = (
    "payouts without a client_reference_id can be sent again without paying twice for 24 hours only"
)

Progress: TypeAlias = "Callable[[int, int], object]"


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
    plan: Plan
    choices: BatchChoices
    notify: Callable[[str], object]
    report_progress: Progress | None = None
    file: ResultsFile | None = None
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    new_names: dict[int, str] = field(default_factory=dict)
    """The names (`new=`) under which rows are paid again."""
    unanswered_rows: int = 0
    """The number of successive rows without an answer."""

    def run(self, to: Path | None, concurrency: int) -> BatchResults:
        """Send each payout once, unless the list has it; return a frame with one row per payout.

        RuleError with every problem and its row before anything is sent. ChoiceError if the list
        cannot tell, or if you have to choose. An UnpaidWarning says that a row was not paid.
        `to` is the file of the results.
        """
        from .results import Results, ResultsFile  # of an extra: if it is missing, nothing is sent

        self.plan.raise_if_problems()
        if not all(row.reference for row in self.plan.rows):
            warn_caller(REPEATABLE, RuleWarning)  # of the caller of the lab
        results = Results(self.plan)
        with ExitStack() as stack:
            if to is not None:
                self.file = stack.enter_context(ResultsFile(to, self.plan, results))
            self._settle_rows(concurrency)
        result_frame = results.frame(self.outcomes, self.client.place())
        unpaid_count = len(self.plan.rows) - len(self._find_row_numbers(*outcome.MADE))
        if unpaid_count:
            first_problem_text = next(result_frame.problem_texts())
            warn_caller(f"{result_frame.outcome_line()}; {first_problem_text}", UnpaidWarning)
        return result_frame

    def _settle_rows(self, concurrency: int) -> None:
        """Give each row its outcome: find the payouts made before, and send the others."""
        unsent_reason = ""
        try:
            self._settle_earlier_payments()
            if conflict_numbers := self._find_row_numbers(outcome.CONFLICT):
                unsent_reason = (
                    f"row {conflict_numbers[0]} is a conflict, so nothing of the batch is"
                )
            else:
                self._send_rows(concurrency)
                unsent_reason = f"{UNANSWERED_ROWS_MAX} rows before had no answer"
        except KeyboardInterrupt as interrupt:
            made_count = len(self._find_row_numbers(*outcome.MADE))
            interrupt.add_note(
                f"interrupted: {made_count} of {len(self.plan.rows)} payouts were made; run the "
                "same batch again for the others: it continues where it stopped, and no row is "
                "paid twice"
            )
            unsent_reason = "interrupted"
            raise
        except PaylabError as error:  # the list cannot tell, or you have to choose
            unsent_reason = str(error)
            if isinstance(error, ChoiceError):
                error.args = (f"nothing of this batch was sent: {error}",)
            raise
        finally:
            for row in self._unsettled_rows():
                self._settle_row(row, Outcome(outcome.UNSENT, error=f"not sent: {unsent_reason}"))

    def _find_row_numbers(self, *outcome_words: str) -> list[int]:
        """The numbers of the rows whose outcome is one of `outcome_words`."""
        return [
            row_number
            for row_number, row_outcome in self.outcomes.items()
            if row_outcome.word in outcome_words
        ]

    def _unsettled_rows(self) -> list[PayoutRow]:
        """The rows without an outcome."""
        return [row for row in self.plan.rows if row.number not in self.outcomes]

    def _make_order(
        self, row: PayoutRow, new_name: str = "", lookback: timedelta | None = None
    ) -> Order:
        """Make the order of a row; with a name (`new=`), one that pays the row again."""
        fields = body_fields(row.body())
        return Order(TRANSFER, fields, new=new_name, lookback=lookback, is_quiet=True)

    def _settle_earlier_payments(self) -> None:
        """Settle the rows whose references the list has, back to `lookback`.

        ChoiceError if rows have an equal payment that is older than 7 days, and you have not chosen
        what it means.
        """
        referenced_rows = [row for row in self.plan.rows if row.reference]
        lookback = self.choices.lookback
        if not referenced_rows or lookback is None:
            return
        service_clock = self.client.service_clock

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return service_clock.now() - lookback

        pages = payment_pages(self.client.transfers)
        references = {row.reference for row in referenced_rows}
        payments_by_reference = find_by_references(pages, references, since, self.notify)
        now = service_clock.now()
        old_payment_texts = []
        for row in referenced_rows:
            try:
                self._settle_by_list(row, payments_by_reference.get(row.reference, []), now)
            except ChoiceError as error:
                old_payment_texts.append(
                    f"row {row.number}: {describe_payment(error.payment, now)}"
                )
        if old_payment_texts:
            raise _old_payments_error(old_payment_texts)

    def _settle_by_list(self, row: PayoutRow, payments: Sequence[Transfer], now: datetime) -> None:
        """Settle a row by the payments with its reference, or choose to pay it again.

        ChoiceError for an equal payment that is older than 7 days, if `older=` was not given.
        """
        order = self._make_order(row)
        order_values = values(order.fields)
        try:
            payment = find_live_payment(order_values, payments, lambda: now)
            if payment is None:
                return
            raise_unless_success(order_values, payment, lambda: now, WEEK)
            if age_of(payment, now) is None:  # it may be old
                raise old_error(order_values, payment, now)
            self._settle_row(row, Outcome(outcome.PAID, payment.raw))
        except ChoiceError as error:
            if error.reason == "old" and self.choices.older is None:
                raise
            new_name = self.choices.next_name(error)
            if new_name:
                self.new_names[row.number] = new_name
            else:
                self._settle_row(row, self.choices.outcome(error))

    def _send_rows(self, concurrency: int) -> None:
        """Send the rows without an outcome, until several in a row have no answer."""
        row_by_future: dict[Future[Outcome], PayoutRow] = {}
        try:
            with make_executor(concurrency, "paylab-payout") as executor:
                for row in self._unsettled_rows():
                    if self.unanswered_rows >= UNANSWERED_ROWS_MAX:
                        break
                    row_by_future[executor.submit(self._send_row, row)] = row
                    if len(row_by_future) == concurrency:
                        self._settle_answered(row_by_future)
        finally:  # also after an interrupt, the rows under way have their answers
            while row_by_future:
                self._settle_answered(row_by_future)

    def _settle_answered(self, row_by_future: dict[Future[Outcome], PayoutRow]) -> None:
        """Wait until at least one row under way has its outcome, and settle all that have one."""
        for future in wait(row_by_future, return_when=FIRST_COMPLETED).done:
            self._settle_row(row_by_future[future], future.result())
            del row_by_future[future]  # last, so that an interrupt before it loses no outcome

    def _send_row(self, row: PayoutRow) -> Outcome:
        """Send one row as an order, again under another name if you chose to pay it again.

        An error is an outcome too: the outcome of this row alone.
        """
        new_name = self.new_names.get(row.number, "")
        sent_names = {new_name}
        lookback = None
        while True:
            try:
                order = self._make_order(row, new_name, lookback)
                response = self.client.transfers.send(order)
                outcome_word = outcome.REPLAYED if response.replayed else outcome.CREATED
                transfer_object = response.require_object_with_id()
                return Outcome(outcome_word, {**transfer_object, "id": str(transfer_object["id"])})
            except ChoiceError as error:
                new_name = self.choices.next_name(error)
                if not new_name or new_name in sent_names:
                    return self.choices.outcome(error)
                sent_names.add(new_name)
                lookback = LOOKBACK_AGE  # it may have been paid again under another name
            except PaylabError as error:
                return outcome_of_error(error)
            except Exception as error:  # the request may have left: the other rows still get theirs
                return Outcome(outcome.UNKNOWN, error=f"{type(error).__name__}: {error}")

    def _settle_row(self, row: PayoutRow, row_outcome: Outcome) -> None:
        """Store the outcome of a row, write it to the file, and report the progress."""
        self.outcomes[row.number] = row_outcome
        had_no_answer = row_outcome.word in (outcome.UNKNOWN, outcome.UNSENT)
        self.unanswered_rows = self.unanswered_rows + 1 if had_no_answer else 0
        if self.file is not None:
            self.file.add_outcome(row, row_outcome)
        if self.report_progress and row_outcome.word != outcome.UNSENT:
            self.report_progress(len(self.outcomes), len(self.plan.rows))


def _old_payments_error(descriptions: Sequence[str]) -> ChoiceError:
    """The error for rows that equal an old payment, which may or may not be that of the row.

    `descriptions` name the row and its payment.
    """
    described_text = "; ".join(descriptions[:DESCRIBED_MAX])
    if len(descriptions) > DESCRIBED_MAX:
        described_text += "; ..."
    refusal_text = (
        f"nothing was sent: {len(descriptions)} payouts have an equal payment older than 7 days: "
        f"{described_text}"
    )
    hint = (
        'older="paid" (--older paid) counts them as paid, older="pay" (--older pay) pays them again'
    )
    return ChoiceError(refusal_text, hint, reason="old")
