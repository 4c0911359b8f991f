"""What an analyst of payments writes that has no exact result: a float, or an error.

Where a library gives no hook, its own error is stated, so that notebook 80 can name it.
"""

from __future__ import annotations

import json
import math
import statistics
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from analyst_frames import KEYS, NAN, SETS, D, changed, failures, flat, make_frame

from paylab.errors import ConfigError, ExactnessError
from paylab.frames import FloatWarning, ObjectColumnError
from paylab.spec.money import Amount

FLOATS = {
    **{
        f"{function.__name__} of numpy": lambda s, f, function=function: function(s)
        for function in (np.cov, np.corrcoef, np.histogram_bin_edges, np.nanstd)
    },
    **{
        f"{how} of an array": lambda s, f, how=how: getattr(s.values, how)()
        for how in ("std", "var", "skew")
    },
    "std of numpy on an array": lambda s, f: np.std(s.values),
    "sum of floats of an array": lambda s, f: s.values.sum(dtype=float),
    "running floats of an array": lambda s, f: np.cumsum(s.values, dtype=float),
    "covariance of a frame": lambda s, f: np.cov(f[["a", "b"]], rowvar=False),
    "regression": lambda s, f: np.polyfit(f.n, s, 1),
    "histogram": lambda s, f: np.histogram(s, 3)[1],
    "interpolated": lambda s, f: np.interp([1, 2], f.n, s),
    **{
        f"{name} of objects": lambda s, f, name=name: getattr(np, name)(s.abs().to_numpy() + 1)
        for name in ("log", "log1p", "log2", "cbrt")
    },
    "log of an element": lambda s, f: np.log(abs(s[0])),
    "fsum": lambda s, f: math.fsum(s),
    "fmean": lambda s, f: statistics.fmean(s),
    "geometric mean": lambda s, f: statistics.geometric_mean(s.abs()),
    "correlation by rows": lambda s, f: f[["a", "b"]].corrwith(f.n),
    "autocorrelation": lambda s, f: s.autocorr(),
    "std of a resample": lambda s, f: f.set_index("at").a.resample("2D").std(),
    "description of groups": lambda s, f: f.groupby("k").a.describe(),
    "std of groups of objects": lambda s, f: s.astype(object).groupby(KEYS).std(),
    "share of the rank": lambda s, f: s.rank(pct=True),
    "square roots of eval": lambda s, f: f.eval("sqrt(a)"),
    "mean of polars": lambda s, f: pl.from_pandas(f)["a"].mean(),
    "quantile of polars": lambda s, f: pl.from_pandas(f)["a"].quantile(0.5),
    "mean of the amounts of single payments": lambda s, f: (
        pd.Series([Amount(number) for number in s.tolist()]).groupby(KEYS).mean()
    ),
    "average of DuckDB": lambda s, f: query_duckdb(f, "avg(a)"),
}
REFUSED = {
    "np.maximum of a frame and a float": lambda s, f: np.maximum(f[["a", "b"]], 5.5),
    **{
        f"element {name}": lambda s, f, name=name: getattr(s[0], name)(1)
        for name in ("next_minus", "next_plus", "next_toward", "rotate")
    },
    "the sum of amounts and a float": lambda s, f: np.where(s > 0, s, 0.0).sum(),
    "a sum that starts with a float": lambda s, f: sum(s, 0.0),
    "rates that are floats": lambda s, f: s * f.k.map({"x": 17.1, "y": 0.5}),
    "z-scores": lambda s, f: (s - s.mean()) / s.std(),
    "outliers by a float": lambda s, f: s[s > 1.5 * s.quantile(0.75)],
    "clip by floats": lambda s, f: s.clip(0.0, 10.0),
    "clip of numpy by floats": lambda s, f: np.clip(s, 0.0, 5.5),
    "filled differences": lambda s, f: s.sub(s[1:], fill_value=0.0),
    "a cell that is a float": lambda s, f: changed(s, 0, 1.5),
    "products of a frame": lambda s, f: f[["a", "b"]] * 1.5,
    "gradient": lambda s, f: np.gradient(s),
    "trapezoid": lambda s, f: np.trapezoid(s),
    "convolution with floats": lambda s, f: np.convolve(s, np.ones(2), "valid"),
    "percentile of groups": lambda s, f: f.groupby("k").a.agg(lambda c: np.percentile(c, 95)),
    "percentile without missing": lambda s, f: np.nanpercentile(s, 95),
    "correlation of the standard library": lambda s, f: statistics.correlation(s, s),
    "dummies of masks": lambda s, f: pd.get_dummies(f.k).mul(s, axis=0),
    "an interpolated resample": lambda s, f: f.set_index("at").a.resample("12h").interpolate(),
    "mean of an exploded list": lambda s, f: pd.Series([list(s)]).explode().mean(),
    "mean of records": lambda s, f: pd.DataFrame(f.to_dict("records")).a.mean(),
    "mean of groups of records": lambda s, f: (
        pd.DataFrame(f.to_dict("records")).groupby("k").a.mean()
    ),
    "quantile of records": lambda s, f: pd.DataFrame(f.to_dict("records")).a.quantile(0.5),
    "mean beside a column of floats": lambda s, f: pd.concat([s, pd.Series([0.5])]).mean(),
    "eval with a float": lambda s, f: f.eval("a * 1.5"),
    "fractional parts": lambda s, f: np.modf(s),
    "fractional part of an element": lambda s, f: np.modf(s[0]),
    "bins that are amounts": lambda s, f: pd.cut(s, [s.min() - 1, s[1], s.max() + 1]),
    "sum beside text of numbers": lambda s, f: f.assign(z=s.astype(str))[["a", "z"]].sum(axis=1),
    "sum of a column with a float": lambda s, f: f.assign(z=np.where(s > 0, s, 0.0)).z.sum(),
}
STATED = {
    "text keys": (lambda s, f: pd.merge(f, text_keys(f), on="a"), ValueError, "decimal and str"),
    "ordered text keys": (
        lambda s, f: pd.merge_ordered(f, text_keys(f), on="a"),
        ValueError,
        "decimal and str",
    ),
    "the nearest amount": (
        lambda s, f: pd.merge_asof(f.sort_values("a"), f.sort_values("a"), on="a"),
        TypeError,
        "No matching signature",
    ),
    "decimal bins of cut": (lambda s, f: pd.cut(s, [D(-10), D(0)]), TypeError, "isfinite"),
    "histogram of a plain column": (
        lambda s, f: np.histogram(pd.Series(s)),
        TypeError,
        "Cannot interpret",
    ),
    "corrcoef of a plain column": (
        lambda s, f: np.corrcoef(pd.Series(s), pd.Series(s)),
        AttributeError,
        "shape",
    ),
    "NaN in objects": (lambda s, f: np.isnan(s.to_numpy()), TypeError, "isnan"),
    "JSON": (lambda s, f: json.dumps(list(s)), TypeError, "not JSON serializable"),
    "largest objects": (lambda s, f: s.astype(object).nlargest(2), TypeError, "dtype object"),
    "running sums of groups of objects": (
        lambda s, f: s.astype(object).groupby(KEYS).cumsum(),
        TypeError,
        "not supported for object",
    ),
    "DuckDB without a column of Arrow": (
        lambda s, f: duckdb.query_df(f, "f", "select sum(a) from f"),
        duckdb.Error,
        "'decimal' not recognized",
    ),
}


