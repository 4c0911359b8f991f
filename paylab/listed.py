"""Lists that can also be had as a frame or as a file."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, TypedDict, Unpack

from . import pulling
from .client.operations import takes
from .client.resources import Conversions, Transfers, listing
from .client.resources.transfers import Money
from .codes import PAGE_MAX
from .pulling import Progress, Pull

if TYPE_CHECKING:
    import pandas as pd

    from .batches import Payouts, Plan
    from .frames import Export


class Defaults(TypedDict, total=False):
    """The columns of a batch, as values for the rows that leave them empty."""

    client_reference_id: str
    financial_account_id: str
    source_amount: Money
    destination_amount: Money
    net_source_amount: Money
    source_currency: str
    destination_currency: str
    payout_method: str
    source_network: str
    source_type: str


class FramedTransfers(Transfers):
    """Transfers, also as a frame or a file."""

    def frame(
        self,
        *,
        product_type: str | None = None,
        limit: int | None = None,
        since: date | str | None = None,
        progress: Progress | bool | None = None,
        extra: bool = False,
    ) -> pd.DataFrame:
        """Transfers as an exact frame: at most `limit` rows, none created before `since`.

        `progress=True` shows a line; an interrupt then keeps what was fetched. A function
        `progress(rows, pages)` is called after each page, and may return False to stop.
        `frame.attrs` says where it came from. `extra` keeps fields this version does not know.
        """
        size = pulling.page_size(limit)
        return self.pull(product_type, size).frame(limit, since, progress, extra=extra)

    def export(
        self,
        to: str | PathLike[str],
        *,
        product_type: str | None = None,
        progress: Progress | bool | None = None,
        excel_safe: bool = False,
        resume: bool | None = None,
    ) -> Export:
        """Write all transfers to FILE.csv, FILE.parquet or FOLDER/, amounts as they were sent.

        Killed on the way, the same call goes on where it stopped, within an hour; after that it
        starts again unless `resume` is true. With `resume=False` it always starts again. With
        `excel_safe` no cell of a CSV runs or loses digits when a spreadsheet opens it.
        """
        return self.pull(product_type).export(to, progress, excel_safe=excel_safe, resume=resume)

    def pull(self, product_type: str | None = None, size: int = PAGE_MAX) -> Pull:
        """The list as raw pages, for a dataset to sync with."""
        listing.check(size, product_type)
        return Pull(self._sender, "transfers", {"product_type": product_type}, size)

    @takes(Defaults)
    def create_many(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
        self,
        payouts: Payouts,
        *,
        reference: str = "client_reference_id",
        journal: str | PathLike[str] | None = None,
        concurrency: int | None = None,
        progress: Progress | bool | None = None,
        delimiter: str = ",",
        **defaults: Unpack[Defaults],
    ) -> pd.DataFrame:
        """Send a CSV file's or a frame's payouts once each, whatever interrupts; gives a frame.

        All rows are checked first: RuleError lists every problem with its row, and nothing is
        sent. `reference` names the column whose text makes a row's Idempotency-Key; other
        keywords fill columns a row leaves empty. `delimiter` separates the cells of the file.
        `progress=True` shows a bar, a function `progress(done, all)` is called after each.
        """
        from .batches.run import create_many

        with _bar(progress) as told:
            return create_many(
                self,
                payouts,
                reference=reference,
                journal=journal,
                concurrency=concurrency,
                progress=told,
                passing=getattr(self._sender, "embedded", None),
                service=self._sender.settings.base_url,
                delimiter=delimiter,
                **defaults,
            )

    @takes(Defaults)
    def check_many(
        self,
        payouts: Payouts,
        *,
        reference: str = "client_reference_id",
        delimiter: str = ",",
        **defaults: Unpack[Defaults],
    ) -> Plan:
        """What `create_many` would send, and every problem with the number of its row."""
        from .batches.plan import plan

        return plan(payouts, reference=reference, delimiter=delimiter, **defaults)


class FramedConversions(Conversions):
    """Conversions, also as a frame or a file."""

    def frame(
        self,
        *,
        limit: int | None = None,
        since: date | str | None = None,
        progress: Progress | bool | None = None,
        extra: bool = False,
    ) -> pd.DataFrame:
        """All conversions as an exact frame; as `transfers.frame`."""
        size = pulling.page_size(limit)
        return self.pull(size).frame(limit, since, progress, extra=extra)

    def export(
        self,
        to: str | PathLike[str],
        *,
        progress: Progress | bool | None = None,
        excel_safe: bool = False,
        resume: bool | None = None,
    ) -> Export:
        """Write all conversions to FILE.csv, FILE.parquet or FOLDER/, as `transfers.export`."""
        return self.pull().export(to, progress, excel_safe=excel_safe, resume=resume)

    def pull(self, size: int = PAGE_MAX) -> Pull:
        """The list as raw pages, for a dataset to sync with."""
        return Pull(self._sender, "conversions", size=size)


def _bar(progress: Progress | bool | None) -> AbstractContextManager[Progress | None]:
    if progress is True:
        from .views.payout_bar import watching

        return watching("payouts")
    return nullcontext(progress or None)
