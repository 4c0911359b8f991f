"""The inbox as a live table: new events appear by themselves, a row opens to what it says.

Rows reach the browser as data and are put in as text, so that nothing from the service can be
anything but text there; what opens below a row is escaped here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock, Timer
from typing import Any, Protocol

import anywidget
import traitlets

from .html import MUTED, escape, grid, text_block

SHOWN = 50
"""Rows the table holds, newest first."""

PAUSE = 0.15
"""Seconds between two refreshes, so that a burst of events is shown a few times, not each one."""

SCRIPT = Path(__file__).with_name("inbox.js")
STYLE = Path(__file__).with_name("inbox.css")
COLUMNS = ("time", "type", "resource", "status", "delivered", "order")


class InboxRow(Protocol):
    """What a table needs to know of an arrival."""

    seq: int
    payload: dict[str, Any]


class ArrivalSource(Protocol):
    """What a view needs of an inbox."""

    def newest(self, limit: int) -> Sequence[Any]: ...  # noqa: D102 - see Arrivals
    def table(self, limit: int) -> list[tuple[str, ...]]: ...  # noqa: D102
    def difference(self, event: int) -> Sequence[tuple[str, str, str]] | None: ...  # noqa: D102
    def on_arrival(self, listener: Callable[[Any], object]) -> Callable[[], None]: ...  # noqa: D102
    def __len__(self) -> int: ...


class InboxView(anywidget.AnyWidget):
    """A table of events that refreshes itself until it is closed."""

    _esm = SCRIPT
    _css = STYLE
    rows: Any = traitlets.List().tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    opened = traitlets.Int(0).tag(sync=True)
    detail = traitlets.Unicode("").tag(sync=True)

    def __init__(self, source: ArrivalSource) -> None:
        super().__init__()
        self._source, self._over, self._waiting = source, False, Lock()
        self._unsubscribe = source.on_arrival(lambda _: self._refresh_soon())
        self.observe(self._open, "opened")
        self.refresh()

    def refresh(self) -> None:
        """Show what there is now."""
        arrivals = self._source.newest(SHOWN)
        cells = self._source.table(SHOWN)
        self.rows = [
            {"seq": arrival.seq, "cells": list(texts)}
            for arrival, texts in zip(arrivals, cells, strict=False)
        ]
        self.total = len(self._source)

    def stop(self) -> None:
        """Follow the inbox no more; what is shown stays."""
        if not self._over:
            self._over = True
            self._unsubscribe()

    def close(self) -> None:
        """Follow the inbox no more, and take the table away."""
        self.stop()
        super().close()

    def _refresh_soon(self) -> None:
        """Refresh once for all that arrives within a pause."""
        if not self._over and self._waiting.acquire(blocking=False):
            timer = Timer(PAUSE, self._refresh_now)
            timer.name, timer.daemon = "paylab-inbox-view", True
            timer.start()

    def _refresh_now(self) -> None:
        self._waiting.release()
        if not self._over:
            self.refresh()

    def _open(self, change: dict[str, Any]) -> None:
        self.detail = self._details(change["new"]) if change["new"] else ""

    def _details(self, seq: int) -> str:
        arrival = next((one for one in self._source.newest(SHOWN) if one.seq == seq), None)
        if arrival is None:
            return note("This event is no longer among those shown.")
        return details(arrival.payload, self._differences(seq))

    def _differences(self, seq: int) -> Sequence[tuple[str, str, str]] | str | None:
        try:
            return self._source.difference(seq)
        except Exception as error:  # shown where the answer would be
            return f"The service could not be asked: {error}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {
            **data,
            "text/plain": repr(self._source),
            "text/html": static(self._source),
        }, metadata


def static(source: ArrivalSource) -> str:
    """The table where no kernel runs."""
    return grid(COLUMNS, source.table(SHOWN), len(source))


def details(
    payload: dict[str, Any], differences: Iterable[tuple[str, str, str]] | str | None
) -> str:
    """A payload, and what the service says otherwise now."""
    text = text_block(json.dumps(payload, indent=2, ensure_ascii=False, default=str))
    return f'<div class="paylab-detail"><b>Payload</b>{text}{_compared(differences)}</div>'


def note(text: str) -> str:
    """A line of its own."""
    return f'<p style="margin:4px 0;{MUTED}">{escape(text)}</p>'


def _compared(differences: Iterable[tuple[str, str, str]] | str | None) -> str:
    if differences is None:
        return note("The service has no such resource now, or no way to read it.")
    if isinstance(differences, str):
        return note(differences)
    rows = list(differences)
    if not rows:
        return note("GET says the same now.")
    return f"<b>GET says otherwise now</b>{grid(('field', 'event', 'now'), rows)}"
