"""What to do about a payout that was not final at the end of a wait.

A longer wait does not help: a payout without funds does not go on, and a rail that settles in
batches takes days, while a wait takes minutes.
"""

from __future__ import annotations

from ..corridors.corridor import SETTLEMENT_HOURS
from ..spec.models import Transfer
from ..spec.text import plain


def advise_on_payout(transfer: Transfer | None, timeout_seconds: float) -> str | None:
    """Advise on a payout after a wait of some seconds; None if nothing but waiting helps."""
    if transfer is None:
        return None
    return _advise_on_funding(transfer) or _advise_on_settlement(transfer, timeout_seconds)


def _advise_on_funding(transfer: Transfer) -> str | None:
    """Advise on a payout that awaits funds of the account; None for any other."""
    if transfer.status != "awaiting_funds" or transfer.deposit_instructions:
        return None
    currency = transfer.source_currency or "its currency"
    return (
        f"wait longer, unless the balance in {currency} is too low: lab.balance() shows it; in a "
        f'simulator lab.balance().top_up("{transfer.source_amount}", "{currency}") adds to it'
    )


def _advise_on_settlement(transfer: Transfer, timeout_seconds: float) -> str | None:
    """Advise on a started payout whose rail takes longer than the wait; None for any other."""
    payout_method = plain(str(transfer.payout_method), 60)
    hours = SETTLEMENT_HOURS.get(payout_method, 0)
    if transfer.status != "started" or timeout_seconds >= hours * 3600:
        return None
    return (
        f"{payout_method} settles in up to {hours} hours: read the transfer again then; "
        f'in a simulator lab.simulator.clock.advance("{hours}h") lets that time pass'
    )
