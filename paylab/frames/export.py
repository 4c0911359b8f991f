"""Streamed export: pages to a CSV file, a Parquet file or a folder, in constant memory.

Amounts go straight through as the text the service sent; the result appears whole or not at
all. `export` writes pages that are there; `export_list` fetches them, and when it is killed the
same call goes on where it stopped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.csv as pcsv

from .. import instants
from ..errors import BadRequestError, ConfigError
from ..files import recover, replace, replace_folder, require_parent
from . import sidecar
from .cursors import Fetch, bodies
from .drafts import Draft, place
from .flatten import text_schema
from .pages import Progress, Tally
from .parquet import DayFolder, ours, parquet_table, parquet_writer
from .reading import read
from .schema import SCHEMAS, Kept, Schema
from .spreadsheet import guard

Tables = Iterator[pa.Table]
About = Callable[[], Mapping[str, Any]]
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Export:
    """What an export left behind: where, and how much.

    `resumed` rows are from an interrupted run; `oldest_page_at` is the time of the first page.
    """

    path: Path
    rows: int
    pages: int
    resumed: int = 0
    oldest_page_at: datetime | None = None


class Write(Protocol):
    """Writes tables to a file or folder and, where there is something to say, its sidecar."""

    def __call__(
        self, tables: Tables, path: Path, schema: Schema, about: About | None = None
    ) -> None:
        """Write them."""


def export(
    pages: Iterable[object],
    to: str | os.PathLike[str],
    kind: Kept = "transfers",
    progress: Progress | None = None,
    *,
    excel_safe: bool = False,
) -> Export:
    """Write all pages to `FILE.csv`, `FILE.parquet` or `FOLDER/` (Parquet by day of creation).

    `progress(rows, pages)` is called after every page. With `excel_safe` no cell of a CSV runs
    or loses digits when a spreadsheet opens it.
    """
    write, tally = destination(to, excel_safe=excel_safe), Tally(progress)
    schema = SCHEMAS[kind]
    about = (lambda: {"rows": tally.rows, "excel_safe": True}) if excel_safe else None
    write(read(pages, schema, lambda part: part.table, tally), Path(to), schema, about)
    return Export(Path(to), tally.rows, tally.pages)


def export_list(  # noqa: PLR0913 - what, where, and who watches
    fetch: Fetch,
    to: str | os.PathLike[str],
    kind: Kept = "transfers",
    origin: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    *,
    excel_safe: bool = False,
    resume: bool | None = None,
) -> Export:
    """Fetch a whole list into a file, each row once, however often it was killed on the way.

    `fetch(cursor)` gives a page as bytes. Fetched pages lie in a hidden folder beside the
    target until all are there; beside the file a sidecar, `FILE.columns.json`, describes it.
    What an interrupted run fetched within the last hour is used; whatever its age with `resume`
    true, never with false.
    """
    write, schema = destination(to, excel_safe=excel_safe), SCHEMAS[kind]
    path, about = Path(to), dict(origin or {})
    require_parent(path)
    _sweep(path)
    job = {"kind": kind, "base_url": about.get("base_url"), "filter": about.get("filter")}
    now = instants.from_text(about["fetched_at"]) if "fetched_at" in about else datetime.now(UTC)
    with Draft(place(path), job, now, resume) as draft:
        recover(path)
        before, tally = draft.last.rows, Tally(progress, draft.last.rows, draft.last.pages)
        _fetch_all(fetch, draft, schema, tally)
        if tally.stopped:
            raise ConfigError(f"stopped: {draft.last.rows} rows are kept; the same call goes on")
        about |= {"rows": draft.last.rows, "excel_safe": excel_safe, "resumed": before}
        about |= {"oldest_page_at": instants.to_text(draft.begun)}
        write(draft.tables(), path, schema, lambda: about)
        draft.remove()
    return Export(path, draft.last.rows, draft.last.pages, before, draft.begun)


def destination(to: str | os.PathLike[str], *, excel_safe: bool = False) -> Write:
    """The writer for a destination, by its ending; anything unknown is a clear error."""
    text = os.fspath(to)
    if not text.strip():
        raise ConfigError("cannot export to nothing: name a file or a folder")
    folder = text.endswith(("/", os.sep)) or Path(text).is_dir()
    writer = _write_folder if folder else WRITERS.get(Path(text).suffix.lower())
    if writer is None:
        raise ConfigError(f"cannot export to {text!r}: it must end in .csv, .parquet or /")
    if not excel_safe:
        return writer
    if writer is not _write_csv:
        raise ConfigError("excel_safe is for CSV: Parquet keeps text as text")
    return partial(_write_csv, safe=True)


def _fetch_all(fetch: Fetch, draft: Draft, schema: Schema, tally: Tally) -> None:
    """Fetch what is missing; a cursor that the service no longer knows starts the walk again."""
    found = draft.last
    try:
        _walk(fetch, draft, schema, tally)
    except BadRequestError:
        if found.cursor is None or draft.last != found:  # it was good a moment ago
            raise
        draft.restart()
        _walk(fetch, draft, schema, tally)


def _walk(fetch: Fetch, draft: Draft, schema: Schema, tally: Tally) -> None:
    if draft.last.more:
        pages = bodies(fetch, draft.last.cursor)
        for _ in read(pages, schema, draft.append, tally):
            pass  # the rows are in the draft


def _sweep(path: Path) -> None:
    """A draft whose target is newer was finished, and only not removed any more."""
    job = place(path) / "job.json"
    if path.exists() and job.exists() and _newest(place(path)) < path.stat().st_mtime_ns:
        shutil.rmtree(place(path))


def _newest(folder: Path) -> int:
    return max(file.stat().st_mtime_ns for file in folder.iterdir())


def _typed(tables: Tables, schema: Schema) -> Tables:
    start = 0
    for table in tables:
        yield parquet_table(table, schema, start)
        start += table.num_rows


def _write_csv(
    tables: Tables, path: Path, schema: Schema, about: About | None = None, *, safe: bool = False
) -> None:
    with replace(path) as sink:
        sink.write(BOM if safe else b"")  # without it a spreadsheet takes UTF-8 for Latin-1
        with pcsv.CSVWriter(sink, text_schema(schema)) as writer:
            for table in tables:
                writer.write(guard(table, schema) if safe else table)
        sidecar.forget(path)  # before the file is in place: it tells how to read the old one
    _describe(path, schema, about)


def _write_parquet(tables: Tables, path: Path, schema: Schema, about: About | None = None) -> None:
    with replace(path) as sink, parquet_writer(sink, schema) as writer:
        for table in _typed(tables, schema):
            writer.write_table(table)
    _describe(path, schema, about)


def _write_folder(tables: Tables, path: Path, schema: Schema, about: About | None = None) -> None:
    with replace_folder(path, ours) as folder:
        with closing(DayFolder(folder, schema)) as days:
            for table in _typed(tables, schema):
                days.write(table)
        _describe(folder, schema, about)  # before the folder is in place, so that both are at once


def _describe(path: Path, schema: Schema, about: About | None) -> None:
    if about is None:
        sidecar.forget(path)
    else:
        sidecar.write(path, schema, about())


WRITERS: dict[str, Write] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
