"""Formulas of a workbook that have no stored result: programs write them, spreadsheets compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from ..errors.base import ExactnessError
from ..errors.extras import extra_imports
from ..errors.text import plain

_FORMULA_STARTS = (b"<f", b":f>", b":f ")
"""How the element of a formula may begin, also after a prefix."""


class _FormulaCell(NamedTuple):
    """A cell with a formula, and its place, such as B2."""

    place: str
    formula: str


def refuse_uncomputed_formulas(path: Path, book_name: str, worksheet: Any) -> None:
    """ExactnessError for the first formula of a sheet without a result, which would be blank.

    `worksheet` is the one of openpyxl. An empty text is a result.
    """
    with ZipFile(path) as archive:
        sheet_file_name = worksheet._worksheet_path  # the name is only there
        sheet_xml = archive.read(sheet_file_name)
        if not any(start in sheet_xml for start in _FORMULA_STARTS):
            return
        with archive.open(sheet_file_name) as sheet_file:
            uncomputed_cell = _find_uncomputed_cell(sheet_file)
    if uncomputed_cell is not None:
        formula_text = plain(f"={uncomputed_cell.formula}", 60)
        raise ExactnessError(
            f"{book_name}, cell {uncomputed_cell.place}: the formula {formula_text} has no stored "
            "result: open the workbook in a spreadsheet and save it, or write the values"
        )


def _find_uncomputed_cell(sheet_file: Any) -> _FormulaCell | None:
    """The first cell of a sheet that has a formula and no result."""
    with extra_imports():
        from openpyxl.xml.functions import iterparse
    for _, element in iterparse(sheet_file):
        if _local_name(element) != "c":
            continue
        texts_by_name = {_local_name(child): child.text for child in element}
        is_text = element.get("t") == "str"
        if "f" in texts_by_name and not is_text and not texts_by_name.get("v"):
            return _FormulaCell(element.get("r", ""), texts_by_name["f"] or "")
        element.clear()
    return None


def _local_name(element: Any) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
