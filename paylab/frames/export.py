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
from .file_writers import STANDARD_OUTPUT, FileRows, Write, find_writer
from .pages import Progress, Tally, read_pages
from .parquet_days import ours
from .parquet_types import Scale
from .repeats import RowNumbers, drop_rows, find_superseded
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
    row_filter = row_filter or read_row_filter(kind, filters)
    read_schema, written_schema = _choose_schemas(kind, columns, row_filter)
    file_rows = FileRows(written_schema, scale=scale, excel_safe=excel_safe)
    write_file = find_writer(to, file_rows)
    tally = Tally(progress)
    with local_target(to, ours, storage_options) as (path, shown_path):
        require_parent(path)
        # Beside the target, where there is room for its rows; else in the system's folder.
        folder = None if os.fspath(to) == STANDARD_OUTPUT else path.absolute().parent
        with TemporaryFile(dir=folder) as file:
            spool = Spool(file, text_schema(read_schema))
            selection = Selection(row_filter=row_filter)
            read_pages(pages, read_schema, spool.append, tally, selection=selection)
            superseded = _find_superseded_rows(spool.tables, read_schema)
            row_count = tally.rows - len(superseded)
            # Only escaped cells need a sidecar, by which `read_csv` knows of them.
            file_facts = {"rows": row_count, "excel_safe": True} if excel_safe else None
            written_rows = file_rows.read_from(
                lambda: drop_rows(spool.tables(), superseded), file_facts
            )
            write_file(written_rows, path)
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
    read_schema, written_schema = _choose_schemas(kind, columns, row_filter)
    file_rows = FileRows(written_schema, scale=scale, excel_safe=excel_safe)
    write_file = find_writer(to, file_rows)
    origin_facts = dict(origin or {})
    job = _describe_job(read_schema, row_filter, origin_facts, account)
    with local_target(to, ours, storage_options) as (path, shown_path):
        _require_writable_target(path)
        sweep_drafts(path)
        with open_draft(path, job, _read_now(origin_facts), resume) as draft:
            recover_path(path)
            tally = Tally(progress, draft.last.rows, draft.last.pages)
            selection = Selection(row_filter=row_filter, order=order)
            _fetch_missing_pages(fetch, draft, read_schema, tally, selection)
            row_count = _write_draft(draft, read_schema, file_rows, origin_facts, write_file, path)
            draft.remove()
    return Export(shown_path, row_count, draft.last.pages, draft.resumed, draft.begun)


def _choose_schemas(
    kind: ListName, columns: Names | None, row_filter: RowFilter
) -> tuple[Schema, Schema]:
    """The columns to read, with those that choose the rows, and the columns to write."""
    column_names = read_columns(columns, schema_of(kind))
    read_schema = schema_for(schema_of(kind), column_names, row_filter.fields)
    return read_schema, chosen_schema(read_schema, column_names)


def _describe_job(
    schema: Schema, row_filter: RowFilter, origin: Mapping[str, Any], account: str | None
) -> dict[str, object]:
    """What makes two exports the same one, so that the second can continue the first."""
    return {
        "kind": schema.name,
        "base_url": origin.get("base_url"),
        "filter": origin.get("filter"),
        "rows": row_filter.describe(),
        "columns": schema.names,
        "account": account,
    }


def _read_now(origin: Mapping[str, Any]) -> datetime:
    """The time of the service's clock, if the source of the rows has it; else of this machine."""
    fetched_at = origin.get("fetched_at")
    return datetime.now(UTC) if fetched_at is None else timestamps.from_text(fetched_at)


def _write_draft(  # noqa: PLR0913 - the rows, what is said of them, and where to
    draft: Draft,
    schema: Schema,
    file_rows: FileRows,
    origin: Mapping[str, Any],
    write_file: Write,
    path: Path,
) -> int:
    """Write the rows of a complete draft to its target; return their number."""
    superseded = _find_superseded_rows(draft.tables, schema)
    row_count = draft.last.rows - len(superseded)
    file_facts = {
        **origin,
        "rows": row_count,
        "excel_safe": file_rows.excel_safe,
        "resumed": draft.resumed,
        "oldest_page_at": timestamps.to_text(draft.begun),
    }
    written_rows = file_rows.read_from(lambda: drop_rows(draft.tables(), superseded), file_facts)
    write_file(written_rows, path)
    return row_count


def _require_writable_target(path: Path) -> None:
    """ConfigError, before anything is fetched, for a target that cannot be written."""
    require_parent(path)
    if path.is_dir():
        require_own_files(path.resolve(), ours)


def _find_superseded_rows(
    read_tables: Callable[[], Iterator[pa.Table]], schema: Schema
) -> RowNumbers:
    """The numbers of rows that a newer version replaces, with a warning if there are any.

    Without a list of the service, such as for quotes, an id may stand for several rows: then none.
    """
    if not schema.is_list:
        return find_superseded(lambda: iter(()))
    superseded = find_superseded(read_tables)
    warn_of_repeats(len(superseded))
    return superseded


def _fetch_missing_pages(
    fetch: Fetch, draft: Draft, schema: Schema, tally: Tally, selection: Selection
) -> None:
    """Fetch the missing pages; start again if the service refuses the stored cursor.

    ConfigError if `progress` stopped it: the fetched pages are stored.
    """
    stored = draft.last
    if not stored.more:
        return
    try:
        remaining_pages = bodies(fetch, stored.cursor)
        read_pages(remaining_pages, schema, draft.append, tally, selection=selection)
    except BadRequestError:
        # Not a refusal of the stored cursor if there was none, or if a page came with it.
        if stored.cursor is None or draft.last != stored:
            raise
        draft.restart()
        tally.rows = 0
        tally.pages = 0
        read_pages(bodies(fetch), schema, draft.append, tally, selection=selection)
    if tally.stopped:
        raise ConfigError(
            f"stopped: {draft.last.rows} rows are stored; repeat the call to continue"
        )
