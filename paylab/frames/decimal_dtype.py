"""The pandas type of exact columns. Pandas finds their array class by this type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionDtype
from pandas.api.extensions import register_extension_dtype as register

from . import decimals
from .common_types import find_common_type
from .exact_index import ExactIndex


@register
class DecimalDtype(ExtensionDtype):
    """Exact decimals of up to 38 digits; missing values are `pd.NA`."""

    name = "decimal"
    type = Decimal
    na_value = pd.NA
    _is_numeric = True
    __repr__ = ExtensionDtype.__str__

    @property
    def pyarrow_dtype(self) -> pa.DataType:
        """The widest Arrow type of a column, for libraries that ask pandas' own Arrow types."""
        return pa.decimal128(decimals.DIGITS_MAX, decimals.SCALES[-1])

    @property
    def itemsize(self) -> int:
        """AttributeError: pandas asks for it to make numbers smaller."""
        raise AttributeError(
            "exact amounts have no smaller type: leave out downcast=, or write .astype(float)"
        )

    @property
    def index_class(self) -> Any:
        """The index of exact amounts."""
        return ExactIndex

    @classmethod
    def construct_array_type(cls) -> Any:
        """The class of columns of this type, for which pandas asks."""
        from .decimal_array import DecimalArray  # it imports this module

        return DecimalArray

    def __from_arrow__(self, array: pa.Array | pa.ChunkedArray) -> Any:
        """The column that pandas makes of decimals of Arrow, such as those of a Parquet file."""
        return self.construct_array_type()(array)

    def _get_common_dtype(self, dtypes: list[Any]) -> Any:
        """The type that pandas converts columns to before it joins or matches them."""
        other_types = [dtype for dtype in dtypes if not isinstance(dtype, DecimalDtype)]
        return find_common_type(self, other_types) if other_types else self
