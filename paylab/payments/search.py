"""Reads the list of transfers back to a time for the payments of orders; fails closed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.api import APIStatusError
from ..errors.base import (
    ChoiceError,
    MissingOperationError,
    PagingError,
    PaylabError,
    ReplayError,
)
from ..spec.codes import PAGE_MAX
from ..spec.models import Transfer
from ..spec.page import Page
from ..spec.resource import Resource, creation_time
from ..spec.text import plain
from .comparison import find_differences, may_be_masked, read_shown
from .identity import REFERENCE, Values

if TYPE_CHECKING:
    from ..client.resources.transfers import Transfers

R = TypeVar("R", bound=Resource)

NO_LIST = (404, 405, 501)
"""Statuses of a service that does not have a list."""
PAGES_MAX = 10_000
REPEATED_PAGES_MAX = 3
"""After this number of successive pages without a new row, the list counts as a loop."""

Notify = Callable[[str], object]
Since = datetime | Callable[[], datetime] | None
"""A time, or what gives it after the first page; None for the whole list."""


@dataclass
class _ListReading:
    """What the pages of a list have shown so far."""

    since: datetime | None = None
    pages: int = 0
    repeated_pages: int = 0
    """The number of successive pages without a new row."""
    first_time: datetime | None = None
    last_time: datetime | None = None
    is_descending: bool = True

    def add_page(self, page: Page[Any]) -> None:
        """Count a page, and note the times of its rows."""
        self.pages += 1
        self.repeated_pages = 0 if page.data else self.repeated_pages + 1
        for row in page.data:
            if not isinstance(row.created_at, datetime):
                self.is_descending = False
                continue
            if self.last_time is not None and row.created_at > self.last_time:
                self.is_descending = False
            self.last_time = row.created_at
            self.first_time = self.first_time or row.created_at

    def is_past(self, page: Page[Any]) -> bool:
        """Whether all rows after a page are older than `since`.

        They are if the whole page is older, and if the rows so far were in descending order. A
        single row, or rows of equal times, do not show in which order the list is.
        """
        if self.since is None or not page.data or not self.is_descending:
            return False
        are_all_older = all(row.created_at < self.since for row in page.data)
        return are_all_older and self.first_time != self.last_time

    def check_limits(self) -> None:
        """ChoiceError if the list has more pages than are read, or repeats its rows."""
        if self.pages >= PAGES_MAX:
            raise undecided_error(f"the list has more than {PAGES_MAX:,} pages")
        if self.repeated_pages >= REPEATED_PAGES_MAX:
            raise undecided_error(f"{REPEATED_PAGES_MAX} pages of the list in a row had no new row")

    def __str__(self) -> str:
        """How far the list was read, and how far it is read at most."""
        progress_text = f"reading the list for earlier payouts: {self.pages:,} pages so far"
        if self.last_time is None or self.since is None:
            return progress_text
        return f"{progress_text}, back to {self.last_time:%Y-%m-%d} of {self.since:%Y-%m-%d}"


def read_rows_since(
    pages: Iterable[Page[R]], since: Since, notify: Notify | None = None
) -> Iterator[R]:
    """Yield the rows of a list back to a time, in its order; ChoiceError if it cannot be read.

    A row without a time is yielded as well, since it may be as new. The reading ends before the
    end of the list only after a whole page of older rows, and if the rows so far were in descending
    order. `notify` shows how far the reading is after 2, 4, 8, ... pages.
    """
    reading = _ListReading()
    try:
        for page in pages:
            if reading.pages == 0:
                reading.since = since() if callable(since) else since
            yield from (row for row in page.data if _may_be_since(row, reading.since))
            reading.add_page(page)
            if reading.is_past(page) or not page.has_next_page:
                break
            reading.check_limits()
            is_power_of_two = reading.pages > 1 and reading.pages.bit_count() == 1
            if notify and is_power_of_two:
                notify(str(reading))
    except (ChoiceError, ReplayError):
        raise
    except PaylabError as error:
        raise undecided_error(f"the list could not be read: {error}") from error


def _may_be_since(row: Resource, since: datetime | None) -> bool:
    """Whether a row is as new as a time, or does not show its time and so may be."""
    created_at = row.get("created_at")
    return since is None or not isinstance(created_at, datetime) or created_at >= since


def lacks_list(error: BaseException | None) -> bool:
    """Whether an error shows that the service does not have the list that was read."""
    if isinstance(error, APIStatusError):
        return error.status in NO_LIST
    return isinstance(error, MissingOperationError)


def payment_pages(transfers: Transfers) -> Iterator[Page[Transfer]]:
    """Yield the pages of the list of transfers, as large as the service allows, one by one."""
    return transfers.list(limit=PAGE_MAX).pages()


def undecided_error(why: str) -> ChoiceError:
    """The error if the list cannot tell whether a payment was made."""
    hint = "the same call reads it again; lab.transfers.list() shows what the list has"
    return ChoiceError(
        f"it could not be told whether it was made before: {why}", hint, reason="untold"
    )


def _sort_newest_first(payments: Iterable[Transfer]) -> list[Transfer]:
    """Sort payments by their time, newest first."""
    return sorted(payments, key=creation_time, reverse=True)


def find_by_references(
    pages: Iterable[Page[Transfer]],
    references: Collection[str],
    since: Since,
    notify: Notify | None = None,
) -> dict[str, list[Transfer]]:
    """The payments of each reference in the pages of a list back to a time, newest first.

    `references` are in NFC and stripped, as by `reference_of`; one without a payment is missing.
    The pages are read once for all of them. ChoiceError if no row shows a reference, or if
    one may show one of `references` masked.
    """
    payments_by_reference: dict[str, list[Transfer]] = {}
    has_rows = False
    shows_references = False
    for row in read_rows_since(pages, since, notify):
        has_rows = True
        reference = read_shown(row, REFERENCE)
        if reference is None:
            continue
        shows_references = True
        if reference in references:
            payments_by_reference.setdefault(reference, []).append(row)
        elif any(may_be_masked(reference, ordered) for ordered in references):
            raise undecided_error(f"{row.id} shows its {REFERENCE} as {plain(reference, 60)}")
    if has_rows and not shows_references:
        raise undecided_error(f"no row of the list shows a {REFERENCE}")
    return {
        reference: _sort_newest_first(payments)
        for reference, payments in payments_by_reference.items()
    }


def find_by_values(pages: Iterable[Page[Transfer]], order: Values, since: Since) -> list[Transfer]:
    """The payments back to a time that have no reference and no other value than an order.

    They are sorted, newest first. ChoiceError if one may have a reference that is not shown: it
    lacks the field, and no row of the list shows a reference.
    """
    payments: list[Transfer] = []
    shows_references = False
    for row in read_rows_since(pages, since):
        reference = read_shown(row, REFERENCE)
        if reference is not None:
            shows_references = True
        elif not find_differences(order, row):
            payments.append(row)
    hides_reference = any(REFERENCE not in payment.model_fields_set for payment in payments)
    if hides_reference and not shows_references:
        raise undecided_error(f"no row of the list shows a {REFERENCE}")
    return _sort_newest_first(payments)


def find_payments(pages: Iterable[Page[Transfer]], order: Values, since: Since) -> list[Transfer]:
    """The payments with the reference of an order, else with its values, newest first.

    They are read back to a time. ChoiceError if the list cannot tell.
    """
    reference = order.get(REFERENCE)
    if not reference:
        return find_by_values(pages, order, since)
    return find_by_references(pages, [reference], since).get(reference, [])


def read_newest_page(transfers: Transfers, earliest: datetime) -> Page[Transfer]:
    """Read the newest page of the list, and return it as one without a next page.

    PagingError if it does not surely show all payments since a time.
    """
    page = next(payment_pages(transfers), Page([]))
    if page.has_next_page:
        creation_times = [
            row.created_at for row in page.data if isinstance(row.created_at, datetime)
        ]
        lacks_times = not creation_times or len(creation_times) < len(page.data)
        # Only rows in descending order show that no newer row is on another page.
        if lacks_times or creation_times[0] <= creation_times[-1]:
            raise PagingError("the first page of the list is not surely the newest one")
        if creation_times[-1] >= earliest:
            raise PagingError("the first page of the list does not reach back to the call")
    return Page(page.data)
