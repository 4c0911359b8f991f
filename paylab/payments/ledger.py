"""The order ledger: which order was sent under which Idempotency-Key, and how it ended."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Protocol

from .. import forks
from ..client.orders import UNDECIDED, FreshTicket
from ..errors import ChoiceError, LedgerError
from ..spec import timestamps
from ..spec.codes import IDEMPOTENCY_HOURS
from . import ledger_store
from .call_site import Site, by_hand, here
from .ledger_store import ANSWERED, GIVEN_UP, OPEN, REFUSED, Entry, LedgerStore, named

ACCEPTED = 202
"""An answer the service does not store: sending the same again would make another."""

KEPT = timedelta(hours=IDEMPOTENCY_HOURS, minutes=-10)
"""How long a key is trusted: a request takes time to arrive, and clocks differ."""

AHEAD = timedelta(minutes=10)
"""How much later than now an entry may seem to be made; more is the fault of a clock."""

LONGEST_PLACE = 40
MOST_SHOWN = 50

log = logging.getLogger("paylab")


class Asked(Protocol):
    """A request that must be carried out once, with the caller's options."""

    @property
    def path(self) -> str:
        """Where to."""

    @property
    def content(self) -> bytes:
        """The bytes."""

    @property
    def key(self) -> str | None:
        """The caller's own key."""

    @property
    def new(self) -> bool:
        """Whether another payment is meant."""

    @property
    def make(self) -> Callable[[], str]:
        """Makes a fresh key."""


@dataclass(frozen=True)
class Claim:
    """An order with everything that identifies it: `reference` as stored, `body` for messages.

    Earlier keys are judged by `now`, the latest possible time; this order's key by `made`, the
    earliest.
    """

    order: Asked
    site: Site
    digest: str
    body: str
    reference: str
    now: datetime
    made: datetime


class Running:
    """What the current run has made, and which orders wait for an answer."""

    def __init__(self) -> None:
        self.used: defaultdict[str, set[int]] = defaultdict(set)
        self.waiting: set[int] = set()
        forks.register(self, lambda child: child.waiting.clear())


_RUNNING: dict[str, Running] = {}
"""One a file for the whole process: two labs on one ledger must not take turns twice."""


