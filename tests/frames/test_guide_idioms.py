"""Idioms of the chapters of the user guide of pandas, each compared with plain Decimal."""

from __future__ import annotations

import io
import json
import pickle
from itertools import accumulate
from operator import sub

import numpy as np
import pandas as pd
import pytest
from analyst_frames import FX, KEYS, SETS, D, check, failures, make_frame

from paylab import frames
from paylab.frames.exact_frame import ExactFrame

PLAIN_RATES = {"x": D("17.000000000000000001"), "y": D("0.3")}
RATE = D("0.25")


def of_key(values, key):
    """The values of the rows with a key."""
    return [value for value, row_key in zip(values, KEYS, strict=True) if row_key == key]


def by_key(compute):
    """What a function makes of the values of each key."""
    return lambda v: [compute(of_key(v, "x")), compute(of_key(v, "y"))]


def both(compute):
    """The same for two equal columns."""
    return lambda v: [*compute(v), *compute(v)]


def spread(values):
    return max(values) - min(values)


def ranked(values):
    return [sorted(values).index(value) + 1 for value in values]


def as_json(text, column="a"):
    """The amounts of a column of JSON, which has them as text."""
    return [D(value) for value in json.loads(text)[column].values()]


RESHAPING = {
    "pivot by day and key": (
        lambda s, f: f.pivot(index="at", columns="k", values="a"),
        lambda v: [v[0], None, v[2], None, None, v[1], None, v[3]],
    ),
    "pivot_table with margins": (
        lambda s, f: f.pivot_table("a", "k", aggfunc="sum", margins=True),
        lambda v: [*by_key(sum)(v), sum(v)],
    ),
    "pivot_table of two functions": (
        lambda s, f: f.pivot_table("a", "k", aggfunc=["min", "max"]),
        lambda v: [*by_key(min)(v), *by_key(max)(v)],
    ),
    "pivot_table of a dict": (
        lambda s, f: f.pivot_table(index="k", aggfunc={"a": "sum", "b": "max"}),
        lambda v: [*by_key(sum)(v), *by_key(max)(v)],
    ),
    "pivot_table filled": (
        lambda s, f: f.pivot_table("a", "at", "k", aggfunc="sum", fill_value=0),
        lambda v: [v[0], 0, v[2], 0, 0, v[1], 0, v[3]],
    ),
    "pivot_table of means": (
        lambda s, f: f.pivot_table("a", "k", aggfunc="mean"),
        by_key(lambda values: sum(values) / 2),
    ),
    "crosstab of sums": (
        lambda s, f: pd.crosstab(f.k, f.n % 2, values=f.a, aggfunc="sum").loc["x", 1],
        lambda v: [v[0] + v[2]],
    ),
    "melt": (
        lambda s, f: f.melt(["k"], ["a", "b"])["value"],
        both(lambda v: v),
    ),
    "melt and sum": (
        lambda s, f: f.melt(["k"], ["a", "b"]).groupby("k")["value"].sum(),
        by_key(lambda values: 2 * sum(values)),
    ),
    "wide_to_long": (
        lambda s, f: pd.wide_to_long(
            f[["n", "a", "b"]].rename(columns={"a": "m1", "b": "m2"}), "m", "n", "which"
        )["m"].sum(),
        lambda v: [2 * sum(v)],
    ),
    "stack": (lambda s, f: f[["a", "b"]].stack().sum(), lambda v: [2 * sum(v)]),
    "stack and unstack": (
        lambda s, f: f[["a", "b"]].stack().unstack(),
        both(lambda v: v),
    ),
    "unstack of groups": (
        lambda s, f: f.groupby(["k", "n"]).a.sum().unstack(fill_value=0).sum(axis=1),
        by_key(sum),
    ),
    "explode": (
        lambda s, f: f.assign(parts=[[1, 2]] * 4).explode("parts").a.sum(),
        lambda v: [2 * sum(v)],
    ),
    "transpose": (
        lambda s, f: f[["a", "b"]].T.sum(axis=1),
        lambda v: [sum(v), sum(v)],
    ),
    "transpose and mean": (
        lambda s, f: f[["a", "b"]].T[0].mean(),
        lambda v: [v[0]],
    ),
    "set_index and reindex": (
        lambda s, f: f.set_index("n").a.reindex([4, 5]),
        lambda v: [v[3], None],
    ),
    "reindex filled": (
        lambda s, f: f.set_index("n").a.reindex([4, 5], fill_value=0),
        lambda v: [v[3], 0],
    ),
    "concat with keys": (
        lambda s, f: pd.concat([f.a, f.b], keys=["p", "q"]).groupby(level=0).sum(),
        lambda v: [sum(v), sum(v)],
    ),
    "concat of frames with keys": (
        lambda s, f: pd.concat({"p": f, "q": f}).loc["q"].a.mean(),
        lambda v: [sum(v) / 4],
    ),
    "concat beside": (
        lambda s, f: pd.concat([f.a, f.b], axis=1).sum(axis=1),
        lambda v: [2 * value for value in v],
    ),
    "concat of other columns": (
        lambda s, f: pd.concat([f[["a"]], f[["b"]]]).sum(),
        lambda v: [sum(v), sum(v)],
    ),
    "concat with whole numbers": (
        lambda s, f: pd.concat([f.a, f.b, pd.Series([D(1)], dtype="decimal")]).sum(),
        lambda v: [2 * sum(v) + 1],
    ),
    "get_dummies times amounts": (
        lambda s, f: pd.get_dummies(f.k, dtype=int).mul(f.a, axis=0).sum(),
        by_key(sum),
    ),
    "factorize": (lambda s, f: [*pd.factorize(s)[1]], lambda v: v),
    "from_dummies of keys": (
        lambda s, f: f.a.groupby(pd.from_dummies(pd.get_dummies(f.k))[""]).sum(),
        by_key(sum),
    ),
}

