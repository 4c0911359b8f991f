"""Show the progress of a long operation as a bar or a line, in a notebook or a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors.extras import extra_imports
from ..errors.text import printable
from . import html

UPDATE_SECONDS = 0.2
"""Seconds between two updates."""

WAIT_SHOWN_SECONDS = 1.5
"""Seconds before a wait is shown."""

SPEED_SHOWN_SECONDS = 10.0
"""Seconds after which a line shows the speed; shorter runs have a reproducible output."""

Clock = Callable[[], float]
Show = Callable[[object], object]
"""A function that shows the repr of a value in place of the one before."""


@dataclass
class Bar:
    """Items done of a total."""

    item_name: str
    done: int = 0
    total: int = 0

    def count(self, done: int, total: int) -> None:
        """Store the number of items done and the total."""
        self.done = done
        self.total = total

    def __repr__(self) -> str:
        """The bar as text, such as "3 of 10 payouts"."""
        return f"{self.done:,} of {self.total:,} {self.item_name}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The bar for Jupyter, by MIME type."""
        bar_tag_html = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        bar_html = f'<div role="status">{bar_tag_html} {html.escape(repr(self))}</div>'
        return {"text/html": bar_html, "text/plain": repr(self)}


class Line:
    """The number of rows and pages, and the speed."""

    def __init__(self, item_name: str, clock: Clock = time.monotonic) -> None:
        self.item_name = item_name
        self.rows = 0
        self.pages = 0
        self._clock = clock
        self._started_at = clock()
        self._rows_before: int | None = None

    def count(self, rows: int, pages: int) -> None:
        """Store rows and pages; rows before the first call do not count for the speed."""
        if self._rows_before is None:
            self._rows_before = 0 if pages == 1 else rows
        self.rows = rows
        self.pages = pages

    def __repr__(self) -> str:
        """The line as text; after a while with the speed."""
        progress_text = f"{self.rows:,} {self.item_name}, {html.plural(self.pages, 'page')}"
        elapsed_seconds = self._clock() - self._started_at
        if elapsed_seconds < SPEED_SHOWN_SECONDS:
            return progress_text
        new_row_count = self.rows - (self._rows_before or 0)
        return f"{progress_text}, {new_row_count / elapsed_seconds:,.0f} rows/s"


@contextmanager
def progress(
    measure: Bar | Line, show: Show | None = None, clock: Clock = time.monotonic
) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that updates a bar or a line; its final state is always shown.

    The function takes the numbers of `measure.count`.
    """
    show_measure = show or _choose_show()
    last_shown_at = clock() - UPDATE_SECONDS  # so that the first numbers are shown

    def update(first_number: int, second_number: int) -> None:
        """Store the numbers, and show them unless others were shown a moment ago."""
        nonlocal last_shown_at
        measure.count(first_number, second_number)
        if clock() - last_shown_at >= UPDATE_SECONDS:
            last_shown_at = clock()
            show_measure(measure)

    try:
        yield update
    finally:
        show_measure(measure)
        _end_terminal_line(show_measure)


@contextmanager
def waiting(
    show: Show | None = None, clock: Clock = time.monotonic
) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the state of a wait, if that has lasted a while."""
    started_at = clock()

    def show_state(text: str) -> None:
        """Show the state; nothing during the first seconds of the wait."""
        nonlocal show
        if clock() - started_at >= WAIT_SHOWN_SECONDS:
            show = show or _choose_show()
            show(PlainText(text))

    try:
        yield show_state
    finally:
        _end_terminal_line(show)


def _choose_show() -> Show:
    """The function that shows a value: in the output of a notebook, or in a terminal."""
    return _make_notebook_show() or _show_in_terminal


def _show_in_terminal(shown_value: object) -> None:
    """Write a value over the current line of a terminal; nothing if stderr is no terminal."""
    if sys.stderr.isatty():
        print(f"\r{shown_value!r}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - progress


def _end_terminal_line(show: Show | None) -> None:
    """End the line that was updated in a terminal; do nothing elsewhere."""
    if show is _show_in_terminal and sys.stderr.isatty():
        print(file=sys.stderr)  # noqa: T201 - the line is finished


def _make_notebook_show() -> Show | None:
    """Make a function that updates one output below the cell; None outside a notebook."""
    if "IPython" not in sys.modules:
        return None
    with extra_imports():
        from IPython.core.getipython import get_ipython
        from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    display_handle: Any = display(PlainText(""), display_id=True)  # type: ignore[no-untyped-call]
    return display_handle.update if display_handle else None


class PlainText(str):
    """Text whose repr is escaped and has no quotes."""

    def __repr__(self) -> str:
        """The text without quotes, escaped."""
        return printable(str(self))
