"""A source for dlt, for those who load transfers with pipelines of their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors.arguments import explain_arguments
from ..errors.base import OptionError, Problem
from ..errors.extras import extra_imports
from ..spec import status, timestamps
from ..spec.row_filter import RowFilter
from . import times
from .columns import SCHEMAS
from .decode import Decoder, bodies, make_page
from .parquet_types import Scale, convert_types
from .selection import Selection
from .sync import OVERLAP, SyncedList
from .sync_state import file_schema
from .text_table import EXTRA

LISTS = ("transfers", "conversions")
NEWEST = "newest"
OPEN = "open"


@explain_arguments
def dlt_source(
    lab: object,
    *lists: str,
    overlap: timedelta | str = OVERLAP,
    scale: Scale = None,
) -> Any:
    """Transfers and conversions as a source of dlt, incremental and merged by id.

    `lists` are "transfers", "conversions" or both, which is the default. Each run reads the rows
    created since `overlap` before the newest known one, and rows that were not final, if the list
    is declared to have the newest rows first; otherwise all rows. Amounts are decimals of 24
    digits and rates of 13, or as `scale` says: a value that needs more is an ExactnessError.
    Unknown fields are JSON in the column `extra`. What a run knows is in the state of the pipeline.

    >>> source = paylab.frames.dlt_source(lab, "transfers")  # doctest: +SKIP
    >>> dlt.pipeline("books", destination="duckdb").run(source)  # doctest: +SKIP
    """
    with extra_imports():
        import dlt
    list_names = lists or LISTS
    for list_name in list_names:
        if list_name not in LISTS:
            message = f"{list_name!r:.40} must be one of {', '.join(LISTS)}"
            raise OptionError([Problem("lists", message)])
        if not hasattr(lab, list_name):
            message = f"must come from paylab.connect(), not {type(lab).__name__}"
            raise OptionError([Problem("lab", message)])
    overlap_duration = times.read_timedelta(overlap, "overlap")

    def make_resources() -> list[Any]:
        """A resource of dlt for each list."""
        return [
            _make_resource(
                dlt,
                synced_list=getattr(lab, list_name).pull(),
                overlap=overlap_duration,
                scale=scale,
            )
            for list_name in list_names
        ]

    return dlt.source(make_resources, name="paylab")()


def _make_resource(dlt: Any, synced_list: SyncedList, overlap: timedelta, scale: Scale) -> Any:
    """The rows of one list as a resource of dlt."""

    def read_rows() -> Iterator[pa.Table]:
        """Yield the new rows; dlt keeps the state between two runs."""
        state_dict = dlt.current.resource_state()
        yield from Reading(synced_list, overlap, scale).tables(state_dict)

    return dlt.resource(
        read_rows,
        name=synced_list.kind,
        primary_key="id",
        write_disposition="merge",
        columns={"updated_at": {"dedup_sort": "desc"}},
    )


class Reading:
    """One reading of a list: the rows that are new or may have changed since the last one."""

    def __init__(self, synced_list: SyncedList, overlap: timedelta, scale: Scale) -> None:
        """Read a list from `overlap` before its newest known row."""
        self._list = synced_list
        self._overlap = overlap
        self._schema = SCHEMAS[synced_list.kind]
        self._types = file_schema(self._schema, scale)

    def tables(self, state: dict[str, Any]) -> Iterator[pa.Table]:
        """Yield tables of rows; at the end, note the newest time and the open rows in `state`."""
        newest_created_at = timestamps.read_or_none(state.get(NEWEST))
        selection = Selection(
            row_filter=RowFilter(since=self._find_start(newest_created_at)), order=self._list.order
        )
        decoder = Decoder(self._schema, as_json=True)
        open_times_by_id: dict[str, str] = {}
        read_ids: set[str] = set()
        for page in bodies(self._list.fetch):
            table = self._convert_types(selection.apply(decoder.decode([page])).table)
            newest_in_table = pc.max(table["created_at"]).as_py()
            newest_created_at = max(
                filter(None, [newest_created_at, newest_in_table]), default=None
            )
            read_ids.update(table["id"].drop_null().to_pylist())
            open_times_by_id |= self._find_open_rows(table)
            yield table
            if selection.reached:
                break
        # Rows that were open before and are older than the pages that were read.
        for table in self._read_single_rows(state.get(OPEN, {}).keys() - read_ids):
            open_times_by_id |= self._find_open_rows(table)
            yield table
        state[NEWEST] = timestamps.to_text(newest_created_at) if newest_created_at else None
        state[OPEN] = open_times_by_id

    def _read_single_rows(self, ids: set[str]) -> Iterator[pa.Table]:
        """Yield a table for each row with one of these ids that the service still has."""
        for id_ in sorted(ids):
            row_json = self._list.one(id_)
            if row_json is not None:
                yield self._decode_row(row_json)

    def _decode_row(self, row_json: bytes) -> pa.Table:
        """A row as a table, in the types of the pipeline."""
        page_with_row = make_page(row_json)
        decoded_page = Decoder(self._schema, as_json=True).decode([page_with_row])
        return self._convert_types(decoded_page.table)

    def _find_start(self, newest: datetime | None) -> datetime | None:
        """The time from which to read; None for all rows."""
        if newest is None or self._list.order != "newest_first":
            return None
        try:
            return newest - self._overlap
        except OverflowError:  # before the year 1
            return None

    def _convert_types(self, text_table: pa.Table) -> pa.Table:
        """The rows in the types of the pipeline, without those that have no id.

        dlt merges rows by id, which therefore cannot be null.
        """
        pipeline_schema = self._types.remove(self._types.get_field_index(EXTRA))
        typed_rows = convert_types(text_table, self._schema, arrow_schema=pipeline_schema)
        extra_texts = pa.nulls(text_table.num_rows, pa.string())
        if EXTRA in text_table.column_names:
            extra_texts = text_table[EXTRA]
        typed_rows = typed_rows.append_column(EXTRA, extra_texts)
        rows_with_id = typed_rows.filter(typed_rows["id"].is_valid())
        arrow_schema = rows_with_id.schema
        required_id_field = arrow_schema.field("id").with_nullable(False)
        return rows_with_id.cast(
            arrow_schema.set(arrow_schema.get_field_index("id"), required_id_field)
        )

    def _find_open_rows(self, table: pa.Table) -> dict[str, str]:
        """The ids of rows that may still change, with their times of creation."""
        machine = status.MACHINES[self._list.kind]
        columns = (table[column_name].to_pylist() for column_name in ("id", "status", "created_at"))
        return {
            id_: timestamps.to_text(created_at) if created_at else ""
            for id_, row_status, created_at in zip(*columns, strict=True)
            if id_ and not machine.is_final(row_status)
        }
