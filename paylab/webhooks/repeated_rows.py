"""Payments with several rows: split payments, whose rows are added up, and duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ..errors.extras import extra_imports
from ..frames import decimals
from ..frames.decimal_array import DecimalArray
from .payment_columns import PAYMENT_COLUMNS
from .payment_keys import Indexes
from .payment_pairs import PaymentPairs
from .payment_problems import PaymentProblem, subtract, sum_text, total, write_digits

with extra_imports():
    import numpy as np


def compare_repeated_rows(
    pairs: PaymentPairs, rows_by_payment: Mapping[int, list[int]]
) -> Iterator[PaymentProblem]:
    """Yield the problems of payments that have several rows each."""
    nearest_row_by_payment: dict[int, int] = {}
    rows_by_split_payment: dict[int, list[int]] = {}
    for payment_index, row_indexes in rows_by_payment.items():
        nearest_row_index = _find_nearest_row(pairs, payment_index, row_indexes)
        if _is_split(pairs, payment_index, row_indexes, nearest_row_index):
            rows_by_split_payment[payment_index] = row_indexes
            yield _make_split_problem(pairs, payment_index, row_indexes)
        else:
            nearest_row_by_payment[payment_index] = nearest_row_index
            yield _make_duplicate_problem(pairs, payment_index, row_indexes, nearest_row_index)
    nearest_row_indexes = _make_index_array(nearest_row_by_payment.values())
    yield from pairs.compare(
        _make_index_array(nearest_row_by_payment), nearest_row_indexes, pairs.rows.values
    )
    yield from _compare_split_payments(pairs, rows_by_split_payment)


def _find_row_amounts(pairs: PaymentPairs, row_indexes: list[int]) -> dict[int, Decimal]:
    """Return the amounts of the rows that have one, by row."""
    amount_by_row = {}
    for row_index in row_indexes:
        amount = pairs.row_amount(row_index)
        if amount is not None:
            amount_by_row[row_index] = amount
    return amount_by_row


def _find_nearest_row(pairs: PaymentPairs, payment_index: int, row_indexes: list[int]) -> int:
    """Return the row whose amount is nearest to the payment's; the first without amounts."""
    payment_amount = pairs.payment_amount(payment_index)
    if payment_amount is None:
        return row_indexes[0]
    distance_by_row = {
        row_index: subtract(amount, payment_amount).copy_abs()
        for row_index, amount in _find_row_amounts(pairs, row_indexes).items()
    }
    return min(
        distance_by_row, key=lambda row_index: distance_by_row[row_index], default=row_indexes[0]
    )


def _is_split(
    pairs: PaymentPairs, payment_index: int, row_indexes: list[int], nearest_row_index: int
) -> bool:
    """Return whether the sum of the rows is nearer to the payment's amount than any row is."""
    payment_amount = pairs.payment_amount(payment_index)
    amount_by_row = _find_row_amounts(pairs, row_indexes)
    if payment_amount is None or not amount_by_row:
        return False
    sum_distance = subtract(total(amount_by_row.values()), payment_amount).copy_abs()
    return sum_distance < subtract(amount_by_row[nearest_row_index], payment_amount).copy_abs()


def _make_split_problem(
    pairs: PaymentPairs, payment_index: int, row_indexes: list[int]
) -> PaymentProblem:
    """Make the problem that several rows stand for one payment."""
    return pairs.problem(
        "split",
        payment_index,
        row_indexes[0],
        service_value=write_digits(pairs.payment_amount(payment_index)),
        other_value=sum_text(_find_row_amounts(pairs, row_indexes).values()),
        difference=Decimal(0),
    )


