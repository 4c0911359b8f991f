"""Cells that a spreadsheet shows as they are: nothing runs, no id becomes a number.

An apostrophe in front makes a cell text; every cell that begins with one gets another, so that
taking one away gives back what was there.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from .schema import Schema

FORMULA = r"^['=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]"
# What a spreadsheet takes for a number and spoils: zeros in front, more than 15 digits, 12E45.
SPOILED = r"^0[0-9]|[0-9][0-9.,]{15}|^[0-9.]+[eE][0-9]+$"
PLAIN = r"^-?[0-9]{1,12}(\.[0-9]{1,3})?$"
NUMBERS = ("amount", "seconds")


def guard(texts: pa.Table, schema: Schema) -> pa.Table:
    """The table with every risky cell made text; short plain amounts stay numbers."""
    kinds = [schema.kind(name) for name in texts.column_names]
    columns = [
        _guarded(column, number=kind in NUMBERS)
        for column, kind in zip(texts.columns, kinds, strict=True)
    ]
    return pa.table(columns, texts.column_names)


def unguard(texts: pa.Table) -> pa.Table:
    """The table as it was before `guard`."""
    columns = [pc.replace_substring_regex(column, "^'", "") for column in texts.columns]
    return pa.table(columns, texts.column_names)


def _guarded(texts: pa.ChunkedArray, *, number: bool) -> pa.ChunkedArray:
    risky = pc.match_substring_regex(texts, f"{FORMULA}|{SPOILED}")
    if number:
        risky = pc.and_(risky, pc.invert(pc.match_substring_regex(texts, PLAIN)))
    return pc.if_else(risky, pc.binary_join_element_wise("'", texts, ""), texts)
