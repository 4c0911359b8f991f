"""The side of a lab that shows what goes over the wire: calls, signatures, the ledger."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from .client import Client, Settings
from .client.call import Call
from .client.keys import Fresh
from .doctor.compare import compare
from .doctor.finding import Finding
from .doctor.theirs import Request
from .errors import PaylabError
from .ledger import Ledger, default_path, open_store
from .seen import SeenCalls, SeenLedger
from .signing import Explanation

NO_LEDGER = "none"
LEDGER_VARIABLE = "PAYLAB_LEDGER"
CLOCKS_AGREE = 2.0
"""Seconds; Date has no fractions."""

Where = str | PathLike[str] | None
"""A file, "none", or None for the usual place."""


class Seeing(Client):
    """A client whose calls, signatures and payments can be looked at."""

    calls_kind = SeenCalls

    def __init__(self, settings: Settings, *, ledger: Where = None, **options: Any) -> None:
        super().__init__(settings, **options)
        self._ledger_at = _chosen(ledger)
        self._ledger_opened: SeenLedger | None = None
        self._opening = Lock()
        self.keeper = Keys(self)

    @property
    def ledger(self) -> Ledger | None:
        """Which cell paid what under which key; None when there is none."""
        return None if self._ledger_at == NO_LEDGER else self._ledger()

    def _ledger(self) -> Ledger:
        with self._opening:  # two threads must not open two in memory
            if self._ledger_opened is None:
                store = open_store(self._ledger_path())
                self._ledger_opened = SeenLedger(
                    store, self._service(), self._time_there, self._redaction.text, self._time_seen
                )
        return self._ledger_opened

    def _time_there(self) -> datetime:
        """The service's time, by which keys expire: a simulator's clock may be far ahead."""
        with suppress(PaylabError):
            return getattr(self, "_service_clock", self._time_seen)()
        return self._time_seen()

    def _time_seen(self) -> datetime:
        """The same as far as the latest Date header tells; nothing is asked."""
        ahead = self._ahead or 0.0
        if abs(ahead) < CLOCKS_AGREE:
            return self.clock()
        try:
            return self.clock() + timedelta(seconds=ahead)
        except OverflowError:
            return self.clock()

    def _in_child(self) -> None:
        """A forked child has a ledger of its own: a world in memory is not its parent's now."""
        super()._in_child()
        self._opening, self._ledger_opened = Lock(), None

    def _ledger_path(self) -> Path | None:
        """A simulated world that ends with its process has its ledger in memory."""
        if self._ledger_at is not None:
            return Path(self._ledger_at)
        return None if getattr(self, "is_embedded", False) else default_path()

    def _service(self) -> str:
        """Which service, and which account on it: never the key itself."""
        account = sha256(self.settings.api_key.reveal().encode()).hexdigest()[:16]
        world = f" {id(self):x}-{os.getpid()}" if getattr(self, "is_embedded", False) else ""
        return f"{self.settings.base_url} {account}{world}"

    def explain(self, call: Call | None = None) -> Explanation:
        """The layers of a call's signature, line by line; of the latest call without one."""
        return (call or self.calls[-1]).explain()

    def compare(
        self, theirs: Mapping[str, str] | str, method: str, url: str, body: bytes = b""
    ) -> Finding:
        """Somebody else's headers for a request against ours, with the secret of this lab."""
        whole = url if urlsplit(url).netloc else self.settings.base_url + url
        request = Request(method.upper(), whole, body)
        secret = self.settings.secret_key.reveal()
        return compare(theirs, request, secret, now=self.clock())


class Keys:
    """Asks the lab's ledger for a ticket once one is needed; no file is made before that."""

    def __init__(self, lab: Seeing) -> None:
        self._lab = lab

    def open(self, order: Any) -> Any:
        """A ticket of the ledger, or a fresh one where there is none."""
        ledger = self._lab.ledger if order.key is None else None
        return Fresh().open(order) if ledger is None else ledger.open(order)


def _chosen(ledger: Where) -> str | None:
    """The argument, then the environment; an empty one is none at all."""
    if ledger is not None:
        return os.fspath(ledger)
    return os.environ.get(LEDGER_VARIABLE) or None
