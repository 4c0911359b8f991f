"""Lists that can also be had as a frame or as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING, Any

from . import instants
from .client.resources import Conversions, Transfers
from .codes import PAGE_MAX
from .errors import Problem, RuleError
from .paging import Pager

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from .frames import Export

Progress = Callable[[int, int], None]
RawPages = Iterator[dict[str, Any]]


class FramedTransfers(Transfers):
    """Transfers, also as a frame or a file."""

    def frame(
        self,
        *,
        product_type: str | None = None,
        limit: int | None = None,
        since: datetime | None = None,
        progress: Progress | None = None,
    ) -> pd.DataFrame:
        """Transfers as an exact frame, newest first: at most `limit` rows, none before `since`.

        `progress(rows, pages)` is called after each page. `frame.attrs` says where it came from.
        """
        from . import frames

        pager = self.list(limit=_size(limit), product_type=product_type)
        origin = _origin(self._sender, limit, since, product_type=product_type)
        return frames.transfers(_pages(pager, limit, since), attrs=origin, progress=progress)

    def export(
        self,
        to: str | PathLike[str],
        *,
        product_type: str | None = None,
        progress: Progress | None = None,
    ) -> Export:
        """Write all transfers to FILE.csv, FILE.parquet or FOLDER/, amounts as they were sent."""
        from . import frames

        pages = _pages(self.list(limit=PAGE_MAX, product_type=product_type))
        return frames.export(pages, to, "transfers", progress)


class FramedConversions(Conversions):
    """Conversions, also as a frame or a file."""

    def frame(
        self,
        *,
        limit: int | None = None,
        since: datetime | None = None,
        progress: Progress | None = None,
    ) -> pd.DataFrame:
        """All conversions, newest first, as an exact frame; as `transfers.frame`."""
        from . import frames

        origin = _origin(self._sender, limit, since)
        pages = _pages(self.list(limit=_size(limit)), limit, since)
        return frames.conversions(pages, attrs=origin, progress=progress)

    def export(self, to: str | PathLike[str], *, progress: Progress | None = None) -> Export:
        """Write all conversions to FILE.csv, FILE.parquet or FOLDER/, as `transfers.export`."""
        from . import frames

        return frames.export(_pages(self.list(limit=PAGE_MAX)), to, "conversions", progress)


def _size(limit: int | None) -> int:
    if limit is not None and (type(limit) is not int or limit < 1):
        raise RuleError([Problem("limit", "must be a whole number of rows, 1 or more")])
    return min(limit or PAGE_MAX, PAGE_MAX)


def _pages(pager: Pager[Any], limit: int | None = None, since: datetime | None = None) -> RawPages:
    """Raw pages as the service sent them, cut where enough was seen."""
    left = limit
    for page in pager.raw_pages():
        rows: Sequence[dict[str, Any]] = page.data
        wanted = [row for row in rows[:left] if since is None or _is_since(row, since)]
        cut = len(wanted) < len(rows) or (left is not None and left <= len(rows))
        more = page.has_next_page or len(wanted) < len(rows)
        yield {"data": wanted, "has_next_page": more, "cursor": page.cursor}
        if cut:
            return
        left = None if left is None else left - len(wanted)


def _is_since(row: dict[str, Any], since: datetime) -> bool:
    """Whether a row is new enough; one whose time cannot be read is kept."""
    try:
        return instants.from_text(row["created_at"]) >= since
    except (KeyError, TypeError, ValueError):
        return True


def _origin(
    sender: Any, limit: int | None, since: datetime | None, **filters: Any
) -> dict[str, Any]:
    """What `frame.attrs` says beside what the frame counts itself."""
    filters |= {"limit": limit, "since": since and instants.to_text(since)}
    return {
        "base_url": sender.settings.base_url,
        "filter": {name: value for name, value in filters.items() if value is not None},
        "fetched_at": instants.to_text(sender.clock()),
    }
