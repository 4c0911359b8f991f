"""The ledger: the same cell with the same body keeps its key, and nothing is paid twice unasked."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from threading import RLock, Thread, current_thread
from typing import Any, Protocol

from .. import instants
from ..codes import IDEMPOTENCY_HOURS
from ..errors import ChoiceError
from . import choices
from .site import Site, by_hand, here
from .store import ANSWERED, GIVEN_UP, OPEN, REFUSED, Entry, Store

ACCEPTED = 202
"""An answer the service does not store: sending the same again would make another."""

MOST_SHOWN = 50

log = logging.getLogger("paylab")


class Asked(Protocol):
    """An order: what is sent where, and what the caller wishes."""

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


class Turns:
    """How often each order was made in the run that is going on."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.senders: dict[int, Thread] = {}
        self._run: tuple[str, str] | None = None
        self.used: set[int] = set()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def next(self, site: Site, path: str, digest: str) -> int:
        """The number of this order in this run, from 0."""
        if site.cell and self._run != (site.name, site.run):
            self._run = (site.name, site.run)
            self.used.clear()
            self._counts.clear()
        self._counts[site.name, path, digest] += 1
        return self._counts[site.name, path, digest] - 1


_TURNS: dict[str, Turns] = {}
"""One count a file for the whole process: two labs on one ledger must not take turns twice."""


