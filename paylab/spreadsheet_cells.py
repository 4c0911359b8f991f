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

_RISKY = re.compile(f"{FORMULA}|{SPOILED}")


def escape_cell(text: str) -> str:
    """A cell with an apostrophe before a formula, which makes it text in a spreadsheet.

    >>> escape_cell("=1+1")
    "'=1+1"
    >>> escape_cell("x;=1+1")
    "x;'=1+1"
    """
    text = re.sub(INNER, r"\1'\2", text)
    return f"'{text}" if re.match(FORMULA, text) else text


def restore_cell(text: str) -> str:
    """A cell as it was before it was escaped for a spreadsheet.

    >>> restore_cell("'=1+1")
    '=1+1'
    """
    text = text[1:] if text.startswith("'") and _RISKY.search(text[1:]) else text
    return re.sub(ESCAPED, r"\1\2", text)
