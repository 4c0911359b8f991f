"""numpy's functions of exact columns: exact, floats for those without exact value, or an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_object_dtype

from ..errors.base import ExactnessError
from . import arithmetic, decimals, operands
from .float_errors import require_objects

ROUND_MODES = {
    np.floor: "down",
    np.ceil: "up",
    np.trunc: "towards_zero",
    np.rint: "half_to_even",
}
STATISTICS = {
    *(np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p),
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh),
    *(np.arcsinh, np.arccosh, np.arctanh, np.degrees, np.radians, np.rad2deg, np.deg2rad),
    *(np.arctan2, np.hypot, np.float_power, np.logaddexp, np.logaddexp2),
}
"""Functions that have no exact value: they give floats, as `std` does."""


def compute(function: Any, values: pa.Array, inputs: Sequence[object]) -> Any:
    """Decimals, or an array of floats or booleans; None for functions that pandas computes.

    `values` are the values of the exact column among the inputs.
    """
    if function in ROUND_MODES:
        return arithmetic.round_amounts(values, decimal_places=0, round_mode=ROUND_MODES[function])
    if function is np.fabs:
        return pc.abs(values)
    if function in PAIRED:
        left, right = (operands.read_operand(operand, len(values)) for operand in inputs)
        return PAIRED[function](left, right)
    if function in STATISTICS:
        return function(*(np.asarray(operand, dtype=float) for operand in inputs))
    if function in (np.isnan, np.isfinite):
        is_missing = np.asarray(values.is_null())
        return is_missing if function is np.isnan else ~is_missing
    require_objects(function)
    return None


def refuse_numpy_options(options: Mapping[str, Any]) -> None:
    """ExactnessError for `where` and an `out` of floats, by which numpy writes them itself."""
    if options.get("where", True) is not True:
        raise ExactnessError(
            "where= of numpy leaves other rows without a value: write result.where(mask); "
            "amounts / 0 is missing, so (amounts / others).fillna(0) needs no mask"
        )
    for out_array in options.get("out") or ():
        if out_array is not None and not is_object_dtype(out_array.dtype):
            raise ExactnessError(
                f"numpy would write amounts into out= as {out_array.dtype}: leave it out"
            )


def _pick_extremes(
    pick_extreme: Callable[..., Any], left: pa.Array, right: pa.Array, *, skips_missing: bool
) -> pa.Array:
    """The larger or smaller amount of each row."""
    columns = [pa.chunked_array([left]), pa.chunked_array([right])]
    joined_amounts = decimals.join(columns).combine_chunks()  # in one type, which Arrow needs
    return pick_extreme(
        joined_amounts[: len(left)], joined_amounts[len(left) :], skip_nulls=skips_missing
    )


PAIRED: dict[object, Callable[[pa.Array, pa.Array], pa.Array]] = {
    np.maximum: partial(_pick_extremes, pc.max_element_wise, skips_missing=False),
    np.fmax: partial(_pick_extremes, pc.max_element_wise, skips_missing=True),
    np.minimum: partial(_pick_extremes, pc.min_element_wise, skips_missing=False),
    np.fmin: partial(_pick_extremes, pc.min_element_wise, skips_missing=True),
    np.fmod: arithmetic.compute_fmod,
}
