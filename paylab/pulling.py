"""Whole lists pulled over the client: into a frame, a file, or a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from . import instants
from .client import wire
from .codes import PAGE_MAX
from .errors import NotFoundError, Problem, RuleError

if TYPE_CHECKING:
    import pandas as pd

    from .client.http import Sender
    from .frames import Export

Kept = Literal["transfers", "conversions"]
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Pull:
    """A list to pull: which one, with what filter, from where."""

    sender: Sender
    kind: Kept
    filters: Mapping[str, str | None] = field(default_factory=dict)
    size: int = PAGE_MAX

    def fetch(self, cursor: str | None) -> bytes:
        """One page as the service sent it; signed and repeated like any GET."""
        query = {"limit": self.size, **self.filters, "cursor": cursor}
        given = {name: value for name, value in query.items() if value is not None}
        return self.sender.fetch(f"{wire.path(self.kind)}?{urlencode(given)}")

    def one(self, id_: str) -> bytes | None:
        """One object as the service sent it; None when it cannot be asked for, or is gone."""
        if self.kind == "conversions":  # the service only lists them
            return None
        try:
            return self.sender.fetch(wire.path(self.kind, id_))
        except NotFoundError:
            return None

    def origin(self, **more: Any) -> dict[str, Any]:
        """Where it comes from, for `frame.attrs` and the sidecar of a file."""
        asked = {**self.filters, **more}
        return {
            "base_url": self.sender.settings.base_url,
            "filter": {name: value for name, value in asked.items() if value is not None},
            "fetched_at": instants.to_text(self.sender.clock()),
        }

    def frame(
        self,
        limit: int | None = None,
        since: date | str | None = None,
        progress: Progress | bool | None = None,
        *,
        extra: bool = False,
    ) -> pd.DataFrame:
        """The rows as a frame; see `paylab.frames.transfers`."""
        from . import frames
        from .frames import times

        pages = frames.bodies(self.fetch)
        read = frames.transfers if self.kind == "transfers" else frames.conversions
        begin = times.since(since)
        with _watching(progress, self.kind) as told:
            return read(
                pages,
                attrs=self.origin(limit=limit, since=begin and instants.to_text(begin)),
                limit=limit,
                since=begin,
                progress=told,
                extra=extra,
            )

    def export(
        self,
        to: str | PathLike[str],
        progress: Progress | bool | None = None,
        *,
        excel_safe: bool = False,
        resume: bool | None = None,
    ) -> Export:
        """The rows as a file or a folder; see `paylab.frames.export_list`."""
        from . import frames

        with _watching(progress, self.kind) as told:
            return frames.export_list(
                self.fetch,
                to,
                self.kind,
                self.origin(),
                told,
                excel_safe=excel_safe,
                resume=resume,
            )


def page_size(limit: int | None) -> int:
    """The size of the pages for so many rows; RuleError for a limit that is none."""
    if limit is not None and (type(limit) is not int or limit < 1):
        raise RuleError([Problem("limit", "must be a whole number of rows, 1 or more")])
    return min(limit or PAGE_MAX, PAGE_MAX)


def _watching(progress: Progress | bool | None, kind: str) -> Any:
    from contextlib import nullcontext

    if progress is True:
        from .views.progress import watching

        return watching(kind)
    return nullcontext(progress or None)
