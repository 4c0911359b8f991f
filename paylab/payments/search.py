"""Payments in the list of transfers: reads back to a time, and fails if that cannot be told."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors.base import ChoiceError, PagingError, PaylabError, Problem, ReplayError, RuleError
from ..spec.codes import PAGE_MAX
from ..spec.models import Transfer
from ..spec.page import Page
from ..spec.resource import Resource, creation_time
from ..spec.text import plain
from .comparison import (
    MASK,
    NEEDED,
    answered_reference,
    find_differences,
    hidden_fields,
    is_dead,
    is_masked,
    raise_if_other_terms,
)
from .identity import REFERENCE, Values, reference_of, values

if TYPE_CHECKING:
    from ..client.resources.transfers import Transfers

R = TypeVar("R", bound=Resource)

PAGES_MAX = 10_000
REPEATED_PAGES_MAX = 3
"""After this number of successive pages without a new row, the list counts as a loop."""
MASKED_PART = re.compile(f"[{''.join(sorted(MASK))}]+")
VALUES_MIN = 2
"""Fewer values without a reference are too few to look for a payment."""

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
    is_ordered: bool = True

    def add_page(self, page: Page[Any]) -> None:
        """Count a page, and note the times of its rows."""
        self.pages += 1
        self.repeated_pages = 0 if page.data else self.repeated_pages + 1
        for row in page.data:
            if not isinstance(row.created_at, datetime):
                self.is_ordered = False
                continue
            created_at = creation_time(row)
            if self.last_time is not None and created_at > self.last_time:
                self.is_ordered = False
            self.last_time = created_at
            self.first_time = self.first_time or created_at

    def is_past(self, page: Page[Any]) -> bool:
        """Whether all rows after a page are older than `since`.

        They are if the whole page is older, and if the rows so far were in descending order.
        """
        times = [row.created_at for row in page.data]
        if self.since is None or not times:
            return False
        # A single row, or rows of equal times, do not show in which order the list is.
        descends = self.is_ordered and self.first_time != self.last_time
        return descends and all(time < self.since for time in times)

    def check_limits(self, pages_max: int) -> None:
        """ChoiceError if the list has more pages than are read, or repeats its rows."""
        if self.pages >= pages_max:
            raise undecided_error(f"the list has more than {pages_max:,} pages")
        if self.repeated_pages >= REPEATED_PAGES_MAX:
            raise undecided_error(f"{REPEATED_PAGES_MAX} pages of the list in a row had no new row")

    def __str__(self) -> str:
        """How far the list was read, and how far it is read at most."""
        progress_text = f"reading the list for earlier payouts: {self.pages:,} pages so far"
        if self.last_time is None or self.since is None:
            return progress_text
        return f"{progress_text}, back to {self.last_time:%Y-%m-%d} of {self.since:%Y-%m-%d}"


def read_rows_since(
    pages: Iterable[Page[R]],
    since: Since,
    is_wanted: Callable[[R], bool],
    notify: Notify | None = None,
    pages_max: int = PAGES_MAX,
) -> list[R]:
    """The wanted rows of the list back to a time, in its order; ChoiceError if it cannot be read.

    The reading ends before the end of the list only after a whole page of older rows, and if the
    rows so far were in descending order. `notify` shows how far it is after 2, 4, 8, ... pages.
    """
    reading = _ListReading()
    wanted_rows: list[R] = []
    try:
        for page in pages:
            if reading.pages == 0:
                reading.since = since() if callable(since) else since
            wanted_rows += [
                row for row in page.data if is_wanted(row) and _may_be_since(row, reading.since)
            ]
            reading.add_page(page)
            if reading.is_past(page) or not page.has_next_page:
                break
            reading.check_limits(pages_max)
            if notify and reading.pages > 1 and reading.pages.bit_count() == 1:
                notify(str(reading))
    except (ChoiceError, ReplayError):
        raise
    except PaylabError as error:
        raise undecided_error(f"the list could not be read: {error}") from error
    return wanted_rows


def payment_pages(transfers: Transfers) -> Iterator[Page[Transfer]]:
    """The largest pages of the list of transfers, read one by one."""
    return transfers.list(limit=PAGE_MAX).pages()


def _may_be_since(listed_row: Resource, since: datetime | None) -> bool:
    """Whether a row is as new as a time, or does not show its time and so may be."""
    created_at = listed_row.get("created_at")
    if since is None or not isinstance(created_at, datetime):
        return True
    return created_at >= since


def undecided_error(why: str) -> ChoiceError:
    """The error if the list cannot tell whether a payment was made."""
    hint = "the same call reads it again; lab.transfers.list() shows what the list has"
    return ChoiceError(
        f"it could not be told whether it was made before: {why}", hint, reason="untold"
    )


@dataclass
class ReferenceFilter:
    """Keeps the rows that have one of the references, and counts the rows."""

    references: Collection[str]
    rows: int = 0
    has_reference: bool = False
    """Whether any row shows a reference."""

    def __call__(self, row: Transfer) -> bool:
        """Note a row, and tell whether it has one of the references, or one masked."""
        reference = answered_reference(row)
        self.rows += 1
        if reference is None:
            return False
        is_wanted = reference in self.references
        self.has_reference = self.has_reference or is_wanted or not is_masked(reference)
        return is_wanted or self._may_be_wanted(reference)

    def _may_be_wanted(self, shown_reference: str) -> bool:
        """Whether a reference may be one of the references, masked."""
        return is_masked(shown_reference) and any(
            _fits_mask(shown_reference, reference) for reference in self.references
        )

    def explain_masked(self, payments: Iterable[Transfer]) -> str:
        """Which of the payments shows a masked reference that may be wanted; "" for none."""
        for payment in payments:
            reference = answered_reference(payment)
            if reference is not None and reference not in self.references:
                shown_reference = plain(reference, 60)
                return f"{payment.id} shows its {REFERENCE} as {shown_reference}"
        return ""


def _fits_mask(masked_text: str, whole_text: str) -> bool:
    """Whether a masked text may stand for a whole one: its open pieces are in it, in their order.

    >>> _fits_mask("in***7", "invoice-7")
    True
    """
    first_piece, *inner_pieces, last_piece = MASKED_PART.split(masked_text)
    inner_text = whole_text.removeprefix(first_piece).removesuffix(last_piece)
    if len(first_piece) + len(inner_text) + len(last_piece) != len(whole_text):
        return False
    position = 0
    for piece in inner_pieces:
        position = inner_text.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


def find_by_references(
    pages: Iterable[Page[Transfer]],
    references: Collection[str],
    since: Since,
    notify: Notify | None = None,
    pages_max: int = PAGES_MAX,
) -> dict[str, list[Transfer]]:
    """The payments of each reference in the pages of a list back to a time, newest first.

    `references` are in NFC and stripped, as by `reference_of`; one without a payment is missing.
    The pages are read once for all of them. ChoiceError if they cannot tell.
    """
    reference_filter = ReferenceFilter(frozenset(references))
    rows = read_rows_since(pages, since, reference_filter, notify, pages_max)
    if reference_filter.rows and not reference_filter.has_reference:
        raise undecided_error(f"no row of the list shows a {REFERENCE}")
    masked_text = reference_filter.explain_masked(rows)
    if masked_text:
        raise undecided_error(masked_text)
    payments: dict[str, list[Transfer]] = {}
    for payment in sort_newest(rows):
        payments.setdefault(answered_reference(payment) or "", []).append(payment)
    return payments


def find_by_values(pages: Iterable[Page[Transfer]], order: Values, since: Since) -> list[Transfer]:
    """The payments back to a time that show no other value than an order without a reference.

    They are sorted, newest first. ChoiceError if the list does not show references.
    """
    reference_filter = ReferenceFilter(())

    def may_be_payment(payment: Transfer) -> bool:
        reference_filter(payment)
        return not find_differences(order, payment)

    payments = sort_newest(read_rows_since(pages, since, may_be_payment))
    hides_reference = any(REFERENCE not in payment.model_fields_set for payment in payments)
    if hides_reference and not reference_filter.has_reference:
        raise undecided_error(f"no row of the list shows a {REFERENCE}")
    return payments


def find_payments(pages: Iterable[Page[Transfer]], order: Values, since: Since) -> list[Transfer]:
    """The payments with the reference of an order, else with its values, newest first.

    They are read back to a time. ChoiceError if the list cannot tell.
    """
    reference = order.get(REFERENCE)
    if not reference:
        return find_by_values(pages, order, since)
    return find_by_references(pages, [reference], since).get(reference, [])


def find_in_newest_page(
    transfers: Transfers, order: Values, since: datetime, begun_at: datetime
) -> list[Transfer]:
    """The payments of an order since a time in the newest page.

    PaylabError if the page cannot be read, or cannot tell what was paid since `begun_at`.
    """
    page = next(payment_pages(transfers), Page([]))
    if page.has_next_page:
        _check_reach(page, begun_at)
    payments = find_payments([Page(page.data)], order, since)
    if any(not isinstance(payment.created_at, datetime) for payment in payments):
        raise PagingError("a payment of this order does not show when it was made")
    return payments


def _check_reach(page: Page[Transfer], begun_at: datetime) -> None:
    """PagingError if a page is not surely the newest one, with all payments since a time."""
    times = [row.created_at for row in page.data if isinstance(row.created_at, datetime)]
    if len(times) < len(page.data) or not times or times[0] <= times[-1]:
        raise PagingError("the first page of the list is not surely the newest one")
    if times[-1] >= begun_at:
        raise PagingError("the first page of the list does not reach back to the call")


def find_payment(
    transfers: Transfers, fields: Values, since: datetime | None, now: Callable[[], datetime]
) -> Transfer | None:
    """The payment of a reference, or of values without one since a time; None if there is none.

    ChoiceError if that cannot be told, or if a payment of the reference has other values.
    """
    order_values = values(fields)
    reference = reference_of(fields)
    if reference:
        payments_by_reference = find_by_references(payment_pages(transfers), {reference}, since)
        payments_of_reference = payments_by_reference.get(reference, [])
        payments = [
            payment
            for payment in payments_of_reference
            if not find_differences(order_values, payment)
        ]
        if payments_of_reference and not payments:
            raise_if_other_terms(order_values, payments_of_reference[0], now)
    elif since is None or len(order_values) < VALUES_MIN:
        message = "give a client_reference_id, or the account, an amount and since"
        raise RuleError([Problem(REFERENCE, message)])
    else:
        payments = find_by_values(payment_pages(transfers), order_values, since)
    payment = choose_payment(payments)
    if payment is not None:
        _raise_if_unsure(order_values, payment)
    return payment


def _raise_if_unsure(order_values: Values, payment: Transfer) -> None:
    """Raise ChoiceError if a payment does not show its id, or all that is needed."""
    hidden_names = [
        field_name for field_name in hidden_fields(order_values, payment) if field_name in NEEDED
    ]
    if payment.id and not hidden_names:
        return
    lacking = ", ".join(hidden_names) or "its id"
    payment_name = payment.id or "a row"
    raise undecided_error(f"{payment_name} may be the payment, but does not show {lacking}")


def sort_newest(payments: Iterable[Transfer]) -> list[Transfer]:
    """Payments by creation, newest first; those without a time are last."""
    return sorted(payments, key=creation_time, reverse=True)


def choose_payment(payments: Iterable[Transfer]) -> Transfer | None:
    """The newest live payment, else the newest dead one; None if there is none."""
    return min(sort_newest(payments), key=is_dead, default=None)
