"""What becomes of exact amounts beside values of another type: exact, objects, or an error.

pandas asks the type of a column for its common type with others, and not what for: it is asked
when keys are matched, which floats do only by chance, and when a row of a frame is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pandas.api.types import is_float_dtype, is_integer_dtype, is_object_dtype, is_string_dtype

from ..errors.base import ExactnessError
from . import pandas_callers
from .pandas_callers import TypeUse

MATCHED = "exact amounts are matched with {}"
FLOATS = (
    "floats, which finds them only by chance: read the other keys as text and write "
    '.astype("decimal"), or Decimal("1.10") for a single key'
)
TEXT = (
    'text, which never finds them: write .astype("decimal") of the other keys, or '
    'Decimal("1.10") for a single key'
)
WHOLE = 'whole numbers, which pandas cannot merge: write .astype("decimal") of the other keys'


def find_common_type(exact_type: Any, other_types: Sequence[Any]) -> Any:
    """The type of exact amounts together with other types; None for objects.

    ExactnessError if they are matched: the keys of a merge, or two indexes.
    """
    type_use = pandas_callers.find_type_use()
    non_integer_types = [dtype for dtype in other_types if not is_integer_dtype(dtype)]
    if not non_integer_types:
        if other_types and type_use is TypeUse.MERGE:
            raise ExactnessError(MATCHED.format(WHOLE))
        return exact_type
    are_all_floats = all(map(is_float_dtype, non_integer_types))
    are_all_texts = all(map(_is_text, non_integer_types))
    if type_use in (TypeUse.MATCH, TypeUse.MERGE) and (are_all_floats or are_all_texts):
        raise ExactnessError(MATCHED.format(FLOATS if are_all_floats else TEXT))
    if type_use is TypeUse.JOIN and are_all_floats:
        return exact_type  # a float that is not missing is an error when it is converted
    if type_use is TypeUse.CASES and all(map(_may_be_exact, non_integer_types)):
        return exact_type
    return None


def _may_be_exact(other_type: Any) -> bool:
    """Whether a type has floats, of which all may be missing, or objects."""
    return bool(is_float_dtype(other_type) or is_object_dtype(other_type))


def _is_text(other_type: Any) -> bool:
    """Whether a type has text only."""
    return bool(is_string_dtype(other_type)) and not is_object_dtype(other_type)
