"""Streamed export: pages to a CSV file, a Parquet file or a folder, resumable after a crash.

A segment is one Arrow file that appears whole; the cursor stands in the same file as the rows
before it, so neither is ever there without the other.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

from ..errors import BadRequestError, ConfigError
from ..files import locked, recover, replace, replace_folder, require_parent, sync_folder
from ..spec import timestamps
from ..spec.timestamps import from_text, to_text
from . import csv
from .csv import guard
from .cursors import Fetch, bodies
from .decode import PagePart, text_schema
from .pages import Progress, Tally, read_pages
from .parquet import DayFolder, ours, parquet_table, parquet_writer
from .schema import SCHEMAS, Kept, Schema

JOB = "job.json"
SEGMENT = "*.arrow"
FRESH = 3600  # seconds; what is older may lack what happened since


@dataclass(frozen=True)
class Segment:
    """What a segment says of itself: the rows and pages up to its end, and what follows."""

    rows: int = 0
    pages: int = 0
    more: bool = True
    cursor: str | None = None


class Draft:
    """The segments of one export; the same job opened again goes on where it stopped.

    `begun` is the time of its oldest page. A draft that is older than an hour is begun again
    unless `resume` is true; with false any draft is.
    """

    def __init__(
        self, folder: Path, job: Mapping[str, Any], now: datetime, resume: bool | None = None
    ) -> None:
        self._folder, self._job, self._resume = folder, dict(job), resume
        self.last, self.begun = Segment(), now

    def __enter__(self) -> Draft:
        _make_private(self._folder)
        with ExitStack() as stack:
            stack.enter_context(locked(self._folder / "lock"))
            if not self._goes_on():
                self._begin()
            self._lock = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def append(self, part: PagePart) -> None:
        """Keep the rows that are new and, once they are on disk, the cursor after them."""
        table = part.table.filter(self._unknown(part.table)) if self._known else part.table
        last = self.last
        self.last = Segment(
            last.rows + table.num_rows, last.pages + len(part.sizes), part.more, part.cursor
        )
        note = table.schema.with_metadata({"paylab": json.dumps(vars(self.last))})
        with (
            replace(self._folder / f"{self.last.pages:09d}.arrow") as sink,
            pa.ipc.new_stream(sink, note) as writer,
        ):
            writer.write_table(table)

    def tables(self) -> Iterator[pa.Table]:
        """All rows, a segment at a time."""
        for path in self._segments():
            with path.open("rb") as source, pa.ipc.open_stream(source) as reader:
                yield reader.read_all()

    def restart(self) -> None:
        """Forget the cursor, keep the rows: what comes again is recognised by its id."""
        self.last = Segment(self.last.rows, self.last.pages)
        self.__dict__.pop("_known", None)

    def remove(self) -> None:
        """Delete all of it; the job goes first, so that a half-deleted draft is never resumed."""
        (self._folder / JOB).unlink(missing_ok=True)
        sync_folder(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    @cached_property
    def _known(self) -> pa.Array | None:
        """The ids that were on disk when the draft was opened; None for a new one."""
        ids = [table["id"] for table in self.tables()]
        chunks = [chunk for column in ids for chunk in column.chunks]
        return pa.concat_arrays(chunks).drop_null() if chunks else None

    def _unknown(self, table: pa.Table) -> pa.Array:
        return pc.invert(pc.is_in(table["id"], value_set=self._known))

    def _segments(self) -> list[Path]:
        return sorted(self._folder.glob(SEGMENT))

    def _goes_on(self) -> bool:
        """Whether what is there can be continued; then `begun` and `last` say from where."""
        if self._resume is False:
            return False
        try:
            about = json.loads((self._folder / JOB).read_text())
            begun, job = from_text(about["begun"]), about["job"]
            notes = [_read_note(path) for path in self._segments()]
        except (OSError, ValueError, TypeError, KeyError, pa.ArrowException):
            return False
        if job != self._job or not (self._resume or self._age(begun) < FRESH):
            return False
        self.begun, self.last = begun, [Segment(), *notes][-1]
        return True

    def _age(self, begun: datetime) -> float:
        """Seconds since the beginning: by this machine's clock or by the service's, the larger."""
        here = time.time() - (self._folder / JOB).stat().st_mtime
        return max(abs(here), abs((self.begun - begun).total_seconds()))

    def _begin(self) -> None:
        (self._folder / JOB).unlink(missing_ok=True)
        for path in self._segments():
            path.unlink()
        with replace(self._folder / JOB) as sink:
            sink.write(json.dumps({"job": self._job, "begun": to_text(self.begun)}).encode())


def _make_private(folder: Path) -> None:
    """Make the folder of a draft; ConfigError where somebody else put something in its place."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if not stat.S_ISDIR(found.st_mode) or not is_ours:
        raise ConfigError(f"{folder} is not a folder of yours: remove it, or export elsewhere")
    folder.chmod(0o700)


def _read_note(path: Path) -> Segment:
    with path.open("rb") as source, pa.ipc.open_stream(source) as reader:
        return Segment(**json.loads(reader.schema.metadata[b"paylab"]))


def draft_place(path: Path) -> Path:
    """Where the draft of an export lies: a hidden folder beside its target."""
    path = path.resolve()
    return path.with_name(f".{path.name}.export")


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
    write(read_pages(pages, schema, lambda part: part.table, tally), Path(to), schema, about)
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
    now = timestamps.from_text(about["fetched_at"]) if "fetched_at" in about else datetime.now(UTC)
    with Draft(draft_place(path), job, now, resume) as draft:
        recover(path)
        before, tally = draft.last.rows, Tally(progress, draft.last.rows, draft.last.pages)
        _fetch_all(fetch, draft, schema, tally)
        if tally.stopped:
            raise ConfigError(f"stopped: {draft.last.rows} rows are kept; the same call goes on")
        about |= {"rows": draft.last.rows, "excel_safe": excel_safe, "resumed": before}
        about |= {"oldest_page_at": timestamps.to_text(draft.begun)}
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
        for _ in read_pages(pages, schema, draft.append, tally):
            pass  # the rows are in the draft


def _sweep(path: Path) -> None:
    """A draft whose target is newer was finished, and only not removed any more."""
    job = draft_place(path) / "job.json"
    if path.exists() and job.exists() and _newest(draft_place(path)) < path.stat().st_mtime_ns:
        shutil.rmtree(draft_place(path))


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
        # Before the file is in place: it tells how to read the old one.
        mode = csv.forget_sidecar(path)
    _describe(path, schema, about, mode)


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


def _describe(path: Path, schema: Schema, about: About | None, mode: int | None = None) -> None:
    if about is None:
        csv.forget_sidecar(path)
    else:
        csv.write_sidecar(path, schema, about(), mode)


WRITERS: dict[str, Write] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
