"""numpy's functions of columns and frames: column by column, also beside those of plain pandas.

pandas makes objects of all amounts of a frame for them, and computes no column of ours beside one
of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import is_list_like

from .decimal_objects import has_decimals, widen_integers
from .ufuncs import refuse_numpy_options
from .wrapped_methods import Method

Operand: TypeAlias = Any
"""A column or frame, of ours or of pandas, or a single value."""
COMPARISONS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
"""Functions that pandas computes with operators, and refuses for frames with other labels."""


def wrap_ufunc(method: Method) -> Method:
    """The method by which numpy computes with a column or frame.

    ExactnessError if numpy would write floats itself.
    """

    @wraps(method)
    def call(
        owner: Operand, function: np.ufunc, how: str, *inputs: Operand, **options: object
    ) -> Operand:
        """Compute with the operands as columns or frames of ours."""
        if options and any(has_decimals(operand) for operand in inputs):
            refuse_numpy_options(options)
        operands = [_convert_plain(owner, operand) for operand in inputs]
        if len(operands) == 2 and _have_other_labels(*operands):
            left, right = operands
            operands = [widen_integers(left, right), widen_integers(right, left)]
        is_by_column = how in ("__call__", "accumulate") and not options and function.nout == 1
        if is_by_column and function not in COMPARISONS and _has_only_columns(operands):
            return _compute_columns(getattr(function, how), operands)
        return method(owner, function, how, *operands, **options)

    return call


def _convert_plain(owner: Operand, operand: Operand) -> Operand:
    """A column or frame of pandas as one of ours; `pd.NA` beside exact columns as None."""
    is_column = isinstance(owner, pd.Series)
    if type(operand) is pd.Series:
        return (owner._constructor if is_column else owner._constructor_sliced)(operand)
    if type(operand) is pd.DataFrame:
        return (owner._constructor_expanddim if is_column else owner._constructor)(operand)
    return None if operand is pd.NA and has_decimals(owner) else operand


def _have_other_labels(left: Operand, right: Operand) -> bool:
    """Whether two columns or frames have different labels, so that pandas aligns them."""
    if not isinstance(left, pd.Series | pd.DataFrame) or type(left) is not type(right):
        return False
    label_pairs = zip(left.axes, right.axes, strict=True)
    return not all(left_labels.equals(right_labels) for left_labels, right_labels in label_pairs)


def _has_only_columns(operands: Sequence[Operand]) -> bool:
    """Whether operands are frames with exact columns, and single values."""
    frames = [operand for operand in operands if isinstance(operand, pd.DataFrame)]
    others = [operand for operand in operands if not isinstance(operand, pd.DataFrame)]
    has_exact_columns = any("decimal" in map(str, frame.dtypes) for frame in frames)
    return has_exact_columns and not any(map(is_list_like, others))


def _compute_columns(compute: Method, operands: Sequence[Operand]) -> pd.DataFrame:
    """The results of each column of frames, whose labels are aligned."""
    if all(isinstance(operand, pd.DataFrame) for operand in operands) and len(operands) == 2:
        operands = operands[0].align(operands[1])
    [first_frame, *_] = [operand for operand in operands if isinstance(operand, pd.DataFrame)]
    results: pd.DataFrame = first_frame.copy()
    for position in range(results.shape[1]):
        column_operands = [
            operand.iloc[:, position] if isinstance(operand, pd.DataFrame) else operand
            for operand in operands
        ]
        results.isetitem(position, compute(*column_operands).array)
    return results
