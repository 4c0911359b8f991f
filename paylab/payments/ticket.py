"""An order that is open: what is sent for it, and what to store of its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from ..client.orders import UNDECIDED, Order, OrderTicket
from ..client.service_clock import ServiceClock
from ..errors.base import ChoiceError, LedgerError, PaylabError
from ..locks import HeldLock
from ..spec import timestamps
from ..spec.codes import IDEMPOTENCY_HOURS
from ..spec.models import Transfer
from .identity import Values, values
from .ledger_store import ANSWERED, OPEN, REFUSED, Entry, LedgerStore
from .search import find_transfer

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
MARGIN = timedelta(minutes=10)
"""A key is not trusted so long before its end: a request takes time, and clocks differ."""

CHOICES = "another client_reference_id or new=True makes another"


@dataclass(frozen=True)
class Claim:
    """An order with its identity, its values, and the time of the service."""

    order: Order
    asked: Values
    identity: str
    reference: str
    made: datetime
    clock: ServiceClock

    @cached_property
    def now(self) -> tuple[datetime, datetime]:
        """The earliest and the latest time that it may be at the service."""
        return self.clock.span()

    def counts(self, entry: Entry) -> bool:
        """Whether an earlier order still decides what this one does."""
        # Clocks may be wrong, and both errors must not pay twice: an answered order counts while
        # it may be younger than a day, a key is trusted only while it is so by every clock.
        if entry.state == ANSWERED:
            for_good = self.order.in_batch and bool(self.reference)
            return for_good or self.now[0] - timestamps.from_text(entry.made) < DAY
        return entry.state == OPEN or is_trusted(entry, self.now[1])


def is_trusted(entry: Entry, now: datetime) -> bool:
    """Whether the service still stores the key of an order for certain."""
    # An order from the future was written before a clock was set back: its age is unknown.
    return -MARGIN < now - timestamps.from_text(entry.made) < DAY - MARGIN


class Ticket(OrderTicket):
    """The ticket of an order in the ledger, which stores its outcome."""

    is_stored = True
    advice = (
        "it may have been carried out: send the same order again, which uses the same "
        "Idempotency-Key, so that it happens once; lab.ledger shows the key"
    )

    def __init__(  # noqa: PLR0913 - the order, the lock that it holds, and how it is told
        self,
        store: LedgerStore,
        entry: Entry,
        claim: Claim,
        lock: HeldLock | None,
        before: str = "",
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        again, made = before in (OPEN, REFUSED), timestamps.from_text(entry.made)
        super().__init__(
            entry.key,
            known=entry.payment if before == ANSWERED else None,
            content=entry.body if again else None,
            since=made if before == OPEN else None,
            first=made if again else None,
            is_expired=before == OPEN and not is_trusted(entry, claim.now[1]),
        )
        self._store, self._entry, self._claim, self._tell = store, entry, claim, tell
        self.lock = lock

    def find(self, listed: Iterable[Transfer], since: datetime) -> str | None:
        """The payment of an order whose key expired; ChoiceError when that cannot be told."""
        same = self._store.find(address=self._entry.address)
        others = {one.payment for one in same if one.id != self._entry.id}
        try:
            return find_transfer(listed, values(self._claim.asked), since, others)
        except PaylabError as error:
            what = f"not sent: sent before ({self._entry.made}) without an answer, and {error}"
            raise ChoiceError(what, "check the list for it; new=True makes another") from error

    def tell(self, payment: str) -> None:
        """Show that nothing was created."""
        if not self._claim.order.in_batch:
            entry = replace(self._entry, state=ANSWERED, payment=payment)
            self._tell(f"{said(entry)}; nothing new was created; {CHOICES}")

    def missing(self) -> ChoiceError:
        """The error for a payment that the service does not have any more."""
        what = f"not sent: {said(self._entry)}, but the service does not have it"
        return ChoiceError(what, f"{CHOICES}; another PAYLAB_LEDGER knows none of these orders")

    def answered(self, status: int, payment: str, *, found: bool = False) -> None:
        """Store that the order was carried out; LedgerError when that fails."""
        # UTF-8 cannot encode an unpaired surrogate.
        shown = payment.encode(errors="backslashreplace").decode()
        made = self._entry.made
        if self.is_expired and not found:  # the key was sent anew
            made = timestamps.to_text(self._claim.made)
        # Only an order that may be sent again needs its body.
        changes: dict[str, Any] = {"status": status, "payment": shown, "made": made}
        try:
            self._store.change(self._entry.id, state=ANSWERED, body=None, **changes)
        except LedgerError as error:
            what = f"the payment was made: {payment}, with Idempotency-Key {self.key}; but {error}"
            hint = f"do not send it as a new payment; idempotency_key={self.key!r} returns it again"
            raise LedgerError(what, hint, made=payment, key=self.key) from None
        finally:
            self._release(done=True)

    def refused(self, status: int) -> None:
        """Store that the order was refused, or not sent (0)."""
        try:
            if status not in UNDECIDED:
                # A call without the lock may have stored the answer of the same key meanwhile.
                only = f"state = '{OPEN}'"
                self._store.change(self._entry.id, only, state=REFUSED, status=status)
        except LedgerError:  # the refusal is raised; the order stays without an answer
            pass
        finally:
            self._release()

    def lost(self) -> None:
        """No answer came: the next equal order continues this one."""
        self._release()

    def _release(self, *, done: bool = False) -> None:
        lock, self.lock = self.lock, None
        if lock is not None:
            lock.release(done=done)


def said(entry: Entry) -> str:
    """What is known of an earlier order."""
    if entry.state == ANSWERED:
        return f"{entry.payment} was made for this order at {entry.made}"
    return f"sent at {entry.made} without an answer, key {entry.key}"
