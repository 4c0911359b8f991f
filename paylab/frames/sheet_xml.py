"""The cells of a sheet as the XML of a workbook: openpyxl makes an object of each, which is slow.

A text is an inline text, also if it begins with =, which would be a formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

import pyarrow as pa

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from ..storage.spreadsheet_cells import escape_sheet_text
from . import decimals

NUMBER_DIGITS = 15  # digits that a spreadsheet keeps
CELL_LENGTH_MAX = 32_767  # maximum characters in a cell
TIME_FORMAT = "yyyy-mm-dd hh:mm:ss"
REPEATED_TEXTS = 1_000  # texts whose XML is kept, since currencies and statuses repeat

FindStyle = Callable[[str], int]
"""The number of the style with a number format, in the workbook that is written."""
WriteCell = Callable[[Any], str]
"""The XML of a cell from its value: all that follows its place."""


class SheetRows:
    """Writes the rows of typed tables as XML, in the styles of one workbook."""

    def __init__(self, find_style: FindStyle, zone: ZoneInfo) -> None:
        """Write times in `zone`; `find_style` returns the style of a number format."""
        with extra_imports():
            from openpyxl.utils import get_column_letter
        self._find_style = cache(find_style)
        self._zone = zone
        self._column_letters = cache(get_column_letter)
        self._row_number = 0
        self.long_number_names: set[str] = set()
        """The columns with a number that is text, because it has too many digits."""

    def write_header(self, column_names: Sequence[str]) -> str:
        """The XML of a row of texts."""
        return "".join(
            self._write_rows([[write_text(column_name)] for column_name in column_names])
        )

    def write(self, table: pa.Table) -> Iterator[str]:
        """Yield the XML of each row of a table."""
        return self._write_rows(
            [self._write_column(name, table[name]) for name in table.column_names]
        )

    def _write_rows(self, columns: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield rows from the cells of columns; a cell without a value is left out."""
        column_letters = [
            self._column_letters(column_number) for column_number in range(1, len(columns) + 1)
        ]
        for cells in zip(*columns, strict=True):
            self._row_number += 1
            row_number = self._row_number
            cells_xml = "".join(
                [
                    f'<c r="{letter}{row_number}"{cell_xml}'
                    for letter, cell_xml in zip(column_letters, cells, strict=True)
                    if cell_xml
                ]
            )
            yield f'<row r="{row_number}">{cells_xml}</row>'

    def _write_column(self, column_name: str, column: pa.ChunkedArray) -> list[str]:
        """The cells of a column; empty for a missing value."""
        if pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
            return self._write_numbers(column_name, column)
        write_cell: WriteCell = lru_cache(REPEATED_TEXTS)(write_text)
        if pa.types.is_floating(column.type):
            write_cell = write_float
        elif pa.types.is_timestamp(column.type) and column.type.tz:
            write_cell = self._make_time_writer()
        return [
            "" if cell_value is None else write_cell(cell_value)
            for cell_value in column.to_pylist()
        ]

    def _write_numbers(self, column_name: str, column: pa.ChunkedArray) -> list[str]:
        """The cells of exact numbers: text for one with too many digits."""
        is_decimal = pa.types.is_decimal(column.type)
        cells = []
        for number in column.to_pylist():
            if number is None:
                cells.append("")
                continue
            plain_text = write_exact_number(number) if is_decimal else str(number)
            if sum(map(str.isdigit, plain_text)) > NUMBER_DIGITS:
                self.long_number_names.add(column_name)
                cells.append(write_text(plain_text))
            else:
                style_attribute = self._find_amount_style(plain_text) if is_decimal else ""
                cells.append(f"{style_attribute}><v>{plain_text}</v></c>")
        return cells

    def _find_amount_style(self, plain_text: str) -> str:
        """The attribute of a cell that shows all decimals of an amount, at least two."""
        decimal_places = max(2, len(plain_text.partition(".")[2]))
        style_number = self._find_style(f"0.{'0' * decimal_places}")
        return f' s="{style_number}"'

    def _make_time_writer(self) -> WriteCell:
        """A function for cells of times in the zone, without the zone: a workbook has none."""
        with extra_imports():
            from openpyxl.utils.datetime import to_excel
        style_number = self._find_style(TIME_FORMAT)

        def write_time(moment: Any) -> str:
            """The cell of a time."""
            local_time = moment.astimezone(self._zone).replace(tzinfo=None)
            return f' s="{style_number}"><v>{to_excel(local_time)}</v></c>'

        return write_time


def write_exact_number(amount: Decimal) -> str:
    """An amount without an exponent and without zeros at its end."""
    return format(amount.normalize(decimals.UNLIMITED), "f")


def write_float(number: float) -> str:
    """A number; a text for an infinite one, and none for NaN."""
    if math.isnan(number):
        return ""
    return write_text(number) if math.isinf(number) else f"><v>{number!r}</v></c>"


def write_text(value: object) -> str:
    """A text; ConfigError if it is too long."""
    cell_text = str(value)
    if len(cell_text) > CELL_LENGTH_MAX:
        raise ConfigError(
            f"a cell holds {CELL_LENGTH_MAX:,} characters, {cell_text[:40]!r}… has "
            f"{len(cell_text):,}"
        )
    stored_text = escape(escape_sheet_text(cell_text))
    return f' t="inlineStr"><is><t xml:space="preserve">{stored_text}</t></is></c>'