def text_keys(frame):
    """Books with the amounts as text."""
    return pd.DataFrame({"a": frame["a"].astype(str), "row": 1})


def query_duckdb(frame, expression):
    """The value of an expression of DuckDB over the Arrow table of a frame."""
    rows = frame.paylab.arrow()
    with duckdb.connect() as connection:
        return connection.from_arrow(rows).aggregate(expression).fetchall()[0][0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("kind", SETS)
def test_a_statistic_of_an_analyst_is_a_float(kind):
    """A statistic is a float for every value."""

    def check_floats(idiom):
        frame = make_frame([*map(D, SETS[kind])])
        found = flat(FLOATS[idiom](frame["a"], frame))
        assert all(isinstance(value, float) for value in found if value is not None)
        assert found

    assert failures(FLOATS, check_floats) == {}


@pytest.mark.parametrize("kind", SETS)
def test_an_inexact_idiom_of_an_analyst_says_what_to_write(kind):
    """The error says what to write, also where pandas raises it again as its own."""

    def check_refusal(idiom):
        frame = make_frame([*map(D, SETS[kind])])
        with pytest.raises((ExactnessError, ObjectColumnError, TypeError), match="write"):
            REFUSED[idiom](frame["a"], frame)

    assert failures(REFUSED, check_refusal) == {}


@pytest.mark.parametrize(("ask", "error", "words"), STATED.values(), ids=STATED)
def test_what_has_no_hook_stops_with_the_error_of_the_library(ask, error, words):
    """Notebook 80 names these; no one of them gives a wrong number."""
    frame = make_frame([*map(D, SETS["small"])])
    with pytest.raises(error, match=words):
        ask(frame["a"], frame)


@pytest.mark.parametrize("of", [lambda s: s.sum(), lambda s: s[0] + D("-3.85")])
def test_a_comparison_of_an_amount_with_a_float_warns(of):
    """`==` and `!=` warn at the line of the caller; `<` does not, nor a whole number."""
    amount = of(make_frame([*map(D, SETS["small"])])["a"])
    with pytest.warns(FloatWarning, match="taken as it is printed") as caught:
        assert (amount == 6.4, amount != 6.4) == (True, False)
    assert {warning.filename for warning in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert amount <= 6.4
        assert (amount == NAN, amount != NAN) == (False, True)
        assert (amount == 0.0, amount != math.inf) == (False, True)


def test_methods_of_an_element_return_elements():
    """What changes only the sign, or cuts decimals, still computes exactly."""
    amount = make_frame([*map(D, SETS["30 digits"])])["a"][0]
    for found in (
        amount.copy_abs(),
        -amount.copy_negate(),
        amount.copy_sign(1),
        amount.to_integral_value(),
        amount.max_mag(0),
        amount.remainder_near(10**30) + 0,
    ):
        assert found + D("1e-9") - D("1e-9") == amount


def test_a_frame_is_rounded_by_a_dict():
    """`round` with a dict or a series rounds exact columns too; pandas skips them."""
    frame = make_frame([*map(D, SETS["small"])])
    for places in ({"a": 1}, pd.Series({"a": 1, "n": 0})):
        rounded = frame.round(places)
        assert rounded["a"].tolist() == [D("10.2"), D("3.1"), D("-7.0"), D("0.0")]
        assert rounded["b"].tolist() == frame["b"].tolist()


def test_a_csv_has_the_decimal_mark_that_was_asked_for():
    """`decimal` also counts for exact columns; pandas writes a point there."""
    frame = make_frame([*map(D, SETS["small"])])[["a", "n"]]
    text = frame.to_csv(sep=";", decimal=",", index=False)
    assert text.split() == ["a;n", "10,25;1", "3,10;2", "-7,00;3", "0,05;4"]
    assert frame.to_csv(index=False).split()[1] == "10.25,1"
    assert frame["a"].to_csv(decimal=",", sep=";", index=False).split() == [
        *("a", "10,25", "3,10", "-7,00", "0,05"),
    ]


def test_a_csv_has_its_decimal_mark_in_labels_and_repeated_columns():
    """`decimal` counts for amounts in an index, a column index and columns of one name."""
    frame = make_frame([*map(D, SETS["small"])])[["a", "n"]].head(2)
    by_amount = frame.set_index("a")
    assert by_amount.to_csv(sep=";", decimal=",").split() == ["a;n", "10,25;1", "3,10;2"]
    by_both = frame.assign(z=0.5).set_index(["a", "n"])
    assert by_both.to_csv(sep=";", decimal=",").split() == ["a;n;z", "10,25;1;0,5", "3,10;2;0,5"]
    assert by_amount.T.to_csv(sep=";", decimal=",").split() == [";10,25;3,10", "n;1;2"]
    repeated = frame[["a", "a"]].to_csv(sep=";", decimal=",", index=False)
    assert repeated.split() == ["a;a", "10,25;10,25", "3,10;3,10"]
    assert by_amount.index.tolist() == [D("10.25"), D("3.10")]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (lambda f: f.assign(z=0.5).paylab.rolling(2)["z"], r"it has floats: write frame\.rolling"),
        (lambda f: f[["n"]].paylab.rolling(2), r"no exact column: write frame\.rolling\(2\)"),
        (lambda f: f.paylab.rolling(2)["k"], "is not an exact column of the frame: it has a, b"),
        (lambda f: f[["k"]].paylab.rolling(2)["k"], "it has none"),
    ],
)
def test_windows_of_a_column_without_amounts_are_refused(column, words):
    """The error says what the column has, and which columns have amounts."""
    with pytest.raises(ConfigError, match=words):
        column(make_frame([D(1)] * 4)).sum()
