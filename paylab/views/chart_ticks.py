"""The ticks of an axis: whole numbers, powers of ten and days, few enough to read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from decimal import Decimal

TICKS_MAX = 6
DAYS_MIN = 7
INTERVALS = (1, 2, 5)
DAY_MILLISECONDS = 86_400_000


def whole_ticks(largest: int) -> list[int]:
    """Whole numbers from 0 to the largest one, with a step of 1, 2 or 5 and zeros.

    >>> whole_ticks(3)
    [0, 1, 2, 3]
    >>> whole_ticks(27)
    [0, 5, 10, 15, 20, 25]
    """
    return list(range(0, largest + 1, _tick_interval(largest)))


def power_ticks(smallest: Decimal, largest: Decimal) -> list[float]:
    """The powers of ten from below the smallest number to above the largest; both are positive.

    >>> power_ticks(Decimal("0.5"), Decimal(120))
    [0.1, 1.0, 10.0, 100.0, 1000.0]
    """
    return [10.0**power for power in range(smallest.adjusted(), largest.adjusted() + 2)]


def day_ticks(days: Collection[str]) -> list[int]:
    """Ticks from the first to the last of some days such as `2026-01-31`.

    They are milliseconds since 1970, in UTC; empty without days.
    """
    if not days:
        return []
    first_day_milliseconds = _milliseconds(min(days))
    day_count = (_milliseconds(max(days)) - first_day_milliseconds) // DAY_MILLISECONDS
    return [
        first_day_milliseconds + day_number * DAY_MILLISECONDS
        for day_number in range(0, day_count + 1, _tick_interval(day_count))
    ]


def day_labels(ticks: Sequence[int]) -> str:
    """A Vega expression for the label of a tick of `day_ticks`: the day and the month.

    The first tick of each year has the year on a second line.

    >>> day_labels([0, DAY_MILLISECONDS])[:40]
    'indexof([0], time(datum.value)) < 0 ? ut'
    """
    first_tick_by_year: dict[int, int] = {}
    for tick in ticks:
        first_tick_by_year.setdefault(datetime.fromtimestamp(tick / 1000, UTC).year, tick)
    day_expression = "utcFormat(datum.value, '%d %b')"
    return (
        f"indexof({[*first_tick_by_year.values()]}, time(datum.value)) < 0 ? {day_expression} : "
        f"[{day_expression}, utcFormat(datum.value, '%Y')]"
    )


def day_domain(days: Collection[str]) -> list[int]:
    """The ends of an axis of days, at least `DAYS_MIN` apart: a bar is then not too wide.

    They are milliseconds since 1970, in UTC. `days` is not empty.

    >>> [end // DAY_MILLISECONDS for end in day_domain({"1970-01-08"})]
    [4, 11]
    """
    first_day = _milliseconds(min(days)) // DAY_MILLISECONDS
    day_after_last = _milliseconds(max(days)) // DAY_MILLISECONDS + 1
    missing_days = max(DAYS_MIN - (day_after_last - first_day), 0)
    domain_start = first_day - missing_days // 2
    domain_end = day_after_last + (missing_days + 1) // 2
    return [domain_start * DAY_MILLISECONDS, domain_end * DAY_MILLISECONDS]


def _tick_interval(axis_end: int) -> int:
    """The smallest step of 1, 2, 5 and zeros with few enough ticks."""
    magnitude = 1
    while True:
        for interval in INTERVALS:
            if axis_end < interval * magnitude * TICKS_MAX:
                return interval * magnitude
        magnitude *= 10


def _milliseconds(day: str) -> int:
    """The beginning of a day such as `2026-01-31` in UTC, in milliseconds since 1970."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)
