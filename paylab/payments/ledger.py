"""The order ledger: which order was sent under which Idempotency-Key, and how it ended."""

from __future__ import annotations

import json
import logging
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Any

from .. import forks
from ..client.orders import UNDECIDED, FreshTicket, Order
from ..client.service_clock import ServiceClock
from ..errors import ChoiceError, LedgerError, RuleWarning
from ..spec import timestamps
from ..spec.codes import IDEMPOTENCY_HOURS
from . import ledger_store
from .call_site import Site, by_hand, here
from .ledger_store import ANSWERED, GIVEN_UP, OPEN, REFUSED, Entry, LedgerStore, named

ACCEPTED = 202
"""The status of an answer that the service does not store: a repeat would make another."""

KEPT = timedelta(hours=IDEMPOTENCY_HOURS, minutes=-10)
"""How long a key is trusted: a request takes time to arrive, and clocks differ."""

AHEAD = timedelta(minutes=10)
"""How far in the future an entry may be; more is a clock error."""

PLACE = "service = ? AND path = ?"
AT_SITE = f"{PLACE} AND (name = ? OR source = ?)"
OTHER_KEY = (
    "service <> ? AND instr(service, ?) = 1 AND path = ? AND reference = ?"
    f" AND state IN ('{OPEN}', '{ANSWERED}')"
)
_ELSEWHERE = (
    "the ledger has a payment with client_reference_id {!r} at this address, made with another"
    " API key: check that this key is of another account"
)
LONGEST_PLACE = 40
MOST_SHOWN = 50

log = logging.getLogger("paylab")


@dataclass(frozen=True)
class Claim:
    """An order with everything that identifies it: `reference` as stored, `body` for messages.

    `place` are the service and the path.

    This order's key is judged by `made`, the earliest possible time; earlier keys by `now`, the
    latest, which is asked for only when there are some.
    """

    order: Order
    place: tuple[str, str]
    site: Site
    digest: str
    body: str
    reference: str
    made: datetime
    span: Callable[[], tuple[datetime, datetime]]

    @cached_property
    def now(self) -> datetime:
        """The latest that it may be at the service."""
        return self.span()[1]


class Running:
    """The entries made by the current run, and the orders that wait for a response."""

    def __init__(self) -> None:
        self.used: defaultdict[str, set[int]] = defaultdict(set)
        self.waiting: set[int] = set()
        forks.register(self, lambda child: child.waiting.clear())


_RUNNING: dict[str, Running] = {}
"""One per file and process, shared by the labs that use the same ledger."""


