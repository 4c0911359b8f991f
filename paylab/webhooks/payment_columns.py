"""The columns that a reconciliation compares: their meaning, kind and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..errors.base import OptionError, Problem
from ..errors.suggestions import find_nearest_name

ColumnKind = Literal["amount", "currency", "word", "time"]


class PaymentColumn(NamedTuple):
    """A column of payments: its meaning, and its name in each list of the service."""

    meaning: str
    kind: ColumnKind
    problem: str
    """The kind of problem when its values differ."""
    transfer: str
    """The field of a transfer."""
    conversion: str = ""
    """The field of a conversion; empty if it has none."""
    usual_names: tuple[str, ...] = ()
    """Other usual names in books, beside the meaning and the fields."""
    currency: str = "currency"
    """The meaning of the column with the currency of an amount; empty for a rate."""

    def field(self, family: str) -> str:
        """Return the field of a family, transfer or conversion; "" if it has none."""
        return self.transfer if family == "transfer" else self.conversion

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the column in books, the most exact first."""
        known_names = (self.transfer, self.conversion, self.meaning, *self.usual_names)
        return tuple(dict.fromkeys(known_name for known_name in known_names if known_name))


PAYMENT_COLUMNS = (
    PaymentColumn("amount", "amount", "amount", "source_amount", "deposit_amount"),
    PaymentColumn("currency", "currency", "currency", "source_currency", "deposit_currency"),
    PaymentColumn(
        meaning="destination_amount",
        kind="amount",
        problem="destination_amount",
        transfer="destination_amount",
        conversion="payout_amount",
        currency="destination_currency",
    ),
    PaymentColumn(
        meaning="destination_currency",
        kind="currency",
        problem="currency",
        transfer="destination_currency",
        conversion="payout_currency",
    ),
    PaymentColumn(
        meaning="fee",
        kind="amount",
        problem="fee",
        transfer="total_fee",
        conversion="total_fee",
        usual_names=("fees",),
        currency="fee_currency",
    ),
    PaymentColumn("fee_currency", "currency", "currency", "fee_currency", "fee_currency"),
    PaymentColumn("tax", "amount", "tax", transfer="total_tax", currency="tax_currency"),
    PaymentColumn("tax_currency", "currency", "currency", transfer="tax_currency"),
    PaymentColumn(
        meaning="net_amount",
        kind="amount",
        problem="net_amount",
        transfer="net_source_amount",
        usual_names=("net",),
    ),
    PaymentColumn(
        meaning="exchange_rate",
        kind="amount",
        problem="exchange_rate",
        transfer="exchange_rate",
        conversion="exchange_rate",
        usual_names=("rate",),
        currency="",
    ),
    PaymentColumn("status", "word", "status", "status", "status"),
    PaymentColumn("payout_method", "word", "payout_method", transfer="payout_method"),
    PaymentColumn(
        meaning="date",
        kind="time",
        problem="date",
        transfer="created_at",
        conversion="created_at",
        usual_names=("created", "booking_date"),
    ),
    PaymentColumn("updated_at", "time", "date", "updated_at", "updated_at", ("updated",)),
)
"""The compared columns; an amount comes before the others of its currency."""

