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


def escape_cells(texts: pa.Table, schema: Schema) -> pa.Table:
    """The table with every risky cell escaped; short plain amounts stay numbers."""
    columns = []
    for column_name, column in zip(texts.column_names, texts.columns, strict=True):
        # A formula may start inside a cell, which a spreadsheet then splits.
        cells = _replace_matches(column, INNER, r"\1'\2")
        risky_mask = pc.match_substring_regex(cells, RISKY)
        if schema.kind(column_name) in NUMBERS:
            plain_mask = pc.match_substring_regex(cells, PLAIN)
            risky_mask = pc.and_(risky_mask, pc.invert(plain_mask))
        escaped_cells = pc.binary_join_element_wise("'", cells, "")
        columns.append(pc.if_else(risky_mask, escaped_cells, cells))
    return pa.table(columns, texts.column_names)


def restore_cells(texts: pa.Table) -> pa.Table:
    """The table as it was before `escape_cells`."""
    columns = []
    for cells in texts.columns:
        # The apostrophe in front was added last, so it is removed first.
        cells_without_first = pc.utf8_slice_codeunits(cells, 1)
        risky_mask = pc.match_substring_regex(cells_without_first, RISKY)
        escaped_mask = pc.and_(pc.starts_with(cells, "'"), risky_mask)
        restored_cells = pc.if_else(escaped_mask, cells_without_first, cells)
        columns.append(_replace_matches(restored_cells, ESCAPED, r"\1\2"))
    return pa.table(columns, [*map(restore_cell, texts.column_names)])


def _replace_matches(cells: pa.ChunkedArray, pattern: str, replacement: str) -> pa.ChunkedArray:
    """The cells with each match replaced.

    Most columns have no match: this is fast for them.
    """
    if not pc.any(pc.match_substring_regex(cells, pattern)).as_py():
        return cells
    return pc.replace_substring_regex(cells, pattern=pattern, replacement=replacement)
