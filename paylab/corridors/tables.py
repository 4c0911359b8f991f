"""Tables as HTML for a notebook and as aligned text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = tuple[str, ...]
"""The texts of the cells of a row."""

_STYLE = "padding:5px 12px 5px 0;border:0;text-align:left;vertical-align:top;line-height:1.45"
_CELL_STYLE = f"{_STYLE};background:none"
_LINE = "1px solid var(--jp-border-color2, rgba(128,128,128,.45))"
_HEADER_STYLE = (
    f"border-bottom:{_LINE};font-size:12px;font-weight:600;color:var(--jp-ui-font-color2, inherit)"
)
_ROW_STYLE = "background:none;border-bottom:1px solid rgba(128,128,128,.2)"
_TABLE_STYLE = (
    "width:100%;margin:0 0 10px;border-collapse:collapse;table-layout:auto;font-size:13px"
)
_CARD_STYLE = (
    "box-sizing:border-box;max-width:1240px;margin:4px 0;"
    "margin-right:calc(-2 * var(--jp-notebook-padding, 0px));"
    "margin-left:clamp(0px, (760px - 100vw) * 999, var(--jp-code-padding, 0px));"
    f"padding:16px;border:{_LINE};border-radius:8px;font-size:13px;overflow-x:auto"
)
"""The frame of a table, as cards of the views have it."""

_ONE_LINE_LENGTH = 16
"""Maximum length of a line that is not broken."""


def html_table(
    columns: Sequence[str],
    rows: Iterable[Row],
    notes: Iterable[str] = (),
    *,
    percents: Sequence[int] = (),
) -> str:
    """Return a table in HTML, and notes below it; a line break in a cell is kept.

    `percents` are the widths of the columns, which otherwise follow their texts.
    """
    from html import escape  # slow to import, and every client imports this module

    header_style = f"{_STYLE};{_HEADER_STYLE}"
    width_styles = [f";width:{percent}%" for percent in percents] or [""] * len(columns)
    header_cells = [
        f'<th scope="col" style="{header_style}{width_style}">{escape(column_name)}</th>'
        for column_name, width_style in zip(columns, width_styles, strict=True)
    ]
    head_html = f"<thead><tr>{''.join(header_cells)}</tr></thead>"
    body_html = "".join(_write_row(row) for row in rows)
    notes_html = "".join(f"<p>{escape(note_text)}</p>" for note_text in notes)
    table_html = f"{head_html}<tbody>{body_html}</tbody>"
    content_html = f'<table style="{_TABLE_STYLE}">{table_html}</table>{notes_html}'
    attributes = f'tabindex="0" role="group" aria-label="Table" style="{_CARD_STYLE}"'
    return f"<div {attributes}>{content_html}</div>"


def _write_row(row: Row) -> str:
    """Return a row in HTML, with a line below it."""
    return f'<tr style="{_ROW_STYLE}">{"".join(map(_write_cell, row))}</tr>'


def _write_cell(cell_text: str) -> str:
    """Return a cell in HTML, with its line breaks."""
    lines_html = "<br>".join(map(_write_line, cell_text.split("\n")))
    return f'<td style="{_CELL_STYLE}">{lines_html}</td>'


def _write_line(cell_line: str) -> str:
    """Return a line of a cell in HTML; a short one, such as a country, is not broken."""
    from html import escape

    escaped_line = escape(cell_line)
    if len(cell_line) > _ONE_LINE_LENGTH or " " not in cell_line:
        return escaped_line
    return f'<span style="white-space:nowrap">{escaped_line}</span>'


def align_columns(rows: Sequence[Row]) -> str:
    """Return a table with aligned columns, for a terminal; `rows` is not empty."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table_lines = []
    for row in rows:
        cells = [cell_text.ljust(width) for cell_text, width in zip(row, widths, strict=True)]
        table_lines.append("  ".join(cells).rstrip())
    return "\n".join(table_lines)


def join_words(words: Iterable[str]) -> str:
    """Return words with commas between them; "-" if there are none."""
    return ", ".join(words) or "-"
