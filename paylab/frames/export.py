"""Export pages as a stream to a CSV, Parquet or Excel file, a folder or standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Unpack

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from ..errors.api import BadRequestError
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, Problem, RuleError
from ..errors.extras import require_extra
from ..errors.text import printable_lines
from ..files import path_of, recover_path, replace, require_parent
from ..spec import timestamps
from ..spec.repeats import warn_of_repeats
from ..spec.row_filter import RowFilter, RowFilters, read_row_filter
from ..spec.service.lists import Order
from ..storage.folders import replace_folder, require_own_files
from . import excel, files
from .column_choice import Names, chosen_schema, read_columns, schema_for
from .columns import ListName, Schema, schema_of
from .decode import Fetch, bodies
from .export_draft import Draft, Spool, opened_draft, sweep_drafts
from .files import guard, ours, parquet_schema, typed, write_days
from .pages import Progress, Tally, read_pages
from .repeats import Rows, superseded, without
from .selection import Selection
from .text_table import text_schema

STANDARD_OUTPUT = "-"
Tables = Iterator[pa.Table]
About = Mapping[str, Any]
Write = Callable[[Tables, Path, Schema, About | None], None]
DAY_COLUMN = "created_at"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Export:
    """The result of an export: path and numbers of rows and pages.

    `resumed` rows are from an interrupted run; `oldest_page_at` is the time of the first page.
    """

    path: Path
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
    columns: Names | None = None,
    row_filter: RowFilter | None = None,
    **filters: Unpack[RowFilters],
) -> Export:
    """Write all pages to `FILE.csv`, `FILE.parquet`, `FILE.xlsx` or `FOLDER/`, or `-`.

    A folder contains Parquet files by day of creation; `-` is CSV on standard output. `since` and
    `until` keep rows created at or after a time, and before a time, `status` rows with one of the
    statuses, `client_reference_id` rows with this reference; `row_filter` is used in place of
    these. `columns` are the names of the columns to write, in your order. A row that the pages
    repeat is written once, with its newest `updated_at`: all rows are first written to a temporary
    file, and eight bytes per row are kept in memory. `progress(rows, pages)` is called
    after every page. `excel_safe` escapes cells that a spreadsheet would execute as formulas or
    round.

    >>> paylab.frames.export([lab.request("GET", "/v1/transfers")], "page.csv").rows
    20
    """
    write = destination(to, excel_safe=excel_safe)
    tally = Tally(progress)
    row_filter = row_filter or read_row_filter(kind, filters)
    selection = Selection(row_filter=row_filter)
    names = read_columns(columns, schema_of(kind))
    schema = schema_for(schema_of(kind), names, row_filter.fields)
    path = Path(to)
    folder = None if os.fspath(to) == STANDARD_OUTPUT else path.absolute().parent
    require_parent(path)
    with TemporaryFile(dir=folder) as file:
        spool = Spool(file, text_schema(schema))
        read_pages(pages, schema, spool.append, tally, selection=selection)
        dropped = _superseded(spool.tables, schema)
        rows = tally.rows - len(dropped)
        about = {"rows": rows, "excel_safe": True} if excel_safe else None
        write(without(spool.tables(), dropped), path, chosen_schema(schema, names), about)
    return Export(path, rows, tally.pages)


@explain_arguments
def export_list(  # noqa: PLR0913 - what, where, which rows, and who watches
    fetch: Fetch,
    to: str | os.PathLike[str],
    kind: ListName = "transfers",
    origin: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    *,
    excel_safe: bool = False,
    resume: bool | None = None,
    columns: Names | None = None,
    order: Order = "unknown",
    account: str | None = None,
    row_filter: RowFilter | None = None,
    **filters: Unpack[RowFilters],
) -> Export:
    """Fetch a whole list into a file; after an interruption, stored rows are not written again.

    `fetch(cursor)` returns a page as bytes. Fetched pages are stored in a hidden folder beside the
    target until the list is complete; a sidecar, `FILE.columns.json`, describes the file. A row
    that the list repeats is written once, with its newest `updated_at`; eight bytes per row, a
    hash of its id, are kept in memory when the list is complete. Pages
    of an interrupted run are used within an hour, at any age with `resume=True`, never with
    `resume=False`, and never for another `account`. An export to standard output (`-`) cannot be
    resumed.
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
            row_filter=row_filter,
        )
    write = destination(to, excel_safe=excel_safe)
    names = read_columns(columns, schema_of(kind))
    schema = schema_for(schema_of(kind), names, row_filter.fields)
    path = Path(to)
    about = dict(origin or {})
    selection = Selection(row_filter=row_filter, order=order)
    require_parent(path)
    if path.is_dir():
        require_own_files(path.resolve(), ours)  # before anything is fetched
    sweep_drafts(path)
    job = {"kind": kind, "base_url": about.get("base_url"), "filter": about.get("filter")}
    job |= {"rows": row_filter.describe(), "columns": schema.names, "account": account}
    now = timestamps.from_text(about["fetched_at"]) if "fetched_at" in about else datetime.now(UTC)
    with opened_draft(path, job, now, resume) as draft:
        recover_path(path)
        tally = Tally(progress, draft.last.rows, draft.last.pages)
        _fetch_all(fetch, draft, schema, tally, selection)
        if tally.stopped:
            stored = f"stopped: {draft.last.rows} rows are stored"
            raise ConfigError(f"{stored}; repeat the call to continue")
        dropped = _superseded(draft.tables, schema)
        rows = draft.last.rows - len(dropped)
        about |= {"rows": rows, "excel_safe": excel_safe, "resumed": draft.resumed}
        about |= {"oldest_page_at": timestamps.to_text(draft.begun)}
        write(without(draft.tables(), dropped), path, chosen_schema(schema, names), about)
        draft.remove()
    return Export(path, rows, draft.last.pages, draft.resumed, draft.begun)


