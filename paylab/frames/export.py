"""Export pages as a stream to a file, a folder, a URL or standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Unpack

import pyarrow as pa

from ..errors.api import BadRequestError
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..files import recover_path, require_parent
from ..spec import timestamps
from ..spec.repeats import warn_of_repeats
from ..spec.row_filter import RowFilter, RowFilters, read_row_filter
from ..spec.service.lists import Order
from ..storage.addresses import local_target
from ..storage.folders import require_own_files
from .column_choice import Names, chosen_schema, read_columns, schema_for
from .columns import ListName, Schema, schema_of
from .decode import Fetch, bodies
from .export_draft import Draft, Spool, open_draft, sweep_drafts
from .file_writers import STANDARD_OUTPUT, FileRows, find_writer
from .pages import Progress, Tally, read_pages
from .parquet_days import ours
from .parquet_types import Scale
from .repeats import Rows, drop_rows, find_superseded
from .selection import Selection
from .text_table import text_schema


@dataclass(frozen=True)
class Export:
    """The result of an export: path or URL, and numbers of rows and pages.

    `resumed` rows are from an interrupted run; `oldest_page_at` is the time of the first page.
    """

    path: Path | str
    rows: int
    pages: int
    resumed: int = 0
    oldest_page_at: datetime | None = None


@explain_arguments
def export(  # noqa: PLR0913 - what, where, which rows, and who watches
    pages: Iterable[object],
    to: str | os.PathLike[str],
    kind: ListName = "transfers",
    progress: Progress | None = None,
    *,
    excel_safe: bool = False,
    scale: Scale = None,
    columns: Names | None = None,
    row_filter: RowFilter | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **filters: Unpack[RowFilters],
) -> Export:
    """Write all pages to a file by its suffix, to `FOLDER/` or to `-`, standard output.

    Suffixes are .csv, .jsonl, both also with .gz, .parquet and .xlsx; the target may be an fsspec
    URL. A folder contains Parquet files by day of creation; `-` is CSV. Amounts in Parquet are
    DECIMAL(24, 6) and rates DECIMAL(13, 8), or DECIMAL(38, 18) with a WiderDecimalWarning if a
    value needs it; `scale` are other decimals, of all amounts or by column. `since` and
    `until` keep rows created at or after a time, and before a time, `status` rows with one of the
    statuses, `client_reference_id` rows with this reference; `row_filter` is used in place of
    these. `columns` are the names of the columns to write, in your order. A row that the pages
    repeat is written once, with its newest `updated_at`: all rows are first written to a temporary
    file, and eight bytes per row are kept in memory. `progress(rows, pages)` is called
    after every page. `excel_safe` escapes cells that a spreadsheet would execute as formulas or
    round. `storage_options` are those of the file system of a URL, such as keys.

    >>> paylab.frames.export([lab.request("GET", "/v1/transfers")], "page.csv").rows
    20
    """
    tally = Tally(progress)
    row_filter = row_filter or read_row_filter(kind, filters)
    selection = Selection(row_filter=row_filter)
    column_names = read_columns(columns, schema_of(kind))
    schema = schema_for(schema_of(kind), column_names, row_filter.fields)
    written = FileRows(chosen_schema(schema, column_names), scale=scale, excel_safe=excel_safe)
    write = find_writer(to, written)
    with local_target(to, ours, storage_options) as (path, shown_path):
        folder = None if os.fspath(to) == STANDARD_OUTPUT else path.absolute().parent
        require_parent(path)
        with TemporaryFile(dir=folder) as file:
            spool = Spool(file, text_schema(schema))
            read_pages(pages, schema, spool.append, tally, selection=selection)
            dropped = _find_superseded_rows(spool.tables, schema)
            row_count = tally.rows - len(dropped)
            file_facts = {"rows": row_count, "excel_safe": True} if excel_safe else None
            write(written.read_from(lambda: drop_rows(spool.tables(), dropped), file_facts), path)
    return Export(shown_path, row_count, tally.pages)


@explain_arguments
def export_list(  # noqa: PLR0913 - what, where, which rows, and who watches
    fetch: Fetch,
    to: str | os.PathLike[str],
    kind: ListName = "transfers",
    origin: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    *,
    excel_safe: bool = False,
    scale: Scale = None,
    resume: bool | None = None,
    columns: Names | None = None,
    order: Order = "unknown",
    account: str | None = None,
    row_filter: RowFilter | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **filters: Unpack[RowFilters],
) -> Export:
    """Fetch a whole list into a file; after an interruption, stored rows are not written again.

    `fetch(cursor)` returns a page as bytes. Fetched pages are stored in a hidden folder beside the
    target until the list is complete; a sidecar, `FILE.columns.json`, describes the file. A row
    that the list repeats is written once, with its newest `updated_at`; eight bytes per row, a
    hash of its id, are kept in memory when the list is complete. Pages
    of an interrupted run are used within an hour, at any age with `resume=True`, never with
    `resume=False`, and never for another `account`. An export to standard output (`-`) or to a URL
    cannot be resumed.
    """
    row_filter = row_filter or read_row_filter(kind, filters)
    if os.fspath(to) == STANDARD_OUTPUT:
        return export(
            bodies(fetch),
            to,
            kind,
            progress,
            excel_safe=excel_safe,
            columns=columns,
            scale=scale,
            row_filter=row_filter,
            storage_options=storage_options,
        )
    column_names = read_columns(columns, schema_of(kind))
    schema = schema_for(schema_of(kind), column_names, row_filter.fields)
    written = FileRows(chosen_schema(schema, column_names), scale=scale, excel_safe=excel_safe)
    write = find_writer(to, written)
    file_facts = dict(origin or {})
    fetched_at = file_facts.get("fetched_at")
    now = datetime.now(UTC) if fetched_at is None else timestamps.from_text(fetched_at)
    job = {
        "kind": kind,
        "base_url": file_facts.get("base_url"),
        "filter": file_facts.get("filter"),
        "rows": row_filter.describe(),
        "columns": schema.names,
        "account": account,
    }
    with local_target(to, ours, storage_options) as (path, shown_path):
        _check_target(path)
        sweep_drafts(path)
        with open_draft(path, job, now, resume) as draft:
            recover_path(path)
            tally = Tally(progress, draft.last.rows, draft.last.pages)
            _fetch_all(fetch, draft, schema, tally, Selection(row_filter=row_filter, order=order))
            dropped = _find_superseded_rows(draft.tables, schema)
            row_count = draft.last.rows - len(dropped)
            file_facts |= {
                "rows": row_count,
                "excel_safe": excel_safe,
                "resumed": draft.resumed,
                "oldest_page_at": timestamps.to_text(draft.begun),
            }
            write(written.read_from(lambda: drop_rows(draft.tables(), dropped), file_facts), path)
            draft.remove()
    return Export(shown_path, row_count, draft.last.pages, draft.resumed, draft.begun)


def _check_target(path: Path) -> None:
    """ConfigError, before anything is fetched, for a target that cannot be written."""
    require_parent(path)
    if path.is_dir():
        require_own_files(path.resolve(), ours)


def _find_superseded_rows(read_tables: Callable[[], Iterator[pa.Table]], schema: Schema) -> Rows:
    """The numbers of the rows to leave out, with a warning."""
    dropped = find_superseded(read_tables if schema.is_list else lambda: iter(()))
    warn_of_repeats(len(dropped))
    return dropped


def _fetch_all(
    fetch: Fetch, draft: Draft, schema: Schema, tally: Tally, selection: Selection
) -> None:
    """Fetch the missing pages; start again if the service refuses the stored cursor.

    ConfigError if `progress` stopped it: the fetched pages are stored.
    """
    segment = draft.last
    if not segment.more:
        return
    try:
        pages = bodies(fetch, segment.cursor)
        read_pages(pages, schema, draft.append, tally, selection=selection)
    except BadRequestError:
        if segment.cursor is None or draft.last != segment:  # the cursor was valid a moment ago
            raise
        draft.restart()
        tally.rows = tally.pages = 0
        read_pages(bodies(fetch), schema, draft.append, tally, selection=selection)
    if tally.stopped:
        raise ConfigError(
            f"stopped: {draft.last.rows} rows are stored; repeat the call to continue"
        )
