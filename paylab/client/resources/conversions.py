"""On-ramp: conversion accounts and conversions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, Literal, Unpack

from ...corridors.on_ramps import of_country
from ...errors.api import NotFoundError
from ...errors.arguments import explain_arguments
from ...errors.base import (
    OptionError,
    PaylabError,
    Problem,
    RuleError,
    RuleWarning,
    warn_caller,
)
from ...errors.names import with_name_suggestions
from ...rules import deposits as rules
from ...spec import codes
from ...spec.models import Conversion, ConversionAccount, Individual
from ...spec.paging import Pager
from ...spec.resource import creation_time
from ...spec.status import CONVERSION
from ...spec.text import plain
from ..identifiers import check_identifier, describe_other_kind, read_field
from ..orders import Order, OrderSender
from ..parameters import Account, build_body, id_from, raise_or_warn, strict_keywords
from ..request import Options
from . import operations
from .operations import POLL_SECONDS, WAIT_SECONDS, Poller, Until
from .resource_session import ResourceSession

# The spec names two final statuses without the moves to them.
ENDED = CONVERSION.final | {"cancelled", "expired"}


@with_name_suggestions
@explain_arguments
class ConversionAccounts:
    """Accounts into which individuals pay fiat."""

    def __init__(self, session: ResourceSession, orders: OrderSender) -> None:
        """`orders` sends new accounts, `session` everything else."""
        self._session = session
        self._orders = orders

    @strict_keywords(Options)
    def create(  # noqa: PLR0913 - a field each
        self,
        individual_id: Individual | str,
        payout_account: Account,
        source_currency: codes.OnRampCurrency | str | None = None,
        *,
        destination_currency: Literal["usdc"] | str | None = None,
        client_reference_id: str | None = None,
        extra: Mapping[str, Any] | None = None,
        new: str | bool = "",
        **options: Unpack[Options],
    ) -> ConversionAccount:
        """Create a conversion account; while it is pending, `wait` for its instructions.

        source_currency defaults to that of the individual's country if you pass the object.

        The list is read first: an account that agrees in everything you give, and is not disabled,
        is returned, with `replayed` true. `new=` does not read the list: a name makes one more in
        24 hours, or one for each call that a service answers with a pending account (202);
        `new=True` makes one more each time.

        >>> lab.conversion_accounts.create(person, wallet).source_currency
        'mxn'
        """
        country = read_field(individual_id, "country")
        on_ramp = of_country(country)
        source_currency = source_currency or (on_ramp.currency if on_ramp else None)
        body = build_body(
            "conversion_accounts.create",
            extra,
            individual_id=individual_id,
            payout_account=payout_account,
            source_currency=source_currency,
            destination_currency=destination_currency,
            client_reference_id=client_reference_id,
        )
        # Without this, create(person, "mxn") would send the currency as the id of a wallet.
        if source_currency is None and str(payout_account).lower() in codes.ON_RAMP_CURRENCIES:
            message = f"must be the wallet, or its id, not {payout_account!r}: it comes before it"
            raise RuleError([Problem("payout_account", message)])
        order = Order("conversion_accounts.create", body, new=new)
        raise_or_warn(rules.check_account(body, country, self._session.service))
        response = self._orders.send(order, **options)
        return response.read(ConversionAccount)

    @strict_keywords(Options)
    def get(self, id: ConversionAccount | str, **options: Unpack[Options]) -> ConversionAccount:
        """Read one conversion account with its deposit instructions.

        >>> lab.conversion_accounts.get(account).status
        'active'
        """
        return self._session.read("conversion_accounts.get", id, ConversionAccount, options)

    @strict_keywords(Options)
    def list(  # noqa: PLR0913 - a filter each
        self,
        limit: int | None = None,
        cursor: str | None = None,
        *,
        status: codes.ConversionAccountStatus | str | Collection[str] | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        individual_id: Individual | str | None = None,
        client_reference_id: str | None = None,
        **options: Unpack[Options],
    ) -> Pager[ConversionAccount]:
        """List all conversion accounts, in pages of `limit`; `list()[:5]` are the first five.

        `status`, `since` and `until` (the times of creation from which and before which),
        `individual_id` and `client_reference_id` are applied while the list is read.

        >>> lab.conversion_accounts.list(individual_id=person.id)[0].individual_id == person.id
        True
        """
        operations.check_limit(limit, self._session.service.list("conversion_accounts"))
        filters = {
            "status": status,
            "since": since,
            "until": until,
            "individual_id": individual_id,
            "client_reference_id": client_reference_id,
        }
        return self._session.lists.pager(
            "conversion_accounts", ConversionAccount, options, limit, cursor, filters
        )

    @strict_keywords()
    def wait(
        self,
        id: ConversionAccount | str,
        until: codes.ConversionAccountStatus | Until = codes.OPENED,
        timeout: float = WAIT_SECONDS,
        every: float = POLL_SECONDS,
    ) -> ConversionAccount:
        """Poll until the account is active, under review or disabled, or until `until` holds.

        >>> lab.conversion_accounts.wait(account).deposit_instructions.type
        'mx_virtual_account'
        """
        poller = Poller.for_resource(self._session, "conversion_accounts", timeout, every)
        return poller.poll(lambda: self.get(id), until, "the conversion account")


@with_name_suggestions
@explain_arguments
class Conversions:
    """Deposits that are converted to stablecoin."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session

    @strict_keywords(Options)
    def list(  # noqa: PLR0913 - a filter each
        self,
        limit: int | None = None,
        cursor: str | None = None,
        *,
        status: codes.ConversionStatus | str | Collection[str] | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        individual_id: Individual | str | None = None,
        conversion_account_id: ConversionAccount | str | None = None,
        **options: Unpack[Options],
    ) -> Pager[Conversion]:
        """List all conversions, in pages of `limit`; `list()[:5]` are the first five.

        `status`, `since` and `until` (the times of creation from which and before which),
        `individual_id` and `conversion_account_id` are applied while the list is read.

        >>> lab.conversions.list(individual_id=person.id, status="completed")[0].deposit.currency
        'MXN'
        """
        operations.check_limit(limit, self._session.service.list("conversions"))
        filters = {
            "status": status,
            "since": since,
            "until": until,
            "individual_id": individual_id,
            "conversion_account_id": conversion_account_id,
        }
        return self._session.lists.pager("conversions", Conversion, options, limit, cursor, filters)

    @strict_keywords()
    def wait(  # noqa: PLR0913 - two ways to name a conversion, and how to wait for it
        self,
        id: Conversion | str | None = None,
        *,
        conversion_account_id: ConversionAccount | str | None = None,
        since: datetime | None = None,
        until: codes.ConversionStatus | Until = ENDED,
        timeout: float = WAIT_SECONDS,
        every: float = POLL_SECONDS,
    ) -> Conversion:
        """Poll until a conversion is final: the one with an id, or an account's newest.

        `since` leaves out conversions created before a time, such as that of the deposit.

        >>> lab.conversions.wait(conversion).status
        'completed'
        """
        is_exactly_one_given = (id is None) != (conversion_account_id is None)
        if not is_exactly_one_given:
            raise OptionError([Problem("id", "give either id or conversion_account_id")])
        has_zone = isinstance(since, datetime) and since.tzinfo is not None
        if since is not None and not has_zone:
            message = f"must be a datetime with a time zone, not {since!r}"
            raise OptionError([Problem("since", message)])
        conversion_id = None if id is None else check_identifier(id, kind="Conversion")
        account_id = id_from(conversion_account_id, "conversion_account_id")

        is_announced = False

        def read_conversion() -> Conversion | None:
            """The conversion as it is now; None as long as there is none."""
            nonlocal is_announced
            if conversion_id is None:
                return self.newest(account_id, since)
            conversion = self._find_conversion(conversion_id)
            if conversion is None and not is_announced:
                is_announced = True
                shown_id = plain(conversion_id, 60)
                message = f"id: no conversion {shown_id} is listed yet: check the id; paylab waits"
                warn_caller(message, RuleWarning)
            return conversion if conversion and _is_since(conversion, since) else None

        poller = Poller.for_resource(self._session, "conversions", timeout, every)
        return poller.poll(
            read_conversion, until, "the conversion", final=ENDED, explain_delay=_explain_delay
        )

    @strict_keywords(Options)
    def get(self, id: Conversion | str, **options: Unpack[Options]) -> Conversion:
        """Read one conversion, from the list if the service cannot read it alone.

        >>> lab.conversions.get(conversion.id) == conversion
        True
        """
        return self._session.read("conversions.get", id, Conversion, options)

    @strict_keywords(Options)
    def newest(
        self,
        conversion_account_id: str | None,
        since: datetime | None = None,
        **options: Unpack[Options],
    ) -> Conversion | None:
        """The newest conversion of an account; None when there is none.

        The whole list is read, unless the list is declared newest first.

        >>> lab.client.conversions.newest(account.id).conversion_account_id == account.id
        True
        """
        account_conversions = (
            conversion
            for conversion in self.list(limit=codes.PAGE_MAX, **options)
            if conversion.conversion_account_id == conversion_account_id
            and _is_since(conversion, since)
        )
        if self._session.lists.order("conversions") == "newest_first":
            return next(account_conversions, None)
        return max(account_conversions, key=creation_time, default=None)

    @strict_keywords(Options)
    def by_id(self, id: str, **options: Unpack[Options]) -> Conversion | None:
        """The conversion with an id, or None.

        >>> lab.client.conversions.by_id("conv_unknown") is None
        True
        """
        try:
            return self.get(id, **options)
        except NotFoundError:
            return None

    def _find_conversion(self, id: str) -> Conversion | None:
        """The conversion with an id, or None; NotFoundError for an id of another kind."""
        try:
            return self.get(id)
        except NotFoundError:
            if describe_other_kind(id, "conversion"):
                raise
            return None


def _explain_delay(conversion: Conversion | None) -> str:
    """Why no conversion was found, or why one stays pending; "" for another status.

    By the spec, a conversion that is held for review is pending.
    """
    if conversion is None:
        return ": check the id; a deposit makes a conversion"
    if conversion.status != "pending":
        return ""
    release_call = f'lab.simulator.move("{plain(conversion.id, 60)}", "started")'
    return (
        ": a conversion that stays pending may be held for review, as after a deposit without a "
        f"sender name; in a simulator {release_call} releases it, a real service decides itself"
    )


def _is_since(conversion: Conversion, since: datetime | None) -> bool:
    """Whether a conversion was created at a time or later; True for every one without a time.

    PaylabError if its `created_at` is missing or unreadable.
    """
    if since is None:
        return True
    created_at = conversion.created_at
    if not isinstance(created_at, datetime):
        message = f"the conversion {conversion.id} has no readable created_at ({created_at!r})"
        raise PaylabError(f"{message}: wait for it by its id, or without since")
    return created_at >= since
