"""Write workbooks: amounts as numbers with their decimals, text as text, times in your zone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile
from zoneinfo import ZoneInfo

import pyarrow as pa

from ..errors.base import ConfigError, PaylabWarning, warn_caller
from ..errors.extras import extra_imports
from ..files import replace, require_writable
from ..storage.spreadsheet_cells import escape_sheet_text
from .sheet_xml import NUMBER_DIGITS, SheetRows
from .times import read_time_zone

SHEET_ROWS_MAX = 1_048_575  # rows of a sheet, without the header
ROWS_FILE = "xl/worksheets/sheet1.xml"
NO_ROWS = re.compile(rb"<sheetData\s*/>|<sheetData></sheetData>")
DIMENSION_ELEMENT = re.compile(rb"<dimension [^>]*/>")
"""The size of the sheet without rows; a sheet need not say it."""
COPIED_BYTES = 1 << 20


class SheetTextWarning(PaylabWarning):
    """A number of a workbook is text, because a spreadsheet would round it."""


def write_workbook(
    tables: Iterable[pa.Table],
    path: Path,
    *,
    tz: str = "UTC",
    about: Mapping[str, Any] | None = None,
) -> Path:
    """Write typed tables to one sheet, and their source to a second sheet.

    A number with more than 15 digits is text, because a spreadsheet would round it; the columns
    are named in a SheetTextWarning.
    """
    with extra_imports():
        from openpyxl import Workbook
    zone = read_time_zone(tz)
    require_writable(path)
    workbook = Workbook()
    workbook.active.title = "rows"
    with TemporaryFile() as rows_file:
        row_count = _write_rows(workbook, tables, zone, rows_file, path)
        fact_by_name = {"time zone": tz, "rows": row_count, **(about or {})}
        _write_facts(workbook.create_sheet("about"), fact_by_name)
        rows_file.seek(0)
        with replace(path) as workbook_file:
            _save_with_rows(workbook, rows_file, workbook_file)
    return path


def _write_rows(
    book: Any, tables: Iterable[pa.Table], zone: ZoneInfo, rows_file: IO[bytes], path: Path
) -> int:
    """Write header and rows as XML; return the number of rows.

    ConfigError for more rows than a sheet holds.
    """
    with extra_imports():
        from openpyxl.cell import WriteOnlyCell

    def find_style(number_format: str) -> int:
        """The number that the workbook gives to a format of numbers."""
        cell = WriteOnlyCell(book.active)
        cell.number_format = number_format
        return int(cell.style_id)

    sheet_rows = SheetRows(find_style, zone)
    row_count = 0
    for table_number, segment_table in enumerate(tables):
        if table_number == 0:
            book.active.freeze_panes = "A2"  # the header stays when you scroll
            rows_file.write(sheet_rows.write_header(segment_table.column_names).encode())
        row_count += segment_table.num_rows
        if row_count > SHEET_ROWS_MAX:
            raise ConfigError(
                f"{path}: a sheet holds {SHEET_ROWS_MAX:,} rows; write CSV or Parquet"
            )
        rows_file.writelines(row_xml.encode() for row_xml in sheet_rows.write(segment_table))
    _warn_of_texts(sheet_rows.long_number_names)
    return row_count


def _warn_of_texts(column_names: Collection[str]) -> None:
    """Warn that a spreadsheet holds the long numbers of these columns as text.

    Nothing happens without columns.
    """
    if column_names:
        names_text = ", ".join(sorted(column_names))
        warn_caller(
            f"a spreadsheet keeps {NUMBER_DIGITS} digits: longer numbers of {names_text} are text, "
            "which SUM leaves out; add them in the frame, or round them before you write",
            SheetTextWarning,
        )


def _write_facts(sheet: Any, facts: Mapping[str, Any]) -> None:
    """Write a row of texts for each fact."""
    for row_number, (fact_name, fact) in enumerate(facts.items(), 1):
        for column_number, cell_text in enumerate((str(fact_name), str(fact)), 1):
            cell = sheet.cell(row_number, column_number)
            cell.value = escape_sheet_text(cell_text)
            cell.data_type = "s"  # also if it begins with =


def _save_with_rows(book: Any, rows_file: IO[bytes], sink: BinaryIO) -> None:
    """Save a workbook with these rows in its first sheet. The sheet is empty before."""
    skeleton_file = BytesIO()
    book.save(skeleton_file)
    with ZipFile(skeleton_file) as source_zip, ZipFile(sink, "w", ZIP_DEFLATED) as target_zip:
        for zip_member in source_zip.infolist():
            if zip_member.filename != ROWS_FILE:
                target_zip.writestr(zip_member, source_zip.read(zip_member), ZIP_DEFLATED)
                continue
            sheet_xml = DIMENSION_ELEMENT.sub(b"", source_zip.read(zip_member))
            xml_before, xml_after = NO_ROWS.split(sheet_xml)
            with target_zip.open(zip_member.filename, "w", force_zip64=True) as sheet_file:
                sheet_file.write(xml_before + b"<sheetData>")
                while rows_bytes := rows_file.read(COPIED_BYTES):
                    sheet_file.write(rows_bytes)
                sheet_file.write(b"</sheetData>" + xml_after)
