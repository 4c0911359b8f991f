"""A batch of payouts: find those made before and send the others once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from itertools import chain, islice, takewhile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

from ..client.orders import REFUSALS, UNDECIDED
from ..client.resources.transfers import Transfers
from ..errors import (
    APIStatusError,
    AuthenticationError,
    ChoiceError,
    ConflictError,
    MissingOperationError,
    PaylabError,
    PermissionDeniedError,
    RateLimitError,
    RuleError,
    ServerError,
)
from ..spec import codes, money, timestamps
from . import journal as folder
from .journal import Journal, UnwritableJournalError, fingerprint
from .plan import COLUMNS, REFERENCE, PayoutRow, Payouts, Plan, plan, spelled_terms, terms
from .results import Outcome

if TYPE_CHECKING:
    import pandas as pd


def key(reference: str) -> str:
    """A UUID (version 4 form) derived from the reference.

    >>> key("invoice-1")
    '55c9b931-ad2d-443e-9cb5-5b830db19dc3'
    """
    digest = sha256(b"paylab payout\0" + reference.encode("utf-8", "surrogatepass")).digest()
    return str(UUID(bytes=digest[:16], version=4))


Raw = dict[str, Any]
LATEST = datetime.max.replace(tzinfo=UTC)


def some_transfer(transfers: Transfers) -> Raw | None:
    """The id of a transfer that identifies this service later; None when the list is empty."""
    page = next(transfers.list(limit=1).raw_pages())
    return next(({"id": row.get("id")} for row in page.data), None)


def is_listed(transfers: Transfers, id_: str) -> bool:
    """Whether a transfer is in the list."""
    pages = transfers.list(limit=codes.PAGE_MAX).raw_pages()
    return any(row.get("id") == id_ for page in pages for row in page.data)


def search(transfers: Transfers, references: Iterable[str]) -> dict[str, Raw]:
    """The transfers with these references; no request when there are no references.

    The spec names no order of the list, so the whole list is read. If two have the same
    reference, the older one is returned.
    """
    wanted, found = set(references), dict[str, Raw]()
    for page in transfers.list(limit=codes.PAGE_MAX).raw_pages() if wanted else ():
        for row in page.data:
            name = str(row.get("client_reference_id") or "")
            if name in wanted and (name not in found or _created(row) < _created(found[name])):
                found[name] = row
    return found


def _created(row: Mapping[str, Any]) -> datetime:
    """The time of creation; a row whose time cannot be read sorts last."""
    return timestamps.read(row.get("created_at")) or LATEST


# Fields of a transfer that are compared with its row.
TERMS = [name for name in COLUMNS if name not in (REFERENCE, "source_network", "source_type")]

PATIENCE = 5
"""After this number of successive rows without a response, the others are not sent."""

Sent = tuple[PayoutRow, Outcome]

# Every other row would get the same answer: these end the batch.
HOPELESS = (AuthenticationError, PermissionDeniedError)
DEFERRED = (*HOPELESS, RateLimitError)
UNCERTAIN = (RateLimitError, ServerError)


def send_all(
    transfers: Transfers, rows: Sequence[PayoutRow], concurrency: int, may_go_on: Callable[[], bool]
) -> Iterator[Sent]:
    """Each row and its outcome, in the order of the answers; stops when `may_go_on` is false."""
    silent, done = 0, set[int]()
    waiting = takewhile(lambda _: silent < PATIENCE and may_go_on(), rows)
    sent = _one_by_one if concurrency == 1 else partial(_some, concurrency=concurrency)
    for row, outcome in sent(transfers, waiting):
        done.add(row.number)
        silent = silent + 1 if outcome.word == "unknown" else 0
        yield row, outcome
    reason = "not sent: the service does not answer"
    yield from ((row, Outcome("unsent", {}, reason)) for row in rows if row.number not in done)


def send(transfers: Transfers, row: PayoutRow) -> Outcome:  # noqa: PLR0911 - a table of errors
    """Send one row with the Idempotency-Key derived from its reference."""
    try:
        return _sent(transfers, row)
    except HOPELESS as error:
        word = "unknown" if error.after_lost else "unsent"
        return Outcome(word, {}, _words(error), stops=error)
    except ChoiceError as error:
        return Outcome("conflict", {}, _words(error))
    except ConflictError as error:
        return Outcome("unknown" if error.after_lost else "conflict", {}, _words(error))
    except RuleError as error:
        return Outcome("refused", {}, _words(error))
    except PaylabError as error:
        word = "refused" if _is_certain(error) else "unknown"
        return Outcome(word, {}, _words(error), is_limited=isinstance(error, RateLimitError))
    except Exception as error:  # the request may have left: the other rows still get theirs
        return Outcome("unknown", {}, f"{type(error).__name__}: {error}")


def _sent(transfers: Transfers, row: PayoutRow) -> Outcome:
    """Send a row; read the transfer instead when the ledger says that its key has expired."""
    chosen = key(str(row.get(REFERENCE)))
    try:
        made = transfers.create(idempotency_key=chosen, **row.body())
    except ChoiceError as error:
        if error.expired is None:
            raise
        if error.expired:
            return Outcome("found", transfers.get(error.expired).raw)
        # Its response was lost, and it was not found in the list.
        made = transfers.create(idempotency_key=chosen, new=True, **row.body())
    return Outcome("replayed" if made.replayed else "created", made.raw)


def _is_certain(error: PaylabError) -> bool:
    """Whether the answer proves that nothing was made."""
    if not isinstance(error, APIStatusError) or isinstance(error, UNCERTAIN):
        return False
    return not error.after_lost and error.status in REFUSALS and error.status not in UNDECIDED


def _one_by_one(transfers: Transfers, waiting: Iterator[PayoutRow]) -> Iterator[Sent]:
    return ((row, send(transfers, row)) for row in waiting)


def _some(transfers: Transfers, waiting: Iterator[PayoutRow], concurrency: int) -> Iterator[Sent]:
    """Send rows concurrently; after a 429 the others are sent one by one."""
    running, limited = dict[Future[Outcome], PayoutRow](), list[PayoutRow]()
    with ThreadPoolExecutor(concurrency, "paylab-payout") as pool:
        while True:
            for row in islice(waiting, 0 if limited else concurrency - len(running)):
                running[pool.submit(send, transfers, row)] = row
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                row, outcome = running.pop(future), future.result()
                if outcome.is_limited:
                    limited.append(row)
                else:
                    yield row, outcome
    yield from _one_by_one(transfers, chain(limited, waiting))


def _words(error: PaylabError) -> str:
    problems = "; ".join(map(str, getattr(error, "problems", ())))
    return problems or str(error)


Progress: TypeAlias = "Callable[[int, int], object]"
CONCURRENCY = 8


def create_many(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
    transfers: Transfers,
    payouts: Payouts,
    *,
    reference: str = REFERENCE,
    journal: str | PathLike[str] | Journal | None = None,
    concurrency: int | None = None,
    progress: Progress | None = None,
    passing: object | None = None,
    service: str = "",
    delimiter: str = ",",
    **defaults: Any,
) -> pd.DataFrame:
    """Check all payouts, send each once, and return a frame with one row per payout.

    Raises RuleError with every problem and its row before anything is sent. A
    second call with the same payouts continues from the journal; planned payouts are searched in
    the list before they are sent. The journal is chosen by `service` and the references, not by
    the file. `passing` is the embedded simulator, if the service is one: the journal of an
    earlier one is discarded, and rows are sent sequentially.
    """
    checked = plan(payouts, reference=reference, delimiter=delimiter, **defaults)
    checked.refuse()
    names = [_name(row) for row in checked.rows]
    if journal is None:
        journal = folder.journal(service, names, passing=passing)
    chosen = journal if isinstance(journal, Journal) else Journal(Path(journal))
    with chosen:
        batch = _Batch(transfers, checked, chosen, progress, passing, service)
        return batch.run(
            concurrency or (CONCURRENCY if passing is None else 1),
            folder.others(chosen.path, payouts, passing=passing),
        )


@dataclass
class _Batch:
    """One run of a batch."""

    transfers: Transfers
    checked: Plan
    journal: Journal
    progress: Progress | None
    passing: object | None
    service: str
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    failure: PaylabError | None = None

    def run(self, concurrency: int, others: Iterable[Path] = ()) -> pd.DataFrame:
        """Find payouts made before, send the others and return a frame with the outcomes."""
        from .results import results_frame

        try:
            is_new = self.journal.head is None
            self._adopt(map(Journal.peek, others))
            self._recall(is_new=is_new)
            left = [row for row in self.checked.rows if row.number not in self.outcomes]
            plans = {_name(row): fingerprint(terms(row)) for row in left}
            self.journal.begin(self._head(), plans)
            for row, outcome in send_all(self.transfers, left, concurrency, self.may_go_on):
                self._settle(row, outcome)
            words = ((_name(row), self.outcomes[row.number].word) for row in self.checked.rows)
            self.journal.release(name for name, word in words if word == "unsent")
        except UnwritableJournalError as error:
            self.failure = error
        if self.failure:
            raise self._stopped(self.failure)
        return results_frame(self.checked, self.outcomes, self.journal.path)

    def may_go_on(self) -> bool:
        """Whether nothing has ended the batch."""
        return self.failure is None

    def _stopped(self, error: PaylabError) -> PaylabError:
        made = sum(outcome.is_made for outcome in self.outcomes.values())
        count = f"{made} of {len(self.checked.rows)} payouts were made; the others are not sent."
        again = "run the same batch again: it continues where it stopped, and no row is paid twice"
        if isinstance(error, UnwritableJournalError):
            return PaylabError(f"{error}. {count} Free some space and {again}")
        error.hint = "; ".join(filter(None, (f"{count} Then {again}", error.hint)))
        return error

    def _adopt(self, others: Iterable[Journal]) -> None:
        """Copy what the journals of other batches of this service know about these payouts."""
        for other in others:
            unknown = set(map(_name, self.checked.rows)) - self.journal.planned.keys()
            shared = unknown & other.planned.keys()
            if shared and other.service == self.service and self._is_ours(other):
                self.journal.adopt(other, shared)

    def _is_ours(self, journal: Journal) -> bool:
        """Whether a journal belongs to this account and the service still has its transfers."""
        if journal.service is not None and journal.service != self.service:
            return False
        try:
            if journal.last is not None:
                self.transfers.get(journal.last)
        except APIStatusError as error:
            if isinstance(error, DEFERRED) or error.status not in REFUSALS:
                raise
            return is_listed(self.transfers, str(journal.last))  # single reads may be missing
        except MissingOperationError:
            return is_listed(self.transfers, str(journal.last))
        return True

    def _head(self) -> Mapping[str, Any]:
        if self.journal.head:
            return {}
        return {"service": self.service, "after": some_transfer(self.transfers)}

    def _recall(self, *, is_new: bool) -> None:
        """Read the journal, and search the list for payouts that it does not record."""
        if not self._is_ours(self.journal):
            self._part(str(self.journal.last))
        known, planned = self.journal.made, self.journal.planned
        names = [name for name in map(_name, self.checked.rows) if name not in known]
        lost = names if is_new else [name for name in names if name in planned]
        found = search(self.transfers, lost)
        for row in self.checked.rows:
            for word, made in (("done", known), ("found", found)):
                if _name(row) in made and row.number not in self.outcomes:
                    self._settle(row, self._same(row, made[_name(row)], word))

    def _part(self, lost: str) -> None:
        """Refuse a journal of another service; forget one of an earlier simulator."""
        if self.passing is not None and self.journal.service in (None, self.service):
            self.journal.forget()
            return
        raise PaylabError(
            f"{self.journal.path} is of another service or account: {lost} is unknown here. "
            "Name another journal, or use the service where it was started"
        )

    def _same(self, row: PayoutRow, transfer: Mapping[str, Any], word: str) -> Outcome:
        """The outcome of a transfer found by reference: a conflict when its terms differ."""
        planned = self.journal.planned.get(_name(row))
        # A journal may have been begun when the terms had the spelling of the file.
        own = {fingerprint(terms(row)), fingerprint(spelled_terms(row))}
        same = planned in own if planned else _agrees(row, transfer)
        if same:
            return Outcome(word, dict(transfer))
        text = f"{transfer.get('id')} was made under this reference with other terms"
        return Outcome("conflict", dict(transfer), text)

    def _settle(self, row: PayoutRow, outcome: Outcome) -> None:
        self.outcomes[row.number] = outcome
        self.failure = self.failure or outcome.stops
        if outcome.is_made and _name(row) not in self.journal.made:
            try:
                self.journal.note(_name(row), dict(outcome.transfer))
            except UnwritableJournalError as error:
                self.failure = error
        if self.progress:
            self.progress(len(self.outcomes), len(self.checked.rows))


def _agrees(row: PayoutRow, transfer: Mapping[str, Any]) -> bool:
    """Whether no field of the transfer contradicts the row."""
    shown = ((row.get(name), transfer.get(name)) for name in TERMS)
    return all(_alike(ours, theirs) for ours, theirs in shown if ours and theirs)


def _alike(ours: object, theirs: object) -> bool:
    amounts = money.read_amount(ours), money.read_amount(theirs)
    if None not in amounts:
        return amounts[0] == amounts[1]
    return str(ours).lower() == str(theirs).lower()


def _name(row: PayoutRow) -> str:
    return str(row.get(REFERENCE))
