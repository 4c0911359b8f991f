"""Pairs of a payment and a row of another side: their amounts, currencies and differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from .column_comparison import COMPARE, ColumnPair, ComparedColumn, find_blank_cells
from .equality_rules import Rules
from .payment_columns import PAYMENT_COLUMNS, PaymentColumn
from .payment_keys import Indexes
from .payment_problems import PaymentProblem, subtract, write_digits
from .sides import BOOKS, Family, Payments, Rows


class PaymentPairs:
    """The payments of the service beside the rows of one other side.

    A payment is given by its index among all payments, a row by its index among the rows.
    """

    def __init__(self, payments: Payments, rows: Rows, rules: Rules) -> None:
        """`rules` say which values are equal."""
        self.payments = payments
        self.rows = rows
        self.rules = rules
        self.blank_counts: Counter[str] = Counter()
        """The number of blank cells by column, of payments that have a value in it."""

    def row_amount(self, row_index: int) -> Decimal | None:
        """Return the amount of a row; None if it has none."""
        amount_column = self.rows.values.get("amount")
        amount = None if amount_column is None else amount_column[row_index]
        return amount if isinstance(amount, Decimal) else None

    def payment_amount(self, payment_index: int, meaning: str = "amount") -> Decimal | None:
        """Return an amount of a payment; None if it has none."""
        payment_family = self.payments.family_of(payment_index)
        amount_column = payment_family.values(meaning, self.rules.zone)
        amount = (
            None if amount_column is None else amount_column[payment_index - payment_family.start]
        )
        return amount if isinstance(amount, Decimal) else None

    def currency(self, payment_index: int, meaning: str = "currency") -> str | None:
        """Return the currency of a payment's amount, or else its source currency."""
        payment_family = self.payments.family_of(payment_index)
        for currency_meaning in (meaning, "currency"):
            currency_words = payment_family.values(currency_meaning, self.rules.zone)
            if currency_words is None:
                continue
            currency = currency_words.text(payment_index - payment_family.start)
            if currency:
                return str(currency).upper()
        return None

    def row_number(self, row_index: int) -> int | None:
        """Return the number of a row in messages, counted from 1; None for events."""
        return row_index + 1 if self.rows.side == BOOKS else None

    def problem(  # noqa: PLR0913 - the facts of a problem
        self,
        kind: str,
        payment_index: int,
        row_index: int | None = None,
        *,
        column: str = "amount",
        service_value: str | None = None,
        other_value: str | None = None,
        difference: Decimal | None = None,
        time_difference: timedelta | None = None,
        side: str = "",
        currency: str | None = None,
    ) -> PaymentProblem:
        """Make a problem of a payment and perhaps a row, given by their indexes.

        `side` is the side of the problem, by default the other side. `currency` is by default the
        currency of the payment.
        """
        return PaymentProblem(
            kind=kind,
            side=side or self.rows.side,
            key=self._find_shown_key(payment_index, row_index),
            id=self.payments.ids[payment_index].as_py(),
            family=self.payments.family_of(payment_index).name,
            column=column,
            currency=currency or self.currency(payment_index),
            service_value=service_value,
            other_value=other_value,
            difference=difference,
            time_difference=time_difference,
            row=None if row_index is None else self.row_number(row_index),
            payment=payment_index,
        )

    def _find_shown_key(self, payment_index: int, row_index: int | None) -> str:
        """Return the id or reference by which people of this side know the payment.

        It is written as in its row. Without a row it is the payment's id; for books without ids,
        its reference.
        """
        if row_index is not None:
            return self.rows.key(row_index)
        payment_id: str | None = self.payments.ids[payment_index].as_py()
        reference: str | None = self.payments.references[payment_index].as_py()
        rows_have_ids = self.rows.ids.null_count < len(self.rows)
        uses_reference = self.rows.side == BOOKS and not rows_have_ids
        if uses_reference and reference:
            return reference
        return payment_id or ""

    def problem_without_row(self, kind: str, payment_index: int, side: str = "") -> PaymentProblem:
        """Make the problem that a payment has no row; the difference is its whole amount."""
        amount = self.payment_amount(payment_index)
        return self.problem(
            kind,
            payment_index,
            service_value=write_digits(amount),
            difference=None if amount is None else subtract(Decimal(0), amount),
            side=side,
        )

    def compare(
        self,
        payment_indexes: Indexes,
        row_indexes: Indexes,
        columns: Mapping[str, Any],
        value_indexes: Indexes | None = None,
    ) -> Iterator[PaymentProblem]:
        """Yield the differences of pairs. A pair has a payment and a row at equal positions.

        `columns` are the columns of the other side by meaning. `value_indexes` say where each pair
        has its values: by default at its row.
        """
        if value_indexes is None:
            value_indexes = row_indexes
        for payment_family in self.payments.families:
            family_indexes = payment_family.indexes
            family_mask = (payment_indexes >= family_indexes.start) & (
                payment_indexes < family_indexes.stop
            )
            if not family_mask.any():
                continue
            for column_description in PAYMENT_COLUMNS:
                other_column = columns.get(column_description.meaning)
                if other_column is not None:
                    yield from self._compare_column(
                        payment_family,
                        column_description,
                        payment_indexes=payment_indexes[family_mask],
                        row_indexes=row_indexes[family_mask],
                        other_column=other_column.take(value_indexes[family_mask]),
                    )

    def _compare_column(
        self,
        family: Family,
        column_description: PaymentColumn,
        payment_indexes: Indexes,
        row_indexes: Indexes,
        other_column: ComparedColumn,
    ) -> Iterator[PaymentProblem]:
        """Yield the differences in one column of pairs whose payments are of one family.

        `other_column` has the values of the other side, one for each pair.
        """
        service_column = family.values(column_description.meaning, self.rules.zone)
        if service_column is None:
            return

        def currency_of_pair(pair_index: int) -> str | None:
            """The currency of the amount in this column of a pair."""
            return self.currency(int(payment_indexes[pair_index]), column_description.currency)

        column_pair = ColumnPair(column_description, self.rules, currency_of_pair)
        service_values = service_column.take(payment_indexes - family.start)
        blank_mask = find_blank_cells(other_column) & ~find_blank_cells(service_values)
        self.blank_counts[column_description.meaning] += int(blank_mask.sum())
        for pair_index, column_difference in COMPARE[column_description.kind](
            column_pair, service_values, other_column
        ):
            yield self.problem(
                column_difference.kind,
                int(payment_indexes[pair_index]),
                int(row_indexes[pair_index]),
                column=column_description.meaning,
                service_value=column_difference.service,
                other_value=column_difference.other,
                difference=column_difference.amount,
                time_difference=column_difference.time,
                currency=column_difference.currency,
            )
