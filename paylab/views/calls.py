"""Calls and signatures as HTML: a table, and a card for each call.

The views know no client: a call is `Any`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any
from urllib.parse import urlsplit

from ..errors.extras import extra_imports
from ..spec.service.service import YOURS, Service, SettingRow
from .html import (
    TABLE_ROWS_MAX,
    Row,
    card,
    collapsible_block,
    column,
    grid,
    heading,
    notice,
    plural,
    table,
    text_block,
)
from .tones import BAD, GOOD, ToneText

CALL_COLUMNS = ("No.", "When (UTC)", "Method", "Path", "Status", "Took", "Attempt", "Key")
NO_ADDRESS = "SIMULATOR (embedded)"
"""The place of a simulator that other programs cannot reach."""
NO_ADDRESS_ADVICE = (
    "This cannot be run as it stands: the simulator is inside this kernel and has no address. "
    "lab.serve() serves it; use the base_url and the keys of what it returns."
)
SECRETS_NOTE = "The headers with the API key and the signature were sent and are not recorded."
PROGRAM_TITLES = {
    "curl": "curl",
    "httpx": "Python with httpx",
    "node": "Node",
    "go": "Go",
    "java": "Java",
}
"""The titles of the programs in the card of a call, by their language."""
KEY_LENGTH = 8
"""Characters of an idempotency key in a table."""


def calls_table(calls: Iterable[Any]) -> str:
    """A table with one row per call, oldest first; at most the newest 20.

    A column without a value, such as the duration in a process of its own, is left out.
    """
    all_calls = list(calls)
    table_rows = [_call_cells(call) for call in all_calls[-TABLE_ROWS_MAX:]]
    column_names: Sequence[str] = CALL_COLUMNS
    if table_rows:
        has_value_flags = [any(cells) for cells in zip(*table_rows, strict=True)]
        column_names = [*compress(CALL_COLUMNS, has_value_flags)]
        table_rows = [[*compress(cells, has_value_flags)] for cells in table_rows]
    service_name = all_calls[-1].place if all_calls else ""
    all_rows_hint = "lab.panel() shows all, lab.calls[0] is the first one"
    grid_html = grid(column_names, table_rows, len(all_calls), all_rows_hint=all_rows_hint)
    return card(column(heading(plural(len(all_calls), "call")), grid_html), source=service_name)


def call_card(call: Any) -> str:
    """A card with a call's summary; the request, response and signature open on click."""
    title_html = heading(f"{call.method} {call.path}")
    return card(column(title_html, call_details(call)), source=call.place)


def call_details(call: Any) -> str:
    """A call's summary; the request, response and signature open on click."""
    html_blocks = [
        collapsible_block("Request", _request_block(call)),
        collapsible_block("Response", _message_block(call.response_headers, call.response_body)),
        collapsible_block("Signature, layer by layer", text_block(repr(call.explain()))),
        collapsible_block("The same as a program", _programs_html(call)),
    ]
    return "".join([table(_summary_rows(call)), *html_blocks])


def _programs_html(call: Any) -> str:
    """The call as a program in each language, which opens on click."""
    program_html_blocks = [
        collapsible_block(title, text_block(call.snippet(language)))
        for language, title in PROGRAM_TITLES.items()
    ]
    advice_html = notice(NO_ADDRESS_ADVICE) if call.place.startswith(NO_ADDRESS) else ""
    return advice_html + "".join(program_html_blocks)


def explanation_card(explanation: object) -> str:
    """The layers of a signature."""
    return card(column(text_block(repr(explanation), is_whole=True)))


def service_table(service: Service) -> str:
    """The settings of a service: first those set by you or a probe, then all of them by group."""
    setting_rows = service.settings()
    your_rows = [
        _setting_cells(setting_row) for setting_row in setting_rows if setting_row.origin == YOURS
    ]
    title = f"{len(your_rows)} of {len(setting_rows)} settings are yours or were found by a probe"
    html_blocks = [heading(title)]
    if your_rows:
        html_blocks.append(grid(SETTING_COLUMNS, your_rows, row_max=len(your_rows)))
    rows_by_group: dict[str, list[list[str]]] = {}
    for setting_row in setting_rows:
        group_name = setting_row.key.partition(".")[0]
        rows_by_group.setdefault(group_name, []).append(_setting_cells(setting_row))
    for group_name, group_rows in rows_by_group.items():
        group_table_html = grid(SETTING_COLUMNS, group_rows, row_max=len(group_rows))
        html_blocks.append(
            collapsible_block(f"[{group_name}], {len(group_rows)} settings", group_table_html)
        )
    return card(column(*html_blocks))


