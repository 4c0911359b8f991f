"""The orders of a lab: every payment gets its Idempotency-Key from the order ledger."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from threading import Lock

from .. import forks
from ..client.api import Client
from ..client.orders import Fresh, Order, OrderTicket
from ..payments.ledger import Ledger
from ..payments.ledger_store import ledger_path, open_store
from .service_time import ServiceTime

NO_LEDGER = "none"
LEDGER_VARIABLE = "PAYLAB_LEDGER"

Where = str | PathLike[str] | None
"""A file, "none", or None for the usual place."""


class Orders:
    """Gives each order its ticket from the ledger, which is opened when it is first needed.

    `in_process` tells that the service is a simulator that ends with this process: its ledger
    is then kept in memory, unless `where` names a file.
    """

    def __init__(
        self, client: Client, time: ServiceTime, where: Where = None, *, in_process: bool = False
    ) -> None:
        self._client, self._time, self._in_process = client, time, in_process
        self._where = _chosen(where)
        self._opening, self._opened = Lock(), None
        forks.register(self, lambda child: child._forget())

    def open(self, order: Order) -> OrderTicket:
        """A ticket of the ledger, or a fresh one where there is none."""
        ledger = self.ledger
        return Fresh().open(order) if ledger is None else ledger.open(order)

    @property
    def ledger(self) -> Ledger | None:
        """The order ledger; None when there is none."""
        if self._where == NO_LEDGER:
            return None
        with self._opening:  # two threads must not open two in memory
            if self._opened is None:
                store = open_store(self._path())
                clean = self._client.redaction.text
                self._opened = Ledger(
                    store, self._service(), self._time.span, clean, self._time.seen
                )
        return self._opened

    _opened: Ledger | None

    def _forget(self) -> None:
        """A forked child has a ledger of its own: a world in memory is not its parent's now."""
        self._opening, self._opened = Lock(), None

    def _path(self) -> Path | None:
        if self._where is not None:
            return Path(self._where)
        return None if self._in_process else ledger_path()

    def _service(self) -> str:
        """Which service, and which account on it: never the key itself."""
        world = f" {id(self):x}-{os.getpid()}" if self._in_process else ""
        return f"{self._client.settings.identity}{world}"


def _chosen(where: Where) -> str | None:
    """The argument, then the environment; an empty one is none at all."""
    if where is not None:
        return os.fspath(where)
    return os.environ.get(LEDGER_VARIABLE) or None
