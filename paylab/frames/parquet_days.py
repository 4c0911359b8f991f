"""Folders with one Parquet file per day of creation: the names of the files, and their writing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import chain
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


def could_be_exported(path: Path) -> bool:
    """Whether a file of a folder could be from an export, by its name."""
    return OWN_FILES.fullmatch(path.as_posix()) is not None


def write_days(tables: Iterable[pa.Table], folder: Path, types: pa.Schema) -> None:
    """Write tables of these types to one Parquet file per day; only a few are open at a time.

    If rows of a day come after its file was closed, a second part is written.
    """
    day_field = pa.field("created_day", pa.string())
    batches = chain.from_iterable(_add_day(table).to_batches() for table in tables)
    parquet_format = ds.ParquetFileFormat()
    ds.write_dataset(
        batches,
        folder,
        schema=types.append(day_field),
        partitioning=ds.partitioning(pa.schema([day_field]), flavor="hive"),
        basename_template="part-{i}.parquet",
        format=parquet_format,
        file_options=parquet_format.make_write_options(compression="zstd"),
        max_open_files=OPEN_FILES_MAX,
        max_partitions=DAYS_MAX,
        use_threads=False,  # in the order of the rows
        existing_data_behavior="overwrite_or_ignore",
    )
    for parquet_path in folder.rglob(f"*{SUFFIX}"):
        with parquet_path.open("r+b") as parquet_file:
            os.fsync(parquet_file.fileno())


def _add_day(table: pa.Table) -> pa.Table:
    """The table with a column of the UTC day of creation."""
    days = table[CREATED].cast(pa.date32()).cast(pa.string())
    return table.append_column("created_day", days)


def may_have_rows(file_name: str, since: datetime | None, until: datetime | None) -> bool:
    """Whether a file can have rows of a period, by the day in its path; also without a day."""
    day_match = DAY_FOLDER.search(file_name)
    if day_match is None:
        return True
    day_begin = datetime.fromisoformat(day_match[1]).replace(tzinfo=UTC)
    day_end = day_begin + timedelta(days=1)
    is_before_period = since is not None and day_end <= since
    is_after_period = until is not None and day_begin >= until
    return not is_before_period and not is_after_period
