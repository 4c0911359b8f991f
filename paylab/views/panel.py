"""The live panel: calls, events and deliveries as they happen, with filter, explain and resend.

The browser inserts rows as text, never as HTML; the details of a row are escaped here. Only
messages have content: the state of the widget, which a notebook may save, has none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Literal

from ..errors.extras import extra_imports
from ..runtime import call_later
from ..spec.text import JsonObject
from .forms.message import read_message, whole_number
from .forms.saved_output import (
    SAVED_LINE,
    WIDGET,
    display_with_static,
    static_html,
    widget_reference,
)
from .forms.view import read_asset
from .html import TABLE_ROWS_MAX, card, column, grid, heading, notice
from .panel_rows import COLUMNS, PanelRow, is_shown, unknown_row_notice
from .tones import ToneText

with extra_imports():
    import anywidget

Selection = Literal["everything", "calls", "events", "problems"]
"""The rows that the panel shows before somebody chooses others."""

REFRESH_SECONDS = 0.25
"""Shortest time between two refreshes, so that a burst of calls causes few updates."""

PAUSE_SHARE = 30
"""The pause after a refresh is this many times as long as the refresh, not to slow down calls."""


class PanelView(anywidget.AnyWidget):
    """The widget of a panel; it reads new rows only while a browser shows it.

    `read` returns the kept rows, `explain(row)` its details as HTML, and `resend(row)` a sentence
    on how its event was sent again.
    """

    _esm = read_asset("../panel.js") + read_asset("../kernel.js")
    _css = read_asset("../widget.css") + read_asset("../panel.css")

    def __init__(
        self,
        read: Callable[[], Sequence[PanelRow]],
        explain: Callable[[PanelRow], str],
        resend: Callable[[PanelRow], str],
        *,
        service_name: str = "",
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Start without rows; the first refresh is when a browser shows the widget."""
        super().__init__()
        self._read = read
        self._explain = explain
        self._resend = resend
        self._service_name = service_name
        self._options = dict(options or {})
        self._is_ready = False
        self._pause_seconds = REFRESH_SECONDS
        self._shown: dict[int, PanelRow] = {}
        self._sending = Lock()
        self._refresh_pending = Lock()  # held from the start of a pause to the refresh after it
        self.on_msg(lambda _, message, buffers: self.receive(message))

    def set_state(self, sync_data: object) -> None:
        """Take no state from a browser, which only sends messages."""

    def refresh_soon(self) -> None:
        """Refresh once for all that happens within a pause; do nothing without a browser."""
        if self._is_ready and self._refresh_pending.acquire(blocking=False):
            call_later(self._pause_seconds, self._refresh_now, "paylab-panel")

    def _refresh_now(self) -> None:
        """Refresh after the pause, and set the next pause by how long that took."""
        self._refresh_pending.release()
        start_seconds = time.perf_counter()
        self.refresh()
        refresh_seconds = time.perf_counter() - start_seconds
        self._pause_seconds = max(REFRESH_SECONDS, PAUSE_SHARE * refresh_seconds)

    def refresh(self, *, from_start: bool = False) -> None:
        """Send the rows that are new or have changed, or all of them."""
        if not self._is_ready:
            return
        with self._sending:
            row_by_number = {row.number: row for row in self._read()}
            earlier_row_by_number = {} if from_start else self._shown
            changed_rows = [
                row
                for row in row_by_number.values()
                if earlier_row_by_number.get(row.number) != row
            ]
            self._shown = row_by_number
            page_message: JsonObject = {
                "kind": "rows",
                "rows": [row.message for row in changed_rows],
                # The browser drops the rows before it.
                "first": min(row_by_number, default=0),
            }
            if from_start:
                page_message |= {"all": True, "service": self._service_name, **self._options}
            if from_start or changed_rows:
                self.send(page_message)

    def receive(self, content: object) -> None:
        """Handle a browser message: `ready` requests all rows, others are actions on a row."""
        page_message = read_message(content)
        message_kind = page_message.get("kind")
        if message_kind == "ready":
            self._is_ready = True
            self.refresh(from_start=True)
            return
        row_number = whole_number(page_message.get("number"))
        shown_row = self._shown.get(row_number)
        if message_kind == "explain":
            detail_html = (
                unknown_row_notice() if shown_row is None else self._explain_row(shown_row)
            )
            self.send({"kind": "detail", "number": row_number, "html": detail_html})
        elif message_kind == "resend" and shown_row is not None:
            self.send({"kind": "note", "text": self._resend_row(shown_row)})
            self.refresh()

    def _explain_row(self, panel_row: PanelRow) -> str:
        """The details of a row as HTML, or why there are none."""
        try:
            return self._explain(panel_row)
        except Exception as error:  # shown in place of the details
            return notice(f"This row cannot be explained: {error}")

    def _resend_row(self, panel_row: PanelRow) -> str:
        """Send the event of a row again; return a sentence on its outcome."""
        try:
            return self._resend(panel_row)
        except Exception as error:  # shown in place of the answer
            return f"It was not sent again: {error}"

    def _ipython_display_(self) -> None:
        """Show the widget and what is saved of it as two outputs."""
        display_with_static(self, self.static_bundle())

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The widget and what is saved of it for Jupyter, by MIME type."""
        return {WIDGET: widget_reference(self), **self.static_bundle()}, {}

    def static_bundle(self) -> dict[str, str]:
        """The latest rows for a saved notebook, as HTML and as text."""
        filter_text = self._options.get("filter", "")
        selection_name = self._options.get("show", "everything")
        shown_rows = [
            shown_row
            for shown_row in reversed(self._read())
            if is_shown(shown_row, filter_text, selection_name)
        ]
        toned_rows = [
            (*shown_row.cells[:-1], ToneText(shown_row.cells[-1], shown_row.dot))
            for shown_row in shown_rows
        ]
        if toned_rows:
            table_html = grid(COLUMNS, toned_rows)
        else:
            table_html = notice("No calls and no events yet.")
        content_html = column(SAVED_LINE, heading("Panel"), table_html)
        card_html = card(content_html, source=self._service_name)
        row_lines = [
            "  ".join(shown_row.cells).rstrip() for shown_row in shown_rows[:TABLE_ROWS_MAX]
        ]
        return {
            "text/html": static_html(card_html),
            "text/plain": "\n".join([f"Panel  [{self._service_name}]", *row_lines]),
        }
