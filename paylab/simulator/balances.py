"""The balances from which prefunded transfers are paid: what was paid in, less those transfers.

A currency has a balance from the first payment into it; without one, every transfer is funded.
"""

from __future__ import annotations

from decimal import Decimal

from ..errors.base import Problem
from ..spec import money
from .messages import require
from .prices import amount_text
from .table import Row
from .world import World

CURRENCIES = ("USD", "USDC")
"""What can be paid in: USD by wire, USDC on Base. Spec, "What the service does"."""


def add_to_balance(world: World, body: Row) -> str:
    """Pay in an amount, also 0.00, and return its currency; a 400 names the wrong field."""
    currency = body.get("currency", CURRENCIES[0])
    amount = body.get("amount")
    upper_currency = currency.upper() if isinstance(currency, str) else ""
    wrong = (
        []
        if money.read_amount(amount) == 0
        else money.check_amount(amount, upper_currency, "amount")
    )
    if upper_currency not in CURRENCIES:
        wrong.append(Problem("currency", f"must be {' or '.join(CURRENCIES)}"))
    wrong += [Problem(name, "is not known") for name in body.keys() - {"amount", "currency"}]
    require(wrong)
    _put(
        world, upper_currency, (_amount(world, upper_currency) or Decimal(0)) + Decimal(str(amount))
    )
    return upper_currency


def take(world: World, transfer: Row) -> bool:
    """Take the source amount of a transfer; False if its currency's balance is too low."""
    currency = transfer["source_currency"]
    amount = _amount(world, currency)
    if amount is None:
        return True
    remaining = amount - Decimal(transfer["source_amount"])
    if remaining < 0:
        return False
    _put(world, currency, remaining)
    return True


def listed(world: World) -> dict[str, str]:
    """The balance of each currency that has one."""
    return {row["id"]: row["amount"] for row in world.tables["balances"].rows.values()}


def _amount(world: World, currency: str) -> Decimal | None:
    row = world.find("balances", currency)
    return None if row is None else Decimal(row["amount"])


def _put(world: World, currency: str, amount: Decimal) -> None:
    world.put("balances", {"id": currency, "amount": amount_text(amount, currency)})
