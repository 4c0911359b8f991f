"""Compare one column of payments with the same column of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from ..errors.extras import explained
from .payment_columns import PaymentColumn
from .payment_keys import NO_PLACE
from .payment_problems import Rules, digits_of, subtract
from .payment_values import TimeColumn, WordColumn, as_timedelta, time_text, whole_times

with explained():
    import numpy as np

    from ..frames import decimals
    from ..frames.decimal_array import DecimalArray

QUARTER = np.timedelta64(15, "m")
WIDEST_ZONE = np.timedelta64(14, "h")


class Facts(NamedTuple):
    """What differs in one column of a pair."""

    kind: str
    service: str | None
    other: str | None
    difference: Decimal | None = None
    time_difference: timedelta | None = None
    currency: str | None = None


class ColumnPair(NamedTuple):
    """A column, what counts as equal, and the currency of the amount of a pair."""

    column: PaymentColumn
    rules: Rules
    currency: Callable[[int], str | None]


def compare_amounts(
    compared: ColumnPair, service: DecimalArray, other: DecimalArray
) -> Iterator[tuple[int, Facts]]:
    """The amounts that differ by more than the tolerance; a blank row has none."""
    unequal = np.asarray(service != other) & ~other.isna()
    for at in np.flatnonzero(unequal).tolist():
        service_value = service[at]
        other_value = other[at]
        service_amount = service_value if isinstance(service_value, Decimal) else Decimal(0)
        currency = compared.currency(at) if compared.column.currency else None
        tolerated = compared.rules.tolerated(currency) if currency else Decimal(0)
        difference = subtract(other_value, service_amount)
        if abs(difference) <= tolerated:
            continue
        is_negated = abs(decimals.UNLIMITED.add(other_value, service_amount)) <= tolerated
        kind = "sign" if is_negated else compared.column.problem
        service_text = digits_of(service_value) if isinstance(service_value, Decimal) else None
        yield at, Facts(kind, service_text, digits_of(other_value), difference, currency=currency)


def compare_words(
    compared: ColumnPair, service: WordColumn, other: WordColumn
) -> Iterator[tuple[int, Facts]]:
    """The words that differ, without regard to case; a blank row has none."""
    renamed = compared.rules.status_map if compared.column.meaning == "status" else {}
    numbers: dict[str, int] = {}
    service_codes = _numbered(service, {}, numbers)
    other_codes = _numbered(other, renamed, numbers)
    for at in np.flatnonzero((service_codes != other_codes) & (other_codes >= 0)).tolist():
        yield at, Facts(compared.column.problem, service.text(at), other.text(at))


def compare_times(
    compared: ColumnPair, service: TimeColumn, other: TimeColumn
) -> Iterator[tuple[int, Facts]]:
    """The times that differ by more than the window, in the unit of the books."""
    service_times = whole_times(service.values, other.unit)
    other_times = other.values
    difference = other_times - service_times
    is_known = ~np.isnat(other_times)
    is_far = np.isnat(difference) | (np.abs(difference) > np.timedelta64(compared.rules.window))
    is_zone = (
        (other.unit != "D")
        & (np.abs(difference) <= WIDEST_ZONE)
        & (difference % QUARTER == np.timedelta64(0))
    )
    for at in np.flatnonzero(is_known & is_far).tolist():
        is_missing = np.isnat(service_times[at])
        yield (
            at,
            Facts(
                "time_zone" if is_zone[at] else compared.column.problem,
                None if is_missing else time_text(service_times[at], other.unit),
                time_text(other_times[at], other.unit),
                time_difference=None if is_missing else as_timedelta(difference[at]),
            ),
        )


def _numbered(words: WordColumn, renamed: Mapping[str, str], numbers: dict[str, int]) -> Any:
    """The words as numbers that two columns share; -1 for none."""
    codes = []
    for text in words.texts:
        word = text.strip().casefold()
        codes.append(numbers.setdefault(renamed.get(word, word), len(numbers)))
    return np.array([*codes, NO_PLACE])[words.codes]


COMPARE: Mapping[str, Callable[..., Iterator[tuple[int, Facts]]]] = {
    "amount": compare_amounts,
    "currency": compare_words,
    "word": compare_words,
    "time": compare_times,
}
