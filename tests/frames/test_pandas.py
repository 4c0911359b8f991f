"""What pandas does with exact columns equals what it does with floats that lose nothing."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from analyst_frames import failures

from paylab.errors import ExactnessError
from paylab.frames import (
    DecimalArray,
    DecimalDtype,
    WindowError,
    pandas_callers,
)
from paylab.frames.pandas_callers import is_statistic_or_window, is_window

D = Decimal
VALUES = [1.25, None, -2.5, 3.75, 0.0, 3.75, 15.0, -25.0, None, 0.25]
KEYS = ["a", "a", "b", "b", "a", "b", "c", "a", "d", None]
FLOATS = pd.Series(VALUES, dtype=float)
EXACT = pd.Series(
    [value if value is None else D(str(value)) for value in VALUES], dtype=DecimalDtype()
)


def grouped(ask):
    """An operation on the groups of a column."""
    return lambda column: ask(column.groupby(KEYS))


def changed(key, value):
    """A copy of the column with other values at some places."""

    def change(column):
        found = column.copy()
        found.iloc[key] = value
        return found

    return change


OPERATIONS = {
    **{
        f"{name} {how}": lambda c, name=name, how=how: getattr(c, name)(**how)
        for name in ("sum", "prod", "mean", "median", "min", "max", "std", "var", "sem", "skew")
        for how in ({}, {"skipna": False})
    },
    **{
        f"{name} of a full column {how}": lambda c, name=name, how=how: getattr(c.dropna(), name)(
            **how
        )
        for name, how in (
            ("sum", {"skipna": False}),
            ("std", {"ddof": 0}),
            ("var", {"ddof": 2}),
            ("any", {}),
            ("all", {}),
            ("kurt", {}),
        )
    },
    **{
        f"sum of at least {least}": lambda c, least=least: c.sum(min_count=least)
        for least in (0, 1, 8, 9)
    },
    **{
        f"quantile {share} {how}": lambda c, share=share, how=how: c.quantile(share, how)
        for share in (0, 0.1, 0.5, 0.75, 1)
        for how in ("linear", "lower", "higher", "midpoint", "nearest")
    },
    **{
        f"nearest quantile {share} of three": lambda c, share=share: c[[0, 2, 3]].quantile(
            share, "nearest"
        )
        for share in (0.25, 0.75)
    },
    **{
        f"{name} skipna={skipna}": lambda c, name=name, skipna=skipna: getattr(c, name)(
            skipna=skipna
        )
        for name in ("cumsum", "cumprod", "cummin", "cummax")
        for skipna in (True, False)
    },
    **{
        f"{name} of groups": grouped(lambda g, name=name: getattr(g, name)())
        for name in (
            *("sum", "prod", "mean", "median", "min", "max", "first", "last", "count", "nunique"),
            *("cumsum", "cumprod", "cummin", "cummax", "rank", "any", "all", "std", "var", "sem"),
        )
    },
    **{
        f"{name} of groups, at least {least}": grouped(
            lambda g, name=name, least=least: getattr(g, name)(min_count=least)
        )
        for name in ("sum", "min", "max", "prod", "first", "last")
        for least in (0, 1, 2, 3)
    },
    "running sum of groups with gaps": grouped(lambda g: g.cumsum(skipna=False)),
    "sum of groups with gaps": grouped(lambda g: g.sum(skipna=False)),
    "variance of groups": grouped(lambda g: g.var(ddof=0)),
    "sum of no groups": lambda c: c[:0].groupby([]).sum(),
    **{f"rounded to {places}": lambda c, p=places: c.round(p) for places in (-2, -1, 0, 1, 2, 3)},
    **{
        f"{word} {number}": lambda c, number=number, op=op: op(c, number)
        for word, op in {
            "over": lambda c, n: c // n,
            "rest of": lambda c, n: c % n,
            "divided": lambda c, n: c / n,
            "plus": lambda c, n: c + n,
            "minus": lambda c, n: c - n,
            "times": lambda c, n: c * n,
            "into": lambda c, n: n // c[[0, 2, 3]],
            "in rest": lambda c, n: n % c[[0, 2, 3]],
            "from": lambda c, n: n - c,
        }.items()
        for number in (2, -2, 5)
    },
    **{
        f"{name} {number}": lambda c, name=name, number=number: getattr(c, name)(number)
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
        for number in (0, 4, float("inf"), float("-inf"), None)
    },
    "equal to a list": lambda c: c == [0, 0, -2, 3, 0, 4, 15, 1, 2, 3],
    "plus a list": lambda c: c.add(list(range(10))),
    "negative": lambda c: -c,
    "positive": lambda c: +c,
    "absolute": abs,
    **{
        f"sorted, {up}, missing {end}": lambda c, up=up, end=end: c.sort_values(
            ascending=up, na_position=end, kind="stable"
        )
        for up in (True, False)
        for end in ("first", "last")
    },
    "ranks": lambda c: c.rank(),
    "largest": lambda c: c.nlargest(3),
    "smallest": lambda c: c.nsmallest(2),
    "place of the largest": lambda c: c.idxmax(),
    "distinct": lambda c: c.drop_duplicates(),
    "repeated": lambda c: c.duplicated(),
    "counts": lambda c: c.value_counts(dropna=False).sort_index(),
    "codes": lambda c: pd.factorize(c)[0],
    "codes of missing ones": lambda c: pd.factorize(c, use_na_sentinel=False)[0],
    "among": lambda c: c.isin([0, 15]),
    "among missing ones": lambda c: c.isin([0, float("nan")]),
    "missing": lambda c: c.isna(),
    "every other": lambda c: c.iloc[1::2],
    "backwards": lambda c: c.iloc[::-1],
    "from the end": lambda c: c.iloc[-3:-1],
    "an empty slice": lambda c: c.iloc[5:2],
    "some": lambda c: c.iloc[[0, -1, 2]],
    "the last": lambda c: c.iloc[-1],
    "by a mask": lambda c: c[[True, False] * 5],
    "shifted": lambda c: c.shift(2),
    "shifted and filled": lambda c: c.shift(-1, fill_value=7),
    "other rows": lambda c: c.reindex([9, 0, 20]),
    "other rows filled": lambda c: c.reindex([9, 0, 20], fill_value=5),
    "filled": lambda c: c.fillna(100),
    "filled forward": lambda c: c.ffill(),
    "where": lambda c: c.where(c > 0),
    "one changed": changed(1, 4),
    "one removed": changed(0, None),
    "some changed": changed([1, 3], [4, 5]),
    "a slice changed": changed(slice(0, 2), 8),
    "as numbers": lambda c: c.to_numpy(float),
    "as numbers, missing as zero": lambda c: c.to_numpy(float, na_value=0),
    "as objects": lambda c: c.to_numpy(),
    "as objects, missing as zero": lambda c: c.to_numpy(object, na_value=0),
    "as small numbers": lambda c: c.astype("float32"),
    "as whole numbers": lambda c: (c * 4).dropna().astype("int64"),
    "together": lambda c: pd.concat([c, c * 3], ignore_index=True),
    "with integers": lambda c: pd.concat([c, pd.Series([1, 2])], ignore_index=True),
    "as JSON": lambda c: [None if each is None else float(each) for each in as_json(c)],
    "a function of each": lambda c: c.dropna().map(lambda value: value * 2),
    "in bins": lambda c: pd.cut(c, [-30, 0, 2, 30]).cat.codes,
}


def as_json(column):
    """The values that a JSON file of the column has."""
    import json

    return json.loads(column.to_json(orient="values"))


def plain(found):
    """A result as floats and None, whatever holds it."""
    if isinstance(found, pd.Series | np.ndarray | pd.Index | list):
        return [plain(each) for each in found]
    return None if pd.isna(found) else round(float(found), 9)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_exact_column_does_what_a_column_of_floats_does():
    """The same values, in the same rows, are missing in the same places."""

    def compare(name):
        assert plain(OPERATIONS[name](EXACT)) == plain(OPERATIONS[name](FLOATS))

    assert failures(OPERATIONS, compare) == {}


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda c: c + "5", TypeError, r"amounts do not compute with '5': write Decimal\("),
        (lambda c: c * [1.5] * 10, ExactnessError, "is not exact|are not exact"),
        (lambda c: c * True, TypeError, "amounts do not compute with True"),
        (lambda c: c + {0: 10, 1: 20}, TypeError, r"dict.*: write pd\.Series\(values\)"),
        (lambda c: np.add({0: 10}, c), TypeError, "dict, whose keys"),
        (lambda c: c == {0: 10}, TypeError, "dict, whose keys"),
        (lambda c: c < {1, 2}, TypeError, "set, which has no order"),
        (lambda c: c.copy().__setitem__(slice(1), {0: 10}), TypeError, "dict, whose keys"),
        (lambda c: c.copy().__setitem__(slice(2), {1, 2}), TypeError, "set, which has no order"),
        (lambda c: c > "much", TypeError, "amounts do not compare with 'much'"),
        (lambda c: c > object(), TypeError, "amounts do not compare"),
        (lambda c: c.array - [1, 2], ValueError, "2 values beside a column of 10"),
        (lambda c: c.array.take([-2], allow_fill=True), ValueError, "-1 or more"),
        (lambda c: c.fillna("much"), ExactnessError, "'much' is not a number"),
        (lambda c: c.fillna(""), ExactnessError, r'no amount: write None .* \.astype\("string"\)'),
        (lambda c: c.where(c > 2, " "), ExactnessError, "blank text is no amount"),
        (lambda c: c.replace(c[0], ""), ExactnessError, "blank text is no amount"),
        (lambda c: pd.to_numeric(c, downcast="float"), AttributeError, "leave out downcast="),
        (lambda c: c.fillna(0.5), ExactnessError, r"0\.5 is a float|floats are not exact"),
        (lambda c: pd.Series([D(1), 0.5], dtype=c.dtype), ExactnessError, r"0\.5 is a float"),
        (lambda c: pd.Series([D(1), "much"], dtype=c.dtype), ExactnessError, "'much' is not a nu"),
        (lambda c: DecimalArray(pa.array([1])), TypeError, "takes Arrow decimals, not int64"),
    ],
)
def test_what_is_no_amount_is_refused(ask, error, words):
    """Text, floats, booleans and columns of another length are errors."""
    with pytest.raises(error, match=words):
        ask(EXACT)


@pytest.mark.parametrize(
    ("ask", "found"),
    [
        (lambda c: (c == "1.25").sum(), 1),
        (lambda c: (c != "much").sum(), 10),
        (lambda c: (c > "1.25").sum(), 2 + 1),
        (lambda c: (c == True).sum(), 0),  # noqa: E712 - a boolean is no amount
        (lambda c: (c + None).isna().sum(), 10),
        (lambda c: c.array.take([-1, 0], allow_fill=True).isna().tolist(), [True, False]),
        (lambda c: c.array.take([-3, 0]).tolist(), [D("-25.0"), D("1.25")]),
        (lambda c: c.isin(["1.25", 4]).sum(), 1),
        (lambda c: str(pd.concat([c, pd.Series(["much"])]).dtype), "object"),
        (lambda c: c.to_frame("a").sum(numeric_only=True).tolist(), [D("-3.5")]),
        (lambda c: c.to_frame("a").any().tolist(), [True]),
        (lambda c: str((c * 0).to_frame("a").all().dtype), "bool"),
        (lambda c: c.astype("string")[0], "1.25"),
        (lambda c: c.astype("decimal").dtype == c.dtype, True),
        (lambda c: repr(c.dtype), "decimal"),
        (lambda c: str(c.to_frame("a").head(2)).split()[-2:], ["1", "<NA>"]),
        (lambda c: pd.array(["1.5", None], dtype="decimal").tolist(), [D("1.5"), pd.NA]),
        (
            lambda c: pd.Series([D(1), float("nan"), "2", None], dtype=c.dtype).tolist(),
            [D(1), pd.NA, D(2), pd.NA],
        ),
    ],
)
def test_what_floats_do_not_do(ask, found):
    """Texts of numbers compare, an amount and nothing is nothing, and no amount becomes a float."""
    assert ask(EXACT) == found


@pytest.mark.parametrize("text", ["1", "1234567890123.25", "1" * 36])
def test_numpy_gets_decimals_whatever_the_values_are(text):
    """A column becomes an array of exact elements, for few digits and for many."""
    column = pd.Series([D(text)], dtype=DecimalDtype())
    assert np.asarray(column).dtype == object
    assert np.asarray(column)[0] == D(text)
    assert np.array(column).sum() * 3 == Context(prec=99).multiply(D(text), D(3))


@pytest.mark.parametrize(
    ("ask", "use"),
    [
        (lambda c: c.rolling(2).sum(), "frame.paylab.rolling(2).sum(), which is exact"),
        (lambda c: c.rolling(3).quantile(0.5), "frame.paylab.rolling(3).quantile(0.95), "),
        (lambda c: c.expanding().mean(), "frame.paylab.rolling(len(frame), min_periods=1).mean()"),
        (lambda c: c.ewm(2).mean(), "write amounts.astype(float).ewm(...).mean()"),
        (lambda c: c.rolling(2).std(), "write amounts.astype(float).rolling(2).std()"),
        (lambda c: c.groupby(KEYS).rolling(2).sum(), "frame.paylab.rolling(2, by=...).sum()"),
        (lambda c: c.to_frame("a").rolling(2).agg({"a": "max"}), "rolling(2).max(), which"),
    ],
)
def test_windows_of_pandas_are_refused_by_name(ask, use):
    """pandas would compute them with floats; the error passes pandas and says what to write."""
    with pytest.raises(WindowError, match=re.escape(use)) as caught:
        ask(EXACT)
    assert not isinstance(caught.value, ValueError | TypeError)
    windows = [window.dropna().sum() for window in EXACT.rolling(2)]
    assert windows[:4] == [D("1.25"), D("1.25"), D("-2.50"), D("1.25")]


def test_the_modules_of_pandas_that_are_told_apart_are_there():
    """`nlargest`, windows and statistics convert values in the modules that are known by name."""
    assert pandas_callers.has_windows()
    assert pandas_callers.has_statistics()
    source = Path(import_module(pandas_callers.RANKING_MODULE).__file__).read_text()
    assert "np.asarray(arr)" in source
    for is_asked in (is_window, is_statistic_or_window):
        answers: list[bool] = []
        names = {"__name__": "pandas.core.moved", "ask": is_asked, "answers": answers}
        exec(OTHER_VERSION, names)
        assert answers == [True]
    assert EXACT.nlargest(2).tolist() == [D("15.00"), D("3.75")]


OTHER_VERSION = """
def to_numpy():
    answers.append(ask(is_known=False))

def prepared():
    to_numpy()

prepared()
"""
