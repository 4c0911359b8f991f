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
    find_differences,
    hidden_fields,
    is_dead,
    is_masked,
    raise_if_other_terms,
    shown_values,
)
from .identity import REFERENCE, Values, reference_of, values

if TYPE_CHECKING:
    from ..client.resources.transfers import Transfers

R = TypeVar("R", bound=Resource)

NO_OPERATION = (404, 405, 501)
"""Statuses of a service that does not have an operation, such as a list."""
PAGES_MAX = 10_000
REPEATED_PAGES_MAX = 3
"""After this number of successive pages without a new row, the list counts as a loop."""
MASKED_PART = re.compile(f"[{''.join(sorted(MASK))}]+")
VALUES_MIN = 2
"""Fewer values without a reference are too few to look for a payment."""
NO_REFERENCE_SHOWN = f"no row of the list shows a {REFERENCE}"

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
            if self.last_time is not None and row.created_at > self.last_time:
                self.is_ordered = False
            self.last_time = row.created_at
            self.first_time = self.first_time or row.created_at

    def is_past(self, page: Page[Any]) -> bool:
        """Whether all rows after a page are older than `since`.

        They are if the whole page is older, and if the rows so far were in descending order. A
        single row, or rows of equal times, do not show in which order the list is.
        """
        if self.since is None or not page.data or not self.is_ordered:
            return False
        is_older = all(row.created_at < self.since for row in page.data)
        return is_older and self.first_time != self.last_time

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
    pages: Iterable[Page[R]],
    since: Since,
    is_wanted: Callable[[R], bool],
    notify: Notify | None = None,
) -> list[R]:
    """The wanted rows of the list back to a time, newest first; ChoiceError if it cannot be read.

    A row without a time may be as new. The reading ends before the end of the list only after a
    whole page of older rows, and if the rows so far were in descending order. `notify` shows how
    far it is after 2, 4, 8, ... pages.
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
            reading.check_limits()
            if notify and reading.pages > 1 and reading.pages.bit_count() == 1:
                notify(str(reading))
    except (ChoiceError, ReplayError):
        raise
    except PaylabError as error:
        raise undecided_error(f"the list could not be read: {error}") from error
    return sorted(wanted_rows, key=creation_time, reverse=True)


def _may_be_since(row: Resource, since: datetime | None) -> bool:
    """Whether a row is as new as a time, or does not show its time and so may be."""
    created_at = row.get("created_at")
    return since is None or not isinstance(created_at, datetime) or created_at >= since


def payment_pages(transfers: Transfers) -> Iterator[Page[Transfer]]:
    """The largest pages of the list of transfers, read one by one."""
    return transfers.list(limit=PAGE_MAX).pages()


def undecided_error(why: str) -> ChoiceError:
    """The error if the list cannot tell whether a payment was made."""
    hint = "the same call reads it again; lab.transfers.list() shows what the list has"
    return ChoiceError(
        f"it could not be told whether it was made before: {why}", hint, reason="untold"
    )


def find_by_references(
    pages: Iterable[Page[Transfer]],
    references: Collection[str],
    since: Since,
    notify: Notify | None = None,
) -> dict[str, list[Transfer]]:
    """The payments of each reference in the pages of a list back to a time, newest first.

    `references` are in NFC and stripped, as by `reference_of`; one without a payment is missing.
    The pages are read once for all of them. ChoiceError if they cannot tell: if no row shows a
    reference, or if one that is masked may be one of them.
    """
    wanted_references = frozenset(references)
    is_shown = set[bool]()
    payments: dict[str, list[Transfer]] = {}

    def is_wanted(row: Transfer) -> bool:
        """Note whether a row shows a reference, and tell whether it is or may be a wanted one."""
        reference = shown_values(row).get(REFERENCE)
        is_known = reference in wanted_references
        is_readable = reference is not None and not is_masked(reference)
        is_shown.add(is_known or is_readable)
        return is_known or (reference is not None and _may_be_masked(reference, wanted_references))

    for payment in read_rows_since(pages, since, is_wanted, notify):
        payments.setdefault(shown_values(payment)[REFERENCE], []).append(payment)
    if is_shown == {False}:
        raise undecided_error(NO_REFERENCE_SHOWN)
    for masked_reference in payments.keys() - wanted_references:
        masked_text = f"shows its {REFERENCE} as {plain(masked_reference, 60)}"
        raise undecided_error(f"{payments[masked_reference][0].id} {masked_text}")
    return payments


def _may_be_masked(shown_reference: str, references: Collection[str]) -> bool:
    """Whether a reference may be one of the references, masked.

    >>> _may_be_masked("in***7", ["invoice-7"])
    True
    """
    if not is_masked(shown_reference):
        return False
    # An atomic group takes the first place of its piece for good: hostile text costs no time.
    first_piece, *inner_pieces, last_piece = map(re.escape, MASKED_PART.split(shown_reference))
    inner_pattern = "".join(f"(?>.*?{piece})" for piece in inner_pieces)
    pattern = re.compile(f"{first_piece}{inner_pattern}.*{last_piece}", re.DOTALL)
    return any(pattern.fullmatch(reference) for reference in references)


def find_by_values(pages: Iterable[Page[Transfer]], order: Values, since: Since) -> list[Transfer]:
    """The payments back to a time that show no other value than an order without a reference.

    They are sorted, newest first. ChoiceError if the list does not show references.
    """
    is_shown = set[bool]()

    def may_be_payment(row: Transfer) -> bool:
        """Note whether a row shows a reference, and tell whether it has the values of the order."""
        reference = shown_values(row).get(REFERENCE)
        is_shown.add(reference is not None and not is_masked(reference))
        return not find_differences(order, row)

    payments = read_rows_since(pages, since, may_be_payment)
    hides_reference = any(REFERENCE not in payment.model_fields_set for payment in payments)
    if hides_reference and True not in is_shown:
        raise undecided_error(NO_REFERENCE_SHOWN)
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
        times = [row.created_at for row in page.data if isinstance(row.created_at, datetime)]
        if len(times) < len(page.data) or not times or times[0] <= times[-1]:
            raise PagingError("the first page of the list is not surely the newest one")
        if times[-1] >= begun_at:
            raise PagingError("the first page of the list does not reach back to the call")
    payments = find_payments([Page(page.data)], order, since)
    if any(not isinstance(payment.created_at, datetime) for payment in payments):
        raise PagingError("a payment of this order does not show when it was made")
    return payments


def find_payment(
    transfers: Transfers, fields: Values, since: datetime | None, now: Callable[[], datetime]
) -> Transfer | None:
    """The payment of a reference, or of values without one since a time; None if there is none.

    A live payment comes before a dead one, then the newest. ChoiceError if that cannot be told, or
    if a payment of the reference has other values.
    """
    order = values(fields)
    if not reference_of(fields) and (since is None or len(order) < VALUES_MIN):
        message = "give a client_reference_id, or the account, an amount and since"
        raise RuleError([Problem(REFERENCE, message)])
    payments = find_payments(payment_pages(transfers), order, since)
    equal_payments = [payment for payment in payments if not find_differences(order, payment)]
    if payments and not equal_payments:
        raise_if_other_terms(order, payments[0], now)
    payment = min(equal_payments, key=is_dead, default=None)
    if payment is None:
        return None
    hidden_names = ", ".join(name for name in hidden_fields(order, payment) if name in NEEDED)
    if hidden_names or not payment.id:
        payment_name = payment.id or "a row"
        lacking = hidden_names or "its id"
        raise undecided_error(f"{payment_name} may be the payment, but does not show {lacking}")
    return payment