class Ledger:
    """Chooses the Idempotency-Key of each order and stores it before the request is sent.

    `service` separates the services (and simulators) that share a file. `clock` estimates the
    time at the service, and `clean` redacts.
    """

    def __init__(
        self,
        store: LedgerStore,
        service: str,
        clock: ServiceClock,
        clean: Callable[[str], str] = str,
    ) -> None:
        self._store, self._service, self._clean = store, service, clean
        self._clock = clock
        self.place: Callable[[], str] = str
        shared = f"{store.path} {service}"
        self._running = _RUNNING.setdefault(shared, Running()) if store.path else Running()

    @property
    def path(self) -> str:
        """The path of the file, or a note that there is none."""
        return str(self._store.path or "in memory")

    def open(self, order: Order) -> Ticket | FreshTicket:
        """The ticket of an order, stored; ChoiceError when the order is ambiguous."""
        fields = json.loads(order.content)
        same = json.dumps(fields, sort_keys=True)  # the order of fields does not matter
        claim = Claim(
            order,
            (self._service, order.path),
            here() or by_hand(),
            sha256(same.encode()).hexdigest(),
            self._clean(order.content.decode()),
            named(fields.get("client_reference_id")),
            self._clock.earliest(),
            self._clock.span,
        )
        if order.key and self._is_insisted(claim, order.key):
            return FreshTicket(order.key)
        with self._store.lock:  # no thread may see an entry that is not begun yet
            with self._store.transaction():  # two processes must not both find nothing
                chosen = self._chosen(claim)
                is_new = chosen is None and claim.reference != ""
                elsewhere = is_new and self._is_paid_elsewhere(claim)
                if not isinstance(chosen, ChoiceError):
                    entry = chosen or self._write(claim)
            if isinstance(chosen, ChoiceError):
                raise chosen
            ticket = Ticket(self._store, entry, self._running, claim.site, found=chosen is not None)
        if chosen is not None:
            log.warning("%s", ledger_store.again(entry))
        if elsewhere:
            warnings.warn(
                _ELSEWHERE.format(fields["client_reference_id"]), RuleWarning, stacklevel=2
            )
        return ticket

    def _is_paid_elsewhere(self, claim: Claim) -> bool:
        """Whether this reference was paid at the same address with another API key."""
        address, _, account = self._service.partition(" ")
        if " " in account:  # a simulator in this process
            return False
        same = self._store.find(
            OTHER_KEY, self._service, f"{address} ", *claim.place[1:], claim.reference
        )
        return bool(same)

    def _chosen(self, claim: Claim) -> Entry | ChoiceError | None:
        """The existing entry of this order; None for a new one."""
        if claim.order.key is not None and not claim.order.new:
            return self._keyed(claim, claim.order.key)
        # Orders of the same body without an answer, for which no thread is waiting.
        same = self._store.find(
            f"{PLACE} AND digest = ? AND state = ?", *claim.place, claim.digest, OPEN
        )
        lost = [each for each in same if each.id not in self._running.waiting]
        if claim.order.new:
            fresh = [each for each in lost if _replayable(each, claim.now)]
            for entry in lost:
                if entry not in fresh:  # its key has expired, and another payment is meant
                    self._store.change(entry.id, state=GIVEN_UP)
            found = next((each for each in fresh if each.deliberate), None)
            return found and self._resumed(found, claim)
        standing = self._standing(claim)
        found = self._before(claim, standing) or next(iter(lost), None)
        if found is None and claim.site.cell and claim.site.name == claim.site.source:
            found = self._moved(claim)
        if found is not None:
            return self._resumed(found, claim)
        return self._edited(claim, standing) if standing or claim.site.cell else None

    def _keyed(self, claim: Claim, key: str) -> Entry | ChoiceError | None:
        """The entry of the caller's key, or else of its reference."""
        same = self._store.find(f"{PLACE} AND key = ?", *claim.place, key)
        standing = [each for each in same if each.state in (OPEN, ANSWERED)]
        if standing or not claim.reference:
            return self._resumed(standing[0], claim) if standing else None
        standing = self._standing(claim)
        found = self._before(claim, standing)
        return self._edited(claim, standing) if found is None else self._resumed(found, claim)

    def _is_insisted(self, claim: Claim, key: str) -> bool:
        """Whether the caller's key belongs to another body, which the service refuses."""
        same = self._store.find(f"{PLACE} AND key = ?", *claim.place, key)
        return bool(same) and same[-1].digest != claim.digest

    def _moved(self, claim: Claim) -> Entry | None:
        """The entry of the same order from a cell without an id."""
        site = claim.site
        if claim.reference:
            return None
        used = self._running.used[site.run]
        entries = self._store.find(
            f"{PLACE} AND digest = ? AND state = ?", *claim.place, claim.digest, ANSWERED
        )
        fresh = (each for each in entries if each.id not in used and not each.deliberate)
        return next((each for each in fresh if _replayable(each, claim.now)), None)

    def _before(self, claim: Claim, standing: list[Entry]) -> Entry | None:
        """The entry of the same order: by its reference, or the next one of its site."""
        same = [each for each in standing if each.digest == claim.digest]
        if claim.reference:
            return same[-1] if same else None
        if not claim.site.run:  # a button or a prompt: each use is a new order
            return None
        used = self._running.used[claim.site.run]
        same = [each for each in same if each.id not in used]
        if not claim.site.cell:  # a program that runs every day makes another payment each day
            same = [each for each in same if each.state == OPEN or _replayable(each, claim.now)]
        return same[0] if same else None

    def _standing(self, claim: Claim) -> list[Entry]:
        """The entries of the same reference or site that may have been carried out."""
        if claim.reference:
            entries = self._store.find(f"{PLACE} AND reference = ?", *claim.place, claim.reference)
        else:
            entries = self._store.find(AT_SITE, *claim.place, claim.site.name, claim.site.source)
        return [each for each in entries if each.state in (OPEN, ANSWERED)]

    def _resumed(self, entry: Entry, claim: Claim) -> Entry | ChoiceError:
        if not _replayable(entry, claim.now):
            if not claim.site.run and entry.state == OPEN:  # a second try is intended
                self._store.change(entry.id, state=GIVEN_UP)
            return ledger_store.too_late(entry)
        self._store.change(entry.id, times=entry.times + 1)
        return entry

    def _edited(self, claim: Claim, standing: list[Entry]) -> ChoiceError | None:
        """ChoiceError when the reference, or this cell, sent something else before."""
        if claim.reference and standing:
            return ledger_store.edited(standing[-1], claim.body, _who(standing[-1], claim))
        if not claim.site.cell:
            return None
        entries = self._store.find(AT_SITE, *claim.place, claim.site.name, claim.site.source)
        before = [each for each in entries if self._stands(each, claim)]
        return ledger_store.edited(before[-1], claim.body) if before else None

    def _stands(self, entry: Entry, claim: Claim) -> bool:
        """Whether an entry of this cell may be the order before an edit.

        The same text with another recipient, such as one just created, is not an edit;
        neither is an order with another reference.
        """
        same_text = entry.source == claim.site.source
        another = same_text and ledger_store.payee(entry.body) != ledger_store.payee(claim.body)
        has_other_reference = claim.reference and entry.reference
        made = entry.state in (OPEN, ANSWERED) and not entry.deliberate
        is_used = entry.id in self._running.used[claim.site.run]
        if not made or is_used or another or has_other_reference:
            return False
        return _replayable(entry, claim.now)

    def _write(self, claim: Claim) -> Entry:
        site = claim.site
        entry = Entry(
            0,
            self._service,
            claim.order.path,
            site.name,
            site.source,
            self._clean(site.place)[:LONGEST_PLACE],
            claim.digest,
            claim.body,
            claim.order.key or claim.order.make(),
            timestamps.to_text(claim.made),
            deliberate=claim.order.new,
            reference=claim.reference,
        )
        return self._store.add(entry)

    def rows(self) -> list[dict[str, Any]]:
        """The newest entries, newest first, as flat rows; sends no request.

        >>> lab.ledger.rows()
        []
        """
        now = self._clock.seen()
        order = "ORDER BY id DESC LIMIT ?"
        newest = self._store.find("service = ?", self._service, MOST_SHOWN, rest=order)
        return [_row(entry, now) for entry in newest]

    def __len__(self) -> int:
        return len(self.rows())

    def __repr__(self) -> str:
        lines = ["  ".join(str(value) for value in row.values()) for row in self.rows()]
        return "\n".join([f"<ledger {self.path}, {len(lines)} entries>", *lines])

    def close(self) -> None:
        """Close the file.

        >>> lab.ledger.close()
        """
        self._store.close()


