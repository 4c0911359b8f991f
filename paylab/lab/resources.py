"""The resources of a lab: the client's, with frames, files, batches and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from ..client.client import Client
from ..client.parameters import takes
from ..client.request import Options
from ..client.resources import operations
from ..errors.names import suggesting
from ..spec.service import Service
from .lists import Progress, Pull, Reading, Writing, report_progress

if TYPE_CHECKING:
    import pandas as pd

    from ..client.resources.transfers import Money, Quotes
    from ..frames.export import Export
    from ..payments.ledger import Ledger
    from ..payments.plan import Payouts, Plan
    from ..spec.models import Quote
    from .quotes import Recipients


class Defaults(TypedDict, total=False):
    """The fields of a transfer that a batch can have default values for."""

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


@suggesting
class LabTransfers:
    """Transfers, also as a frame, a file or a batch.

    `ledger` returns the order ledger, if there is one. `is_embedded` is whether the service is a
    simulator in this process, which answers one request at a time.
    """

    def __init__(
        self, client: Client, ledger: Callable[[], Ledger | None], *, is_embedded: bool = False
    ) -> None:
        self._client, self._ledger, self._is_embedded = client, ledger, is_embedded
        one = client.transfers
        self.create, self.get, self.list, self.wait = one.create, one.get, one.list, one.wait

    @takes(Reading)
    def frame(self, *, product_type: str | None = None, **options: Unpack[Reading]) -> pd.DataFrame:
        """Transfers as an exact frame: at most `limit` rows, created at or after `since`.

        `status` keeps one or more statuses. All pages are read for `since` and `status`, unless you
        set `list_order`. `amounts="float"` is for statistics and plots.
        `progress=True` shows a line; an interrupt then keeps the fetched rows. A function
        `progress(rows, pages)` is called after each page, and can return False to stop.
        `frame.attrs` has the source of the rows. `extra` keeps fields that paylab does not know.

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

        `since` and `status` keep rows created at or after a time, and rows with one of the
        statuses. Amounts in CSV are the text that the service sent. After an interruption, the
        same call continues within an hour, later only with `resume=True`; `resume=False` always
        starts again. `excel_safe` escapes cells that a spreadsheet would execute as formulas or
        round.

        >>> lab.transfers.export("transfers.csv").rows
        130
        """
        return self.pull(product_type).export(to, **options)

    def pull(self, product_type: str | None = None) -> Pull:
        """The list as raw pages, for `Dataset.sync`."""
        operations.check(None, self._client.service.list("transfers"), product_type)
        return Pull(self._client, "transfers", {"product_type": product_type})

    @takes(Defaults)
    def create_many(
        self,
        payouts: Payouts,
        *,
        reference: str = "client_reference_id",
        concurrency: int | None = None,
        progress: Progress | bool | None = None,
        delimiter: str = ",",
        **defaults: Unpack[Defaults],
    ) -> pd.DataFrame:
        """Send each payout of a CSV file or frame exactly once; return a frame of outcomes.

        All rows are checked first: RuleError lists every problem with its row, and nothing is
        sent. Each row is an order, as by `create`; in a batch, a reference names one payout for
        good. `reference` names its column, other keywords fill empty cells. `delimiter` separates
        the cells of the file. `progress=True` shows a bar; a function `progress(done, all)` is
        called after each row.

        >>> payouts = [{"client_reference_id": "salary-1", "financial_account_id": payee.id}]
        >>> lab.transfers.create_many(pd.DataFrame(payouts), source_amount="10", **terms)[
        ...     "outcome"
        ... ].tolist()
        ['created']
        """
        from ..payments.batch import CONCURRENCY, create_many

        if self._client.settings.read_only:  # raises ReadOnlyError, before anything is planned
            self._client.request("POST", self._client.service.path("transfers.create"))
        with report_progress(progress, "payouts", "Bar") as reporter:
            return create_many(
                self._client.transfers,
                payouts,
                reference=reference,
                concurrency=concurrency or (1 if self._is_embedded else CONCURRENCY),
                progress=reporter,
                ledger=self._ledger,
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
        """Check the rows without sending: the payouts, and every problem with its row number.

        >>> payouts = [{"client_reference_id": "salary-1", "financial_account_id": payee.id}]
        >>> plan = lab.transfers.check_many(pd.DataFrame(payouts), source_amount="-1", **terms)
        >>> [problem.field for problem in plan.problems]
        ['source_amount']
        """
        from ..payments.plan import plan

        return plan(payouts, reference=reference, delimiter=delimiter, **defaults)


@suggesting
class LabQuotes:
    """Quotes, also for comparison."""

    def __init__(self, quotes: Quotes, service: Service) -> None:
        self.create, self.again, self._service = quotes.create, quotes.again, service

    def frame(self, quotes: Iterable[Quote]) -> pd.DataFrame:
        """Your quotes as an exact frame; the service has no list of quotes.

        >>> len(lab.quotes.frame([quote]))
        1
        """
        from ..frames.frame import of

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
        """Quote one amount for each recipient and rail; return a frame with one row per quote.

        The amount is one of source_amount, destination_amount and net_source_amount; a
        stablecoin needs its source_network. `problem` says why a quote was refused.

        >>> len(lab.quotes.compare([recipient], source_amount="25"))
        1
        """
        from .quotes import compare_quotes

        return compare_quotes(
            self.create,
            recipients,
            self._service,
            source_currency=source_currency,
            source_network=source_network,
            source_amount=source_amount,
            destination_amount=destination_amount,
            net_source_amount=net_source_amount,
            extra=extra,
            **options,
        )


@suggesting
class LabConversions:
    """Conversions, also as a frame or a file."""

    def __init__(self, client: Client) -> None:
        self._client = client
        one = client.conversions
        self.get, self.list, self.wait = one.get, one.list, one.wait

    @takes(Reading)
    def frame(self, **options: Unpack[Reading]) -> pd.DataFrame:
        """All conversions as an exact frame; see `transfers.frame`.

        >>> len(lab.conversions.frame())
        3
        """
        return self.pull().frame(**options)

    @takes(Writing)
    def export(self, to: str | PathLike[str], **options: Unpack[Writing]) -> Export:
        """Write conversions to a file or a folder; see `transfers.export`.

        >>> lab.conversions.export("conversions.csv").rows
        3
        """
        return self.pull().export(to, **options)

    def pull(self) -> Pull:
        """The list as raw pages, for `Dataset.sync`."""
        return Pull(self._client, "conversions")


@suggesting
class LabIndividuals:
    """Individuals, also as a frame; without document numbers and account details."""

    def __init__(self, client: Client) -> None:
        self._client = client
        one = client.individuals
        self.create, self.get, self.list, self.wait = one.create, one.get, one.list, one.wait
        self.upload_images, self.images = one.upload_images, one.images
        self.submit_token = one.submit_token

    @takes(Reading)
    def frame(self, **options: Unpack[Reading]) -> pd.DataFrame:
        """All individuals as a frame; see `transfers.frame`.

        >>> "family_name" in lab.individuals.frame()
        True
        """
        return Pull(self._client, "individuals").frame(**options)


@suggesting
class LabConversionAccounts:
    """Conversion accounts, also as a frame."""

    def __init__(self, client: Client) -> None:
        self._client = client
        one = client.conversion_accounts
        self.create, self.get, self.list, self.wait = one.create, one.get, one.list, one.wait

    @takes(Reading)
    def frame(self, **options: Unpack[Reading]) -> pd.DataFrame:
        """All conversion accounts with their deposit instructions; see `transfers.frame`.

        >>> lab.conversion_accounts.frame()["status"].unique().tolist()
        ['active']
        """
        return Pull(self._client, "conversion_accounts").frame(**options)
