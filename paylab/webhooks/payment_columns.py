"""The columns that a reconciliation compares: their meaning, kind and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..errors.base import Problem, RuleError
from ..errors.names import nearest_name

ColumnKind = Literal["amount", "currency", "word", "time"]


class PaymentColumn(NamedTuple):
    """A column of payments: what it means, and its name in each list of the service."""

    meaning: str
    kind: ColumnKind
    problem: str
    """The kind of problem when its values differ."""
    transfer: str
    conversion: str
    """The field of the list; empty if it has none."""
    others: tuple[str, ...] = ()
    """Usual names in books, beside the meaning and the fields."""
    currency: str = "currency"
    """The meaning of the column with the currency of an amount; empty for a rate."""

    def field(self, family: str) -> str:
        """The field of a family, transfer or conversion."""
        return self.transfer if family == "transfer" else self.conversion

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which it is found in books, the most exact first."""
        names = (self.transfer, self.conversion, self.meaning, *self.others)
        return tuple(dict.fromkeys(name for name in names if name))


COLUMNS = (
    PaymentColumn("amount", "amount", "amount", "source_amount", "deposit_amount"),
    PaymentColumn("currency", "currency", "currency", "source_currency", "deposit_currency"),
    PaymentColumn(
        *("destination_amount", "amount", "destination_amount"),
        *("destination_amount", "payout_amount"),
        currency="destination_currency",
    ),
    PaymentColumn(
        *("destination_currency", "currency", "currency"),
        *("destination_currency", "payout_currency"),
    ),
    PaymentColumn(
        *("fee", "amount", "fee", "total_fee", "total_fee"), ("fees",), currency="fee_currency"
    ),
    PaymentColumn("fee_currency", "currency", "currency", "fee_currency", "fee_currency"),
    PaymentColumn("tax", "amount", "tax", "total_tax", "", currency="tax_currency"),
    PaymentColumn("tax_currency", "currency", "currency", "tax_currency", ""),
    PaymentColumn("net_amount", "amount", "net_amount", "net_source_amount", "", ("net",)),
    PaymentColumn(
        *("exchange_rate", "amount", "exchange_rate", "exchange_rate", "exchange_rate"),
        ("rate",),
        currency="",
    ),
    PaymentColumn("status", "word", "status", "status", "status"),
    PaymentColumn("payout_method", "word", "payout_method", "payout_method", ""),
    PaymentColumn(
        *("date", "time", "date", "created_at", "created_at"), ("created", "booking_date")
    ),
    PaymentColumn("updated_at", "time", "date", "updated_at", "updated_at", ("updated",)),
)
"""The compared columns; an amount comes before the others of its currency."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "transfer_id", "conversion_id", "payment_id"),
    "reference": ("client_reference_id", "reference", "client_reference"),
}
"""The columns that identify a payment; books need one of them."""

NAMES: Mapping[str, tuple[str, ...]] = {
    **KEYS,
    **{column.meaning: column.names for column in COLUMNS},
}
"""The usual names of every meaning."""


def name_columns(names: Sequence[Any], columns: Mapping[str, str] | None) -> dict[str, Any]:
    """Your column of each meaning; RuleError for a name that is none, or if no key is there.

    `columns` has your names by meaning or by field of the service. Others are found by their
    usual names, without regard to case and blanks.
    """
    words = {str(name).strip().casefold(): name for name in reversed(names)}
    given_columns = {_meaning(str(meaning)): name for meaning, name in (columns or {}).items()}
    for name in given_columns.values():
        if name not in names:
            column_names = ", ".join(map(str, names))
            raise _invalid(f"columns= has {str(name)!r:.60}: your columns are {column_names:.300}")
    columns_by_meaning: dict[str, Any] = {}
    for meaning, usual in NAMES.items():
        if meaning in given_columns:
            columns_by_meaning[meaning] = given_columns[meaning]
            continue
        usual_name = next((words[word] for word in usual if word in words), None)
        if usual_name is not None and usual_name not in given_columns.values():
            columns_by_meaning[meaning] = usual_name
    if not columns_by_meaning.keys() & KEYS.keys():
        raise _invalid("needs a column id or client_reference_id; or name yours with columns=")
    return columns_by_meaning


def _meaning(word: str) -> str:
    """The meaning of a key of `columns`; RuleError names the nearest."""
    name = word.strip().casefold()
    meaning = next((meaning for meaning, usual in NAMES.items() if name in (meaning, *usual)), None)
    if meaning is None:
        similar = nearest_name(name, NAMES)
        hint = f"nearest: {similar}; " if similar else ""
        raise _invalid(f"columns= has {word!r:.60}: {hint}the meanings are {', '.join(NAMES)}")
    return meaning


def _invalid(message: str) -> RuleError:
    return RuleError([Problem("books", message, "reconcile")])
