"""The Idempotency-Keys of a lab's payments, from the order ledger."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from .. import forks
from ..client.base_url import address
from ..client.orders import Keeper, Order, OrderTicket
from ..client.service_clock import ServiceClock
from ..client.settings import Settings
from ..errors.base import LedgerError
from ..files import path_of
from ..logs import log
from . import displays

if TYPE_CHECKING:
    from ..payments.ledger import Ledger

Where = str | PathLike[str] | None
"""A file, "none", or None for the default path."""

_WORLDS: WeakKeyDictionary[object, str] = WeakKeyDictionary()
"""A name for each simulator of this process: it is an address of its own."""


class Orders(Keeper):
    """Issue tickets of orders from the ledger, which is opened on first use.

    `clock` estimates the time at the service, `clean` redacts what is only displayed, and `place`
    names the service. `world` is the simulator or recording if the service is in this process: its
    ledger is kept in memory, unless `where` is a file.
    """

    _opened: Ledger | None

    def __init__(  # noqa: PLR0913 - what the ledger is about, and where it is
        self,
        settings: Settings,
        clock: ServiceClock,
        clean: Callable[[str], str],
        place: Callable[[], str],
        where: Where = None,
        *,
        world: object | None = None,
    ) -> None:
        self._settings, self._clock, self._clean, self._place = settings, clock, clean, place
        self._world = world
        if where is None:
            where = os.environ.get("PAYLAB_LEDGER") or None
        self._where = None if where is None else os.fspath(where)
        self._opening, self._opened = Lock(), None
        forks.register(self, lambda child: child._forget())

    def open(self, order: Order) -> OrderTicket:
        """A ticket from the ledger, or a new one without a ledger."""
        ledger = self.ledger
        return super().open(order) if ledger is None else ledger.open(order)

    def note_quote(self, quote: str, asked: Mapping[str, Any]) -> None:
        """Store the terms of a quote; a ledger that cannot be used stops only payments."""
        try:
            ledger = self.ledger
            if ledger is not None:
                ledger.note_quote(quote, asked)
        except LedgerError as error:
            log.warning("the quote counts as itself: %s", error)

    @property
    def ledger(self) -> Ledger | None:
        """The order ledger, or None."""
        if self._where == "none":
            return None
        with self._opening:  # two threads must not open two ledgers in memory
            if self._opened is None:
                self._opened = self._open_ledger()
        return self._opened

    def _open_ledger(self) -> Ledger:
        """Open the ledger of this service and account, which are identified without the key."""
        from ..payments.ledger import Ledger  # only an order needs it
        from ..payments.ledger_store import LedgerStore, ledger_path

        path = ledger_path() if self._world is None else None
        store = LedgerStore(path if self._where is None else path_of(self._where))
        place = address(self._settings.base_url)
        if self._world is not None:
            name = _WORLDS.setdefault(self._world, str(uuid4()))
            place = f"{place} {name}-{os.getpid()}"
        return Ledger(
            store,
            place,
            self._settings.identity.rpartition(" ")[2],
            self._clock,
            displays.tell,
            self._clean,
            self._place,
        )

    def _forget(self) -> None:
        """Drop the ledger in a forked child, which opens its own."""
        self._opening, self._opened = Lock(), None
