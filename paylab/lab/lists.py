"""A list that a lab reads to its end: as a frame, or into a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from dataclasses import field, replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ..client.lists import read_filters
from ..client.session import Session
from ..errors.api import NotFoundError
from ..errors.base import MissingOperationError, OptionError, Problem
from ..errors.extras import require_extra
from ..light_dataclass import light_dataclass
from ..spec import timestamps
from ..spec.codes import PAGE_MAX
from ..spec.operations.records import OPERATIONS
from ..spec.row_filter import (
    FILTER_NAMES,
    ConversionAccountFilters,
    ConversionFilters,
    IndividualFilters,
    RowFilter,
    TransferFilters,
)
from ..spec.service.lists import Order
from ..spec.text import write_json

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ..frames.results import Export


ListName = Literal["transfers", "conversions", "individuals", "conversion_accounts"]

Progress = Callable[[int, int], object]


class FrameOptions(TypedDict, total=False):
    """Options of reading a frame, besides filters of rows."""

    columns: str | Collection[str] | None
    limit: int | None
    amounts: Literal["exact", "float"]
    extra: bool
    progress: Progress | bool | None


class ExportOptions(TypedDict, total=False):
    """Options of writing a file, besides filters of rows."""

    columns: str | Collection[str] | None
    excel_safe: bool
    scale: int | Mapping[str, int] | None
    resume: bool | None
    storage_options: Mapping[str, Any] | None
    progress: Progress | bool | None


class TransferFrame(TransferFilters, FrameOptions, total=False):
    """Options of a frame of transfers."""


class TransferExport(TransferFilters, ExportOptions, total=False):
    """Options of a file of transfers."""


class ConversionFrame(ConversionFilters, FrameOptions, total=False):
    """Options of a frame of conversions."""


class ConversionExport(ConversionFilters, ExportOptions, total=False):
    """Options of a file of conversions."""


class IndividualFrame(IndividualFilters, FrameOptions, total=False):
    """Options of a frame of individuals."""


class ConversionAccountFrame(ConversionAccountFilters, FrameOptions, total=False):
    """Options of a frame of conversion accounts."""


@light_dataclass(frozen=True)
class ListSource:
    """A list to fetch: its name, filters and service."""

    session: Session
    kind: ListName
    filters: Mapping[str, object] = field(default_factory=dict)
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
        """One object in our names as JSON; None if it is not found or cannot be read."""
        operation_name = f"{self.kind}.get"
        try:
            path = self.session.service.path(operation_name, id=id_)
            response = self.session.deliver(self.session.requests.path("GET", path))
        except (NotFoundError, MissingOperationError):
            return None
        translated_row = response.to_our_names(
            OPERATIONS[operation_name].answer, response.require_object_with_id()
        )
        return write_json(translated_row).encode()

    def origin(self, **further_filters: object) -> dict[str, Any]:
        """Where the rows come from, for `frame.attrs` and the sidecar file.

        That is the service, the filters of the list with further ones, and the time.
        """
        filters = {**self.filters, **further_filters}
        return {
            "base_url": self.session.settings.base_url,
            "service": self.session.place(),
            "filter": {
                filter_name: filter_value
                for filter_name, filter_value in filters.items()
                if filter_value is not None
            },
            "fetched_at": timestamps.to_text(self.session.clock()),
        }

    def frame(self, options: Mapping[str, object] = MappingProxyType({})) -> pd.DataFrame:
        """The rows as a frame; see `paylab.frames.transfers`."""
        from ..frames import frame
        from ..frames.decode import bodies

        filtered_list, row_filter, other_options = self._split_options(options)
        limit = other_options.get("limit")
        origin_attributes = filtered_list.origin(limit=limit, **row_filter.describe())
        with report_progress(other_options.get("progress"), self.kind) as progress_function:
            read_options: Any = {
                **other_options,
                "attrs": origin_attributes,
                "progress": progress_function,
                "row_filter": row_filter,
            }
            fetch_page = replace(filtered_list, size=page_size(limit)).fetch
            return frame.frame(bodies(fetch_page), self.kind, order=self.order, **read_options)

    def to_arrow(self, options: Mapping[str, object]) -> pa.Table:
        """The rows as an Arrow table in the types of a Parquet file."""
        from ..frames.columns import find_schema
        from ..frames.parquet_types import convert_frame_types

        table = self.frame(options).paylab.arrow()
        return convert_frame_types(table, find_schema(self.kind))

    def to_polars(self, options: Mapping[str, object]) -> pl.DataFrame:
        """The rows as a polars frame in the types of a Parquet file."""
        require_extra("polars")  # before the rows are fetched
        from ..frames.parquet_types import polars_frame

        return polars_frame(self.to_arrow(options))

    def export(self, to: str | PathLike[str], options: Mapping[str, object]) -> Export:
        """The rows as a file or a folder; see `paylab.frames.export_list`."""
        from .. import frames

        filtered_list, row_filter, other_options = self._split_options(options)
        with report_progress(other_options.get("progress"), self.kind) as progress_function:
            export_options: Any = {
                **other_options,
                "progress": progress_function,
                "order": self.order,
                "account": self.account,
                "row_filter": row_filter,
            }
            return frames.export_list(
                filtered_list.fetch, to, self.kind, filtered_list.origin(), **export_options
            )

    def _split_options(
        self, options: Mapping[str, object]
    ) -> tuple[ListSource, RowFilter, dict[str, Any]]:
        """Split options into (this list with the filters to send, a row filter, other options).

        The row filter applies here the filters that the service does not have.
        """
        filter_options: dict[str, object] = {}
        other_options: dict[str, object] = {}
        for option_name, option in options.items():
            if option_name in FILTER_NAMES:
                filter_options[option_name] = option
            else:
                other_options[option_name] = option
        sent_filters, row_filter = read_filters(self.session.service, self.kind, filter_options)
        filtered_list = replace(self, filters={**self.filters, **sent_filters})
        return filtered_list, row_filter, other_options


def page_size(limit: int | None) -> int:
    """The page size for `limit` rows; OptionError for an invalid limit."""
    if limit is None:
        return PAGE_MAX
    if type(limit) is not int or limit < 1:
        raise OptionError([Problem("limit", "must be a whole number of rows, 1 or more")])
    return min(limit, PAGE_MAX)


def report_progress(
    progress: Progress | bool | None, kind: str, measure: Literal["Line", "Bar"] = "Line"
) -> Any:
    """The context manager of a loop that reports its progress; it yields the function to call.

    That is `progress` itself or None. For True, it shows a line or a bar and yields its function.
    """
    if progress is True:
        from ..views import progress as progress_views

        # Reading a list has no known end, so a line counts; a batch has, so a bar fills.
        measure_class = {"Line": progress_views.Line, "Bar": progress_views.Bar}[measure]
        return progress_views.progress(measure_class(kind))
    return nullcontext(progress or None)