SETTING_COLUMNS = ("Key", "In force", "Default", "Origin", "Assumption", "Question")


def _setting_cells(setting: SettingRow) -> list[str]:
    """The texts of `SETTING_COLUMNS` for a setting."""
    return [
        setting.key,
        _setting_text(setting.value),
        _setting_text(setting.default),
        setting.origin,
        setting.row,
        setting.question,
    ]


def _setting_text(setting_value: object) -> str:
    """A setting as text; several values with commas."""
    if isinstance(setting_value, tuple):
        return ", ".join(map(str, setting_value))
    return str(setting_value)


def _call_cells(call: Any) -> list[str | ToneText]:
    """The texts of `CALL_COLUMNS` for a call; empty for what it lacks, and for a first attempt."""
    duration_text = f"{call.spent.total * 1000:.0f} ms" if call.spent else ""
    return [
        str(call.number),
        f"{call.when:%Y-%m-%d %H:%M:%S}",
        call.method,
        call.path,
        ToneText(call.outcome(), BAD if call.failed else GOOD),
        duration_text,
        str(call.attempt) if call.attempt > 1 else "",
        (call.idempotency_key or "")[:KEY_LENGTH],
    ]


def _summary_rows(call: Any) -> list[Row]:
    """Rows of the values that a call has."""
    summary_rows = [
        ("Status", call.outcome()),
        ("Number", str(call.number)),
        ("When", call.when.isoformat()),
        ("Attempt", str(call.attempt)),
        ("Time", str(call.spent) if call.spent else ""),
        ("Idempotency key", call.idempotency_key or ""),
    ]
    return [(label, summary_text) for label, summary_text in summary_rows if summary_text]


def _request_block(call: Any) -> str:
    """The request of a call: its line with the query, its headers, and its body if it has one."""
    query_text = urlsplit(call.url).query
    target_text = f"{call.path}?{query_text}" if query_text else call.path
    request_line = f"{call.method} {target_text}"
    secrets_html = notice(SECRETS_NOTE) if call.payload else ""
    return secrets_html + _message_block(call.request_headers, call.request_body, request_line)


def _message_block(headers: Mapping[str, str], body: Any, request_line: str = "") -> str:
    """The headers of a request or response, and below them its body if it has one.

    The headers of a request are below its line, such as "GET /v1/transfers?limit=2".
    """
    message_lines = [request_line] if request_line else []
    message_lines += [
        f"{header_name}: {header_value}" for header_name, header_value in headers.items()
    ]
    if body:
        message_lines += ["", body.pretty()]
    return text_block("\n".join(message_lines))


class CallDisplay:
    """Show every call below the cell when it is made, until `stop()`."""

    def __init__(self, listen: Callable[[Callable[[Any], None]], Callable[[], None]]) -> None:
        """Begin to show calls; `listen` calls a function with each, and returns how to stop."""
        with extra_imports():
            from IPython import get_ipython
            from IPython.display import display

        self._shell: Any = get_ipython()
        self._display: Any = display  # IPython has no types
        self._cell_number: int | None = None
        self._calls: list[Any] = []
        # The handle of the table below that cell; None before it is shown.
        self._display_handle: Any = None
        self._stop_listening: Callable[[], None] | None = listen(self._show_call)

    def stop(self) -> None:
        """Stop showing calls."""
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None

    def _show_call(self, call: object) -> None:
        """Add a row to the table of this cell, or start a new table."""
        cell_number = getattr(self._shell, "execution_count", None)
        if self._display_handle is None or cell_number != self._cell_number:
            self._cell_number = cell_number
            self._calls = [call]
            self._display_handle = self._display(self._bundle(), raw=True, display_id=True)
            return
        self._calls.append(call)
        self._display_handle.update(self._bundle(), raw=True)

    def _bundle(self) -> dict[str, str]:
        """The calls of this cell for Jupyter: as a table and as text, by MIME type."""
        return {"text/html": calls_table(self._calls), "text/plain": repr(self._calls)}

    def __repr__(self) -> str:
        """Whether calls are shown."""
        return "<calls are shown as they are made>" if self._stop_listening else "<stopped>"
