"""Amounts beside columns of pandas' own Arrow types, and numpy's own outputs, are exact or refused.

Pandas computed what is on the left: floats, or decimals that are cut.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from analyst_frames import failures

from paylab.errors.base import ExactnessError, FloatWarning
from paylab.frames.exact_frame import ExactFrame, ExactSeries

TEXTS = ["3.00", "7.10"]
FLOATS = pd.Series([1.1, 2.2], dtype="double[pyarrow]")
WHOLE = pd.Series([1, 2], dtype="int64[pyarrow]")
PRICES = pd.Series([Decimal("1.5"), Decimal("2.5")], dtype=pd.ArrowDtype(pa.decimal128(10, 2)))


def make_amounts():
    """Two amounts, as the column of a frame."""
    return ExactFrame({"a": pd.Series(TEXTS, dtype="decimal")})["a"]


REFUSED = {
    "*": lambda a: FLOATS * a,
    "+": lambda a: FLOATS + a,
    "/": lambda a: FLOATS / a,
    "**": lambda a: FLOATS**a,
    "a method": lambda a: FLOATS.add(a, fill_value=0),
    "numpy": lambda a: np.multiply(FLOATS, a),
    "a frame": lambda a: pd.DataFrame({"r": FLOATS}).mul(a, axis=0),
    "one amount": lambda a: FLOATS * a.iloc[0],
    "one amount on the left": lambda a: a.iloc[0] * FLOATS,
    "where of our column": lambda a: ExactSeries(FLOATS).where(FLOATS > 2, a),
    "fillna of our column": lambda a: ExactSeries([1.5, None], dtype="double[pyarrow]").fillna(a),
    "clip of our column": lambda a: ExactSeries(FLOATS).clip(a),
    "floats of 16 bits": lambda a: pd.Series([1, 2], dtype="float16") * a,
    "where of numpy": lambda a: np.add(a, a, where=np.array([True, False])),
    "where of a plain Series": lambda a: np.add(
        pd.Series(a), pd.Series(a), where=np.array([True, False])
    ),
    "out of floats": lambda a: np.add(a, a, out=np.zeros(2)),
    "safe division": lambda a: np.divide(a, a, out=np.zeros(2), where=np.array([True, False])),
    "an array of pandas": lambda a: np.add(a.array, a.array, where=np.array([True, False])),
}
EXACT = {
    "whole * a": (lambda a: WHOLE * a, ["3.00", "14.20"]),
    "whole / a": (lambda a: WHOLE / a, [str(Decimal(1) / 3), str(2 / Decimal("7.1"))]),
    "whole * one": (lambda a: WHOLE * a.iloc[0], ["3", "6"]),
    "one - whole": (lambda a: a.iloc[0] - WHOLE, ["2", "1"]),
    "one / whole": (lambda a: a.iloc[0] / WHOLE, ["3", "1.5"]),
    "nullable * one": (lambda a: WHOLE.astype("Int64") * a.iloc[0], ["3", "6"]),
    "price * a": (lambda a: PRICES * a, ["4.5", "17.75"]),
    "price / a": (lambda a: PRICES / a, ["0.5", str(Decimal("2.5") / Decimal("7.1"))]),
    "out of objects": (lambda a: np.add(a, a, out=np.zeros(2, dtype=object)), ["6", "14.2"]),
}
EQUAL = {
    "32 bits": lambda a: a == np.float32(7.1),
    "a column of 32 bits": lambda a: a == pd.Series([3, 7.1], dtype="float32"),
    "nullable, 32 bits": lambda a: a == pd.Series([3, 7.1], dtype="Float32"),
    "isin": lambda a: a.isin([np.float32(7.1)]),
    "Arrow on the left": lambda a: pd.Series([1.5, 7.1], dtype="double[pyarrow]") == a,
    "Arrow and one amount": lambda a: pd.Series([1.5, 7.1], dtype="double[pyarrow]") == a.iloc[1],
}


def test_floats_of_arrow_and_of_numpy_are_refused_on_the_left_too():
    """Also with one amount; numpy left null pointers in rows without a value, which crashed."""

    def check(idiom):
        with pytest.raises(ExactnessError):
            REFUSED[idiom](make_amounts())

    assert failures(REFUSED, check) == {}


def test_numbers_of_arrow_on_the_left_give_an_exact_column():
    """Pandas gave its own decimals, with quotients cut to 13 decimals."""

    def check(idiom):
        compute, expected = EXACT[idiom]
        result = compute(make_amounts())
        assert str(result.dtype) == "decimal"
        assert [*result] == [*map(Decimal, expected)]

    assert failures(EXACT, check) == {}


def test_a_float_of_32_bits_or_of_arrow_is_compared_as_it_is_printed():
    """It has fewer digits than the float of 64 bits that it becomes."""

    def check(idiom):
        with pytest.warns(FloatWarning):
            assert bool(EQUAL[idiom](make_amounts()).iloc[1])

    assert failures(EQUAL, check) == {}


def test_amounts_become_the_nearest_floats_of_arrow():
    """Arrow's own conversion gives 3.3000000000000003."""
    amounts = pd.Series(["3.3", "-3.3"], dtype="decimal")
    assert amounts.astype("double[pyarrow]").tolist() == [3.3, -3.3]


def test_sums_and_standard_deviations_make_one_table():
    """Their table has objects: the sum is exact, the deviation a float."""
    table = ExactFrame({"a": make_amounts(), "b": make_amounts()}).agg(["sum", "std"])
    assert table.loc["sum"].tolist() == [Decimal("10.1")] * 2
    assert [type(deviation) for deviation in table.loc["std"]] == [float, float]


def test_amounts_combined_from_text_are_an_exact_column():
    """As decimals of Arrow, their mean would be cut and their median a float."""
    amounts = {"a": Decimal("1.00"), "b": Decimal("2.00"), "c": Decimal("2.00")}
    ids = ExactSeries([*amounts], dtype="string[pyarrow]", index=[7, 8, 9], name="id")
    texts = ids.astype(pd.ArrowDtype(pa.string()))
    for other in (texts, "c"):
        combined = texts.combine(other, lambda id_, _: amounts[id_])
        assert (str(combined.dtype), combined.name, [*combined.index]) == (
            "decimal",
            "id",
            [*ids.index],
        )
        assert combined.mean() == Decimal("1.666666666666666666666666667")
        assert type(combined.median()).__name__ != "float"
    assert texts.combine(texts, max).dtype == texts.dtype
