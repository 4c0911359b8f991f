"""The order ledger: the key, the state and the answer of each order, and what to do with the next.

See `identity` for the rule. A repeated order waits for an equal one that is under way, repeats a
lost or refused one under its key, and reads the payment of an answered one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from time import monotonic
from typing import Any

from ..client.orders import UNDECIDED, FreshTicket, Order
from ..client.service_clock import ServiceClock
from ..errors import ChoiceError, LedgerError, PaylabError, RuleWarning
from ..spec import timestamps
from ..spec.codes import IDEMPOTENCY_HOURS
from ..spec.models import Transfer
from .identity import Values, identity, reference_of, values
from .ledger_store import ANSWERED, OPEN, REFUSED, Entry, LedgerStore, summary
from .locks import OrderLock
from .search import find

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
MARGIN = timedelta(minutes=10)
"""A key is not trusted so long before its end: a request takes time, and clocks differ."""

MOST_SHOWN = 50
CHOICES = "another client_reference_id or new=True makes another"
AGAIN = (
    "it may have been carried out: send the same order again, which uses the same Idempotency-Key, "
    "so that it happens once; lab.ledger shows the key"
)


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
        if entry.state == ANSWERED:
            for_good = self.order.in_batch and bool(self.reference)
            return for_good or self.now[0] - timestamps.from_text(entry.made) < DAY
        return entry.state == OPEN or self.is_trusted(entry)

    def is_trusted(self, entry: Entry) -> bool:
        """Whether the service still stores the key of an earlier order for certain."""
        return is_trusted(entry, self.now[1])


def is_trusted(entry: Entry, now: datetime) -> bool:
    """Whether the service still stores the key of an order for certain."""
    return -MARGIN < now - timestamps.from_text(entry.made) < DAY - MARGIN


class Ledger:
    """Decides what is sent for each order, and stores its key before it is sent.

    `address` names the service and `account` is a digest of the API key. `tell` shows a notice,
    `clock` estimates its time, `clean` redacts what is only displayed, and `place` is the service
    as displays name it.
    """

    def __init__(  # noqa: PLR0913 - what it is about, and how it reaches the outside
        self,
        store: LedgerStore,
        address: str,
        account: str,
        clock: ServiceClock,
        tell: Callable[[str], object],
        clean: Callable[[str], str] = str,
        place: Callable[[], str] = str,
    ) -> None:
        self._store, self._address, self._account = store, address, account
        self._clock, self._tell, self._clean = clock, tell, clean
        self.place = place

    @property
    def path(self) -> str:
        """The path of the file, or a note that there is none."""
        return str(self._store.path or "in memory")

    def note_quote(self, quote: str, asked: Values) -> None:
        """Store the terms of a quote, which count as the terms of its transfer."""
        self._store.note_quote(self._address, quote, asked)

    def open(self, order: Order) -> Ticket | FreshTicket:
        """What to do with an order, stored; it waits while an equal order is under way.

        Raises ChoiceError when you have to choose, PaylabError when the wait takes too long.
        """
        claim = self._claim(order)
        if order.key is not None:
            return self._with_own_key(claim, order.key)
        until, lock = monotonic() + order.timeout, None
        while True:
            with self._store.lock, self._store.transaction():
                found = self._decide(claim, lock)
            if isinstance(found, Ticket):
                return found
            lock = self._store.take(found.key, max(0.0, until - monotonic()))
            if lock is None:
                raise _under_way(found)

    def knows(self, fields: Values) -> bool:
        """Whether an equal order stands here, so that the list need not be searched for it."""
        known = identity(fields, self._terms(fields))
        equal = self._store.find(address=self._address, identity=known)
        now = self._clock.span()[1] if equal else None
        return any(one.state == ANSWERED or (now and is_trusted(one, now)) for one in equal)

    def _terms(self, fields: Values) -> Values | None:
        quote = fields.get("quote_id")
        return None if quote is None else self._store.terms(self._address, quote)

    def _claim(self, order: Order) -> Claim:
        terms = self._terms(order.fields)
        asked = {**(terms or {}), **order.fields}
        known = identity(order.fields, terms)
        claim = Claim(order, asked, known, reference_of(asked), self._clock.earliest(), self._clock)
        if self._store.find(address=self._address, identity=known):
            _ = claim.now  # asked before the ledger is locked: it may be a request
        return claim

    def _decide(self, claim: Claim, held: OrderLock | None) -> Ticket | Entry:
        """The ticket of an order, or the equal order that is under way; `held` is its lock."""
        ticket: Ticket | None = None
        try:
            entry = self._standing(claim)
            if entry is not None and entry.state == ANSWERED:
                ticket = Ticket(self._store, entry, claim, None, ANSWERED, self._tell)
                return ticket
            lock = None if entry is None else self._lock_of(entry, held)
            if entry is not None and lock is not None:
                ticket = self._repeat(entry, claim, lock)
                return ticket
            if entry is not None and not claim.order.new:
                return entry
            entry = self._write(claim, claim.order.make())
            ticket = Ticket(self._store, entry, claim, self._store.take(entry.key))
            return ticket
        finally:
            if held is not None and (ticket is None or ticket.lock is not held):
                held.release()

    def _lock_of(self, entry: Entry, held: OrderLock | None) -> OrderLock | None:
        """The lock of an order without an answer; None while somebody waits for the answer."""
        is_held = held is not None and held.name == entry.key
        return held if is_held else self._store.take(entry.key)

    def _standing(self, claim: Claim) -> Entry | None:
        """The equal order that decides; None for a new order. ChoiceError for another account."""
        equal = self._store.find(address=self._address, identity=claim.identity)
        counting = [one for one in equal if claim.counts(one)]
        if claim.order.new:  # a payment on purpose is repeated only if it was not carried out
            own = [one for one in counting if one.is_new and one.account == self._account]
            left = (one for one in own if one.state != ANSWERED and claim.is_trusted(one))
            return next(left, None)
        made = [one for one in counting if one.state != REFUSED]
        entry = next(iter(made or counting), None)
        if entry is None or entry.account == self._account:
            return entry
        if entry.state == OPEN or (entry.state == ANSWERED and claim.reference):
            raise _other_account(entry)
        return entry

    def _repeat(self, entry: Entry, claim: Claim, lock: OrderLock) -> Ticket:
        """Send a lost or refused order again: same key, and the bytes of the first attempt."""
        body, before = entry.body, entry.state
        if before == REFUSED and _quote(body) != claim.order.fields.get("quote_id"):
            body = claim.order.content  # an expired quote must not block the order
        self._store.change(entry.id, state=OPEN, account=self._account, body=body)
        return Ticket(self._store, replace(entry, body=body), claim, lock, before)

    def _with_own_key(self, claim: Claim, key: str) -> Ticket | FreshTicket:
        """The ticket of your own key, which decides alone; RuleWarning if an equal order stands."""
        with self._store.lock, self._store.transaction():
            same = self._store.find(address=self._address, key=key)
            equal = self._store.find(address=self._address, identity=claim.identity)
            if same and same[0].identity != claim.identity:
                return FreshTicket(key)  # the service refuses the key of another body
            entry = same[0] if same else self._write(claim, key)
            if entry.state != ANSWERED:
                self._store.change(entry.id, state=OPEN, body=claim.order.content)
            lock = self._store.take(key)
        standing = [one for one in equal if one.state != REFUSED and one.key != key]
        for other in standing[:1]:
            self._warn(f"an equal order stands under the key {other.key}: {_said(other)}")
        return Ticket(self._store, entry, claim, lock)

    def _write(self, claim: Claim, key: str) -> Entry:
        """Store a new order; a reference that was used with other values before is told."""
        order, place = claim.order, self._address
        if claim.reference and not order.new:
            same = self._store.find(address=place, reference=claim.reference)
            others = [one for one in same if one.identity != claim.identity]
            for other in [one for one in others if one.state != REFUSED][:1]:
                self._tell_other_values(claim, other)
        return self._store.add(
            *(place, self._account, order.path, claim.identity, claim.reference, key),
            *(int(order.new), OPEN, timestamps.to_text(claim.made), order.content, None, ""),
            *map(self._clean, summary(claim.asked)),
        )

    def _tell_other_values(self, claim: Claim, other: Entry) -> None:
        named = f"client_reference_id {claim.asked.get('client_reference_id')!r}"
        if claim.order.in_batch:
            message = f"not sent: {named} was used with other values: {_said(other)}"
            raise ChoiceError(message, "correct the row, or give it another client_reference_id")
        self._warn(f"{named} was used with other values, and this is another order: {_said(other)}")

    def _warn(self, words: str) -> None:
        warnings.warn(words, RuleWarning, stacklevel=2)

    def rows(self) -> list[dict[str, Any]]:
        """The newest orders, newest first, as flat rows; sends no request.

        >>> lab.ledger.rows()
        []
        """
        newest = self._store.find(MOST_SHOWN, address=self._address)
        return [
            {
                "time": one.made,
                "amount": one.amount,
                "account": one.payee,
                "reference": one.label,
                "state": one.state,
                "payment": one.payment,
                "key": one.key,
            }
            for one in newest
        ]

    def __len__(self) -> int:
        return len(self.rows())

    def __repr__(self) -> str:
        lines = ["  ".join(str(value) for value in row.values()) for row in self.rows()]
        noun = "order" if len(lines) == 1 else "orders"
        return "\n".join([f"<ledger {self.path}, {len(lines)} {noun}>", *lines])

    def close(self) -> None:
        """Close the file.

        >>> lab.ledger.close()
        """
        self._store.close()


class Ticket:
    """What to send for one order, and the receiver of its outcome."""

    advice = AGAIN

    def __init__(  # noqa: PLR0913 - the order, the lock that it holds, and how it is told
        self,
        store: LedgerStore,
        entry: Entry,
        claim: Claim,
        lock: OrderLock | None,
        before: str = "",
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._store, self._entry, self._claim, self._tell = store, entry, claim, tell
        self.lock, self.key = lock, entry.key
        self.known = entry.payment if before == ANSWERED else None
        """The id of the payment, when nothing is to be created."""
        self.content = entry.body if before in (OPEN, REFUSED) else None
        """The bytes to send instead of this call's."""
        self.since = timestamps.from_text(entry.made) if before == OPEN else None
        """When it was first sent, if the answer was lost."""
        self.first = timestamps.from_text(entry.made) if before in (OPEN, REFUSED) else None
        """When it was first sent, if it is sent again."""
        self.is_expired = before == OPEN and not claim.is_trusted(entry)
        """Whether the service may have dropped the key, so that the list must be searched."""

    def find(self, listed: Iterable[Transfer], since: datetime) -> str | None:
        """The payment of an order whose key expired; ChoiceError when that cannot be told."""
        same = self._store.find(address=self._entry.address)
        others = {one.payment for one in same if one.id != self._entry.id}
        try:
            return find(listed, values(self._claim.asked), since, others)
        except PaylabError as error:
            what = f"not sent: sent before ({self._entry.made}) without an answer, and {error}"
            raise ChoiceError(what, "check the list for it; new=True makes another") from error

    def tell(self, payment: str) -> None:
        """Show that nothing was created."""
        if not self._claim.order.in_batch:
            entry = replace(self._entry, state=ANSWERED, payment=payment)
            self._tell(f"{_said(entry)}; nothing new was created; {CHOICES}")

    def missing(self) -> ChoiceError:
        """The error for a payment that the service does not have any more."""
        what = f"not sent: {_said(self._entry)}, but the service does not have it"
        return ChoiceError(what, f"{CHOICES}; or {_OTHER_LEDGER}")

    def answered(self, status: int, payment: str, *, found: bool = False) -> None:
        """Store that the order was carried out; LedgerError when that fails."""
        # UTF-8 cannot encode an unpaired surrogate.
        shown = payment.encode(errors="backslashreplace").decode()
        made = self._entry.made
        if self.is_expired and not found:  # the key was sent anew
            made = timestamps.to_text(self._claim.made)
        changes: dict[str, Any] = {"status": status, "payment": shown, "made": made}
        try:
            self._store.change(self._entry.id, state=ANSWERED, body=None, **changes)
        except LedgerError as error:
            raise _unnoted(self.key, payment, str(error)) from None
        finally:
            self._release(done=True)

    def refused(self, status: int) -> None:
        """Store that the order was refused, or not sent (0)."""
        try:
            if status not in UNDECIDED:
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


