"""Write workbooks: amounts as numbers with their decimals, text as text, times in your zone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from ..files import replace, require_writable
from ..storage.spreadsheet_cells import escape_sheet_text
from . import decimals
from .times import time_zone

SHEET_ROWS_MAX = 1_048_575  # rows of a sheet, without the header
NUMBER_DIGITS = 15  # digits that a spreadsheet keeps
CELL_LENGTH_MAX = 32_767  # maximum characters in a cell
TIME = "yyyy-mm-dd hh:mm:ss"


def write_workbook(
    tables: Iterable[pa.Table],
    path: Path,
    *,
    tz: str = "UTC",
    about: Mapping[str, Any] | None = None,
) -> Path:
    """Write typed tables to one sheet, and their source to a second sheet.

    A number with more than 15 digits is text, because a spreadsheet would round it.
    """
    with extra_imports():
        from openpyxl import Workbook
    zone = time_zone(tz)
    require_writable(path)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    try:
        count = _fill(sheet, tables, zone, path)
    except BaseException:
        sheet.close()  # otherwise the library's writer warns when it is garbage-collected
        raise
    notes = book.create_sheet("about")
    for fact_name, fact_value in {"time zone": tz, "rows": count, **(about or {})}.items():
        notes.append([_text_cell(notes, fact_name), _text_cell(notes, fact_value)])
    with replace(path) as sink:
        book.save(sink)
    return path


def _fill(sheet: Any, tables: Iterable[pa.Table], zone: ZoneInfo, path: Path) -> int:
    """Write header and rows; return the number of rows."""
    count = 0
    for table_number, table in enumerate(tables):
        if not table_number:
            sheet.freeze_panes = "A2"
            sheet.append([_text_cell(sheet, name) for name in table.column_names])
        count += table.num_rows
        if count > SHEET_ROWS_MAX:
            raise ConfigError(
                f"{path}: a sheet holds {SHEET_ROWS_MAX:,} rows; write CSV or Parquet"
            )
        columns = (_make_cells(column, sheet, zone) for column in table.columns)
        for cells in zip(*columns, strict=True):
            sheet.append(cells)
    return count


def _make_cells(column: pa.ChunkedArray, sheet: object, zone: ZoneInfo) -> Iterator[Any]:
    with extra_imports():
        from openpyxl.cell import WriteOnlyCell

    def text(value: object) -> Any:
        return _text_cell(sheet, value)

    def amount(value: Decimal) -> Any:
        plain_text = format(value.normalize(decimals.UNLIMITED), "f")
        decimal_places = max(2, len(plain_text.partition(".")[2]))
        if sum(character.isdigit() for character in plain_text) > NUMBER_DIGITS:
            return text(plain_text)
        cell = WriteOnlyCell(sheet, Decimal(plain_text))
        cell.number_format = f"0.{'0' * decimal_places}"
        return cell

    def moment(value: datetime) -> Any:
        cell = WriteOnlyCell(sheet, value.astimezone(zone).replace(tzinfo=None))
        cell.number_format = TIME
        return cell

    make_cell: Callable[[Any], Any] = int if pa.types.is_integer(column.type) else text
    if pa.types.is_decimal(column.type):
        make_cell = amount
    elif pa.types.is_timestamp(column.type) and column.type.tz:
        make_cell = moment
    return (None if value is None else make_cell(value) for value in column.to_pylist())


def _text_cell(sheet: object, cell_value: object) -> Any:
    """A cell of text, also if it begins with =, which would be a formula."""
    with extra_imports():
        from openpyxl.cell import WriteOnlyCell
    cell = WriteOnlyCell(sheet, _check_length(str(cell_value)))
    cell.data_type = "s"
    return cell


def _check_length(cell_text: str) -> str:
    """The text as a workbook stores it; ConfigError if it is too long."""
    if len(cell_text) > CELL_LENGTH_MAX:
        raise ConfigError(
            f"a cell holds {CELL_LENGTH_MAX:,} characters, {cell_text[:40]!r}… has "
            f"{len(cell_text):,}"
        )
    return escape_sheet_text(cell_text)
