"""The tone of a status: good, bad, attention, progress or none, and the dot that shows it."""

from __future__ import annotations

from typing import NamedTuple

GOOD = "good"
BAD = "bad"
ATTENTION = "attention"
PROGRESS = "progress"

TONES = {
    "active": GOOD,
    "completed": GOOD,
    "rejected": BAD,
    "failed": BAD,
    "cancelled": BAD,
    "expired": BAD,
    "action_required": ATTENTION,
    "under_review": ATTENTION,
}
"""The tone by status; other statuses have none."""

TONE_SIGNS = {GOOD: "✓", BAD: "✗", ATTENTION: "!"}
PROGRESS_STATES = frozenset({"awaiting_funds", "pending", "processing", "started"})

DOT_COLOURS = {GOOD: "#2da44e", BAD: "#d1434b", ATTENTION: "#d4870b", PROGRESS: "#8b949e"}
"""The colours of dots; `widget.css` has the same."""


class ToneText(NamedTuple):
    """A text of a cell with the tone of the dot before it."""

    text: str
    tone: str


def status_tone(status: str) -> str:
    """The tone of a status; empty for a text that is no status."""
    return PROGRESS if status in PROGRESS_STATES else TONES.get(status, "")


def status_dot(status: str) -> str:
    """A dot in the colour of a status as HTML; empty for a text that is no status."""
    return tone_dot(status_tone(status))


def tone_dot(tone: str) -> str:
    """A dot in the colour of a tone as HTML; empty without a tone."""
    if not tone:
        return ""
    style = (
        "display:inline-block;width:8px;height:8px;margin-right:6px;border-radius:50%;"
        f"background:{DOT_COLOURS[tone]}"
    )
    return f'<span aria-hidden="true" style="{style}"></span>'


def visited_tone(status: str, *, is_current: bool) -> str:
    """The tone of a status that was visited, empty for none; attention is of the current only."""
    tone = TONES.get(status, "")
    return tone if is_current or tone != ATTENTION else ""
