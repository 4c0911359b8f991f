"""What the client remembers, with the displays that belong to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..client.api import Client
from ..client.call import Call
from ..client.calls import CallLog
from ..client.sender import Fresh
from ..client.settings import Settings
from ..errors import PaylabError
from ..payments.ledger import Ledger
from ..payments.ledger_store import ledger_path, open_store
from ..signing.comparison import compare
from ..signing.explain import Explanation
from ..signing.findings import Finding, Request

if TYPE_CHECKING:
    import pandas as pd

    from ..views.calls import OnScreen


class SeenCall(Call):
    """A call that a notebook shows as a card."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from ..views.calls import call_card

        return {"text/html": call_card(self), "text/plain": repr(self)}


class SeenCalls(CallLog):
    """A call log that a notebook shows as a table."""

    kind = SeenCall

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from ..views.calls import calls_table

        return {"text/html": calls_table(self), "text/plain": repr(self)}

    def frame(self) -> pd.DataFrame:
        """One row a call, oldest first; times only where a real network was."""
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(COLUMNS))
        return frame.astype({"number": "Int64", "status": "Int64", "attempt": "Int64"})

    def on_screen(self) -> OnScreen:
        """Show every call under the cell that makes it, from now on; `stop()` ends it."""
        from ..views.calls import OnScreen

        return OnScreen(self.listen)


class SeenLedger(Ledger):
    """A ledger that a notebook shows as a table."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from ..views.calls import ledger_table

        return {"text/html": ledger_table(self.path, self.rows()), "text/plain": repr(self)}


COLUMNS = (
    *("number", "when", "method", "path", "status", "connecting_ms", "waiting_ms", "reading_ms"),
    *("attempt", "idempotency_key", "replayed", "sent_bytes", "received_bytes", "error"),
)


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

    def _time_there(self) -> tuple[datetime, datetime]:
        """The earliest and the latest that it may be at the service, by which keys expire.

        A simulator says what its time is. A Date may be wrong, and so may this machine's clock.
        """
        with suppress(PaylabError):
            if getattr(self, "simulator", None):
                told: datetime = getattr(self, "_service_clock", self._time_seen)()
                return told, told
        both = self.clock(), self._time_seen()
        return min(both), max(both)

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
        return None if getattr(self, "is_embedded", False) else ledger_path()

    def _service(self) -> str:
        """Which service, and which account on it: never the key itself."""
        world = f" {id(self):x}-{os.getpid()}" if getattr(self, "is_embedded", False) else ""
        return f"{self.settings.identity}{world}"

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
        ledger = self._lab.ledger
        return Fresh().open(order) if ledger is None else ledger.open(order)


def _chosen(ledger: Where) -> str | None:
    """The argument, then the environment; an empty one is none at all."""
    if ledger is not None:
        return os.fspath(ledger)
    return os.environ.get(LEDGER_VARIABLE) or None
