"""The part of stored rows that a caller reads: the rows of a period, and some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..spec.time_arguments import read_period
from . import times
from .column_choice import CREATED, Names, needed_columns, read_names, require_columns


@dataclass(frozen=True)
class Extract:
    """A part of stored rows: created from `since` to before `until`, with some columns."""

    since: datetime | None = None
    until: datetime | None = None
    columns: list[str] | None = None

    @classmethod
    def from_arguments(
        cls, since: date | str | None, until: date | str | None, columns: Names | None
    ) -> Extract:
        """The part that arguments describe; RuleError for arguments that describe none."""
        return cls(*read_period(since, until), read_names(columns))

    @property
    def has_period(self) -> bool:
        """Whether only rows of a period are wanted."""
        return self.since is not None or self.until is not None

    def choose_columns(self, known_names: Sequence[str]) -> list[str]:
        """The columns to read of a file; the currency of an amount is one of them."""
        period_columns = [CREATED] if self.has_period else []
        return needed_columns(self.columns, known_names, period_columns)

    def select_rows(self, table: pa.Table) -> pa.Table:
        """The rows of the period, and those without a time."""
        if CREATED not in table.column_names:
            return table
        if self.since is not None:
            since_mask = pc.greater_equal(table[CREATED], pa.scalar(self.since, times.INSTANT))
            table = table.filter(pc.fill_null(since_mask, True))
        if self.until is not None:
            until_mask = pc.less(table[CREATED], pa.scalar(self.until, times.INSTANT))
            table = table.filter(pc.fill_null(until_mask, True))
        return table

    def select_from(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The wanted rows and columns of a frame that has the columns of `choose_columns`.

        RuleError if it has no times of creation, and a period is wanted.
        """
        if self.has_period:
            require_columns([CREATED], list(frame.columns))
            frame = self._select_period(frame)
        return frame if self.columns is None else frame[self.columns]

    def _select_period(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of the period, and those without a time, numbered anew."""
        creation_times = frame[CREATED]
        is_selected = creation_times.notna()
        if self.since is not None:
            is_selected &= creation_times.ge(pd.Timestamp(self.since))
        if self.until is not None:
            is_selected &= creation_times.lt(pd.Timestamp(self.until))
        selected_rows: pd.DataFrame = frame[is_selected | creation_times.isna()]
        return selected_rows.reset_index(drop=True)
