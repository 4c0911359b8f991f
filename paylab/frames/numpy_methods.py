"""numpy's methods of exact columns, such as `amounts.values.sum(axis=0)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from . import arithmetic

C = TypeVar("C", bound=type)
Compute = Callable[..., Any]
REDUCTION_OPTIONS = {"skipna", "min_count", "ddof", "keepdims"}
"""The options of a column's own reductions; numpy has others, such as `where` and `initial`."""
ROW_AXES = (None, 0, -1)
"""The axes of a column, which has one dimension."""


def with_numpy_methods(class_: C) -> C:
    """Give a class of exact arrays the methods of numpy's arrays.

    They are set here, because they differ only in their name.
    """
    untyped_class: Any = class_
    for method_name in (*arithmetic.REDUCTIONS, *arithmetic.INEXACT_REDUCTIONS):
        setattr(untyped_class, method_name, _make_method(method_name, untyped_class._reduce))
    for method_name in (*arithmetic.RUNNING, *arithmetic.RUNNING_EXTREMES):
        setattr(untyped_class, method_name, _make_method(method_name, untyped_class._accumulate))
    return class_


def _make_method(name: str, compute: Compute) -> Compute:
    """The method of numpy with this name, computed exactly by a method of the column."""

    def method(
        column: Any, axis: object = None, dtype: object = None, out: object = None, **options: Any
    ) -> Any:
        """Compute the amounts of the column exactly, or numpy's result for other options."""
        if axis in ROW_AXES and dtype is None and out is None and _are_reduction_options(options):
            return compute(column, name, **options)
        # numpy adds the elements, which is exact too, or numbers of the type that is asked for.
        elements_or_numbers = column.to_numpy(dtype)
        return getattr(elements_or_numbers, name)(axis=axis, out=out, **options)

    method.__name__ = name
    method.__doc__ = f"The `{name}` of the amounts; of numbers of the type `dtype`, if given."
    return method


def _are_reduction_options(options: Mapping[str, object]) -> bool:
    """Whether the reductions of an exact column have all these options."""
    return options.keys() <= REDUCTION_OPTIONS