_OTHER_LEDGER = "another ledger file (PAYLAB_LEDGER) knows none of these orders"


def _quote(body: bytes | None) -> object:
    from ..spec.text import read_json

    try:
        fields = read_json((body or b"").decode())
    except ValueError:
        return None
    return fields.get("quote_id") if isinstance(fields, dict) else None


def _said(entry: Entry) -> str:
    """What is known of an earlier order."""
    if entry.state == ANSWERED:
        return f"{entry.payment} was made for this order at {entry.made}"
    return f"sent at {entry.made} without an answer, key {entry.key}"


def _under_way(entry: Entry) -> PaylabError:
    error = PaylabError(f"not sent: an equal order is under way since {entry.made}")
    error.hint = "the same call asks again without paying twice; new=True makes another payment"
    return error


def _other_account(entry: Entry) -> ChoiceError:
    what = f"not sent: an equal order was made with another API key at this address: {_said(entry)}"
    hint = "use the earlier API key; new=True or another client_reference_id makes another payment"
    return ChoiceError(what, hint)


def _unnoted(key: str, payment: str, reason: str) -> LedgerError:
    what = f"the payment was made: {payment}, with Idempotency-Key {key}; but {reason}"
    hint = f"do not send it as a new payment; idempotency_key={key!r} returns it again"
    return LedgerError(what, hint, made=payment, key=key)