class Ticket:
    """The key of one order and its ledger entry."""

    advice = ledger_store.LOST

    def __init__(
        self, store: LedgerStore, entry: Entry, running: Running, site: Site, *, found: bool
    ) -> None:
        self._store, self._entry, self._running = store, entry, running
        self.key = entry.key
        self.known: str | None = entry.resource_id if entry.status == ACCEPTED else None
        """The id of what this order made, when sending it again would make another."""
        sent = found and entry.state == OPEN
        self.since: datetime | None = timestamps.from_text(entry.made) if sent else None
        """When it was first sent, if an earlier answer was lost."""
        # Reserved within the process until it is answered or lost.
        running.used[site.run].add(entry.id)
        if self.known is None:
            running.waiting.add(entry.id)

    def answered(self, status: int, resource_id: str, *, replayed: bool) -> None:
        """Store that the order was carried out; LedgerError when that fails."""
        try:
            # UTF-8 cannot encode an unpaired surrogate.
            shown = resource_id.encode(errors="backslashreplace").decode()
            self._store.change(self._entry.id, state=ANSWERED, status=status, resource_id=shown)
        except LedgerError as error:
            raise ledger_store.unnoted(self.key, resource_id, str(error)) from None
        finally:
            self._running.waiting.discard(self._entry.id)

    def refused(self, status: int) -> None:
        """Store that the order was refused, unless another process sent it meanwhile."""
        only_here = f"state = '{OPEN}' AND times = 1"
        try:
            if status not in UNDECIDED:
                self._store.change(self._entry.id, only_here, state=REFUSED, status=status)
        except LedgerError as error:  # raise the refusal, not this error
            log.warning("%s", error)
        finally:
            self.lost()

    def lost(self) -> None:
        """Store that no answer came; the next order of the same body continues this one."""
        self._running.waiting.discard(self._entry.id)
        for used in self._running.used.values():
            used.discard(self._entry.id)


def _who(entry: Entry, claim: Claim) -> str:
    """A phrase that names what made the earlier order."""
    site = claim.site
    if site.cell and (entry.name == site.name or entry.source == site.source):
        return "this cell"
    fields = ledger_store.fields_of(claim.body) or {}
    return f"client_reference_id {fields.get('client_reference_id')!r}"


def _replayable(entry: Entry, now: datetime) -> bool:
    """Whether the service still stores the key for certain."""
    made = timestamps.read(entry.made)
    return made is not None and -AHEAD < now - made < KEPT


def _row(entry: Entry, now: datetime) -> dict[str, Any]:
    return {
        "made": entry.made,
        "where": entry.place,
        "path": entry.path,
        "key": entry.key,
        "state": entry.state if entry.state != OPEN else "no answer yet",
        "made_id": entry.resource_id,
        "times": entry.times,
        "replayable": "yes" if _replayable(entry, now) else "no longer",
    }
