"""Read and write CSV files, escape cells for spreadsheets, and describe columns in a sidecar.

A leading apostrophe makes a cell text; a cell that starts with one gets another, so that removing
one restores the value.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from ..errors import PaylabError
from ..files import csv_header, file_mode, replace, unreadable
from . import columns as times
from . import decimals
from .columns import SCHEMAS, Kept, Kind, Schema, likeliest
from .frame import typed_frame

FORMULA = r"^['=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]"
# Text that a spreadsheet would change as a number: leading zeros, over 15 digits, 12E45.
SPOILED = r"^0[0-9]|[0-9][0-9.,]{15}|^[0-9.]+[eE][0-9]+$"
PLAIN = r"^-?[0-9]{1,12}(\.[0-9]{1,3})?$"
NUMBERS = ("amount", "seconds")


def guard(texts: pa.Table, schema: Schema) -> pa.Table:
    """The table with every risky cell escaped; short plain amounts stay numbers."""
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


MEANING: dict[Kind, str] = {
    "text": "text, as the service sent it",
    "list": "texts joined by commas",
    "word": "one of a few words",
    "amount": "an exact decimal number, as text; do not read it as a float",
    "time": "a time in UTC, ISO 8601",
    "seconds": "a whole number of seconds",
}


def _beside(path: Path) -> Path:
    """The path of the sidecar of a file or a folder."""
    path = path.resolve()
    return path / "_columns.json" if path.is_dir() else path.with_name(f"{path.name}.columns.json")


def write_sidecar(
    path: Path, schema: Schema, about: Mapping[str, Any], mode: int | None = None
) -> None:
    """Write a description of the columns and the source of the rows."""
    columns = [
        {"name": c.name, "kind": c.kind, "field": c.path or c.name, "meaning": MEANING[c.kind]}
        for c in schema.columns
    ]
    text = json.dumps({"kind": schema.name, **about, "columns": columns}, indent=1)
    with replace(_beside(path), mode=mode) as sink:
        sink.write(text.encode() + b"\n")


def forget_sidecar(path: Path) -> int | None:
    """Remove the sidecar of a replaced file; return its mode."""
    if path.is_dir():
        return None
    mode = file_mode(_beside(path))
    _beside(path).unlink(missing_ok=True)
    return mode


def read_sidecar(path: Path) -> dict[str, Any]:
    """The content of a sidecar; empty if there is none."""
    try:
        said = json.loads(_beside(path).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


BLOCK = 1 << 24  # a row must fit in one block


def to_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a frame: amounts in plain digits, times as ISO 8601 with Z, ids as text.

    >>> paylab.frames.to_csv(frame, "transfers.csv").name
    'transfers.csv'
    """
    target = Path(path)
    kept = frame.reset_index() if any(frame.index.names) else frame
    table = pa.Table.from_pandas(kept, preserve_index=False)
    with replace(target) as sink:
        pcsv.write_csv(pa.table([*map(_text, table.columns)], names=table.column_names), sink)
    forget_sidecar(target)
    return target


def read_csv(
    path: str | os.PathLike[str], kind: Kept | None = None, *, delimiter: str = ","
) -> pd.DataFrame:
    """Read a CSV of transfers or other rows with exact types; unknown columns stay text.

    The sidecar of an export has the kind of its rows, and whether cells were escaped for
    spreadsheets; such cells are read as they were before.

    >>> path = paylab.frames.to_csv(frame, "transfers.csv")
    >>> str(paylab.read_csv(path)["source_amount"].dtype)
    'decimal'
    """
    names, about = csv_header(path, delimiter), read_sidecar(Path(path))
    schema = SCHEMAS[kind or about.get("kind") or likeliest(names).name]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PaylabError(f"{path} has two columns {twice[:60]!r}: rename or remove one of them")
    try:
        texts = _read_texts(path, names, delimiter)
    except pa.ArrowException as error:
        raise unreadable(path, "CSV", error) from None
    return typed_frame(unguard(texts) if about.get("excel_safe") else texts, schema)


def _read_texts(path: str | os.PathLike[str], names: Sequence[str], delimiter: str) -> pa.Table:
    return pcsv.read_csv(
        path,
        read_options=pcsv.ReadOptions(block_size=BLOCK),
        parse_options=pcsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False
        ),
        convert_options=pcsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_decimal(column.type):
        return decimals.write(column)
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return times.write_times(column)
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
