"""The draft of an export: fetched pages on disk. The same call continues from it.

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
from hashlib import sha256
from pathlib import Path
from typing import IO

import pyarrow as pa
from platformdirs import user_cache_path

from ..errors.base import ConfigError
from ..files import replace, sync_folder
from ..spec.timestamps import from_text, to_text
from ..storage.addresses import is_url, local_path
from ..storage.locks import hold_file_lock
from .text_table import PagePart

JOB = "job.json"
FRESH_SECONDS = 3600  # an older draft may miss later changes
ABANDONED_NS = 24 * 3600 * 10**9


@dataclass(frozen=True)
class Segment:
    """The header of a segment: the rows and pages of the draft up to its end, and the next page."""

    rows: int = 0
    pages: int = 0
    more: bool = True
    """Whether the list has a page after the segment."""
    cursor: str | None = None


class Draft:
    """The segments of one export; opening the same job again continues it.

    `begun` is the time of its oldest page, `resumed` the number of rows from earlier runs.
    """

    def __init__(
        self, folder: Path, job: Mapping[str, object], now: datetime, resume: bool | None = None
    ) -> None:
        """Continue the draft in a folder, or start a new one.

        `job` describes the export. `resume=True` continues a draft of any age, `resume=False`
        none, and None only a fresh one, which is at most an hour old.
        """
        self._folder = folder
        self._job = dict(job)
        self._resume = resume
        self.last = Segment()
        self.begun = now
        self.resumed = 0
        if self._continue_draft():
            return
        (self._folder / JOB).unlink(missing_ok=True)
        for path in self._find_segments():
            path.unlink()
        with replace(self._folder / JOB) as sink:
            sink.write(json.dumps({"job": self._job, "begun": to_text(self.begun)}).encode())

    def append(self, page_part: PagePart) -> None:
        """Store new rows and the cursor after them as the next segment."""
        table = page_part.table
        self.last = Segment(
            rows=self.last.rows + table.num_rows,
            pages=self.last.pages + len(page_part.sizes),
            more=page_part.more,
            cursor=page_part.cursor,
        )
        schema = table.schema.with_metadata({"paylab": json.dumps(vars(self.last))})
        path = self._folder / f"{self.last.pages:09d}.arrow"
        with replace(path) as sink, pa.ipc.new_stream(sink, schema) as writer:
            writer.write_table(table)

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows, one table per segment."""
        for path in self._find_segments():
            # Mapped, not read: the search for repeated rows uses only two columns.
            with pa.memory_map(str(path)) as mapped_file, pa.ipc.open_stream(mapped_file) as reader:
                yield reader.read_all()

    def clear(self) -> None:
        """Drop the stored pages: the list is read from its start."""
        for path in reversed(self._find_segments()):
            path.unlink()
        self.last = Segment()
        self.resumed = 0

    def remove(self) -> None:
        """Delete the draft, first its job file, so that a partial draft is never resumed."""
        (self._folder / JOB).unlink(missing_ok=True)
        sync_folder(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _find_segments(self) -> list[Path]:
        """The files of the segments, in the order of their pages."""
        return sorted(self._folder.glob("*.arrow"))

    def _continue_draft(self) -> bool:
        """Set `begun`, `last` and `resumed` from the stored draft; False if it cannot be used."""
        if self._resume is False:
            return False
        try:
            stored_draft = json.loads((self._folder / JOB).read_bytes())
            begun_at = from_text(stored_draft["begun"])
            stored_job = stored_draft["job"]
            segments = [_read_segment_header(path) for path in self._find_segments()]
        except (OSError, ValueError, TypeError, KeyError, pa.ArrowException):
            return False  # there is no draft, or one that cannot be read
        if stored_job != self._job:
            return False
        # The age by this machine's clock or by the service's, whichever is more.
        own_age_seconds = time.time() - (self._folder / JOB).stat().st_mtime
        service_age_seconds = (self.begun - begun_at).total_seconds()
        is_fresh = max(abs(own_age_seconds), abs(service_age_seconds)) < FRESH_SECONDS
        if not self._resume and not is_fresh:
            return False
        self.begun = begun_at
        self.last = segments[-1] if segments else Segment()
        self.resumed = self.last.rows
        return True


def _read_segment_header(path: Path) -> Segment:
    """What a stored segment says about the rows until its end."""
    with path.open("rb") as segment_file, pa.ipc.open_stream(segment_file) as reader:
        return Segment(**json.loads(reader.schema.metadata[b"paylab"]))


class Spool:
    """The rows of pages that are read only once, in a temporary file.

    They are written to the target when all have been read: a later row can replace an earlier one.
    """

    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        """Write tables of this schema to an open file."""
        self._file = file
        self._writer = pa.ipc.new_stream(file, schema)

    def append(self, page_part: PagePart) -> None:
        """Store new rows."""
        self._writer.write_table(page_part.table)

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows, as often as you ask; no more can be stored."""
        self._writer.close()
        self._file.seek(0)
        for batch in pa.ipc.open_stream(self._file):
            yield pa.Table.from_batches([batch])


@contextmanager
def open_draft(
    to: str | os.PathLike[str],
    job: Mapping[str, object],
    now: datetime,
    resume: bool | None = None,
) -> Iterator[Draft]:
    """The draft of an export to a path or a URL, in a private folder, locked; see `Draft`."""
    folder = _find_draft_folder(to)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror or error}") from None
    # In a shared folder another user could have put a link or a folder of that name there.
    folder_status = folder.lstat()
    is_own = not hasattr(os, "getuid") or folder_status.st_uid == os.getuid()
    if not stat.S_ISDIR(folder_status.st_mode) or not is_own:
        raise ConfigError(f"{folder} is not a folder of yours: remove it, or export elsewhere")
    folder.chmod(0o700)
    with hold_file_lock(folder / "lock"):
        draft = Draft(folder, job, now, resume)
        try:
            yield draft
        except BaseException:
            if not draft.last.pages:  # nothing to continue with
                draft.remove()
            raise


def _find_draft_folder(to: str | os.PathLike[str]) -> Path:
    """The path of an export's draft: a hidden folder beside its target.

    For a URL, it is a folder in the user's cache, named by a digest of the URL, because a URL may
    contain a token.
    """
    if is_url(to):
        return _find_url_drafts() / sha256(os.fspath(to).encode()).hexdigest()
    target_path = local_path(to).resolve()
    return target_path.with_name(f".{target_path.name}.export")


def _find_url_drafts() -> Path:
    """The folder of the drafts of exports to URLs."""
    return user_cache_path("paylab", appauthor=False) / "exports"


def sweep_drafts(to: str | os.PathLike[str]) -> None:
    """Remove drafts that nobody will continue.

    Those older than their local target were finished. Of URLs, all others that are older than a
    day are removed: they have rows of the service.
    """
    folder = _find_draft_folder(to)
    if is_url(to):
        for draft_folder in _find_url_drafts().glob("*"):
            age_ns = time.time_ns() - _find_newest_time(draft_folder)
            if draft_folder != folder and age_ns > ABANDONED_NS:
                shutil.rmtree(draft_folder, ignore_errors=True)
        return
    target_path = local_path(to)
    if not target_path.exists() or not (folder / JOB).exists():
        return
    if _find_newest_time(folder) < target_path.stat().st_mtime_ns:
        shutil.rmtree(folder)


def _find_newest_time(folder: Path) -> int:
    """When the newest file of a draft was written, in nanoseconds; 0 without files."""
    return max((file.stat().st_mtime_ns for file in folder.iterdir()), default=0)
