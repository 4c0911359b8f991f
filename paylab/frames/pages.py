"""From pages of a list response to rows, counted on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..errors import APIResponseError

Row = dict[str, Any]
Progress = Callable[[int, int], None]

CHUNK = 5_000  # rows held as Python objects at a time


@dataclass
class Tally:
    """What went by: rows, pages, and whether the last page said it was the last."""

    progress: Progress | None = None
    rows: int = 0
    pages: int = 0
    complete: bool = False

    def add(self, rows: int, complete: bool) -> None:
        """Count a page and tell whoever watches: `progress(rows, pages)`."""
        self.rows, self.pages, self.complete = self.rows + rows, self.pages + 1, complete
        if self.progress:
            self.progress(self.rows, self.pages)


def chunks(pages: Iterable[object], tally: Tally, size: int = CHUNK) -> Iterator[list[Row]]:
    """The rows of all pages, in order, some thousands at a time."""
    rows = _rows(pages, tally)
    while chunk := list(islice(rows, size)):
        yield chunk


def _rows(pages: Iterable[object], tally: Tally) -> Iterator[Row]:
    for page in pages:
        data = _data(page, tally.pages)
        yield from data
        tally.add(len(data), not (isinstance(page, dict) and page.get("has_next_page")))


def _data(page: object, number: int) -> list[Row]:
    data = page.get("data") if isinstance(page, dict) else page
    if not isinstance(data, list):
        raise APIResponseError(f"page {number} holds no list of objects under `data`")
    for place, row in enumerate(data):
        if not isinstance(row, dict):
            raise APIResponseError(f"page {number}, item {place} is not an object: {row!r:.40}")
    return data
