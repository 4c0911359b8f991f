"""Build HTML and plain text in which every value is escaped."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence

from ..errors.text import printable
from .cells import TIME_PATTERN, cell, words_html
from .ids import copy_button
from .style import (
    BADGE_COLOURS,
    BORDER,
    CARD_STYLE,
    CELL_STYLE,
    FAINT_LINE,
    GAP,
    GRID_CELL_STYLE,
    HEADER_STYLE,
    HEADING_STYLE,
    LABEL_STYLE,
    LIVE_COLOUR,
    MONO,
    MUTED,
    NOTICE_STYLE,
    PANEL,
    ROW_STYLE,
    SCROLL_SHADOW,
    TABLE_STYLE,
    WARNING_STYLE,
    WIDTH,
)
from .tones import BAD, GOOD, tone_dot

Row = tuple[str, str]

TABLE_ROWS_MAX = 20
BLOCK_LINES_MAX = 30
"""Lines from which preformatted text scrolls, so that what is below it stays within reach."""
COLUMN_PIXELS = 180
"""Width for a column of a table with short texts: on a wide page its columns stay together."""
BROKEN_TIME_COLUMNS_MAX = 8
"""A wider table scrolls sideways; its times stay on one line, so that its rows are not high."""


def printable_text(value: object) -> str:
    """The value as text with control and direction characters escaped."""
    return printable(str(value))


def escape(value: object) -> str:
    """The value escaped for HTML text and attributes."""
    return html.escape(printable_text(value))


def table(rows: Iterable[Row]) -> str:
    """A table with a label and a text per row."""
    return table_of_html((label, cell(cell_text)) for label, cell_text in rows)


def table_of_html(rows: Iterable[Row]) -> str:
    """A table with a label and HTML per row."""
    rows_html = "".join(
        f'<tr style="{ROW_STYLE}"><th style="{LABEL_STYLE}">{escape(label)}</th>'
        f'<td style="{CELL_STYLE}">{cell_html}</td></tr>'
        for label, cell_html in rows
    )
    return f'<table style="{TABLE_STYLE}"><tbody>{rows_html}</tbody></table>'


def grid(  # noqa: PLR0913 - what is shown, and how much of it
    column_names: Iterable[object],
    rows: Sequence[Sequence[object]],
    total: int | None = None,
    *,
    row_max: int = TABLE_ROWS_MAX,
    number_columns: Collection[int] = (),
    source: str = "",
    all_rows_hint: str = "",
) -> str:
    """A table with a header, at most `row_max` rows, and the number of further rows.

    `total` is the number of all rows if `rows` are only the first ones, and `all_rows_hint` says
    beside the number of further rows what has all, such as "frame() has all". `number_columns` are
    the positions of the columns that are aligned to the right. `source` names the service below the
    table, where it also says that times are UTC, unless the names of their columns do. No word is
    broken in the middle: a narrow page scrolls the table.
    """
    shown_rows = rows[:row_max]
    time_column_indexes = _find_time_columns(shown_rows)
    header_names = [str(column_name) for column_name in column_names]
    keeps_times_unbroken = len(header_names) > BROKEN_TIME_COLUMNS_MAX
    column_styles = [
        _column_style(
            is_number=column_index in number_columns,
            is_unbroken=keeps_times_unbroken and column_index in time_column_indexes,
            is_last=column_index == len(header_names) - 1,
        )
        for column_index in range(len(header_names))
    ]
    rows_html = "".join(
        _row_html(row, column_styles, time_column_indexes, is_last=row_number == len(shown_rows))
        for row_number, row in enumerate(shown_rows, 1)
    )
    if not shown_rows:
        rows_html = _empty_row_html(len(header_names))
    content_html = f"{_header_row_html(header_names, column_styles)}<tbody>{rows_html}</tbody>"
    width_style = f"min-width:min(100%,{COLUMN_PIXELS * len(header_names)}px)"
    table_html = f'<table style="{TABLE_STYLE};{width_style}">{content_html}</table>'
    row_count = len(rows) if total is None else total
    has_unnamed_times = any("UTC" not in header_names[index] for index in time_column_indexes)
    footer_html = _footer_line(
        row_count - len(shown_rows),
        source,
        all_rows_hint=all_rows_hint,
        has_times=has_unnamed_times,
    )
    return _scrolling_html(table_html) + footer_html


def _header_row_html(header_names: Sequence[str], styles: Sequence[str]) -> str:
    """The header of a table, each name in the style of its column."""
    cells_html = "".join(
        f'<th scope="col" style="{style};{HEADER_STYLE}">{_header_html(column_name)}</th>'
        for style, column_name in zip(styles, header_names, strict=True)
    )
    return f'<thead><tr style="background:none;border-bottom:{BORDER}">{cells_html}</tr></thead>'


def _scrolling_html(table_html: str) -> str:
    """A table that scrolls sideways by itself, with the mouse or the keyboard."""
    attributes_html = 'tabindex="0" role="group" aria-label="Table"'
    style = f"width:100%;max-width:{WIDTH};overflow-x:auto;margin:0 0 6px;{SCROLL_SHADOW}"
    return f'<div {attributes_html} style="{style}">{table_html}</div>'


def _find_time_columns(rows: Sequence[Sequence[object]]) -> set[int]:
    """The positions of the columns of times: all cells are times or empty, and one is a time."""
    time_column_indexes = set()
    for column_index, column_cells in enumerate(zip(*rows, strict=False)):
        column_texts = [
            str(cell_value) for cell_value in column_cells if cell_value not in (None, "")
        ]
        if column_texts and all(map(TIME_PATTERN.fullmatch, column_texts)):
            time_column_indexes.add(column_index)
    return time_column_indexes


def _column_style(*, is_number: bool, is_unbroken: bool, is_last: bool) -> str:
    """The style of the cells of a column; numbers are aligned to the right."""
    style = f"{GRID_CELL_STYLE};padding-right:0" if is_last else f"{GRID_CELL_STYLE};{GAP}"
    if is_unbroken:
        style = f"{style};white-space:nowrap"
    return f"{style};text-align:right" if is_number else style


def _header_html(column_name: str) -> str:
    """The name of a column, which may be broken into two lines after an underscore."""
    middle_index = len(column_name) / 2
    break_indexes = [index for index, character in enumerate(column_name, 1) if character == "_"]
    if not break_indexes:
        return escape(column_name)
    break_index = min(break_indexes, key=lambda index: abs(index - middle_index))
    return f"{escape(column_name[:break_index])}<wbr>{escape(column_name[break_index:])}"


def _row_html(
    row: Sequence[object], styles: Sequence[str], time_columns: Collection[int], *, is_last: bool
) -> str:
    """A row of a table, each cell in the style of its column; a line divides it from the next."""
    cells_html = "".join(
        f'<td style="{style}">{cell(cell_value, is_utc_stated=index in time_columns)}</td>'
        for index, (style, cell_value) in enumerate(zip(styles, row, strict=False))
    )
    row_style = ROW_STYLE if is_last else f"{ROW_STYLE};border-bottom:{FAINT_LINE}"
    return f'<tr style="{row_style}">{cells_html}</tr>'


def _empty_row_html(column_count: int) -> str:
    """A row that says that a table has no rows."""
    cell_html = f'<td colspan="{column_count}" style="{GRID_CELL_STYLE};{MUTED}">No rows</td>'
    return f'<tr style="{ROW_STYLE}">{cell_html}</tr>'


def _footer_line(
    hidden_count: int, service_name: str, *, all_rows_hint: str, has_times: bool
) -> str:
    """The number of the rows that are not shown, the time zone, and the name of the service.

    `all_rows_hint` stands beside the number. The result is empty if there is nothing to say.
    """
    more_text = f"{hidden_count:,} more" if hidden_count > 0 else ""
    if more_text and all_rows_hint:
        more_text += f": {all_rows_hint}"
    zone_text = "Times in UTC" if has_times else ""
    footer_texts = [text for text in (more_text, zone_text, service_name) if text]
    if not footer_texts:
        return ""
    return f'<div style="{MUTED};font-size:12px">{escape(" · ".join(footer_texts))}</div>'


def text_block(text: str, *, is_whole: bool = False) -> str:
    """Preformatted text with wrapped lines and a copy button; a long one scrolls.

    With `is_whole` no line is hidden: for text that is all a card has.
    """
    style = f"{MONO};{PANEL};flex:1;min-width:0;margin:0;padding:8px;font-size:12px"
    wrapping_style = "white-space:pre-wrap;overflow-wrap:anywhere;word-break:normal"
    text_lines = text.split("\n")
    escaped_text = "\n".join(map(escape, text_lines))
    is_long = not is_whole and len(text_lines) > BLOCK_LINES_MAX
    scrolling_style = "max-height:360px;overflow:auto" if is_long else ""
    # With the focus, arrow keys scroll it.
    focus_attribute = ' tabindex="0"' if is_long else ""
    block_style = f"{style};{wrapping_style};{scrolling_style}"
    block_html = f'<pre style="{block_style}"{focus_attribute}>{escaped_text}</pre>'
    return f'<div style="display:flex;align-items:flex-start">{block_html}{copy_button()}</div>'


def heading(text: str, service_name: str = "") -> str:
    """The heading of a card, with a badge that names the service beside it."""
    # A wide space: unlike a margin, it does not indent a badge that is on a line of its own.
    badge_html = f"&ensp;{badge(service_name)}" if service_name else ""
    return f'<div style="{HEADING_STYLE}">{escape(text)}{badge_html}</div>'


def warning(text: str) -> str:
    """A warning line."""
    return f'<div role="alert" style="{WARNING_STYLE};margin:0 0 8px">{escape(text)}</div>'


def notice(text: str) -> str:
    """A line that tells what was done, without colour."""
    return f'<div role="status" style="{MUTED};margin:4px 0">{escape(text)}</div>'


def verdict(text: str, *, is_good: bool) -> str:
    """The conclusion of a card, above its details, with a green or a red dot."""
    dot_html = tone_dot(GOOD if is_good else BAD)
    return (
        f'<div role="status" style="margin:0 0 8px;font-weight:600">{dot_html}{escape(text)}</div>'
    )


def labelled_notice(text: str, label: str = "Notice") -> str:
    """A message that must not be missed, in a box with its label; ids are as in a table."""
    label_html = f"<strong>{escape(label)}:</strong>"
    return f'<div role="status" style="{NOTICE_STYLE}">{label_html} {words_html(text)}</div>'


def collapsible_block(summary: str, content: str, note: str = "") -> str:
    """HTML below a summary that opens on click; with a `note` behind it, the summary stands out."""
    style = f"cursor:pointer;width:fit-content;font-size:13px;{MUTED}"
    title_html = escape(summary)
    if note:
        title_style = "color:var(--jp-ui-font-color1, inherit);font-weight:500"
        title_html = f'<span style="{title_style}">{title_html}</span> &ensp;{escape(note)}'
    summary_html = f'<summary style="{style}">{title_html}</summary>'
    content_html = f'<div style="margin-top:6px">{content}</div>'
    return f'<details style="margin-top:10px">{summary_html}{content_html}</details>'


def copyable_text(text: str) -> str:
    """Text that one click selects, with a copy button."""
    code_style = (
        f"{MONO};{PANEL};display:inline-block;max-width:100%;box-sizing:border-box;"
        "padding:2px 8px;user-select:all;overflow-wrap:anywhere;white-space:normal"
    )
    return f'<code style="{code_style}">{escape(text)}</code>{copy_button()}'


def column(*parts: str) -> str:
    """A column of a card that fills the free width, at least 280 pixels."""
    return f'<div style="flex:1 1 280px;min-width:0">{"".join(parts)}</div>'


def badge(text: str) -> str:
    """A label that names the service in use; empty for an empty text."""
    if not text:
        return ""
    service_kind = text.split(maxsplit=1)[0]
    colour = BADGE_COLOURS.get(service_kind.upper(), LIVE_COLOUR)
    fill_style = f"background:{colour};color:#fff"
    if colour != LIVE_COLOUR:  # quiet: only what may move real money calls for attention
        # The digits 24 after a colour make it almost transparent.
        fill_style = f"background:{colour}24;color:var(--jp-ui-font-color1, inherit)"
    style = (
        f"{fill_style};border:1px solid {colour};border-radius:10px;padding:0 8px;font-size:11px;"
        "font-weight:600;letter-spacing:.02em;line-height:1.6;display:inline-block;"
        "vertical-align:middle;"
        "max-width:100%;box-sizing:border-box;overflow-wrap:anywhere"
    )
    return f'<span class="paylab-badge" style="{style}">{escape(text)}</span>'


def card(*columns: str, source: str = "") -> str:
    """Columns side by side if the page is wide enough; `source` names the service below them."""
    footer_html = ""
    if source:
        style = f"flex:1 1 100%;margin-top:-8px;font-size:12px;{MUTED}"
        footer_html = f'<div style="{style}">{escape(source)}</div>'
    return f'<div class="paylab-card" style="{CARD_STYLE}">{"".join(columns)}{footer_html}</div>'


def plain_text(title: str, rows: Sequence[Row], service_name: str = "") -> str:
    """A card as plain text: title, name of the service, and aligned rows."""
    label_width = max((len(label) for label, _ in rows), default=0)
    title_line = f"{title}  [{service_name}]" if service_name else title
    row_lines = [
        f"  {printable_text(label):<{label_width}}  {printable_text(text)}" for label, text in rows
    ]
    return "\n".join([printable_text(title_line), *row_lines])


def plural(count: int, noun: str) -> str:
    """A number and its noun, such as `1 page` or `1,200 pages`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
