"""The user's own list of payments, from a CSV file or a frame, as rows to reconcile with."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ExactnessError, Problem, RuleError

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "transfer_id", "conversion_id"),
    "reference": ("client_reference_id", "reference", "client_reference"),
    "amount": ("amount", "source_amount", "deposit_amount"),
    "currency": ("currency", "source_currency", "deposit_currency"),
    "status": ("status",),
}
"""The columns that are understood, by what they mean; `id` or `reference` has to be there."""

EXACT_DIGITS = 15
"""Digits that survive a float: more of them, and what the file said is no longer known."""


@dataclass(frozen=True)
class Reference:
    """One row of the user's list."""

    id: str | None = None
    reference: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    status: str | None = None

    @property
    def key(self) -> str:
        """What it is looked up by."""
        return self.id or self.reference or ""


def references(source: str | PathLike[str] | pd.DataFrame) -> list[Reference]:
    """The rows of a CSV file or a frame; ExactnessError names an amount that is none."""
    rows = list(_rows(source))
    names = list(rows[0]) if rows else []
    columns = {meaning: _column(names, known) for meaning, known in COLUMNS.items()}
    if rows and columns["id"] is None and columns["reference"] is None:
        raise RuleError([Problem("references", _NO_KEY, "reconcile")])
    return [_reference(row, columns, number) for number, row in enumerate(rows, 1)]


_NO_KEY = "needs a column id or client_reference_id"


def _rows(source: str | PathLike[str] | pd.DataFrame) -> Iterable[Mapping[str, Any]]:
    if isinstance(source, str | PathLike):
        return _file(Path(source))
    return source.reset_index(drop=True).to_dict("records")  # type: ignore[return-value] # names are text


def _file(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


def _column(names: list[str], known: tuple[str, ...]) -> str | None:
    by_word = {str(name).strip().casefold(): name for name in names}
    return next((by_word[word] for word in known if word in by_word), None)


def _reference(row: Mapping[str, Any], columns: Mapping[str, str | None], number: int) -> Reference:
    found = {name: _text(row.get(column)) for name, column in columns.items() if column}
    amount = found.pop("amount", None)
    return Reference(**found, amount=_amount(amount, number))


def _text(value: Any) -> str | None:
    """A cell as text; blank and missing are None."""
    if value is None or value != value or type(value).__name__ == "NAType":  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, float):
        return _float(value)
    return str(value).strip() or None


def _float(value: float) -> str:
    text = repr(value)
    if len(Decimal(text).normalize().as_tuple().digits) > EXACT_DIGITS:
        raise ExactnessError(f"{text} is a float with too many digits: read the column as text")
    return text


def _amount(text: str | None, number: int) -> Decimal | None:
    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise ExactnessError(f"row {number} of the references: {text[:40]!r} is not an amount")
    return amount
