"""Show the progress of a long operation as a bar or a line, in a notebook or a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors.extras import explained
from ..errors.text import printable
from . import html

EVERY = 0.2
"""Seconds between two updates."""

MOMENT = 1.5
"""Seconds before a wait is shown."""

LONG = 10.0
"""Seconds after which a line shows the speed; shorter runs have a reproducible output."""

Clock = Callable[[], float]
Draw = Callable[[object], object]


@dataclass
class Bar:
    """Items done of a total."""

    what: str
    done: int = 0
    total: int = 0

    def count(self, first: int, second: int) -> None:
        """Store the number of items done and the total."""
        self.done = first
        self.total = second

    def __repr__(self) -> str:
        return f"{self.done:,} of {self.total:,} {self.what}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        bar = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        bar_html = f'<div role="status">{bar} {html.escape(repr(self))}</div>'
        return {"text/html": bar_html, "text/plain": repr(self)}


class Line:
    """The number of rows and pages, and the speed."""

    def __init__(self, what: str, clock: Clock = time.monotonic) -> None:
        self.what = what
        self.rows = 0
        self.pages = 0
        self._clock = clock
        self._began = clock()
        self._first: int | None = None

    def count(self, first: int, second: int) -> None:
        """Store rows and pages; rows before the first call do not count for the speed."""
        if self._first is None:
            self._first = 0 if second == 1 else first
        self.rows = first
        self.pages = second

    def __repr__(self) -> str:
        text = f"{self.rows:,} {self.what}, {self.pages:,} page{'' if self.pages == 1 else 's'}"
        seconds = self._clock() - self._began
        if seconds < LONG:
            return text
        return f"{text}, {(self.rows - (self._first or 0)) / seconds:,.0f} rows/s"


@contextmanager
def progress(
    measure: Bar | Line, show: Draw | None = None, clock: Clock = time.monotonic
) -> Iterator[Callable[[int, int], None]]:
    """A function of two numbers that updates the display; the final state is always shown."""
    draw = show or _notebook() or _terminal
    drawn_at = clock() - EVERY

    def count(first: int, second: int) -> None:
        nonlocal drawn_at
        measure.count(first, second)
        if clock() - drawn_at >= EVERY:
            drawn_at = clock()
            draw(measure)

    try:
        yield count
    finally:
        draw(measure)
        _finish(draw)


@contextmanager
def waiting(
    show: Draw | None = None, clock: Clock = time.monotonic
) -> Iterator[Callable[[str], None]]:
    """A function `tell(text)` that shows the state of a wait after a short delay."""
    began = clock()
    draw = show

    def tell(text: str) -> None:
        nonlocal draw
        if clock() - began >= MOMENT:
            draw = draw or _notebook() or _terminal
            draw(_Text(text))

    try:
        yield tell
    finally:
        _finish(draw)


def _terminal(measure: object) -> None:
    if sys.stderr.isatty():
        print(f"\r{measure!r}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - progress


def _finish(draw: object) -> None:
    if draw is _terminal and sys.stderr.isatty():
        print(file=sys.stderr)  # noqa: T201 - the line is finished


def _notebook() -> Draw | None:
    """A function that updates one output below the cell; None outside a notebook."""
    if "IPython" not in sys.modules:
        return None
    with explained():
        from IPython.core.getipython import get_ipython
        from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handle: Any = display(_Text(""), display_id=True)  # type: ignore[no-untyped-call]
    return handle.update if handle else None


class _Text(str):
    """Text whose repr is escaped and has no quotes."""

    def __repr__(self) -> str:
        return printable(str(self))
