"""Pieces of HTML and plain text in which no value can be anything but text.

Colours are JupyterLab's variables; elsewhere the fallbacks suit light and dark pages alike.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from ..spec.text import printable

Row = tuple[str, str]

BORDER = "1px solid var(--jp-border-color2, rgba(128,128,128,.45))"
MUTED = "color:var(--jp-ui-font-color2, inherit)"
WARNING = "color:var(--jp-error-color1, #d32f2f);font-weight:600"
MONO = "font-family:var(--jp-code-font-family, monospace)"
PANEL = "background:var(--jp-layout-color2, rgba(128,128,128,.14));border-radius:4px"
CARD = (
    "display:flex;flex-wrap:wrap;gap:16px 24px;align-items:flex-start;box-sizing:border-box;"
    f"max-width:820px;margin:4px 0;padding:16px;border:{BORDER};border-radius:8px;"
    "color:var(--jp-ui-font-color1, inherit);font-size:14px;line-height:1.45"
)
TABLE = "margin:0;border-collapse:collapse;border:0;table-layout:auto;font-size:13px"
CELL = "padding:3px 0;border:0;text-align:left;vertical-align:top;overflow-wrap:anywhere"
LABEL = f"{CELL};padding-right:16px;font-weight:400;white-space:nowrap;{MUTED}"
ROW = "background:none;border:0"
HEADING = "font-size:16px;font-weight:600;margin:0 0 8px"
BADGES = {"SIMULATOR": "#1f6feb", "SANDBOX": "#9a6700", "RECORDING": "#57606a"}
"""The colour of a badge by its first word; any other host may move real money and is red."""
LIVE = "#cf222e"


def visible(value: object) -> str:
    """The value as text whose control and direction characters are escaped."""
    return printable(str(value))


def escape(value: object) -> str:
    """The value as HTML text, good inside an attribute too."""
    return html.escape(visible(value))


def table(rows: Iterable[Row]) -> str:
    """A table of a label and a text a row."""
    body = "".join(
        f'<tr style="{ROW}"><th style="{LABEL}">{escape(label)}</th>'
        f'<td style="{CELL}">{escape(text)}</td></tr>'
        for label, text in rows
    )
    return f'<table style="{TABLE}"><tbody>{body}</tbody></table>'


def lines(texts: Iterable[str]) -> str:
    """Lines for a `pre`."""
    return "\n".join(map(escape, texts))


def heading(text: str) -> str:
    """The line a card begins with."""
    return f'<div style="{HEADING}">{escape(text)}</div>'


def warning(text: str) -> str:
    """A line that must not be overlooked."""
    return f'<div role="alert" style="{WARNING};margin:0 0 8px">{escape(text)}</div>'


def folded(summary: str, inside: str) -> str:
    """HTML that opens on demand."""
    head = f'<summary style="cursor:pointer;{MUTED}">{escape(summary)}</summary>'
    body = f'<div style="margin-top:6px">{inside}</div>'
    return f'<details style="margin-top:10px">{head}{body}</details>'


def copyable(text: str) -> str:
    """Text that one click selects as a whole."""
    style = (
        f"{MONO};{PANEL};display:inline-block;max-width:100%;box-sizing:border-box;"
        "padding:2px 8px;user-select:all;overflow-wrap:anywhere;white-space:normal"
    )
    return f'<code style="{style}">{escape(text)}</code>'


def column(*parts: str, basis: int = 280) -> str:
    """A part of a card that takes the width that is left, from `basis` pixels on."""
    return f'<div style="flex:1 1 {basis}px;min-width:0">{"".join(parts)}</div>'


def badge(text: str) -> str:
    """A label that names the service in use; empty for an empty text."""
    if not text:
        return ""
    colour = BADGES.get(text.split(maxsplit=1)[0].upper(), LIVE)
    style = (
        f"background:{colour};color:#fff;border-radius:10px;padding:1px 8px;font-size:11px;"
        "font-weight:600;letter-spacing:.03em;line-height:1.6;display:inline-block;"
        "max-width:100%;box-sizing:border-box;overflow-wrap:anywhere"
    )
    return f'<span class="paylab-badge" style="{style}">{escape(text)}</span>'


def card(*columns: str, label: str = "") -> str:
    """Columns side by side where there is room, else below one another; `label` is a badge."""
    top = f'<div style="flex:1 1 100%;margin-bottom:-8px">{badge(label)}</div>' if label else ""
    return f'<div class="paylab-card" style="{CARD}">{top}{"".join(columns)}</div>'


def plain_text(title: str, rows: Sequence[Row], where: str = "") -> str:
    """The same for a terminal: a title, with the service's name, and aligned rows."""
    width = max((len(label) for label, _ in rows), default=0)
    lines = [f"  {visible(label):<{width}}  {visible(text)}" for label, text in rows]
    return "\n".join([visible(f"{title}  [{where}]" if where else title), *lines])


class Facts:
    """A title and rows of a label and a text, shown as a card."""

    where = ""

    def __init__(self, title: str, rows: Iterable[Row]) -> None:
        self.title, self.rows = title, list(rows)

    def table(self) -> list[Row]:
        """The rows, as plain text."""
        return self.rows

    def __repr__(self) -> str:
        return plain_text(self.title, self.rows, self.where)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        shown = card(column(heading(self.title), table(self.rows)), label=self.where)
        return {"text/html": shown, "text/plain": repr(self)}
