"""The payments and rows that the figures of a reconciliation count: those of its period."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from ..spec.timestamps import to_text
from .equality_rules import Period

with extra_imports():
    import numpy as np
    from numpy.typing import NDArray

Mask = NDArray[np.bool_]


class ComparedPeriod:
    """Which payments, and which rows of each side, are counted: without a period, all.

    With one, a payment is counted if it was made in the period; others that your books have are
    compared all the same. A row is counted unless its payment is not. `uncompared` has the number
    of payments of each list that is not compared with your books, because they have no row of it.
    """

    def __init__(
        self,
        payment_count: int,
        period: Period = Period(),  # noqa: B008 - it is never changed
        payment_mask: Mask | None = None,
        uncompared: Mapping[str, int] | None = None,
        outside_count: int = 0,
    ) -> None:
        """`payment_mask` is true for the payments that are counted; None counts all.

        `outside_count` is the number of those outside the period that your books have.
        """
        self._period = period
        self.uncompared = dict(uncompared or {})
        self._outside_count = outside_count
        self._payment_mask = np.ones(payment_count, dtype=bool)
        if payment_mask is not None:
            self._payment_mask = payment_mask
        self._row_masks: dict[str, Mask] = {}

    def add_rows(self, side: str, payment_index_of_row: NDArray[np.int64]) -> None:
        """Set which rows of a side are counted; a row without a payment has a negative index."""
        matched_mask = payment_index_of_row >= 0
        row_mask = np.ones(len(payment_index_of_row), dtype=bool)
        row_mask[matched_mask] = self._payment_mask[payment_index_of_row[matched_mask]]
        self._row_masks[side] = row_mask

    def mask_of(self, payments: slice) -> Mask:
        """Return which payments with these indexes are counted."""
        return self._payment_mask[payments]

    def mask_of_rows(self, side: str) -> Mask:
        """Return which rows of a side are counted."""
        return self._row_masks[side]

    @property
    def text(self) -> str:
        """The period in words, such as "since 2026-01-01"; empty without a period."""
        since, until, zone = self._period
        period_texts = []
        if since:
            period_texts.append(f"since {_write_time(since, zone)}")
        if until:
            period_texts.append(f"before {_write_time(until, zone)}")
        if period_texts and zone.key != "UTC":
            period_texts.append(f"({zone.key})")
        return " ".join(period_texts)

    @property
    def notes(self) -> list[str]:
        """The lists that are not compared, and the number of payments outside the period."""
        note_texts = [
            f"{family_name}s are not compared with the books: these have no {family_name}"
            for family_name in self.uncompared
        ]
        if self._outside_count:
            note_texts.append(
                f"payments outside the period that your books have: {self._outside_count}, "
                "compared, but in no number of payments or rows and in no total"
            )
        return note_texts


def _write_time(instant: datetime, zone: ZoneInfo) -> str:
    """A midnight of the zone as its day, any other time in UTC."""
    zone_time = instant.astimezone(zone)
    is_midnight = zone_time.time() == time()
    return zone_time.date().isoformat() if is_midnight else to_text(instant)
