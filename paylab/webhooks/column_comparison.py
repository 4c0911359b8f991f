"""Compare one column of payments with the same column of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from ..errors.extras import extra_imports
from .equality_rules import Rules
from .payment_columns import PaymentColumn
from .payment_problems import subtract, write_digits
from .payment_times import TimeColumn, as_timedelta, round_times_down, time_text
from .payment_values import WordColumn

with extra_imports():
    import numpy as np
    from numpy.typing import NDArray

    from ..frames import decimals
    from ..frames.decimal_array import DecimalArray

QUARTER_HOUR = np.timedelta64(15, "m")
ZONE_OFFSET_MAX = np.timedelta64(14, "h")
NO_WORD = -1


ComparedColumn: TypeAlias = "DecimalArray | WordColumn | TimeColumn"


class ColumnDifference(NamedTuple):
    """The difference in one column of a pair: the kind of problem, both values as text.

    `amount` and `time` are the other side minus the service.
    """

    kind: str
    service: str | None
    other: str | None
    amount: Decimal | None = None
    time: timedelta | None = None
    currency: str | None = None


class ColumnPair(NamedTuple):
    """One column of payments and of their rows, with what its comparison needs.

    `currency_of` returns the currency of the payment at a position, or None.
    """

    column: PaymentColumn
    rules: Rules
    currency_of: Callable[[int], str | None]


Differences = Iterator[tuple[int, ColumnDifference]]
"""The differences of pairs, each with the position of its pair."""


def find_blank_cells(column: ComparedColumn) -> NDArray[np.bool_]:
    """Return which cells of a column are blank."""
    blank_mask: NDArray[np.bool_]
    if isinstance(column, DecimalArray):
        blank_mask = column.isna()
    elif isinstance(column, WordColumn):
        blank_mask = column.word_indexes == NO_WORD
    else:
        blank_mask = np.isnat(column.values)
    return blank_mask


def compare_amounts(pair: ColumnPair, service: DecimalArray, other: DecimalArray) -> Differences:
    """Yield the amounts that differ by more than the tolerance; a blank row is not compared."""
    # Only cells that differ at all are looked at one by one: this is fast for equal columns.
    unequal_mask = np.asarray(service != other) & ~other.isna()
    for pair_index in np.flatnonzero(unequal_mask).tolist():
        currency = pair.currency_of(pair_index) if pair.column.currency else None
        tolerance = pair.rules.tolerance_of(currency) if currency else Decimal(0)
        service_value = service[pair_index]
        has_amount = isinstance(service_value, Decimal)
        # A missing amount counts as 0.
        service_amount = service_value if has_amount else Decimal(0)
        other_amount = other[pair_index]
        difference = subtract(other_amount, service_amount)
        if difference.copy_abs() <= tolerance:
            continue
        # The sum is near zero if one amount is the other with a minus.
        distance_of_negated = decimals.UNLIMITED.add(other_amount, service_amount).copy_abs()
        is_negated = distance_of_negated <= tolerance
        yield (
            pair_index,
            ColumnDifference(
                kind="sign" if is_negated else pair.column.problem,
                service=write_digits(service_amount) if has_amount else None,
                other=write_digits(other_amount),
                amount=difference,
                currency=currency,
            ),
        )


def compare_words(pair: ColumnPair, service: WordColumn, other: WordColumn) -> Differences:
    """Yield the words that differ, without regard to case; a blank row is not compared."""
    status_map = pair.rules.status_map if pair.column.meaning == "status" else {}
    number_by_word: dict[str, int] = {}
    service_numbers = _number_words(service, {}, number_by_word)
    other_numbers = _number_words(other, status_map, number_by_word)
    unequal_mask = (service_numbers != other_numbers) & (other_numbers != NO_WORD)
    for pair_index in np.flatnonzero(unequal_mask).tolist():
        problem_kind = pair.column.problem
        service_text = service.text(pair_index)
        yield pair_index, ColumnDifference(problem_kind, service_text, other.text(pair_index))


def compare_times(pair: ColumnPair, service: TimeColumn, other: TimeColumn) -> Differences:
    """Yield the times that differ by more than the window, in the unit of the books.

    A blank row is not compared. Times that differ by the offset of a time zone are a problem of
    the kind "time_zone".
    """
    service_times = round_times_down(service.values, other.unit)
    other_times = other.values
    time_differences = other_times - service_times
    outside_window_mask = np.abs(time_differences) > np.timedelta64(pair.rules.window)
    # If the other time is there but the difference is not, the service has no time.
    lacking_mask = np.isnat(time_differences)
    reported_mask = ~np.isnat(other_times) & (lacking_mask | outside_window_mask)
    zone_offset_mask = _mask_zone_offsets(time_differences, other.unit)
    for pair_index in np.flatnonzero(reported_mask).tolist():
        service_text = None
        time_difference = None
        if not np.isnat(service_times[pair_index]):
            service_text = time_text(service_times[pair_index], other.unit)
            time_difference = as_timedelta(time_differences[pair_index])
        yield (
            pair_index,
            ColumnDifference(
                kind="time_zone" if zone_offset_mask[pair_index] else pair.column.problem,
                service=service_text,
                other=time_text(other_times[pair_index], other.unit),
                time=time_difference,
            ),
        )


def _mask_zone_offsets(time_differences: NDArray[np.timedelta64], unit: str) -> NDArray[np.bool_]:
    """Return a mask of the differences that can be the offset of a time zone.

    Those are whole quarters of an hour, up to 14 hours; none between dates without a time of day.
    """
    if unit == "D":
        return np.zeros(len(time_differences), dtype=bool)
    small_mask = np.abs(time_differences) <= ZONE_OFFSET_MAX
    whole_quarter_mask = time_differences % QUARTER_HOUR == np.timedelta64(0)
    offset_mask: NDArray[np.bool_] = small_mask & whole_quarter_mask
    return offset_mask


def _number_words(
    word_column: WordColumn, status_map: Mapping[str, str], number_by_word: dict[str, int]
) -> NDArray[np.int64]:
    """Return the number of the word in each row, or NO_WORD for a blank row.

    Equal words have equal numbers in both columns: `number_by_word` is shared, and new words are
    added to it. `status_map` replaces words of the books by statuses of the service.
    """
    numbers_of_texts = []
    for written_word in word_column.texts:
        folded_word = written_word.strip().casefold()
        folded_word = status_map.get(folded_word, folded_word)
        numbers_of_texts.append(number_by_word.setdefault(folded_word, len(number_by_word)))
    # The index of a blank row is -1, which takes the last item.
    return np.array([*numbers_of_texts, NO_WORD])[word_column.word_indexes]


COMPARE: Mapping[str, Callable[..., Differences]] = {
    "amount": compare_amounts,
    "currency": compare_words,
    "word": compare_words,
    "time": compare_times,
}