def destination(to: str | os.PathLike[str], *, excel_safe: bool = False) -> Write:
    """The writer for a destination, by its extension; ConfigError for an unknown one."""
    text = os.fspath(to)
    if not text.strip():
        raise ConfigError("the destination is empty: name a file or a folder")
    if text == STANDARD_OUTPUT:
        return partial(_print_csv, safe=excel_safe)
    path_of(text)
    folder = text.endswith(("/", os.sep)) or Path(text).is_dir()
    writer = _write_folder if folder else WRITERS.get(Path(text).suffix.lower())
    if writer is None:
        endings = f"{', '.join(WRITERS)} or /"
        raise ConfigError(f"cannot export to {text!r}: it must end in {endings}, or be -")
    if writer is _write_excel:
        require_extra("excel")  # before anything is fetched
    if not excel_safe:
        return writer
    if writer is not _write_csv:
        raise ConfigError("excel_safe is for CSV files only: leave it out")
    return partial(_write_csv, safe=True)


def _superseded(read: Callable[[], Tables], schema: Schema) -> Rows:
    """The numbers of the rows to leave out, with a warning."""
    dropped = superseded(read if schema.is_list else lambda: iter(()))
    warn_of_repeats(len(dropped))
    return dropped


def _fetch_all(
    fetch: Fetch, draft: Draft, schema: Schema, tally: Tally, selection: Selection
) -> None:
    """Fetch the missing pages; start again if the service refuses the stored cursor."""
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


def _typed(tables: Tables, schema: Schema) -> Tables:
    start = 0
    for table in tables:
        yield typed(table, schema, start)
        start += table.num_rows


def _write_csv(
    tables: Tables, path: Path, schema: Schema, about: About | None, *, safe: bool = False
) -> None:
    with replace(path) as sink:
        _write_rows(tables, sink, schema, safe=safe)
        # Before the file is replaced: it describes the old one.
        mode = files.forget_sidecar(path)
    _describe(path, schema, about, mode)


def _print_csv(
    tables: Tables, path: Path, schema: Schema, about: About | None, *, safe: bool
) -> None:
    if not sys.stdout.isatty():
        _write_rows(tables, sys.stdout.buffer, schema, safe=safe)
    else:  # a terminal would obey the control characters of a text
        rows = BytesIO()
        _write_rows(tables, rows, schema, safe=safe)
        sys.stdout.buffer.write(printable_lines(rows.getvalue().decode()).encode())
    sys.stdout.buffer.flush()


def _write_rows(tables: Tables, sink: BinaryIO, schema: Schema, *, safe: bool) -> None:
    sink.write(BOM if safe else b"")  # without it a spreadsheet reads UTF-8 as Latin-1
    with pcsv.CSVWriter(sink, text_schema(schema)) as writer:
        for table in tables:
            rows = table.select(schema.names)
            writer.write(guard(rows, schema) if safe else rows)


def _write_excel(tables: Tables, path: Path, schema: Schema, about: About | None) -> None:
    rows = _typed(chain([text_schema(schema).empty_table()], tables), schema)
    excel.write_workbook(rows, path, about=about)
    files.forget_sidecar(path)


def _write_parquet(tables: Tables, path: Path, schema: Schema, about: About | None) -> None:
    kinds = parquet_schema(schema)
    with replace(path) as sink, pq.ParquetWriter(sink, kinds, compression="zstd") as writer:
        for table in _typed(tables, schema):
            writer.write_table(table)
    _describe(path, schema, about)


def _write_folder(tables: Tables, path: Path, schema: Schema, about: About | None) -> None:
    if DAY_COLUMN not in schema.names:
        message = f"must have {DAY_COLUMN}, by which the files of a folder are divided"
        raise RuleError([Problem("columns", message)])
    with replace_folder(path, ours) as folder:
        write_days(_typed(tables, schema), folder, schema)
        _describe(folder, schema, about)  # inside, so that both appear together


def _describe(path: Path, schema: Schema, about: About | None, mode: int | None = None) -> None:
    if about is None:
        files.forget_sidecar(path)
    else:
        files.write_sidecar(path, schema, about, mode)


WRITERS: dict[str, Write] = {".csv": _write_csv, ".parquet": _write_parquet, ".xlsx": _write_excel}
