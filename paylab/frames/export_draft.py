"""The draft of an export: fetched pages on disk, from which the same call continues.

A segment is an Arrow file, written atomically, with rows and the cursor that follows them.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

import pyarrow as pa

from ..errors.base import ConfigError
from ..files import replace, sync_folder
from ..spec.timestamps import from_text, to_text
from ..storage.locks import hold_file_lock
from .text_table import PagePart

JOB = "job.json"
FRESH_SECONDS = 3600  # seconds; an older draft may miss later changes


@dataclass(frozen=True)
class Segment:
    """The header of a segment: rows and pages up to its end, and the next cursor."""

    rows: int = 0
    pages: int = 0
    more: bool = True
    cursor: str | None = None


class Draft:
    """The segments of one export; opening the same job again continues it.

    `begun` is the time of its oldest page, `resumed` the number of rows from earlier runs. A draft
    older than an hour is discarded unless `resume` is true; with false any draft is.
    """

    def __init__(
        self, folder: Path, job: Mapping[str, object], now: datetime, resume: bool | None = None
    ) -> None:
        self._folder = folder
        self._job = dict(job)
        self._resume = resume
        self.last = Segment()
        self.begun = now
        self.resumed = 0
        if self._can_continue():
            return
        (self._folder / JOB).unlink(missing_ok=True)
        for path in self._segments():
            path.unlink()
        with replace(self._folder / JOB) as sink:
            sink.write(json.dumps({"job": self._job, "begun": to_text(self.begun)}).encode())

    def append(self, part: PagePart) -> None:
        """Store new rows and the cursor after them."""
        table = part.table
        previous_page = self.last
        self.last = Segment(
            previous_page.rows + table.num_rows,
            previous_page.pages + len(part.sizes),
            part.more,
            part.cursor,
        )
        note = table.schema.with_metadata({"paylab": json.dumps(vars(self.last))})
        with (
            replace(self._folder / f"{self.last.pages:09d}.arrow") as sink,
            pa.ipc.new_stream(sink, note) as writer,
        ):
            writer.write_table(table)

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows, one table per segment."""
        for path in self._segments():
            # A map, because the first of two readings uses only two columns.
            with pa.memory_map(str(path)) as mapped_file, pa.ipc.open_stream(mapped_file) as reader:
                yield reader.read_all()

    def restart(self) -> None:
        """Drop the stored pages: the list is read from its start."""
        for path in reversed(self._segments()):
            path.unlink()
        self.last = Segment()
        self.resumed = 0

    def remove(self) -> None:
        """Delete the draft, first its job file, so that a partial draft is never resumed."""
        (self._folder / JOB).unlink(missing_ok=True)
        sync_folder(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _segments(self) -> list[Path]:
        return sorted(self._folder.glob("*.arrow"))

    def _can_continue(self) -> bool:
        """Whether the existing draft can be continued; then sets `begun` and `last`."""
        if self._resume is False:
            return False
        try:
            job_facts = json.loads((self._folder / JOB).read_text())
            begun = from_text(job_facts["begun"])
            job = job_facts["job"]
            notes = [_read_note(path) for path in self._segments()]
        except (OSError, ValueError, TypeError, KeyError, pa.ArrowException):
            return False
        own_age = time.time() - (self._folder / JOB).stat().st_mtime
        # By this machine's clock or the service's, whichever is more.
        age = max(abs(own_age), abs((self.begun - begun).total_seconds()))
        if job != self._job or not (self._resume or age < FRESH_SECONDS):
            return False
        self.begun = begun
        self.last = [Segment(), *notes][-1]
        self.resumed = self.last.rows
        return True


def _read_note(path: Path) -> Segment:
    with path.open("rb") as source, pa.ipc.open_stream(source) as reader:
        return Segment(**json.loads(reader.schema.metadata[b"paylab"]))


class Spool:
    """The rows of pages that are read only once, in a temporary file.

    They are written to the target when all have been read: a later row can replace an earlier one.
    """

    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._file = file
        self._writer = pa.ipc.new_stream(file, schema)

    def append(self, part: PagePart) -> None:
        """Store new rows."""
        self._writer.write_table(part.table)

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows, as often as you ask; no more can be stored."""
        self._writer.close()
        self._file.seek(0)
        for batch in pa.ipc.open_stream(self._file):
            yield pa.Table.from_batches([batch])


@contextmanager
def open_draft(
    path: Path, job: Mapping[str, object], now: datetime, resume: bool | None = None
) -> Iterator[Draft]:
    """The draft of an export to `path`, in a private folder, locked; see `Draft`."""
    folder = _draft_folder(path)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder_status = folder.lstat()
    is_ours = not hasattr(os, "getuid") or folder_status.st_uid == os.getuid()
    if not stat.S_ISDIR(folder_status.st_mode) or not is_ours:
        raise ConfigError(f"{folder} is not a folder of yours: remove it, or export elsewhere")
    folder.chmod(0o700)
    with hold_file_lock(folder / "lock"):
        yield Draft(folder, job, now, resume)


def _draft_folder(path: Path) -> Path:
    """The path of an export's draft: a hidden folder beside its target."""
    path = path.resolve()
    return path.with_name(f".{path.name}.export")


def sweep_drafts(path: Path) -> None:
    """Remove drafts that are older than their target: those exports were finished."""
    folder = _draft_folder(path)
    if path.exists() and (folder / JOB).exists():
        newest = max(file.stat().st_mtime_ns for file in folder.iterdir())
        if newest < path.stat().st_mtime_ns:
            shutil.rmtree(folder)
