"""The Idempotency-Keys of a lab's payments, from the order ledger."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from threading import Lock

from .. import forks
from ..client import Client
from ..client.orders import Fresh, Order, OrderTicket
from ..payments.ledger import Ledger
from ..payments.ledger_store import LedgerStore, ledger_path

NO_LEDGER = "none"
LEDGER_VARIABLE = "PAYLAB_LEDGER"

Where = str | PathLike[str] | None
"""A file, "none", or None for the default path."""


class Orders:
    """Issue tickets of orders from the ledger, which is opened on first use.

    `in_process` means that the service is an embedded simulator: its ledger is kept in memory,
    unless `where` is a file.
    """

    _opened: Ledger | None

    def __init__(self, client: Client, where: Where = None, *, in_process: bool = False) -> None:
        self._client, self._in_process = client, in_process
        if where is None:
            where = os.environ.get(LEDGER_VARIABLE) or None
        self._where = None if where is None else os.fspath(where)
        self._opening, self._opened = Lock(), None
        forks.register(self, lambda child: child._forget())

    def open(self, order: Order) -> OrderTicket:
        """A ticket from the ledger, or a new one without a ledger."""
        ledger = self.ledger
        return Fresh().open(order) if ledger is None else ledger.open(order)

    @property
    def ledger(self) -> Ledger | None:
        """The order ledger, or None."""
        if self._where == NO_LEDGER:
            return None
        with self._opening:  # two threads must not open two ledgers in memory
            if self._opened is None:
                self._opened = self._open_ledger()
                self._client.keeper = self._opened  # which is asked directly from now on
        return self._opened

    def _open_ledger(self) -> Ledger:
        """Open the ledger of this service and account, which are identified without the key."""
        client, service = self._client, self._client.settings.identity
        path = None if self._in_process else ledger_path()
        if self._in_process:
            service = f"{service} {id(self):x}-{os.getpid()}"
        store = LedgerStore(path if self._where is None else Path(self._where))
        ledger = Ledger(store, service, client.service_clock, client.redaction.text)
        ledger.place = client.place
        return ledger

    def _forget(self) -> None:
        """Drop the ledger in a forked child, which opens its own."""
        self._opening, self._opened = Lock(), None
        self._client.keeper = self
