"""Paginated lists: the cursor token, and iteration over pages."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, PagingError
from ..errors.names import raise_unknown_attribute, with_name_suggestions
from . import list_uses, repeats
from .page import Page, RawPage, check_index
from .row_filter import RowFilter, check_statuses
from .service.lists import Order
from .text import JsonObject

T = TypeVar("T")

# A filter may leave some pages empty; a list of only empty pages would never end.
EMPTY_PAGES_MAX = 100

LISTS_ASSUMPTION = "individual.list"
"""The row of the assumptions on all lists, whose first one is that of individuals."""


def encode_cursor(position: Mapping[str, str]) -> str:
    """The opaque token of a position: its JSON text in base64url without padding."""
    json_text = json.dumps(dict(position), separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(json_text.encode()).rstrip(b"=").decode()


def decode_cursor(token: str) -> dict[str, str]:
    """Read the position from a token; ValueError if it is not one that `encode_cursor` makes."""
    padding = "=" * (-len(token) % 4)
    try:
        position = json.loads(base64.urlsafe_b64decode(token + padding))
    except RecursionError:
        raise ValueError("the cursor is nested too deep") from None
    if not isinstance(position, dict) or position.keys() != {"created_at", "id", "direction"}:
        raise ValueError("the cursor has the wrong shape")
    if not all(
        isinstance(position_value, str) and position_value for position_value in position.values()
    ):
        raise ValueError("the cursor has an empty or wrong value")
    if position["direction"] != "next":
        raise ValueError(f"the cursor has the unknown direction {position['direction']!a}")
    # Base64 and JSON have several spellings: only the one of `encode_cursor` is accepted.
    if encode_cursor(position) != token:
        raise ValueError("the cursor was changed")
    return position


DISPLAYED_ITEMS_MAX = 20
"""Number of items that a pager keeps for its display."""


class Items(list[T]):
    """The items of a slice of a list; a notebook shows them as a table."""


@with_name_suggestions
@list_uses.with_list_refusals
@explain_arguments
class Pager(Generic[T]):
    """A list that fetches its pages during iteration; every iteration starts at the first page.

    `fetch` turns a cursor (None for the first page) into a page of JSON objects; `read` turns one
    object into an item; `keep` filters items; `to_our_names` gives an object our names.
    `describe_place` gives the name of the service for its display. `list_name` is the list, such as
    "transfers", and `declared_statuses` are its statuses besides those of the specification.
    `page_size` is the `limit` that was asked for, which does not limit the list. Its repr and
    display send nothing: they show the items that were fetched last.

    A row that the list repeats is read once, with a RepeatWarning: an iteration gives the version
    that comes first, `to_list` and `to_dicts` without a limit the one with the newest
    `updated_at`.

    >>> [transfer.status for transfer in lab.transfers.list()[:3]]
    ['completed', 'completed', 'completed']
    """

    def __init__(  # noqa: PLR0913 - how to fetch and read, and what to keep
        self,
        fetch: Callable[[str | None], RawPage],
        read: Callable[[dict[str, Any]], T],
        start: str | None = None,
        keep: Callable[[T], bool] | None = None,
        describe_place: Callable[[], str] = str,
        to_our_names: Callable[[JsonObject], JsonObject] = lambda row: row,
        list_name: str = "",
        declared_statuses: Collection[str] = (),
        page_size: int | None = None,
    ) -> None:
        """Prepare the list; nothing is fetched before the first iteration."""
        self._fetch = fetch
        self._read = read
        self._start = start
        self._keep = keep
        self._describe_place = describe_place
        self._to_our_names = to_our_names
        self._list_name = list_name
        self._declared_statuses = declared_statuses
        self._page_size = page_size
        self._row_filter = RowFilter()
        self._fetched: list[T] = []
        self._count: int | None = None

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        """The item at an index, or the items of a slice; fetches the pages up to it."""
        check_index(at)
        bounds = (at.start, at.stop, at.step) if isinstance(at, slice) else (at,)
        if any(bound is not None and bound < 0 for bound in bounds):
            all_items = self.to_list()  # what counts from the end needs all pages
            return Items(all_items[at]) if isinstance(at, slice) else all_items[at]
        if isinstance(at, slice):
            return Items(islice(self, at.start, at.stop, at.step))
        for item in islice(self, at, None):
            return item
        raise IndexError(f"the list has no item {at}")

    def __contains__(self, item_or_id: object) -> bool:
        return list_uses.contains(self, item_or_id)

    def __repr__(self) -> str:
        """The number of items that were fetched; none is fetched for it."""
        pages_text = f" in pages of {self._page_size}" if self._page_size else ""
        if self._count is None:
            uses_text = "iterate over it, or use [:20], .first(), .to_list()"
            return f"Pager(nothing fetched yet{pages_text}: {uses_text})"
        return f"Pager({self._count:,} items fetched{pages_text})"

    if not TYPE_CHECKING:  # mypy would allow every name

        def __getattr__(self, name: str) -> NoReturn:
            if not name.startswith("_") and self._list_name:
                list_uses.refuse_frame_names(self, self._list_name, name)
            raise_unknown_attribute(self, name)

    @property
    def place(self) -> str:
        """The name of the service, for the badge."""
        return self._describe_place()

    def fetched(self) -> tuple[list[T], int | None]:
        """The first items of the latest iteration, and the number of all items that it fetched.

        [] and None before the first iteration.
        """
        return list(self._fetched), self._count

    def pages(self) -> Iterator[Page[T]]:
        """Yield the pages, with items as models; `for transfer in page` reads the items of one.

        >>> [len(page) for page in lab.transfers.list(limit=50).pages()]
        [50, 50, 30]
        """
        return list_uses.PageIterator(self._read_pages())

    def _read_pages(self) -> Iterator[Page[T]]:
        """Yield the pages with their items; the first items are kept for the display."""
        displayed_items: list[T] = []
        item_count = 0
        for page in self.raw_pages():
            items = self._read_items(page.data)
            item_count += len(items)
            displayed_items += items[: DISPLAYED_ITEMS_MAX - len(displayed_items)]
            self._fetched = displayed_items
            self._count = item_count
            yield Page(items, page.has_next_page, page.cursor)

    def raw_pages(self) -> Iterator[RawPage]:
        """Yield the pages, with items as the JSON objects that were sent."""
        repeat_filter = repeats.RepeatFilter(self._to_our_names)
        for page in self._fetch_pages():
            yield replace(page, data=repeat_filter.drop_repeats(page.data))

    def _read_items(self, rows: list[JsonObject]) -> list[T]:
        """Read rows as items; with a condition of the pager, only those that fulfil it."""
        items = map(self._read, rows)
        if self._keep is None:
            return list(items)
        return [item for item in items if self._keep(item)]

    def _fetch_pages(self) -> Iterator[RawPage]:
        """Yield the pages as they were sent, rows that repeat included."""
        cursor = self._start
        used_cursors = {self._start}
        empty_page_count = 0  # in succession
        while True:
            page = self._fetch(cursor)
            empty_page_count = 0 if page.data else empty_page_count + 1
            if empty_page_count > EMPTY_PAGES_MAX and page.has_next_page:
                message = f"the list gave {empty_page_count} empty pages in a row, and more follow"
                raise PagingError(message)
            yield page
            if not page.has_next_page or self._is_past(page):
                return
            cursor = _read_next_cursor(page, used_cursors)
            used_cursors.add(cursor)

    def _is_past(self, page: RawPage) -> bool:
        """Whether all later pages are older than `since`, so that reading can end.

        False without `since`, or if the rows of this page are not sorted newest first.
        """
        if self._row_filter.since is None:
            return False
        return self._row_filter.is_past([self._to_our_names(row) for row in page.data])

    def first(self) -> T | None:
        """The first item, or None when the list is empty.

        >>> lab.transfers.list().first().status
        'completed'
        """
        return next(iter(self), None)

    def to_list(self, limit: int | None = None) -> list[T]:
        """All items, or the first `limit`.

        >>> len(lab.transfers.list().to_list(limit=30))
        30
        """
        if limit is not None:
            if not hasattr(limit, "__index__") or limit < 0:
                message = f"limit must be None or a whole number of 0 or more, not {limit!r}"
                raise ArgumentError(message, "limit")
            return list(islice(self, limit))
        rows = list(chain.from_iterable(page.data for page in self._fetch_pages()))
        unique_rows = repeats.RepeatFilter(self._to_our_names).drop_repeats(rows)
        listed_items = self._read_items(unique_rows)
        self._fetched = listed_items[:DISPLAYED_ITEMS_MAX]
        self._count = len(listed_items)
        return listed_items

    def to_dicts(self, limit: int | None = None) -> list[dict[str, Any]]:
        """All items as plain dictionaries, or the first `limit`.

        >>> sorted(lab.transfers.list().to_dicts(limit=1)[0])[:2]
        ['client_reference_id', 'completed_in']
        """
        listed_items: list[Any] = self.to_list(limit)
        return [item.to_dict() if hasattr(item, "to_dict") else dict(item) for item in listed_items]

    def filter(self, **fields: Any) -> Pager[T]:
        """The items whose fields have these values; the list is filtered on this machine.

        Several values for a field, in a list, mean any of them.

        >>> {transfer.status for transfer in lab.transfers.list().filter(status="failed")}
        {'failed'}
        """
        wanted_status = fields.get("status")
        if isinstance(wanted_status, str):
            check_statuses([wanted_status], self._list_name, self._declared_statuses)
        return self.select(partial(list_uses.has_values, fields=fields))

    def select(self, wanted: Callable[[T], bool]) -> Pager[T]:
        """The items for which a function is true; the list is filtered on this machine.

        >>> lab.transfers.list().select(lambda transfer: transfer.status == "failed")[0].status
        'failed'
        """
        list_uses.check_condition(wanted)

        def keep(item: T) -> bool:
            """Whether an item passes this condition and that of the list itself."""
            return wanted(item) and (self._keep is None or self._keep(item))

        selected_pager = copy(self)
        selected_pager._keep = keep
        selected_pager._fetched = []
        selected_pager._count = None
        return selected_pager

    def keep_rows(self, row_filter: RowFilter, order: Order) -> Pager[T]:
        """The items that a filter keeps; a list newest first is read only back to its `since`.

        >>> from paylab.spec.row_filter import RowFilter
        >>> row_filter = RowFilter(frozenset({"failed"}))
        >>> lab.transfers.list().keep_rows(row_filter, "unknown")[0].status
        'failed'
        """
        kept_pager = self.select(lambda item: row_filter.keeps(partial(getattr, item)))
        if order == "newest_first" and row_filter.since is not None:
            kept_pager._row_filter = row_filter
        return kept_pager


def _read_next_cursor(page: RawPage, used_cursors: Collection[str | None]) -> str:
    """The cursor of the next page; PagingError if it is missing or repeated."""
    if not page.cursor:
        raise PagingError("the list says it has a next page but gives no cursor for it")
    if page.cursor in used_cursors:
        error = PagingError("the list gave the same cursor twice: following it would never end")
        error.assumption = LISTS_ASSUMPTION
        error.hint = "the service does not continue after the cursor: ask your provider how it does"
        raise error
    return page.cursor
