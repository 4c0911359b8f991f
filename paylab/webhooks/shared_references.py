"""Payments that share a reference: each row gets a payment of its own."""

from __future__ import annotations

from decimal import Decimal

from ..errors.extras import extra_imports
from .payment_keys import NO_PAYMENT, Matches, repeated_references
from .payment_pairs import PaymentPairs
from .payment_problems import PaymentProblem, subtract, sum_text, total, write_digits
from .sides import SERVICE

with extra_imports():
    import numpy as np

COMPARED_ALREADY = NO_PAYMENT - 1
"""The payment of a row that is matched, and whose problem is already made."""


class SharedReferences:
    """Assigns rows to payments that share a reference.

    It changes `matches`. `problems` holds the problems of these payments, and `payments` their
    indexes: none of them is missing on the other side.
    """

    def __init__(self, pairs: PaymentPairs, matches: Matches) -> None:
        """Assign the rows of each reference that several payments have."""
        self.problems: list[PaymentProblem] = []
        self.payments: set[int] = set()
        self._pairs = pairs
        self._matches = matches
        without_by_with_rows = repeated_references(matches, pairs.payments.references)
        for payment_index, unmatched_payment_indexes in without_by_with_rows.items():
            self._assign_group([payment_index, *unmatched_payment_indexes])

    def _assign_group(self, payments: list[int]) -> None:
        """Assign the rows of one reference to the payments that have it, given by their indexes.

        So far the first of the payments has all of these rows.
        """
        first_payment_mask = self._matches.payment_index_of_row == payments[0]
        row_mask = first_payment_mask & self._matches.by_reference_mask
        row_indexes = np.flatnonzero(row_mask).tolist()
        self.payments.update(payments)
        if len(row_indexes) == 1 and self._is_sum_of_payments(row_indexes[0], payments):
            self._matches.payment_index_of_row[row_indexes[0]] = COMPARED_ALREADY
            self.problems.append(self._make_split_problem(row_indexes[0], payments))
            return
        for payment_index in self._assign_rows(row_indexes, payments):
            self.problems.append(
                self._pairs.problem_without_row("duplicate", payment_index, SERVICE)
            )

    def _is_sum_of_payments(self, row_index: int, payments: list[int]) -> bool:
        """Return whether a row has the sum of all payments, and the amount of none of them."""
        row_amount = self._pairs.row_amount(row_index)
        amounts = self._list_payment_amounts(payments)
        is_amount_missing = len(amounts) < len(payments)
        if row_amount is None or is_amount_missing:
            return False
        currency = self._pairs.currency(payments[0])
        rules = self._pairs.rules
        if any(rules.agree(amount, row_amount, currency) for amount in amounts):
            return False
        return rules.agree(total(amounts), row_amount, currency)

    def _make_split_problem(self, row_index: int, payments: list[int]) -> PaymentProblem:
        """Make the problem that one row stands for several payments."""
        amounts = self._list_payment_amounts(payments)
        row_amount = self._pairs.row_amount(row_index) or Decimal(0)
        return self._pairs.problem(
            "split",
            payments[0],
            row_index,
            service_value=sum_text(amounts),
            other_value=write_digits(row_amount),
            difference=subtract(row_amount, total(amounts)),
            side=SERVICE,
        )

    def _list_payment_amounts(self, payments: list[int]) -> list[Decimal]:
        """Return the amounts of the payments with these indexes; those without one are left out."""
        amounts = [self._pairs.payment_amount(payment_index) for payment_index in payments]
        return [amount for amount in amounts if amount is not None]

    def _assign_rows(self, row_indexes: list[int], payments: list[int]) -> list[int]:
        """Give each row the payment with its amount, or else the first that is free.

        Return the payments that stay without a row.
        """
        free_payment_indexes = list(payments)
        amount_by_payment = {
            payment_index: self._pairs.payment_amount(payment_index) for payment_index in payments
        }
        unassigned_row_indexes = []
        for row_index in row_indexes:
            row_amount = self._pairs.row_amount(row_index)
            equal_payment_indexes = [
                payment_index
                for payment_index in free_payment_indexes
                if amount_by_payment[payment_index] == row_amount
            ]
            if not equal_payment_indexes:
                unassigned_row_indexes.append(row_index)
                continue
            self._matches.payment_index_of_row[row_index] = equal_payment_indexes[0]
            free_payment_indexes.remove(equal_payment_indexes[0])
        for row_index in unassigned_row_indexes[: len(free_payment_indexes)]:
            self._matches.payment_index_of_row[row_index] = free_payment_indexes.pop(0)
        return free_payment_indexes
