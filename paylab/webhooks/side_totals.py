"""The number and the sum of the amounts of each side of a reconciliation, by currency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from ..frames.decimal_array import DecimalArray
from .compared_period import ComparedPeriod
from .payment_problems import total_or_none
from .payment_values import WordColumn
from .sides import SERVICE, Payments, Rows

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


def totals_by_currency(
    payments: Payments, other_sides: Iterable[Rows], zone: ZoneInfo, period: ComparedPeriod
) -> dict[str, dict[str, SideTotal]]:
    """Return the totals of a period by currency and side; all families are summed.

    `other_sides` are the rows of the books, of the events, or of both.
    """
    columns_to_sum = []
    for payment_family in payments.families:
        amount_column = payment_family.values("amount", zone)
        currency_column = payment_family.values("currency", zone)
        columns_to_sum.append(
            (SERVICE, amount_column, currency_column, period.mask_of(payment_family.indexes))
        )
    for other_rows in other_sides:
        amount_column = other_rows.values.get("amount")
        currency_column = other_rows.values.get("currency")
        columns_to_sum.append(
            (other_rows.side, amount_column, currency_column, period.mask_of_rows(other_rows.side))
        )
    side_totals_by_currency: dict[str, dict[str, SideTotal]] = {}
    for side_name, amount_column, currency_column, counted_mask in columns_to_sum:
        if amount_column is None:
            continue
        counted_currencies = None
        if currency_column is not None:
            counted_currencies = currency_column.take(np.flatnonzero(counted_mask))
        for currency, side_total in _sum_by_currency(
            amount_column[counted_mask], counted_currencies
        ).items():
            total_by_side = side_totals_by_currency.setdefault(currency, {})
            total_by_side[side_name] = total_by_side.get(side_name, NO_TOTAL).add(side_total)
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
