"""What the client remembers, with the displays that belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .client.call import Call
from .client.log import CallLog
from .ledger import Ledger

if TYPE_CHECKING:
    import pandas as pd

    from .views.live import OnScreen


class SeenCall(Call):
    """A call that a notebook shows as a card."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from .views.calls import call_card

        return {"text/html": call_card(self), "text/plain": repr(self)}


class SeenCalls(CallLog):
    """A call log that a notebook shows as a table."""

    kind = SeenCall

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from .views.calls import calls_table

        return {"text/html": calls_table(self), "text/plain": repr(self)}

    def frame(self) -> pd.DataFrame:
        """One row a call, oldest first; times only where a real network was."""
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(COLUMNS))
        return frame.astype({"number": "Int64", "status": "Int64", "attempt": "Int64"})

    def on_screen(self) -> OnScreen:
        """Show every call under the cell that makes it, from now on; `stop()` ends it."""
        from .views.live import OnScreen

        return OnScreen(self.listen)


class SeenLedger(Ledger):
    """A ledger that a notebook shows as a table."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from .views.calls import ledger_table

        return {"text/html": ledger_table(self.path, self.rows()), "text/plain": repr(self)}


COLUMNS = (
    *("number", "when", "method", "path", "status", "connecting_ms", "waiting_ms", "reading_ms"),
    *("attempt", "idempotency_key", "replayed", "sent_bytes", "received_bytes", "error"),
)
