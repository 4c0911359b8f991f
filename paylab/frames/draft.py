"""The segments of an interrupted export: pages on disk, from which the same call goes on.

A segment is one Arrow file that appears whole; the cursor stands in the same file as the rows
before it, so neither is ever there without the other.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
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


def sweep(path: Path) -> None:
    """A draft whose target is newer was finished, and only not removed any more."""
    job = draft_place(path) / JOB
    if path.exists() and job.exists() and _newest(draft_place(path)) < path.stat().st_mtime_ns:
        shutil.rmtree(draft_place(path))


def _newest(folder: Path) -> int:
    return max(file.stat().st_mtime_ns for file in folder.iterdir())
