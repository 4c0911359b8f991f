"""Your own books for a reconciliation: a CSV file or a frame, with columns of your names."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from os import PathLike
from typing import Any

from ..errors.base import ExactnessError, Problem, RuleError
from ..errors.extras import explained
from ..frames.files import read_csv
from .reconciliation import exact_amounts, side

with explained():
    import pandas as pd

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "transfer_id", "conversion_id"),
    "reference": ("client_reference_id", "reference", "client_reference"),
    "amount": ("amount", "source_amount", "deposit_amount"),
    "currency": ("currency", "source_currency", "deposit_currency"),
    "status": ("status",),
}
"""The known columns of books by meaning; `id` or `reference` is required."""

FLOAT_DIGITS = 15  # with more, the text that a float was read from is not known


def of_books(
    source: str | PathLike[str] | pd.DataFrame, columns: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The rows of a CSV file or a frame; `columns` has your names of the meanings in `COLUMNS`.

    ExactnessError names the row of an amount that is none, RuleError a missing column.
    """
    table = source if isinstance(source, pd.DataFrame) else read_csv(source)
    names = _named(list(table.columns), columns or {})
    texts = {name: [_text(value) for value in table[own]] for name, own in names.items()}
    books = pd.DataFrame(texts, columns=list(COLUMNS), dtype=object)
    amounts = exact_amounts(books["amount"], str(names.get("amount")))
    return side(books.assign(amount=amounts, key=books["id"].combine_first(books["reference"])))


def _named(names: list[Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Your column of each meaning that your books have."""
    wrong = columns.keys() - COLUMNS.keys() or set(columns.values()) - set(names)
    if wrong:
        right = f"the meanings are {', '.join(COLUMNS)}, your columns {', '.join(map(str, names))}"
        raise _invalid(f"columns= has {min(map(str, wrong))!r:.60}: {right:.300}")
    words = {str(name).strip().casefold(): name for name in reversed(names)}
    usual = [(meaning, word) for meaning, known in COLUMNS.items() for word in reversed(known)]
    found = {meaning: words[word] for meaning, word in usual if word in words} | {**columns}
    if not found.keys() & {"id", "reference"}:
        raise _invalid("needs a column id or client_reference_id; or name yours with columns=")
    return found


def _invalid(message: str) -> RuleError:
    return RuleError([Problem("references", message, "reconcile")])


def _text(value: Any) -> str | None:
    """A cell as text; blank and missing are None."""
    if pd.isna(value):
        return None
    if isinstance(value, float) and _digits(value) > FLOAT_DIGITS:
        raise ExactnessError(f"{value!r} is a float with too many digits: read it as text")
    return str(value).strip() or None


def _digits(value: float) -> int:
    return len(Decimal(repr(value)).normalize().as_tuple().digits)
