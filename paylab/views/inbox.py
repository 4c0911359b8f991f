"""The inbox as a live table: new events appear automatically, a click on a row shows details.

The browser inserts rows as text, never as HTML; the details below a row are escaped here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from threading import Lock
from typing import Any

from ..errors.extras import extra_imports
from ..runtime import call_later
from ..spec.text import JsonObject
from ..webhooks.arrival import ARRIVAL_COLUMNS, arrival_cells
from ..webhooks.arrivals import Arrivals
from ..webhooks.inbox import Inbox
from .forms.message import read_message, whole_number
from .forms.saved_output import (
    SAVED_LINE,
    WIDGET,
    display_with_static,
    static_html,
    widget_reference,
)
from .forms.view import read_asset
from .html import card, column, grid, heading, notice, plural, text_block
from .tones import ATTENTION, ToneText, status_tone

with extra_imports():
    import anywidget
    import traitlets

COLUMN_TITLES = ("Time (UTC)", *map(str.capitalize, ARRIVAL_COLUMNS[1:]))
"""The titles of the columns; `inbox.js` has the same."""
ROWS_MAX = 50
"""Maximum rows of the table, newest first."""

REFRESH_SECONDS = 0.15
"""Seconds between two refreshes, so that a burst of events causes few updates."""


class InboxView(anywidget.AnyWidget):
    """A table of events that updates itself until it is closed.

    `service_name` is shown below the table.
    """

    _esm = read_asset("../inbox.js") + read_asset("../kernel.js")
    _css = read_asset("../widget.css") + read_asset("../inbox.css")
    rows: Any = traitlets.List().tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    opened = traitlets.Int(0).tag(sync=True)
    detail = traitlets.Unicode("").tag(sync=True)
    service = traitlets.Unicode("").tag(sync=True)
    is_closed = traitlets.Bool(False).tag(sync=True)

    def __init__(self, inbox: Inbox, service_name: str = "") -> None:
        """Show the events, and refresh when others arrive."""
        super().__init__(service=service_name)
        self._inbox = inbox
        self._is_stopped = False
        self._refresh_pending = Lock()  # held from the start of a pause to the refresh after it
        self._unsubscribe = inbox.on_arrival(lambda _: self._refresh_soon())
        self.observe(self._show_details, "opened")
        self.refresh()

    def set_state(self, sync_data: object) -> None:
        """Take from a browser which row is open, and nothing else."""
        row_number = read_message(sync_data).get("opened")
        if row_number is not None:
            super().set_state({"opened": whole_number(row_number)})

    def refresh(self) -> None:
        """Show the current events."""
        self.rows = [
            {
                "seq": arrival.seq,
                "cells": list(arrival_cells(arrival)),
                "tone": status_tone(arrival.status or ""),
            }
            for arrival in self._inbox.newest(ROWS_MAX)
        ]
        self.total = len(self._inbox)

    def stop(self) -> None:
        """Stop updating; the shown rows stay."""
        if not self._is_stopped:
            self._is_stopped = self.is_closed = True
            self._unsubscribe()

    def close(self) -> None:
        """Stop updating and remove the table."""
        self.stop()
        super().close()

    def _refresh_soon(self) -> None:
        """Refresh once for all events that arrive within a pause; the first one starts it."""
        if not self._is_stopped and self._refresh_pending.acquire(blocking=False):
            call_later(REFRESH_SECONDS, self._refresh_now, "paylab-inbox-view")

    def _refresh_now(self) -> None:
        """Refresh after the pause; the next event starts another pause."""
        self._refresh_pending.release()
        if not self._is_stopped:
            self.refresh()

    def _show_details(self, change: JsonObject) -> None:
        """Show the details of the row that was opened; none for row 0."""
        sequence_number = change["new"]
        self.detail = self._detail_html(sequence_number) if sequence_number else ""

    def _detail_html(self, sequence_number: int) -> str:
        """The payload of an event, and how it differs from the current resource."""
        arrival_by_number = {arrival.seq: arrival for arrival in self._inbox.newest(ROWS_MAX)}
        if sequence_number not in arrival_by_number:
            return notice("This event is no longer in the table.")
        arrival = arrival_by_number[sequence_number]
        try:
            difference_html = comparison_html(self._inbox.difference(arrival))
        except Exception as error:  # shown in place of the response
            difference_html = notice(f"The request failed: {error}")
        payload_text = json.dumps(arrival.payload, indent=2, ensure_ascii=False, default=str)
        return f"<b>Payload</b>{text_block(payload_text)}{difference_html}"

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The widget and what is saved of it for Jupyter, by MIME type."""
        return {WIDGET: widget_reference(self), **self.static_bundle()}, {}

    def _ipython_display_(self) -> None:
        """Show the widget and what is saved of it as two outputs."""
        display_with_static(self, self.static_bundle())

    def static_bundle(self) -> dict[str, str]:
        """The events for a saved notebook, as HTML and as text."""
        title = "Closed inbox" if self.is_closed else "Inbox"
        title_html = heading(f"{title}: {plural(len(self._inbox), 'event')}")
        card_html = card(
            column(SAVED_LINE, title_html, arrivals_table(self._inbox)), source=str(self.service)
        )
        return {"text/html": static_html(card_html), "text/plain": repr(self._inbox)}


def arrivals_card(arrivals: Arrivals) -> str:
    """The table of some events as a card."""
    return card(column(arrivals_table(arrivals)))


def arrivals_table(arrivals: Arrivals) -> str:
    """The table of some events, which needs no kernel; a stale one stands out."""
    cell_rows = [
        [*cells, ToneText(order, ATTENTION) if order == "stale" else order]
        for *cells, order in arrivals.table(ROWS_MAX)
    ]
    return grid(COLUMN_TITLES, cell_rows, len(arrivals))


def comparison_html(differences: Sequence[tuple[str, str, str]] | None) -> str:
    """How an event differs from the current resource.

    `differences` are the field, its value in the event and its value now; None if the resource
    cannot be read.
    """
    if differences is None:
        return notice("The resource was not found, or the service has no operation to read it.")
    if not differences:
        return notice("GET returns the same values now.")
    return f"<b>GET returns other values now</b>{grid(('Field', 'Event', 'Now'), differences)}"
