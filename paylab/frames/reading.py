"""Pages read: fetched here, decoded and used in a thread beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..errors import PagingError
from ..paging import MOST_EMPTY
from .cut import Cut
from .decode import Decoder, Part
from .pages import Tally, worked
from .schema import Schema

T = TypeVar("T")


@dataclass
class Empty:
    """Counts pages without rows: a list that holds nothing else has no end."""

    pages: int = 0

    def add(self, sizes: Iterable[int]) -> None:
        """Count some pages by their rows; PagingError when too many in a row have none."""
        for rows in sizes:
            self.pages = 0 if rows else self.pages + 1
            if self.pages > MOST_EMPTY:
                raise PagingError(f"the list gave {self.pages} empty pages in a row and goes on")


def read(  # noqa: PLR0913 - what to read, what to keep of it, who watches
    pages: Iterable[object],
    schema: Schema,
    use: Callable[[Part], T],
    tally: Tally,
    *,
    cut: Cut | None = None,
    extra: bool = False,
) -> Iterator[T]:
    """What `use` makes of the rows of all pages, in order.

    A page is the service's body as bytes, or its parsed JSON. `use` is called in one other
    thread, with some pages at a time, while the next page is fetched here.
    """
    limits, decoder, empty = cut or Cut(), Decoder(schema, extra=extra), Empty()

    def work(batch: Sequence[object]) -> tuple[T, tuple[int, ...], bool]:
        decoded = decoder.decode(batch)
        empty.add(decoded.sizes)
        part = limits.apply(decoded)
        return use(part), part.sizes, part.more

    def enough() -> bool:
        return limits.reached or tally.stopped

    watched = tally.progress is not None
    for made, sizes, more in worked(pages, work, enough, limits.ahead, keep=watched):
        tally.add(sizes, complete=not more)
        yield made
