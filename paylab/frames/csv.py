"""CSV files: writing and reading frames, cells that are safe in a spreadsheet, and the sidecar.

An apostrophe in front makes a cell text; every cell that begins with one gets another, so that
taking one away gives back what was there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from ..files import csv_header, file_mode, replace
from . import decimals, schema
from .frame import typed_frame
from .schema import SCHEMAS, Kept, Kind, Schema, likeliest

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


MEANING: dict[Kind, str] = {
    "text": "text, exactly as the service sent it",
    "list": "texts joined by commas",
    "word": "one of a few words",
    "amount": "an exact decimal number, as text; never to be read as a float",
    "time": "an instant in UTC, ISO 8601",
    "seconds": "a whole number of seconds",
}


def _beside(path: Path) -> Path:
    """Where the sidecar of a file or a folder is."""
    path = path.resolve()
    return path / "_columns.json" if path.is_dir() else path.with_name(f"{path.name}.columns.json")


def write_sidecar(
    path: Path, schema: Schema, about: Mapping[str, Any], mode: int | None = None
) -> None:
    """Describe the columns of a file, and say where its rows came from."""
    columns = [
        {"name": c.name, "kind": c.kind, "field": c.path or c.name, "meaning": MEANING[c.kind]}
        for c in schema.columns
    ]
    text = json.dumps({"kind": schema.name, **about, "columns": columns}, indent=1)
    with replace(_beside(path), mode=mode) as sink:
        sink.write(text.encode() + b"\n")


def forget_sidecar(path: Path) -> int | None:
    """Take away what described the file that another one has replaced; gives its mode."""
    if path.is_dir():
        return None
    mode = file_mode(_beside(path))
    _beside(path).unlink(missing_ok=True)
    return mode


def read_sidecar(path: Path) -> dict[str, Any]:
    """What the sidecar of a file says; nothing when there is none."""
    try:
        said = json.loads(_beside(path).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


BLOCK = 1 << 24  # a row must fit in one block


def to_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a frame: amounts in plain digits, times as ISO 8601 with Z, ids as text."""
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

    The sidecar of an export says of what kind its rows are, and whether cells were made safe for
    spreadsheets; they are then read as they were before.
    """
    names, about = csv_header(path, delimiter), read_sidecar(Path(path))
    schema = SCHEMAS[kind or about.get("kind") or likeliest(names).name]
    texts = pcsv.read_csv(
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
    return typed_frame(unguard(texts) if about.get("excel_safe") else texts, schema)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_decimal(column.type):
        return decimals.write(column)
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return schema.write_times(column)
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
