"""Durations as text, exact or rounded, in days, hours, minutes and seconds."""

from __future__ import annotations

from decimal import Decimal

UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
"""The seconds of a unit, and its name."""


def exact_duration(seconds: Decimal) -> str:
    """Write seconds with every digit, for the cell of a table.

    A unit of which there is none is left out at the ends only: "6 h 39.8 s" reads as 6 h 39 min.

    >>> exact_duration(Decimal("21639.8"))
    '6 h 0 min 39.8 s'
    """
    rest_seconds = abs(seconds)
    unit_texts: list[str] = []
    for unit_seconds, unit_name in UNITS:
        unit_count, rest_seconds = divmod(rest_seconds, unit_seconds)
        if unit_count or (unit_texts and rest_seconds):
            unit_texts.append(f"{int(unit_count):,} {unit_name}")
    if rest_seconds or not unit_texts:
        unit_texts.append(f"{rest_seconds.normalize():f} s")
    sign = "-" if seconds < 0 else ""
    return sign + " ".join(unit_texts)


def short_duration(seconds: float) -> str:
    """Write seconds for a chart, rounded to the second largest unit.

    Below a minute they have three digits.

    >>> short_duration(10121.6)
    '2 h 49 min'
    """
    for (unit_seconds, _), step_seconds in zip(UNITS, (3_600, 60, 1), strict=True):
        if seconds >= unit_seconds:
            return exact_duration(Decimal(round(seconds / step_seconds) * step_seconds))
    return f"{seconds:.3g} s"
