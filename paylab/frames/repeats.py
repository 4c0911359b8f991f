"""Rows that a list repeats, in Arrow tables; see `spec.repeats`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..spec.repeats import RowVersions

COLUMNS = ["id", "updated_at"]
Rows = np.ndarray[Any, np.dtype[Any]]


def find_superseded(read: Callable[[], Iterable[pa.Table]]) -> Rows:
    """The sorted numbers of the rows that another version of the same id replaces.

    `read` yields the tables, of which only the two `COLUMNS` are used; it is called again if a
    row may be repeated. Memory is eight bytes per row, a hash of its id, and the ids that repeat.
    """
    again = find_repeated([id_hashes(table) for table in read()])
    versions = RowVersions()
    for row_number in _candidates(read, again) if len(again) else ():
        versions.add(*row_number)
    return np.array(sorted(versions.superseded), np.int64)


def find_repeated(hashes: Sequence[Rows]) -> Rows:
    """The hashes that occur again, sorted, as often as they do."""
    ordered = np.sort(np.concatenate([np.empty(0, np.uint64), *hashes]))
    again: Rows = ordered[1:][ordered[1:] == ordered[:-1]]
    return again


def drop_rows(tables: Iterable[pa.Table], dropped: Rows) -> Iterator[pa.Table]:
    """The tables without the rows of these numbers."""
    first_row = 0
    for table in tables:
        end_row = first_row + table.num_rows
        rows_here = (
            dropped[np.searchsorted(dropped, first_row) : np.searchsorted(dropped, end_row)]
            - first_row
        )
        yield (
            table.take(np.delete(np.arange(table.num_rows), rows_here)) if len(rows_here) else table
        )
        first_row = end_row


def without_repeats(table: pa.Table) -> pa.Table:
    """The table with each id once."""
    return next(drop_rows([table], find_superseded(lambda: [table])))


def id_hashes(table: pa.Table) -> Rows:
    """A hash of eight bytes for each id."""
    ids = table["id"].drop_null().to_numpy()
    return pd.util.hash_array(ids.astype(object), categorize=False)


def _candidates(
    read_tables: Callable[[], Iterable[pa.Table]], again: Rows
) -> Iterator[tuple[int, str, Any]]:
    """The number, id and time of update of the rows whose hash occurs more than once."""
    first_row = 0
    for table in read_tables():
        valid = np.flatnonzero(table["id"].is_valid().to_numpy())
        for index in valid[np.isin(id_hashes(table), again)]:
            id_, updated_at = (table[name][int(index)].as_py() for name in COLUMNS)
            yield first_row + int(index), id_, updated_at
        first_row += table.num_rows
