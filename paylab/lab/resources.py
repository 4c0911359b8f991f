"""The resources of a lab: the client's, with frames, files, batches and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from ..client.api import Client
from ..client.request import Options
from ..client.resources import operations
from ..client.resources.operations import takes
from ..client.resources.transfers import Money, Quotes
from ..errors import MissingOperationError, NotFoundError, Problem, RuleError
from ..spec import timestamps
from ..spec.codes import PAGE_MAX
from ..spec.models import Quote
from ..spec.names import public_names, suggest
from ..spec.paging import Order

if TYPE_CHECKING:
    import pandas as pd

    from ..frames.export import Export
    from ..payments.plan import Payouts, Plan
    from ..payments.quotes import Recipients


Kept = Literal["transfers", "conversions", "individuals", "conversion_accounts"]
Progress = Callable[[int, int], object]


class Narrowed(TypedDict, total=False):
    """Which rows are kept, and who watches while they are fetched."""

    since: date | str | None
    status: str | Collection[str] | None
    progress: Progress | bool | None


class _Reading(Narrowed, total=False):
    """How rows are read into a frame."""

    limit: int | None
    amounts: Literal["exact", "float"]
    extra: bool


class Writing(Narrowed, total=False):
    """How rows are written to a file."""

    excel_safe: bool
    resume: bool | None


@dataclass(frozen=True)
class Pull:
    """A list to pull: which one, with what filter, from where."""

    sender: Client
    kind: Kept
    filters: Mapping[str, str | None] = field(default_factory=dict)
    size: int = PAGE_MAX

    @property
    def order(self) -> Order:
        """The declared order of the list."""
        return self.sender.order(self.kind)

    def fetch(self, cursor: str | None) -> bytes:
        """One page as the service sent it; signed and repeated like any GET."""
        return self.sender.fetch_page(self.kind, self.size, cursor, self.filters)

    def one(self, id_: str) -> bytes | None:
        """One object as the service sent it; None when it cannot be asked for, or is gone."""
        try:
            return self.sender.fetch(self.sender.service.path(f"{self.kind}.get", id=id_))
        except (NotFoundError, MissingOperationError):
            return None

    def origin(self, **more: Any) -> dict[str, Any]:
        """Where it comes from, for `frame.attrs` and the sidecar of a file."""
        asked = {**self.filters, **more}
        return {
            "base_url": self.sender.settings.base_url,
            "service": self.sender.place(),
            "filter": {name: value for name, value in asked.items() if value is not None},
            "fetched_at": timestamps.to_text(self.sender.clock()),
        }

    def frame(self, **options: Unpack[_Reading]) -> pd.DataFrame:
        """The rows as a frame; see `paylab.frames.transfers`."""
        from ..frames import frame, schema
        from ..frames.cursors import bodies

        limit, begin = options.get("limit"), schema.since(options.get("since"))
        asked = {"limit": limit, "since": begin and timestamps.to_text(begin)}
        asked["status"] = ",".join(sorted(schema.words(options.get("status")) or ())) or None
        size = page_size(limit)
        with _shown(options.get("progress"), self.kind) as told:
            read: Any = {**options, "attrs": self.origin(**asked), "progress": told}
            pages = bodies(replace(self, size=size).fetch)
            return frame.frame(pages, self.kind, order=self.order, **read)

    def export(self, to: str | PathLike[str], **options: Unpack[Writing]) -> Export:
        """The rows as a file or a folder; see `paylab.frames.export_list`."""
        from .. import frames

        with _shown(options.get("progress"), self.kind) as told:
            how: Any = {**options, "progress": told, "order": self.order}
            return frames.export_list(self.fetch, to, self.kind, self.origin(), **how)


def page_size(limit: int | None) -> int:
    """The size of the pages for so many rows; RuleError for a limit that is none."""
    if limit is not None and (type(limit) is not int or limit < 1):
        raise RuleError([Problem("limit", "must be a whole number of rows, 1 or more")])
    return min(limit or PAGE_MAX, PAGE_MAX)


def _shown(
    progress: Progress | bool | None, kind: str, measure: Literal["Line", "Bar"] = "Line"
) -> Any:
    """What to call with progress: for True a line or a bar is shown."""
    if progress is True:
        from ..views import progress as shown

        return shown.progress(getattr(shown, measure)(kind))
    return nullcontext(progress or None)


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


class LabTransfers:
    """Transfers, also as a frame, a file or a batch.

    `embedded` is the simulator that the service is, when it is in this process.
    """

    if not TYPE_CHECKING:
        __getattr__, __dir__ = suggest, public_names

    def __init__(self, client: Client, embedded: object | None = None) -> None:
        self._client, self._embedded = client, embedded
        one = client.transfers
        self.create, self.get, self.list, self.wait = one.create, one.get, one.list, one.wait

    @takes(_Reading)
    def frame(
        self, *, product_type: str | None = None, **options: Unpack[_Reading]
    ) -> pd.DataFrame:
        """Transfers as an exact frame: at most `limit` rows, none created before `since`.

        `status` keeps one status or some. All pages are read for `since` and `status`, unless the
        lab declares its `list_order`. `amounts="float"` is for statistics and plots.
        `progress=True` shows a line; an interrupt then keeps what was fetched. A function
        `progress(rows, pages)` is called after each page, and may return False to stop.
        `frame.attrs` says where it came from. `extra` keeps fields this version does not know.

        >>> len(lab.transfers.frame(limit=30))
        30
        """
        return self.pull(product_type).frame(**options)

    @takes(Writing)
    def export(
        self,
        to: str | PathLike[str],
        *,
        product_type: str | None = None,
        **options: Unpack[Writing],
    ) -> Export:
        """Write transfers to FILE.csv, FILE.parquet, FILE.xlsx or FOLDER/, or to `-`, as CSV.

        `since` and `status` keep the rows created from then on, and those with one of some
        statuses. Amounts in CSV are the text that the service sent. Killed on the way, the same
        call goes on where it stopped, within an hour; after that it starts again unless `resume`
        is true. With `resume=False` it always starts again. With `excel_safe` no cell of a CSV
        runs or loses digits when a spreadsheet opens it.

        >>> lab.transfers.export("transfers.csv").rows
        130
        """
        return self.pull(product_type).export(to, **options)

    def pull(self, product_type: str | None = None, size: int = PAGE_MAX) -> Pull:
        """The list as raw pages, for a dataset to sync with.

        >>> lab.transfers.pull().kind
        'transfers'
        """
        operations.check(size, self._client.service.list("transfers"), product_type)
        return Pull(self._client, "transfers", {"product_type": product_type}, size)

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

        >>> payouts = [{"client_reference_id": "salary-1", "financial_account_id": payee.id}]
        >>> lab.transfers.create_many(pd.DataFrame(payouts), source_amount="10", **terms)[
        ...     "outcome"
        ... ].tolist()
        ['created']
        """
        from ..payments.batch import create_many

        with _shown(progress, "payouts", "Bar") as told:
            return create_many(
                self._client.transfers,
                payouts,
                reference=reference,
                journal=journal,
                concurrency=concurrency,
                progress=told,
                passing=self._embedded,
                service=self._client.settings.identity,
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
        """What `create_many` would send, and every problem with the number of its row.

        >>> payouts = [{"client_reference_id": "salary-1", "financial_account_id": payee.id}]
        >>> plan = lab.transfers.check_many(pd.DataFrame(payouts), source_amount="-1", **terms)
        >>> [problem.field for problem in plan.problems]
        ['source_amount']
        """
        from ..payments.plan import plan

        return plan(payouts, reference=reference, delimiter=delimiter, **defaults)


class LabQuotes:
    """Quotes, also several side by side."""

    if not TYPE_CHECKING:
        __getattr__, __dir__ = suggest, public_names

    def __init__(self, quotes: Quotes) -> None:
        self.create, self.again = quotes.create, quotes.again

    def frame(self, quotes: Iterable[Quote]) -> pd.DataFrame:
        """Quotes you hold as an exact frame; the service does not list them.

        >>> len(lab.quotes.frame([quote]))
        1
        """
        from ..frames import of

        return of(quotes, "quotes")

    @takes(Options)
    def compare(  # noqa: PLR0913 - a field each
        self,
        recipients: Recipients,
        *,
        source_currency: str = "USD",
        source_network: str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> pd.DataFrame:
        """Quote one amount to everybody over each of their rails, as a frame with a row a quote.

        The amount is one of source_amount, destination_amount and net_source_amount; a
        stablecoin needs its source_network. Where there is no quote, `problem` says why.

        >>> len(lab.quotes.compare([recipient], source_amount="25"))
        1
        """
        from ..payments.quotes import compare_quotes

        return compare_quotes(
            self.create,
            recipients,
            source_currency=source_currency,
            source_network=source_network,
            source_amount=source_amount,
            destination_amount=destination_amount,
            net_source_amount=net_source_amount,
            extra=extra,
            **options,
        )


class LabConversions:
    """Conversions, also as a frame or a file."""

    if not TYPE_CHECKING:
        __getattr__, __dir__ = suggest, public_names

    def __init__(self, client: Client) -> None:
        self._client = client
        one = client.conversions
        self.get, self.list, self.wait = one.get, one.list, one.wait

    @takes(_Reading)
    def frame(self, **options: Unpack[_Reading]) -> pd.DataFrame:
        """All conversions as an exact frame; as `transfers.frame`.

        >>> len(lab.conversions.frame())
        3
        """
        return self.pull().frame(**options)

    @takes(Writing)
    def export(self, to: str | PathLike[str], **options: Unpack[Writing]) -> Export:
        """Write conversions to a file or a folder, as `transfers.export`.

        >>> lab.conversions.export("conversions.csv").rows
        3
        """
        return self.pull().export(to, **options)

    def pull(self, size: int = PAGE_MAX) -> Pull:
        """The list as raw pages, for a dataset to sync with.

        >>> lab.conversions.pull().kind
        'conversions'
        """
        return Pull(self._client, "conversions", size=size)


class LabIndividuals:
    """Individuals, also as a frame; without document numbers and account details."""

    if not TYPE_CHECKING:
        __getattr__, __dir__ = suggest, public_names

    def __init__(self, client: Client) -> None:
        self._client = client
        one = client.individuals
        self.create, self.get, self.list, self.wait = one.create, one.get, one.list, one.wait
        self.upload_images, self.images = one.upload_images, one.images
        self.submit_token = one.submit_token

    @takes(_Reading)
    def frame(self, **options: Unpack[_Reading]) -> pd.DataFrame:
        """All individuals as a frame; as `transfers.frame`."""
        return Pull(self._client, "individuals").frame(**options)


class LabConversionAccounts:
    """Conversion accounts, also as a frame."""

    if not TYPE_CHECKING:
        __getattr__, __dir__ = suggest, public_names

    def __init__(self, client: Client) -> None:
        self._client = client
        one = client.conversion_accounts
        self.create, self.get, self.list, self.wait = one.create, one.get, one.list, one.wait

    @takes(_Reading)
    def frame(self, **options: Unpack[_Reading]) -> pd.DataFrame:
        """All conversion accounts with their deposit instructions; as `transfers.frame`."""
        return Pull(self._client, "conversion_accounts").frame(**options)
