"""The life of a transfer, live: where it is, what that means, and where to pay for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ipywidgets import HTML

from ..status import TRANSFER
from .forms.live import Live
from .forms.picture import picture
from .page import Row
from .terms import transfer_rows


class TransferLine(Live):
    """A transfer's machine, live; `wallets` are where a failed off-ramp goes back to."""

    machine = TRANSFER
    moving = ("pending", "awaiting_funds", "started", "under_review")
    title = "Transfer"

    def __init__(
        self, look: Callable[[], Any], *, wallets: Sequence[Any] = (), **options: Any
    ) -> None:
        self._wallets, self.pay = wallets, HTML()
        super().__init__(look, **options)
        self.view.children = (*self.view.children, self.pay)

    def see(self, found: Any) -> None:
        """Show what was found, and where to pay while it waits for a deposit."""
        super().see(found)
        waits = found.deposit_instructions is not None
        self.pay.value = picture(found).value if waits else ""

    def facts_of(self, found: Any) -> list[Row]:
        """Its terms, its meaning, and what became of the money."""
        return [row for row in transfer_rows(found, self._wallets) if row[0] != "Status"]

    def rows(self) -> Sequence[Row]:
        """What stays behind: also where to pay."""
        instructions = getattr(self.seen, "deposit_instructions", None)
        details = getattr(instructions, "details", None) or {}
        return [
            *super().rows(),
            *((f"Pay to {name}", str(value)) for name, value in details.items()),
        ]

    def _tick(self, seconds: float) -> None:
        """A deposit comes from outside: no time passes while it is waited for."""
        if getattr(self.seen, "deposit_instructions", None) is None:
            super()._tick(seconds)
