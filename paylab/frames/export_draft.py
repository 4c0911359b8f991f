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
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import ConfigError
from ..files import locked, replace, sync_folder
from ..spec.timestamps import from_text, to_text
from .decode import PagePart

JOB = "job.json"
SEGMENT = "*.arrow"
FRESH = 3600  # seconds; an older draft may miss later changes


@dataclass(frozen=True)
class Segment:
    """The header of a segment: rows and pages up to its end, and the next cursor."""

    rows: int = 0
    pages: int = 0
    more: bool = True
    cursor: str | None = None


class Draft:
    """The segments of one export; opening the same job again continues it.

    `begun` is the time of its oldest page. A draft older than an hour is discarded unless `resume`
    is true; with false any draft is.
    """

    def __init__(
        self, folder: Path, job: Mapping[str, Any], now: datetime, resume: bool | None = None
    ) -> None:
        self._folder, self._job, self._resume = folder, dict(job), resume
        self.last, self.begun = Segment(), now

    def begin(self) -> None:
        """Continue the existing draft if it can be continued, or start a new one."""
        if self._goes_on():
            return
        (self._folder / JOB).unlink(missing_ok=True)
        for path in self._segments():
            path.unlink()
        with replace(self._folder / JOB) as sink:
            sink.write(json.dumps({"job": self._job, "begun": to_text(self.begun)}).encode())

    def append(self, part: PagePart) -> None:
        """Store new rows and the cursor after them."""
        table = part.table
        if self._known:
            table = table.filter(pc.invert(pc.is_in(table["id"], value_set=self._known)))
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
        """Yield all rows, one table per segment."""
        for path in self._segments():
            with path.open("rb") as source, pa.ipc.open_stream(source) as reader:
                yield reader.read_all()

    def restart(self) -> None:
        """Drop the cursor and keep the rows: repeated rows are recognised by id."""
        self.last = Segment(self.last.rows, self.last.pages)
        self.__dict__.pop("_known", None)

    def remove(self) -> None:
        """Delete the draft, first its job file, so that a partial draft is never resumed."""
        (self._folder / JOB).unlink(missing_ok=True)
        sync_folder(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    @cached_property
    def _known(self) -> pa.Array | None:
        """The ids on disk when the draft was opened; None for a new draft."""
        ids = [table["id"] for table in self.tables()]
        chunks = [chunk for column in ids for chunk in column.chunks]
        return pa.concat_arrays(chunks).drop_null() if chunks else None

    def _segments(self) -> list[Path]:
        return sorted(self._folder.glob(SEGMENT))

    def _goes_on(self) -> bool:
        """Whether the existing draft can be continued; then sets `begun` and `last`."""
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
        """Seconds since the start, by this machine's clock or the service's, whichever is more."""
        here = time.time() - (self._folder / JOB).stat().st_mtime
        return max(abs(here), abs((self.begun - begun).total_seconds()))


def _make_private(folder: Path) -> None:
    """Create the private folder of a draft; ConfigError if something else is at its path."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if not stat.S_ISDIR(found.st_mode) or not is_ours:
        raise ConfigError(f"{folder} is not a folder of yours: remove it, or export elsewhere")
    folder.chmod(0o700)


def _read_note(path: Path) -> Segment:
    with path.open("rb") as source, pa.ipc.open_stream(source) as reader:
        return Segment(**json.loads(reader.schema.metadata[b"paylab"]))


@contextmanager
def opened_draft(
    path: Path, job: Mapping[str, Any], now: datetime, resume: bool | None = None
) -> Iterator[Draft]:
    """The draft of an export to `path`, locked; see `Draft`."""
    folder = _draft_folder(path)
    _make_private(folder)
    with locked(folder / "lock"):
        draft = Draft(folder, job, now, resume)
        draft.begin()
        yield draft


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
