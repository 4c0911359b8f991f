"""Values below their label in a table within a text: CSV, Markdown, HTML, and aligned columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .fields import TYPE_NAMES, fold_case

DOCUMENT_LABEL = re.compile(
    rf"(?:(?:document[._ -]?)?(?:{'|'.join(TYPE_NAMES)})|document)(?:[._ -]?(?:number|no|id))?",
    re.IGNORECASE,
)
"""The label of a column of document numbers."""
_DOCUMENT_NUMBER = re.compile(r"[A-Za-z]{0,4}[ -]?\d[A-Za-z0-9.\-/ ]{3,22}")
_DIGIT_COUNT_MIN = 5
"""Minimum digits of a document number in a cell."""
_LINE = re.compile(r"[^\r\n]+")
_ROW = re.compile(r"<tr\b.{0,10000}?</tr", re.IGNORECASE | re.DOTALL)
_HTML_CELL = re.compile(r"<t[hd]\b[^<>]{0,200}>([^<>]{0,200})<", re.IGNORECASE)
_SERIES = re.compile(r"((?:^\S[^\n]{0,200}\n){1,1000})Name: ([^,\n]{1,40}),", re.MULTILINE)
_WORD = re.compile(r"\S+")
DELIMITERS = "|\t;,"
"""The characters between cells; without one of them cells are words."""


class _Cell(NamedTuple):
    """A cell of a row, and its place."""

    text: str
    start: int
    end: int


_Row = list[_Cell]


def is_document_number(text: str) -> bool:
    """Whether a cell has the form of a document number."""
    has_digits = sum(map(str.isdigit, text)) >= _DIGIT_COUNT_MIN
    return has_digits and _DOCUMENT_NUMBER.fullmatch(text) is not None


def find_column_values(
    text: str, label: re.Pattern[str], is_value: Callable[[str], bool], label_start: int = 0
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each value in a column whose label matches the pattern `label`.

    `label_start` is the offset of the first label. `is_value` says whether a cell counts.
    """
    cells = _find_cells_below(_split_html(text), label, _find_cell_at_index)
    if "\n" in text:
        first_line_start = text.rfind("\n", 0, label_start) + 1
        for delimiter in DELIMITERS:
            if delimiter in text:
                rows = _split_rows(text, delimiter, first_line_start)
                cells += _find_cells_below(rows, label, _find_cell_at_index)
        rows_of_words = _split_words(text, first_line_start)
        cells += _find_cells_below(rows_of_words, label, _make_edge_lookup(text))
        cells += _find_series_cells(text, label)
    for cell in cells:
        if is_value(cell.text):
            text_start = text.index(cell.text, cell.start)  # after its quotes and spaces
            yield text_start, text_start + len(cell.text)


def _find_cells_below(
    rows: Iterable[_Row],
    label: re.Pattern[str],
    find_cell: Callable[[_Row, _Row, int], _Cell | None],
) -> list[_Cell]:
    """The cells below a label, down to the end or to the next row of labels.

    `find_cell(label_row, row, index)` returns the cell of a row below the label at an index of the
    row of labels, or None.
    """
    cells: list[_Cell] = []
    label_row: _Row = []
    column_indexes: list[int] = []
    for row in rows:
        label_indexes = [index for index, cell in enumerate(row) if label.fullmatch(cell.text)]
        if label_indexes:
            label_row = row
            column_indexes = label_indexes
            continue
        for column_index in column_indexes:
            cell_below = find_cell(label_row, row, column_index)
            if cell_below:
                cells.append(cell_below)
    return cells


def _find_series_cells(text: str, label: re.Pattern[str]) -> Iterator[_Cell]:
    """Yield the values of a printed pandas Series, whose name stands below it."""
    if "Name: " not in text:
        return
    for series_match in _SERIES.finditer(text):
        if label.fullmatch(series_match[2]):
            for row in _split_words(text, *series_match.span(1)):
                yield row[-1]


def _find_cell_at_index(label_row: _Row, row: _Row, column_index: int) -> _Cell | None:
    """The cell in the column of a label; None for a row with more or fewer cells than labels."""
    return row[column_index] if len(row) == len(label_row) else None


def _make_edge_lookup(text: str) -> Callable[[_Row, _Row, int], _Cell | None]:
    """Make a function that finds the word below a label, with the same left or right edge."""

    def find_line_offset(offset: int) -> int:
        """The characters between the beginning of a line and a place in it."""
        return offset - text.rfind("\n", 0, offset) - 1

    def find_cell(label_row: _Row, row: _Row, column_index: int) -> _Cell | None:
        """The cell of a row whose left or right edge is that of a label; None without one."""
        left_edge = find_line_offset(label_row[column_index].start)
        right_edge = find_line_offset(label_row[column_index].end)
        aligned_cells = (
            cell
            for cell in row
            if left_edge == find_line_offset(cell.start) or right_edge == find_line_offset(cell.end)
        )
        return next(aligned_cells, None)

    return find_cell


def _split_html(text: str) -> Iterator[_Row]:
    """Yield the rows of the HTML tables in a text."""
    if "<tr" not in fold_case(text):
        return
    for row_match in _ROW.finditer(text):
        cell_matches = _HTML_CELL.finditer(text, *row_match.span())
        yield [_Cell(cell_match[1].strip(), *cell_match.span(1)) for cell_match in cell_matches]


def _split_rows(text: str, delimiter: str, start: int) -> Iterator[_Row]:
    """Yield the lines of a text, from an offset on, as cells between delimiters."""
    escaped_delimiter = re.escape(delimiter)
    cell_pattern = re.compile(
        rf'(?:^|{escaped_delimiter})("(?:[^"]|"")*+"|[^{escaped_delimiter}]*+)'
    )
    for line_match in _LINE.finditer(text, start):
        line_start = line_match.start()
        row: _Row = []
        for cell_match in cell_pattern.finditer(line_match[0]):
            cell_text = cell_match[1].strip(" \t\"'`*")
            cell_start, cell_end = cell_match.span(1)
            row.append(_Cell(cell_text, line_start + cell_start, line_start + cell_end))
        yield row


def _split_words(text: str, start: int = 0, end: int | None = None) -> Iterator[_Row]:
    """Yield the lines of a text, or of a part of it, as words; blank lines are left out."""
    for line_match in _LINE.finditer(text, start, len(text) if end is None else end):
        word_matches = _WORD.finditer(text, *line_match.span())
        row = [_Cell(word_match[0], *word_match.span()) for word_match in word_matches]
        if row:
            yield row
