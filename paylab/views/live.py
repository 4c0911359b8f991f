"""Calls shown live, under the cell that makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from IPython import get_ipython
from IPython.display import HTML, display

from .calls import calls_table

Listen = Callable[[Callable[[Any], None]], Callable[[], None]]


class OnScreen:
    """Shows every call as it is made; `stop()` ends it."""

    def __init__(self, listen: Listen) -> None:
        self._cell: object = object()
        self._calls: list[Any] = []
        self._handle: Any = None
        self._end: Callable[[], None] | None = listen(self._show)

    def stop(self) -> None:
        """Show no more."""
        if self._end is not None:
            self._end()
            self._end = None

    def _show(self, call: Any) -> None:
        """Add a line to the table of this cell, or begin one."""
        cell = _running()
        if self._handle is None or cell != self._cell:
            self._cell, self._calls = cell, [call]
            # IPython's display has no types.
            self._handle = display(self._table(), display_id=True)  # type: ignore[no-untyped-call]
            return
        self._calls.append(call)
        self._handle.update(self._table())

    def _table(self) -> HTML:
        return HTML(calls_table(self._calls))  # type: ignore[no-untyped-call] # the same

    def __repr__(self) -> str:
        return "<calls are shown as they are made>" if self._end else "<stopped>"


def _running() -> object:
    """What tells one run of a cell from the next: its message, or where there is none, a count."""
    shell: Any = get_ipython()
    try:
        return shell.get_parent()["header"]["msg_id"]
    except (AttributeError, KeyError, TypeError):
        return getattr(shell, "execution_count", None)
