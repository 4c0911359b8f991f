"""On-ramp: conversion accounts, their conversions, and the sandbox's deposits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from ... import codes
from ...errors import Problem, RuleError
from ...models import Conversion, ConversionAccount, Deposit
from ...paging import Pager
from ...rules import deposits as rules
from ...status import CONVERSION
from .. import wire
from ..http import Sender
from . import listing
from .references import reference
from .transfers import Account
from .waiting import EVERY, TIMEOUT, Patience, Until

# What is waited for is new, and lists are newest first: further back it is not looked for.
SEARCHED_PAGES = 10
# The spec names two ends without showing what leads there.
ENDED = CONVERSION.final | {"cancelled", "expired"}

OPTIONAL = ("destination_currency", "client_reference_id")


class ConversionAccounts:
    """Where individuals pay in fiat."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(
        self,
        individual_id: str,
        payout_account: Account,
        source_currency: str,
        *,
        idempotency_key: str | None = None,
        new: bool = False,
        **fields: Any,
    ) -> ConversionAccount:
        """Create a conversion account; while it is pending, `wait` for its instructions.

        The same cell or call site with the same body keeps its key; `new=True` makes another.
        destination_currency, client_reference_id.
        """
        named = {
            "individual_id": individual_id,
            "payout_account": reference(payout_account),
            "source_currency": source_currency,
        }
        body = wire.fields({**named, **fields}, (*named, *OPTIONAL))
        wire.refuse(rules.check_account(body))
        path = wire.path("conversion_accounts")
        answer = self._sender.once(path, body, idempotency_key, new=new)
        return answer.read(ConversionAccount)

    def get(self, id: str) -> ConversionAccount:  # noqa: A002 - the service's word
        """Read one conversion account with its deposit instructions."""
        path = wire.path("conversion_accounts", id)
        return self._sender.send("GET", path).read(ConversionAccount)

    def list(self, limit: int | None = None, cursor: str | None = None) -> Pager[ConversionAccount]:
        """List conversion accounts, newest first."""
        path, params = wire.path("conversion_accounts"), {"limit": limit}
        return listing.pager(self._sender, path, ConversionAccount, params, cursor)

    def wait(
        self,
        id: str,  # noqa: A002
        until: Until = lambda account: account.status != "pending",
        timeout: float = TIMEOUT,
        every: float = EVERY,
    ) -> ConversionAccount:
        """Ask again until the account is no longer pending, or until `until` holds."""
        patience = Patience(self._sender.sleep, timeout, every)
        return patience.poll(lambda: self.get(id), until, "the conversion account")


class Conversions:
    """Deposits on their way to becoming stablecoin."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(self, limit: int | None = None, cursor: str | None = None) -> Pager[Conversion]:
        """List conversions, newest first."""
        listing.check(limit)
        params = {"limit": limit}
        return listing.pager(self._sender, wire.path("conversions"), Conversion, params, cursor)

    def wait(  # noqa: PLR0913 - two ways to name a conversion, and how to wait for it
        self,
        id: str | None = None,  # noqa: A002
        *,
        conversion_account_id: str | None = None,
        since: datetime | None = None,
        until: Until = ENDED,
        timeout: float = TIMEOUT,
        every: float = EVERY,
    ) -> Conversion:
        """Ask again until a conversion is final: the one with an id, or an account's newest.

        `since` leaves out conversions created before a time, such as that of the deposit.
        """
        if (id is None) == (conversion_account_id is None):
            raise RuleError([Problem("id", "give either id or conversion_account_id")])

        def wanted(one: Conversion) -> bool:
            # Absent reads as None, which must not pass for an id that was not given.
            by_account = id is None and one.conversion_account_id == conversion_account_id
            return (by_account or one.id == id) and (since is None or _is_since(one, since))

        def look() -> Conversion | None:
            return next(filter(wanted, self._newest()), None)

        patience = Patience(self._sender.sleep, timeout, every)
        return patience.poll(look, until, "the conversion", ENDED)

    def _newest(self) -> Iterator[Conversion]:
        pages = self.list(limit=codes.PAGE_MAX).pages()
        for page in islice(pages, SEARCHED_PAGES):
            yield from page.data


def _is_since(one: Conversion, since: datetime) -> bool:
    return isinstance(one.created_at, datetime) and one.created_at >= since


class Sandbox:
    """What only the sandbox can do."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def deposit(
        self,
        conversion_account_id: str,
        amount: Decimal | str | int,
        currency: str,
        sender_name: str | None = None,
    ) -> Deposit:
        """Simulate a fiat deposit; sender_name="" simulates a missing sender."""
        body = wire.fields(
            {
                "conversion_account_id": conversion_account_id,
                "amount": amount,
                "currency": currency,
                "sender_name": sender_name,
            }
        )
        wire.refuse(rules.check(body))
        return self._sender.send("POST", wire.path("sandbox", "deposits"), json=body).read(Deposit)
