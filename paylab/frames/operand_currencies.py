"""The currencies of the results of a column and another operand, by those of their amounts."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pandas.api.types import is_list_like, is_object_dtype

from .currency_rows import (
    NO_CURRENCY,
    SEVERAL,
    CurrencyRows,
    find_nothing,
    join_currencies,
    warn_of_currencies,
)

Operand: TypeAlias = Any
"""A `DecimalArray`, another array or a list, or one number or missing value."""


def find_operand_currencies(operand: Operand, row_count: int) -> CurrencyRows | None:
    """The currency of the operand in each row; None if no amount of it knows its own."""
    if not is_list_like(operand):
        currencies = CurrencyRows.of_elements([operand])
        return currencies and currencies.take(np.zeros(row_count, dtype=np.int64))
    if isinstance(operand, list | tuple) or is_object_dtype(operand):
        return CurrencyRows.of_elements(operand)
    return getattr(operand, "currencies", None)


def find_multiplied_currencies(
    currencies: CurrencyRows | None, operand: Operand
) -> CurrencyRows | None:
    """The currencies of products and quotients of a column in these currencies.

    They are unknown beside another column, which may have rates, or an amount in a currency.
    """
    has_currency = getattr(operand, "currency", None) is not None
    return None if has_currency or is_list_like(operand) else currencies


def find_added_currencies(
    currencies: CurrencyRows | None, operand: Operand, amounts: pa.Array, operand_amounts: pa.Array
) -> CurrencyRows | None:
    """The currencies of sums and differences of a column in these; warns of rows that have two."""
    if getattr(operand, "currency", None) == SEVERAL:  # it has warned
        return None
    operand_currencies = find_operand_currencies(operand, len(amounts))
    return _add_currencies(currencies, operand_currencies, amounts, operand_amounts)


def _add_currencies(
    left: CurrencyRows | None,
    right: CurrencyRows | None,
    left_amounts: pa.Array,
    right_amounts: pa.Array,
) -> CurrencyRows | None:
    """The currencies of the sums of two columns, row by row; warns of rows that have two.

    It is the left one's, or the right one's if the left one is unknown or of nothing; it is unknown
    if a row has two.
    """
    if left is None or right is None or left is right:
        return left or right
    row_count = len(left_amounts)
    both_currencies = join_currencies([left, right], [row_count, row_count])
    if both_currencies is None:
        return None
    left_indexes, right_indexes = np.split(both_currencies.name_indexes, 2)
    takes_right = left_indexes == NO_CURRENCY
    is_mixed = ~takes_right & (right_indexes != NO_CURRENCY) & (left_indexes != right_indexes)
    if is_mixed.any():
        is_left_nothing = find_nothing(left_amounts)
        takes_right |= is_mixed & is_left_nothing
        is_mixed &= ~is_left_nothing & ~find_nothing(right_amounts)
        mixed_indexes = {*left_indexes[is_mixed].tolist(), *right_indexes[is_mixed].tolist()}
        warn_of_currencies(
            sorted(both_currencies.names[name_index] for name_index in mixed_indexes)
        )
    name_indexes = np.where(takes_right, right_indexes, left_indexes)
    name_indexes[is_mixed] = NO_CURRENCY
    return CurrencyRows(name_indexes, both_currencies.names)
