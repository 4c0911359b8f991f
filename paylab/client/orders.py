"""Orders: POSTs that must not happen twice, and where their Idempotency-Keys come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from ..errors import APIStatusError, PaylabError, ReplayError
from .failures import NOTHING_SENT, look_first
from .request import Outgoing

# The service looked at it and did not carry it out; after a 5xx nobody knows.
REFUSALS = range(400, 500)
# Refusals that do not tell whether another attempt was or will be carried out.
UNDECIDED = frozenset({408, 409})
# As if it had been answered 202, which the service does not store.
FOUND = 202


@dataclass(frozen=True)
class Order:
    """A POST that must not happen twice: path, bytes and the caller's options.

    `key` is the caller's own, `new` asks for another payment, `make` creates a new key.
    """

    path: str
    content: bytes = field(repr=False)
    key: str | None
    new: bool
    make: Callable[[], str] = field(repr=False)


class OrderTicket(Protocol):
    """The key of an order, and the receiver of its outcome."""

    @property
    def key(self) -> str:
        """The Idempotency-Key."""

    @property
    def known(self) -> str | None:
        """The id of what this order made, when sending it again would make another."""

    @property
    def since(self) -> datetime | None:
        """When it was first sent, if an earlier answer was lost."""

    @property
    def advice(self) -> str:
        """What to try when it is not known whether it was carried out."""

    def answered(self, status: int, resource_id: str, *, replayed: bool) -> None:
        """The service carried it out."""

    def refused(self, status: int) -> None:
        """The service refused it."""

    def lost(self) -> None:
        """The outcome is unknown."""


class Keeper(Protocol):
    """Issues tickets."""

    def open(self, order: Order) -> OrderTicket:
        """The ticket of an order, stored before the first attempt."""


@dataclass(frozen=True)
class FreshTicket:
    """A ticket without a ledger."""

    key: str
    known: None = None
    since: None = None

    @property
    def advice(self) -> str:
        """The key is not stored."""
        return (
            f"it may have been carried out: send the same again with idempotency_key={self.key!r}, "
            "within 24 hours, so that it happens once"
        )

    def answered(self, status: int, resource_id: str, *, replayed: bool) -> None:
        """Nothing is stored."""

    def refused(self, status: int) -> None:
        """Nothing is stored."""

    def lost(self) -> None:
        """Nothing is stored."""


class Fresh:
    """Treats every order as new, with the caller's key or a new UUID4."""

    def open(self, order: Order) -> FreshTicket:
        """The caller's key, or a new one."""
        return FreshTicket(order.key or order.make())


def _advice(request: Outgoing, ticket: OrderTicket) -> str:
    """The advice when the order may have been carried out."""
    if request.find is None or not isinstance(ticket, FreshTicket):
        return ticket.advice
    return look_first(request.path)


def note_failure(error: BaseException, ticket: OrderTicket, request: Outgoing) -> None:
    """Tell the ticket how the order failed, and add advice to the error."""
    advice = _advice(request, ticket)
    # What an earlier attempt did is not known, whatever the last one was answered.
    if isinstance(error, PaylabError) and ticket.since is not None:
        error.after_lost = True
    if isinstance(error, ReplayError):  # nothing was sent
        ticket.refused(0)
        return
    first = not getattr(error, "after_lost", False)
    if isinstance(error, APIStatusError) and error.status in REFUSALS:
        if first and not (error.status in UNDECIDED and isinstance(ticket, FreshTicket)):
            ticket.refused(error.status)
            return
        if first:
            error.hint = "; ".join(filter(None, (error.hint, advice)))
            return
        error.hint = "; ".join(filter(None, (error.hint, f"an earlier attempt: {advice}")))
    elif not isinstance(error, PaylabError):
        error.add_note(advice)
    elif not first or error.hint != NOTHING_SENT:
        # A status may have a hint of its own: until when the service asks not to be called.
        own = error.hint if isinstance(error, APIStatusError) else None
        error.hint = "; ".join(filter(None, (own, advice)))
    ticket.lost()
