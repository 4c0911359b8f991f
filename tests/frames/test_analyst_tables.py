"""Groups, times, reshaped frames and other libraries as an analyst of payments writes them.

On small values, 18 decimals and 30 digits; the expected values are those of plain Decimal.
"""

from __future__ import annotations

import bisect
import io
import operator
import statistics
from itertools import accumulate, pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from analyst_frames import DAYS, FX, RATES, SETS, D, changed, check, failures


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


def above_lower_quantile(frame):
    share = D(0)
    return frame.eval("a - a.quantile(@share)") if not share else None


def read_back(frame, **options):
    """What pandas reads from the Parquet that pandas writes."""
    file = io.BytesIO()
    frame.to_parquet(file)
    return pd.read_parquet(file, **options)


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
    "convert_dtypes to Arrow": (
        lambda s, f: f[["k", "a"]].convert_dtypes(dtype_backend="pyarrow").a,
        lambda v: v,
    ),
    "convert_dtypes of a column": (
        lambda s, f: f.a.convert_dtypes(dtype_backend="pyarrow"),
        lambda v: v,
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
    "eval assign": (lambda s, f: f.eval("c = a - b").c, lambda v: [0] * 4),
    "eval div": (lambda s, f: f.eval("a / 2"), lambda v: [x / 2 for x in v]),
    "eval abs": (lambda s, f: f.eval("abs(a)"), lambda v: [abs(x) for x in v]),
    "eval sum": (lambda s, f: f.eval("a.sum()"), lambda v: [sum(v)]),
    "eval minus mean": (lambda s, f: f.eval("a - a.mean()"), lambda v: [x - sum(v) / 4 for x in v]),
    "eval sum of ends": (
        lambda s, f: f.eval("c = (a.max() + b.min()) * 2 - b").c,
        lambda v: [(max(v) + min(v)) * 2 - x for x in v],
    ),
    "eval of statistics": (lambda s, f: f.eval("a.max() - b.sum()"), lambda v: [max(v) - sum(v)]),
    "eval of filled and quantile": (
        lambda s, f: f.eval("a.fillna(0).max() - a.where((n > 1)).quantile(0.5) + b"),
        lambda v: [max(v) - sorted(v[1:])[1] + x for x in v],
    ),
    "eval share of a quantile": (
        lambda s, f: above_lower_quantile(f),
        lambda v: [x - min(v) for x in v],
    ),
    "eval counts and amounts": (
        lambda s, f: f.eval("n * a.max()"),
        lambda v: [max(v) * n for n in (1, 2, 3, 4)],
    ),
    "query by a mean": (
        lambda s, f: f.query("a - a.mean() > 0").a,
        lambda v: [x for x in v if x > sum(v) / 4],
    ),
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

MORE = {
    "sum of columns by apply": (lambda s, f: f[["a", "b"]].apply(sum), lambda v: [sum(v)] * 2),
    "sum of rows by agg": (
        lambda s, f: f[["a", "b"]].agg("sum", axis=1),
        lambda v: [2 * x for x in v],
    ),
    "agg of a dict of lists": (
        lambda s, f: f.agg({"a": ["sum", "max"]}),
        lambda v: [sum(v), max(v)],
    ),
    "mean of groups by sum and len": (
        lambda s, f: f.groupby("k").agg(m=("a", lambda c: c.sum() / len(c))),
        lambda v: [(v[0] + v[2]) / 2, (v[1] + v[3]) / 2],
    ),
    "a series for each group": (
        lambda s, f: (
            f.groupby("k").apply(lambda g: pd.Series({"t": g.a.sum()}), include_groups=False).t
        ),
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "spread of groups by pipe": (
        lambda s, f: f.groupby("k").a.pipe(lambda g: g.max() - g.min()),
        lambda v: [max(v[0], v[2]) - min(v[0], v[2]), max(v[1], v[3]) - min(v[1], v[3])],
    ),
    "groups by their sum": (
        lambda s, f: f.groupby("k").filter(lambda g: g.a.sum() > -1000).a.sum(),
        lambda v: [sum(v)],
    ),
    "groups with a missing key": (
        lambda s, f: f.assign(k=["x", None, "x", None]).groupby("k", dropna=False).a.sum(),
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "sum of numbers of groups": (
        lambda s, f: f.groupby("k").sum(numeric_only=True).a,
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "sums of bins of a count": (
        lambda s, f: f.groupby(pd.cut(f.n, [0, 2, 4]), observed=True).a.sum(),
        lambda v: [v[0] + v[1], v[2] + v[3]],
    ),
    "numbers of groups of amounts": (
        lambda s, f: f.groupby("a").ngroup().tolist(),
        lambda v: [sorted(v).index(x) for x in v],
    ),
    "median by transform": (
        lambda s, f: f.groupby("k").a.transform("median"),
        lambda v: [(v[0] + v[2]) / 2, (v[1] + v[3]) / 2] * 2,
    ),
    "filled with the maximum of the group": (
        lambda s, f: s.shift().fillna(f.groupby("k").a.transform("max")),
        lambda v: [max(v[0], v[2]), *v[:3]],
    ),
    "sum of groups * size": (
        lambda s, f: f.groupby("k").a.sum() * f.groupby("k").size(),
        lambda v: [2 * (v[0] + v[2]), 2 * (v[1] + v[3])],
    ),
    "sum of groups / size": (
        lambda s, f: f.groupby("k").a.sum() / f.groupby("k").size(),
        lambda v: [(v[0] + v[2]) / 2, (v[1] + v[3]) / 2],
    ),
    "unstacked groups": (
        lambda s, f: f.groupby(["k", "n"]).a.sum().unstack().fillna(0).sum(axis=1),
        lambda v: [v[0] + v[2], v[1] + v[3]],
    ),
    "zero / column": (lambda s, f: s.rdiv(0), lambda v: [0] * 4),
    "power of 0": (lambda s, f: s.pow(0), lambda v: [1] * 4),
    "np.median of a frame": (
        lambda s, f: np.median(f[["a", "b"]], axis=0),
        lambda v: [statistics.median(v)] * 2,
    ),
    "np.sum of a frame": (lambda s, f: np.sum(f[["a", "b"]], axis=0), lambda v: [sum(v)] * 2),
    "np.abs of a frame": (lambda s, f: np.abs(f[["a"]]).a, lambda v: [abs(x) for x in v]),
    "np.round of a frame": (
        lambda s, f: np.round(f[["a"]], 1).a,
        lambda v: [round(x, 1) for x in v],
    ),
    "np.cumsum of a frame": (lambda s, f: np.cumsum(f[["a"]]).a, lambda v: list(accumulate(v))),
    "np.diff with a start": (
        lambda s, f: np.diff(s, prepend=0),
        lambda v: [v[0], *(b - a for a, b in pairwise(v))],
    ),
    "np.select with a default column": (
        lambda s, f: np.select([s > 5, s < 0], [s * 2, s * 0], default=s),
        lambda v: [x * 2 if x > 5 else (0 if x < 0 else x) for x in v],
    ),
    "np.vectorize": (lambda s, f: np.vectorize(lambda x: x * 2)(s), lambda v: [2 * x for x in v]),
    "np.frompyfunc": (
        lambda s, f: np.frompyfunc(lambda x: x + 1, 1, 1)(s),
        lambda v: [x + 1 for x in v],
    ),
    "np.partition": (lambda s, f: np.partition(s, 1)[:1], lambda v: [min(v)]),
    "np.union1d": (lambda s, f: np.union1d(s, s), sorted),
    "np.setdiff1d": (lambda s, f: np.setdiff1d(s, s[:2]), lambda v: sorted(v[2:])),
    "np.append": (lambda s, f: np.append(s, D(1)).sum(), lambda v: [sum(v) + 1]),
    "np.extract": (lambda s, f: np.extract(s > 0, s).sum(), lambda v: [sum(x for x in v if x > 0)]),
    "np.polyval": (lambda s, f: np.polyval([1, 2], s), lambda v: [x + 2 for x in v]),
    "np.average of a frame": (
        lambda s, f: np.average(f[["a", "b"]], axis=0),
        lambda v: [sum(v) / 4] * 2,
    ),
    "np.max with a start": (lambda s, f: np.max(s.to_numpy(), initial=0), lambda v: [max(*v, 0)]),
    "np.dot of a frame": (
        lambda s, f: np.dot(f[["a", "b"]].T, f.n),
        lambda v: [sum(map(operator.mul, v, (1, 2, 3, 4)))] * 2,
    ),
    "weighted columns": (lambda s, f: f[["a", "b"]].dot([1, 2]), lambda v: [3 * x for x in v]),
    "a frame @ weights": (
        lambda s, f: f[["a", "b"]] @ pd.Series([1, 2], index=["a", "b"]),
        lambda v: [3 * x for x in v],
    ),
    "product of a row": (
        lambda s, f: f[["a", "n"]].prod(axis=1),
        lambda v: [*map(operator.mul, v, (1, 2, 3, 4))],
    ),
    "where of a frame": (
        lambda s, f: f[["a", "b"]].where(f[["a", "b"]] > 0, 0).a,
        lambda v: [max(x, 0) for x in v],
    ),
    "a frame > a float": (
        lambda s, f: (f[["a", "b"]] > 0.05).a,
        lambda v: [x > D("0.05") for x in v],
    ),
    "a chain of assign": (
        lambda s, f: f.assign(x=lambda d: d.a + d.b, y=lambda d: d.x * 2).y,
        lambda v: [4 * x for x in v],
    ),
    "a cell with more decimals": (
        lambda s, f: changed(f, (0, "a"), D("0.123")).a,
        lambda v: [D("0.123"), *v[1:]],
    ),
    "a row from a dict": (
        lambda s, f: pd.concat([f[["a"]], pd.DataFrame([{"a": D("1.5")}])]).a.sum(),
        lambda v: [sum(v) + D("1.5")],
    ),
    "median of a pivot": (
        lambda s, f: f.pivot_table(index="k", values="a", aggfunc="median").a,
        lambda v: [(v[0] + v[2]) / 2, (v[1] + v[3]) / 2],
    ),
    "quantile of a pivot": (
        lambda s, f: f.pivot_table(index="k", values="a", aggfunc=lambda c: c.quantile(0.5)).a,
        lambda v: [(v[0] + v[2]) / 2, (v[1] + v[3]) / 2],
    ),
    "merge_asof with a tolerance": (
        lambda s, f: pd.merge_asof(
            f, f[["at", "b"]].rename(columns={"b": "c"}), on="at", tolerance=pd.Timedelta("1D")
        ).c.sum(),
        lambda v: [sum(v)],
    ),
    "red cells of style.map": (
        lambda s, f: (
            f[["a"]].style.map(lambda x: "color:red" if x < 0 else "").to_html().count("red")
        ),
        lambda v: [sum(x < 0 for x in v)],
    ),
    "to_dict by index": (
        lambda s, f: sum(r["a"] for r in f.to_dict("index").values()),
        lambda v: [sum(v)],
    ),
    "nlargest with ties": (
        lambda s, f: pd.concat([s, s]).nlargest(1, keep="all"),
        lambda v: [max(v)] * 2,
    ),
    "days of another zone": (
        lambda s, f: f.set_index(f["at"].dt.tz_convert("Asia/Manila")).a.resample("D").sum().sum(),
        lambda v: [sum(v)],
    ),
    "weeks": (lambda s, f: f.resample("W", on="at").a.sum().sum(), lambda v: [sum(v)]),
    "first, max, min and last of days": (
        lambda s, f: (
            f.set_index("at")
            .a.groupby(pd.Grouper(freq="2D"))
            .agg(["first", "max", "min", "last"])
            .iloc[0]
        ),
        lambda v: [v[0], max(v[:2]), min(v[:2]), v[1]],
    ),
    "largest drawdown": (
        lambda s, f: (s.cummax() - s).max(),
        lambda v: [max(map(operator.sub, accumulate(v, max), v))],
    ),
    "a total in an f-string": (lambda s, f: f"{s.sum():,.2f}", lambda v: [f"{sum(v):,.2f}"]),
    "a rounded total": (lambda s, f: round(s.sum(), 2), lambda v: [round(sum(v), 2)]),
    "average by amounts": (lambda s, f: np.average(f.n, weights=s * 0 + 1), lambda v: [D("2.5")]),
}


EXACT = OF_GROUPS | RESHAPED | ELSEWHERE | MORE


@pytest.mark.filterwarnings("ignore::FutureWarning", "error::paylab.frames.FloatWarning")
@pytest.mark.parametrize("kind", SETS)
def test_an_idiom_of_a_table_equals_plain_decimal(kind):
    """The result equals plain Decimal, without a warning of floats."""
    assert failures(EXACT, lambda idiom: check(*EXACT[idiom], kind)) == {}


def test_there_are_two_hundred():
    """The table has at least 200 idioms."""
    assert len(EXACT) >= 200
