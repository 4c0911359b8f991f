"""The lines of a report about kinds of problems, and about the totals of each side."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ..errors.extras import extra_imports
from .payment_problems import write_total

with extra_imports():
    import pandas as pd


def write_kind_lines(summary: pd.DataFrame) -> list[str]:
    """Return a line for each kind of problem and currency, with the sum of the differences."""
    kind_lines = []
    for group in summary.to_dict("records"):
        kind_line = f"  {group['problems']} x {group['kind']}"
        if isinstance(group["difference"], Decimal):
            total_text = write_total(group["difference"], group["currency"])
            sign_text = "" if total_text.startswith("-") else "+"
            kind_line = f"{kind_line}, {sign_text}{total_text} {group['currency']}".rstrip()
        elif group["currency"]:
            kind_line = f"{kind_line} ({group['currency']})"
        kind_lines.append(kind_line)
    return kind_lines


def write_total_lines(totals: pd.DataFrame, side_names: Sequence[str]) -> list[str]:
    """Return a line for each currency, with the sums of the sides that have one."""
    total_lines = []
    for currency_totals in totals.to_dict("records"):
        currency = currency_totals["currency"]
        sum_texts = []
        for side_name in side_names:
            amount = currency_totals[f"amount_{side_name}"]
            if isinstance(amount, Decimal):
                sum_texts.append(f"{side_name} {write_total(amount, currency)}")
        total_name = currency or "of rows without a currency"
        total_lines.append(f"  total {total_name}: {', '.join(sum_texts)}")
    return total_lines
