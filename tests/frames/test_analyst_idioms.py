"""Idioms of an analyst of payments on small values, 18 decimals and 30 digits, all exact.

They stand beside those of `test_exactness`; the expected values are those of plain Decimal.
"""

from __future__ import annotations

import bisect
import collections
import copy
import functools
import heapq
import io
import math
import operator
import pickle
import statistics
from decimal import localcontext
from fractions import Fraction
from itertools import accumulate, pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from analyst_frames import DAYS, FX, NAN, PLAIN, RATES, SETS, D, changed, flat, make_frame


def by_key(of):
    """What plain Python computes for each of the two keys."""
    return lambda v: [of(v[::2]), of(v[1::2])]


def quantile(values, share):
    """The quantile with linear interpolation."""
    ordered = sorted(values)
    place = D(share) * (len(ordered) - 1)
    low = int(place)
    above = ordered[min(low + 1, len(ordered) - 1)]
    return ordered[low] + (above - ordered[low]) * (place - low)


def read_back(frame, **options):
    """What pandas reads from the Parquet that pandas writes."""
    file = io.BytesIO()
    frame.to_parquet(file)
    return pd.read_parquet(file, **options)


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

OF_GROUPS = {
    "sum by level": (lambda s, f: f.set_index("k").groupby(level=0).a.sum(), by_key(sum)),
    "agg named": (
        lambda s, f: f.groupby("k").agg(
            t=("a", "sum"), m=("a", "mean"), n=("a", "size"), u=("a", "nunique")
        )[["t"]],
        by_key(sum),
    ),
    "agg lambda q95": (
        lambda s, f: f.groupby("k").a.agg(lambda c: c.quantile(0.95)),
        by_key(lambda p: quantile(p, ".95")),
    ),
    "agg dict": (
        lambda s, f: f.groupby("k").agg({"a": "sum", "b": "max"}),
        lambda v: [sum(v[::2]), sum(v[1::2]), max(v[::2]), max(v[1::2])],
    ),
    "agg statistics.mean": (
        lambda s, f: f.groupby("k").a.agg(statistics.mean),
        by_key(lambda p: sum(p) / 2),
    ),
    "groupby shift": (lambda s, f: f.groupby("k").a.shift(), lambda v: [None, None, v[0], v[1]]),
    "groupby diff": (
        lambda s, f: f.groupby("k").a.diff(),
        lambda v: [None, None, v[2] - v[0], v[3] - v[1]],
    ),
    "groupby nth": (lambda s, f: f.groupby("k").a.nth(1), lambda v: v[2:]),
    "groupby nlargest": (lambda s, f: f.groupby("k").a.nlargest(1), by_key(max)),
    "groupby nsmallest": (lambda s, f: f.groupby("k").a.nsmallest(1), by_key(min)),
    "groupby first/last": (
        lambda s, f: f.groupby("k").a.agg(["first", "last"]),
        lambda v: [v[0], v[1], v[2], v[3]],
    ),
    "groupby transform mean": (
        lambda s, f: f.groupby("k").a.transform("mean"),
        lambda v: [sum(v[::2]) / 2, sum(v[1::2]) / 2] * 2,
    ),
    "share*100 round 2": (
        lambda s, f: (f.a / f.a.sum() * 100).round(2),
        lambda v: [round(x / sum(v) * 100, 2) for x in v],
    ),
    "resample D sum": (lambda s, f: f.set_index("at").a.resample("D").sum(), lambda v: v),
    "resample 2D sum": (
        lambda s, f: f.set_index("at").a.resample("2D").sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "resample 2D mean": (
        lambda s, f: f.set_index("at").a.resample("2D").mean(),
        lambda v: [(v[0] + v[1]) / 2, (v[2] + v[3]) / 2],
    ),
    "resample 2D median": (
        lambda s, f: f.set_index("at").a.resample("2D").median(),
        lambda v: [(v[0] + v[1]) / 2, (v[2] + v[3]) / 2],
    ),
    "resample quantile": (
        lambda s, f: f.set_index("at").a.resample("2D").quantile(0.5),
        lambda v: [(v[0] + v[1]) / 2, (v[2] + v[3]) / 2],
    ),
    "resample agg": (
        lambda s, f: f.set_index("at").a.resample("2D").agg(["sum", "max"]),
        lambda v: [v[0] + v[1], v[2] + v[3], max(v[:2]), max(v[2:])],
    ),
    "resample on": (
        lambda s, f: f.resample("2D", on="at").a.sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "resample apply": (
        lambda s, f: f.set_index("at").a.resample("2D").apply(lambda c: c.sum()),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "resample empty bins": (
        lambda s, f: f.set_index("at").a.resample("12h").sum(),
        lambda v: [v[0], 0, v[1], 0, v[2], 0, v[3]],
    ),
    "resample upsample ffill": (
        lambda s, f: f.set_index("at").a.resample("12h").ffill(),
        lambda v: [v[0], v[0], v[1], v[1], v[2], v[2], v[3]],
    ),
    "resample bfill": (
        lambda s, f: f.set_index("at").a.resample("12h").bfill(),
        lambda v: [v[0], v[1], v[1], v[2], v[2], v[3], v[3]],
    ),
    "resample asfreq": (
        lambda s, f: f.set_index("at").a.resample("12h").asfreq(),
        lambda v: [v[0], None, v[1], None, v[2], None, v[3]],
    ),
    "resample asfreq fill": (
        lambda s, f: f.set_index("at").a.resample("12h").asfreq(fill_value=0),
        lambda v: [v[0], 0, v[1], 0, v[2], 0, v[3]],
    ),
    "resample first": (
        lambda s, f: f.set_index("at").a.resample("2D").first(),
        lambda v: [v[0], v[2]],
    ),
    "resample cumsum": (
        lambda s, f: f.set_index("at").a.resample("D").sum().cumsum(),
        lambda v: list(accumulate(v)),
    ),
    "resample transform": (
        lambda s, f: f.set_index("at").a.resample("2D").transform("sum"),
        lambda v: [v[0] + v[1]] * 2 + [v[2] + v[3]] * 2,
    ),
    "groupby Grouper+key": (
        lambda s, f: f.groupby([pd.Grouper(key="at", freq="2D"), "k"]).a.sum(),
        lambda v: v,
    ),
    "groupby resample": (
        lambda s, f: f.set_index("at").groupby("k").a.resample("2D").sum(),
        lambda v: [v[0], v[2], v[1], v[3]],
    ),
    "groupby dt.month": (lambda s, f: f.groupby(f["at"].dt.month).a.sum(), lambda v: [sum(v)]),
    "to_period": (
        lambda s, f: f.groupby(f["at"].dt.tz_localize(None).dt.to_period("M")).a.sum(),
        lambda v: [sum(v)],
    ),
    "asof": (lambda s, f: f.set_index("at").a.asof(DAYS[2]), lambda v: [v[2]]),
    "asof between": (
        lambda s, f: f.set_index("at").a.asof([DAYS[2] + pd.Timedelta("1h")]),
        lambda v: [v[2]],
    ),
    "merge_asof FX": (
        lambda s, f: pd.merge_asof(f, FX, on="at").eval("a*rate"),
        lambda v: [*map(operator.mul, v, map(D, RATES))],
    ),
    "merge FX on day": (
        lambda s, f: f.merge(FX, on="at").pipe(lambda m: m.a * m.rate),
        lambda v: [*map(operator.mul, v, map(D, RATES))],
    ),
    "map rates by a dict of Decimal": (
        lambda s, f: s * f.k.map({"x": D("17.1"), "y": D("0.5")}),
        lambda v: [x * (D("17.1"), D("0.5"))[i % 2] for i, x in enumerate(v)],
    ),
    "map rates by a dict of int": (
        lambda s, f: s * f.k.map({"x": 17, "y": 2}),
        lambda v: [x * (17, 2)[i % 2] for i, x in enumerate(v)],
    ),
    "map rates with a missing one": (
        lambda s, f: s * f.k.map({"x": D("17.1")}),
        lambda v: [v[0] * D("17.1"), None, v[2] * D("17.1"), None],
    ),
    "apply rate axis1": (
        lambda s, f: f.apply(lambda r: r.a * {"x": D(2), "y": D(3)}[r.k], axis=1),
        lambda v: [x * (2, 3)[i % 2] for i, x in enumerate(v)],
    ),
    "apply axis1 dtype sum": (
        lambda s, f: f.apply(lambda r: r.a * 2, axis=1).sum(),
        lambda v: [2 * sum(v)],
    ),
    "map then mean": (lambda s, f: s.map(lambda x: x * 2).mean(), lambda v: [2 * sum(v) / 4]),
    "applymap frame": (
        lambda s, f: f[["a", "b"]].map(lambda x: x + 1),
        lambda v: [x + 1 for x in v] * 2,
    ),
    "groupby agg list explode": (
        lambda s, f: f.groupby("k").a.agg(list).explode().sum(),
        lambda v: [sum(v)],
    ),
    "merge how outer": (
        lambda s, f: f.merge(f[f.n > 2], on="n", how="outer").a_y.sum(),
        lambda v: [v[2] + v[3]],
    ),
    "merge left missing fill": (
        lambda s, f: f.merge(f[f.n > 2], on="n", how="left").eval("a_x - a_y.fillna(0)").sum(),
        lambda v: [v[0] + v[1]],
    ),
    "groupby key amount": (lambda s, f: f.groupby("a").n.sum().index, sorted),
    "groupby key amount reset": (
        lambda s, f: [str(f.groupby("a").n.sum().reset_index().a.dtype)],
        lambda v: ["decimal"],
    ),
    "groupby sum reset": (
        lambda s, f: f.groupby("k", as_index=False).a.sum().a,
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
}

RESHAPED = {
    "single item": (lambda s, f: s[:1].item(), lambda v: v[:1]),
    "squeeze": (lambda s, f: f[["a"]].sum().squeeze(), lambda v: [sum(v)]),
    "round(s,1)": (lambda s, f: round(s, 1), lambda v: [round(x, 1) for x in v]),
    "round frame": (lambda s, f: f[["a", "b"]].round(1), lambda v: [round(x, 1) for x in v] * 2),
    "round frame dict": (lambda s, f: f.round({"a": 1}).a, lambda v: [round(x, 1) for x in v]),
    "round half": (lambda s, f: (s * 0 + D("0.125")).round(2), lambda v: [D("0.12")] * 4),
    "demean": (lambda s, f: s - s.mean(), lambda v: [x - sum(v) / 4 for x in v]),
    "outlier iqr": (
        lambda s, f: s[s > s.quantile(0.75) + (s.quantile(0.75) - s.quantile(0.25)) * D("1.5")],
        lambda v: [
            x
            for x in v
            if x > quantile(v, ".75") + (quantile(v, ".75") - quantile(v, ".25")) * D("1.5")
        ],
    ),
    "clip upper int": (lambda s, f: s.clip(upper=10), lambda v: [min(x, 10) for x in v]),
    "clip series": (
        lambda s, f: s.clip(upper=f.n),
        lambda v: [*map(min, v, (1, 2, 3, 4))],
    ),
    "clip Decimal": (
        lambda s, f: s.clip(D("0.1"), D("5.5")),
        lambda v: [min(max(x, D("0.1")), D("5.5")) for x in v],
    ),
    "clip frame": (lambda s, f: f[["a", "b"]].clip(lower=0), lambda v: [max(x, 0) for x in v] * 2),
    "mask": (lambda s, f: s.mask(s < 0, 0), lambda v: [max(x, 0) for x in v]),
    "where other col": (
        lambda s, f: s.where(s > 0, f.b * 2),
        lambda v: [x if x > 0 else x * 2 for x in v],
    ),
    "pivot": (
        lambda s, f: f.pivot(index="at", columns="k", values="a"),
        lambda v: [v[0], None, v[2], None, None, v[1], None, v[3]],
    ),
    "pivot fillna 0": (
        lambda s, f: f.pivot(index="at", columns="k", values="a").fillna(0),
        lambda v: [v[0], 0, v[2], 0, 0, v[1], 0, v[3]],
    ),
    "pivot_table fill 0": (
        lambda s, f: f.pivot_table(
            index="at", columns="k", values="a", aggfunc="sum", fill_value=0
        ),
        lambda v: [v[0], 0, v[2], 0, 0, v[1], 0, v[3]],
    ),
    "pivot_table margins": (
        lambda s, f: f.pivot_table(index="k", values="a", aggfunc="sum", margins=True),
        lambda v: [v[0] + v[2], v[1] + v[3], sum(v)],
    ),
    "pivot_table margins 2d": (
        lambda s, f: f.pivot_table(index="k", columns="n", values="a", aggfunc="sum", margins=True)[
            "All"
        ],
        lambda v: [v[0] + v[2], v[1] + v[3], sum(v)],
    ),
    "pivot_table mean": (
        lambda s, f: f.pivot_table(index="k", values="a"),
        lambda v: [(v[0] + v[2]) / 2, (v[1] + v[3]) / 2],
    ),
    "pivot_table list": (
        lambda s, f: f.pivot_table(index="k", values="a", aggfunc=["sum", "mean"]),
        lambda v: [v[0] + v[2], v[1] + v[3], (v[0] + v[2]) / 2, (v[1] + v[3]) / 2],
    ),
    "stack": (lambda s, f: f[["a", "b"]].stack(), lambda v: [y for x in v for y in (x, x)]),
    "stack sum": (lambda s, f: f[["a", "b"]].stack().sum(), lambda v: [2 * sum(v)]),
    "unstack": (
        lambda s, f: f.set_index(["k", "n"]).a.unstack(0),
        lambda v: [v[0], None, v[2], None, None, v[1], None, v[3]],
    ),
    "unstack fill": (
        lambda s, f: f.set_index(["k", "n"]).a.unstack(0, fill_value=0),
        lambda v: [v[0], 0, v[2], 0, 0, v[1], 0, v[3]],
    ),
    "melt sum": (
        lambda s, f: f.melt("k", ["a", "b"]).groupby("k").value.sum(),
        lambda v: [2 * (v[0] + v[2]), 2 * (v[1] + v[3])],
    ),
    "explode": (lambda s, f: pd.Series([list(s)]).explode().sum(), lambda v: [sum(v)]),
    "transposed": (lambda s, f: f[["a", "b"]].T.iloc[0], lambda v: v),
    "sum axis1 w/ int col": (
        lambda s, f: f[["a", "n"]].sum(axis=1),
        lambda v: [*map(operator.add, v, (1, 2, 3, 4))],
    ),
    "mean axis1": (lambda s, f: f[["a", "b"]].mean(axis=1), lambda v: v),
    "max axis1": (
        lambda s, f: f[["a", "n"]].max(axis=1),
        lambda v: [*map(max, v, (1, 2, 3, 4))],
    ),
    "median axis1": (lambda s, f: f[["a", "b"]].median(axis=1), lambda v: v),
    "quantile axis1": (lambda s, f: f[["a", "b"]].quantile(0.5, axis=1), lambda v: v),
    "quantile frame": (
        lambda s, f: f[["a", "b"]].quantile(0.5),
        lambda v: [statistics.median(v)] * 2,
    ),
    "quantile frame list": (
        lambda s, f: f[["a"]].quantile([0.5]),
        lambda v: [statistics.median(v)],
    ),
    "cumsum axis1": (lambda s, f: f[["a", "b"]].cumsum(axis=1).b, lambda v: [2 * x for x in v]),
    "diff axis1": (lambda s, f: f[["a", "b"]].diff(axis=1).b, lambda v: [0] * 4),
    "frame sub": (lambda s, f: f[["a", "b"]].sub(f.b, axis=0), lambda v: [0] * 8),
    "frame mul int": (lambda s, f: f[["a", "b"]] * 2, lambda v: [2 * x for x in v] * 2),
    "frame mul series": (
        lambda s, f: f[["a", "b"]].mul(pd.Series({"a": 2, "b": 3})),
        lambda v: [2 * x for x in v] + [3 * x for x in v],
    ),
    "frame mul dict row Decimal": (
        lambda s, f: f[["a", "b"]].mul([D(2), D(3)]),
        lambda v: [2 * x for x in v] + [3 * x for x in v],
    ),
    "frame + frame": (lambda s, f: f[["a"]] + f[["a"]], lambda v: [2 * x for x in v]),
    "add fill_value": (
        lambda s, f: s.add(s[1:], fill_value=0),
        lambda v: [v[0], *(2 * x for x in v[1:])],
    ),
    "combine_first": (lambda s, f: s.shift().combine_first(s), lambda v: [v[0], *v[:3]]),
    "combine": (lambda s, f: s.combine(f.b, max), lambda v: v),
    "combine fn": (lambda s, f: s.combine(f.b, lambda a, b: a + b), lambda v: [2 * x for x in v]),
    "replace": (lambda s, f: s.replace(s[0], D(1)), lambda v: [1, *v[1:]]),
    "replace dict": (lambda s, f: s.replace({s[0]: D(9)}), lambda v: [9, *v[1:]]),
    "shift fill": (lambda s, f: s.shift(1, fill_value=0), lambda v: [0, *v[:3]]),
    "reindex fill": (lambda s, f: s.reindex(range(5), fill_value=0).sum(), lambda v: [sum(v)]),
    "align": (lambda s, f: s.align(s[1:], fill_value=0)[1], lambda v: [0, *v[1:]]),
    "loc assign": (lambda s, f: changed(s, 0, D("1.5")), lambda v: [D("1.5"), *v[1:]]),
    "loc frame assign": (
        lambda s, f: changed(f, (0, "a"), D(1)).a,
        lambda v: [1, *v[1:]],
    ),
    "loc mask assign": (
        lambda s, f: changed(f, (f.a < 0, "a"), 0).a,
        lambda v: [max(x, 0) for x in v],
    ),
    "loc new row": (
        lambda s, f: changed(s, 9, D(1)).sum(),
        lambda v: [sum(v) + 1],
    ),
    "loc new row frame": (
        lambda s, f: changed(f, len(f), [D(1), D(2), "x", DAYS[0], 1]).a.sum(),
        lambda v: [sum(v) + 1],
    ),
    "total row concat": (
        lambda s, f: pd.concat([f[["a", "n"]], f[["a", "n"]].sum().to_frame().T]).a.iloc[-1],
        lambda v: [sum(v)],
    ),
    "concat sum": (lambda s, f: pd.concat([f, f]).a.sum(), lambda v: [2 * sum(v)]),
    "concat ints": (lambda s, f: pd.concat([s, pd.Series([1, 2])]).sum(), lambda v: [sum(v) + 3]),
    "concat axis1": (lambda s, f: pd.concat([s, f.b], axis=1).sum(), lambda v: [sum(v)] * 2),
    "concat keys": (
        lambda s, f: pd.concat({"p": s, "q": s}).groupby(level=0).sum(),
        lambda v: [sum(v)] * 2,
    ),
    "join": (
        lambda s, f: f.set_index("n")[["a"]].join(f.set_index("n")[["b"]]).sum(),
        lambda v: [sum(v)] * 2,
    ),
    "equals": (lambda s, f: [s.equals(f.b)], lambda v: [True]),
    "drop_duplicates": (lambda s, f: pd.concat([s, s]).drop_duplicates(), lambda v: v),
    "value_counts": (lambda s, f: s.value_counts().sort_index().index, sorted),
    "nunique": (lambda s, f: s.nunique(), lambda v: [4]),
    "mode": (lambda s, f: s.mode(), sorted),
    "mean absolute deviation": (
        lambda s, f: (s - s.mean()).abs().mean(),
        lambda v: [sum(abs(x - sum(v) / 4) for x in v) / 4],
    ),
    "searchsorted": (
        lambda s, f: s.sort_values().searchsorted(D(0)),
        lambda v: [bisect.bisect_left(sorted(v), 0)],
    ),
    "argsort": (lambda s, f: s.argsort(), lambda v: sorted(range(4), key=lambda i: v[i])),
    "idxmax": (lambda s, f: s.idxmax(), lambda v: [v.index(max(v))]),
    "sort_values by": (
        lambda s, f: f.sort_values(["k", "a"]).a,
        lambda v: [*sorted([v[0], v[2]]), *sorted([v[1], v[3]])],
    ),
    "sort key": (lambda s, f: s.sort_values(key=abs), lambda v: sorted(v, key=abs)),
    "nlargest frame": (
        lambda s, f: f.nlargest(2, ["a", "b"]).a,
        lambda v: sorted(v, reverse=True)[:2],
    ),
    "cummax drawdown": (
        lambda s, f: s.cumsum() - s.cumsum().cummax(),
        lambda v: [
            total - highest
            for total, highest in zip(accumulate(v), accumulate(accumulate(v), max), strict=True)
        ],
    ),
    "weighted ranks": (
        lambda s, f: (s.sort_values().reset_index(drop=True) * f.n).sum(),
        lambda v: [sum(map(operator.mul, sorted(v), (1, 2, 3, 4)))],
    ),
    "index max": (lambda s, f: pd.Index(s).max(), lambda v: [max(v)]),
    "index loc Decimal": (lambda s, f: f.set_index("a").loc[D(s[0])].n, lambda v: [1]),
    "reset_index dtype": (
        lambda s, f: [str(f.set_index("a").reset_index().a.dtype)],
        lambda v: ["decimal"],
    ),
    "astype bool": (lambda s, f: s.astype(bool), lambda v: [x != 0 for x in v]),
    "astype category": (
        lambda s, f: s.astype("category").cat.codes.tolist(),
        lambda v: [sorted(v).index(x) for x in v],
    ),
    "select number sum": (lambda s, f: f.select_dtypes("number").sum()["a"], lambda v: [sum(v)]),
}

ELSEWHERE = {
    "json_normalize": (
        lambda s, f: pd.json_normalize(f[["a", "n"]].to_dict("records")).a.sum(),
        lambda v: [sum(v)],
    ),
    "DataFrame(records) groupby sum": (
        lambda s, f: pd.DataFrame(f.to_dict("records")).groupby("k").a.sum(),
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "DataFrame(records) cumsum": (
        lambda s, f: pd.DataFrame(f.to_dict("records")).a.cumsum(),
        lambda v: list(accumulate(v)),
    ),
    "objects cumprod": (
        lambda s, f: s.astype(object).cumprod(),
        lambda v: list(accumulate(v, operator.mul)),
    ),
    "objects diff": (
        lambda s, f: s.astype(object).diff()[1:],
        lambda v: [b - a for a, b in pairwise(v)],
    ),
    "objects sort": (lambda s, f: s.astype(object).sort_values(), sorted),
    "objects resample sum": (
        lambda s, f: s.astype(object).set_axis(DAYS).resample("2D").sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "to_parquet read": (lambda s, f: read_back(f[["a"]]).a, lambda v: v),
    "query Decimal var": (
        lambda s, f: f.query("a > @limit", local_dict={"limit": D("0.05")}).a,
        lambda v: [x for x in v if x > D("0.05")],
    ),
    "query float literal": (
        lambda s, f: f.query("a > 0.05").a,
        lambda v: [x for x in v if x > D("0.05")],
    ),
    "query eq 3.1": (lambda s, f: f.query("a == 3.1").a, lambda v: [x for x in v if x == D("3.1")]),
    "query sum in": (
        lambda s, f: f.query("a > a.mean()").a,
        lambda v: [x for x in v if x > sum(v) / 4],
    ),
    "eval assign": (lambda s, f: f.eval("c = a - b").c, lambda v: [0] * 4),
    "eval div": (lambda s, f: f.eval("a / 2"), lambda v: [x / 2 for x in v]),
    "eval abs": (lambda s, f: f.eval("abs(a)"), lambda v: [abs(x) for x in v]),
    "eval sum": (lambda s, f: f.eval("a.sum()"), lambda v: [sum(v)]),
    "pd.eval": (lambda s, f: pd.eval("s*2", local_dict={"s": s}), lambda v: [x * 2 for x in v]),
    "polars sum": (lambda s, f: pl.from_pandas(f)["a"].sum(), lambda v: [sum(v)]),
    "polars group sum": (
        lambda s, f: (
            pl.from_pandas(f)
            .group_by("k", maintain_order=True)
            .agg(pl.col("a").sum())["a"]
            .to_list()
        ),
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "polars DataFrame(f)": (lambda s, f: pl.DataFrame(f)["a"].sum(), lambda v: [sum(v)]),
    "polars Series(list)": (lambda s, f: pl.Series(s.tolist()).sum(), lambda v: [sum(v)]),
    "polars mul": (lambda s, f: (pl.from_pandas(f)["a"] * 2).sum(), lambda v: [2 * sum(v)]),
    "polars cum_sum": (
        lambda s, f: pl.from_pandas(f)["a"].cum_sum().to_list(),
        lambda v: list(accumulate(v)),
    ),
    "arrow table": (lambda s, f: pa.table(f[["a"]])["a"].to_pylist(), lambda v: v),
    "arrow from_pandas": (
        lambda s, f: pa.Table.from_pandas(f[["a"]])["a"].to_pylist(),
        lambda v: v,
    ),
    "DuckDB param": (
        lambda s, f: duckdb.connect().execute("select ?", [s[0]]).fetchall()[0][0],
        lambda v: v[:1],
    ),
}

COMPARED = {
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


EXACT = ELEMENTS | OF_NUMPY | OF_GROUPS | RESHAPED | ELSEWHERE | COMPARED


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::paylab.frames.FloatWarning")
@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("idiom", EXACT)
def test_an_idiom_of_an_analyst_equals_plain_decimal(idiom, kind):
    """The result equals plain Decimal, and no amount became a float."""
    ask, expect = EXACT[idiom]
    values = [*map(D, SETS[kind])]
    frame = make_frame(values)
    with localcontext(PLAIN):
        expected = flat(expect(values))
    found = flat(ask(frame["a"], frame))
    assert not any(isinstance(value, float) for value in found)
    assert found == expected


def test_there_are_two_hundred():
    """The table has at least 200 idioms."""
    assert len(EXACT) >= 200
