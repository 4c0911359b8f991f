"""A list that a lab reads to its end: as a frame, or into a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from dataclasses import field, replace
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from ..client.session import Session
from ..errors.api import NotFoundError
from ..errors.base import MissingOperationError, Problem, RuleError
from ..light_dataclass import light_dataclass
from ..spec import timestamps
from ..spec.codes import PAGE_MAX
from ..spec.operations.records import OPERATIONS
from ..spec.service.lists import Order
from ..spec.text import write_json
from ..spec.time_arguments import read_period

if TYPE_CHECKING:
    import pandas as pd

    from ..frames.export import Export


ListName = Literal["transfers", "conversions", "individuals", "conversion_accounts"]

Progress = Callable[[int, int], object]


class RowFilters(TypedDict, total=False):
    """Which rows to keep, and how to report progress."""

    since: date | str | None
    until: date | str | None
    columns: str | Collection[str] | None
    status: str | Collection[str] | None
    client_reference_id: str | None
    progress: Progress | bool | None


class FrameOptions(RowFilters, total=False):
    """Options of reading a frame."""

    limit: int | None
    amounts: Literal["exact", "float"]
    extra: bool


class ExportOptions(RowFilters, total=False):
    """Options of writing a file."""

    excel_safe: bool
    resume: bool | None


@light_dataclass(frozen=True)
class ListSource:
    """A list to fetch: its name, filters and service."""

    session: Session
    kind: ListName
    filters: Mapping[str, str | None] = field(default_factory=dict)
    size: int = PAGE_MAX

    @property
    def order(self) -> Order:
        """The order of the list, if declared."""
        return self.session.lists.order(self.kind)

    @property
    def account(self) -> str:
        """A digest of the service and account; it stays out of frames and sidecars."""
        return self.session.settings.identity

    def fetch(self, cursor: str | None) -> bytes:
        """One page as the service sent it; signed and retried like any GET."""
        return self.session.lists.page_as_sent(self.kind, self.size, cursor, self.filters)

    def one(self, id_: str) -> bytes | None:
        """One object in our names; None if it is not found or cannot be read."""
        operation = f"{self.kind}.get"
        try:
            path = self.session.service.path(operation, id=id_)
            answer = self.session.send("GET", path)
        except (NotFoundError, MissingOperationError):
            return None
        row = answer.translation.answer(OPERATIONS[operation].answer, answer.identified)
        return write_json(row).encode()

    def origin(self, **more: Any) -> dict[str, Any]:
        """The source of the rows, for `frame.attrs` and the sidecar file."""
        filters_given = {**self.filters, **more}
        return {
            "base_url": self.session.settings.base_url,
            "service": self.session.place(),
            "filter": {name: value for name, value in filters_given.items() if value is not None},
            "fetched_at": timestamps.to_text(self.session.clock()),
        }

    def frame(self, **options: Unpack[FrameOptions]) -> pd.DataFrame:
        """The rows as a frame; see `paylab.frames.transfers`."""
        from ..frames import frame
        from ..frames.decode import bodies
        from ..frames.selection import read_statuses

        limit = options.get("limit")
        begin, end = read_period(options.get("since"), options.get("until"))
        filters: dict[str, Any] = {"limit": limit, "since": begin and timestamps.to_text(begin)}
        filters["until"] = end and timestamps.to_text(end)
        filters["status"] = ",".join(sorted(read_statuses(options.get("status")) or ())) or None
        filters["client_reference_id"] = options.get("client_reference_id")
        size = page_size(limit)
        with report_progress(options.get("progress"), self.kind) as reporter:
            read: Any = {**options, "attrs": self.origin(**filters), "progress": reporter}
            pages = bodies(replace(self, size=size).fetch)
            return frame.frame(pages, self.kind, order=self.order, **read)

    def export(self, to: str | PathLike[str], **options: Unpack[ExportOptions]) -> Export:
        """The rows as a file or a folder; see `paylab.frames.export_list`."""
        from .. import frames

        with report_progress(options.get("progress"), self.kind) as reporter:
            how: Any = {**options, "progress": reporter, "order": self.order}
            how["account"] = self.account
            return frames.export_list(self.fetch, to, self.kind, self.origin(), **how)


def page_size(limit: int | None) -> int:
    """The page size for `limit` rows; RuleError for an invalid limit."""
    if limit is not None and (type(limit) is not int or limit < 1):
        raise RuleError([Problem("limit", "must be a whole number of rows, 1 or more")])
    return min(limit or PAGE_MAX, PAGE_MAX)


def report_progress(
    progress: Progress | bool | None, kind: str, measure: Literal["Line", "Bar"] = "Line"
) -> Any:
    """The function to call with progress; True shows a line or a bar."""
    if progress is True:
        from ..views import progress as shown

        return shown.progress(getattr(shown, measure)(kind))
    return nullcontext(progress or None)
