"""Orders: POSTs that must not happen twice, and where their Idempotency-Keys come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors.api import APIStatusError
from ..errors.base import ChoiceError, PaylabError, ReplayError
from .request import OutgoingRequest

if TYPE_CHECKING:
    from ..spec.models import Transfer

# The service refused it without carrying it out; after a 5xx that is unknown.
REFUSALS = range(400, 500)
TIMED_OUT = 408
# Refusals that do not show whether another attempt is carried out.
CONFLICT = 409
UNDECIDED = frozenset({TIMED_OUT, CONFLICT})
HIDDEN = (
    "an earlier attempt with this key was refused, and may have been carried out all the same: "
    "check with GET {} first; new=True makes another"
)
NOTHING_SENT = "nothing was sent: you can send it again"


@dataclass(frozen=True, repr=False)
class Order:
    """A POST that must not happen twice: its path, bytes, fields in our names, and options.

    `key` is the caller's own, `new` requests another payment, `make` creates a new key, `timeout`
    is how long to wait for an equal order under way. `in_batch` is a row of a batch, in which a
    reference names one payment for good.
    """

    path: str
    content: bytes
    fields: Mapping[str, Any]
    key: str | None
    new: bool
    make: Callable[[], str]
    timeout: float = 0.0
    in_batch: bool = False


@dataclass(repr=False)
class OrderTicket:
    """What to send for an order, and the receiver of its outcome; this one stores nothing.

    `key` is the Idempotency-Key and `content` the bytes of the first attempt, if they are sent
    again. `known` is the id of the payment, if nothing is to be created. `first` is when the order
    was first sent, if it was lost or refused and is sent again; `since` the same, if it was lost.
    If it `is_expired`, the service may have dropped the key, and the list must be searched.
    """

    key: str
    known: str | None = None
    content: bytes | None = None
    since: datetime | None = None
    first: datetime | None = None
    is_expired: bool = False

    is_stored: ClassVar[bool] = False

    @property
    def advice(self) -> str:
        """The hint when it is not known whether the order was carried out."""
        return (
            f"it may have been carried out: send the same again with idempotency_key={self.key!r}, "
            "within 24 hours, so that it happens once"
        )

    def find(self, listed: Iterable[Transfer], since: datetime) -> str | None:
        """The payment of an order whose key expired."""
        return None

    def tell(self, payment: str) -> None:
        """Nothing was created: the order was answered before."""

    def missing(self) -> ChoiceError:
        """The error when the service does not have the known payment."""
        raise AssertionError  # none is known

    def answered(self, status: int, payment: str, *, found: bool = False) -> None:
        """The service carried it out; `found` is whether its list said so."""

    def refused(self, status: int) -> None:
        """The service refused it, or it was not sent (0)."""

    def lost(self) -> None:
        """The outcome is unknown."""


class Keeper:
    """Issues tickets; this one treats every order as new, with the caller's key or a new UUID4."""

    def open(self, order: Order) -> OrderTicket:
        """The ticket of an order; a ledger stores it before the first attempt."""
        return OrderTicket(order.key or order.make())

    def note_quote(self, quote: str, asked: Mapping[str, Any]) -> None:
        """Store the terms of a quote, if there is a ledger."""


def look_first(path: str) -> str:
    """The advice when an Idempotency-Key does not prevent a second object."""
    return f"it may have been carried out: check with GET {path} before sending"


def note_failure(error: BaseException, ticket: OrderTicket, request: OutgoingRequest) -> None:
    """Record how the order failed, and add a hint to the error."""
    is_fresh = not ticket.is_stored
    advice = look_first(request.path) if request.find and is_fresh else ticket.advice
    if isinstance(error, ChoiceError):
        ticket.lost()
        return
    # The outcome of an earlier attempt is unknown, whatever the last response was.
    if isinstance(error, PaylabError) and ticket.since is not None:
        error.after_lost = True
    first = not getattr(error, "after_lost", False)
    if isinstance(error, ReplayError) or (first and getattr(error, "hint", "") == NOTHING_SENT):
        ticket.refused(0)
        return
    if isinstance(error, APIStatusError) and error.status in REFUSALS:
        kept = error.status in UNDECIDED and is_fresh
        if first and not kept:
            ticket.refused(error.status)
        if first:
            hidden = error.status == CONFLICT and ticket.first is not None
            if kept or hidden or error.status == TIMED_OUT:
                note = HIDDEN.format(request.path) if hidden else advice
                error.hint = "; ".join(filter(None, (error.hint, note)))
            return
        error.hint = "; ".join(filter(None, (error.hint, f"an earlier attempt: {advice}")))
    elif not isinstance(error, PaylabError):
        error.add_note(advice)
    else:
        # A status may have a hint of its own: until when the service asks not to be called.
        own = error.hint if isinstance(error, APIStatusError) else None
        error.hint = "; ".join(filter(None, (own, advice)))
    ticket.lost()
