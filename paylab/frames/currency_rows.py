"""The currency of each row of an amount, and the warning about sums over several currencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors.base import PaylabWarning, warn_caller

Codes = np.ndarray[Any, Any]
UNKNOWN = -1


class CurrencyWarning(PaylabWarning):
    """Amounts of several currencies were added."""


@dataclass(frozen=True)
class CurrencyRows:
    """The currency of each row: the place of its name in `names`, -1 for an unknown currency."""

    codes: Codes
    names: tuple[str, ...]

    @classmethod
    def of(cls, words: pd.Series[Any]) -> CurrencyRows:
        """The currencies of a column of words, in upper case."""
        column = words.astype("category")
        upper = [str(name).upper() for name in column.cat.categories]
        currency_names = tuple(sorted(set(upper)))
        name_indices = np.array(
            [*(currency_names.index(name) for name in upper), UNKNOWN], dtype=np.int32
        )
        return cls(name_indices[column.cat.codes.to_numpy()], currency_names)

    def take(self, places: Codes | slice, is_missing: Codes | None = None) -> CurrencyRows:
        """The currencies of rows at some places; unknown where `is_missing`."""
        if isinstance(places, slice) or is_missing is None or not is_missing.any():
            return CurrencyRows(self.codes[places], self.names)
        taken_codes = np.full(len(places), UNKNOWN, dtype=np.int32)
        taken_codes[~is_missing] = self.codes[places[~is_missing]]
        return CurrencyRows(taken_codes, self.names)

    def warn_of_sums(self, is_missing: Codes, ids: Codes | None = None) -> None:
        """Warn if rows that are added together have several currencies.

        `ids` has the group of each row, -1 for none; without it, all rows are one group.
        """
        counted = (self.codes >= 0) & ~is_missing
        if ids is not None:
            counted &= ids >= 0
        present = np.flatnonzero(np.bincount(self.codes[counted], minlength=len(self.names)))
        if len(present) < 2:
            return
        if ids is not None:
            pairs = np.unique(ids[counted].astype(np.int64) * len(self.names) + self.codes[counted])
            groups = pairs // len(self.names)
            mixed = np.isin(groups, groups[1:][groups[1:] == groups[:-1]])
            present = np.unique(pairs[mixed] % len(self.names))
        if len(present):
            _warn([self.names[code] for code in present])


def joined_currencies(
    parts: Sequence[CurrencyRows | None], sizes: Sequence[int]
) -> CurrencyRows | None:
    """The currencies of columns that are joined; None if none is known."""
    known_parts = [currency_rows for currency_rows in parts if currency_rows is not None]
    if not known_parts:
        return None
    currency_names = tuple(
        dict.fromkeys(name for currency_rows in known_parts for name in currency_rows.names)
    )
    codes = []
    for currency_rows, size in zip(parts, sizes, strict=True):
        if currency_rows is None:
            codes.append(np.full(size, UNKNOWN, dtype=np.int32))
        elif currency_rows.names == currency_names:
            codes.append(currency_rows.codes)
        else:
            name_indices = np.array(
                [*map(currency_names.index, currency_rows.names), UNKNOWN], dtype=np.int32
            )
            codes.append(name_indices[currency_rows.codes])
    return CurrencyRows(np.concatenate(codes), currency_names)


def _warn(currency_names: Sequence[str]) -> None:
    message = (
        f"amounts in {', '.join(currency_names)} are added together: group by the currency, or use "
        "paylab.frames.by_currency(frame)"
    )
    warn_caller(message, CurrencyWarning)
