"""Progress of a long operation: a bar or a line, in a notebook or a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from . import html

BAR_EVERY = 0.2  # seconds between two looks


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
        shown = f'<div role="status">{bar} {html.escape(repr(self))}</div>'
        return {"text/html": shown, "text/plain": repr(self)}


@contextmanager
def payout_progress(
    what: str,
    show: Callable[[Bar], object] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[int, int], None]]:
    """A `progress(done, total)` that shows a bar now and then, and at the end once more."""
    draw, shown, bar = (
        show or _bar_in_notebook() or _bar_in_terminal,
        clock() - BAR_EVERY,
        Bar(what),
    )

    def progress(done: int, total: int) -> None:
        nonlocal shown, bar
        bar = Bar(what, done, total)
        if clock() - shown >= BAR_EVERY:
            shown = clock()
            draw(bar)

    try:
        yield progress
    finally:
        draw(bar)
        if draw is _bar_in_terminal and sys.stderr.isatty():
            print(file=sys.stderr)  # noqa: T201 - the line is finished


def _bar_in_terminal(bar: Bar) -> None:
    if sys.stderr.isatty():
        print(f"\r{bar}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - progress


def _bar_in_notebook() -> Callable[[Bar], Any] | None:
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handle = display(Bar(""), display_id=True)  # type: ignore[no-untyped-call]
    return handle.update if handle else None


MOMENT = 1.5
"""Seconds of a wait before it is shown."""


@contextmanager
def waiting(
    show: Callable[[str], object] | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[str], None]]:
    """A `tell(text)` that shows how a wait goes, once it takes longer than a moment."""
    began, draw = clock(), show

    def tell(text: str) -> None:
        nonlocal draw
        if clock() - began >= MOMENT:
            draw = draw or _notebook() or _terminal
            draw(text)

    try:
        yield tell
    finally:
        if draw is _terminal and sys.stderr.isatty():
            print(file=sys.stderr)  # noqa: T201 - the line is finished


EVERY = 0.2  # seconds between two looks
LONG = 10.0  # seconds before anyone asks how fast it goes; shorter runs always look the same


@dataclass
class ProgressLine:
    """The text of the line: what, how many rows and pages, how fast."""

    what: str
    clock: Callable[[], float] = time.monotonic
    rows: int = 0
    pages: int = 0
    _began: float = field(init=False)
    _first: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def count(self, rows: int, pages: int) -> None:
        """Note rows and pages so far; what was there before the first is not this run's work."""
        if self._first is None:
            self._first = 0 if pages == 1 else rows
        self.rows, self.pages = rows, pages

    def __str__(self) -> str:
        text = f"{self.rows:,} {self.what}, {self.pages:,} page{'' if self.pages == 1 else 's'}"
        seconds = self.clock() - self._began
        if seconds < LONG:
            return text
        return f"{text}, {(self.rows - (self._first or 0)) / seconds:,.0f} rows/s"


@contextmanager
def watching(what: str, show: Callable[[str], object] | None = None) -> Iterator[Any]:
    """A `progress(rows, pages)` that shows a line, now and then, and at the end once more."""
    line, shown = ProgressLine(what), -EVERY
    draw = show or _notebook() or _terminal

    def progress(rows: int, pages: int) -> None:
        nonlocal shown
        line.count(rows, pages)
        if line.clock() - shown >= EVERY:
            shown = line.clock()
            draw(str(line))

    try:
        yield progress
    finally:
        draw(str(line))
        if draw is _terminal and sys.stderr.isatty():
            print(file=sys.stderr)  # noqa: T201 - the line is finished


def _terminal(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - progress


def _notebook() -> Callable[[str], object] | None:
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handle = display(_Text(""), display_id=True)  # type: ignore[no-untyped-call]
    return lambda text: handle.update(_Text(text))


@dataclass(frozen=True)
class _Text:
    """Shown as plain text, which a notebook keeps and any theme can show."""

    text: str

    def __repr__(self) -> str:
        return self.text
