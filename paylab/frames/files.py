"""Read and write CSV files with exact types."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from ..errors.arguments import explain_arguments
from ..errors.base import PaylabError
from ..files import path_of, replace, unreadable_error
from ..spec.codes import minor_unit
from ..storage.csv_files import read_written_header
from ..storage.spreadsheet_cells import RESULTS, restore_cell
from . import decimals, times
from .columns import ListName, currency_of, likeliest_schema, schema_of
from .frame import typed_frame
from .sidecars import forget_sidecar, read_sidecar
from .spreadsheet_text import unguard

BLOCK = 1 << 24  # a row must fit in one block


@explain_arguments
def to_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a frame: amounts with the decimals of their currency, times as ISO 8601, ids as text.

    An amount that needs more decimals has as many as it needs, and one in a column of fewer keeps
    those of the column, as do rates and amounts without a currency.

    >>> paylab.frames.to_csv(frame, "transfers.csv").name
    'transfers.csv'
    """
    target = path_of(path)
    with_index = frame.reset_index() if any(frame.index.names) else frame
    table = pa.Table.from_pandas(with_index, preserve_index=False)
    with replace(target) as sink:
        pcsv.write_csv(pa.table({name: _text(table, name) for name in table.column_names}), sink)
    forget_sidecar(target)
    return target


@explain_arguments
def read_csv(
    path: str | os.PathLike[str], kind: ListName | None = None, *, delimiter: str = ","
) -> pd.DataFrame:
    """Read a CSV of transfers or other rows with exact types; unknown columns stay text.

    The sidecar of an export has the kind of its rows, and whether cells were escaped for
    spreadsheets; such cells are read as they were before.

    >>> path = paylab.frames.to_csv(frame, "transfers.csv")
    >>> str(paylab.read_csv(path)["source_amount"].dtype)
    'decimal'
    """
    header = read_written_header(path, delimiter)
    about = read_sidecar(Path(path))
    is_escaped = bool(about.get("excel_safe")) or set(header) >= RESULTS
    names = [*map(restore_cell, header)] if is_escaped else header
    schema = schema_of(kind or about.get("kind") or likeliest_schema(names).name)
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise PaylabError(
            f"{path} has two columns {duplicate[:60]!r}: rename or remove one of them"
        )
    try:
        texts = read_csv_texts(path, header, delimiter)
    except pa.ArrowException as error:
        raise unreadable_error(path, "CSV", error) from None
    return typed_frame(unguard(texts) if is_escaped else texts, schema)


def read_csv_texts(
    source: str | os.PathLike[str] | BinaryIO,
    names: Sequence[str],
    delimiter: str,
    *,
    skip_empty_lines: bool = False,
) -> pa.Table:
    """Read the cells of a UTF-8 CSV as text; empty cells are null, empty texts in quotes are not.

    `names` are those of its header. pyarrow.ArrowException if it cannot be read.
    """
    return pcsv.read_csv(
        source,
        read_options=pcsv.ReadOptions(block_size=BLOCK),
        parse_options=pcsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=skip_empty_lines
        ),
        convert_options=pcsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _text(table: pa.Table, name: str) -> pa.ChunkedArray:
    column = table[name]
    if pa.types.is_decimal(column.type):
        return _amount_texts(table, name)
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return times.to_texts(column)
    is_words = pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type)
    return column.cast(pa.string()) if is_words else column


def _amount_texts(table: pa.Table, name: str) -> pa.ChunkedArray:
    """The amounts with the decimals of the currency in each row, and more only if needed."""
    texts = decimals.write(table[name])
    currency = currency_of(name)
    if currency not in table.column_names:
        return texts
    words = table[currency].cast(pa.string())
    units = {word: minor_unit(word or "") for word in pc.unique(words).to_pylist()}
    trimmed_texts = texts
    for places in sorted(set(units.values())):
        names = pa.array([word for word in units if units[word] == places], pa.string())
        trimmed = decimals.trim(texts, table[name].type.scale, places)
        trimmed_texts = pc.if_else(pc.is_in(words, value_set=names), trimmed, trimmed_texts)
    return trimmed_texts
