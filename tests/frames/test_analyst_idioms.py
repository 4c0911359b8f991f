"""Single amounts, numpy and comparisons with floats as an analyst of payments writes them.

On small values, 18 decimals and 30 digits; the expected values are those of plain Decimal.
"""

from __future__ import annotations

import bisect
import collections
import copy
import functools
import heapq
import math
import operator
import pickle
import statistics
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
import pandas as pd
import pytest
from analyst_frames import NAN, SETS, D, check, failures

ELEMENTS = {
    "sorted": (lambda s, f: sorted(s), sorted),
    "sorted reverse key": (
        lambda s, f: sorted(s, key=lambda x: -x),
        lambda v: sorted(v, reverse=True),
    ),
    "heapq": (lambda s, f: heapq.nlargest(2, s), lambda v: sorted(v, reverse=True)[:2]),
    "bisect": (
        lambda s, f: [bisect.bisect(sorted(s), D(0))],
        lambda v: [bisect.bisect(sorted(v), D(0))],
    ),
    "math.prod": (lambda s, f: math.prod(s), lambda v: [math.prod(v)]),
    "math.floor": (lambda s, f: [math.floor(x) for x in s], lambda v: [math.floor(x) for x in v]),
    "math.ceil": (lambda s, f: [math.ceil(x) for x in s], lambda v: [math.ceil(x) for x in v]),
    "math.trunc": (lambda s, f: [math.trunc(x) for x in s], lambda v: [math.trunc(x) for x in v]),
    "statistics.mean": (lambda s, f: statistics.mean(s), lambda v: [sum(v) / 4]),
    "statistics.median": (lambda s, f: statistics.median(s), lambda v: [statistics.median(v)]),
    "statistics.quantiles": (
        lambda s, f: statistics.quantiles(s, n=4),
        lambda v: statistics.quantiles(v, n=4),
    ),
    "Fraction": (lambda s, f: [Fraction(x) for x in s], lambda v: [Fraction(x) for x in v]),
    "Fraction sum": (lambda s, f: sum(map(Fraction, s)), lambda v: [sum(map(Fraction, v))]),
    "Decimal(element)": (lambda s, f: [D(x) for x in s], lambda v: v),
    "sum with a start": (lambda s, f: sum(s, D(0)), lambda v: [sum(v)]),
    "Decimal - element": (
        lambda s, f: [D("0.001") - x for x in s],
        lambda v: [D("0.001") - x for x in v],
    ),
    "reduce add": (lambda s, f: functools.reduce(operator.add, s), lambda v: [sum(v)]),
    "accumulate": (lambda s, f: list(accumulate(s)), lambda v: list(accumulate(v))),
    "Counter": (lambda s, f: [collections.Counter(s)[s[0]]], lambda v: [1]),
    "dict of": (lambda s, f: dict.fromkeys(s, 1)[D(s[0])], lambda v: [1]),
    "element quantize": (
        lambda s, f: [x.quantize(D("0.01")) for x in s],
        lambda v: [x.quantize(D("0.01")) for x in v],
    ),
    "element remainder_near": (
        lambda s, f: [x.remainder_near(D(3)) for x in s],
        lambda v: [x.remainder_near(D(3)) for x in v],
    ),
    "np.sign": (
        lambda s, f: np.sign(s.where(s > -3)),
        lambda v: [((x > 0) - (x < 0) if x > -3 else None) for x in v],
    ),
    "np.sort of missing": (
        lambda s, f: np.sort(s.where(s > 0)),
        lambda v: [*sorted(x for x in v if x > 0), *(None for x in v if x <= 0)],
    ),
    "np.unique of missing": (
        lambda s, f: np.unique(pd.concat([s, s]).where(lambda s: s > 0)),
        lambda v: [*sorted(x for x in v if x > 0), None],
    ),
    "np.unique": (lambda s, f: np.unique(pd.concat([s, s])), sorted),
    "np.fmod of a frame": (
        lambda s, f: np.fmod(f[["a", "b"]], 3),
        lambda v: [x % 3 for x in v] * 2,
    ),
    "np.square of a frame": (
        lambda s, f: np.square(f[["a"]].where(f.a.abs() < 100, 2)),
        lambda v: [x**2 if abs(x) < 100 else 4 for x in v],
    ),
    "np.add.accumulate of a frame": (
        lambda s, f: np.add.accumulate(f[["a", "b"]]),
        lambda v: [*accumulate(v)] * 2,
    ),
    "np.maximum of a frame": (
        lambda s, f: np.maximum(f[["a", "b"]].where(f.a > 0), D("5.5")),
        lambda v: [max(x, D("5.5")) if x > 0 else None for x in v] * 2,
    ),
    "np.maximum of two frames": (
        lambda s, f: np.maximum(f[["a"]], pd.DataFrame({"a": [1, 2, 3]})),
        lambda v: [*map(max, v, [1, 2, 3]), None],
    ),
    "np.maximum beside a plain column": (
        lambda s, f: np.maximum(f.a, pd.Series([1, 2, 3, 4])),
        lambda v: [*map(max, v, [1, 2, 3, 4])],
    ),
    "np.minimum after a plain column": (
        lambda s, f: np.minimum(pd.Series([1, 2], index=[0, 9]), f.a),
        lambda v: [min(1, v[0]), None, None, None, None],
    ),
    "np.fmax of NA": (lambda s, f: np.fmax(f.a, pd.NA), lambda v: v),
    "np.maximum of NA": (lambda s, f: np.maximum(pd.NA, f.a), lambda v: [None] * 4),
    "element shift": (lambda s, f: [x.shift(2) for x in s], lambda v: [x.shift(2) for x in v]),
    "element to_integral": (
        lambda s, f: [x.to_integral_value() for x in s],
        lambda v: [x.to_integral_value() for x in v],
    ),
    "element to_integral_exact": (
        lambda s, f: [x.to_integral_exact() for x in s],
        lambda v: [x.to_integral_exact() for x in v],
    ),
    "element int": (lambda s, f: [int(x) for x in s], lambda v: [int(x) for x in v]),
    "element fmt .2f": (lambda s, f: [f"{x:.2f}" for x in s], lambda v: [f"{x:.2f}" for x in v]),
    "element fmt ,.2f": (lambda s, f: [f"{x:,.2f}" for x in s], lambda v: [f"{x:,.2f}" for x in v]),
    "element copy_abs": (
        lambda s, f: [x.copy_abs() + D("1e-30") for x in s],
        lambda v: [abs(x) + D("1e-30") for x in v],
    ),
    "element copy_negate arithmetic": (
        lambda s, f: [x.copy_negate() + D("1e-30") for x in s],
        lambda v: [-x + D("1e-30") for x in v],
    ),
    "round(elem)": (lambda s, f: [round(x) for x in s], lambda v: [round(x) for x in v]),
    "round(elem,2)": (lambda s, f: [round(x, 2) for x in s], lambda v: [round(x, 2) for x in v]),
    "round(elem,-1)": (lambda s, f: [round(x, -1) for x in s], lambda v: [round(x, -1) for x in v]),
    "deepcopy": (
        lambda s, f: [x + D("1e-30") for x in copy.deepcopy(list(s))],
        lambda v: [x + D("1e-30") for x in v],
    ),
    "pickle": (
        lambda s, f: [x + D("1e-30") for x in pickle.loads(pickle.dumps(list(s)))],
        lambda v: [x + D("1e-30") for x in v],
    ),
    "pickle frame": (lambda s, f: pickle.loads(pickle.dumps(f)).a.sum(), lambda v: [sum(v)]),
    "sum of generator": (
        lambda s, f: sum(x for x in s if x > 0),
        lambda v: [sum(x for x in v if x > 0)],
    ),
    "zip product": (
        lambda s, f: sum(map(operator.mul, f.a, f.b)),
        lambda v: [sum(x * x for x in v)],
    ),
    "itertuples": (lambda s, f: sum(r.a for r in f.itertuples()), lambda v: [sum(v)]),
    "iterrows": (lambda s, f: sum(r["a"] for _, r in f.iterrows()), lambda v: [sum(v)]),
    "to_dict records": (lambda s, f: sum(r["a"] for r in f.to_dict("records")), lambda v: [sum(v)]),
    "to_dict list": (lambda s, f: sum(f.to_dict("list")["a"]), lambda v: [sum(v)]),
    "to_records": (lambda s, f: sum(f.to_records()["a"]), lambda v: [sum(v)]),
    "np.int64 * element": (lambda s, f: np.int64(2) * s[0], lambda v: [2 * v[0]]),
    "element * np.int64": (lambda s, f: s[0] * np.int64(2), lambda v: [2 * v[0]]),
    "integers of numpy * element": (
        lambda s, f: np.arange(3) * s[0],
        lambda v: [i * v[0] for i in range(3)],
    ),
    "element * a column of integers": (
        lambda s, f: s[0] * f.n,
        lambda v: [v[0] * i for i in (1, 2, 3, 4)],
    ),
    "sum * a column of integers": (lambda s, f: (s.sum() * f.n).sum(), lambda v: [sum(v) * 10]),
    "element == an array": (lambda s, f: s[0] == np.array(s), lambda v: [x == v[0] for x in v]),
}

