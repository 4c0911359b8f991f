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
from ..payments.ledger_store import ledger_path, open_store
from .service_time import ServiceTime

NO_LEDGER = "none"
LEDGER_VARIABLE = "PAYLAB_LEDGER"

Where = str | PathLike[str] | None
"""A file, "none", or None for the default path."""


class Orders:
    """Issue tickets of orders from the ledger, which is opened on first use.

    `in_process` means that the service is an embedded simulator: its ledger is kept in memory,
    unless `where` is a file.
    """

    def __init__(
        self, client: Client, time: ServiceTime, where: Where = None, *, in_process: bool = False
    ) -> None:
        self._client, self._time, self._in_process = client, time, in_process
        self._where = _chosen(where)
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
                store = open_store(self._path())
                clean = self._client.redaction.text
                self._opened = Ledger(
                    *(store, self._service(), self._client.delivery, self._time.span), clean
                )
                self._opened.place = self._client.place
                self._client.keeper = self._opened  # which is asked directly from now on
        return self._opened

    _opened: Ledger | None

    def _forget(self) -> None:
        """Drop the ledger in a forked child, which opens its own."""
        self._opening, self._opened = Lock(), None
        self._client.keeper = self

    def _path(self) -> Path | None:
        if self._where is not None:
            return Path(self._where)
        return None if self._in_process else ledger_path()

    def _service(self) -> str:
        """Identify the service and the account, without the key itself."""
        world = f" {id(self):x}-{os.getpid()}" if self._in_process else ""
        return f"{self._client.settings.identity}{world}"


def _chosen(where: Where) -> str | None:
    """The argument, else the environment variable; empty means not set."""
    if where is not None:
        return os.fspath(where)
    return os.environ.get(LEDGER_VARIABLE) or None
