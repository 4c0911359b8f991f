"""The quantiles of Arrow decimals, exact between two amounts too."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from .decimals import UNLIMITED


def find_quantile(
    amounts: pa.Array, share: Decimal, interpolation: str = "linear"
) -> Decimal | None:
    """The exact quantile of the amounts at `share` (0 to 1), interpolated as in pandas.

    Missing amounts do not count; None if there is no amount.
    """
    present_amounts = amounts.drop_null()
    if not len(present_amounts):
        return None
    ascending_amounts = present_amounts.take(pc.sort_indices(present_amounts))
    lower_index, higher_index, weight_of_higher = find_weighted_place(
        share, len(ascending_amounts), interpolation
    )
    lower_amount: Decimal = ascending_amounts[lower_index].as_py()
    higher_amount: Decimal = ascending_amounts[higher_index].as_py()
    return interpolate(lower_amount, higher_amount, weight_of_higher)


def find_weighted_place(share: Decimal, count: int, interpolation: str) -> tuple[int, int, Decimal]:
    """The indexes of the two amounts around a quantile, and the weight of the higher one."""
    lower_index, higher_index, fraction = _find_place(share, count)
    weight_by_interpolation = {
        "linear": fraction,
        "lower": Decimal(0),
        "higher": Decimal(1),
        "nearest": Decimal(_is_nearer_to_higher(fraction, lower_index)),
    }
    middle_weight = Decimal("0.5")  # of "midpoint"
    return lower_index, higher_index, weight_by_interpolation.get(interpolation, middle_weight)


def interpolate_quantile(ascending: Sequence[Decimal], share: Decimal) -> Decimal:
    """The exact quantile of at least one ascending amount, with linear interpolation."""
    lower_index, higher_index, fraction = _find_place(share, len(ascending))
    return interpolate(ascending[lower_index], ascending[higher_index], fraction)


def _find_place(share: Decimal, count: int) -> tuple[int, int, Decimal]:
    """The indexes of the two amounts around a quantile, and how far it is between them (0 to 1)."""
    position = UNLIMITED.multiply(share, count - 1)  # Python's own context may round
    lower_index = int(position)
    fraction = UNLIMITED.subtract(position, lower_index)
    return lower_index, lower_index + 1 if fraction else lower_index, fraction


def interpolate(lower: Decimal, higher: Decimal, weight_of_higher: Decimal) -> Decimal:
    """The number between two, by the weight of the higher one (0 to 1)."""
    distance = UNLIMITED.subtract(higher, lower)
    return UNLIMITED.add(lower, UNLIMITED.multiply(distance, weight_of_higher))


def _is_nearer_to_higher(fraction: Decimal, lower_index: int) -> bool:
    """Whether "nearest" is the higher amount; from the middle, pandas takes the even index."""
    middle = Decimal("0.5")
    if fraction == middle:
        return lower_index % 2 == 1
    return fraction > middle
