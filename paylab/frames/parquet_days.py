"""Folders with one Parquet file per day of creation: the names of the files, and their writing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from .column_choice import CREATED

OPEN_FILES_MAX = 8
DAYS_MAX = 1_000_000  # files of a folder
OWN_FILES = re.compile(
    r"created_day=[^/]+/part-\d+\.parquet|_columns\.json"
    r"|\._columns\.json\.[0-9a-f]{12}\.part"  # left by a killed process
)
DAY_FOLDER = re.compile(r"created_day=(\d{4}-\d\d-\d\d)/")
SUFFIX = ".parquet"


def ours(path: Path) -> bool:
    """Whether a file of a folder could be from an export."""
    return OWN_FILES.fullmatch(path.as_posix()) is not None


def write_days(tables: Iterable[pa.Table], folder: Path, types: pa.Schema) -> None:
    """Write tables of these types to one Parquet file per day; only a few are open at a time.

    If rows of a day come after its file was closed, a second part is written.
    """
    day = pa.field("created_day", pa.string())
    batches = (batch for table in tables for batch in _with_day(table).to_batches())
    form = ds.ParquetFileFormat()
    ds.write_dataset(
        batches,
        folder,
        schema=types.append(day),
        partitioning=ds.partitioning(pa.schema([day]), flavor="hive"),
        basename_template="part-{i}.parquet",
        format=form,
        file_options=form.make_write_options(compression="zstd"),
        max_open_files=OPEN_FILES_MAX,
        max_partitions=DAYS_MAX,
        use_threads=False,  # in the order of the rows
        existing_data_behavior="overwrite_or_ignore",
    )
    for path in folder.rglob(f"*{SUFFIX}"):
        with path.open("r+b") as file:
            os.fsync(file.fileno())


def _with_day(table: pa.Table) -> pa.Table:
    days = table[CREATED].cast(pa.date32()).cast(pa.string())
    return table.append_column("created_day", days)


def is_of_period(name: str, since: datetime | None, until: datetime | None) -> bool:
    """Whether a file can have rows of a period, by the name of its folder."""
    match = DAY_FOLDER.search(name)
    if match is None:
        return True
    first = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    is_early = since is not None and first + timedelta(days=1) <= since
    return not is_early and not (until is not None and first >= until)
