"""The currency of each row of an amount, and the warning about sums over several currencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import PaylabWarning, warn_caller
from .machine_integers import MACHINE_DIGITS, IntegerArray, read_unscaled

NO_CURRENCY = -1
FIRST_ROWS = 1_000
SEVERAL = "several"
"""The currency of a sum over several currencies, which does not warn again."""


class CurrencyWarning(PaylabWarning):
    """Amounts of several currencies were added, or one is written in the currency of its row."""


@dataclass(frozen=True)
class CurrencyRows:
    """The currency of each row: the index of its name in `names`, -1 for an unknown currency."""

    name_indexes: IntegerArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, currencies: pd.Series[Any]) -> CurrencyRows:
        """The currencies of a column of words, in upper case."""
        category_accessor = currencies.astype("category").cat
        upper_names = [str(category).upper() for category in category_accessor.categories]
        unique_names = tuple(sorted(set(upper_names)))
        # A missing category has the code -1, which takes the last item: NO_CURRENCY.
        index_by_category_code = [*map(unique_names.index, upper_names), NO_CURRENCY]
        category_codes = category_accessor.codes.to_numpy()
        name_indexes = np.array(index_by_category_code, dtype=np.int32)[category_codes]
        return cls(name_indexes, unique_names)

    @classmethod
    def of_elements(cls, elements: Iterable[object]) -> CurrencyRows | None:
        """The currencies of amounts of columns; None if no element knows its own."""
        known_names: list[Any] = [getattr(element, "currency", None) for element in elements]
        names = tuple(sorted({name for name in known_names if name not in (None, SEVERAL)}))
        if not names:
            return None
        index_by_name = {name: name_index for name_index, name in enumerate(names)}
        name_indexes = [index_by_name.get(name, NO_CURRENCY) for name in known_names]
        return cls(np.array(name_indexes, dtype=np.int32), names)

    def find_name(self, row_number: int) -> str | None:
        """The currency of one row; None if it is unknown."""
        name_index = self.name_indexes[row_number]
        return None if name_index == NO_CURRENCY else self.names[name_index]

    def of_results(self, amounts: pa.Array, result_count: int) -> CurrencyRows:
        """The currencies of results that are each computed from all amounts."""
        all_rows = np.zeros(len(amounts), dtype=np.int64)
        return self.of_groups(all_rows, group_count=1, amounts=amounts).take(
            np.zeros(result_count, dtype=np.int64)
        )

    def find_present(self, is_missing: IntegerArray) -> list[str]:
        """The names of the currencies of the rows that are not missing."""
        present_indexes = self.name_indexes[(self.name_indexes >= 0) & ~is_missing]
        row_counts = np.bincount(present_indexes, minlength=len(self.names))
        return [self.names[name_index] for name_index in np.flatnonzero(row_counts)]

    @property
    def texts(self) -> pd.Categorical[str]:
        """The currency of each row as a category; missing where it is unknown."""
        return pd.Categorical.from_codes(self.name_indexes, categories=pd.Index(self.names))

    def take(
        self, positions: IntegerArray | slice, is_missing: IntegerArray | None = None
    ) -> CurrencyRows:
        """The currencies of the rows at these positions; unknown where `is_missing`."""
        if isinstance(positions, slice) or is_missing is None or not is_missing.any():
            return CurrencyRows(self.name_indexes[positions], self.names)
        taken_indexes = np.full(len(positions), NO_CURRENCY, dtype=np.int32)
        taken_indexes[~is_missing] = self.name_indexes[positions[~is_missing]]
        return CurrencyRows(taken_indexes, self.names)

    def fill_halves(self) -> CurrencyRows:
        """The currencies of two joined columns; an unknown one is that of the other's row."""
        left, right = np.split(self.name_indexes, 2)
        filled_halves = (
            np.where(left == NO_CURRENCY, right, left),
            np.where(right == NO_CURRENCY, left, right),
        )
        return CurrencyRows(np.concatenate(filled_halves), self.names)

    def of_groups(
        self, group_of_row: IntegerArray, group_count: int, amounts: pa.Array | None = None
    ) -> CurrencyRows:
        """The currency of each group: unknown if its rows have several or none.

        With the `amounts` of the rows, several currencies are those of amounts that are added: a
        group keeps its currency beside missing amounts and zeros in others.
        """
        counted_mask = (group_of_row >= 0) & (self.name_indexes >= 0)
        counted_rows = slice(None) if counted_mask.all() else counted_mask
        counted_groups = group_of_row[counted_rows]
        name_indexes = self.name_indexes[counted_rows]
        name_index_by_group = np.full(group_count, NO_CURRENCY, dtype=np.int32)
        name_index_by_group[counted_groups] = name_indexes
        # Each group has the index of its last row: where another row differs, it is mixed.
        mixed_groups = counted_groups[name_index_by_group[counted_groups] != name_indexes]
        name_index_by_group[mixed_groups] = NO_CURRENCY
        if amounts is not None and len(mixed_groups):
            added_indexes = np.where(find_nothing(amounts), NO_CURRENCY, self.name_indexes)
            added_currencies = CurrencyRows(added_indexes, self.names)
            currencies_of_sums = added_currencies.of_groups(group_of_row, group_count)
            name_index_by_group[mixed_groups] = currencies_of_sums.name_indexes[mixed_groups]
        return CurrencyRows(name_index_by_group, self.names)

    def of_extremes(
        self, group_of_row: IntegerArray, amounts: pa.Array, extremes: pa.Array
    ) -> CurrencyRows:
        """The currency of the smallest or largest amount of each group, which is in `extremes`.

        In a group with several currencies it is that of the first row that has the amount.
        """
        currencies = self.of_groups(group_of_row, len(extremes))
        mixed_mask = (group_of_row >= 0) & (self.name_indexes >= 0)
        mixed_mask &= currencies.name_indexes[group_of_row] == NO_CURRENCY
        mixed_rows = np.flatnonzero(mixed_mask)
        if not len(mixed_rows):
            return currencies
        extremes_of_rows = extremes.cast(amounts.type).take(pa.array(group_of_row[mixed_rows]))
        is_extreme = pc.equal(amounts.take(pa.array(mixed_rows)), extremes_of_rows)
        # The last item that is set for a group stays: its first row comes last.
        chosen_rows = mixed_rows[np.asarray(is_extreme.fill_null(False))][::-1]
        currencies.name_indexes[group_of_row[chosen_rows]] = self.name_indexes[chosen_rows]
        return currencies

    def of_chosen(
        self, group_of_row: IntegerArray, amounts: pa.Array, chosen_amounts: pa.Array
    ) -> CurrencyRows:
        """The currencies of amounts that were chosen from the rows of a group up to each row.

        Each is that of the last row up to its own that has the amount.
        """
        if (self.name_indexes == self.name_indexes[:1]).all():
            return self
        row_count = len(amounts)
        encoded_amounts = amounts.dictionary_encode()
        chosen_codes = pc.index_in(
            chosen_amounts.cast(amounts.type), value_set=encoded_amounts.dictionary
        )
        codes = np.concatenate(
            [np.asarray(part.fill_null(-1)) for part in (encoded_amounts.indices, chosen_codes)]
        ).astype(np.int64)
        # The rows of one number have one group and one amount.
        pairs = np.tile(group_of_row, 2).astype(np.int64) * (row_count + 1) + codes
        _, pair_numbers = np.unique(pairs, return_inverse=True)
        row_keys, chosen_keys = np.split(
            pair_numbers * row_count + np.tile(np.arange(row_count), 2), 2
        )
        sorted_rows = np.argsort(row_keys)
        last_positions = np.searchsorted(row_keys[sorted_rows], chosen_keys, side="right") - 1
        is_missing = np.asarray(chosen_codes.is_null())
        return self.take(sorted_rows[last_positions], is_missing)

    def find_others(self, expected: CurrencyRows, amounts: pa.Array) -> list[str]:
        """The currency of each amount for which another one is `expected` in its row."""
        if self.names == expected.names and (self.name_indexes == expected.name_indexes).all():
            return []
        row_count = len(amounts)
        both_currencies = join_currencies([self, expected], [row_count, row_count])
        if both_currencies is None:
            return []
        own_indexes, expected_indexes = np.split(both_currencies.name_indexes, 2)
        is_known = (own_indexes != NO_CURRENCY) & (expected_indexes != NO_CURRENCY)
        is_other = is_known & (own_indexes != expected_indexes)
        if not is_other.any():
            return []
        is_other &= ~find_nothing(amounts)
        return [both_currencies.names[index] for index in own_indexes[is_other].tolist()]

    def find_added(self, amounts: pa.Array) -> list[str]:
        """The currencies of the amounts that are neither missing nor, beside others, 0."""
        names = self.find_present(np.asarray(amounts.is_null()))
        if len(names) < 2:
            return names
        first_rows = slice(0, FIRST_ROWS)  # which are enough to find two of them, as a rule
        first_names = self.take(first_rows).find_present(find_nothing(amounts[first_rows]))
        return names if len(first_names) > 1 else self.find_present(find_nothing(amounts))

    def warn_of_sums(self, amounts: pa.Array, group_of_row: IntegerArray | None = None) -> None:
        """Warn if amounts that are added together have several currencies.

        `group_of_row` is -1 for a row that is not added; without it, all rows are one group.
        """
        if group_of_row is None:
            warn_of_currencies(self.find_added(amounts))
            return
        names = self._find_mixed(np.asarray(amounts.is_null()), group_of_row)
        if names:
            first_rows = slice(0, FIRST_ROWS)
            is_nothing = find_nothing(amounts[first_rows])
            first_names = self.take(first_rows)._find_mixed(is_nothing, group_of_row[first_rows])
            if not first_names:
                names = self._find_mixed(find_nothing(amounts), group_of_row)
        warn_of_currencies(names)

    def _find_mixed(self, is_nothing: IntegerArray, group_of_row: IntegerArray) -> list[str]:
        """The currencies in groups that have more than one, of rows that are not nothing."""
        is_added = (self.name_indexes >= 0) & ~is_nothing & (group_of_row >= 0)
        added_indexes = self.name_indexes[is_added]
        if not len(added_indexes) or (added_indexes == added_indexes[0]).all():
            return []
        mixed_indexes = self._find_mixed_indexes(group_of_row[is_added], added_indexes)
        return [self.names[name_index] for name_index in mixed_indexes]

    def _find_mixed_indexes(self, groups: IntegerArray, name_indexes: IntegerArray) -> IntegerArray:
        """The indexes of the currencies in groups that have more than one.

        Each row has a group and the index of its currency.
        """
        # Each group gets the index of its last row: where another row differs, it is mixed.
        group_count = int(groups.max()) + 1
        name_index_by_group = np.empty(group_count, dtype=np.int32)
        name_index_by_group[groups] = name_indexes
        is_mixed_group = np.zeros(group_count, dtype=bool)
        is_mixed_group[groups[name_index_by_group[groups] != name_indexes]] = True
        return np.flatnonzero(np.bincount(name_indexes[is_mixed_group[groups]]))


