"""Tables as HTML for a notebook and as aligned text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = tuple[str, ...]
"""The texts of the cells of a row."""

_CELL_STYLE = ' style="text-align:left;vertical-align:top"'


def html_table(columns: Sequence[str], rows: Iterable[Row], notes: Iterable[str] = ()) -> str:
    """Return a table in HTML, and notes below it; a line break in a cell is kept."""
    from html import escape  # slow to import, and every client imports this module

    header_cells = [f"<th{_CELL_STYLE}>{escape(column)}</th>" for column in columns]
    header = "".join(header_cells)
    body = ""
    for row in rows:
        cell_texts = [escape(text).replace("\n", "<br>") for text in row]
        cells = "".join(f"<td{_CELL_STYLE}>{text}</td>" for text in cell_texts)
        body += f"<tr>{cells}</tr>"
    paragraphs = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>{paragraphs}"


def align_columns(rows: Sequence[Row]) -> str:
    """Return a table with aligned columns, for a terminal; `rows` is not empty."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def join_words(words: Iterable[str]) -> str:
    """Return words with commas between them; "-" if there are none."""
    return ", ".join(words) or "-"
