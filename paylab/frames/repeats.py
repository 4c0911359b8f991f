"""Rows that a list repeats, in Arrow tables; see `spec.repeats`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..spec.repeats import RowVersions

REPEAT_COLUMNS = ["id", "updated_at"]
RowNumbers = np.ndarray[Any, np.dtype[Any]]
IdHashes = np.ndarray[Any, np.dtype[Any]]


def find_superseded(read_tables: Callable[[], Iterable[pa.Table]]) -> RowNumbers:
    """The sorted numbers of the rows that another version of the same id replaces.

    `read_tables` yields tables with at least `REPEAT_COLUMNS`; it is called again if a row may be
    repeated. Memory is eight bytes per row, a hash of its id, and the ids that repeat.
    """
    repeated_hashes = find_repeated([hash_ids(segment_table) for segment_table in read_tables()])
    versions = RowVersions()
    if len(repeated_hashes):
        for row_number, id_, updated_at in _find_candidates(read_tables, repeated_hashes):
            versions.add(row_number, id_, updated_at)
    return np.array(sorted(versions.superseded_row_numbers), np.int64)


def find_repeated(hashes_of_tables: Sequence[IdHashes]) -> IdHashes:
    """The hashes that occur more than once, sorted: one that occurs three times is there twice."""
    sorted_hashes = np.sort(np.concatenate([np.empty(0, np.uint64), *hashes_of_tables]))
    repeated_hashes: IdHashes = sorted_hashes[1:][sorted_hashes[1:] == sorted_hashes[:-1]]
    return repeated_hashes


def drop_rows(tables: Iterable[pa.Table], dropped: RowNumbers) -> Iterator[pa.Table]:
    """Yield the tables without the rows of these sorted numbers, counted over all tables."""
    first_row_number = 0
    for segment_table in tables:
        end_row_number = first_row_number + segment_table.num_rows
        first_dropped_index, end_dropped_index = np.searchsorted(
            dropped, [first_row_number, end_row_number]
        )
        dropped_in_table = dropped[first_dropped_index:end_dropped_index] - first_row_number
        if len(dropped_in_table):
            yield segment_table.take(np.delete(np.arange(segment_table.num_rows), dropped_in_table))
        else:
            yield segment_table
        first_row_number = end_row_number


def drop_repeats(table: pa.Table) -> pa.Table:
    """The table with the newest version of each id."""
    return next(drop_rows([table], find_superseded(lambda: [table])))


def hash_ids(table: pa.Table) -> IdHashes:
    """A hash of eight bytes for each id; rows without an id have none."""
    ids = table["id"].drop_null().to_numpy()
    return pd.util.hash_array(ids.astype(object), categorize=False)


def _find_candidates(
    read_tables: Callable[[], Iterable[pa.Table]], repeated_hashes: IdHashes
) -> Iterator[tuple[int, str, Any]]:
    """Yield number, id and time of update of the rows whose hash occurs more than once."""
    first_row_number = 0
    for segment_table in read_tables():
        row_indexes_with_id = np.flatnonzero(segment_table["id"].is_valid().to_numpy())
        for row_index in row_indexes_with_id[
            np.isin(hash_ids(segment_table), repeated_hashes)
        ].tolist():
            id_, updated_at = (
                segment_table[column_name][row_index].as_py() for column_name in REPEAT_COLUMNS
            )
            yield first_row_number + row_index, id_, updated_at
        first_row_number += segment_table.num_rows
