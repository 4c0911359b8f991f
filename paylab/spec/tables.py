"""Tables as HTML for a notebook and as aligned text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

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

_SUMMARY_STYLE = "cursor:pointer;width:fit-content;font-weight:500"
_CODE_STYLE = (
    "font-family:var(--jp-code-font-family, monospace);background:none;padding:0;font-size:12px"
)

_ONE_LINE_LENGTH = 16
"""Maximum length of a line that is not broken."""

_CODE_PATTERN = re.compile(r"`([^`]+)`")
"""Code in a text, as Markdown writes it."""


def html_table(
    columns: Sequence[str],
    rows: Iterable[Row],
    notes: Iterable[str] = (),
    *,
    percents: Sequence[int] = (),
) -> str:
    """Return a framed table in HTML, and notes below it; a line break in a cell is kept.

    `percents` are the widths of the columns, which otherwise follow their texts.
    """
    return _frame(_write_table(columns, rows, percents) + _write_notes(notes))


class Section(NamedTuple):
    """A table below a line with its title; `percents` are the widths of its columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    percents: Sequence[int]


def html_sections(title: str, introduction: str, sections: Iterable[Section]) -> str:
    """Return tables in one frame in HTML; a click on the title of a section opens its table."""
    from html import escape

    section_htmls = []
    for section in sections:
        summary_html = f"{escape(section.title)} &ensp;{len(section.rows)} rows"
        table_html = _write_table(section.columns, section.rows, section.percents)
        section_htmls.append(
            f'<details style="margin-top:10px"><summary style="{_SUMMARY_STYLE}">{summary_html}'
            f'</summary><div style="margin-top:6px">{table_html}</div></details>'
        )
    title_html = f'<div style="font-size:16px;font-weight:600">{escape(title)}</div>'
    return _frame(title_html + _write_notes([introduction]) + "".join(section_htmls))


def _frame(content_html: str) -> str:
    """Return HTML in a frame that a narrow page scrolls sideways."""
    attributes = f'tabindex="0" role="group" aria-label="Table" style="{_CARD_STYLE}"'
    return f"<div {attributes}>{content_html}</div>"


def _write_notes(notes: Iterable[str]) -> str:
    """Return sentences in HTML, a paragraph each."""
    from html import escape

    return "".join(f"<p>{escape(note_text)}</p>" for note_text in notes)


def _write_table(columns: Sequence[str], rows: Iterable[Row], percents: Sequence[int]) -> str:
    """Return the table itself in HTML."""
    from html import escape  # slow to import, and every client imports this module

    header_style = f"{_STYLE};{_HEADER_STYLE}"
    width_styles = [f";width:{percent}%" for percent in percents] or [""] * len(columns)
    header_cells = [
        f'<th scope="col" style="{header_style}{width_style}">{escape(column_name)}</th>'
        for column_name, width_style in zip(columns, width_styles, strict=True)
    ]
    head_html = f"<thead><tr>{''.join(header_cells)}</tr></thead>"
    body_html = "".join(_write_row(row) for row in rows)
    return f'<table style="{_TABLE_STYLE}">{head_html}<tbody>{body_html}</tbody></table>'


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

    escaped_line = _CODE_PATTERN.sub(rf'<code style="{_CODE_STYLE}">\1</code>', escape(cell_line))
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


def wrap_columns(rows: Sequence[Row], widths: Sequence[int]) -> str:
    """Return a table for a terminal whose cells are broken into lines of these widths."""
    table_lines = []
    for row in rows:
        wrapped_cells = [
            textwrap.wrap(cell_text, width, break_on_hyphens=False)
            for cell_text, width in zip(row, widths, strict=True)
        ]
        for line_cells in zip_longest(*wrapped_cells, fillvalue=""):
            padded_cells = map(str.ljust, line_cells, widths)
            table_lines.append("  ".join(padded_cells).rstrip())
    return "\n".join(table_lines)


def join_words(words: Iterable[str]) -> str:
    """Return words with commas between them; "-" if there are none."""
    return ", ".join(words) or "-"