def find_zeros(amounts: pa.Array) -> pa.Array:
    """Which amounts are 0, as booleans; those of missing amounts are missing."""
    # Arrow's integer 0 becomes a decimal of 19 digits, which do not fit beside 20 decimals.
    return pc.equal(amounts, pa.scalar(Decimal(0), amounts.type))


def find_nothing(amounts: pa.Array) -> IntegerArray:
    """A mask of the amounts that are missing or 0, which is added in any currency."""
    if amounts.type.precision <= MACHINE_DIGITS:
        return np.asarray(read_unscaled(amounts) == 0)
    return np.asarray(find_zeros(amounts).fill_null(True))


def name_one(currency_names: Sequence[str]) -> str | None:
    """The currency of a result of amounts in these currencies; "several", or None without one."""
    if len(currency_names) > 1:
        return SEVERAL
    return currency_names[0] if currency_names else None


def find_currency_of_sum(left: str, right: str) -> str:
    """The currency of the sum of two amounts, "several" if they differ; it then warns."""
    if left == right:
        return left
    if SEVERAL not in (left, right):
        warn_of_currencies(sorted((left, right)))
    return SEVERAL


def join_currencies(
    currencies_of_columns: Sequence[CurrencyRows | None], sizes: Sequence[int]
) -> CurrencyRows | None:
    """The currencies of the rows of joined columns of these `sizes`; None if all are unknown."""
    known_currency_rows = [currencies for currencies in currencies_of_columns if currencies]
    if not known_currency_rows:
        return None
    all_names = chain.from_iterable(currencies.names for currencies in known_currency_rows)
    names = tuple(dict.fromkeys(all_names))
    indexes_of_columns = []
    for currencies, row_count in zip(currencies_of_columns, sizes, strict=True):
        if currencies is None:
            indexes_of_columns.append(np.full(row_count, NO_CURRENCY, dtype=np.int32))
        elif currencies.names == names:
            indexes_of_columns.append(currencies.name_indexes)
        else:
            # NO_CURRENCY is -1, which takes the last item.
            new_indexes = [*map(names.index, currencies.names), NO_CURRENCY]
            joined_indexes = np.array(new_indexes, dtype=np.int32)[currencies.name_indexes]
            indexes_of_columns.append(joined_indexes)
    return CurrencyRows(np.concatenate(indexes_of_columns), names)


def warn_of_currencies(currency_names: Sequence[str]) -> None:
    """Warn that amounts in these currencies are added together, if they are several."""
    if len(currency_names) < 2:
        return
    message = (
        f"amounts in {', '.join(currency_names)} are added together: group by the currency, or use "
        "paylab.frames.by_currency(frame)"
    )
    warn_caller(message, CurrencyWarning)
