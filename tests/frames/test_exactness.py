"""Hundreds of idioms on small values, on 18 decimals and on 30 digits: exact, float or refused.

The expected values are computed with Python's Decimal in a context of 400 digits.
"""

from __future__ import annotations

import operator
from decimal import localcontext
from itertools import accumulate, pairwise
from statistics import median

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from analyst_frames import PLAIN, SETS, SHORT, D, failures

import paylab
from paylab.errors import ExactnessError
from paylab.frames import DecimalDtype, ObjectColumnError, WindowError

DAYS = pd.date_range("2026-01-01", periods=4)
KEYS = ["x", "y", "x", "y"]


def column(values):
    """An exact column."""
    return pd.Series(values, dtype=DecimalDtype(), name="a")


def table(values):
    """A frame with a key, a time, and the amount twice."""
    return pd.DataFrame({"a": column(values), "b": column(values), "k": KEYS, "at": DAYS})


def frame_of_two(amounts):
    """A frame with the amounts twice, as the service's lists make them."""
    return paylab.frames.of([{"id": "x"}])[[]].reindex(amounts.index).assign(a=amounts, b=amounts)


def flat(found):
    """A result as a list of numbers; a missing value is None."""
    if isinstance(found, pd.DataFrame):
        return [value for name in found for value in flat(found[name])]
    values = found if isinstance(found, pd.Series | pd.Index | np.ndarray | list) else [found]
    return [None if value is pd.NA or value is None else value for value in values]


def digits(number):
    """The digits of a number, without zeros at the ends."""
    return len(number.normalize(PLAIN).as_tuple().digits) if number else 0


def pairs(values):
    """The values of the two groups."""
    return values[::2], values[1::2]


