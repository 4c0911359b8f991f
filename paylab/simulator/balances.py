"""The balances that pay prefunded transfers. A balance is what was paid in, less its transfers.

A currency has a balance from the first payment into it; without a balance, every transfer is
funded.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from ..errors.base import Problem
from ..spec import money
from ..spec.codes import is_stablecoin
from .messages import raise_if_problems
from .prices import amount_text
from .table import INTERNALS, Row
from .world import World

BALANCE_CURRENCIES = ("USD", "USDC")
"""What can be paid in: USD by wire, USDC on Base. Spec, "What the service does"."""

RESERVED_FIELD = "is_reserved"
"""The internal field of a transfer whose amount was taken from a balance."""

UNDER_WAY = ("started", "under_review")
"""The statuses of a transfer that is funded and not paid out yet."""

BALANCE_USES = ("reserved", "awaiting_funds")
"""The sums of transfers that are listed beside what is available."""

UNFUNDED = ("expired", "cancelled")
"""The scenarios of transfers that end before they are funded."""


def add_to_balance(world: World, payment_fields: Row) -> str:
    """Pay in an amount, which may be 0.00, and return its currency.

    RefusedError with status 400 names the wrong fields.
    """
    currency = payment_fields.get("currency", BALANCE_CURRENCIES[0])
    amount = payment_fields.get("amount")
    upper_currency = currency.upper() if isinstance(currency, str) else ""
    problems: list[Problem] = []
    # 0.00 gives a currency a balance; the check of amounts would refuse it.
    if money.read_amount(amount) != 0:
        problems += money.check_amount(amount, upper_currency, "amount")
    if upper_currency not in BALANCE_CURRENCIES:
        problems.append(Problem("currency", f"must be {' or '.join(BALANCE_CURRENCIES)}"))
    problems += [
        Problem(field_name, "is not known")
        for field_name in payment_fields.keys() - {"amount", "currency"}
    ]
    raise_if_problems(problems)
    balance = _find_balance(world, upper_currency) or Decimal(0)
    _put_balance(world, upper_currency, balance + Decimal(str(amount)))
    return upper_currency


def take_amount(world: World, transfer: Row) -> bool:
    """Reserve the source amount of a transfer. False if its currency's balance is too low."""
    currency = transfer["source_currency"]
    balance = _find_balance(world, currency)
    if balance is None:
        return True
    remaining_balance = balance - Decimal(transfer["source_amount"])
    if remaining_balance < 0:
        return False
    _put_balance(world, currency, remaining_balance)
    transfer[INTERNALS][RESERVED_FIELD] = True
    return True


def return_amount(world: World, transfer: Row) -> None:
    """Return what was reserved for a transfer that failed. Assumption `balance.read`.

    Stablecoins go to the recipient's wallet instead. Spec, "What the service does", 6.
    """
    currency = transfer["source_currency"]
    balance = _find_balance(world, currency)
    is_reserved = transfer[INTERNALS].pop(RESERVED_FIELD, False)
    if balance is None or not is_reserved or is_stablecoin(currency):
        return
    _put_balance(world, currency, balance + Decimal(transfer["source_amount"]))


def list_balances(world: World) -> dict[str, str]:
    """The balance of each currency that has one, as text by currency."""
    return {
        balance_row["id"]: balance_row["amount"]
        for balance_row in world.tables["balances"].rows.values()
    }


def list_funds(world: World) -> list[Row]:
    """The available, reserved and awaited amounts of each currency that has a balance."""
    sum_by_currency_and_use: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for transfer_row in world.tables["transfers"].rows.values():
        use_name = _find_balance_use(transfer_row)
        if use_name:
            amount = Decimal(transfer_row["source_amount"])
            sum_by_currency_and_use[transfer_row["source_currency"], use_name] += amount
    fund_rows: list[Row] = []
    for currency, available_amount in list_balances(world).items():
        sum_text_by_use = {
            use_name: amount_text(sum_by_currency_and_use[currency, use_name], currency)
            for use_name in BALANCE_USES
        }
        fund_rows.append({"currency": currency, "available": available_amount, **sum_text_by_use})
    return fund_rows


def _find_balance_use(transfer: Row) -> str:
    """Which sum a transfer is a part of: `reserved` or `awaiting_funds`; "" for neither."""
    status = transfer["status"]
    internals = transfer[INTERNALS]
    if status in UNDER_WAY and internals.get(RESERVED_FIELD):
        return "reserved"
    is_prefunded = internals["source_type"] != "deposit" and internals["outcome"] not in UNFUNDED
    return "awaiting_funds" if status == "awaiting_funds" and is_prefunded else ""


def _find_balance(world: World, currency: str) -> Decimal | None:
    """The balance of a currency. None before the first payment into it."""
    balance_row = world.find("balances", currency)
    if balance_row is None:
        return None
    return Decimal(balance_row["amount"])


def _put_balance(world: World, currency: str, amount: Decimal) -> None:
    """Set the balance of a currency."""
    world.put("balances", {"id": currency, "amount": amount_text(amount, currency)})
