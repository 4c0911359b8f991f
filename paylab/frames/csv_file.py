"""A frame as a CSV file, and back with the same types.

A missing value is an empty field and an empty text is `""`, so both come back as they were.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pcsv

from ..files import replace
from . import decimals, sidecar, times
from .frame import typed
from .schema import SCHEMAS, Kept, likeliest
from .spreadsheet import unguard

BLOCK = 1 << 24  # a row must fit in one block


def to_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a frame: amounts in plain digits, times as ISO 8601 with Z, ids as text."""
    target = Path(path)
    kept = frame.reset_index() if any(frame.index.names) else frame
    table = pa.Table.from_pandas(kept, preserve_index=False)
    with replace(target) as sink:
        pcsv.write_csv(pa.table([*map(_text, table.columns)], names=table.column_names), sink)
    sidecar.forget(target)
    return target


def read_csv(path: str | os.PathLike[str], kind: Kept | None = None) -> pd.DataFrame:
    """Read a CSV of transfers or conversions with exact types; unknown columns stay text.

    What an export made safe for spreadsheets, its sidecar says, is as it was before.
    """
    names, about = _header(Path(path)), sidecar.read(Path(path))
    schema = SCHEMAS[kind or about.get("kind") or likeliest(names).name]
    texts = _text_columns(Path(path), names)
    return typed(unguard(texts) if about.get("excel_safe") else texts, schema)


def _text_columns(path: Path, names: list[str]) -> pa.Table:
    return pcsv.read_csv(
        path,
        read_options=pcsv.ReadOptions(block_size=BLOCK),
        parse_options=pcsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=pcsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return next(csv.reader(lines), [])


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_decimal(column.type):
        return decimals.write(column)
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return times.write(column)
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