OF_NUMPY = {
    "np.sum of an array with a start": (
        lambda s, f: np.sum(s.values, initial=D(5)),
        lambda v: [sum(v) + 5],
    ),
    "np.sum of a part of an array": (
        lambda s, f: np.sum(s.values, where=np.asarray(s > 0), initial=0),
        lambda v: [sum(x for x in v if x > 0)],
    ),
    "np.max of an array with a start": (
        lambda s, f: np.max(s.values, axis=0, initial=0),
        lambda v: [max(*v, 0)],
    ),
    "running sum of an array": (
        lambda s, f: list(s.values.cumsum()),
        lambda v: [*accumulate(v)],
    ),
    "np.fmod": (
        lambda s, f: np.fmod(s, 3),
        lambda v: [x % 3 for x in v],
    ),
    "values sum": (lambda s, f: f.a.values.sum(), lambda v: [sum(v)]),
    "values 2d": (lambda s, f: f[["a", "b"]].values.sum(axis=0), lambda v: [sum(v)] * 2),
    "to_numpy mean": (lambda s, f: s.to_numpy().mean(), lambda v: [sum(v) / 4]),
    "values mean": (lambda s, f: s.values.mean(), lambda v: [sum(v) / 4]),
    "values max": (lambda s, f: s.values.max(), lambda v: [max(v)]),
    "values tolist": (lambda s, f: s.values.tolist(), lambda v: v),
    "values.astype(object)": (lambda s, f: s.values.astype(object).sum(), lambda v: [sum(v)]),
    "np.sum(values)": (lambda s, f: np.sum(s.values), lambda v: [sum(v)]),
    "np.mean(values)": (lambda s, f: np.mean(s.values), lambda v: [sum(v) / 4]),
    "np.max(values)": (lambda s, f: np.max(s.values), lambda v: [max(v)]),
    "np.median(values)": (lambda s, f: np.median(s.values), lambda v: [statistics.median(v)]),
    "np.round(s,1)": (lambda s, f: np.round(s, 1), lambda v: [round(x, 1) for x in v]),
    "np.average weights": (
        lambda s, f: np.average(f.a, weights=f.n),
        lambda v: [sum(map(operator.mul, v, (1, 2, 3, 4))) / 10],
    ),
    "np.clip Decimal": (
        lambda s, f: np.clip(s, D(0), D(5)),
        lambda v: [min(max(x, 0), 5) for x in v],
    ),
    "np.where Decimal": (
        lambda s, f: np.where(s > 0, s, D("0.5")),
        lambda v: [x if x > 0 else D("0.5") for x in v],
    ),
    "np.where pct": (
        lambda s, f: np.where(f.k == "x", s * D("0.01"), s * D("0.02")),
        lambda v: [x * (D("0.01"), D("0.02"))[i % 2] for i, x in enumerate(v)],
    ),
    "np.nan where col sum": (
        lambda s, f: pd.Series(np.where(s > 0, s, np.nan)).sum(),
        lambda v: [sum(x for x in v if x > 0)],
    ),
    "np.nansum": (lambda s, f: np.nansum(s), lambda v: [sum(v)]),
    "np.nanmean": (lambda s, f: np.nanmean(s), lambda v: [sum(v) / 4]),
    "np.nanmax": (lambda s, f: np.nanmax(s), lambda v: [max(v)]),
    "np.nansum missing": (lambda s, f: np.nansum(s.shift()), lambda v: [sum(v[:3])]),
    "np.sum missing": (lambda s, f: np.sum(s.shift()), lambda v: [sum(v[:3])]),
    "np.cumsum": (lambda s, f: np.cumsum(s), lambda v: list(accumulate(v))),
    "np.ptp": (lambda s, f: np.ptp(s), lambda v: [max(v) - min(v)]),
    "np.argsort": (lambda s, f: np.argsort(s), lambda v: sorted(range(4), key=lambda i: v[i])),
    "np.argmax": (lambda s, f: np.argmax(s), lambda v: [v.index(max(v))]),
    "np.unique": (lambda s, f: np.unique(s), sorted),
    "np.isin": (
        lambda s, f: np.isin(s, [D("10.25"), D("-5.5")]),
        lambda v: [x in (D("10.25"), D("-5.5")) for x in v],
    ),
    "np.array_equal": (lambda s, f: np.array_equal(s, f.b), lambda v: [True]),
    "np.sign": (lambda s, f: np.sign(s), lambda v: [(x > 0) - (x < 0) for x in v]),
    "np.square": (lambda s, f: np.square(s), lambda v: [x * x for x in v]),
    "np.floor_divide": (
        lambda s, f: np.floor_divide(s, 3),
        lambda v: [x // 3 - (x % 3 < 0) for x in v],
    ),
    "np.trunc": (lambda s, f: np.trunc(s), lambda v: [D(math.trunc(x)) for x in v]),
    "np.rint": (lambda s, f: np.rint(s), lambda v: [round(x, 0) for x in v]),
    "np.add.reduce": (lambda s, f: np.add.reduce(s), lambda v: [sum(v)]),
    "np.multiply.outer": (
        lambda s, f: np.multiply.outer(np.array(s), np.array(s)),
        lambda v: [a * b for a in v for b in v],
    ),
    "np.outer": (lambda s, f: np.outer(s, s), lambda v: [a * b for a in v for b in v]),
    "np.inner": (lambda s, f: np.inner(s, s), lambda v: [sum(x * x for x in v)]),
    "np.einsum": (lambda s, f: np.einsum("i,i->", s, s), lambda v: [sum(x * x for x in v)]),
    "np.matmul": (lambda s, f: np.matmul(s, s), lambda v: [sum(x * x for x in v)]),
    "np.convolve": (
        lambda s, f: np.convolve(s, [1, 1], "valid"),
        lambda v: [a + b for a, b in pairwise(v)],
    ),
    "np.ediff1d": (lambda s, f: np.ediff1d(s), lambda v: [b - a for a, b in pairwise(v)]),
    "np.roll": (lambda s, f: np.roll(s, 1), lambda v: [v[3], *v[:3]]),
    "np.flip": (lambda s, f: np.flip(s), lambda v: v[::-1]),
    "np.sort desc": (lambda s, f: -np.sort(-s), lambda v: sorted(v, reverse=True)),
    "np.concatenate": (lambda s, f: np.concatenate([s, s]).sum(), lambda v: [2 * sum(v)]),
    "np.isnan s": (lambda s, f: np.isnan(s), lambda v: [False] * 4),
}

COMPARED = {
    "query eq 3.1": (lambda s, f: f.query("a == 3.1").a, lambda v: [x for x in v if x == D("3.1")]),
    "query sum in": (
        lambda s, f: f.query("a > a.mean()").a,
        lambda v: [x for x in v if x > sum(v) / 4],
    ),
    "sum and its printed text": (
        lambda s, f: s.sum() == float("6.4"),
        lambda v: sum(v) == D("6.4"),
    ),
    "each element >= a float": (lambda s, f: [x >= 0.05 for x in s], lambda v: over(v, "0.05")),
    "a float <= each element": (lambda s, f: [0.05 <= x for x in s], lambda v: over(v, "0.05")),  # noqa: SIM300
    "map with a float": (lambda s, f: s.map(lambda x: x >= 3.1), lambda v: over(v, "3.1")),
    "isin floats of numpy": (lambda s, f: np.isin(s, [3.1]), lambda v: [x == D("3.1") for x in v]),
    "digitize": (lambda s, f: np.digitize(s, [0, 3.1]), lambda v: numbers_of_bins(v, 0, "3.1")),
    "digitize of a plain column": (
        lambda s, f: np.digitize(pd.Series(s), [0.05, 3.1]),
        lambda v: numbers_of_bins(v, "0.05", "3.1"),
    ),
    "digitize by decimals": (
        lambda s, f: np.digitize(s, [D("0.05"), D("3.1")]),
        lambda v: numbers_of_bins(v, "0.05", "3.1"),
    ),
    "digitize downwards": (
        lambda s, f: np.digitize(s, [D("3.1"), D("0.05")], right=True),
        lambda v: [2 - number for number in numbers_of_bins(v, "0.05", "3.1", right=True)],
    ),
    "digitize with a missing one": (
        lambda s, f: np.digitize(s.shift(), [0, 3]),
        lambda v: [2, *numbers_of_bins(v[:3], 0, 3)],
    ),
    "histogram by edges": (
        lambda s, f: np.histogram(s, [D(-100), D("0.05"), D(10) ** 30])[0],
        lambda v: [sum(x < D("0.05") for x in v), sum(x >= D("0.05") for x in v)],
    ),
    "searchsorted of an edge": (
        lambda s, f: s.sort_values().searchsorted(D("3.1")),
        lambda v: [sum(x < D("3.1") for x in v)],
    ),
    "never NaN": (lambda s, f: [np.isnan(s[0]), s[0] == NAN], lambda v: [False, False]),
    "finite": (lambda s, f: [np.isfinite(s[0]), not np.isinf(s[0])], lambda v: [True, True]),
}


def over(values, limit):
    """Whether each value is at least the limit."""
    return [value >= D(limit) for value in values]


def numbers_of_bins(values, *edges, right=False):
    """The number of the bin of each value, as `np.digitize` counts them."""
    find = bisect.bisect_left if right else bisect.bisect_right
    return [find([*map(D, edges)], value) for value in values]


EXACT = ELEMENTS | OF_NUMPY


@pytest.mark.filterwarnings("ignore::FutureWarning", "error::paylab.frames.FloatWarning")
@pytest.mark.parametrize("kind", SETS)
def test_an_idiom_of_an_analyst_equals_plain_decimal(kind):
    """The result equals plain Decimal, without a warning of floats."""
    assert failures(EXACT, lambda idiom: check(*EXACT[idiom], kind)) == {}


@pytest.mark.filterwarnings("ignore::paylab.frames.FloatWarning")
@pytest.mark.parametrize("kind", SETS)
def test_a_comparison_takes_a_float_as_it_is_printed(kind):
    """The edge of a bin, or a limit, that is written as a float is where it is written."""
    assert failures(COMPARED, lambda idiom: check(*COMPARED[idiom], kind)) == {}
