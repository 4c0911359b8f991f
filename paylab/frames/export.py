"""Export pages as a stream to a file, a folder, a URL or standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, Unpack

import pyarrow as pa

from ..errors.api import BadRequestError
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..files import recover_path, require_parent
from ..spec import timestamps
from ..spec.repeats import warn_of_repeats
from ..spec.row_filter import RowFilter, RowFilters, read_row_filter
from ..spec.service.lists import Order
from ..storage.addresses import check_storage_options, is_url, local_path, local_target
from ..storage.folders import require_replaceable
from .column_choice import Names, chosen_schema, read_columns, schema_for
from .columns import ListName, Schema, find_schema
from .decode import Fetch, bodies
from .export_draft import Draft, Spool, open_draft, sweep_drafts
from .file_writers import STANDARD_OUTPUT, FileRows, Write, find_writer
from .pages import Progress, Tally, read_pages
from .parquet_days import could_be_exported
from .parquet_types import Scale
from .repeats import RowNumbers, drop_rows, find_superseded
from .results import Export
from .selection import Selection
from .text_table import text_schema


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
    URL. A folder contains Parquet files by day of creation; `-` is CSV. A row that the pages
    repeat is written once, with its newest `updated_at`: all rows are first written to a temporary
    file, and eight bytes per row are kept in memory.

    - `progress(rows, pages)` is called after every page.
    - `excel_safe` escapes cells that a spreadsheet would execute as formulas or round.
    - `scale` sets the decimals in Parquet, of all amounts or by column. By default amounts are
      DECIMAL(24, 6) and rates DECIMAL(13, 8), or DECIMAL(38, 18) with a WiderDecimalWarning if a
      value needs it.
    - .xlsx has amounts as numbers; one of more than 15 digits, which a spreadsheet would round, is
      text with all digits: `SUM` leaves it out, and a SheetTextWarning names its column.
    - `columns` are the names of the columns to write, in your order.
    - `since` and `until` keep rows created at or after a time, and before a time. `status` keeps
      rows with one of the statuses, `client_reference_id` rows with this reference. `row_filter`
      is used in place of these.
    - `storage_options` are options of the file system of a URL, such as keys.

    >>> paylab.frames.export([lab.request("GET", "/v1/transfers")], "page.csv").rows
    20
    """
    row_filter = row_filter or read_row_filter(kind, filters)
    plan = _plan_export(to, kind, columns, row_filter, scale=scale, excel_safe=excel_safe)
    return _export_once(pages, to, plan, progress, storage_options)


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

    `fetch(cursor)` returns a page as bytes. Fetched pages are stored until the file is complete, in
    a hidden folder beside the target, or, if that is a URL, in the user's cache folder on this
    machine; a sidecar, `FILE.columns.json`, describes the file. A row that the list repeats is
    written once, with its newest `updated_at`; eight bytes per row, a hash of its id, are kept in
    memory when the list is complete. Pages of an interrupted run are used within an hour, at any
    age with `resume=True`, never with `resume=False`, and never for another `account`; those for a
    URL that nobody continued are removed after a day, by the next export to a URL. An export to
    standard output (`-`) cannot be resumed.
    """
    row_filter = row_filter or read_row_filter(kind, filters)
    plan = _plan_export(to, kind, columns, row_filter, scale=scale, excel_safe=excel_safe)
    if os.fspath(to) == STANDARD_OUTPUT:
        return _export_once(bodies(fetch), to, plan, progress, storage_options)
    fact_by_name = dict(origin or {})
    job_description = _describe_job(plan, fact_by_name, account)
    _require_writable_target(to, storage_options)
    sweep_drafts(to)
    now = _read_now(fact_by_name)
    selection = Selection(None, row_filter, order)
    with open_draft(to, job_description, now, resume) as draft:
        with local_target(to, could_be_exported, storage_options) as (path, shown_path):
            recover_path(path)
            _fetch_missing_pages(fetch, draft, plan, selection, progress)
            sidecar_facts = _describe_draft(draft, plan, fact_by_name)
            row_count = plan.write(draft.tables, draft.last.rows, path, sidecar_facts)
        draft.remove()  # after the upload to a URL, which may fail
    return Export(
        shown_path,
        rows=row_count,
        pages=draft.last.pages,
        resumed=draft.resumed,
        oldest_page_at=draft.begun,
    )


class ExportPlan(NamedTuple):
    """The rows that an export reads, and the function that writes them."""

    row_filter: RowFilter
    read_schema: Schema
    """The columns to read, with those that choose the rows."""
    file_rows: FileRows
    write_file: Write

    def write(
        self,
        read_tables: Callable[[], Iterator[pa.Table]],
        read_count: int,
        path: Path,
        file_facts: Mapping[str, Any] | None,
    ) -> int:
        """Write the rows that no newer version replaces, and return their number.

        `read_count` is the number of all rows; `file_facts` are for the sidecar, None without one.
        """
        superseded_row_numbers = _find_superseded_rows(read_tables, self.read_schema)
        row_count = read_count - len(superseded_row_numbers)
        counted_facts = None if file_facts is None else {**file_facts, "rows": row_count}
        rows_with_facts = self.file_rows.read_from(
            lambda: drop_rows(read_tables(), superseded_row_numbers), counted_facts
        )
        self.write_file(rows_with_facts, path)
        return row_count


def _plan_export(
    to: str | os.PathLike[str],
    kind: ListName,
    columns: Names | None,
    row_filter: RowFilter,
    **file_options: Any,
) -> ExportPlan:
    """The plan of an export; errors of its options are raised before anything is fetched."""
    column_names = read_columns(columns, find_schema(kind))
    read_schema = schema_for(find_schema(kind), column_names, row_filter.fields)
    file_rows = FileRows(chosen_schema(read_schema, column_names), **file_options)
    return ExportPlan(row_filter, read_schema, file_rows, write_file=find_writer(to, file_rows))


def _export_once(
    pages: Iterable[object],
    to: str | os.PathLike[str],
    plan: ExportPlan,
    progress: Progress | None,
    storage_options: Mapping[str, Any] | None,
) -> Export:
    """Write pages that can be read only once.

    All rows are first kept in a temporary file: repeated rows and the types of columns are known
    only after the last page.
    """
    tally = Tally(progress)
    with local_target(to, could_be_exported, storage_options) as (path, shown_path):
        require_parent(path)
        # Beside the target, where there is room for its rows; else in the system's folder.
        folder = None if os.fspath(to) == STANDARD_OUTPUT else path.absolute().parent
        with TemporaryFile(dir=folder) as spool_file:
            spool = Spool(spool_file, text_schema(plan.read_schema))
            selection = Selection(row_filter=plan.row_filter)
            read_pages(
                pages, plan.read_schema, use_rows=spool.append, tally=tally, selection=selection
            )
            # Only escaped cells need a sidecar, by which `read_csv` knows of them.
            sidecar_facts = {"excel_safe": True} if plan.file_rows.excel_safe else None
            row_count = plan.write(spool.tables, tally.rows, path, sidecar_facts)
    return Export(shown_path, row_count, tally.pages)


def _describe_job(
    plan: ExportPlan, origin: Mapping[str, Any], account: str | None
) -> dict[str, object]:
    """Describe an export: a second export with an equal description continues the first."""
    return {
        "kind": plan.read_schema.name,
        "base_url": origin.get("base_url"),
        "filter": origin.get("filter"),
        "rows": plan.row_filter.describe(),
        "columns": plan.read_schema.names,
        "account": account,
    }


def _read_now(origin: Mapping[str, Any]) -> datetime:
    """The time of the service's clock, if the source of the rows has it; else of this machine."""
    fetched_at = origin.get("fetched_at")
    return datetime.now(UTC) if fetched_at is None else timestamps.from_text(fetched_at)


