"""The tone of a status: good, bad, attention or none, and the dot and the sign that show it."""

from __future__ import annotations

GOOD = "good"
BAD = "bad"
ATTENTION = "attention"

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

DOT_COLOURS = {GOOD: "#2da44e", BAD: "#d1434b", ATTENTION: "#d4870b"}
PROGRESS_COLOUR = "#8b949e"


def status_dot(status: str) -> str:
    """A dot in the colour of a status as HTML; empty for a text that is no status."""
    tone = TONES.get(status)
    if tone is None and status not in PROGRESS_STATES:
        return ""
    return tone_dot(tone)


def tone_dot(tone: str | None) -> str:
    """A dot in the colour of a tone as HTML; grey without a tone."""
    colour = DOT_COLOURS[tone] if tone else PROGRESS_COLOUR
    style = (
        "display:inline-block;width:8px;height:8px;margin-right:6px;border-radius:50%;"
        f"background:{colour}"
    )
    return f'<span aria-hidden="true" style="{style}"></span>'


def visited_tone(status: str, *, is_current: bool) -> str:
    """The tone of a status that was visited, empty for none; attention is of the current only."""
    tone = TONES.get(status, "")
    return tone if is_current or tone != ATTENTION else ""
