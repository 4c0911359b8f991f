"""Cells of CSV that a spreadsheet would execute or change, and how they are escaped.

A spreadsheet of a country that separates numbers by commas splits a line at semicolons, others
split at tabs, and both within a cell whose quotes do not begin one of their own: a formula inside
a text then begins a cell. So it is escaped after each of these signs, too.
"""

from __future__ import annotations

import re

SIGNS = "'=+\\-@\uff1d\uff0b\uff0d\uff20"
"""What a formula begins with, and the apostrophe that escapes it."""

FORMULA = f"^[{SIGNS}\t\r\n]"
"""A cell that a spreadsheet executes, or that has an apostrophe as if it were escaped."""

INNER = f'([;\t\r\n])("*[{SIGNS}])'
"""A formula inside a cell, after a sign at which a spreadsheet may split."""

ESCAPED = f"([;\t\r\n])'(\"*[{SIGNS}])"
"""An escaped formula inside a cell."""

SPOILED = "^0[0-9]|[0-9][0-9.,]{15}|^[0-9.]+[eE][0-9]+$"
"""A text that a spreadsheet changes as a number: leading zeros, over 15 digits, 12E45."""

RESULTS = frozenset({"row", "outcome", "error"})
"""The columns of the results of a batch, whose formulas are escaped."""

UNSTORED = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
"""What a workbook escapes: characters that XML cannot hold, and what looks like an escape."""
STORED = re.compile("_x([0-9A-Fa-f]{4})_")

_RISKY = re.compile(f"{FORMULA}|{SPOILED}")


def escape_cell(cell_text: str) -> str:
    """Put an apostrophe before each formula in a cell, which makes it text in a spreadsheet.

    >>> escape_cell("=1+1")
    "'=1+1"
    >>> escape_cell("x;=1+1")
    "x;'=1+1"
    """
    cell_text = re.sub(INNER, r"\1'\2", cell_text)
    return f"'{cell_text}" if re.match(FORMULA, cell_text) else cell_text


def escape_sheet_text(text: str) -> str:
    """Escape the characters of a text that the XML of a workbook cannot hold, as Excel does.

    >>> escape_sheet_text("a\\r\\n_x000D_")
    'a_x000D_\\n_x005F_x000D_'
    """
    return UNSTORED.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def restore_sheet_text(text: str) -> str:
    """Restore the text of a cell of a workbook: the inverse of `escape_sheet_text`.

    >>> restore_sheet_text("a_x000D_")
    'a\\r'
    """
    return STORED.sub(lambda match: chr(int(match[1], 16)), text)


def restore_cell(cell_text: str) -> str:
    """Restore a cell of CSV: the inverse of `escape_cell`.

    >>> restore_cell("'=1+1")
    '=1+1'
    """
    if cell_text.startswith("'") and _RISKY.search(cell_text[1:]):
        cell_text = cell_text[1:]
    return re.sub(ESCAPED, r"\1\2", cell_text)
