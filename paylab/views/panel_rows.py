"""The rows of the live panel: a call, an event or a delivery each, in words and in detail."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from ..errors.text import plain
from ..light_dataclass import light_dataclass
from ..redaction.redaction import Redaction
from ..spec.error_words import read_error_message
from ..spec.text import JsonMapping, JsonObject
from .calls import call_details
from .html import notice, table, text_block
from .tones import status_tone

RowKind = Literal["call", "event", "delivery"]

COLUMNS = ("Time (UTC)", "What", "About", "Verdict")
"""The columns of the panel; the first one is in UTC."""

CELL_CHARACTERS_MAX = 200
WORDS_CHARACTERS_MAX = 120
"""Maximum characters of a cell, and of the service's words in it."""


@light_dataclass(frozen=True)
class PanelRow:
    """A row: its number in the panel, its kind, its cells, and what it was made of.

    `tone` is one of good, bad, attention or empty. `source` is the call, or the facts of an event.
    `is_open` is whether it is not finished and may change.
    """

    number: int
    kind: RowKind
    cells: tuple[str, ...]
    tone: str
    source: Any
    is_open: bool = False

    @property
    def dot(self) -> str:
        """The tone of the dot before the verdict: its own, or that of the status of an event."""
        if self.tone or self.kind != "event":
            return self.tone
        return status_tone(self.cells[-1])

    @property
    def message(self) -> JsonObject:
        """The row for the browser, as JSON."""
        return {
            "number": self.number,
            "kind": self.kind,
            "tone": self.tone,
            "dot": self.dot,
            "cells": list(self.cells),
            "resend": self.kind != "call",
        }


def call_row(number: int, call: Any) -> PanelRow:
    """The row of a call: its verdict is the status with the words of the service."""
    attempt_text = f"attempt {call.attempt}" if call.attempt > 1 else ""
    tone = "good"
    if call.failed:
        tone = "bad"
    elif call.replayed:
        tone = "attention"
    cells = (_time_text(call.when), f"{call.method} {call.path}", attempt_text, _call_verdict(call))
    return PanelRow(number, "call", _shorten_cells(cells), tone, source=call)


def event_row(number: int, at: datetime | None, facts: Mapping[str, object]) -> PanelRow:
    """The row of an event; its verdict is the status in its payload.

    `facts` have `event_type`, `resource_id` and `body`; those of a received event also have
    `deliveries` and `order`.
    """
    status_text = str(read_payload(facts).get("status") or "")
    order_text = str(facts.get("order") or "")
    delivery_count = facts.get("deliveries", 1)
    if order_text and delivery_count == 1:
        status_text += f", {order_text}"
    elif order_text:
        status_text += f", delivered {delivery_count} times"
    tone = "" if order_text in ("", "in order") else "attention"
    cells = (_time_text(at), facts.get("event_type"), facts.get("resource_id"), status_text)
    return PanelRow(number, "event", _shorten_cells(cells), tone, source=facts)


def delivery_row(number: int, at: datetime | None, facts: Mapping[str, object]) -> PanelRow:
    """The row of an attempt to deliver an event: its verdict is the answer of the receiver."""
    http_status = facts.get("status")
    error = facts.get("error")
    is_open = "status" not in facts
    is_good = isinstance(http_status, int) and 200 <= http_status < 300
    if is_open:
        verdict_text = "under way"
        tone = ""
    elif is_good:
        verdict_text = str(http_status)
        tone = "good"
    else:
        # Without a status nobody answered, and the error says why.
        reason = (error or "") if http_status is None else http_status
        verdict_text = f"{reason}, attempt {facts.get('attempt')}"
        tone = "bad"
    delivery_text = f"{facts.get('event_type')} delivered"
    # The newest row is first, so its event is not the row above: the id says which one it is.
    about_text = f"{facts.get('resource_id')} to {facts.get('url')}"
    cells = (_time_text(at), delivery_text, about_text, verdict_text)
    return PanelRow(number, "delivery", _shorten_cells(cells), tone, source=facts, is_open=is_open)


def finish_row(row: PanelRow) -> PanelRow:
    """The row of a delivery that has ended since, with its time."""
    time_text, *_ = row.cells
    finished_row = delivery_row(row.number, at=None, facts=row.source)
    return replace(finished_row, cells=(time_text, *finished_row.cells[1:]))


def row_details(row: PanelRow) -> str:
    """What a row has, as HTML: the whole call, or the payload of an event."""
    if row.kind == "call":
        return call_details(row.source)
    fact_texts = {
        fact_name: str(row.source.get(fact_name))
        for fact_name in DELIVERY_FACTS
        if row.source.get(fact_name)
    }
    payload = Redaction([]).json(dict(read_payload(row.source)))
    payload_text = json.dumps(payload, indent=2, ensure_ascii=False, default=str)
    return table(list(fact_texts.items())) + text_block(payload_text)


DELIVERY_FACTS = ("event_type", "resource_id", "url", "attempt", "cause", "status", "error")
"""What the details of an event show above its payload."""


def is_shown(row: PanelRow, filter_text: str, selection_name: str) -> bool:
    """Whether a row has all words of a filter, and is one of a selection.

    The script of the panel in the browser decides the same.
    """
    row_text = " ".join(row.cells).lower()
    has_all_words = all(word in row_text for word in filter_text.lower().split())
    return has_all_words and SELECTIONS[selection_name](row)


SELECTIONS: Mapping[str, Callable[[PanelRow], bool]] = {
    "everything": lambda row: True,
    "calls": lambda row: row.kind == "call",
    "events": lambda row: row.kind != "call",
    "problems": lambda row: row.tone in ("bad", "attention"),
}
"""The rows to choose from, by name."""


def read_payload(facts: Mapping[str, object]) -> JsonMapping:
    """The payload of an event; empty if it cannot be read."""
    event_body = facts.get("body")
    payload = event_body.get("event_payload") if isinstance(event_body, Mapping) else None
    return payload if isinstance(payload, Mapping) else {}


def unknown_row_notice() -> str:
    """What to show for a row that was dropped."""
    return notice("This row is no longer kept: the panel has the latest rows only.")


def _call_verdict(call: Any) -> str:
    """The status of a call, and of a failed one the words of the service or of the network."""
    outcome_text = str(call.outcome())
    if call.status is None or not call.failed:
        return outcome_text
    service_text = _service_words(str(call.response_body.text))
    reason = call.finding or service_text
    return f"{outcome_text}: {reason}" if reason else outcome_text


def _service_words(body_text: str) -> str:
    """The message in the text of a body; the text itself if it is no JSON."""
    try:
        answer_body = json.loads(body_text)
    except (ValueError, RecursionError):
        return plain(body_text, WORDS_CHARACTERS_MAX)
    return plain("; ".join(read_error_message(answer_body)), WORDS_CHARACTERS_MAX)


def _time_text(moment: datetime | None) -> str:
    """The time of day; empty if it is not known."""
    return f"{moment:%H:%M:%S}" if moment else ""


def _shorten_cells(cells: Sequence[object]) -> tuple[str, ...]:
    """The cells as text of a safe length, with control characters escaped."""
    return tuple(plain("" if cell is None else str(cell), CELL_CHARACTERS_MAX) for cell in cells)
