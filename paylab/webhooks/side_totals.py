"""The number and the sum of the amounts of each side of a reconciliation, by currency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from ..frames.decimal_array import DecimalArray
from .payment_problems import total_or_none
from .payment_values import WordColumn
from .sides import SERVICE, Payments, Rows

with extra_imports():
    import pandas as pd


@dataclass(frozen=True)
class SideTotal:
    """The number of payments or rows of a side, and the sum of their amounts if there are any."""

    count: int
    amount: Decimal | None

    def add(self, other: SideTotal) -> SideTotal:
        """Return the total of this side and another: both counts and both amounts are added."""
        amount = total_or_none([self.amount, other.amount])
        return SideTotal(self.count + other.count, amount)


NO_TOTAL = SideTotal(0, None)


def totals_by_currency(
    payments: Payments, sides: Iterable[Rows], zone: ZoneInfo
) -> dict[str, dict[str, SideTotal]]:
    """Return the totals by currency and side; payments are summed over their families."""
    side_columns = [
        (SERVICE, family.values("amount", zone), family.values("currency", zone))
        for family in payments.families
    ]
    for side_rows in sides:
        side_columns.append(
            (side_rows.side, side_rows.values.get("amount"), side_rows.values.get("currency"))
        )
    totals: dict[str, dict[str, SideTotal]] = {}
    for side, amounts, currencies in side_columns:
        if amounts is None:
            continue
        for currency, side_total in _sum_by_currency(amounts, currencies).items():
            side_totals = totals.setdefault(currency, {})
            side_totals[side] = side_totals.get(side, NO_TOTAL).add(side_total)
    return totals


def _sum_by_currency(amounts: DecimalArray, currencies: WordColumn | None) -> dict[str, SideTotal]:
    """Return the number and the sum of amounts by currency in upper case, "" without one."""
    row_currencies = [""] * len(amounts)
    if currencies is not None:
        row_currencies = [currencies.text(row_index) or "" for row_index in range(len(amounts))]
    currency_column = pd.Series(row_currencies, dtype=object).str.upper()
    groups = pd.Series(amounts).groupby(currency_column)
    counts = groups.size().to_dict()
    return {
        str(currency): SideTotal(int(counts[currency]), amount)
        for currency, amount in groups.sum().items()
    }
