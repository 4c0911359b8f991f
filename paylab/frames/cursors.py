"""The next cursor out of the bytes of a page, without decoding its rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from ..errors import APIResponseError
from ..spec.paging import Page, Pager, read_page

Fetch = Callable[["str | None"], bytes]

# In JSON whose last character closes the outermost object, quotes that no backslash precedes
# and that stand right before that end are quotes of that object's own keys and values, whatever
# any text inside the rows looks like. Everything else is left to the JSON parser.
TAIL = re.compile(
    rb'\]\s*,\s*"has_next_page"\s*:\s*(true|false)\s*,\s*'
    rb'"cursor"\s*:\s*(?:null|"([ !#-\[\]-~]*)")\s*\}\s*\Z'
)
LONGEST = 4096  # a tail that is longer is no ordinary one


def following(body: bytes) -> tuple[bool, str | None]:
    """Whether another page follows, and the cursor to ask for it."""
    tail = TAIL.search(body, max(0, len(body) - LONGEST)) if body[:1] == b"{" else None
    if tail is None:
        return next_page(loads(body))
    return tail[1] == b"true", None if tail[2] is None else tail[2].decode()


def bodies(fetch: Fetch, start: str | None = None) -> Iterator[bytes]:
    """The pages of a list as bytes, one after another; PagingError when they lead nowhere."""

    def page(cursor: str | None) -> Page[dict[str, bytes]]:
        body = fetch(cursor)
        return Page([{"body": body}], *following(body))

    for found in Pager(page, lambda item: item, start).raw_pages():
        yield found.data[0]["body"]


def next_page(page: object, *, strict: bool = True) -> tuple[bool, str | None]:
    """Whether another page follows a parsed page, and its cursor.

    One of the service must say so; with `strict` off a bare list or `data` alone is the last.
    """
    is_silent = not isinstance(page, dict) or not page.keys() & {"cursor", "has_next_page"}
    if is_silent and not strict:
        return False, None
    try:
        found = read_page(page)
    except ValueError as error:
        raise APIResponseError(f"a page of the list {error}") from None
    return found.has_next_page, found.cursor


def loads(body: bytes) -> object:
    """The body as JSON with exact numbers; APIResponseError when it is not JSON."""
    try:
        text = body.decode("utf-8-sig")
        return json.loads(text, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, ArithmeticError, RecursionError):
        pass  # raised below, outside: the parser's error would carry the whole body along
    raise APIResponseError("a page is not JSON")


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is not JSON")
