"""The fast path for decimals gives the same result as the slow path, or is not used."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paylab.errors import ExactnessError
from paylab.frames import decimals

PLAIN = st.decimals(allow_nan=False, allow_infinity=False).map(lambda each: format(each, "f"))
NUMBERISH = st.text("0123456789.-", max_size=24) | PLAIN


def outcome(texts, start):
    """The type and values of a slice of a column; None if it is refused."""
    column = pa.chunked_array([pa.array(texts, pa.string()).slice(start)])
    try:
        found = decimals.read_decimals(column, "amount")
    except ExactnessError:
        return None
    return found.type, found.to_pylist()


@settings(max_examples=50)
@given(st.lists(st.none() | NUMBERISH, max_size=8), st.integers(0, 3))
def test_the_quick_way_reads_what_the_careful_way_reads(texts, start):
    """Numbers give the same result with `e0` added, which only the slow path reads."""
    careful = [text and f"{text}e0" for text in texts]
    assert outcome(texts, start) == outcome(careful, start)


@pytest.mark.parametrize("text", ["1.2.3", "1-2", "--1", "-", ".", "1.-2"])
def test_what_only_looks_like_a_number_names_its_row(text):
    """Text of digits, points and minus signs that is no number raises an error with its row."""
    column = pa.chunked_array([["1.50", text]])
    with pytest.raises(ExactnessError, match="row 1"):
        decimals.read_decimals(column, "amount")