def _make_duplicate_problem(
    pairs: PaymentPairs, payment_index: int, row_indexes: list[int], nearest_row_index: int
) -> PaymentProblem:
    """Make the problem that a payment has other rows beside the nearest one."""
    amount_by_row = _find_row_amounts(pairs, row_indexes)
    surplus_amount = None
    if nearest_row_index in amount_by_row:
        surplus_amount = subtract(total(amount_by_row.values()), amount_by_row[nearest_row_index])
    surplus_row_indexes = [row_index for row_index in row_indexes if row_index != nearest_row_index]
    rows_text = sum_text(amount_by_row.values()) if amount_by_row else f"{len(row_indexes)} rows"
    return pairs.problem(
        "duplicate",
        payment_index,
        surplus_row_indexes[0],
        service_value=write_digits(pairs.payment_amount(payment_index)),
        other_value=rows_text,
        difference=surplus_amount,
    )


def _compare_split_payments(
    pairs: PaymentPairs, rows_by_split_payment: Mapping[int, list[int]]
) -> Iterator[PaymentProblem]:
    """Yield the differences of split payments; times are not compared.

    Amounts are added up. Words and rates are compared row by row, and only the first difference of
    a payment in a column is a problem.
    """
    summed_column_by_meaning, row_column_by_meaning = _choose_columns(pairs, rows_by_split_payment)
    first_row_indexes = [row_indexes[0] for row_indexes in rows_by_split_payment.values()]
    yield from pairs.compare(
        _make_index_array(rows_by_split_payment),
        _make_index_array(first_row_indexes),
        summed_column_by_meaning,
        np.arange(len(rows_by_split_payment)),
    )
    # One item for each row: the payment is repeated beside each of its rows.
    payment_indexes: list[int] = []
    all_row_indexes: list[int] = []
    for payment_index, row_indexes in rows_by_split_payment.items():
        payment_indexes += [payment_index] * len(row_indexes)
        all_row_indexes += row_indexes
    row_problems = pairs.compare(
        _make_index_array(payment_indexes),
        _make_index_array(all_row_indexes),
        row_column_by_meaning,
    )
    yield from _keep_first_problems(row_problems)


def _choose_columns(
    pairs: PaymentPairs, rows_by_split_payment: Mapping[int, list[int]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The sums of the amounts of each payment, and the columns that are compared row by row."""
    summed_column_by_meaning: dict[str, Any] = {}
    row_column_by_meaning: dict[str, Any] = {}
    for column_description in PAYMENT_COLUMNS:
        column_values = pairs.rows.values.get(column_description.meaning)
        meaning = column_description.meaning
        is_amount = isinstance(column_values, DecimalArray) and bool(column_description.currency)
        if is_amount:
            sums = [
                _combine_amounts(pairs, meaning, payment_index, row_indexes)
                for payment_index, row_indexes in rows_by_split_payment.items()
            ]
            summed_column_by_meaning[meaning] = DecimalArray(decimals.from_numbers(sums))
        elif column_values is not None and column_description.kind != "time":
            row_column_by_meaning[meaning] = column_values
    return summed_column_by_meaning, row_column_by_meaning


def _keep_first_problems(problems: Iterable[PaymentProblem]) -> Iterator[PaymentProblem]:
    """Yield the first problem of each payment in each column."""
    reported_keys: set[tuple[int, str]] = set()
    for problem in problems:
        problem_key = problem.payment, problem.column
        if problem_key not in reported_keys:
            reported_keys.add(problem_key)
            yield problem


def _combine_amounts(
    pairs: PaymentPairs, meaning: str, payment_index: int, row_indexes: list[int]
) -> Decimal | None:
    """Return the amount that the rows of a split payment have together; None if all are blank.

    It is their sum. A fee, a tax or another amount beside the first is not added up if every row
    repeats that of the whole payment.
    """
    column_values = pairs.rows.values[meaning]
    amounts = []
    for row_index in row_indexes:
        amount = column_values[row_index]
        if isinstance(amount, Decimal):
            amounts.append(amount)
    if not amounts:
        return None
    whole_amount = pairs.payment_amount(payment_index, meaning)
    is_repeated = meaning != "amount" and set(amounts) == {whole_amount}
    return amounts[0] if is_repeated else total(amounts)


def _make_index_array(numbers: Iterable[int]) -> Indexes:
    """Return indexes of payments or rows as an array of numpy."""
    return np.fromiter(numbers, dtype=np.int64)
