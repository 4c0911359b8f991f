"""Compare the payments of the service with rows of books or events: a list of problems."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from .equality_rules import Period, Rules
from .payment_columns import COLUMNS
from .payment_keys import NO_PAYMENT, match_rows
from .payment_pairs import PaymentPairs
from .payment_problems import PaymentProblem, digits_of, name_swapped
from .repeated_rows import compare_repeated_rows
from .shared_references import SharedReferences
from .sides import BOOKS, Family, Payments, Rows

with extra_imports():
    import numpy as np
    from numpy.typing import NDArray

UTC = ZoneInfo("UTC")
_COLUMN_ORDER = {column.meaning: number for number, column in enumerate(COLUMNS)}


def find_problems(
    payments: Payments, rows: Rows, rules: Rules, period: Period | None
) -> list[PaymentProblem]:
    """Find the problems of one side, in the order of the payments; rows without one come last.

    The side should have every payment of `period`; None if it need not have any.
    """
    comparison = Comparison(payments, rows, rules)
    problems = [*comparison.differences(), *comparison.unmatched_rows()]
    if period is not None:
        problems += comparison.missing_payments(period)

    def sort_key(problem: PaymentProblem) -> tuple[int, int, int]:
        column_order = _COLUMN_ORDER.get(problem.column, -1)
        if problem.payment == NO_PAYMENT:
            return payments.count, problem.row or 0, column_order
        return problem.payment, 0, column_order

    return sorted(name_swapped(problems), key=sort_key)


class Comparison:
    """The payments of the service beside the rows of one other side, matched by their keys."""

    def __init__(self, payments: Payments, rows: Rows, rules: Rules) -> None:
        matches = match_rows(rows.ids, rows.references, payments.ids, payments.references)
        self._payments = payments
        self._rows = rows
        self._pairs = PaymentPairs(payments, rows, rules)
        self._shared_references = SharedReferences(self._pairs, matches)
        self._payment_of_row = matches.payment_indexes
        matched_payments = self._payment_of_row[self._payment_of_row >= 0]
        self._row_counts = np.bincount(matched_payments, minlength=payments.count)

    def differences(self) -> Iterator[PaymentProblem]:
        """Yield the differences between payments and their rows."""
        yield from self._shared_references.problems
        matched_rows = np.flatnonzero(self._payment_of_row >= 0)
        row_counts = self._row_counts[self._payment_of_row[matched_rows]]
        single_rows = matched_rows[row_counts == 1]
        single_payments = self._payment_of_row[single_rows]
        yield from self._pairs.compare(single_payments, single_rows, self._rows.values)
        rows_by_payment: dict[int, list[int]] = {}
        for row_index in matched_rows[row_counts > 1].tolist():
            rows_by_payment.setdefault(int(self._payment_of_row[row_index]), []).append(row_index)
        yield from compare_repeated_rows(self._pairs, rows_by_payment)

    def unmatched_rows(self) -> Iterator[PaymentProblem]:
        """Yield a problem for each row that has no payment in the service."""
        currencies = self._rows.values.get("currency")
        for row_index in np.flatnonzero(self._payment_of_row == NO_PAYMENT).tolist():
            amount = self._pairs.row_amount(row_index)
            currency = None if currencies is None else currencies.text(row_index)
            yield PaymentProblem(
                kind="missing_in_service",
                side=self._rows.side,
                key=self._rows.key(row_index),
                id=None,
                family=self._rows.families[row_index] if self._rows.families else None,
                column="" if amount is None else "amount",
                currency=None if currency is None else currency.upper(),
                service_value=None,
                other_value=digits_of(amount),
                difference=amount,
                row=self._pairs.row_number(row_index),
            )

    def missing_payments(self, period: Period) -> Iterator[PaymentProblem]:
        """Yield a problem for each payment of the period that has no row.

        If books have rows of one family only, payments of the other family are not missing.
        """
        is_missing = (self._row_counts == 0) & self._is_in(period)
        expected_families = [
            family.name for family in self._payments.families if self._is_expected(family)
        ]
        for payment_index in np.flatnonzero(is_missing).tolist():
            family = self._payments.family_of(payment_index)
            if (
                payment_index in self._shared_references.payments
                or family.name not in expected_families
            ):
                continue
            yield self._pairs.problem_without_row(f"missing_in_{self._rows.side}", payment_index)

    def _is_in(self, period: Period) -> NDArray[np.bool_]:
        """Return for each payment whether it was created in the period.

        A payment without a time counts as in the period.
        """
        is_inside = np.ones(self._payments.count, dtype=bool)
        if period.since is None and period.until is None:
            return is_inside
        creation_times = self._payments.created()
        if period.since is not None:
            is_inside &= ~(creation_times < _without_zone(period.since))
        if period.until is not None:
            is_inside &= ~(creation_times >= _without_zone(period.until))
        return is_inside

    def _is_expected(self, family: Family) -> bool:
        """Return whether the other side should have the payments of a family."""
        if self._rows.side != BOOKS or not self._row_counts.any():
            return True
        return bool(self._row_counts[family.start : family.end].any())


def _without_zone(instant: datetime) -> np.datetime64:
    """Return a time as a numpy time in UTC, which has no zone."""
    return np.datetime64(instant.astimezone(UTC).replace(tzinfo=None), "us")
