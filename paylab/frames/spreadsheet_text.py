"""Cells of CSV that a spreadsheet would execute as formulas or round, escaped and restored.

An apostrophe before a formula makes it text; an apostrophe in such a place gets another, so that
removing one restores the value.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..storage.spreadsheet_cells import ESCAPED, FORMULA, INNER, SPOILED, restore_cell
from .columns import Schema

RISKY = f"{FORMULA}|{SPOILED}"
PLAIN = r"^-?[0-9]{1,12}(\.[0-9]{1,3})?$"
NUMBERS = ("amount", "seconds")


def guard_cells(texts: pa.Table, schema: Schema) -> pa.Table:
    """The table with every risky cell escaped; short plain amounts stay numbers."""
    columns = []
    for column_name, column in zip(texts.column_names, texts.columns, strict=True):
        cells = _replace_matches(column, INNER, r"\1'\2")
        is_risky = pc.match_substring_regex(cells, RISKY)
        if schema.kind(column_name) in NUMBERS:
            is_plain = pc.match_substring_regex(cells, PLAIN)
            is_risky = pc.and_(is_risky, pc.invert(is_plain))
        escaped_cells = pc.binary_join_element_wise("'", cells, "")
        columns.append(pc.if_else(is_risky, escaped_cells, cells))
    return pa.table(columns, texts.column_names)


def unguard_cells(texts: pa.Table) -> pa.Table:
    """The table as it was before its cells were escaped."""
    columns = []
    for cells in texts.columns:
        without_first = pc.utf8_slice_codeunits(cells, 1)
        is_risky = pc.match_substring_regex(without_first, RISKY)
        was_escaped = pc.and_(pc.starts_with(cells, "'"), is_risky)
        restored_cells = pc.if_else(was_escaped, without_first, cells)
        columns.append(_replace_matches(restored_cells, ESCAPED, r"\1\2"))
    return pa.table(columns, [*map(restore_cell, texts.column_names)])


def _replace_matches(cells: pa.ChunkedArray, pattern: str, replacement: str) -> pa.ChunkedArray:
    """The cells with each match replaced.

    Most columns have no match: this is fast for them.
    """
    if not pc.any(pc.match_substring_regex(cells, pattern)).as_py():
        return cells
    return pc.replace_substring_regex(cells, pattern=pattern, replacement=replacement)