SERIES = {
    "resample of two days": (
        lambda s, f: f.set_index("at").a.resample("2D").sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "resample agg": (
        lambda s, f: f.resample("2D", on="at").agg({"a": "sum", "b": "max"}),
        lambda v: [v[0] + v[1], v[2] + v[3], max(v[:2]), max(v[2:])],
    ),
    "resample ohlc ends": (
        lambda s, f: f.set_index("at").a.resample("2D").agg(["first", "last"]),
        lambda v: [v[0], v[2], v[1], v[3]],
    ),
    "resample ffill": (
        lambda s, f: f.set_index("at").a.resample("12h").ffill().sum(),
        lambda v: [2 * sum(v) - v[3]],
    ),
    "resample of groups": (
        lambda s, f: f.set_index("at").groupby("k").a.resample("4D").sum(),
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "Grouper": (
        lambda s, f: f.groupby(pd.Grouper(key="at", freq="2D")).a.sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "asfreq": (
        lambda s, f: f.set_index("at").a.asfreq("2D"),
        lambda v: [v[0], v[2]],
    ),
    "shift": (lambda s, f: f.a - f.a.shift(), lambda v: [None, *map(sub, v[1:], v)]),
    "shift of days": (
        lambda s, f: f.set_index("at").a.shift(1, freq="D").sum(),
        lambda v: [sum(v)],
    ),
    "shift filled": (lambda s, f: f.a.shift(fill_value=D(0)), lambda v: [0, *v[:3]]),
    "diff of groups": (
        lambda s, f: f.groupby("k").a.diff(),
        lambda v: [None, None, v[2] - v[0], v[3] - v[1]],
    ),
    "diff of two": (lambda s, f: s.diff(2), lambda v: [None, None, v[2] - v[0], v[3] - v[1]]),
    "ffill": (lambda s, f: s.where(f.n != 2).ffill(), lambda v: [v[0], v[0], v[2], v[3]]),
    "bfill": (lambda s, f: s.where(f.n != 2).bfill(), lambda v: [v[0], v[2], v[2], v[3]]),
    "ffill of groups": (
        lambda s, f: s.where(f.n != 3).groupby(f.k).ffill(),
        lambda v: [v[0], v[1], v[0], v[3]],
    ),
    "merge_asof": (
        lambda s, f: pd.merge_asof(f, FX, on="at").a.sum(),
        lambda v: [sum(v)],
    ),
    "merge_asof times the rate": (
        lambda s, f: pd.merge_asof(f, FX, on="at").eval("a * rate").sum(),
        lambda v: [sum(a * D(f"17.{n}") for n, a in enumerate(v, 1))],
    ),
    "merge_ordered": (
        lambda s, f: pd.merge_ordered(f, FX, on="at").a,
        lambda v: v,
    ),
    "between_time": (
        lambda s, f: f.set_index("at").between_time("00:00", "01:00").a.sum(),
        lambda v: [sum(v)],
    ),
    "a day by text": (lambda s, f: f.set_index("at").loc["2026-01-02"].a, lambda v: [v[1]]),
    "a period of days": (
        lambda s, f: f.set_index("at").loc["2026-01-02":"2026-01-03"].a.sum(),
        lambda v: [v[1] + v[2]],
    ),
    "month of dates": (lambda s, f: f.groupby(f["at"].dt.month).a.sum(), lambda v: [sum(v)]),
    "weekday names": (
        lambda s, f: f.groupby(f["at"].dt.day_name(), sort=False).a.sum(),
        lambda v: v,
    ),
    "periods": (
        lambda s, f: f.groupby(f["at"].dt.tz_localize(None).dt.to_period("M")).a.sum(),
        lambda v: [sum(v)],
    ),
    "rolling of ours": (
        lambda s, f: f.paylab.rolling(3, min_periods=1)["a"].sum(),
        lambda v: [v[0], v[0] + v[1], sum(v[:3]), sum(v[1:])],
    ),
    "each window": (
        lambda s, f: [max(window) for window in f.a.rolling(2)],
        lambda v: [v[0], *(max(v[n : n + 2]) for n in range(3))],
    ),
    "cumulative share": (
        lambda s, f: (s.cumsum() - s.sum()).iloc[-1],
        lambda v: [0],
    ),
    "cummax of groups": (
        lambda s, f: f.groupby("k").a.cummax(),
        lambda v: [v[0], v[1], max(v[0], v[2]), max(v[1], v[3])],
    ),
}

CATEGORIES = {
    "groups of categories": (
        lambda s, f: f.groupby(f.k.astype("category"), observed=True).a.sum(),
        by_key(sum),
    ),
    "unobserved categories": (
        lambda s, f: f.groupby(pd.Categorical(f.k, ["x", "y", "z"]), observed=False).a.sum(),
        lambda v: [*by_key(sum)(v), 0],
    ),
    "ordered categories": (
        lambda s, f: f.groupby(
            pd.Categorical(f.k, ["y", "x"], ordered=True), observed=True
        ).a.sum(),
        lambda v: by_key(sum)(v)[::-1],
    ),
    "amounts as categories": (
        lambda s, f: s.astype("category").astype("decimal"),
        lambda v: v,
    ),
    "cut of counts": (
        lambda s, f: f.groupby(pd.cut(f.n, [0, 2, 4]), observed=True).a.sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "qcut of counts": (
        lambda s, f: f.groupby(pd.qcut(f.n, 2), observed=True).a.sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "qcut by rank": (
        lambda s, f: s.groupby(pd.qcut(s.rank(), 2, labels=False)).sum(),
        lambda v: [sum(sorted(v)[:2]), sum(sorted(v)[2:])],
    ),
    "value_counts": (lambda s, f: s.value_counts().sort_index().index, sorted),
    "value_counts of a frame": (
        lambda s, f: sorted(f[["a"]].value_counts().reset_index()["a"]),
        sorted,
    ),
    "nunique": (lambda s, f: s.nunique(), lambda v: [4]),
    "duplicated": (lambda s, f: pd.concat([s, s]).drop_duplicates(), lambda v: v),
    "between": (lambda s, f: s[s.between(D(-6), D(20))], lambda v: [x for x in v if -6 <= x <= 20]),
    "isin of counts": (
        lambda s, f: f.n.astype("int64[pyarrow]").isin([s[0], D(3), D("2.5")]),
        lambda v: [False, False, True, False],
    ),
    "isin of counts in a column": (lambda s, f: f.n.isin(s), lambda v: [False] * 4),
    "isin of a frame": (
        lambda s, f: f[["n", "a"]].astype({"n": "int64[pyarrow]"}).isin([s[1], D(4)]),
        lambda v: [False, False, False, True, False, True, False, False],
    ),
    "isin": (lambda s, f: s.isin([s[1]]), lambda v: [False, True, False, False]),
    "clip": (
        lambda s, f: s.clip(D(0), D(5)),
        lambda v: [min(max(x, D(0)), D(5)) for x in v],
    ),
    "clip of a frame": (
        lambda s, f: f[["a", "b"]].clip(lower=D(0)),
        both(lambda v: [max(x, D(0)) for x in v]),
    ),
    "nlargest": (lambda s, f: s.nlargest(2), lambda v: sorted(v)[:1:-1]),
    "nsmallest of a frame": (lambda s, f: f.nsmallest(2, "a").b, lambda v: sorted(v)[:2]),
    "nlargest of groups": (
        lambda s, f: f.groupby("k").a.nlargest(1),
        by_key(max),
    ),
    "rank": (lambda s, f: s.rank().astype(int), ranked),
    "rank of groups": (
        lambda s, f: f.groupby("k").a.rank().astype(int),
        lambda v: [ranked(of_key(v, k))[n // 2] for n, k in enumerate(KEYS)],
    ),
    "rank descending": (
        lambda s, f: s.rank(ascending=False).astype(int),
        lambda v: [5 - x for x in ranked(v)],
    ),
    "searchsorted": (lambda s, f: s.sort_values().searchsorted(s.max()), lambda v: [3]),
    "idxmax": (lambda s, f: f.loc[s.idxmax(), "b"], lambda v: [max(v)]),
    "idxmin of groups": (
        lambda s, f: f.loc[f.groupby("k").a.idxmin(), "b"],
        by_key(min),
    ),
    "argsort": (lambda s, f: s.iloc[s.argsort()], sorted),
    "mode": (lambda s, f: pd.concat([s, s[:1]]).mode(), lambda v: v[:1]),
    "where and mask": (
        lambda s, f: s.where(s > 0, 0) + s.mask(s > 0, 0),
        lambda v: v,
    ),
    "case_when": (
        lambda s, f: s.case_when([(s < 0, -s), (s > 0, s * 2)]),
        lambda v: [-x if x < 0 else x * 2 for x in v],
    ),
    "replace": (lambda s, f: s.replace(s[0], D(7)), lambda v: [7, *v[1:]]),
    "fillna by a column": (
        lambda s, f: s.where(f.n > 2).fillna(f.b * 2),
        lambda v: [2 * v[0], 2 * v[1], v[2], v[3]],
    ),
    "combine_first": (
        lambda s, f: s.where(f.n > 2).combine_first(f.b),
        lambda v: v,
    ),
    "combine": (
        lambda s, f: s.combine(f.b, lambda left, right: left + right),
        lambda v: [2 * x for x in v],
    ),
    "update": (
        lambda s, f: updated(f),
        lambda v: [7, *v[1:]],
    ),
}


def updated(frame):
    """A copy that `update` changed."""
    copy = frame.copy()
    copy.update(pd.DataFrame({"a": pd.Series([D(7)], dtype="decimal")}))
    return copy.a


GROUPS = {
    "named aggregation": (
        lambda s, f: f.groupby("k").agg(total=("a", "sum"), top=("b", "max")),
        lambda v: [*by_key(sum)(v), *by_key(max)(v)],
    ),
    "named aggregation of a lambda": (
        lambda s, f: f.groupby("k").agg(range=("a", lambda x: x.max() - x.min())),
        by_key(spread),
    ),
    "NamedAgg": (
        lambda s, f: f.groupby("k").agg(low=pd.NamedAgg("a", "min")),
        by_key(min),
    ),
    "agg of a list": (
        lambda s, f: f.groupby("k").a.agg(["sum", "mean", "median", "first"]),
        lambda v: [
            *by_key(sum)(v),
            *by_key(lambda x: sum(x) / 2)(v),
            *by_key(lambda x: sum(x) / 2)(v),
            v[0],
            v[1],
        ],
    ),
    "agg of numpy": (lambda s, f: f.groupby("k").a.agg(np.sum), by_key(sum)),
    "agg of a frame": (
        lambda s, f: f[["a", "b"]].agg(["sum", "max"]),
        both(lambda v: [sum(v), max(v)]),
    ),
    "agg of a series": (
        lambda s, f: s.agg(["sum", "min", "mean"]),
        lambda v: [sum(v), min(v), sum(v) / 4],
    ),
    "transform": (
        lambda s, f: s - f.groupby("k").a.transform("sum"),
        lambda v: [-v[2], -v[3], -v[0], -v[1]],
    ),
    "transform of a lambda": (
        lambda s, f: f.groupby("k").a.transform(lambda x: x - x.min()),
        lambda v: [x - min(of_key(v, k)) for x, k in zip(v, KEYS, strict=True)],
    ),
    "filter of groups": (
        lambda s, f: f.groupby("k").filter(lambda g: g.a.sum() == of_x(g)).a,
        lambda v: of_key(v, "x"),
    ),
    "apply of groups": (
        lambda s, f: f.groupby("k")[["a", "b"]].apply(lambda g: (g.a * 2).sum()),
        by_key(lambda values: 2 * sum(values)),
    ),
    "apply to a series": (
        lambda s, f: f.groupby("k")[["a"]].apply(lambda g: pd.Series({"t": g.a.sum()})),
        by_key(sum),
    ),
    "apply and mean": (
        lambda s, f: f.groupby("k")[["a"]].apply(lambda g: g.a.sum()).astype("decimal").mean(),
        lambda v: [sum(v) / 2],
    ),
    "pipe": (lambda s, f: f.groupby("k").pipe(lambda g: g.a.max() - g.a.min()), by_key(spread)),
    "head of groups": (lambda s, f: f.groupby("k").head(1).a, lambda v: v[:2]),
    "nth": (lambda s, f: f.groupby("k").nth(1).a, lambda v: v[2:]),
    "cumcount and cumsum": (
        lambda s, f: f.groupby("k").a.cumsum(),
        lambda v: [v[0], v[1], v[0] + v[2], v[1] + v[3]],
    ),
    "a loop over groups": (
        lambda s, f: [group.a.sum() for _, group in f.groupby("k")],
        by_key(sum),
    ),
    "get_group": (lambda s, f: f.groupby("k").get_group("y").a.sum(), lambda v: [v[1] + v[3]]),
    "groupby of two keys": (
        lambda s, f: f.groupby(["k", "n"]).a.sum(),
        lambda v: [v[0], v[2], v[1], v[3]],
    ),
    "groupby without sorting": (
        lambda s, f: f[::-1].groupby("k", sort=False).a.sum(),
        lambda v: by_key(sum)(v)[::-1],
    ),
    "groupby as columns": (
        lambda s, f: f.groupby("k", as_index=False).a.sum()["a"],
        by_key(sum),
    ),
    "quantile of groups": (
        lambda s, f: f.groupby("k").a.quantile(0.25),
        by_key(lambda x: min(x) + spread(x) / 4),
    ),
    "sum of levels": (
        lambda s, f: f.set_index(["k", "n"]).a.groupby(level="k").sum(),
        by_key(sum),
    ),
    "xs": (lambda s, f: f.set_index(["k", "n"]).xs("x").a, lambda v: of_key(v, "x")),
    "sort by levels": (
        lambda s, f: f.set_index(["k", "n"]).sort_index().a,
        lambda v: [v[0], v[2], v[1], v[3]],
    ),
    "describe min and max": (
        lambda s, f: [f.groupby("k").a.min().sum(), f.groupby("k").a.max().sum()],
        lambda v: [sum(by_key(min)(v)), sum(by_key(max)(v))],
    ),
}


def of_x(group):
    """The sum of a group, or nothing for other keys than x."""
    return group.a.sum() if group.k.iloc[0] == "x" else None


COMPUTED = {
    "assign of lambdas": (
        lambda s, f: f.assign(c=lambda x: x.a * 2, d=lambda x: x.c + x.b).d,
        lambda v: [3 * x for x in v],
    ),
    "eval of an assignment": (
        lambda s, f: f.eval("c = a + b").c,
        lambda v: [2 * x for x in v],
    ),
    "eval of a local": (
        lambda s, f: plus_local(f),
        lambda v: [x + 1 for x in v],
    ),
    "eval of a product with a local": (
        lambda s, f: f.round({"a": 2}).eval("c = a * @RATE").c,
        lambda v: [x.quantize(D("0.01")) * RATE for x in v],
    ),
    "query of a sum with a local": (
        lambda s, f: f.query("a + @RATE > b").a,
        lambda v: v,
    ),
    "query with a local": (lambda s, f: of_query(f), lambda v: [x for x in v if x > 0]),
    "query of two columns": (lambda s, f: f.query("a == b and n > 1").a, lambda v: v[1:]),
    "apply by rows": (
        lambda s, f: f.apply(lambda row: row.a * row.n, axis=1).sum(),
        lambda v: [sum(n * x for n, x in enumerate(v, 1))],
    ),
    "apply by rows to a mean": (
        lambda s, f: f.apply(lambda row: row.a + row.b, axis=1).mean(),
        lambda v: [sum(v) / 2],
    ),
    "apply by rows to plain decimals": (
        lambda s, f: f.apply(lambda row: D(str(row.a)), axis=1).mean(),
        lambda v: [sum(v) / 4],
    ),
    "apply by rows to two columns": (
        lambda s, f: f.apply(lambda row: pd.Series({"p": row.a * 2, "q": row.b}), axis=1).sum(),
        lambda v: [2 * sum(v), sum(v)],
    ),
    "apply by rows expanded": (
        lambda s, f: f.apply(lambda row: [row.a, row.b * 2], axis=1, result_type="expand").sum(),
        lambda v: [sum(v), 2 * sum(v)],
    ),
    "apply by columns": (
        lambda s, f: f[["a", "b"]].apply(lambda column: column.sum()),
        lambda v: [sum(v), sum(v)],
    ),
    "apply by columns to a spread": (
        lambda s, f: f[["a", "b"]].apply(np.ptp),
        lambda v: [spread(v)] * 2,
    ),
    "map of a frame": (
        lambda s, f: f[["a", "b"]].map(lambda x: x * 2).mean(),
        lambda v: [sum(v) / 2] * 2,
    ),
    "map of a frame to plain decimals": (
        lambda s, f: f[["a", "b"]].map(lambda x: D(str(x))).mean(),
        lambda v: [sum(v) / 4] * 2,
    ),
    "map of keys to plain rates": (
        lambda s, f: f.k.map(PLAIN_RATES).mean(),
        lambda v: [(PLAIN_RATES["x"] + PLAIN_RATES["y"]) / 2],
    ),
    "plus mapped rates": (
        lambda s, f: (f.k.map({"x": D("17.1"), "y": D("0.3")}) + f.a).sum(),
        lambda v: [sum(v) + D("34.8")],
    ),
    "map to plain decimals and missing ones": (
        lambda s, f: s.map(lambda x: D(str(x)) if x > 0 else None).sum(),
        lambda v: [sum(x for x in v if x > 0)],
    ),
    "a new column of plain decimals": (
        lambda s, f: f.assign(c=[D(str(x)) for x in s]).c.mean(),
        lambda v: [sum(v) / 4],
    ),
    "a new column of one plain decimal": (
        lambda s, f: f.assign(c=D("0.1")).c.mean(),
        lambda v: [D("0.1")],
    ),
    "an inserted column of plain decimals": (
        lambda s, f: inserted(f).mean(),
        lambda v: [sum(v) / 4],
    ),
    "merge with plain rates": (
        lambda s, f: f.merge(
            pd.DataFrame({"k": ["x", "y"], "r": [*PLAIN_RATES.values()]}), on="k"
        ).r.mean(),
        lambda v: [sum(PLAIN_RATES.values()) / 2],
    ),
    "join of plain rates": (
        lambda s, f: f.join(pd.Series(PLAIN_RATES, name="r"), on="k").groupby("k").r.sum(),
        lambda v: [2 * rate for rate in PLAIN_RATES.values()],
    ),
    "round of a frame of objects": (
        lambda s, f: ExactFrame({"o": s.astype(object)}).round(1)["o"],
        lambda v: [x.quantize(D("0.1")) for x in v],
    ),
    "round of a frame of plain decimals": (
        lambda s, f: ExactFrame({"o": pd.Series([D(str(x)) for x in s], dtype=object)}).round(
            {"o": 1}
        )["o"],
        lambda v: [x.quantize(D("0.1")) for x in v],
    ),
    "round of a frame": (
        lambda s, f: f.round({"a": 1}).a,
        lambda v: [x.quantize(D("0.1")) for x in v],
    ),
    "floor of numpy": (lambda s, f: np.floor(s), lambda v: [x.__floor__() for x in v]),
    "np.sign times abs": (lambda s, f: np.sign(s) * np.abs(s), lambda v: v),
    "np.add": (lambda s, f: np.add(s, f.b), lambda v: [2 * x for x in v]),
    "np.square": (
        lambda s, f: np.square(s.round(2)),
        lambda v: [x.quantize(D("0.01")) ** 2 for x in v],
    ),
    "np.negative": (lambda s, f: np.negative(s), lambda v: [-x for x in v]),
    "np.cumsum": (lambda s, f: np.cumsum(s), lambda v: [*accumulate(v)]),
    "np.add.reduce": (lambda s, f: np.add.reduce(s), lambda v: [sum(v)]),
    "np.maximum of a number": (lambda s, f: np.maximum(s, 0), lambda v: [max(x, D(0)) for x in v]),
    "np.isclose": (lambda s, f: np.isclose(s, f.b), lambda v: [True] * 4),
    "np.isclose of a cent": (
        lambda s, f: np.isclose(s, s + D("0.01"), rtol=0, atol=D("0.009")),
        lambda v: [False] * 4,
    ),
    "np.allclose": (
        lambda s, f: np.allclose(s, s + D("0.01"), rtol=0, atol=0.01),
        lambda v: [True],
    ),
    "pct_change": (
        lambda s, f: (s.round(2) * 0 + 4).pct_change().iloc[-1],
        lambda v: [0],
    ),
    "divide by a total": (
        lambda s, f: (s * 4).div(4),
        lambda v: v,
    ),
    "divide by 0": (lambda s, f: s / 0, lambda v: [None] * 4),
    "remainder of 0": (lambda s, f: s % 0, lambda v: [None] * 4),
    "rdiv and rsub": (lambda s, f: s.rsub(1) + s, lambda v: [1] * 4),
    "add with missing ones filled": (
        lambda s, f: s.where(f.n > 1).add(f.b, fill_value=0),
        lambda v: [v[0], *(2 * x for x in v[1:])],
    ),
    "sum of columns": (lambda s, f: f[["a", "b"]].sum(axis=1), lambda v: [2 * x for x in v]),
    "mean of columns": (lambda s, f: f[["a", "b"]].mean(axis=1), lambda v: v),
    "max of columns": (lambda s, f: f[["a", "b"]].max(axis="columns"), lambda v: v),
    "cumsum of a frame": (
        lambda s, f: f[["a", "b"]].cumsum(),
        both(lambda v: [*accumulate(v)]),
    ),
    "sum of bigger ones": (
        lambda s, f: f.loc[f.a > f.a.median(), "a"].sum(),
        lambda v: [sum(sorted(v)[2:])],
    ),
    "weighted mean": (
        lambda s, f: (f.a * f.n).sum() / f.n.sum(),
        lambda v: [sum(n * x for n, x in enumerate(v, 1)) / 10],
    ),
}


def plus_local(frame):
    one = D(1)
    return frame.eval("a + @one") if one else None


def of_query(frame):
    least = D(0)
    return frame.query("a > @least").a if least == 0 else None


def inserted(frame):
    copy = frame.copy()
    copy.insert(0, "c", [D(str(value)) for value in frame.a])
    return copy.c


COPIED = {
    "copy on write": (lambda s, f: changed_copy(f), lambda v: v),
    "a view of rows": (lambda s, f: f[1:3].a.sum(), lambda v: [v[1] + v[2]]),
    "at and iat": (lambda s, f: [f.at[1, "a"], f.iat[2, 0]], lambda v: [v[1], v[2]]),
    "loc with a mask": (lambda s, f: set_by_mask(f), lambda v: [max(x, D(0)) for x in v]),
    "pickle of a column": (lambda s, f: pickle.loads(pickle.dumps(s)).sum(), lambda v: [sum(v)]),
    "to_pickle": (lambda s, f: through_pickle(f).a, lambda v: v),
    "sample": (lambda s, f: sorted(s.sample(4, random_state=1)), sorted),
    "sample with weights": (
        lambda s, f: s.sample(1, weights=[0, 0, 1, 0]),
        lambda v: [v[2]],
    ),
    "take": (lambda s, f: s.take([3, 0]), lambda v: [v[3], v[0]]),
    "repeat": (lambda s, f: s.repeat(2).sum(), lambda v: [2 * sum(v)]),
    "equals": (lambda s, f: s.equals(f.b), lambda v: [True]),
    "compare of a change": (
        lambda s, f: f[["a"]].compare(f[["a"]].assign(a=s.where(f.n != 2, 0))),
        lambda v: [v[1], 0],
    ),
    "compare of columns": (lambda s, f: s.compare(f.b * 2)["other"], lambda v: [2 * x for x in v]),
    "assert_frame_equal": (lambda s, f: equal_frames(f), lambda v: [True]),
    "memory_usage": (lambda s, f: bool(f.memory_usage(deep=True)["a"] > 0), lambda v: [True]),
    "items": (lambda s, f: [x for _, x in s.items()], lambda v: v),
    "to_json": (lambda s, f: as_json(f.to_json()), lambda v: v),
    "to_json of records": (
        lambda s, f: [D(row["a"]) for row in json.loads(f.to_json(orient="records"))],
        lambda v: v,
    ),
    "to_json and read_json as text": (
        lambda s, f: pd.read_json(io.StringIO(f[["a"]].to_json()), dtype=str).a.astype("decimal"),
        lambda v: v,
    ),
    "to_csv and our reader": (
        lambda s, f: pd.read_csv(io.StringIO(f.to_csv()), dtype=str).a.astype("decimal"),
        lambda v: v,
    ),
    "to_html": (lambda s, f: [str(x) in f.to_html() for x in s], lambda v: [True] * 4),
    "to_string": (lambda s, f: [f"{x:f}" in f.to_string() for x in s], lambda v: [True] * 4),
    "to_latex": (lambda s, f: [f"{x:f}" in f.to_latex() for x in s], lambda v: [True] * 4),
    "Styler.format": (
        lambda s, f: [f"{x:,.2f}" in f.style.format({"a": "{:,.2f}"}).to_html() for x in s],
        lambda v: [True] * 4,
    ),
    "Styler.format with a function": (
        lambda s, f: [str(x) in f.style.format(str, subset="a").to_html() for x in s],
        lambda v: [True] * 4,
    ),
    "to_dict": (lambda s, f: [*f.to_dict()["a"].values()], lambda v: v),
    "to_dict split": (lambda s, f: [row[0] for row in f.to_dict("split")["data"]], lambda v: v),
    "to_numpy": (lambda s, f: f[["a", "b"]].to_numpy().sum(), lambda v: [2 * sum(v)]),
    "to_list": (lambda s, f: sum(s.to_list()), lambda v: [sum(v)]),
    "from records": (
        lambda s, f: (
            ExactFrame.from_records(f.to_dict("records")).astype({"a": "decimal"}).a.mean()
        ),
        lambda v: [sum(v) / 4],
    ),
    "convert_dtypes": (lambda s, f: f.convert_dtypes().a.sum(), lambda v: [sum(v)]),
    "infer_objects": (lambda s, f: f.infer_objects().a.mean(), lambda v: [sum(v) / 4]),
    "select_dtypes": (lambda s, f: f.select_dtypes("decimal").sum(), lambda v: [sum(v)] * 2),
    "isna and notna": (lambda s, f: s.where(f.n > 1).notna().sum(), lambda v: [3]),
    "dropna": (lambda s, f: s.where(f.n > 1).dropna(), lambda v: v[1:]),
    "count": (lambda s, f: f.a.where(f.n > 1).count(), lambda v: [3]),
    "squeeze": (lambda s, f: f[["a"]].squeeze().sum(), lambda v: [sum(v)]),
    "align": (lambda s, f: s.align(s[1:])[1], lambda v: [None, *v[1:]]),
    "truncate": (lambda s, f: s.truncate(1, 2), lambda v: v[1:3]),
    "swaplevel": (
        lambda s, f: f.set_index(["k", "n"]).a.swaplevel().loc[3],
        lambda v: [v[2]],
    ),
    "by_currency": (
        lambda s, f: frames.by_currency(ExactFrame({"source_amount": s, "source_currency": f.k}))[
            "source_amount"
        ],
        by_key(sum),
    ),
}


def changed_copy(frame):
    """The column of a frame after a part of it was changed."""
    part = frame["a"]
    part.iloc[0] = D(5)
    return frame.a


def set_by_mask(frame):
    copy = frame.copy()
    copy.loc[copy.a < 0, "a"] = 0
    return copy.a


def through_pickle(frame):
    file = io.BytesIO()
    frame.to_pickle(file)
    file.seek(0)
    return pd.read_pickle(file)


def equal_frames(frame):
    pd.testing.assert_frame_equal(frame, frame.copy())
    with pytest.raises(AssertionError):
        pd.testing.assert_frame_equal(frame, frame.assign(a=frame.a + D("0.000001")))
    return True


EXACT = RESHAPING | SERIES | CATEGORIES | GROUPS | COMPUTED | COPIED


@pytest.mark.filterwarnings("ignore::FutureWarning", "error::paylab.frames.FloatWarning")
@pytest.mark.parametrize("kind", SETS)
def test_an_idiom_of_the_user_guide_equals_plain_decimal(kind):
    """The result equals plain Decimal, without a float and without a warning of floats."""
    assert failures(EXACT, lambda idiom: check(*EXACT[idiom], kind)) == {}


def test_there_are_two_hundred_of_the_user_guide():
    """No idiom has the name of another one."""
    tables = (RESHAPING, SERIES, CATEGORIES, GROUPS, COMPUTED, COPIED)
    assert len(EXACT) == sum(map(len, tables)) >= 200


PLOTS = {
    "pie": lambda ax, f: ax.pie(f.a.abs()),
    "violinplot": lambda ax, f: ax.violinplot(f.a),
    "violinplot of two": lambda ax, f: ax.violinplot([f.a, f.b]),
    "boxplot": lambda ax, f: ax.boxplot(f.a),
    "boxplot of a frame": lambda ax, f: ax.boxplot(f[["a", "b"]]),
    "boxplot of a plain series": lambda ax, f: ax.boxplot(pd.Series(f.a)),
    "scatter with sizes": lambda ax, f: ax.scatter(f.n, f.a, s=f.a.abs(), c=f.b),
    "hist with weights": lambda ax, f: ax.hist(f.n, weights=f.a.abs()),
    "imshow": lambda ax, f: ax.imshow(f[["a", "b"]]),
    "pcolormesh": lambda ax, f: ax.pcolormesh(f[["a", "b"]]),
    "contourf": lambda ax, f: ax.contourf(f[["a", "b"]]),
    "ecdf": lambda ax, f: ax.ecdf(f.a),
    "plot": lambda ax, f: ax.plot(f.n, f.a),
    "plot by names": lambda ax, f: ax.plot("n", "a", data=f),
    "bar with errors": lambda ax, f: ax.bar(f.k, f.a, yerr=f.b.abs()),
    "fill_between": lambda ax, f: ax.fill_between(f.n, f.a, f.b * 2),
    "stackplot": lambda ax, f: ax.stackplot(f.n, f.a, f.b),
    "hexbin": lambda ax, f: ax.hexbin(f.a, f.b),
}


@pytest.fixture
def axes():
    """New axes; every worker collects this file, and one imports matplotlib."""
    from matplotlib.figure import Figure

    return Figure().subplots()


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("kind", ["small", "18 decimals"])
def test_matplotlib_draws_columns_and_frames(axes, plot, kind):
    """It gets floats; the column that it was given stays exact."""
    frame = make_frame([*map(D, SETS[kind])])
    PLOTS[plot](axes, frame)
    axes.figure.canvas.draw()
    assert frame.a.sum() == sum(map(D, SETS[kind]))
    assert np.asarray(frame.a).dtype == object


def test_a_line_has_the_floats_of_its_amounts(axes):
    """A missing amount is a gap."""
    frame = make_frame([*map(D, SETS["small"])])
    (line,) = axes.plot(frame.n, frame.a.where(frame.n != 2))
    assert [*line.get_ydata()[[0, 2, 3]]] == [10.25, -7.0, 0.05]
    assert np.isnan(line.get_ydata()[1])


@pytest.mark.parametrize("compute", [lambda x: x / 0, lambda x: x % 0, lambda x: x // D(0)])
def test_an_amount_divided_by_0_is_an_error_that_tells_what_a_column_does(compute):
    """Python's own error has no words."""
    with pytest.raises(ZeroDivisionError, match=r"10\.25 is divided by 0; a column"):
        compute(make_frame([D("10.25")] * 4).a[0])


def test_bins_and_periods_are_written_to_parquet(tmp_path):
    """Bins of `cut` are text; periods and intervals are what pandas makes of them."""
    months = pd.period_range("2026-01", periods=4, freq="M")
    frame = make_frame([D("1.5")] * 4).assign(bin=lambda f: pd.cut(f.n, [0, 2, 4]), month=months)
    frame.to_parquet(tmp_path / "t.parquet")
    found = pd.read_parquet(tmp_path / "t.parquet")
    assert [*found["bin"]] == ["(0, 2]", "(0, 2]", "(2, 4]", "(2, 4]"]
    assert [*found["month"]] == [*months]
    assert found["a"].sum() == 6
