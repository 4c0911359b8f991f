"""Read workbooks with exact types: numbers with the digits that a spreadsheet shows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, PaylabError
from ..errors.extras import extra_imports
from ..files import unreadable_error
from ..spec.time_arguments import read_date_or_time
from ..storage.addresses import is_url, local_copy, local_path, write_address
from ..storage.spreadsheet_cells import restore_sheet_text
from .column_choice import Names
from .columns import ListName, find_schema, likeliest_schema
from .extract import Extract
from .frame import typed_frame
from .sheet_formulas import refuse_uncomputed_formulas
from .sidecars import read_sidecar
from .times import read_time_zone
from .unknown_columns import warn_of_unknown_names

DIGITS_MAX = 15
"""Maximum digits that a spreadsheet keeps and shows."""
ABOUT = "about"
"""The sheet in which `to_excel` and `export` note the time zone."""


class Sheet(NamedTuple):
    """The rows of a sheet below its header, and the time zone that the workbook names, or UTC."""

    column_names: list[str]
    rows: list[list[Any]]
    tz: str


@explain_arguments
def read_excel(  # noqa: PLR0913 - which file, of which form, and which part of it
    path: str | os.PathLike[str],
    kind: ListName | None = None,
    *,
    sheet: str | None = None,
    tz: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    columns: Names | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Read a sheet of a workbook with exact types; otherwise like `read_csv`.

    Without `sheet` the first one is read. A number has the 15 digits that a spreadsheet keeps, and
    a formula its stored result; a formula without one, as programs write it, is an ExactnessError,
    because its amount would be missing. A workbook has no time zones: times, also those that are
    text without an offset, are in `tz`, by default the zone that `to_excel` noted in the sheet
    "about", or UTC; there, an hour that a change of clocks repeats is taken as the first one.

    >>> path = frame.paylab.to_excel("transfers.xlsx")
    >>> str(paylab.frames.read_excel(path)["source_amount"].dtype)
    'decimal'
    """
    extract = Extract.from_arguments(since, until, columns)
    with local_copy(path, storage_options) as local_file:
        sheet_content = read_sheet(local_file, write_address(os.fspath(path)), sheet)
    _require_unique(sheet_content.column_names)
    sidecar_facts = {} if is_url(path) else read_sidecar(local_path(path))
    names_in_sheet = sheet_content.column_names
    list_name = kind or sidecar_facts.get("kind")
    schema = find_schema(list_name) if list_name else likeliest_schema(names_in_sheet)
    if not list_name:
        warn_of_unknown_names(write_address(os.fspath(path)), names_in_sheet, schema.names)
    zone = read_time_zone(tz or sheet_content.tz)
    needed_names = extract.choose_columns(names_in_sheet)
    texts_by_name = {}
    for column_index, column_name in enumerate(names_in_sheet):
        if column_name in needed_names:
            has_times = schema.kind(column_name) == "time"
            write_text = _write_time if has_times else _write_text
            cell_texts = [write_text(row[column_index], zone) for row in sheet_content.rows]
            texts_by_name[column_name] = pa.chunked_array([pa.array(cell_texts, pa.string())])
    return extract.select_from(typed_frame(pa.table(texts_by_name), schema))


def read_sheet(path: Path, book_name: str, sheet: str | None) -> Sheet:
    """Read the rows of a sheet below its header; formulas as their stored results.

    A column without a name is called by its number. ConfigError if the file is no workbook, or has
    no such sheet; ExactnessError for a formula without a result.
    """
    with extra_imports():
        from openpyxl import load_workbook
    try:
        workbook = load_workbook(path, read_only=True, data_only=True)
    except Exception as error:
        raise unreadable_error(book_name, "a workbook", error) from None
    try:
        if sheet is not None and sheet not in workbook.sheetnames:
            sheet_names_text = ", ".join(workbook.sheetnames)
            raise ConfigError(
                f"{book_name} has no sheet {sheet!r:.60}; it has {sheet_names_text:.300}"
            )
        worksheet = workbook[sheet or workbook.sheetnames[0]]
        refuse_uncomputed_formulas(path, book_name, worksheet)
        sheet_rows = list(_read_used_rows(worksheet.iter_rows(values_only=True)))
        zone_name = _find_time_zone(workbook)
    finally:
        workbook.close()
    column_names = _name_columns(sheet_rows[0] if sheet_rows else [])
    column_count = len(column_names)
    cell_rows = [  # a workbook may leave out the empty cells at the end of a row
        sheet_row[:column_count] + [None] * (column_count - len(sheet_row))
        for sheet_row in sheet_rows[1:]
    ]
    return Sheet(column_names, cell_rows, zone_name)


def _name_columns(header_row: Sequence[object]) -> list[str]:
    """The names of the columns up to the last one with a name; "column 2" for one without."""
    names_and_blanks = list(header_row)
    while names_and_blanks and names_and_blanks[-1] is None:
        names_and_blanks.pop()
    return [
        f"column {column_number}" if name_or_blank is None else str(name_or_blank)
        for column_number, name_or_blank in enumerate(names_and_blanks, 1)
    ]


def _find_time_zone(workbook: Any) -> str:
    """The time zone that our own workbooks note; UTC for others."""
    if ABOUT not in workbook.sheetnames:
        return "UTC"
    for fact_name, *facts in workbook[ABOUT].iter_rows(values_only=True):
        if fact_name == "time zone" and facts:
            return str(facts[0])
    return "UTC"


def _require_unique(column_names: Sequence[str]) -> None:
    """PaylabError for a column name that the sheet has more than once."""
    for column_name in column_names:
        if column_names.count(column_name) > 1:
            message = f"the sheet has two columns {column_name[:60]!r}: rename or remove one"
            raise PaylabError(message)


def _write_text(cell: Any, zone: ZoneInfo) -> str | None:
    """The text of a cell as the service would send it; None for an empty cell."""
    if cell is None:
        return None
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=zone).astimezone(UTC).isoformat()
    return format(cell, "f") if isinstance(cell, Decimal) else str(cell)


def _write_time(cell: object, zone: ZoneInfo) -> str | None:
    """The text of a cell in a column of times: a text without an offset is in the zone too."""
    cell_text = _write_text(cell, zone)
    try:
        return read_date_or_time(cell_text or "", zone).isoformat()
    except ValueError:
        return cell_text


def _read_used_rows(sheet_rows: Iterable[Sequence[object]]) -> Iterator[list[Any]]:
    """Yield the rows of a sheet that have any value, with the values of `_read_cell`."""
    for sheet_row in sheet_rows:
        if any(cell_value is not None for cell_value in sheet_row):
            yield [_read_cell(cell_value) for cell_value in sheet_row]


def _read_cell(cell_value: object) -> Any:
    """A float as a Decimal of the 15 digits that a spreadsheet shows, or unescaped text.

    Any other value is unchanged.
    """
    if isinstance(cell_value, float):
        return Decimal(f"{cell_value:.{DIGITS_MAX}g}")
    return restore_sheet_text(cell_value) if isinstance(cell_value, str) else cell_value
