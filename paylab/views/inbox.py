"""The inbox as a live table: new events appear automatically, a click on a row shows details.

The browser inserts rows as text, never as HTML; the details below a row are escaped here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from threading import Lock
from typing import Any

from ..errors.extras import explained
from ..runtime import call_later
from ..webhooks.arrival import COLUMNS, cells
from ..webhooks.arrivals import Arrivals
from ..webhooks.inbox import Inbox
from .forms.message import read_message, whole_number
from .forms.view import WIDGET, asset, reference, show_apart, static_html
from .html import badge, grid, notice, text_block

with explained():
    import anywidget
    import traitlets

SHOWN = 50
"""Maximum rows of the table, newest first."""

PAUSE = 0.15
"""Seconds between two refreshes, so that a burst of events causes few updates."""


class InboxView(anywidget.AnyWidget):
    """A table of events that updates itself until it is closed."""

    _esm = asset("../inbox.js") + asset("../kernel.js")
    _css = asset("../inbox.css")
    rows: Any = traitlets.List().tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    opened = traitlets.Int(0).tag(sync=True)
    detail = traitlets.Unicode("").tag(sync=True)
    badge = traitlets.Unicode("").tag(sync=True)

    def __init__(self, source: Inbox, place: str = "") -> None:
        super().__init__(badge=badge(place))
        self._source = source
        self._over = False
        self._waiting = Lock()
        self._unsubscribe = source.on_arrival(lambda _: self._refresh_soon())
        self.observe(self._open, "opened")
        self.refresh()

    def set_state(self, sync_data: object) -> None:
        """Take from a browser which row is open, and nothing else."""
        opened = read_message(sync_data).get("opened")
        if opened is not None:
            super().set_state({"opened": whole_number(opened)})

    def refresh(self) -> None:
        """Show the current events."""
        self.rows = [
            {"seq": arrival.seq, "cells": list(cells(arrival))}
            for arrival in self._source.newest(SHOWN)
        ]
        self.total = len(self._source)

    def stop(self) -> None:
        """Stop updating; the shown rows stay."""
        if not self._over:
            self._over = True
            self._unsubscribe()

    def close(self) -> None:
        """Stop updating and remove the table."""
        self.stop()
        super().close()

    def _refresh_soon(self) -> None:
        """Refresh once for all events that arrive within a pause."""
        if not self._over and self._waiting.acquire(blocking=False):
            call_later(PAUSE, self._refresh_now, "paylab-inbox-view")

    def _refresh_now(self) -> None:
        self._waiting.release()
        if not self._over:
            self.refresh()

    def _open(self, change: dict[str, Any]) -> None:
        self.detail = self._details(change["new"]) if change["new"] else ""

    def _details(self, seq: int) -> str:
        arrival = next(
            (candidate for candidate in self._source.newest(SHOWN) if candidate.seq == seq), None
        )
        if arrival is None:
            return notice("This event is no longer in the table.")
        try:
            compared = comparison(self._source.difference(arrival))
        except Exception as error:  # shown in place of the response
            compared = notice(f"The request failed: {error}")
        text = json.dumps(arrival.payload, indent=2, ensure_ascii=False, default=str)
        return f"<b>Payload</b>{text_block(text)}{compared}"

    def _repr_mimebundle_(self, **_: Any) -> Any:
        return {WIDGET: reference(self), **self._static()}, {}

    def _ipython_display_(self) -> None:
        show_apart(self, self._static())

    def _static(self) -> dict[str, str]:
        text = static_html(self.badge + static(self._source))
        return {"text/html": text, "text/plain": repr(self._source)}


def static(source: Arrivals) -> str:
    """The table of some events without a kernel."""
    return grid(COLUMNS, source.table(SHOWN), len(source))


def comparison(differences: Sequence[tuple[str, str, str]] | None) -> str:
    """How an event differs from the current resource; None if that cannot be read."""
    if differences is None:
        return notice("The resource was not found, or the service has no operation to read it.")
    if not differences:
        return notice("GET returns the same values now.")
    return f"<b>GET returns other values now</b>{grid(('field', 'event', 'now'), differences)}"