REDUCED = {
    "sum": sum,
    "min": min,
    "max": max,
    "mean": lambda values: sum(values) / len(values),
    "median": median,
}
WHOLE = {
    "of a column": lambda s, f, how: getattr(s, how)(),
    "of numpy": lambda s, f, how: getattr(np, how)(np.array(s)),
    "of numpy on a column": lambda s, f, how: getattr(np, how)(s),
    "of numpy's objects": lambda s, f, how: getattr(np, how)(s.to_numpy()),
    "by agg": lambda s, f, how: s.agg(how),
    "by a list of agg": lambda s, f, how: s.agg([how]),
    "of a frame": lambda s, f, how: getattr(f[["a"]], how)(),
    "of numbers": lambda s, f, how: getattr(f, how)(numeric_only=True)[["a"]],
    "by agg of a frame": lambda s, f, how: f.agg({"a": how}),
    "of one group": lambda s, f, how: getattr(s.groupby([1] * 4), how)(),
    "of one group by agg": lambda s, f, how: f.groupby([1] * 4).a.agg(how),
    "of a named aggregation": lambda s, f, how: f.groupby([1] * 4).agg(x=("a", how)),
    "of a pivot": lambda s, f, how: f.assign(k=1).pivot_table("a", "k", aggfunc=how),
    "of a month": lambda s, f, how: getattr(f.set_index("at").a.resample("MS"), how)(),
    "of a grouper": lambda s, f, how: getattr(f.groupby(pd.Grouper(key="at", freq="MS")).a, how)(),
    "of a copy": lambda s, f, how: getattr(s.copy(), how)(),
    "sorted": lambda s, f, how: getattr(s.sort_values(), how)(),
    "backwards": lambda s, f, how: getattr(s[::-1], how)(),
    "with missing values": lambda s, f, how: getattr(pd.concat([s, column([None])]), how)(),
    "melted": lambda s, f, how: getattr(f[["a"]].melt()["value"], how)(),
    "after pickling": lambda s, f, how: getattr(pd.Series(s.array.copy()), how)(),
    "of an index": lambda s, f, how: getattr(pd.Series(pd.Index(s)), how)(),
    "by apply": lambda s, f, how: f[["a"]].apply(how),
    "by pipe": lambda s, f, how: s.pipe(lambda c: getattr(c, how)()),
    "of a mask": lambda s, f, how: getattr(s[s.notna()], how)(),
}
GROUPED = {
    "by a method": lambda s, f, how: getattr(f.groupby("k").a, how)(),
    "by agg": lambda s, f, how: f.groupby("k").a.agg(how),
    "by a function": lambda s, f, how: f.groupby("k").a.agg(lambda c: getattr(c, how)()),
    "by apply": lambda s, f, how: f.groupby("k").a.apply(lambda c: getattr(c, how)()),
    "by a pivot": lambda s, f, how: f.pivot_table("a", "k", aggfunc=how),
    "of a frame": lambda s, f, how: getattr(f.groupby("k")[["a"]], how)(),
    "of words": lambda s, f, how: getattr(
        f.astype({"k": "category"}).groupby("k", observed=True).a, how
    )(),
}
BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
SIDES = {
    "a column": lambda s, op: (op(s, s), lambda v: [op(x, x) for x in v]),
    "a whole number": lambda s, op: (op(s, 3), lambda v: [op(x, 3) for x in v]),
    "a decimal": lambda s, op: (op(s, D("1.16")), lambda v: [op(x, D("1.16")) for x in v]),
    "the right of a number": lambda s, op: (op(7, s), lambda v: [op(7, x) for x in v]),
    "the right of a decimal": lambda s, op: (
        op(D("0.5"), s),
        lambda v: [op(D("0.5"), x) for x in v],
    ),
    "a list": lambda s, op: (op(s, [1, 2, 3, 4]), lambda v: [*map(op, v, [1, 2, 3, 4])]),
    "numpy integers": lambda s, op: (op(s, np.arange(4)), lambda v: [*map(op, v, range(4))]),
    "one of numpy's": lambda s, op: (op(s, np.int64(5)), lambda v: [op(x, 5) for x in v]),
    "numpy's array": lambda s, op: (op(np.array(s), np.array(s)), lambda v: [op(x, x) for x in v]),
    "numpy's array and 2": lambda s, op: (op(np.array(s), 2), lambda v: [op(x, 2) for x in v]),
    "objects": lambda s, op: (op(s.astype(object), s), lambda v: [op(x, x) for x in v]),
    "each": lambda s, op: (s.map(lambda x: op(x, x)), lambda v: [op(x, x) for x in v]),
    "a list comprehension": lambda s, op: ([op(x, x) for x in s], lambda v: [op(x, x) for x in v]),
    "a row": lambda s, op: (
        pd.DataFrame({"a": s, "b": s}).apply(lambda r: op(r.a, r.b), axis=1),
        lambda v: [op(x, x) for x in v],
    ),
}
NAMED = {"+": "add", "-": "sub", "*": "mul"}
RUNNING = {"cumsum": operator.add, "cummin": min, "cummax": max}


def running(values, op):
    """The running result."""
    return [*accumulate(values, op)]


def rows(values, op):
    """The running result of each group, in the order of the rows."""
    x, y = (running(part, op) for part in pairs(values))
    return [value for both in zip(x, y, strict=True) for value in both]


def shares_of_groups(values):
    """The share of each value in the sum of its group."""
    sums = [sum(part) for part in pairs(values)]
    return [value / sums[row % 2] for row, value in enumerate(values)]


def quantile(values, share):
    """The quantile with linear interpolation."""
    ordered = sorted(values)
    place = D(share) * (len(ordered) - 1)
    low = int(place)
    above = ordered[min(low + 1, len(ordered) - 1)]
    return ordered[low] + (above - ordered[low]) * (place - low)


