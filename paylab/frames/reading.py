"""Pages read: fetched here, decoded and used in a thread beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from .cut import Cut
from .decode import Decoder, Part
from .pages import Tally, worked
from .schema import Schema

T = TypeVar("T")


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
    limits, decoder = cut or Cut(), Decoder(schema, extra=extra)

    def work(batch: Sequence[object]) -> tuple[T, tuple[int, ...], bool]:
        part = limits.apply(decoder.decode(batch))
        return use(part), part.sizes, part.more

    def enough() -> bool:
        return limits.reached or tally.stopped

    watched = tally.progress is not None
    for made, sizes, more in worked(pages, work, enough, limits.ahead, keep=watched):
        tally.add(sizes, complete=not more)
        yield made
