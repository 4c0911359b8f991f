"""The currency of each row of an amount, and the warning about sums over several currencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from ..errors.base import PaylabWarning, warn_caller

IntegerArray = np.ndarray[Any, Any]
NO_CURRENCY = -1


class CurrencyWarning(PaylabWarning):
    """Amounts of several currencies were added."""


@dataclass(frozen=True)
class CurrencyRows:
    """The currency of each row: the index of its name in `names`, -1 for an unknown currency."""

    codes: IntegerArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, currencies: pd.Series[Any]) -> CurrencyRows:
        """The currencies of a column of words, in upper case."""
        category_accessor = currencies.astype("category").cat
        upper_names = [str(category).upper() for category in category_accessor.categories]
        unique_names = tuple(sorted(set(upper_names)))
        # A missing category has the code -1, which takes the last index: NO_CURRENCY.
        index_by_category_code = [*map(unique_names.index, upper_names), NO_CURRENCY]
        category_codes = category_accessor.codes.to_numpy()
        name_indexes = np.array(index_by_category_code, dtype=np.int32)[category_codes]
        return cls(name_indexes, unique_names)

    def take(
        self, positions: IntegerArray | slice, is_missing: IntegerArray | None = None
    ) -> CurrencyRows:
        """The currencies of the rows at these positions; unknown where `is_missing`."""
        if isinstance(positions, slice) or is_missing is None or not is_missing.any():
            return CurrencyRows(self.codes[positions], self.names)
        taken_codes = np.full(len(positions), NO_CURRENCY, dtype=np.int32)
        taken_codes[~is_missing] = self.codes[positions[~is_missing]]
        return CurrencyRows(taken_codes, self.names)

    def of_groups(self, group_of_row: IntegerArray, group_count: int) -> CurrencyRows:
        """The currency of each group: unknown if its rows have several or none."""
        is_counted = (group_of_row >= 0) & (self.codes >= 0)
        groups = group_of_row[is_counted]
        codes = self.codes[is_counted]
        group_codes = np.full(group_count, NO_CURRENCY, dtype=np.int32)
        group_codes[groups] = codes
        # Each group has the code of its last row: where another row differs, it is mixed.
        group_codes[groups[group_codes[groups] != codes]] = NO_CURRENCY
        return CurrencyRows(group_codes, self.names)

    def warn_of_sums(
        self, is_missing: IntegerArray, group_of_row: IntegerArray | None = None
    ) -> None:
        """Warn if rows that are added together have several currencies.

        `group_of_row` is -1 for a row that is not added; without it, all rows are one group.
        """
        is_added = (self.codes >= 0) & ~is_missing
        if group_of_row is not None:
            is_added &= group_of_row >= 0
        counts = np.bincount(self.codes[is_added], minlength=len(self.names))
        mixed_codes = np.flatnonzero(counts)
        if len(mixed_codes) < 2:
            return
        if group_of_row is not None:
            mixed_codes = self._find_mixed_codes(group_of_row[is_added], self.codes[is_added])
        if len(mixed_codes):
            _warn([self.names[code] for code in mixed_codes])

    def _find_mixed_codes(self, groups: IntegerArray, codes: IntegerArray) -> IntegerArray:
        """The codes of the currencies in groups that have more than one."""
        # One number for each pair of group and currency, sorted: pairs of a group are neighbours.
        pairs = np.unique(groups.astype(np.int64) * len(self.names) + codes)
        groups_of_pairs = pairs // len(self.names)
        mixed_groups = groups_of_pairs[1:][groups_of_pairs[1:] == groups_of_pairs[:-1]]
        is_mixed = np.isin(groups_of_pairs, mixed_groups)
        return np.unique(pairs[is_mixed] % len(self.names))


def warn_of_pairs(left: CurrencyRows | None, right: CurrencyRows | None) -> None:
    """Warn if amounts of two columns are added whose currencies differ in a row."""
    if left is None or right is None or left is right:
        return
    index_by_currency = {name: code for code, name in enumerate(left.names)}
    new_codes = [index_by_currency.get(name, len(left.names)) for name in right.names]
    # NO_CURRENCY is -1, which takes the last index.
    right_codes = np.array([*new_codes, NO_CURRENCY], dtype=np.int32)[right.codes]
    is_mixed = (left.codes >= 0) & (right.codes >= 0) & (left.codes != right_codes)
    if is_mixed.any():
        names = {left.names[code] for code in np.unique(left.codes[is_mixed])}
        names |= {right.names[code] for code in np.unique(right.codes[is_mixed])}
        _warn(sorted(names))


def join_currencies(
    currencies_of_columns: Sequence[CurrencyRows | None], sizes: Sequence[int]
) -> CurrencyRows | None:
    """The currencies of the rows of joined columns of these `sizes`; None if all are unknown."""
    known_currencies = [currencies for currencies in currencies_of_columns if currencies]
    if not known_currencies:
        return None
    all_names = chain.from_iterable(currencies.names for currencies in known_currencies)
    names = tuple(dict.fromkeys(all_names))
    codes = []
    for currencies, size in zip(currencies_of_columns, sizes, strict=True):
        if currencies is None:
            codes.append(np.full(size, NO_CURRENCY, dtype=np.int32))
        elif currencies.names == names:
            codes.append(currencies.codes)
        else:
            # NO_CURRENCY is -1, which takes the last index.
            new_codes = np.array([*map(names.index, currencies.names), NO_CURRENCY], dtype=np.int32)
            codes.append(new_codes[currencies.codes])
    return CurrencyRows(np.concatenate(codes), names)


def _warn(currency_names: Sequence[str]) -> None:
    message = (
        f"amounts in {', '.join(currency_names)} are added together: group by the currency, or use "
        "paylab.frames.by_currency(frame)"
    )
    warn_caller(message, CurrencyWarning)
