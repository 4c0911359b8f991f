"""The payments and rows that the figures of a reconciliation count: those of its period."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ..errors.extras import extra_imports
from ..spec.timestamps import to_text
from .equality_rules import Period
from .sides import Family, Rows

with extra_imports():
    import numpy as np
    from numpy.typing import NDArray

Mask = NDArray[np.bool_]
EVERYTHING = Period()


class ComparedPeriod:
    """Which payments, and which rows of each side, are counted: without a period, all.

    With one, a payment is counted if it was made in the period, or if your books have it. A row is
    counted unless its payment is not. `uncompared` has the number of payments of each list that is
    not compared with your books, because they have no row of it.
    """

    def __init__(
        self,
        payment_count: int,
        period: Period = EVERYTHING,
        payment_mask: Mask | None = None,
        uncompared: Mapping[str, int] | None = None,
    ) -> None:
        """`payment_mask` is true for the payments that are counted; None counts all."""
        self._period = period
        self.uncompared = dict(uncompared or {})
        self._payment_mask = np.ones(payment_count, dtype=bool)
        if payment_mask is not None:
            self._payment_mask = payment_mask
        self._row_masks: dict[str, Mask] = {}

    def add_rows(self, side: str, payment_of_row: NDArray[np.int64]) -> None:
        """Set which rows of a side are counted; a row without a payment has a negative index."""
        has_payment = payment_of_row >= 0
        row_mask = np.ones(len(payment_of_row), dtype=bool)
        row_mask[has_payment] = self._payment_mask[payment_of_row[has_payment]]
        self._row_masks[side] = row_mask

    def mask_of(self, family: Family) -> Mask:
        """Return which payments of a family are counted."""
        return self._payment_mask[family.start : family.end]

    def rows_mask(self, rows: Rows) -> Mask:
        """Return which rows of a side are counted."""
        return self._row_masks[rows.side]

    @property
    def text(self) -> str:
        """The period in words, with a space before it; empty without one."""
        since_text = f" since {_time_text(self._period.since)}" if self._period.since else ""
        until_text = f" before {_time_text(self._period.until)}" if self._period.until else ""
        return since_text + until_text

    @property
    def notes(self) -> list[str]:
        """The lists that are not compared, and what is counted of payments outside the period."""
        notes = [
            f"{family_name}s are not compared with the books: these have no {family_name}"
            for family_name in self.uncompared
        ]
        if self._period != EVERYTHING:
            notes.append("payments outside the period count only if your books have them")
        return notes


def _time_text(instant: datetime) -> str:
    """A time in UTC, of midnight only the day."""
    return to_text(instant).replace("T00:00:00.000Z", "")