def _describe_draft(draft: Draft, plan: ExportPlan, origin: Mapping[str, Any]) -> dict[str, Any]:
    """The facts for the sidecar of an exported list, besides the number of rows."""
    return {
        **origin,
        "excel_safe": plan.file_rows.excel_safe,
        "resumed": draft.resumed,
        "oldest_page_at": timestamps.to_text(draft.begun),
    }


def _require_writable_target(
    to: str | os.PathLike[str], storage_options: Mapping[str, Any] | None
) -> None:
    """An error, before anything is stored, for a target of this machine that cannot be written."""
    check_storage_options(to, storage_options)
    if is_url(to):
        return  # opening its file system checks it
    path = local_path(to)
    require_parent(path)
    if path.is_dir():
        require_replaceable(path.resolve(), could_be_exported)


def _find_superseded_rows(
    read_tables: Callable[[], Iterator[pa.Table]], schema: Schema
) -> RowNumbers:
    """The numbers of rows that a newer version replaces, with a warning if there are any.

    None of quotes and other objects that the service does not list: rows may share their id.
    """
    if not schema.is_list:
        return find_superseded(lambda: iter(()))  # of no rows
    superseded_row_numbers = find_superseded(read_tables)
    warn_of_repeats(len(superseded_row_numbers))
    return superseded_row_numbers


def _fetch_missing_pages(
    fetch: Fetch, draft: Draft, plan: ExportPlan, selection: Selection, progress: Progress | None
) -> None:
    """Fetch the missing pages; start again if the service refuses the stored cursor.

    ConfigError if `progress` stopped it: the fetched pages are stored.
    """
    stored_segment = draft.last
    if not stored_segment.more:
        return
    tally = Tally(progress, stored_segment.rows, stored_segment.pages)
    schema = plan.read_schema
    try:
        remaining_pages = bodies(fetch, stored_segment.cursor)
        read_pages(remaining_pages, schema, use_rows=draft.append, tally=tally, selection=selection)
    except BadRequestError:
        # Without a stored cursor, or once a page was read, the refusal is about something else.
        if stored_segment.cursor is None or draft.last != stored_segment:
            raise
        draft.clear()
        tally = Tally(progress)
        read_pages(bodies(fetch), schema, use_rows=draft.append, tally=tally, selection=selection)
    if tally.stopped:
        raise ConfigError(
            f"stopped: {draft.last.rows} rows are stored; repeat the call to continue"
        )
