"""The transfers of a lab: the client's, with frames, files and batches."""

from __future__ import annotations

from datetime import date, timedelta
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from ..client.client import Client
from ..client.parameters import Account, build_body, strict_keywords
from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..spec import codes
from ..spec.codes import LOOKBACK
from ..spec.row_filter import check_product
from ..spec.time_arguments import read_time_argument
from .displays import show_notice
from .lists import ListSource, Progress, TransferExport, TransferFrame, report_progress

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ..client.resources.transfers import Money
    from ..frames.results import Export
    from ..payments.batch_results import BatchResults
    from ..payments.payout_rows import Payouts
    from ..payments.plan import Plan
    from ..spec.models import FinancialAccount, Transfer


class Defaults(TypedDict, total=False):
    """The fields of a transfer that a batch can have default values for."""

    client_reference_id: str
    financial_account_id: str
    source_amount: Money
    destination_amount: Money
    net_source_amount: Money
    source_currency: codes.SourceCurrency | str
    destination_currency: codes.DestinationCurrency | str
    payout_method: codes.PayoutMethod | str
    source_network: codes.Network | str
    source_type: codes.SourceType | str


@with_name_suggestions
@explain_arguments
class LabTransfers:
    """Transfers, also as a frame, a file or a batch.

    `is_embedded` is whether the service is a simulator in this process, which answers one request
    at a time.
    """

    def __init__(self, client: Client, *, is_embedded: bool = False) -> None:
        """Take over the operations of the client."""
        self._client = client
        self._is_embedded = is_embedded
        transfers = client.transfers
        self.create = transfers.create
        self.get = transfers.get
        self.list = transfers.list
        self.wait = transfers.wait

    @strict_keywords()
    def find(  # noqa: PLR0913 - a field each
        self,
        financial_account: Account | None = None,
        *,
        client_reference_id: str | None = None,
        financial_account_id: FinancialAccount | str | None = None,
        payout_method: codes.PayoutMethod | str | None = None,
        source_currency: codes.SourceCurrency | str | None = None,
        destination_currency: codes.DestinationCurrency | str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        since: date | str | None = None,
    ) -> Transfer | None:
        """The payment of a reference, or of values without a reference since a time; None if none.

        A live payment comes before one that failed, expired or was cancelled, and the newest first.
        ChoiceError if the list cannot tell whether there is one, or if the payment of the reference
        has other values than you give.

        >>> lab.transfers.find(client_reference_id="nobody") is None
        True
        """
        from ..payments.listed_payments import find_payment

        order_fields = build_body(
            "transfers.create",
            financial_account=financial_account,
            client_reference_id=client_reference_id,
            financial_account_id=financial_account_id,
            payout_method=payout_method,
            source_currency=source_currency,
            destination_currency=destination_currency,
            source_amount=source_amount,
            destination_amount=destination_amount,
            net_source_amount=net_source_amount,
        )
        return find_payment(self._client, order_fields, read_time_argument(since))

    @strict_keywords(TransferFrame)
    def frame(self, **options: Unpack[TransferFrame]) -> pd.DataFrame:
        """Transfers as an exact frame: at most `limit` rows, from `since` to before `until`.

        `status` keeps one or more statuses, `individual_id` one recipient, `client_reference_id`
        one reference, `product_type` one product. The service filters by product; for the others
        all pages are read, for `since` unless you set `list_order`. `columns` are the names of the
        columns, in your order. `amounts="float"` is for statistics and plots.
        `progress=True` shows a line; an interrupt then keeps the fetched rows. A function
        `progress(rows, pages)` is called after each page, and can return False to stop.
        `frame.attrs` has the source of the rows. `extra` keeps fields that paylab does not know.

        >>> len(lab.transfers.frame(limit=30))
        30
        """
        return self.pull().frame(options)

    @strict_keywords(TransferFrame)
    def to_arrow(self, **options: Unpack[TransferFrame]) -> pa.Table:
        """Transfers as an Arrow table: amounts DECIMAL(24, 6), rates DECIMAL(13, 8); see `frame`.

        Arrow's own `mean` is cut to the decimals of the column, and its quantiles are floats.

        >>> lab.transfers.to_arrow(columns=["id", "total_fee"]).num_rows
        130
        """
        return self.pull().to_arrow(options)

    @strict_keywords(TransferFrame)
    def to_polars(self, **options: Unpack[TransferFrame]) -> pl.DataFrame:
        """Transfers as a polars frame with exact decimals; see `to_arrow`.

        >>> lab.transfers.to_polars(columns=["id", "total_fee"]).height
        130
        """
        return self.pull().to_polars(options)

    @strict_keywords(TransferExport)
    def export(self, to: str | PathLike[str], **options: Unpack[TransferExport]) -> Export:
        """Write transfers to a file by its suffix, to FOLDER/, or to `-`, standard output, as CSV.

        Suffixes are .csv, .jsonl, both also with .gz, .parquet and .xlsx; `to` may be an fsspec
        URL. A folder has Parquet files by day. Amounts in Parquet are DECIMAL(24, 6) and rates
        DECIMAL(13, 8), wider only if a value needs it; `scale` sets other numbers of decimals.
        A workbook has an amount of more than 15 digits as text, with a SheetTextWarning.
        An amount of more than 15 digits is text in a workbook, which `SUM` leaves out, with a
        SheetTextWarning.

        `since`, `until`, `status`, `individual_id`, `client_reference_id` and `product_type` keep
        rows as in `frame`. `columns` are the names of the columns, in your order. Amounts in CSV
        are the text that the service sent.

        After an interruption, the same call continues the export within an hour, also at a URL.
        After an hour it continues only with `resume=True`. `resume=False` always starts again.

        `excel_safe` escapes cells that a spreadsheet would execute as formulas or round.
        `storage_options` are the options of the file system of a URL, such as keys.

        >>> lab.transfers.export("transfers.csv").rows
        130
        """
        return self.pull().export(to, options)

    def pull(self, product_type: str | None = None) -> ListSource:
        """The list as raw pages, for `Dataset.sync`."""
        check_product(product_type)
        return ListSource(self._client.session, "transfers", {"product_type": product_type})

    @strict_keywords(Defaults)
    def create_many(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
        self,
        payouts: Payouts,
        *,
        reference: str = "client_reference_id",
        references: bool = True,
        lookback: timedelta | str | None = LOOKBACK,
        older: Literal["paid", "pay"] | None = None,
        retry_failed: bool = False,
        to: str | PathLike[str] | None = None,
        concurrency: int | None = None,
        progress: Progress | bool | None = None,
        delimiter: str = ",",
        **defaults: Unpack[Defaults],
    ) -> BatchResults:
        """Send each payout of a CSV file or frame exactly once; return a frame of outcomes.

        All rows are checked first: RuleError lists every problem with its row, and nothing is
        sent. A row needs a reference, unless `references=False`; `reference` names its column.
        Before anything is sent, the list is read back to `lookback` (None: not at all) for these
        references. A row with an equal live payment is `already paid`; if that is older than 7
        days, ChoiceError asks for `older="paid"` or `older="pay"`. A row whose payment failed,
        expired or was cancelled is `failed before`, unless `retry_failed=True` pays it again. If a
        reference has a payment with other values, the row is a `conflict` and nothing of the batch
        is sent. Each other row is an order, as by `create`; a payment before `lookback` is not
        found, and its row is paid again. An UnpaidWarning says that a row was not paid, and why.

        `to` is a CSV file for the results, which is whole at every moment. Other keywords fill
        empty cells; `delimiter` separates the cells of the file. `progress=True` shows a bar; a
        function `progress(done, all)` is called after each row.

        >>> account = recipient.financial_accounts[0]
        >>> payouts = [{"client_reference_id": "salary-1", "financial_account": account}]
        >>> lab.transfers.create_many(pd.DataFrame(payouts), source_amount="10", **terms)[
        ...     "outcome"
        ... ].tolist()
        ['created']
        """
        from ..payments.batch import CONCURRENCY, Batch, check_results_path
        from ..payments.outcome import BatchChoices

        batch_choices = BatchChoices.read(lookback, older, retry_failed=retry_failed)
        if self._client.settings.read_only:  # raises ReadOnlyError, before anything is planned
            self._client.request("POST", self._client.service.path("transfers.create"))
        plan = self.check_many(
            payouts, reference=reference, references=references, delimiter=delimiter, **defaults
        )
        with report_progress(progress, "payouts", "Bar") as progress_function:
            batch = Batch(
                self._client,
                plan,
                batch_choices,
                notify=show_notice,
                report_progress=progress_function,
            )
            results_path = None if to is None else check_results_path(to, payouts)
            default_concurrency = 1 if self._is_embedded else CONCURRENCY
            return batch.run(to=results_path, concurrency=concurrency or default_concurrency)

    @strict_keywords(Defaults)
    def check_many(
        self,
        payouts: Payouts,
        *,
        reference: str = "client_reference_id",
        references: bool = True,
        delimiter: str = ",",
        **defaults: Unpack[Defaults],
    ) -> Plan:
        """Check the rows without sending: the payouts, and every problem with its row number.

        `reference`, `references` and `delimiter` are those of `create_many`.

        >>> account = recipient.financial_accounts[0]
        >>> payouts = [{"client_reference_id": "salary-1", "financial_account": account}]
        >>> plan = lab.transfers.check_many(pd.DataFrame(payouts), source_amount="-1", **terms)
        >>> [problem.field for problem in plan.problems]
        ['source_amount']
        """
        from ..payments.plan import make_plan

        return make_plan(
            payouts,
            service=self._client.service,
            reference=reference,
            references=references,
            delimiter=delimiter,
            **defaults,
        )
