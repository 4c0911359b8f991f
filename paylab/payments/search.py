"""Payments in the list of transfers: reads back to a time, and fails if that cannot be told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.base import ChoiceError, PagingError, PaylabError, Problem, ReplayError, RuleError
from ..spec.codes import PAGE_MAX
from ..spec.models import Transfer
from ..spec.paging import Page
from ..spec.resource import Resource, created
from .comparison import (
    NEEDED,
    find_differences,
    hidden_fields,
    is_dead,
    raise_if_other_terms,
    shown_values,
)
from .identity import REFERENCE, Values, reference_of, values

if TYPE_CHECKING:
    from ..client.resources.transfers import Transfers

R = TypeVar("R", bound=Resource)

PAGES_MAX = 10_000
REPEATED_PAGES_MAX = 3
"""After this number of successive pages without a new row, the list counts as a loop."""
VALUES_MIN = 2
"""Fewer values without a reference are too few to look for a payment."""

Tell = Callable[[str], object]
Since = datetime | Callable[[], datetime] | None
"""A time, or what gives it after the first page; None for the whole list."""


@dataclass
class _Reading:
    """What the pages of a list have shown so far."""

    since: datetime | None = None
    pages: int = 0
    repeated: int = 0
    first: datetime | None = None
    last: datetime | None = None
    is_ordered: bool = True

    def note(self, page: Page[Any]) -> bool:
        """Count a page; whether all later rows are older than the bound."""
        self.pages += 1
        self.repeated = 0 if page.data else self.repeated + 1
        for row in page.data:
            is_dated = isinstance(row.created_at, datetime)
            is_next = is_dated and (self.last is None or created(row) <= self.last)
            self.is_ordered = self.is_ordered and is_next
            self.last = created(row) if is_dated else self.last
            self.first = self.first or self.last
        times = [row.created_at for row in page.data]
        is_old = all(isinstance(at, datetime) and self.since and at < self.since for at in times)
        # One row, or rows of one time, show no order.
        descends = self.is_ordered and self.first is not None and self.first != self.last
        return descends and bool(times) and is_old

    def __str__(self) -> str:
        """How far the list was read, and how far it is read at most."""
        text = f"reading the list for earlier payouts: {self.pages:,} pages so far"
        if self.last is None or self.since is None:
            return text
        return f"{text}, back to {self.last:%Y-%m-%d} of {self.since:%Y-%m-%d}"


def read_rows_since(
    pages: Iterable[Page[R]],
    since: Since,
    wanted: Callable[[R], bool],
    tell: Tell | None = None,
    most: int = PAGES_MAX,
) -> list[R]:
    """The wanted rows of the list back to a time, in its order; ChoiceError if it cannot be read.

    The reading ends before the end of the list only after a whole page of older rows, and if the
    rows so far were in descending order. `tell` shows how far it is after 2, 4, 8, ... pages.
    """
    reading = _Reading()
    kept: list[R] = []
    try:
        for page in pages:
            if reading.pages == 0:
                reading.since = since() if callable(since) else since
            kept += [row for row in page.data if wanted(row) and _is_since(row, reading.since)]
            is_done = reading.note(page)
            if is_done or not page.has_next_page:
                return kept
            if tell and reading.pages > 1 and reading.pages.bit_count() == 1:
                tell(str(reading))
            if reading.pages >= most:
                raise undecided_error(f"the list has more than {most:,} pages")
            if reading.repeated >= REPEATED_PAGES_MAX:
                raise undecided_error(
                    f"{REPEATED_PAGES_MAX} pages of the list in a row had no new row"
                )
    except (ChoiceError, ReplayError):
        raise
    except PaylabError as error:
        raise undecided_error(f"the list could not be read: {error}") from error
    return kept


def _pages(transfers: Transfers) -> Iterator[Page[Transfer]]:
    return transfers.list(limit=PAGE_MAX).pages()


def _is_since(row: Resource, since: datetime | None) -> bool:
    """Whether a row may be as new as a time: one that does not show its time may be."""
    made = row.get("created_at")
    return since is None or not isinstance(made, datetime) or made >= since


def undecided_error(why: str) -> ChoiceError:
    """The error if the list cannot tell whether a payment was made."""
    hint = "the same call reads it again; lab.transfers.list() shows what the list has"
    return ChoiceError(
        f"it could not be told whether it was made before: {why}", hint, reason="untold"
    )


@dataclass
class References:
    """Looks for the payments of references; a row counts if its reference is one of them."""

    wanted: Collection[str]
    rows: int = 0
    has_any: bool = False

    def __call__(self, row: Transfer) -> bool:
        """Note a row, and tell whether it has one of the references."""
        reference = shown_values(row).get(REFERENCE)
        self.rows += 1
        self.has_any = self.has_any or reference is not None
        return reference in self.wanted


def find_by_references(
    transfers: Transfers,
    references: Collection[str],
    since: Since,
    tell: Tell | None = None,
    most: int = PAGES_MAX,
) -> dict[str, list[Transfer]]:
    """The payments of each reference back to a time, newest first; ChoiceError if untold.

    `references` are in NFC and stripped, as by `reference_of`; one without a payment is missing.
    The list is read once for all of them.
    """
    search = References(frozenset(references))
    payments: dict[str, list[Transfer]] = {}
    for payment in sort_newest(read_rows_since(_pages(transfers), since, search, tell, most)):
        payments.setdefault(shown_values(payment)[REFERENCE], []).append(payment)
    if search.rows and not search.has_any:
        raise undecided_error(f"no row of the list shows a {REFERENCE}")
    return payments


def find_by_values(transfers: Transfers, order: Values, since: Since) -> list[Transfer]:
    """The payments that no shown value tells apart from an order without a reference.

    ChoiceError if the list does not show references.
    """
    search = References(())

    def is_like(row: Transfer) -> bool:
        search(row)
        return not find_differences(order, row)

    payments = sort_newest(read_rows_since(_pages(transfers), since, is_like))
    if not search.has_any and any(REFERENCE not in row.model_fields_set for row in payments):
        raise undecided_error(f"no row of the list shows a {REFERENCE}")
    return payments


def find_in_newest_page(transfers: Transfers, reference: str, since: datetime) -> list[Transfer]:
    """The payments of a reference since a time in the newest page.

    PaylabError if the page cannot be read, or cannot tell.
    """
    search = References({reference})
    page = next(_pages(transfers), Page([]))
    if page.has_next_page and page.data and created(page.data[0]) < created(page.data[-1]):
        raise PagingError("the first page of the list is not the newest one")
    payments = [row for row in page.data if search(row) and _is_since(row, since)]
    if not search.has_any and page.data:
        raise PagingError(f"no row of the list shows a {REFERENCE}")
    if any(not isinstance(payment.created_at, datetime) for payment in payments):
        raise PagingError(f"a payment of this {REFERENCE} does not show when it was made")
    return payments


def find_payment(
    transfers: Transfers, fields: Values, since: datetime | None, now: Callable[[], datetime]
) -> Transfer | None:
    """The payment of a reference, or of values without one since a time; None if there is none.

    ChoiceError if that cannot be told, or if a payment of the reference has other values.
    """
    order = values(fields)
    reference = reference_of(fields)
    if not reference and (since is None or len(order) < VALUES_MIN):
        message = "give a client_reference_id, or the account, an amount and since"
        raise RuleError([Problem(REFERENCE, message)])
    if reference:
        named = find_by_references(transfers, {reference}, since).get(reference, [])
        payments = [payment for payment in named if not find_differences(order, payment)]
        if named and not payments:
            raise_if_other_terms(order, named[0], now)
    else:
        payments = find_by_values(transfers, order, since)
    payment = choose_payment(payments)
    hidden = [] if payment is None else [n for n in hidden_fields(order, payment) if n in NEEDED]
    if payment is not None and (hidden or not payment.id):
        lacks = ", ".join(hidden or ["its id"])
        raise undecided_error(
            f"{payment.id or 'a row'} may be the payment, but does not show {lacks}"
        )
    return payment


def sort_newest(payments: Iterable[Transfer]) -> list[Transfer]:
    """Payments by creation; those without a time are last."""
    return sorted(payments, key=created, reverse=True)


def choose_payment(payments: Iterable[Transfer]) -> Transfer | None:
    """The newest live payment, else the newest dead one, else None."""
    return min(sort_newest(payments), key=is_dead, default=None)