class Ledger:
    """Chooses the Idempotency-Key of each order and remembers it before it is sent.

    `service` tells apart the services (and the simulated worlds) that share a file.
    """

    def __init__(
        self, store: Store, service: str, clock: Callable[[], datetime], clean: Any = str
    ) -> None:
        self._store, self._service, self._clock, self._clean = store, service, clock, clean
        shared = f"{store.path} {service}"
        self._turns = _TURNS.setdefault(shared, Turns()) if store.path else Turns()

    @property
    def path(self) -> str:
        """The file, or that there is none."""
        return str(self._store.path or "in memory")

    def open(self, order: Asked) -> Ticket:
        """The ticket of an order, written down; ChoiceError when it is not clear what is meant."""
        if order.key is not None:
            return Ticket(order.key)
        site, digest = here(), sha256(order.content).hexdigest()
        with self._turns.lock:
            if site is None:
                site = by_hand()
                entry = self._lost(order, site, digest) or self._write(order, site, digest)
                self._turns.senders[entry.id] = current_thread()
            else:
                entry = self._again(order, site, digest) or self._write(order, site, digest)
                self._turns.used.add(entry.id)
        return Ticket(entry.key, self._store, entry)

    def _lost(self, order: Asked, site: Site, digest: str) -> Entry | None:
        """The entry of what was sent by hand before, if nobody saw an answer."""
        entries = self._store.at(self._service, order.path, site.name, site.source)
        entries = [each for each in entries if (each.state, each.digest) == (OPEN, digest)]
        lost = next((each for each in entries if not self._is_under_way(each)), None)
        if lost and not self.replayable(lost):  # said once: asked again, it is meant
            self._store.change(lost.id, state=GIVEN_UP)
        return self._resumed(lost) if lost else None

    def _is_under_way(self, entry: Entry) -> bool:
        """Whether another thread may be waiting for the answer."""
        sender = self._turns.senders.get(entry.id, current_thread())
        return sender is not current_thread() and sender.is_alive()

    def _again(self, order: Asked, site: Site, digest: str) -> Entry | None:
        """The entry this order has already; None when it is a new one."""
        entries = self._store.at(self._service, order.path, site.name, site.source)
        entries = [entry for entry in entries if entry.state != REFUSED]
        turn = self._turns.next(site, order.path, digest)
        if order.new:
            return self._left_open(entries, digest)
        same = [entry for entry in entries if entry.digest == digest]
        if not site.cell:  # a program that runs every day means another payment each day
            same = [entry for entry in same if self.replayable(entry) or entry.state == OPEN]
        if turn < len(same):
            return self._resumed(same[turn])
        if site.cell:
            self._unless_edited(order, site, entries)
        return None

    def _left_open(self, entries: list[Entry], digest: str) -> Entry | None:
        """A second payment that was asked for before and never answered is still that one."""
        asked = (each for each in entries if each.deliberate and each.state == OPEN)
        return next((e for e in asked if e.digest == digest and e.id not in self._turns.used), None)

    def _resumed(self, entry: Entry) -> Entry:
        if not self.replayable(entry):
            raise ChoiceError(*choices.too_late(entry))
        log.warning("%s", choices.again(entry))
        self._store.change(entry.id, times=entry.times + 1)
        return entry

    def _unless_edited(self, order: Asked, site: Site, entries: list[Entry]) -> None:
        """ChoiceError when this cell sent something else when it ran before."""
        body = self._clean(order.content.decode())
        before = [entry for entry in entries if self._stands(entry, site, body)]
        if before:
            raise ChoiceError(*choices.edited(before[-1], body))

    def _stands(self, entry: Entry, site: Site, body: str) -> bool:
        """Whether an entry of this cell may be what the order was before it was edited.

        The same text that names somebody else, such as whoever was just created, is not edited.
        """
        another = entry.source == site.source and choices.payee(entry.body) != choices.payee(body)
        fresh = self.replayable(entry) and not entry.deliberate
        return fresh and not another and entry.id not in self._turns.used

    def _write(self, order: Asked, site: Site, digest: str) -> Entry:
        entry = Entry(
            0,
            self._service,
            order.path,
            site.name,
            site.source,
            site.place,
            digest,
            self._clean(order.content.decode()),
            order.make(),
            instants.to_text(self._clock()),
            deliberate=order.new,
        )
        return self._store.add(entry)

    def replayable(self, entry: Entry) -> bool:
        """Whether the service still remembers the key."""
        made = instants.from_text(entry.made)
        return self._clock() - made < timedelta(hours=IDEMPOTENCY_HOURS)

    def rows(self) -> list[dict[str, Any]]:
        """The newest entries, newest first, as flat rows."""
        return [self._row(entry) for entry in self._store.latest(self._service, MOST_SHOWN)]

    def _row(self, entry: Entry) -> dict[str, Any]:
        return {
            "made": entry.made,
            "where": entry.place,
            "path": entry.path,
            "key": entry.key,
            "state": entry.state if entry.state != OPEN else "no answer yet",
            "made_id": entry.resource_id,
            "times": entry.times,
            "replayable": "yes" if self.replayable(entry) else "no longer",
        }

    def __len__(self) -> int:
        return len(self.rows())

    def __repr__(self) -> str:
        lines = ["  ".join(str(value) for value in row.values()) for row in self.rows()]
        return "\n".join([f"<ledger {self.path}, {len(lines)} entries>", *lines])

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()


class Ticket:
    """The key of one order, and the entry that is told how it ended."""

    def __init__(self, key: str, store: Store | None = None, entry: Entry | None = None) -> None:
        self.key, self._store, self._entry = key, store, entry

    @property
    def known(self) -> str | None:
        """The id of what this order made, where sending it again would make another."""
        entry = self._entry
        return entry.resource_id if entry and entry.status == ACCEPTED else None

    @property
    def lost(self) -> str | None:
        """What to try when nobody knows whether the order was carried out."""
        return choices.LOST if self._entry else None

    def answered(self, status: int, resource_id: str, *, replayed: bool) -> None:
        """The service carried it out."""
        self._note(state=ANSWERED, status=status, resource_id=resource_id)

    def refused(self, status: int) -> None:
        """The service did not, and said so."""
        if self._entry and self._entry.state == OPEN:
            self._note(state=REFUSED, status=status)

    def _note(self, **values: object) -> None:
        if self._store and self._entry:
            self._store.change(self._entry.id, **values)
