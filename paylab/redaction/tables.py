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
_LINE = re.compile(r"[^\r\n]+")
_ROW = re.compile(r"<tr\b.{0,10000}?</tr", re.IGNORECASE | re.DOTALL)
_HTML_CELL = re.compile(r"<t[hd]\b[^<>]{0,200}>([^<>]{0,200})<", re.IGNORECASE)
_SERIES = re.compile(r"((?:^\S[^\n]{0,200}\n){1,1000})Name: ([^,\n]{1,40}),", re.MULTILINE)
_WORD = re.compile(r"\S+")
DELIMITERS = "|\t;,"
"""The signs between cells; without one of them cells are words."""


class _Cell(NamedTuple):
    """A cell of a row, and its place."""

    text: str
    start: int
    end: int


_Row = list[_Cell]


def is_document_number(text: str) -> bool:
    """Whether a cell has the form of a document number."""
    return sum(map(str.isdigit, text)) >= 5 and _DOCUMENT_NUMBER.fullmatch(text) is not None


def find_column_values(
    text: str, label: re.Pattern[str], is_value: Callable[[str], bool], first: int = 0
) -> Iterator[tuple[int, int]]:
    """The places of the values in columns with such a label; the first one stands at `first`."""
    first_line_start = text.rfind("\n", 0, first) + 1  # no line before it is below a label
    html = [
        [_Cell(cell[1].strip(), *cell.span(1)) for cell in _HTML_CELL.finditer(text, *row.span())]
        for row in (_ROW.finditer(text) if "<tr" in fold_case(text) else ())
    ]
    cells = _find_cells_below(html, label, _cell_at_index)
    for delimiter in DELIMITERS if "\n" in text else "":
        if delimiter in text:
            cells += _find_cells_below(
                _split_rows(text, delimiter, first_line_start), label, _cell_at_index
            )
    if "\n" in text:
        cells += _find_cells_below(
            _split_words(text, first_line_start), label, _make_edge_lookup(text)
        )
        cells += _find_series_cells(text, label)
    for cell in cells:
        if is_value(cell.text):
            cell_start = text.index(cell.text, cell.start)
            yield cell_start, cell_start + len(cell.text)


def _find_cells_below(
    rows: Iterable[_Row],
    label: re.Pattern[str],
    cell_of: Callable[[_Row, _Row, int], _Cell | None],
) -> list[_Cell]:
    """The cells below a label."""
    cells: list[_Cell] = []
    labels_row: _Row = []
    columns: list[int] = []
    for row in rows:
        labels = [at for at, cell in enumerate(row) if label.fullmatch(cell.text)]
        if labels:
            labels_row = row
            columns = labels
        else:
            cells += filter(None, (cell_of(labels_row, row, at) for at in columns))
    return cells


def _find_series_cells(text: str, label: re.Pattern[str]) -> Iterator[_Cell]:
    """The last words of the lines of a series, whose name stands below it."""
    for series in _SERIES.finditer(text) if "Name: " in text else ():
        if label.fullmatch(series[2]):
            for row in _split_words(text, *series.span(1)):
                yield row[-1]


def _cell_at_index(head: _Row, row: _Row, index: int) -> _Cell | None:
    return row[index] if len(row) == len(head) else None


def _make_edge_lookup(text: str) -> Callable[[_Row, _Row, int], _Cell | None]:
    """A function that finds the word at the left or right end of a label."""

    def column(place: int) -> int:
        return place - text.rfind("\n", 0, place) - 1

    def cell_of(head: _Row, row: _Row, at: int) -> _Cell | None:
        left_edge = column(head[at].start)
        right_edge = column(head[at].end)
        aligned = (
            cell
            for cell in row
            if left_edge == column(cell.start) or right_edge == column(cell.end)
        )
        return next(aligned, None)

    return cell_of


def _split_rows(text: str, delimiter: str, start: int) -> Iterator[_Row]:
    """The lines of a text, from a place, as cells between delimiters."""
    sign = re.escape(delimiter)
    cell = re.compile(rf'(?:^|{sign})("(?:[^"]|"")*+"|[^{sign}]*+)')
    for line in _LINE.finditer(text, start):
        yield [
            _Cell(
                match[1].strip(" \t\"'`*"),
                line.start() + match.start(1),
                line.start() + match.end(1),
            )
            for match in cell.finditer(line[0])
        ]


def _split_words(text: str, start: int = 0, end: int | None = None) -> Iterator[_Row]:
    """The lines of a text, or of a part of it, as words."""
    for line in _LINE.finditer(text, start, len(text) if end is None else end):
        word_matches = _WORD.finditer(text, *line.span())
        if row := [_Cell(word[0], *word.span()) for word in word_matches]:
            yield row
