"""Lists that come in pages: the cursor token, a page, and walking from page to page."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

from ..errors import PagingError

T = TypeVar("T")

Order = Literal["newest_first", "unknown"]
"""The order of a list by `created_at`, as declared (gaps row `list.order`).

No number of rows proves an order. Reading ends before the end of a list only when the order was
declared; a list in an unknown order is read to its end.
"""

DIRECTIONS = frozenset({"next"})
FIELDS = frozenset({"created_at", "id", "direction"})
# A token is a timestamp and an id: anything much longer did not come from `encode_cursor`.
LONGEST = 1024
TOKEN = re.compile(r"[A-Za-z0-9_-]+")
# A filter may leave some pages empty; a list of nothing else would never end.
MOST_EMPTY = 100


def encode_cursor(position: Mapping[str, str]) -> str:
    """The opaque token of a position: its JSON text in base64url without padding."""
    text = json.dumps(dict(position), separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def decode_cursor(token: str) -> dict[str, str]:
    """The position a token stands for; ValueError says why it stands for none."""
    position = _checked(_loads(token))
    # Base64 has spare bits and JSON has spare blanks: only the one spelling is a token we gave.
    if encode_cursor(position) != token:
        raise ValueError("the cursor is not spelled as it was given")
    return position


def _loads(token: str) -> object:
    if not isinstance(token, str) or len(token) > LONGEST or not TOKEN.fullmatch(token):
        raise ValueError("the cursor is not base64url text")
    try:
        return json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise ValueError("the cursor does not hold JSON") from error


def _checked(position: object) -> dict[str, str]:
    if not isinstance(position, dict) or position.keys() != FIELDS:
        raise ValueError("the cursor has the wrong shape")
    if not all(isinstance(value, str) and value for value in position.values()):
        raise ValueError("the cursor has an empty or wrong value")
    if position["direction"] not in DIRECTIONS:
        raise ValueError(f"the cursor has the unknown direction {position['direction']!a}")
    return position


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list, and the cursor of the next one if there is one."""

    data: list[T]
    has_next_page: bool = False
    cursor: str | None = None


RawPage = Page[dict[str, Any]]

ENVELOPE = frozenset({"data", "has_next_page", "cursor"})


def read_page(body: object, *, bare: bool = False) -> RawPage:
    """A decoded body as a page; ValueError when it is no envelope that this version knows.

    With `bare` an array, alone or as `data`, is the whole list. Nothing else may end a list
    without saying that it ends: an unknown envelope could have more pages.
    """
    if bare and isinstance(body, list):
        body = {"data": body}
    if not isinstance(body, dict):
        raise ValueError("must be a page: an object with data, has_next_page and cursor")
    items, cursor, more = body.get("data"), body.get("cursor"), body.get("has_next_page")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        keys = ", ".join(map(repr, islice(body, 5)))
        raise ValueError(f"must hold a list of objects as data; it holds {keys or 'nothing'}"[:300])
    if not isinstance(cursor, str | None) or not isinstance(more, bool | None):
        raise ValueError("has an unreadable cursor or has_next_page")
    whole = bare and body.keys() <= ENVELOPE
    if more is None and not cursor and not whole:
        raise ValueError("does not say whether the list goes on: has_next_page is missing")
    # Without the word, a cursor is the only sign that there is more. With it the word decides: a
    # service that says there is no next page may still send the position of its last row.
    return Page(items, bool(cursor) if more is None else more, cursor)


class Pager(Generic[T]):
    """A list that fetches its pages as it is walked; every walk starts again at the beginning.

    `fetch` turns a cursor (None for the first page) into a page of JSON objects; `read` turns
    one object into an item.
    """

    def __init__(
        self,
        fetch: Callable[[str | None], RawPage],
        read: Callable[[dict[str, Any]], T],
        start: str | None = None,
    ) -> None:
        self._fetch, self._read, self._start = fetch, read, start

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def __repr__(self) -> str:
        return "Pager(iterate it, or use .pages(), .first())"

    def pages(self) -> Iterator[Page[T]]:
        """The pages one by one, their items read into models."""
        for page in self.raw_pages():
            items = [self._read(item) for item in page.data]
            yield Page(items, page.has_next_page, page.cursor)

    def raw_pages(self) -> Iterator[RawPage]:
        """The pages one by one, their items the JSON objects exactly as sent."""
        cursor, seen, empty = self._start, {self._start}, 0
        while True:
            page = self._fetch(cursor)
            empty = 0 if page.data else empty + 1
            if empty > MOST_EMPTY and page.has_next_page:
                raise PagingError(f"the list gave {empty} empty pages in a row and says it goes on")
            yield page
            if not page.has_next_page:
                return
            cursor = _next(page, seen)

    def first(self) -> T | None:
        """The first item, or None when the list is empty."""
        return next(iter(self), None)


def _next(page: RawPage, seen: set[str | None]) -> str:
    """The cursor to ask with next, which must lead somewhere new."""
    if not page.cursor:
        raise PagingError("the list says it has a next page but gives no cursor for it")
    if page.cursor in seen:
        raise PagingError("the list gave the same cursor twice: following it would never end")
    seen.add(page.cursor)
    return page.cursor