class Ledger:
    """Chooses the Idempotency-Key of each order and stores it before the request is sent.

    `service` separates the services (and simulators) that share a file; `clock` gives
    the earliest and latest possible time there, and `seen` the best estimate.
    """

    def __init__(
        self,
        store: LedgerStore,
        service: str,
        clock: Callable[[], tuple[datetime, datetime]],
        clean: Any = str,
        seen: Callable[[], datetime] | None = None,
    ) -> None:
        self._store, self._service, self._clock, self._clean = store, service, clock, clean
        self._seen = seen or (lambda: clock()[1])
        shared = f"{store.path} {service}"
        self._running = _RUNNING.setdefault(shared, Running()) if store.path else Running()

    @property
    def path(self) -> str:
        """The path of the file, or a note that there is none."""
        return str(self._store.path or "in memory")

    def open(self, order: Asked) -> Ticket | FreshTicket:
        """The ticket of an order, stored; ChoiceError when the order is ambiguous."""
        claim = self._claim(order)
        if order.key and self._is_insisted(claim):
            return FreshTicket(order.key)
        with self._store.exclusive():  # no thread may see an entry that is not begun yet
            with self._store.transaction():  # two processes must not both find nothing
                chosen = self._chosen(claim)
                if not isinstance(chosen, ChoiceError):
                    entry = chosen or self._write(claim)
            if isinstance(chosen, ChoiceError):
                raise chosen
            ticket = Ticket(self._store, entry, self._running, found=chosen is not None)
            ticket.begin(claim.site.run)
        if chosen is not None:
            log.warning("%s", ledger_store.again(entry))
        return ticket

    def _claim(self, order: Asked) -> Claim:
        text = order.content.decode()
        digest = sha256(_sorted(text).encode()).hexdigest()
        site, (made, now) = here() or by_hand(), self._clock()
        reference = named(_reference(text))
        return Claim(order, site, digest, self._clean(text), reference, now, made)

    def _chosen(self, claim: Claim) -> Entry | ChoiceError | None:
        """The existing entry of this order; None for a new one."""
        if claim.order.key is not None and not claim.order.new:
            return self._keyed(claim, claim.order.key)
        lost = self._lost(claim)
        if claim.order.new:
            self._give_up(lost, claim)
            asked = (each for each in lost if each.deliberate and _replayable(each, claim.now))
            return self._resumed(next(asked, None), claim)
        found = self._before(claim) or next(iter(lost), None) or self._moved(claim)
        if found is not None:
            return self._resumed(found, claim)
        return self._edited(claim)

    def _keyed(self, claim: Claim, key: str) -> Entry | ChoiceError | None:
        """The entry of the caller's key, or else of its reference."""
        same = self._store.keyed(self._service, claim.order.path, key)
        standing = [each for each in same if each.state in (OPEN, ANSWERED)]
        if standing or not claim.reference:
            return self._resumed(next(iter(standing), None), claim)
        return self._resumed(self._before(claim), claim) or self._edited(claim)

    def _is_insisted(self, claim: Claim) -> bool:
        """Whether the caller's key belongs to another body, which the service refuses."""
        key = claim.order.key
        same = self._store.keyed(self._service, claim.order.path, key) if key else []
        return bool(same) and same[-1].digest != claim.digest

    def _moved(self, claim: Claim) -> Entry | None:
        """The entry of the same order from a cell without an id."""
        site = claim.site
        if claim.reference or not site.cell or site.name != site.source:
            return None
        used = self._running.used[site.run]
        entries = self._store.answered(self._service, claim.order.path, claim.digest)
        fresh = (each for each in entries if _replayable(each, claim.now) and each.id not in used)
        return next((each for each in fresh if not each.deliberate), None)

    def _before(self, claim: Claim) -> Entry | None:
        """The entry of the same order: by its reference, or the next one of its site."""
        same = [each for each in self._standing(claim) if each.digest == claim.digest]
        if claim.reference:
            return same[-1] if same else None
        if not claim.site.run:  # a button or a prompt: each time is meant
            return None
        if not claim.site.cell:  # a program that runs every day means another payment each day
            same = [each for each in same if each.state == OPEN or _replayable(each, claim.now)]
        used = self._running.used[claim.site.run]
        return next((each for each in same if each.id not in used), None)

    def _standing(self, claim: Claim) -> list[Entry]:
        """The entries of the same reference or site that may have been carried out."""
        path, site = claim.order.path, claim.site
        if claim.reference:
            entries = self._store.referenced(self._service, path, claim.reference)
        else:
            entries = self._store.at(self._service, path, site.name, site.source)
        return [each for each in entries if each.state in (OPEN, ANSWERED)]

    def _lost(self, claim: Claim) -> list[Entry]:
        """Entries of the same body without an answer, for which no thread is waiting."""
        entries = self._store.unanswered(self._service, claim.order.path, claim.digest)
        return [each for each in entries if each.id not in self._running.waiting]

    def _give_up(self, lost: Iterable[Entry], claim: Claim) -> None:
        """Close entries whose keys have expired: the caller asked for another payment."""
        for entry in lost:
            if not _replayable(entry, claim.now):
                self._store.change(entry.id, state=GIVEN_UP)

    def _resumed(self, entry: Entry | None, claim: Claim) -> Entry | ChoiceError | None:
        if entry is None:
            return None
        if not _replayable(entry, claim.now):
            if not claim.site.run and entry.state == OPEN:  # said once: asked again, it is meant
                self._store.change(entry.id, state=GIVEN_UP)
            return ledger_store.too_late(entry)
        self._store.change(entry.id, times=entry.times + 1)
        return entry

    def _edited(self, claim: Claim) -> ChoiceError | None:
        """ChoiceError when the reference, or this cell, sent something else before."""
        if claim.reference:
            standing = self._standing(claim)
            if standing:
                return ledger_store.edited(standing[-1], claim.body, _who(standing[-1], claim))
        if not claim.site.cell:
            return None
        site = claim.site
        entries = self._store.at(self._service, claim.order.path, site.name, site.source)
        before = [each for each in entries if self._stands(each, claim)]
        return ledger_store.edited(before[-1], claim.body) if before else None

    def _stands(self, entry: Entry, claim: Claim) -> bool:
        """Whether an entry of this cell may be the order before an edit.

        The same text with another recipient, such as one just created, is not an edit;
        neither is an order with another reference.
        """
        same_text = entry.source == claim.site.source
        another = same_text and ledger_store.payee(entry.body) != ledger_store.payee(claim.body)
        named = claim.reference and entry.reference
        fresh = _replayable(entry, claim.now) and not entry.deliberate
        used = self._running.used[claim.site.run]
        made = entry.state in (OPEN, ANSWERED)
        return bool(made and fresh and not another and not named and entry.id not in used)

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
        """The newest entries, newest first, as flat rows; sends no request."""
        now = self._seen()
        return [_row(entry, now) for entry in self._store.latest(self._service, MOST_SHOWN)]

    def __len__(self) -> int:
        return len(self.rows())

    def __repr__(self) -> str:
        lines = ["  ".join(str(value) for value in row.values()) for row in self.rows()]
        return "\n".join([f"<ledger {self.path}, {len(lines)} entries>", *lines])

    def close(self) -> None:
        """Close the file."""
        self._store.close()


class Ticket:
    """The key of one order and its ledger entry."""

    def __init__(self, store: LedgerStore, entry: Entry, running: Running, *, found: bool) -> None:
        self._store, self._entry, self._running = store, entry, running
        self._since = timestamps.from_text(entry.made) if found and entry.state == OPEN else None
        self.key = entry.key

    def begin(self, run: str) -> None:
        """Reserve this order within the process until it is answered or lost."""
        self._running.used[run].add(self._entry.id)
        if self.known is None:
            self._running.waiting.add(self._entry.id)

    @property
    def known(self) -> str | None:
        """The id of what this order made, when sending it again would make another."""
        entry = self._entry
        return entry.resource_id if entry.status == ACCEPTED else None

    @property
    def since(self) -> datetime | None:
        """When it was first sent, if an earlier answer was lost."""
        return self._since

    @property
    def advice(self) -> str:
        """What to try when it is not known whether the order was carried out."""
        return ledger_store.LOST

    def answered(self, status: int, resource_id: str, *, replayed: bool) -> None:
        """Store that the order was carried out; LedgerError when that fails."""
        try:
            # A file of UTF-8 cannot hold half a character.
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
        except LedgerError as error:  # the caller must see the refusal
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
    return f"client_reference_id {_reference(claim.body)!r}"


def _reference(body: str) -> str:
    """The client_reference_id of a body; "" without one."""
    found = _parsed(body)
    return str(found.get("client_reference_id") or "") if isinstance(found, dict) else ""


def _sorted(body: str) -> str:
    """A body with its fields sorted, because their order does not matter."""
    found = _parsed(body)
    return body if found is None else json.dumps(found, sort_keys=True)


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _replayable(entry: Entry, now: datetime) -> bool:
    """Whether the service certainly still stores the key."""
    try:
        return -AHEAD < now - timestamps.from_text(entry.made) < KEPT
    except ValueError:
        return False


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
