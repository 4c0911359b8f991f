"""A batch of payouts: find those made before and send the others once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
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
            if name in wanted and _is_older(row, found.get(name)):
                found[name] = row
    return found


def _is_older(row: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    return other is None or _created(row) < _created(other)


def _created(row: Mapping[str, Any]) -> datetime:
    """The time of creation; a row whose time cannot be read sorts last."""
    try:
        return timestamps.from_text(str(row.get("created_at")))
    except ValueError:
        return LATEST


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
        word, limited = (
            "refused" if _is_certain(error) else "unknown",
            isinstance(error, RateLimitError),
        )
        return Outcome(word, {}, _words(error), is_limited=limited)
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
    chosen = (
        journal
        if isinstance(journal, Journal)
        else Journal(_path(journal, service, names, passing))
    )
    with chosen:
        batch = _Batch(transfers, checked, chosen, progress, passing, service)
        return batch.run(
            concurrency or (CONCURRENCY if passing is None else 1),
            folder.others(chosen.path, payouts, passing=passing),
        )


def _path(
    journal: str | PathLike[str] | None,
    service: str,
    references: Sequence[str],
    passing: object | None,
) -> Path:
    if journal is not None:
        return Path(journal)
    return folder.journal(service, references, passing=passing)


class _Batch:
    """One run of a batch."""

    def __init__(  # noqa: PLR0913 - all of them belong to the run
        self,
        transfers: Transfers,
        checked: Plan,
        journal: Journal,
        progress: Progress | None,
        passing: object | None,
        service: str,
    ) -> None:
        self._transfers, self._journal, self._service = transfers, journal, service
        self._checked, self._rows = checked, checked.rows
        self._progress, self._passing = progress, passing
        self._outcomes: dict[int, Outcome] = {}
        self._failure: PaylabError | None = None

    def run(self, concurrency: int, others: Iterable[Path] = ()) -> pd.DataFrame:
        """Find payouts made before, send the others and return a frame with the outcomes."""
        from .results import results_frame

        try:
            is_new = self._journal.head is None
            self._adopt(map(Journal.peek, others))
            self._recall(is_new=is_new)
            left = [row for row in self._rows if row.number not in self._outcomes]
            self._journal.begin(self._head(), _plans(left))
            for row, outcome in send_all(self._transfers, left, concurrency, self._may_go_on):
                self._settle(row, outcome)
            self._journal.release(self._unsent())
        except UnwritableJournalError as error:
            self._failure = error
        if self._failure:
            raise self._stopped(self._failure)
        return results_frame(self._checked, self._outcomes, self._journal.path)

    def _may_go_on(self) -> bool:
        """Whether the journal can still be written."""
        return self._failure is None

    def _unsent(self) -> list[str]:
        words = ((_name(row), self._outcomes[row.number].word) for row in self._rows)
        return [name for name, word in words if word == "unsent"]

    def _stopped(self, error: PaylabError) -> PaylabError:
        made = sum(outcome.is_made for outcome in self._outcomes.values())
        count = f"{made} of {len(self._rows)} payouts were made; the others are not sent."
        again = "run the same batch again: it continues where it stopped, and no row is paid twice"
        if isinstance(error, UnwritableJournalError):
            return PaylabError(f"{error}. {count} Free some space and {again}")
        error.hint = "; ".join(filter(None, (f"{count} Then {again}", error.hint)))
        return error

    def _adopt(self, others: Iterable[Journal]) -> None:
        """Copy what the journals of other batches of this service know about these payouts."""
        for other in others:
            unknown = set(map(_name, self._rows)) - self._journal.planned.keys()
            shared = unknown & other.planned.keys()
            if shared and other.service == self._service and self._is_ours(other):
                self._journal.adopt(other, shared)

    def _is_ours(self, journal: Journal) -> bool:
        """Whether a journal belongs to this account and the service still has its transfers."""
        if journal.service is not None and journal.service != self._service:
            return False
        try:
            if journal.last is not None:
                self._transfers.get(journal.last)
        except APIStatusError as error:
            if isinstance(error, DEFERRED) or error.status not in REFUSALS:
                raise
            return is_listed(self._transfers, str(journal.last))  # single reads may be missing
        except MissingOperationError:
            return is_listed(self._transfers, str(journal.last))
        return True

    def _head(self) -> Mapping[str, Any]:
        if self._journal.head:
            return {}
        return {"service": self._service, "after": some_transfer(self._transfers)}

    def _recall(self, *, is_new: bool) -> None:
        """Read the journal, and search the list for payouts that it does not record."""
        self._verify()
        known, planned = self._journal.made, self._journal.planned
        names = [name for name in map(_name, self._rows) if name not in known]
        lost = names if is_new else [name for name in names if name in planned]
        found = search(self._transfers, lost)
        for row in self._rows:
            for word, made in (("done", known), ("found", found)):
                if _name(row) in made and row.number not in self._outcomes:
                    self._settle(row, self._same(row, made[_name(row)], word))

    def _verify(self) -> None:
        """Refuse a journal of another service, whose payouts were not made here."""
        if not self._is_ours(self._journal):
            self._part(str(self._journal.last))

    def _part(self, lost: str) -> None:
        if self._passing is not None and self._journal.service in (None, self._service):
            self._journal.forget()
            return
        raise PaylabError(
            f"{self._journal.path} is of another service or account: {lost} is unknown here. "
            "Name another journal, or use the service where it was started"
        ) from None

    def _same(self, row: PayoutRow, transfer: Mapping[str, Any], word: str) -> Outcome:
        """The outcome of a transfer found by reference: a conflict when its terms differ."""
        planned = self._journal.planned.get(_name(row))
        # A journal may have been begun when the terms had the spelling of the file.
        own = {fingerprint(terms(row)), fingerprint(spelled_terms(row))}
        same = planned in own if planned else _agrees(row, transfer)
        if same:
            return Outcome(word, dict(transfer))
        text = f"{transfer.get('id')} was made under this reference with other terms"
        return Outcome("conflict", dict(transfer), text)

    def _settle(self, row: PayoutRow, outcome: Outcome) -> None:
        self._outcomes[row.number] = outcome
        self._failure = self._failure or outcome.stops
        if outcome.is_made and _name(row) not in self._journal.made:
            try:
                self._journal.note(_name(row), dict(outcome.transfer))
            except UnwritableJournalError as error:
                self._failure = error
        if self._progress:
            self._progress(len(self._outcomes), len(self._rows))


def _agrees(row: PayoutRow, transfer: Mapping[str, Any]) -> bool:
    """Whether no field of the transfer contradicts the row."""
    shown = ((row.get(name), transfer.get(name)) for name in TERMS)
    return all(_alike(ours, theirs) for ours, theirs in shown if ours and theirs)


def _alike(ours: object, theirs: object) -> bool:
    amounts = money.read_amount(ours), money.read_amount(theirs)
    if None not in amounts:
        return amounts[0] == amounts[1]
    return str(ours).lower() == str(theirs).lower()


def _plans(rows: Sequence[PayoutRow]) -> dict[str, str]:
    return {_name(row): fingerprint(terms(row)) for row in rows}


def _name(row: PayoutRow) -> str:
    return str(row.get(REFERENCE))
