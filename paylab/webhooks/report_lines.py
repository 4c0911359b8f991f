"""The lines of a report: kinds of problems, compared columns, and the totals of each side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ..errors.extras import extra_imports
from .payment_problems import write_total

with extra_imports():
    import pandas as pd

NAMELESS = "a column without a name"


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


def write_column_lines(
    compared: Mapping[str, Mapping[str, str]], not_compared: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return lines that say which columns of each side were compared, and which not and why.

    `compared` has your names by meaning, and `not_compared` the reason by your name.
    """
    column_lines = []
    for side_name, name_by_meaning in compared.items():
        column_texts = [
            meaning if your_name == meaning else f"{meaning} ({your_name})"
            for meaning, your_name in name_by_meaning.items()
        ]
        compared_text = ", ".join(column_texts) or "only whether it is there"
        column_lines.append(f"  compared with {side_name}: {compared_text}")
        names_by_reason: dict[str, list[str]] = {}
        for column_name, reason_text in not_compared[side_name].items():
            names_by_reason.setdefault(reason_text, []).append(column_name or NAMELESS)
        for reason_text, column_names in names_by_reason.items():
            column_lines.append(f"  {reason_text}: {', '.join(column_names)}")
    return column_lines


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
