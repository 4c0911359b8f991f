"""Calls and signatures as HTML: a table, and a card for each call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors.extras import explained
from ..spec.service.service import YOURS, Service, SettingRow
from .html import ROWS, card, column, folded, grid, heading, table, text_block

HEAD = ("number", "method", "path", "status", "time", "attempt", "key")


def calls_table(calls: Iterable[Any]) -> str:
    """A table with one row per call, oldest first; at most the newest 20.

    A column without a value, such as the time on a frozen clock, is left out.
    """
    call_list = list(calls)
    cells = [_cells(call) for call in call_list[-ROWS:]]
    place = call_list[-1].place if call_list else ""
    columns_used = [
        at for at, name in enumerate(HEAD) if any(row[at] for row in cells) or not cells
    ]
    rows = [[row[at] for at in columns_used] for row in cells]
    return card(column(grid([HEAD[at] for at in columns_used], rows, len(call_list))), label=place)


def call_card(call: Any) -> str:
    """A card with a call's summary; the request, response and signature open on click."""
    parts = [
        folded("Request", _message(call.request_headers, call.request_body)),
        folded("Response", _message(call.response_headers, call.response_body)),
        folded("Signature, layer by layer", text_block(repr(call.explain()))),
        folded("The same with curl", text_block(call.as_curl())),
    ]
    title = f"{call.method} {call.path}"
    return card(column(heading(title), table(_summary(call)), *parts), label=call.place)


def explanation_card(explanation: Any) -> str:
    """The layers of a signature."""
    return card(column(text_block(repr(explanation))))


def service_table(service: Service) -> str:
    """The settings of a service: first those set by you or a probe, then all of them by group."""
    settings = service.settings()
    your_settings = [setting for setting in settings if setting.origin == YOURS]
    groups: dict[str, list[list[str]]] = {}
    for setting in settings:
        groups.setdefault(setting.key.partition(".")[0], []).append(_setting(setting))
    stated = f"{len(your_settings)} of {len(settings)} settings are yours or were found by a probe"
    parts = (
        [grid(SETTING, [*map(_setting, your_settings)], most=len(your_settings))]
        if your_settings
        else []
    )
    for name, rows in groups.items():
        parts.append(folded(f"[{name}], {len(rows)} settings", grid(SETTING, rows, most=len(rows))))
    return card(column(heading(stated), *parts))


SETTING = ("key", "in force", "default", "origin", "assumption", "question")


def _setting(setting: SettingRow) -> list[str]:
    values = (setting.value, setting.default)
    value_texts = [", ".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in values]
    return [setting.key, *value_texts, setting.origin, setting.row, setting.question]


def _cells(call: Any) -> list[str]:
    time = f"{call.spent.total * 1000:.0f} ms" if call.spent else ""
    key = (call.idempotency_key or "")[:8]
    return [str(call.number), call.method, call.path, call.outcome(), time, str(call.attempt), key]


def _summary(call: Any) -> list[tuple[str, str]]:
    rows = [
        ("status", call.outcome()),
        ("number", str(call.number)),
        ("when", call.when.isoformat()),
        ("attempt", str(call.attempt)),
        ("time", str(call.spent) if call.spent else ""),
        ("idempotency key", call.idempotency_key or ""),
    ]
    return [row for row in rows if row[1]]


def _message(headers: Mapping[str, str], body: Any) -> str:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return text_block("\n".join([*lines, "", body.pretty()] if body else lines))


class OnScreen:
    """Show every call below the cell when it is made, until `stop()`."""

    def __init__(self, listen: Callable[[Callable[[Any], None]], Callable[[], None]]) -> None:
        with explained():
            from IPython import get_ipython
            from IPython.display import display

        self._shell: Any = get_ipython()
        self._display: Any = display  # IPython has no types
        self._cell: object = object()
        self._calls: list[Any] = []
        self._handle: Any = None
        self._end: Callable[[], None] | None = listen(self._show)

    def stop(self) -> None:
        """Stop showing calls."""
        if self._end is not None:
            self._end()
            self._end = None

    def _show(self, call: Any) -> None:
        """Add a row to the table of this cell, or start a new table."""
        cell = getattr(self._shell, "execution_count", None)
        if self._handle is None or cell != self._cell:
            self._cell = cell
            self._calls = [call]
            self._handle = self._display(self._table(), raw=True, display_id=True)
            return
        self._calls.append(call)
        self._handle.update(self._table(), raw=True)

    def _table(self) -> dict[str, str]:
        return {"text/html": calls_table(self._calls), "text/plain": repr(self._calls)}

    def __repr__(self) -> str:
        return "<calls are shown as they are made>" if self._end else "<stopped>"
