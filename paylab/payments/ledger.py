"""The order ledger: the key, the state and the answer of each order, and what to do with the next.

See `identity` for the rule. A repeated order waits for an equal one that is under way, repeats a
lost or refused one under its key, and reads the payment of an answered one.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

from ..client.orders import Order, OrderTicket
from ..client.service_clock import ServiceClock
from ..errors.base import ChoiceError, PaylabError, RuleWarning
from ..errors.names import suggesting
from ..locks import HeldLock
from ..spec import timestamps
from ..spec.json_path import value_at
from .identity import Values, identity, reference_of
from .ledger_store import ANSWERED, OPEN, REFUSED, Entry, LedgerStore, order_summary
from .ticket import Claim, Ticket, is_trusted, said

MOST_SHOWN = 50
SHOWN = {"time": "made", "amount": "amount", "account": "payee", "reference": "label"}
SHOWN |= {name: name for name in ("state", "payment", "key")}
"""The columns of a displayed order, and the values behind them."""


@suggesting
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
        """Store the terms of a quote, which count as the terms of its transfer.

        >>> lab.ledger.note_quote("qt_1", {"source_amount": "10"})
        """
        self._store.note_quote(self._address, quote, asked)

    def open(self, order: Order) -> OrderTicket:
        """What to do with an order, stored; it waits while an equal order is under way.

        Raises ChoiceError when you have to choose, PaylabError when the wait takes too long.
        """
        claim = self._claim(order)
        if order.key is not None:
            return self._with_own_key(claim, order.key)
        until, lock = monotonic() + order.timeout, None
        while True:
            found: Ticket | Entry | None = None
            try:
                with self._store.transaction():
                    found = self._decide(claim, lock)
            except BaseException:  # it could not be stored
                if isinstance(found, Ticket):
                    found.lost()
                raise
            if isinstance(found, Ticket):
                return found
            # Outside the transaction, which would block every other order meanwhile. Afterwards
            # the order may have been answered, so it is decided again.
            lock = self._store.take(found.key, max(0.0, until - monotonic()))
            if lock is None:
                error = PaylabError(f"not sent: an equal order is under way since {found.made}")
                error.hint = "the same call asks again without paying twice; new=True pays again"
                raise error

    def knows(self, fields: Values) -> bool:
        """Whether an equal order stands here, so that the list need not be searched for it.

        >>> lab.ledger.knows({"source_amount": "10", "client_reference_id": "nobody"})
        False
        """
        known = identity(fields, self._terms(fields))
        equal = self._store.find(address=self._address, identity=known)
        now = self._clock.span  # asked only for an order without an answer: it may be a request
        return any(one.state == ANSWERED or is_trusted(one, now()[1]) for one in equal)

    def _terms(self, fields: Values) -> Values | None:
        quote = fields.get("quote_id")
        return None if quote is None else self._store.terms(self._address, quote)

    def _claim(self, order: Order) -> Claim:
        terms = self._terms(order.fields)
        asked = {**(terms or {}), **order.fields}
        if terms is not None:
            asked.pop("quote_id")
        known = identity(order.fields, terms)
        # The earliest time, so that its key is never trusted for too long.
        claim = Claim(order, asked, known, reference_of(asked), self._clock.earliest(), self._clock)
        if self._store.find(address=self._address, identity=known):
            _ = claim.now  # asked before the ledger is locked: it may be a request
        return claim

    def _decide(self, claim: Claim, held: HeldLock | None) -> Ticket | Entry:
        """The ticket of an order, or the equal order that is under way; `held` is its lock."""
        ticket: Ticket | None = None
        try:
            entry = self._standing(claim)
            if entry is not None and entry.state == ANSWERED:
                ticket = Ticket(self._store, entry, claim, None, ANSWERED, self._tell)
                return ticket
            if entry is not None:
                is_held = held is not None and held.name == entry.key
                lock = held if is_held else self._store.take(entry.key)
                if lock is not None:
                    ticket = self._repeat(entry, claim, lock)
                    return ticket
                # Of payments on purpose, two that are under way at once are two.
                if not claim.order.new:
                    return entry
            entry = self._write(claim, claim.order.make())
            ticket = Ticket(self._store, entry, claim, self._store.take(entry.key))
            return ticket
        finally:
            # Whoever waits for that order must not wait for this one.
            if held is not None and (ticket is None or ticket.lock is not held):
                held.release()

    def _standing(self, claim: Claim) -> Entry | None:
        """The equal order that decides; None for a new order. ChoiceError for another account."""
        equal = self._store.find(address=self._address, identity=claim.identity)
        counting = [one for one in equal if claim.counts(one)]
        if claim.order.new:  # a payment on purpose is repeated only if it was not carried out
            own = [one for one in counting if one.is_new and one.account == self._account]
            left = (one for one in own if one.state != ANSWERED and is_trusted(one, claim.now[1]))
            return next(left, None)
        # A refused order decides only if no equal one was carried out or may have been.
        made = [one for one in counting if one.state != REFUSED]
        entry = next(iter(made or counting), None)
        if entry is None or entry.account == self._account:
            return entry
        # The service may know this key or reference only under the earlier API key.
        if entry.state == OPEN or (entry.state == ANSWERED and claim.reference):
            what = f"an equal order was made with another API key at this address: {said(entry)}"
            hint = "use the earlier API key; new=True or another client_reference_id makes another"
            raise ChoiceError(f"not sent: {what}", hint)
        return entry

    def _repeat(self, entry: Entry, claim: Claim, lock: HeldLock) -> Ticket:
        """Send a lost or refused order again: same key, and the bytes of the first attempt."""
        # A service refuses a key with another body, and equal values have many spellings.
        body, before, quote = entry.body, entry.state, claim.order.fields.get("quote_id")
        if before == REFUSED and value_at(json.loads(body or b"null"), "quote_id") != quote:
            body = claim.order.content  # an expired quote must not block the order
        self._store.change(entry.id, state=OPEN, account=self._account, body=body)
        return Ticket(self._store, replace(entry, body=body), claim, lock, before)

    def _with_own_key(self, claim: Claim, key: str) -> OrderTicket:
        """The ticket of your own key, which decides alone; RuleWarning if an equal order stands."""
        with self._store.transaction():
            same = self._store.find(address=self._address, key=key)
            equal = self._store.find(address=self._address, identity=claim.identity)
            if same and same[0].identity != claim.identity:
                return OrderTicket(key)  # the service refuses the key of another body
            entry = same[0] if same else self._write(claim, key)
            # Before it is sent: after a crash it counts as possibly carried out.
            if entry.state != ANSWERED:
                self._store.change(entry.id, state=OPEN, body=claim.order.content)
            lock = self._store.take(key)
        standing = [one for one in equal if one.state != REFUSED and one.key != key]
        for other in standing[:1]:
            words = f"an equal order stands under the key {other.key}: {said(other)}"
            warnings.warn(words, RuleWarning, stacklevel=2)
        return Ticket(self._store, entry, claim, lock)

    def _write(self, claim: Claim, key: str) -> Entry:
        """Store a new order; a reference that was used with other values before is told."""
        order, place = claim.order, self._address
        if claim.reference and not order.new:
            for other in self._store.find(address=place, reference=claim.reference):
                if other.identity != claim.identity and other.state != REFUSED:
                    self._tell_other_values(claim, other)
                    break
        return self._store.add(
            *(place, self._account, order.path, claim.identity, claim.reference, key),
            *(int(order.new), OPEN, timestamps.to_text(claim.made), order.content, None, ""),
            *map(self._clean, order_summary(claim.asked)),
        )

    def _tell_other_values(self, claim: Claim, other: Entry) -> None:
        named = f"client_reference_id {claim.asked.get('client_reference_id')!r}"
        if claim.order.in_batch:
            message = f"not sent: {named} was used with other values: {said(other)}"
            raise ChoiceError(message, "correct the row, or give it another client_reference_id")
        words = f"{named} was used with other values at {other.made}; this is another order"
        words += f" than that of {other.payment}" if other.payment else ""
        warnings.warn(words, RuleWarning, stacklevel=2)

    def rows(self) -> list[dict[str, Any]]:
        """The newest orders, newest first, as flat rows; sends no request.

        >>> lab.ledger.rows()
        []
        """
        newest = self._store.find(MOST_SHOWN, address=self._address)
        return [{name: getattr(one, of) for name, of in SHOWN.items()} for one in newest]

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
