"""How far a batch is: a bar in a notebook, a line in a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from . import page

EVERY = 0.2  # seconds between two looks


@dataclass(frozen=True)
class Bar:
    """So many done of so many."""

    what: str
    done: int = 0
    total: int = 0

    def __repr__(self) -> str:
        return f"{self.done:,} of {self.total:,} {self.what}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        bar = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        shown = f'<div role="status">{bar} {page.escape(repr(self))}</div>'
        return {"text/html": shown, "text/plain": repr(self)}


@contextmanager
def watching(
    what: str,
    show: Callable[[Bar], object] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[int, int], None]]:
    """A `progress(done, total)` that shows a bar now and then, and at the end once more."""
    draw, shown, bar = show or _notebook() or _terminal, clock() - EVERY, Bar(what)

    def progress(done: int, total: int) -> None:
        nonlocal shown, bar
        bar = Bar(what, done, total)
        if clock() - shown >= EVERY:
            shown = clock()
            draw(bar)

    try:
        yield progress
    finally:
        draw(bar)
        if draw is _terminal and sys.stderr.isatty():
            print(file=sys.stderr)  # noqa: T201 - the line is finished


def _terminal(bar: Bar) -> None:
    if sys.stderr.isatty():
        print(f"\r{bar}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - progress


def _notebook() -> Callable[[Bar], Any] | None:
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handle = display(Bar(""), display_id=True)  # type: ignore[no-untyped-call]
    return handle.update if handle else None
