"""Write workbooks: amounts as numbers with their decimals, text as text, times in your zone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
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
TIME_FORMAT = "yyyy-mm-dd hh:mm:ss"


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
        row_count = _fill_sheet(sheet, tables, zone, path)
    except BaseException:
        sheet.close()  # otherwise the library's writer warns when it is garbage-collected
        raise
    about_sheet = book.create_sheet("about")
    facts = {"time zone": tz, "rows": row_count, **(about or {})}
    for fact_name, fact in facts.items():
        about_sheet.append([_text_cell(about_sheet, fact_name), _text_cell(about_sheet, fact)])
    with replace(path) as sink:
        book.save(sink)
    return path


def _fill_sheet(sheet: Any, tables: Iterable[pa.Table], zone: ZoneInfo, path: Path) -> int:
    """Write header and rows; return the number of rows.

    ConfigError for more rows than a sheet holds.
    """
    row_count = 0
    for table_number, table in enumerate(tables):
        if table_number == 0:
            sheet.freeze_panes = "A2"  # the header stays when you scroll
            sheet.append([_text_cell(sheet, column_name) for column_name in table.column_names])
        row_count += table.num_rows
        if row_count > SHEET_ROWS_MAX:
            raise ConfigError(
                f"{path}: a sheet holds {SHEET_ROWS_MAX:,} rows; write CSV or Parquet"
            )
        columns = (_make_cells(column, sheet, zone) for column in table.columns)
        for cells in zip(*columns, strict=True):
            sheet.append(cells)
    return row_count


def _make_cells(column: pa.ChunkedArray, sheet: object, zone: ZoneInfo) -> Iterator[Any]:
    """Yield the cells of a column; None for a missing value."""
    make_cell: Callable[[Any], Any] = partial(_text_cell, sheet)
    if pa.types.is_integer(column.type):
        make_cell = int
    elif pa.types.is_decimal(column.type):
        make_cell = partial(_amount_cell, sheet)
    elif pa.types.is_timestamp(column.type) and column.type.tz:
        make_cell = partial(_time_cell, sheet, zone)
    return (None if value is None else make_cell(value) for value in column.to_pylist())


def _amount_cell(sheet: object, amount: Decimal) -> Any:
    """A cell of a number with at least two decimals; of text if it has too many digits."""
    with extra_imports():
        from openpyxl.cell import WriteOnlyCell
    plain_text = format(amount.normalize(decimals.UNLIMITED), "f")
    if sum(character.isdigit() for character in plain_text) > NUMBER_DIGITS:
        return _text_cell(sheet, plain_text)
    decimal_places = max(2, len(plain_text.partition(".")[2]))
    cell = WriteOnlyCell(sheet, Decimal(plain_text))
    cell.number_format = f"0.{'0' * decimal_places}"
    return cell


def _time_cell(sheet: object, zone: ZoneInfo, moment: datetime) -> Any:
    """A cell of a time in the zone, without the zone: a workbook has none."""
    with extra_imports():
        from openpyxl.cell import WriteOnlyCell
    cell = WriteOnlyCell(sheet, moment.astimezone(zone).replace(tzinfo=None))
    cell.number_format = TIME_FORMAT
    return cell


def _text_cell(sheet: object, value: object) -> Any:
    """A cell of text, also if it begins with =, which would be a formula."""
    with extra_imports():
        from openpyxl.cell import WriteOnlyCell
    cell = WriteOnlyCell(sheet, _escape_cell_text(str(value)))
    cell.data_type = "s"
    return cell


def _escape_cell_text(cell_text: str) -> str:
    """The text as a workbook stores it; ConfigError if it is too long."""
    if len(cell_text) > CELL_LENGTH_MAX:
        raise ConfigError(
            f"a cell holds {CELL_LENGTH_MAX:,} characters, {cell_text[:40]!r}… has "
            f"{len(cell_text):,}"
        )
    return escape_sheet_text(cell_text)