AMOUNT_NAMES = frozenset(
    column_name
    for column in PAYMENT_COLUMNS
    if column.kind == "amount" and column.currency
    for column_name in column.names
)
"""The usual names of amounts in books, and their meanings."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "transfer_id", "conversion_id", "payment_id"),
    "reference": ("client_reference_id", "reference", "client_reference"),
}
"""The columns that identify a payment; books need one of them."""

NAMES_BY_MEANING: Mapping[str, tuple[str, ...]] = {
    **KEYS,
    **{column.meaning: column.names for column in PAYMENT_COLUMNS},
}
"""The usual names of every meaning."""


def name_columns(names: Sequence[object], columns: Mapping[str, str] | None) -> dict[str, Any]:
    """Find your column of each meaning; OptionError for an unknown name, or without a key column.

    `columns` has your names by meaning or by field of the service. The columns of the other
    meanings are found by their usual names, without regard to case and blanks.
    """
    chosen_name_by_meaning = _read_chosen_names(names, columns or {})
    # Of columns that differ in case only, the first is taken.
    name_by_folded_name = {
        str(column_name).strip().casefold(): column_name for column_name in reversed(names)
    }
    name_by_meaning: dict[str, Any] = {}
    for meaning, usual_names in NAMES_BY_MEANING.items():
        if meaning in chosen_name_by_meaning:
            name_by_meaning[meaning] = chosen_name_by_meaning[meaning]
            continue
        matching_names = [
            name_by_folded_name[usual_name]
            for usual_name in usual_names
            if usual_name in name_by_folded_name
        ]
        # A column that you chose for one meaning does not get another by its usual name.
        if matching_names and matching_names[0] not in chosen_name_by_meaning.values():
            name_by_meaning[meaning] = matching_names[0]
    if not name_by_meaning.keys() & KEYS.keys():
        your_columns_text = ", ".join(map(str, names)) or "no columns"
        needs_text = (
            f"needs a column id, reference or client_reference_id, and has {your_columns_text:.300}"
        )
        raise _make_books_error(f"{needs_text}; or name yours with columns=")
    return name_by_meaning


def _read_chosen_names(names: Sequence[object], columns: Mapping[str, str]) -> dict[str, Any]:
    """The names that `columns` chooses, by meaning; OptionError for one that no column has."""
    _refuse_swapped(names, columns)
    chosen_name_by_meaning: dict[str, Any] = {}
    for chosen_meaning, column_name in columns.items():
        chosen_name_by_meaning[_find_meaning(str(chosen_meaning))] = column_name
    for column_name in chosen_name_by_meaning.values():
        if column_name not in names:
            your_columns_text = ", ".join(map(str, names)) or "no columns"
            message = (
                f"columns= has {str(column_name)!r:.60}: your columns are {your_columns_text:.300}"
            )
            raise _make_books_error(message)
    return chosen_name_by_meaning


def _refuse_swapped(names: Sequence[object], columns: Mapping[str, str]) -> None:
    """OptionError if `columns` names the meanings of your columns, not your columns by meaning."""
    all_meanings = {
        meaning_or_name
        for meaning in NAMES_BY_MEANING
        for meaning_or_name in (meaning, *NAMES_BY_MEANING[meaning])
    }
    for your_name, meaning in columns.items():
        is_swapped = your_name in names and str(meaning).strip().casefold() in all_meanings
        # A key that is a meaning, such as "amount", is in its place, even if a column is called so.
        if is_swapped and str(your_name).strip().casefold() not in all_meanings:
            raise _make_books_error(
                f"columns= has your name first: write columns={{{meaning!r}: {your_name!r}}}"
            )


def _find_meaning(column_word: str) -> str:
    """Return the meaning that a word names: by itself, or by a usual name of the column.

    "reference" and "client_reference_id" both name "reference". OptionError, with the nearest
    meaning, for any other word.
    """
    folded_word = column_word.strip().casefold()
    for meaning, usual_names in NAMES_BY_MEANING.items():
        if folded_word in (meaning, *usual_names):
            return meaning
    nearest_meaning = find_nearest_name(folded_word, NAMES_BY_MEANING)
    hint_text = f"nearest: {nearest_meaning}; " if nearest_meaning else ""
    meanings_text = ", ".join(NAMES_BY_MEANING)
    raise _make_books_error(
        f"columns= has {column_word!r:.60}: {hint_text}the meanings are {meanings_text}"
    )


def _make_books_error(message: str) -> OptionError:
    """Make the error for books whose columns cannot be compared."""
    return OptionError([Problem("books", message, "reconcile")])
