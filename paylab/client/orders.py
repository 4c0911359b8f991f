"""Orders: POSTs that must not happen twice, and where their Idempotency-Keys come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from ..errors import APIStatusError, PaylabError, ReplayError
from .request import OutgoingRequest

# The service refused it without carrying it out; after a 5xx that is unknown.
REFUSALS = range(400, 500)
TIMED_OUT = 408
# Refusals that do not show whether another attempt is carried out.
UNDECIDED = frozenset({TIMED_OUT, 409})
NOTHING_SENT = "nothing was sent: you can send it again"
# Treated like a 202, which the service does not store.
FOUND = 202


@dataclass(frozen=True)
class Order:
    """A POST that must not happen twice: path, bytes and the caller's options.

    `key` is the caller's own, `new` requests another payment, `make` creates a new key.
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
        """The id of the result, if sending the order again would make another one."""

    @property
    def since(self) -> datetime | None:
        """When it was first sent, if an earlier response was lost."""

    @property
    def advice(self) -> str:
        """The hint when it is not known whether it was carried out."""

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


def look_first(path: str) -> str:
    """The advice when an Idempotency-Key does not prevent a second object."""
    return f"it may have been carried out: check with GET {path} before sending"


def note_failure(error: BaseException, ticket: OrderTicket, request: OutgoingRequest) -> None:
    """Record how the order failed, and add a hint to the error."""
    is_fresh = isinstance(ticket, FreshTicket)
    advice = look_first(request.path) if request.find and is_fresh else ticket.advice
    # The outcome of an earlier attempt is unknown, whatever the last response was.
    if isinstance(error, PaylabError) and ticket.since is not None:
        error.after_lost = True
    if isinstance(error, ReplayError):  # nothing was sent
        ticket.refused(0)
        return
    first = not getattr(error, "after_lost", False)
    if isinstance(error, APIStatusError) and error.status in REFUSALS:
        kept = error.status in UNDECIDED and is_fresh
        if first and not kept:
            ticket.refused(error.status)
        if first:
            if kept or error.status == TIMED_OUT:
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
