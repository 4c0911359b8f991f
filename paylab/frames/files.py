"""Read and write CSV files, escape cells for spreadsheets, and describe columns in a sidecar.

An apostrophe before a formula makes it text; an apostrophe in such a place gets another, so that
removing one restores the value.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, PaylabError
from ..files import file_mode, path_of, replace, unreadable_error
from ..spec.codes import minor_unit
from ..storage.csv_files import read_written_header
from ..storage.spreadsheet_cells import ESCAPED, FORMULA, INNER, RESULTS, SPOILED, restore_cell
from . import decimals, times
from .columns import Kind, ListName, Schema, currency_of, likeliest_schema, schema_of
from .frame import ExactFrame, typed_frame
from .typed_columns import series

PLAIN = r"^-?[0-9]{1,12}(\.[0-9]{1,3})?$"
NUMBERS = ("amount", "seconds")


def guard(texts: pa.Table, schema: Schema) -> pa.Table:
    """The table with every risky cell escaped; short plain amounts stay numbers."""
    columns = []
    for name, whole in zip(texts.column_names, texts.columns, strict=True):
        column = _replaced(whole, INNER, r"\1'\2")
        risky = pc.match_substring_regex(column, f"{FORMULA}|{SPOILED}")
        if schema.kind(name) in NUMBERS:
            risky = pc.and_(risky, pc.invert(pc.match_substring_regex(column, PLAIN)))
        columns.append(pc.if_else(risky, pc.binary_join_element_wise("'", column, ""), column))
    return pa.table(columns, texts.column_names)


def unguard(texts: pa.Table) -> pa.Table:
    """The table as it was before its cells were escaped."""
    columns = []
    for column in texts.columns:
        after_quote = pc.utf8_slice_codeunits(column, 1)
        risky = pc.match_substring_regex(after_quote, f"{FORMULA}|{SPOILED}")
        was_escaped = pc.and_(pc.starts_with(column, "'"), risky)
        plain = pc.if_else(was_escaped, after_quote, column)
        columns.append(_replaced(plain, ESCAPED, r"\1\2"))
    return pa.table(columns, [*map(restore_cell, texts.column_names)])


def _replaced(column: pa.ChunkedArray, form: str, put: str) -> pa.ChunkedArray:
    """The column with each match replaced; most columns have none."""
    if not pc.any(pc.match_substring_regex(column, form)).as_py():
        return column
    return pc.replace_substring_regex(column, pattern=form, replacement=put)


MEANING: dict[Kind, str] = {
    "text": "text, as the service sent it",
    "list": "texts joined by commas",
    "word": "one of a few words",
    "amount": "an exact decimal number, as text; do not read it as a float",
    "time": "a time in UTC, ISO 8601",
    "seconds": "a whole number of seconds",
}


def sidecar_of(path: Path) -> Path:
    """The path of the sidecar of a file or a folder."""
    path = path.resolve()
    return path / "_columns.json" if path.is_dir() else path.with_name(f"{path.name}.columns.json")


def write_sidecar(
    path: Path, schema: Schema, about: Mapping[str, Any], mode: int | None = None
) -> None:
    """Write a description of the columns and the source of the rows."""
    columns = [
        {"name": c.name, "kind": c.kind, "field": c.path, "meaning": MEANING[c.kind]}
        for c in schema.columns
    ]
    text = json.dumps({"kind": schema.name, **about, "columns": columns}, indent=1)
    with replace(sidecar_of(path), mode=mode) as sink:
        sink.write(text.encode() + b"\n")


def forget_sidecar(path: Path) -> int | None:
    """Remove the sidecar of a replaced file; return its mode."""
    if path.is_dir():
        return None
    mode = file_mode(sidecar_of(path))
    sidecar_of(path).unlink(missing_ok=True)
    return mode


def read_sidecar(path: Path) -> dict[str, Any]:
    """The content of a sidecar; empty if there is none."""
    try:
        sidecar = json.loads(sidecar_of(path).read_text())
    except (OSError, ValueError):
        return {}
    return sidecar if isinstance(sidecar, dict) else {}


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


EXACT = pa.decimal128(38, 18)
TYPES: dict[Kind, pa.DataType] = {"amount": EXACT, "time": times.INSTANT, "seconds": pa.int64()}
OPEN_FILES_MAX = 8
DAYS_MAX = 1_000_000  # files of a folder
OURS = re.compile(
    r"created_day=[^/]+/part-\d+\.parquet|_columns\.json"
    r"|\._columns\.json\.[0-9a-f]{12}\.part"  # left by a killed process
)


def parquet_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of every Parquet file of these rows."""
    return pa.schema([(c.name, TYPES.get(c.kind, pa.string())) for c in schema.columns])