EXACT = {
    **{
        f"{how} {way}": (
            lambda s, f, ask=ask, how=how: ask(s, f, how),
            lambda v, of=of: [of(v)],
        )
        for how, of in REDUCED.items()
        for way, ask in WHOLE.items()
    },
    **{
        f"{how} of groups {way}": (
            lambda s, f, ask=ask, how=how: ask(s, f, how),
            lambda v, of=of: [of(part) for part in pairs(v)],
        )
        for how, of in REDUCED.items()
        for way, ask in GROUPED.items()
    },
    **{
        f"{sign} with {side}": (
            lambda s, f, ask=ask, op=op: ask(s, op)[0],
            lambda v, ask=ask, op=op: ask(column(["1"] * 4), op)[1](v),
        )
        for sign, op in BINARY.items()
        for side, ask in SIDES.items()
    },
    **{
        f"method {name}": (
            lambda s, f, name=name: getattr(s, name)(s),
            lambda v, op=BINARY[sign]: [op(x, x) for x in v],
        )
        for sign, name in NAMED.items()
    },
    **{
        f"numpy {ufunc.__name__}": (
            lambda s, f, ufunc=ufunc: ufunc(s, s),
            lambda v, op=op: [op(x, x) for x in v],
        )
        for ufunc, op in (
            (np.add, operator.add),
            (np.subtract, operator.sub),
            (np.multiply, operator.mul),
        )
    },
    **{
        f"{name} {way}": (lambda s, f, ask=ask, name=name: ask(s, f, name), expect(op))
        for name, op in RUNNING.items()
        for way, ask, expect in (
            ("of a column", lambda s, f, n: getattr(s, n)(), lambda op: lambda v: running(v, op)),
            (
                "of a frame",
                lambda s, f, n: getattr(f[["a"]], n)(),
                lambda op: lambda v: running(v, op),
            ),
            (
                "of groups",
                lambda s, f, n: getattr(f.groupby("k").a, n)(),
                lambda op: lambda v: rows(v, op),
            ),
            (
                "by transform",
                lambda s, f, n: f.groupby("k").a.transform(n),
                lambda op: lambda v: rows(v, op),
            ),
        )
    },
    **{
        f"quantile {share} {way}": (
            lambda s, f, ask=ask, share=share: ask(s, f, float(share)),
            lambda v, share=share, parts=parts: [quantile(p, share) for p in parts(v)],
        )
        for share in ("0.05", "0.25", "0.5", "0.75", "0.95", "0.99995")
        for way, ask, parts in (
            ("of a column", lambda s, f, q: s.quantile(q), lambda v: [v]),
            ("of a list", lambda s, f, q: s.quantile([q]), lambda v: [v]),
            ("of groups", lambda s, f, q: f.groupby("k").a.quantile(q), pairs),
            ("of a list of groups", lambda s, f, q: f.groupby("k").a.quantile([q]), pairs),
        )
    },
    **{
        f"the {count} {how}": (
            lambda s, f, ask=ask, count=count: ask(s, f, count),
            lambda v, count=count, down=down: sorted(v, reverse=down)[:count],
        )
        for count in (1, 2, 3, 4)
        for how, ask, down in (
            ("largest", lambda s, f, n: s.nlargest(n), True),
            ("smallest", lambda s, f, n: s.nsmallest(n), False),
            ("rows with the largest", lambda s, f, n: f.nlargest(n, "a")[["a"]], True),
            ("rows with the smallest", lambda s, f, n: f.nsmallest(n, "a")[["a"]], False),
            ("sorted", lambda s, f, n: s.sort_values().head(n), False),
            ("by numpy", lambda s, f, n: np.sort(s)[:n], False),
        )
    },
    "dot": (lambda s, f: s.dot(s), lambda v: [sum(x * x for x in v)]),
    "matrix product": (lambda s, f: s @ s, lambda v: [sum(x * x for x in v)]),
    "dot of numpy": (lambda s, f: np.dot(s, s), lambda v: [sum(x * x for x in v)]),
    "where of numpy": (lambda s, f: np.where(s > 0, s, 0), lambda v: [max(x, 0) for x in v]),
    "select of numpy": (lambda s, f: np.select([s > 0], [s], 0), lambda v: [max(x, 0) for x in v]),
    "maximum of numpy": (lambda s, f: np.maximum(s, 0), lambda v: [max(x, 0) for x in v]),
    "minimum of numpy": (lambda s, f: np.minimum(s, 0), lambda v: [min(x, 0) for x in v]),
    "clip": (lambda s, f: s.clip(lower=0), lambda v: [max(x, 0) for x in v]),
    "clip of numpy": (lambda s, f: np.clip(s, 0, 10), lambda v: [min(max(x, 0), 10) for x in v]),
    "average": (lambda s, f: np.average(s), lambda v: [sum(v) / 4]),
    "weighted average": (
        lambda s, f: np.average(s, weights=[1, 1, 1, 1]),
        lambda v: [sum(v) / 4],
    ),
    "floor": (lambda s, f: np.floor(s), lambda v: [x // 1 - (x % 1 < 0) for x in v]),
    "ceil": (lambda s, f: np.ceil(s), lambda v: [x // 1 + (x % 1 > 0) for x in v]),
    "difference": (lambda s, f: s.diff()[1:], lambda v: [b - a for a, b in pairwise(v)]),
    "diff of numpy": (lambda s, f: np.diff(s), lambda v: [b - a for a, b in pairwise(v)]),
    "negative": (lambda s, f: -s, lambda v: [-x for x in v]),
    "negative elements": (lambda s, f: [-x for x in s], lambda v: [-x for x in v]),
    "absolute": (lambda s, f: s.abs(), lambda v: [abs(x) for x in v]),
    "absolute elements": (lambda s, f: [abs(x) for x in s], lambda v: [abs(x) for x in v]),
    "absolute of numpy": (lambda s, f: np.abs(s), lambda v: [abs(x) for x in v]),
    "square": (lambda s, f: s**2, lambda v: [x * x for x in v]),
    "square of elements": (lambda s, f: [x**2 for x in s], lambda v: [x * x for x in v]),
    "half": (lambda s, f: s / 2, lambda v: [x / 2 for x in v]),
    "half of elements": (lambda s, f: [x / 2 for x in s], lambda v: [x / 2 for x in v]),
    "rounded": (lambda s, f: s.round(1), lambda v: [round(x, 1) for x in v]),
    "rounded elements": (lambda s, f: [round(x, 1) for x in s], lambda v: [round(x, 1) for x in v]),
    "Python's sum": (lambda s, f: sum(s), lambda v: [sum(v)]),
    "sum of a list": (lambda s, f: sum(s.tolist()), lambda v: [sum(v)]),
    "sum of objects": (lambda s, f: s.astype(object).sum(), lambda v: [sum(v)]),
    "sum of values": (lambda s, f: f[["a", "b"]].values.sum(), lambda v: [2 * sum(v)]),
    "sum of rows": (lambda s, f: f[["a", "b"]].sum(axis=1), lambda v: [2 * x for x in v]),
    "sum of a transposed frame": (lambda s, f: f[["a", "b"]].T.sum(), lambda v: [2 * x for x in v]),
    "words": (lambda s, f: s.astype("category").cat.categories, sorted),
    "values of words": (lambda s, f: s.astype("category").astype("decimal"), list),
    "concatenated with missing floats": (
        lambda s, f: pd.concat([s, pd.Series([], dtype=float), pd.Series([float("nan")])])[:4],
        list,
    ),
    "eval": (lambda s, f: f.eval("a + b"), lambda v: [2 * x for x in v]),
    "a product of a frame": (lambda s, f: s.prod(), lambda v: [v[0] * v[1] * v[2] * v[3]]),
    "fused product": (lambda s, f: [x.fma(2, 3) for x in s], lambda v: [x * 2 + 3 for x in v]),
    "divmod": (
        lambda s, f: pd.concat(divmod(s, 3)),
        lambda v: [x // 3 - (x % 3 < 0) for x in v] + [x % 3 + 3 * (x % 3 < 0) for x in v],
    ),
    "absolute floats of numpy": (lambda s, f: np.fabs(s), lambda v: [abs(x) for x in v]),
    "rows with the largest of groups": (
        lambda s, f: f.loc[f.groupby("k").a.idxmax()].a,
        lambda v: [max(part) for part in pairs(v)],
    ),
    "place of the smallest": (lambda s, f: f[["a"]].idxmin(), lambda v: [v.index(min(v))]),
    "product of numpy": (lambda s, f: np.prod(np.array(s)), lambda v: [v[0] * v[1] * v[2] * v[3]]),
    "largest spread": (lambda s, f: np.ptp(np.array(s)), lambda v: [max(v) - min(v)]),
    "window sums": (
        lambda s, f: f.paylab.rolling(2)["a"].sum()[1:],
        lambda v: [a + b for a, b in pairwise(v)],
    ),
    "window means": (
        lambda s, f: f.paylab.rolling(2)["a"].mean()[1:],
        lambda v: [(a + b) / 2 for a, b in pairwise(v)],
    ),
    "largest of windows": (
        lambda s, f: f.paylab.rolling(2)["a"].max()[1:],
        lambda v: [max(a, b) for a, b in pairwise(v)],
    ),
    "smallest of windows": (
        lambda s, f: f.paylab.rolling(2)["a"].min()[1:],
        lambda v: [min(a, b) for a, b in pairwise(v)],
    ),
    "median of windows": (
        lambda s, f: f.paylab.rolling(2)["a"].median()[1:],
        lambda v: [(a + b) / 2 for a, b in pairwise(v)],
    ),
    "window sums of two days": (
        lambda s, f: f.paylab.rolling("2D", on="at")["a"].sum(),
        lambda v: [v[0], *(a + b for a, b in pairwise(v))],
    ),
    "window sums of groups": (
        lambda s, f: f.paylab.rolling(2, by="k", min_periods=1)["a"].sum(),
        lambda v: [v[0], v[1], v[0] + v[2], v[1] + v[3]],
    ),
    "expanding sums": (
        lambda s, f: f.paylab.rolling(len(f), min_periods=1)["a"].sum(),
        lambda v: running(v, operator.add),
    ),
    "windows of pandas": (
        lambda s, f: [window.sum() for window in s.rolling(2)][1:],
        lambda v: [a + b for a, b in pairwise(v)],
    ),
}
FLOATS = {
    **{
        name: lambda s, name=name: getattr(s, name)()
        for name in ("std", "var", "sem", "skew", "kurt")
    },
    **{f"{name} of numpy": lambda s, name=name: getattr(np, name)(s) for name in ("std", "var")},
    **{
        f"{ufunc.__name__} of numpy": lambda s, ufunc=ufunc: ufunc(s.abs() + 1)
        for ufunc in (np.log, np.log10, np.log2, np.log1p, np.sqrt, np.cbrt, np.sin, np.arctan)
    },
    "correlation": lambda s: s.corr(s + 1),
    "covariance": lambda s: s.cov(s),
    "float of an element": lambda s: float(s[0]),
    "as floats": lambda s: s.astype(float),
    "as Float64": lambda s: s.astype("Float64"),
    "mean of floats": lambda s: s.astype(float).mean(),
    "numpy's floats": lambda s: s.to_numpy(float),
    "an array of floats": lambda s: np.array(s, dtype=float),
    "correlation of a frame": lambda s: s.to_frame("a").assign(b=s + 1).corr()["a"],
    "description": lambda s: s.describe(),
}
REFUSED = {
    **{
        f"{sign} with a {kind}": (lambda s, op=op, other=other: op(s, other), ExactnessError)
        for sign, op in {**BINARY, "/": operator.truediv}.items()
        for kind, other in {
            "float": 0.5,
            "float of numpy": np.float64(0.5),
            "list of floats": [0.5] * 4,
            "column of floats": pd.Series([0.5] * 4),
        }.items()
    },
    **{
        f"{sign} of an element with a {kind}": (
            lambda s, op=op, other=other: op(s[0], other),
            ExactnessError,
        )
        for sign, op in {**BINARY, "/": operator.truediv}.items()
        for kind, other in {"float": 0.5, "float32": np.float32(0.5)}.items()
    },
    **{
        f"a float {sign} an element": (lambda s, op=op: op(0.5, s[0]), ExactnessError)
        for sign, op in {**BINARY, "/": operator.truediv}.items()
    },
    **{
        f"{windows} {how}": (lambda s, ask=ask, how=how: getattr(ask(s), how)(), WindowError)
        for windows, ask in {
            "rolling": lambda s: s.rolling(2),
            "expanding": lambda s: s.expanding(),
            "rolling of groups": lambda s: s.groupby(KEYS).rolling(2),
            "rolling of days": lambda s: s.set_axis(DAYS).rolling("2D"),
            "rolling of a frame": lambda s: s.to_frame().rolling(2),
        }.items()
        for how in ("sum", "mean", "max", "std")
    },
    **{
        f"{how} of objects": (
            lambda s, how=how: getattr(s.astype(object), how)(),
            ObjectColumnError,
        )
        for how in ("mean", "median", "std", "var", "sem", "skew", "kurt")
    },
    **{
        name: (lambda s, ask=ask: ask(s.astype(object)), ObjectColumnError)
        for name, ask in {
            "mean of groups of objects": lambda o: o.groupby(KEYS).mean(),
            "mean of a frame of objects": lambda o: o.to_frame().mean(),
            "mean of amounts and floats": lambda o: pd.concat([o, pd.Series([0.5])]).mean(),
            "mean of a summary": lambda o: pd.DataFrame({"v": [o.sum(), o.max()]}).v.mean(),
            "mean of what numpy chose": lambda o: pd.Series(np.where(o > 0, o, 0)).mean(),
            "pivot of objects": lambda o: o.to_frame("v").assign(k=1).pivot_table("v", "k"),
            "rolling of objects": lambda o: o.rolling(2).sum(),
            "expanding of objects": lambda o: o.expanding().mean(),
            "ewm of objects": lambda o: o.ewm(2).mean(),
        }.items()
    },
    "ewm": (lambda s: s.ewm(2).mean(), WindowError),
    "ewm of groups": (lambda s: s.groupby(KEYS).ewm(2).mean(), WindowError),
    **{
        f"a frame {sign} floats": (lambda s, ask=ask: ask(frame_of_two(s)), ExactnessError)
        for sign, ask in {
            "dot": lambda f: f.dot([0.5, 1]),
            "@": lambda f: f @ [0.5, 1],
            "after @ of": lambda f: [0.5] * 4 @ f,
            "dot a frame of": lambda f: f.dot(pd.DataFrame({"x": [0.5, 1]}, index=["a", "b"])),
        }.items()
    },
    **{
        name: (ask, ExactnessError)
        for name, ask in {
            "interpolation": lambda s: s.interpolate(),
            "a mask": lambda s: s * (s > 0),
            "a zero that is a float": lambda s: s.where(s > 0, 0.0),
            "integers with a missing one": lambda s: s * pd.Series([1, 2, 3, None]),
            "a float to the power of an element": lambda s: 2.5 ** s[0],
            "missing amounts as integers": lambda s: column([1, None]).to_numpy("int64"),
        }.items()
    },
    "dot with floats": (lambda s: s.dot([0.5] * 4), ExactnessError),
    "dot of numpy with floats": (lambda s: np.dot(s, [0.5] * 4), ExactnessError),
    "average with floats": (lambda s: np.average(s, weights=[0.5] * 4), ExactnessError),
    "percentile of numpy": (lambda s: np.percentile(s, 90), ExactnessError),
    "quantile of numpy": (lambda s: np.quantile(s, 0.9), ExactnessError),
    "maximum with a float": (lambda s: np.maximum(s, 0.5), ExactnessError),
    "filled with a float": (lambda s: s.where(s > 100).fillna(0.5), ExactnessError),
    "a product of floats and amounts": (
        lambda s: pd.concat([s, pd.Series([0.5])]).cumsum(),
        ExactnessError,
    ),
}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("kind", SETS)
def test_an_exact_idiom_equals_plain_decimal_or_is_refused(kind):
    """The result equals plain Decimal and holds no float, or is refused past 38 digits."""
    values = [*map(D, SETS[kind])]

    def check_exact(idiom):
        ask, expect = EXACT[idiom]
        with localcontext(PLAIN):
            expected = [D(value) for value in expect(values)]
        try:
            with localcontext(SHORT):
                found = flat(ask(column(values), table(values)))
        except ExactnessError:
            assert max(map(digits, expected)) > 28
            assert any(word in idiom for word in MAY_BE_LONG), expected
            return
        assert not any(isinstance(value, float) for value in found)
        assert found == expected

    assert failures(EXACT, check_exact) == {}


MAY_BE_LONG = ("*", "mul", "square", "product", "quantile", "half")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", SETS)
def test_a_statistic_is_a_float(kind):
    """A statistic is a float for every value, never a decimal that was rounded."""

    def check_floats(idiom):
        found = flat(FLOATS[idiom](column([*map(D, SETS[kind])])))
        assert {type(value) for value in found} <= {float, np.float64}

    assert failures(FLOATS, check_floats) == {}


@pytest.mark.parametrize("kind", SETS)
def test_an_inexact_idiom_is_refused(kind):
    """The error says what to write, for every value."""

    def check_refusal(idiom):
        ask, error = REFUSED[idiom]
        with pytest.raises(error, match="write"):
            ask(column([*map(D, SETS[kind])]))

    assert failures(REFUSED, check_refusal) == {}


SIZES = ["25000000.01", "0.0000003", "12.5", "-7"]


def thrice(amounts):
    """The amounts three times."""
    return pd.concat([amounts] * 3)


def thirds(values):
    """The mean of each window of three."""
    return [(a + b + c) / 3 for a, b, c in zip(values, values[1:], values[2:], strict=False)]


QUOTIENTS = {
    "by a large number": (lambda s: s / D(7 * 10**13), lambda v: [x / (7 * 10**13) for x in v]),
    "by a column": (lambda s: s / column([3, 7 * 10**9, 3, 3]), lambda v: [v[0] / 3]),
    "changes": (lambda s: s.pct_change()[1:], lambda v: [b / a - 1 for a, b in pairwise(v)]),
    "shares of groups": (
        lambda s: s.groupby([0, 1, 0, 1]).transform(lambda group: group / group.sum()),
        shares_of_groups,
    ),
    "means of groups": (
        lambda s: pd.concat([s, s + 1, s]).groupby([*range(4)] * 3).mean(),
        lambda v: [x + D(1) / 3 for x in v],
    ),
    "a third of means": (
        lambda s: thrice(s).groupby([*range(4)] * 3).mean() / 3,
        lambda v: [x / 3 for x in v],
    ),
    "means of windows": (
        lambda s: thrice(s).to_frame("a").paylab.rolling(3)["a"].mean()[2:],
        lambda v: thirds(v * 3),
    ),
}


@pytest.mark.parametrize(("ask", "expect"), QUOTIENTS.values(), ids=QUOTIENTS)
def test_quotients_of_all_sizes_fit_one_column(ask, expect):
    """Quotients without end are rounded to the decimals that their column has room for."""
    values = [*map(D, SIZES)]
    with localcontext(PLAIN):
        expected = expect(values)
        differences = map(operator.sub, flat(ask(column(values))), expected)
        assert max(map(abs, differences)) < D("1e-19")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda s: s.to_numpy("int64"), "not all amounts are whole numbers"),
        (lambda s: np.asarray(s, dtype="int32"), "not all amounts are whole numbers"),
        (lambda s: s.astype(pd.ArrowDtype(pa.int64())), "not all amounts fit int64"),
        (lambda s: s.astype(pd.ArrowDtype(pa.decimal128(10, 1))), "not all amounts fit decimal"),
        (lambda s: 2 ** (s.abs() * 10**37).round()[0], "too many digits"),
    ],
)
def test_a_type_that_does_not_hold_the_amounts_is_refused(ask, words):
    """No digit is cut off by a conversion, whatever asks for it."""
    with pytest.raises(ExactnessError, match=words):
        ask(column([D("1.25")]))


def test_there_are_three_hundred():
    """The table has at least 300 idioms."""
    assert len(EXACT) + len(FLOATS) + len(REFUSED) >= 300
