"""The number and the sum of the amounts of each side of a reconciliation, by currency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ..errors.extras import extra_imports
from ..frames.decimal_array import DecimalArray
from .compared_period import Mask
from .payment_problems import total_or_none
from .payment_values import WordColumn

with extra_imports():
    import numpy as np
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


class AmountColumn(NamedTuple):
    """The amounts of a side with their currencies, and which of them are counted."""

    side: str
    amounts: DecimalArray
    currencies: WordColumn | None
    counted_mask: Mask


def totals_by_currency(columns: Iterable[AmountColumn]) -> dict[str, dict[str, SideTotal]]:
    """Return the totals of the counted amounts by currency and side; all columns are summed."""
    side_totals_by_currency: dict[str, dict[str, SideTotal]] = {}
    for column in columns:
        counted_currencies = None
        if column.currencies is not None:
            counted_currencies = column.currencies.take(np.flatnonzero(column.counted_mask))
        for currency, side_total in _sum_by_currency(
            column.amounts[column.counted_mask], counted_currencies
        ).items():
            total_by_side = side_totals_by_currency.setdefault(currency, {})
            total_by_side[column.side] = total_by_side.get(column.side, NO_TOTAL).add(side_total)
    return side_totals_by_currency


def _sum_by_currency(amounts: DecimalArray, currencies: WordColumn | None) -> dict[str, SideTotal]:
    """Return the number and the sum of amounts by currency in upper case, "" without one."""
    row_currencies = [""] * len(amounts)
    if currencies is not None:
        row_currencies = [currencies.text(row_index) or "" for row_index in range(len(amounts))]
    currency_column = pd.Series(row_currencies, dtype=object).str.upper()
    amount_groups = pd.Series(amounts).groupby(currency_column)
    count_by_currency = amount_groups.size().to_dict()
    return {
        str(currency): SideTotal(int(count_by_currency[currency]), amount)
        for currency, amount in amount_groups.sum().items()
    }