def typed(texts: pa.Table, schema: Schema, start: int = 0) -> pa.Table:
    """A table of text in the types of `parquet_schema`.

    ExactnessError for an amount with more than 20 digits before the point or 18 after it.
    `start` is the number of the first row.
    """
    columns = [_typed(texts[c.name], c.kind, c.name, start) for c in schema.columns]
    return pa.table(columns, schema=parquet_schema(schema))


def ours(path: Path) -> bool:
    """Whether a file of a folder could be from an export."""
    return OURS.fullmatch(path.as_posix()) is not None


def _typed(texts: pa.ChunkedArray, kind: Kind, name: str, start: int) -> pa.ChunkedArray:
    if kind == "time":
        return times.read_times(texts, name, start)
    return decimals.at(texts, name, TYPES[kind], start) if kind in TYPES else texts


@explain_arguments
def read_parquet(path: str | os.PathLike[str], kind: ListName | None = None) -> pd.DataFrame:
    """Read a Parquet file or a folder of them as a frame with exact types.

    >>> path = lab.transfers.export("transfers.parquet").path
    >>> len(paylab.read_parquet(path))
    130
    """
    place = path_of(path)
    if not place.exists():
        raise ConfigError(f"there is no file or folder {path}")
    try:
        table = pq.read_table(place.absolute(), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise unreadable_error(path, "Parquet", error) from None
    about = read_sidecar(place)
    schema = schema_of(kind or about.get("kind") or likeliest_schema(table.column_names).name)
    is_text = {name: pa.types.is_string(table[name].type) for name in table.column_names}
    texts = typed_frame(table.select([name for name, text in is_text.items() if text]), schema)
    return ExactFrame(
        {
            name: texts[name] if text else series(_narrow(table[name]))
            for name, text in is_text.items()
        }
    )


def _narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times in microseconds; amounts with the fewest decimal places possible."""
    if pa.types.is_timestamp(column.type):
        return column.cast(times.INSTANT)
    return decimals.narrowest(column) if pa.types.is_decimal(column.type) else column


def write_days(tables: Iterable[pa.Table], folder: Path, schema: Schema) -> None:
    """Write typed tables to one Parquet file per day; only a few are open at a time.

    If rows of a day come after its file was closed, a second part is written.
    """
    day = pa.field("created_day", pa.string())
    batches = (batch for table in tables for batch in _with_day(table).to_batches())
    form = ds.ParquetFileFormat()
    ds.write_dataset(
        batches,
        folder,
        schema=parquet_schema(schema).append(day),
        partitioning=ds.partitioning(pa.schema([day]), flavor="hive"),
        basename_template="part-{i}.parquet",
        format=form,
        file_options=form.make_write_options(compression="zstd"),
        max_open_files=OPEN_FILES_MAX,
        max_partitions=DAYS_MAX,
        use_threads=False,  # in the order of the rows
        existing_data_behavior="overwrite_or_ignore",
    )
    for path in folder.rglob("*.parquet"):
        with path.open("r+b") as file:
            os.fsync(file.fileno())


def _with_day(table: pa.Table) -> pa.Table:
    days = table["created_at"].cast(pa.date32()).cast(pa.string())
    return table.append_column("created_day", days)
