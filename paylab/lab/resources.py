"""The other resources of a lab: the client's, with frames, files and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from ..client.client import Client
from ..client.parameters import strict_keywords
from ..client.request import Options
from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..spec import codes
from ..spec.service.service import Service
from .lists import (
    ConversionAccountFrame,
    ConversionExport,
    ConversionFrame,
    IndividualFrame,
    ListSource,
)

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ..client.resources.transfers import Money, Quotes
    from ..frames.results import Export
    from ..spec.models import Quote
    from .quotes import Recipients


@with_name_suggestions
@explain_arguments
class LabQuotes:
    """Quotes, also for comparison."""

    def __init__(self, quotes: Quotes, service: Service) -> None:
        """Take over the operations of the client."""
        self.create = quotes.create
        self.again = quotes.again
        self._service = service

    def frame(self, quotes: Iterable[Quote]) -> pd.DataFrame:
        """Your quotes as an exact frame; the service has no list of quotes.

        >>> len(lab.quotes.frame([quote]))
        1
        """
        from ..frames.frame import of

        return of(quotes, "quotes")

    @strict_keywords(Options)
    def compare(  # noqa: PLR0913 - a field each
        self,
        recipients: Recipients,
        *,
        source_currency: codes.SourceCurrency | str = "USD",
        source_network: codes.Network | str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        extra: Mapping[str, object] | None = None,
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


@with_name_suggestions
@explain_arguments
class LabConversions:
    """Conversions, also as a frame or a file."""

    def __init__(self, client: Client) -> None:
        """Take over the operations of the client."""
        self._client = client
        conversions = client.conversions
        self.get = conversions.get
        self.list = conversions.list
        self.wait = conversions.wait

    @strict_keywords(ConversionFrame)
    def frame(self, **options: Unpack[ConversionFrame]) -> pd.DataFrame:
        """All conversions as an exact frame; see `transfers.frame`.

        >>> len(lab.conversions.frame())
        3
        """
        return self.pull().frame(options)

    @strict_keywords(ConversionFrame)
    def to_arrow(self, **options: Unpack[ConversionFrame]) -> pa.Table:
        """Conversions as an Arrow table with exact decimals; see `transfers.to_arrow`.

        >>> lab.conversions.to_arrow(columns=["id", "total_fee"]).num_rows
        3
        """
        return self.pull().to_arrow(options)

    @strict_keywords(ConversionFrame)
    def to_polars(self, **options: Unpack[ConversionFrame]) -> pl.DataFrame:
        """Conversions as a polars frame with exact decimals; see `transfers.to_arrow`.

        >>> lab.conversions.to_polars(columns=["id", "total_fee"]).height
        3
        """
        return self.pull().to_polars(options)

    @strict_keywords(ConversionExport)
    def export(self, to: str | PathLike[str], **options: Unpack[ConversionExport]) -> Export:
        """Write conversions to a file or a folder; see `transfers.export`.

        >>> lab.conversions.export("conversions.csv").rows
        3
        """
        return self.pull().export(to, options)

    def pull(self) -> ListSource:
        """The list as raw pages, for `Dataset.sync`."""
        return ListSource(self._client.session, "conversions")


@with_name_suggestions
@explain_arguments
class LabIndividuals:
    """Individuals, also as a frame; without document numbers and account details."""

    def __init__(self, client: Client) -> None:
        """Take over the operations of the client."""
        self._client = client
        individuals = client.individuals
        self.create = individuals.create
        self.get = individuals.get
        self.list = individuals.list
        self.wait = individuals.wait
        self.upload_images = individuals.upload_images
        self.images = individuals.images
        self.submit_token = individuals.submit_token

    @strict_keywords(IndividualFrame)
    def frame(self, **options: Unpack[IndividualFrame]) -> pd.DataFrame:
        """All individuals as a frame; see `transfers.frame`.

        >>> "family_name" in lab.individuals.frame()
        True
        """
        return ListSource(self._client.session, "individuals").frame(options)

    @strict_keywords(IndividualFrame)
    def to_arrow(self, **options: Unpack[IndividualFrame]) -> pa.Table:
        """Individuals as an Arrow table; see `transfers.to_arrow`.

        >>> lab.individuals.to_arrow(columns=["id"]).column_names
        ['id']
        """
        return ListSource(self._client.session, "individuals").to_arrow(options)

    @strict_keywords(IndividualFrame)
    def to_polars(self, **options: Unpack[IndividualFrame]) -> pl.DataFrame:
        """Individuals as a polars frame; see `transfers.to_arrow`.

        >>> lab.individuals.to_polars(columns=["id"]).columns
        ['id']
        """
        return ListSource(self._client.session, "individuals").to_polars(options)


@with_name_suggestions
@explain_arguments
class LabConversionAccounts:
    """Conversion accounts, also as a frame or a table."""

    def __init__(self, client: Client) -> None:
        """Take over the operations of the client."""
        self._client = client
        conversion_accounts = client.conversion_accounts
        self.create = conversion_accounts.create
        self.get = conversion_accounts.get
        self.list = conversion_accounts.list
        self.wait = conversion_accounts.wait

    @strict_keywords(ConversionAccountFrame)
    def frame(self, **options: Unpack[ConversionAccountFrame]) -> pd.DataFrame:
        """All conversion accounts with their deposit instructions; see `transfers.frame`.

        >>> lab.conversion_accounts.frame()["status"].unique().tolist()
        ['active']
        """
        return ListSource(self._client.session, "conversion_accounts").frame(options)

    @strict_keywords(ConversionAccountFrame)
    def to_arrow(self, **options: Unpack[ConversionAccountFrame]) -> pa.Table:
        """Conversion accounts as an Arrow table; see `transfers.to_arrow`.

        >>> lab.conversion_accounts.to_arrow(columns=["id"]).column_names
        ['id']
        """
        return ListSource(self._client.session, "conversion_accounts").to_arrow(options)

    @strict_keywords(ConversionAccountFrame)
    def to_polars(self, **options: Unpack[ConversionAccountFrame]) -> pl.DataFrame:
        """Conversion accounts as a polars frame; see `transfers.to_arrow`.

        >>> lab.conversion_accounts.to_polars(columns=["id"]).columns
        ['id']
        """
        return ListSource(self._client.session, "conversion_accounts").to_polars(options)
