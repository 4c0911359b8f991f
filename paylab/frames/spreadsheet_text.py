"""Cells of CSV that a spreadsheet would execute as formulas or round, escaped and restored.

An apostrophe before a formula makes it text; an apostrophe in such a place gets another, so that
removing one restores the value.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..storage.spreadsheet_cells import ESCAPED, FORMULA, INNER, SPOILED, restore_cell
from .columns import Schema

PLAIN = r"^-?[0-9]{1,12}(\.[0-9]{1,3})?$"
NUMBERS = ("amount", "seconds")


def guard_cells(texts: pa.Table, schema: Schema) -> pa.Table:
    """The table with every risky cell escaped; short plain amounts stay numbers."""
    columns = []
    for column_name, whole in zip(texts.column_names, texts.columns, strict=True):
        column = _replace_matches(whole, INNER, r"\1'\2")
        risky = pc.match_substring_regex(column, f"{FORMULA}|{SPOILED}")
        if schema.kind(column_name) in NUMBERS:
            risky = pc.and_(risky, pc.invert(pc.match_substring_regex(column, PLAIN)))
        columns.append(pc.if_else(risky, pc.binary_join_element_wise("'", column, ""), column))
    return pa.table(columns, texts.column_names)


def unguard_cells(texts: pa.Table) -> pa.Table:
    """The table as it was before its cells were escaped."""
    columns = []
    for column in texts.columns:
        after_quote = pc.utf8_slice_codeunits(column, 1)
        risky = pc.match_substring_regex(after_quote, f"{FORMULA}|{SPOILED}")
        was_escaped = pc.and_(pc.starts_with(column, "'"), risky)
        plain = pc.if_else(was_escaped, after_quote, column)
        columns.append(_replace_matches(plain, ESCAPED, r"\1\2"))
    return pa.table(columns, [*map(restore_cell, texts.column_names)])


def _replace_matches(column: pa.ChunkedArray, form: str, put: str) -> pa.ChunkedArray:
    """The column with each match replaced; most columns have none."""
    if not pc.any(pc.match_substring_regex(column, form)).as_py():
        return column
    return pc.replace_substring_regex(column, pattern=form, replacement=put)
