"""The quick way to decimals gives what the careful way gives, or leaves it to that."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.errors import ExactnessError
from paylab.frames import decimals

NUMBERISH = st.text("0123456789.-", max_size=24) | st.decimals(allow_nan=False).map(str)


def exact(text):
    """What a text stands for, or None."""
    return Decimal(text) if text and text.strip() else None


@given(st.lists(st.none() | NUMBERISH, max_size=8), st.integers(0, 3))
def test_quick_is_exact_or_not_taken(texts, start):
    """Whatever stands in the column, also when it is a piece of a longer one."""
    column = pa.chunked_array([pa.array(texts, pa.string()).slice(start)])
    quick = decimals._usual(column)
    if quick is not None:
        assert quick.values.to_pylist() == [exact(text) for text in texts[start:]]
        kind = quick.values.type
        assert quick.integers + quick.places <= kind.precision
        assert quick.values.type == decimals.working_type(*decimals.measure(column))


@pytest.mark.parametrize("text", ["1.2.3", "1-2", "--1", "-", ".", "1.-2"])
def test_what_only_looks_like_a_number_names_its_row(text):
    """It is made of the right characters."""
    column = pa.chunked_array([["1.50", text]])
    with pytest.raises(ExactnessError, match="row 1"):
        decimals.read(column, "amount")
