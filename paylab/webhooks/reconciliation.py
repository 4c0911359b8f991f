"""Compare the payments of the service with rows of books or events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from ..errors.text import plain
from ..frames.times import read_time_zone
from ..spec.time_arguments import read_time_argument
from .books import read_books
from .compared_period import ComparedPeriod
from .compared_sides import BookSource, Side, make_book_side, make_event_side
from .equality_rules import Period, Rules, Tolerance, argument_error, read_rules
from .event_file import EventHistory
from .payment_columns import PAYMENT_COLUMNS
from .payment_keys import NO_PAYMENT, match_rows
from .payment_pairs import PaymentPairs
from .payment_problems import PaymentProblem, name_swapped, write_digits, zone_notes
from .payment_values import word_column
from .repeated_rows import compare_repeated_rows
from .report import Reconciliation
from .shared_references import SharedReferences
from .sides import BOOKS, Family, Payments, Rows

with extra_imports():
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

UTC = ZoneInfo("UTC")
_COLUMN_ORDER = {column.meaning: number for number, column in enumerate(PAYMENT_COLUMNS)}


def reconcile(  # noqa: PLR0913 - each has a default
    lists: Mapping[str, pd.DataFrame],
    books: BookSource | None = None,
    events: EventHistory | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    status_map: Mapping[str, str] | None = None,
    tolerance: Tolerance | None = None,
    window: timedelta | str | None = None,
    tz: str = "UTC",
    since: Any = None,
    until: Any = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    date_format: str | None = None,
    sheet: str | None = None,
    database: Any = None,
    place: str = "",
) -> Reconciliation:
    """Compare frames of transfers and conversions with your books, with events, or with both.

    `place` names the service; the others are explained at `lab.reconcile`.
    """
    if books is None and events is None:
        message = "there is nothing to compare with: give your books, or events=inbox"
        raise argument_error("books", message)
    if decimal not in (None, ".", ","):
        raise argument_error("decimal", f"is {decimal!r:.40}: it must be . or ,")
    payments = Payments(lists)
    zone = read_time_zone(tz)
    rules = read_rules(payments.statuses(zone), zone, status_map, tolerance, window)
    sides: list[Side] = []
    if books is not None:
        file_books = read_books(books, delimiter=delimiter, sheet=sheet, database=database)
        begin_time = read_time_argument(since, "since", zone)
        end_time = read_time_argument(until, "until", zone)
        period = Period(begin_time, end_time, zone)
        sides.append(make_book_side(file_books, columns, zone, decimal, date_format, period))
    if events is not None:
        sides.append(make_event_side(events))
    return _compare_sides(payments, sides, rules, place)


def _compare_sides(
    payments: Payments, sides: Sequence[Side], rules: Rules, place: str
) -> Reconciliation:
    """The problems, notes and figures of all sides."""
    comparisons = [Comparison(payments, side.rows, rules) for side in sides]
    compared_period = _find_compared_period(payments, sides, comparisons)
    payment_problems: list[PaymentProblem] = []
    for comparison, side in zip(comparisons, sides, strict=True):
        payment_problems += comparison.find_problems(side.period)
        compared_period.add_rows(side.rows.side, comparison.payment_index_of_row)
    note_texts = [note_text for side in sides for note_text in side.notes]
    note_texts += compared_period.notes + zone_notes(payment_problems)
    # The tolerance "" is for all currencies.
    unused_currencies = sorted(rules.tolerance.keys() - payments.currencies(rules.zone) - {""})
    note_texts += [
        f"tolerance= has {plain(currency)}: no payment has it" for currency in unused_currencies
    ]
    rows_of_sides = [comparison.complete_currencies() for comparison in comparisons]
    blank_counts: Counter[str] = Counter()
    for comparison in comparisons:
        blank_counts.update(comparison.count_blanks())
    if any(side.rows.side == BOOKS and side.rows.has_both_keys for side in sides):
        note_texts.append("references of rows with an id are not compared")
    note_texts += [
        f"blank cells of {plain(column_name, 60)} that are not compared: {blank_count}"
        for column_name, blank_count in blank_counts.items()
    ]
    return Reconciliation(
        payments,
        rows_of_sides,
        payment_problems,
        rules,
        compared_period,
        notes=note_texts,
        place=place,
        blank_count=blank_counts.total(),
    )


def _find_compared_period(
    payments: Payments, sides: Sequence[Side], comparisons: Sequence[Comparison]
) -> ComparedPeriod:
    """What the figures count: the period of the books, or all payments if there are no books."""
    for comparison, side in zip(comparisons, sides, strict=True):
        if side.rows.side == BOOKS and side.period is not None:
            return comparison.compared_period(side.period, only_books=len(sides) == 1)
    return ComparedPeriod(payments.count)


class Comparison:
    """The payments of the service beside the rows of one other side, matched by their keys."""

    def __init__(self, payments: Payments, rows: Rows, rules: Rules) -> None:
        """Match the rows with the payments."""
        matches = match_rows(rows.ids, rows.references, payments.ids, payments.references)
        self._payments = payments
        self._rows = rows
        self._rules = rules
        self._pairs = PaymentPairs(payments, rows, rules)
        self._shared_references = SharedReferences(self._pairs, matches)
        self.payment_index_of_row = matches.payment_index_of_row
        matched_payment_indexes = self.payment_index_of_row[self.payment_index_of_row >= 0]
        self._row_counts = np.bincount(matched_payment_indexes, minlength=payments.count)

    def find_problems(self, period: Period | None) -> list[PaymentProblem]:
        """Find the problems, in the order of the payments; rows without one come last.

        The side should have every payment of `period`; None if it need not have any.
        """
        problems = [*self.differences(), *self.unmatched_rows()]
        if period is not None:
            problems += self.missing_payments(period)
        return sorted(name_swapped(problems), key=self._read_problem_place)

    def count_blanks(self) -> dict[str, int]:
        """Return the number of blank cells in your books by column, where the payment has a value.

        Call it after `find_problems`, which counts them. It is empty for events, which lack many
        fields.
        """
        if self._rows.side != BOOKS:
            return {}
        return {
            self._rows.name_by_meaning.get(meaning, meaning): blank_count
            for meaning, blank_count in self._pairs.blank_counts.items()
            if blank_count
        }

    def complete_currencies(self) -> Rows:
        """Return the rows, in which an amount without a currency has that of its payment."""
        amounts = self._rows.values.get("amount")
        currency_words = self._rows.values.get("currency")
        has_all = currency_words is not None and (currency_words.word_indexes >= 0).all()
        if amounts is None or has_all:
            return self._rows
        payment_currencies = [*self._payments.list_currencies(self._rules.zone), None]
        # A row without a payment has the index -1, which takes the last item.
        currencies = [payment_currencies[index] for index in self.payment_index_of_row.tolist()]
        if currency_words is not None:
            own_currencies = map(currency_words.text, range(len(currencies)))
            currencies = [
                own_currency or payment_currency
                for own_currency, payment_currency in zip(own_currencies, currencies, strict=True)
            ]
        completed_words = word_column(pd.Series(currencies, dtype="category"))
        return replace(self._rows, values={**self._rows.values, "currency": completed_words})

    def _read_problem_place(self, problem: PaymentProblem) -> tuple[int, int, int]:
        """The place of a problem: by payment, then by row, then by column."""
        column_place = _COLUMN_ORDER.get(problem.column, -1)
        if problem.payment == NO_PAYMENT:
            return self._payments.count, problem.row or 0, column_place
        return problem.payment, 0, column_place

    def compared_period(self, period: Period, *, only_books: bool) -> ComparedPeriod:
        """The payments that the report counts: those of a period.

        With `only_books`, a list that the books have no row of is left out; otherwise it is
        compared with events, and counts. OptionError if no row of the books can be compared, but a
        payment should have one.
        """
        counted_mask = self._make_period_mask(period)
        # Payments outside the period that have a row of the books nevertheless.
        outside_count = int(np.count_nonzero(self._row_counts[~counted_mask]))
        if counted_mask.any() and not self._rows.has_keys:
            message = "have no row with an id or a reference, so nothing can be compared"
            raise argument_error("books", message)
        count_by_list: dict[str, int] = {}
        for payment_family in self._payments.families:
            family_mask = counted_mask[payment_family.indexes]
            if family_mask.any() and not self._is_expected(payment_family):
                count_by_list[payment_family.name] = int(family_mask.sum())
                if only_books:
                    family_mask[:] = False  # it is a view of `counted_mask`
        return ComparedPeriod(
            self._payments.count,
            period,
            counted_mask,
            uncompared=count_by_list,
            outside_count=outside_count,
        )

    def differences(self) -> Iterator[PaymentProblem]:
        """Yield the differences between payments and their rows."""
        yield from self._shared_references.problems
        matched_row_indexes = np.flatnonzero(self.payment_index_of_row >= 0)
        row_counts = self._row_counts[self.payment_index_of_row[matched_row_indexes]]
        single_row_indexes = matched_row_indexes[row_counts == 1]
        single_payment_indexes = self.payment_index_of_row[single_row_indexes]
        yield from self._pairs.compare(
            single_payment_indexes, single_row_indexes, self._rows.values
        )
        rows_by_payment: dict[int, list[int]] = {}
        for row_index in matched_row_indexes[row_counts > 1].tolist():
            payment_index = int(self.payment_index_of_row[row_index])
            rows_by_payment.setdefault(payment_index, []).append(row_index)
        yield from compare_repeated_rows(self._pairs, rows_by_payment)

    def unmatched_rows(self) -> Iterator[PaymentProblem]:
        """Yield a problem for each row that has no payment in the service."""
        currency_words = self._rows.values.get("currency")
        for row_index in np.flatnonzero(self.payment_index_of_row == NO_PAYMENT).tolist():
            amount = self._pairs.row_amount(row_index)
            currency = None if currency_words is None else currency_words.text(row_index)
            yield PaymentProblem(
                kind="missing_in_service",
                side=self._rows.side,
                key=self._rows.key(row_index),
                id=None,
                family=self._rows.families[row_index] if self._rows.families else None,
                column="" if amount is None else "amount",
                currency=None if currency is None else currency.upper(),
                service_value=None,
                other_value=write_digits(amount),
                difference=amount,
                row=self._pairs.row_number(row_index),
            )

    def missing_payments(self, period: Period) -> Iterator[PaymentProblem]:
        """Yield a problem for each payment of the period that has no row.

        If books have rows of one list only, payments of the other list are not missing: it is not
        compared with them.
        """
        missing_mask = (self._row_counts == 0) & self._make_period_mask(period)
        expected_family_names = [
            payment_family.name
            for payment_family in self._payments.families
            if self._is_expected(payment_family)
        ]
        for payment_index in np.flatnonzero(missing_mask).tolist():
            payment_family = self._payments.family_of(payment_index)
            shares_row = payment_index in self._shared_references.payments
            if payment_family.name not in expected_family_names or shares_row:
                continue
            yield self._pairs.problem_without_row(f"missing_in_{self._rows.side}", payment_index)

    def _make_period_mask(self, period: Period) -> NDArray[np.bool_]:
        """Return for each payment whether it was created in the period.

        A payment without a time counts as in the period.
        """
        inside_mask = np.ones(self._payments.count, dtype=bool)
        if period.is_everything:
            return inside_mask
        creation_times = self._payments.created()
        # A missing time (NaT) is neither before nor after any time: it is kept by the negation.
        if period.since is not None:
            is_before = creation_times < _convert_to_numpy_utc(period.since)
            inside_mask &= ~is_before
        if period.until is not None:
            is_after = creation_times >= _convert_to_numpy_utc(period.until)
            inside_mask &= ~is_after
        return inside_mask

    def _is_expected(self, family: Family) -> bool:
        """Return whether the other side should have the payments of a family."""
        if self._rows.side != BOOKS or not self._row_counts.any():
            return True
        return bool(self._row_counts[family.indexes].any())


def _convert_to_numpy_utc(instant: datetime) -> np.datetime64:
    """Return a time as a numpy time in UTC, which has no zone."""
    return np.datetime64(instant.astimezone(UTC).replace(tzinfo=None), "us")
