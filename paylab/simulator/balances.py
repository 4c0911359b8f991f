"""The balances from which prefunded transfers are paid: what was paid in, less those transfers.

A currency has a balance from the first payment into it; without one, every transfer is funded.
"""

from __future__ import annotations

from decimal import Decimal

from ..errors.base import Problem
from ..spec import money
from .messages import raise_if_problems
from .prices import amount_text
from .table import Row
from .world import World

CURRENCIES = ("USD", "USDC")
"""What can be paid in: USD by wire, USDC on Base. Spec, "What the service does"."""


def add_to_balance(world: World, body: Row) -> str:
    """Pay in an amount, which may be 0.00, and return its currency.

    RefusedError with status 400 names the wrong fields.
    """
    currency = body.get("currency", CURRENCIES[0])
    amount = body.get("amount")
    upper_currency = currency.upper() if isinstance(currency, str) else ""
    problems: list[Problem] = []
    if money.read_amount(amount) != 0:
        problems += money.check_amount(amount, upper_currency, "amount")
    if upper_currency not in CURRENCIES:
        problems.append(Problem("currency", f"must be {' or '.join(CURRENCIES)}"))
    problems += [Problem(name, "is not known") for name in body.keys() - {"amount", "currency"}]
    raise_if_problems(problems)
    balance = _find_balance(world, upper_currency) or Decimal(0)
    _put_balance(world, upper_currency, balance + Decimal(str(amount)))
    return upper_currency


def take_amount(world: World, transfer: Row) -> bool:
    """Take the source amount of a transfer. False if its currency's balance is too low."""
    currency = transfer["source_currency"]
    balance = _find_balance(world, currency)
    if balance is None:
        return True
    remaining_balance = balance - Decimal(transfer["source_amount"])
    if remaining_balance < 0:
        return False
    _put_balance(world, currency, remaining_balance)
    return True


def list_balances(world: World) -> dict[str, str]:
    """The balance of each currency that has one."""
    return {row["id"]: row["amount"] for row in world.tables["balances"].rows.values()}


def _find_balance(world: World, currency: str) -> Decimal | None:
    row = world.find("balances", currency)
    if row is None:
        return None
    return Decimal(row["amount"])


def _put_balance(world: World, currency: str, amount: Decimal) -> None:
    world.put("balances", {"id": currency, "amount": amount_text(amount, currency)})
