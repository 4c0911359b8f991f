"""Pages of an unfinished export on disk, and with them the cursor that follows.

A segment is one Arrow file that appears whole; the cursor stands in the same file as the rows
before it, so neither is ever there without the other.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..files import locked, replace, sync_folder
from .decode import Part

JOB = "job.json"
SEGMENT = "*.arrow"


@dataclass(frozen=True)
class Segment:
    """What a segment says of itself: the rows and pages up to its end, and what follows."""

    rows: int = 0
    pages: int = 0
    more: bool = True
    cursor: str | None = None


class Draft:
    """The segments of one export; the same job opened again goes on where it stopped."""

    def __init__(self, folder: Path, job: Mapping[str, Any]) -> None:
        self._folder, self._job = folder, dict(job)
        self.last = Segment()

    def __enter__(self) -> Draft:
        self._folder.mkdir(exist_ok=True)
        self._lock = locked(self._folder / "lock")
        self._lock.__enter__()
        if self._read_job() != self._job:
            self._begin()
        for path in self._segments():
            self.last = _read_note(path)
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.__exit__(None, None, None)

    def append(self, part: Part) -> None:
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

    def _read_job(self) -> object:
        try:
            return json.loads((self._folder / JOB).read_text())
        except (OSError, ValueError):
            return None

    def _begin(self) -> None:
        for path in self._segments():
            path.unlink()
        with replace(self._folder / JOB) as sink:
            sink.write(json.dumps(self._job).encode())


def _read_note(path: Path) -> Segment:
    with path.open("rb") as source, pa.ipc.open_stream(source) as reader:
        return Segment(**json.loads(reader.schema.metadata[b"paylab"]))


def place(path: Path) -> Path:
    """Where the draft of an export lies: a hidden folder beside its target."""
    path = path.resolve()
    return path.with_name(f".{path.name}.export")
