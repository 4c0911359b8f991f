"""Build HTML and plain text in which every value is escaped.

Colours are JupyterLab's variables; the fallbacks suit light and dark pages.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence

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
HEADING = "font-size:16px;font-weight:600;margin:0 0 8px;overflow-wrap:anywhere"
BADGES = {"SIMULATOR": "#1f6feb", "SANDBOX": "#9a6700", "RECORDING": "#57606a"}
"""The colour of a badge by its first word; any other host may move real money: red."""
LIVE = "#cf222e"


def visible(value: object) -> str:
    """The value as text with control and direction characters escaped."""
    return printable(str(value))


def escape(value: object) -> str:
    """The value escaped for HTML text and attributes."""
    return html.escape(visible(value))


def table(rows: Iterable[Row]) -> str:
    """A table with a label and a text per row."""
    body = "".join(
        f'<tr style="{ROW}"><th style="{LABEL}">{escape(label)}</th>'
        f'<td style="{CELL}">{cell(text)}</td></tr>'
        for label, text in rows
    )
    return f'<table style="{TABLE}"><tbody>{body}</tbody></table>'


ROWS = 20
"""Maximum rows of a table."""

LONG = 24
"""Length from which a single word, such as an id, is shortened in the middle."""

CODE = f"{MONO};white-space:nowrap;background:none;padding:0;font-size:12px"

AMOUNT = re.compile(r"[0-9.]{1,24} [A-Z]{3,5}")
SHORT = 16
"""Maximum length of a text that is kept on one line."""

JOINT = re.compile(r"(?<=[_./:;,&?])(?=\w)")
"""Where a long word may be broken."""

COPY = (
    "var b=this,e=b.previousElementSibling,t=e.title||e.textContent;"
    "function f(){var a=document.createElement('textarea');a.value=t;"
    "document.body.append(a);a.select();document.execCommand('copy');a.remove()}"
    "navigator.clipboard?navigator.clipboard.writeText(t).catch(f):f();"
    "b.style.color='#2e8b57';setTimeout(function(){b.style.color='inherit'},900)"
)
"""Script that copies the full text of the element before the button."""

ICON = (
    '<svg aria-hidden="true" width="13" height="13" viewBox="0 0 16 16" fill="none" '
    # JupyterLab's max-width of 100% would count as no width in a narrow column.
    'style="max-width:none" stroke="currentColor" stroke-width="1.5">'
    '<rect x="5" y="5" width="9" height="9" rx="1.5"/>'
    '<path d="M11 2.5H3.5a1 1 0 0 0-1 1V11"/></svg>'
)

ID = re.compile(r"([a-z]+_)[0-9A-Za-z]{16,}")
"""An id, of which people read the kind and the end: the time and chance between are alike."""

TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)[.\d]*(Z|\+00:00)")


def copy_button() -> str:
    """A button that copies the element before it; invisible where scripts do not run."""
    style = (
        "border:0;background:none;color:inherit;cursor:pointer;padding:0 3px;line-height:1;"
        "vertical-align:middle"
    )
    return (
        f'<button type="button" class="paylab-copy" title="Copy" aria-label="Copy" '
        f'style="{style}" onclick="{html.escape(COPY)}">{ICON}</button>'
    )


def shortened(text: str) -> str:
    """An id or address without its middle: the kind or the first, and the last characters stay."""
    if identified := ID.fullmatch(text):
        return f"{identified[1]}…{text[-4:]}"
    is_id = len(text) > LONG and " " not in text and any(map(str.isdigit, text))
    return f"{text[:9]}…{text[-4:]}" if is_id else text


def cell(value: object) -> str:
    """A value as HTML; a long word is shortened, with the full text as tooltip and to copy."""
    text = visible("" if value is None else value)
    if time := TIME.fullmatch(text):
        parts = " ".join(
            f'<span style="white-space:nowrap">{part}</span>' for part in time.groups()[:2]
        )
        return f'<time title="{text}">{parts}</time>'
    short = shortened(text)
    if short != text:
        full = f'<code title="{html.escape(text)}" style="{CODE}">{html.escape(short)}</code>'
        return f'<span style="white-space:nowrap">{full}{copy_button()}</span>'
    if len(text) <= SHORT or AMOUNT.fullmatch(text):
        return f'<span style="white-space:nowrap">{html.escape(text)}</span>' if text else ""
    return " ".join(map(_breakable, text.split(" ")))


def _breakable(word: str) -> str:
    """A word for HTML; a long one may be broken at its joints, and nowhere else."""
    parts = JOINT.split(word) if len(word) > LONG else [word]
    return "<wbr>".join(map(html.escape, parts))


def grid(
    names: Iterable[object],
    rows: Sequence[Sequence[object]],
    total: int | None = None,
    *,
    most: int = ROWS,
    numbers: Collection[int] = (),
) -> str:
    """A table with a header, at most `most` rows, and the number of further rows.

    `numbers` are the positions of the columns that are aligned to the right. No word is broken
    in the middle. Too narrow a page scrolls the table, not the output; the keyboard can scroll it.
    """
    # Of a notebook that is not trusted, JupyterLab keeps plain lengths only, not min().
    style = f"{CELL};overflow-wrap:normal;padding-right:12px;padding-right:min(12px,1vw)"
    right = f"{style};text-align:right"
    heads = list(names)
    styles = [right if at in numbers else style for at in range(len(heads))]
    top = "".join(
        f'<th scope="col" style="{column_style};border-bottom:{BORDER}">'
        f"{'_<wbr>'.join(map(escape, str(name).split('_')))}</th>"
        for column_style, name in zip(styles, heads, strict=True)
    )
    body = "".join(
        f'<tr style="{ROW}">'
        + "".join(
            f'<td style="{column_style}">{cell(value)}</td>'
            for column_style, value in zip(styles, row, strict=False)
        )
        + "</tr>"
        for row in rows[:most]
    )
    hidden_count = (len(rows) if total is None else total) - min(len(rows), most)
    remainder = (
        f'<div style="{MUTED};font-size:13px">{hidden_count:,} more</div>'
        if hidden_count > 0
        else ""
    )
    inside = f'<thead><tr style="{ROW}">{top}</tr></thead><tbody>{body}</tbody>'
    frame = 'tabindex="0" role="group" aria-label="Table" style="max-width:100%;overflow-x:auto"'
    return f'<div {frame}><table style="{TABLE};max-width:100%">{inside}</table></div>{remainder}'


def text_block(text: str) -> str:
    """Preformatted text with wrapped lines and a copy button."""
    style = f"{MONO};{PANEL};flex:1;min-width:0;margin:0;padding:8px;font-size:12px"
    wrapped = "white-space:pre-wrap;overflow-wrap:anywhere;word-break:normal"
    lines = "\n".join(map(escape, text.split("\n")))
    block = f'<pre style="{style};{wrapped}">{lines}</pre>'
    return f'<div style="display:flex;align-items:flex-start">{block}{copy_button()}</div>'


def heading(text: str) -> str:
    """The heading of a card."""
    return f'<div style="{HEADING}">{escape(text)}</div>'


def warning(text: str) -> str:
    """A warning line."""
    return f'<div role="alert" style="{WARNING};margin:0 0 8px">{escape(text)}</div>'


def notice(text: str) -> str:
    """A line that tells what was done, without colour."""
    return f'<div role="status" style="{MUTED};margin:4px 0">{escape(text)}</div>'


def folded(summary: str, inside: str) -> str:
    """HTML that opens on click."""
    summary_html = f'<summary style="cursor:pointer;{MUTED}">{escape(summary)}</summary>'
    body = f'<div style="margin-top:6px">{inside}</div>'
    return f'<details style="margin-top:10px">{summary_html}{body}</details>'


def copyable(text: str) -> str:
    """Text that one click selects, with a copy button."""
    style = (
        f"{MONO};{PANEL};display:inline-block;max-width:100%;box-sizing:border-box;"
        "padding:2px 8px;user-select:all;overflow-wrap:anywhere;white-space:normal"
    )
    return f'<code style="{style}">{escape(text)}</code>{copy_button()}'


def column(*parts: str) -> str:
    """A column of a card that fills the free width, at least 280 pixels."""
    return f'<div style="flex:1 1 280px;min-width:0">{"".join(parts)}</div>'


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
    """Columns side by side if the page is wide enough; `label` is the text of a badge."""
    top = f'<div style="flex:1 1 100%;margin-bottom:-8px">{badge(label)}</div>' if label else ""
    return f'<div class="paylab-card" style="{CARD}">{top}{"".join(columns)}</div>'


def plain_text(title: str, rows: Sequence[Row], where: str = "") -> str:
    """A card as plain text: title, name of the service, and aligned rows."""
    width = max((len(label) for label, _ in rows), default=0)
    lines = [f"  {visible(label):<{width}}  {visible(text)}" for label, text in rows]
    return "\n".join([visible(f"{title}  [{where}]" if where else title), *lines])
