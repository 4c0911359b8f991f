"""Floats and text as keys of exact amounts, and floats that would get into an exact column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from analyst_frames import NAN, D, failures

from paylab.errors import ExactnessError, FloatWarning, PaylabError
from paylab.frames import AmountKeyError
from paylab.frames.exact_frame import ExactFrame

TEXTS = ["1.10", "2.20", "3.30"]


def make_rows(frame_type=pd.DataFrame):
    """Exact amounts beside a count, in a frame of pandas or of ours."""
    return frame_type({"a": pd.Series(TEXTS, dtype="decimal"), "n": range(3)})


def make_floats():
    """The same amounts as floats."""
    return pd.DataFrame({"a": [*map(float, TEXTS)], "m": range(3)})


def by_amount(frame):
    """The last column by amount."""
    return frame.set_index("a").iloc[:, -1]


MATCHED = {
    "merge": lambda x, y: pd.merge(x, y, on="a"),
    "merge, shuffled": lambda x, y: pd.merge(x[::-1], y, on="a"),
    "merge of floats": lambda x, y: y.merge(x, on="a"),
    "merge of floats with an index": lambda x, y: y.merge(
        x.set_index("a"), left_on="a", right_index=True
    ),
    "merge of two keys": lambda x, y: pd.merge(x.assign(m=x.n), y, on=["a", "m"]),
    "join of floats": lambda x, y: y.set_index("a").join(x.set_index("a")),
    "concat of columns": lambda x, y: pd.concat([x.set_index("a"), y.set_index("a")], axis=1),
    "sum of columns": lambda x, y: by_amount(x) + by_amount(y),
    "align": lambda x, y: by_amount(y).align(by_amount(x)),
    "reindex": lambda x, y: by_amount(x).reindex([1.1]),
    "reindex of a frame": lambda x, y: x.set_index("a").reindex([1.1, 9.9]),
    "list of labels": lambda x, y: by_amount(x).loc[[1.1]],
    "drop": lambda x, y: by_amount(x).drop(1.1),
    "intersection": lambda x, y: x.set_index("a").index.intersection(y.set_index("a").index),
    "list of decimals and floats": lambda x, y: by_amount(x).reindex([D("2.2"), 1.1]),
    "text in reindex": lambda x, y: by_amount(x).reindex(["1.10"]),
    "list of texts": lambda x, y: by_amount(x).loc[["1.10"]],
}
"""They would find some floats, by the order of the rows, or none."""

LOOKED_UP = {
    "in an index": lambda x, key: key in x.set_index("a").index,
    "in a column": lambda x, key: key in by_amount(x),
    "column": lambda x, key: by_amount(x)[key],
    "get of a column": lambda x, key: by_amount(x).get(key),
    "loc of a column": lambda x, key: by_amount(x).loc[key],
    "at of a column": lambda x, key: by_amount(x).at[key],
    "loc of a frame": lambda x, key: x.set_index("a").loc[key],
    "cell": lambda x, key: x.set_index("a").at[key, "n"],
    "xs": lambda x, key: x.set_index("a").xs(key),
    "get_loc": lambda x, key: x.set_index("a").index.get_loc(key),
    "repeated key": lambda x, key: pd.concat([x, x]).set_index("a").loc[key],
    "two levels": lambda x, key: x.assign(k=0).set_index(["a", "k"]).loc[(key, 0)],
    "one of two levels": lambda x, key: x.assign(k=0).set_index(["a", "k"]).loc[key],
    "named level": lambda x, key: x.assign(k=0).set_index(["k", "a"]).xs(key, level="a"),
    "column of amounts": lambda x, key: x.set_index("a").T[key],
    "category": lambda x, key: key in x["a"].astype("category").cat.categories.rename("a"),
}
"""They would not find the key, without an error or with a KeyError."""

INTRUDING = {
    "insert of an index": lambda s, f: pd.Index(s).insert(0, 1.5),
    "where of an index": lambda s, f: pd.Index(s).where(s > 2, 0.5),
    "putmask of an index": lambda s, f: pd.Index(s).putmask(s > 2, 0.5),
    "concat": lambda s, f: pd.concat([s, f]),
    "concat of frames": lambda s, f: pd.concat([s.to_frame("a"), f.to_frame("a")]),
    "case_when": lambda s, f: s.case_when([(s > 1, 0.1)]),
    "combine_first": lambda s, f: s.reindex([0, 7]).combine_first(f),
    "new label": lambda s, f: s.__setitem__(21, 0.1),
    "new label of loc": lambda s, f: s.loc.__setitem__(21, 0.1),
    "new row": lambda s, f: s.to_frame("a").assign(n=1).loc.__setitem__(3, {"a": 0.5, "n": 3}),
    "melt": lambda s, f: pd.DataFrame({"a": s, "f": f}).melt(),
    "where": lambda s, f: s.where(s > 2, 0.5),
}

KEPT = {
    "case_when": (
        lambda s: s.case_when([(s > D(2), D("0.1"))]),
        ["1.10", "0.1", "0.1"],
    ),
    "case_when with a column": (lambda s: s.case_when([(s > 2, s * 2)]), ["1.10", "4.40", "6.60"]),
    "concat with missing floats": (lambda s: pd.concat([s, pd.Series([NAN])])[:3], TEXTS),
    "combine_first with missing floats": (
        lambda s: s.combine_first(pd.Series([NAN, NAN, NAN])),
        TEXTS,
    ),
    "concat with integers": (lambda s: pd.concat([s, pd.Series([1])])[:3], TEXTS),
    "alignment with integers": (lambda s: s + pd.Series([1, 1, 1]), ["2.10", "3.20", "4.30"]),
}

SHOWN = {
    "row": lambda frame: frame.iloc[0].tolist(),
    "transposed": lambda frame: frame.T[0].tolist(),
    "values": lambda frame: frame.to_numpy()[0].tolist(),
    "records": lambda frame: [*frame.to_dict("records")[0].values()],
    "stacked": lambda frame: frame.stack()[0].tolist(),
}


@pytest.mark.parametrize("frame_type", [pd.DataFrame, ExactFrame])
def test_amounts_are_not_matched_with_floats_or_text(frame_type):
    """Each says what to write, for frames of pandas and of ours."""

    def check(idiom):
        with pytest.raises(PaylabError, match=r"write (\.astype|Decimal)"):
            MATCHED[idiom](make_rows(frame_type), make_floats())

    assert failures(MATCHED, check) == {}


@pytest.mark.parametrize("frame_type", [pd.DataFrame, ExactFrame])
def test_a_float_or_text_as_the_key_of_an_amount_says_what_to_write(frame_type):
    """A key is never absent without an error where `==` finds it, in frames of pandas as well."""

    def check(idiom):
        for key in (1.1, "1.10"):
            with pytest.raises(
                AmountKeyError, match=rf'^a: {key!r} is .* write Decimal\("{key}"\)'
            ):
                LOOKED_UP[idiom](make_rows(frame_type), key)

    assert failures(LOOKED_UP, check) == {}


def test_keys_that_are_exact_are_found_as_in_pandas():
    """Decimals and integers are found, whole floats too; what is no number is only absent."""
    column = by_amount(make_rows())
    assert column.get(D("1.1")) == column.loc[D("1.100")] == 0
    assert column.get("x") is column.get(NAN) is column.get(None) is None
    whole = pd.Series([7], index=pd.Index([D("2.00")], dtype="decimal"))
    assert (whole.loc[2], whole.loc[2.0], 2 in whole, 3.0 in whole) == (7, 7, True, False)
    assert whole.rename_axis("b").index[:1].append(whole.index).get_loc(D(2)) == slice(0, 2)


@pytest.mark.parametrize("ends", [(1.1, 2.2), ("1.10", "2.20"), (D("1.1"), D("2.2")), (1.05, 3)])
def test_a_range_of_amounts_is_compared(ends):
    """The ends of a range are numbers in any form, as for `<`, and give no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column = by_amount(make_rows())
        assert column.loc[ends[0] : ends[1]].tolist() == column.truncate(*ends).tolist() == [0, 1]


def test_a_float_does_not_get_into_an_exact_column():
    """Each way in is refused, as an assignment is."""

    def check(idiom):
        floats = pd.Series([0.5] * 9)
        with pytest.raises(ExactnessError, match="not exact"):
            INTRUDING[idiom](make_rows()["a"], floats)

    assert failures(INTRUDING, check) == {}


def test_what_is_exact_stays_an_exact_column():
    """Decimals, integers and missing floats do not make a column of objects."""

    def check(idiom):
        ask, expected = KEPT[idiom]
        result = ask(make_rows()["a"])
        assert (str(result.dtype), result.tolist()) == ("decimal", [*map(D, expected)])

    assert failures(KEPT, check) == {}


def test_a_row_shows_amounts_beside_floats():
    """A row of a frame, which is not one column, has both as they are, without a warning."""

    def check(idiom):
        frame = pd.DataFrame({"a": pd.Series(TEXTS, dtype="decimal"), "f": [0.5] * 3})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            values = SHOWN[idiom](frame)
        assert values == [D("1.10"), 0.5]
        assert isinstance(values[1], float)

    assert failures(SHOWN, check) == {}


DIVIDED = [("-3.30", "2"), ("3.30", "-2"), ("-3.30", "-2"), ("3.30", "2"), ("-4", "2"), ("0", "3")]


@pytest.mark.parametrize(("dividend", "divisor"), DIVIDED)
def test_an_amount_is_divided_as_its_column_is(dividend, divisor):
    """`//` rounds down and `%` has the sign of the divisor, as for Python's integers."""
    column = pd.Series([dividend], dtype="decimal")
    other = D(divisor)
    whole, rest = divmod(column, other)
    assert divmod(column[0], other) == (whole[0], rest[0])
    assert (column[0] // other, column[0] % other) == (whole[0], rest[0])
    assert whole[0] * other + rest[0] == column[0]
    assert whole[0] == int(np.floor(float(dividend) / float(divisor)))


def mixed(frame_type=ExactFrame):
    """A column of objects with exact amounts and a float."""
    amounts = make_rows()["a"]
    return frame_type({"a": pd.Series([amounts[0], 0.5, amounts[1]], dtype=object), "k": [1, 1, 2]})


ORDERED = {
    "smallest": lambda m, x: m["a"].min(),
    "largest": lambda m, x: m["a"].max(),
    "order": lambda m, x: m["a"].sort_values(),
    "order of a frame": lambda m, x: m.sort_values("a"),
    "second key": lambda m, x: m.sort_values(["k", "a"]),
    "rank": lambda m, x: m["a"].rank(),
    "running": lambda m, x: m["a"].cummax(),
    "groups": lambda m, x: m.groupby("k")["a"].max(),
    "aggregates of groups": lambda m, x: m.groupby("k").agg({"a": ["min", "max"]}),
    "keys of groups": lambda m, x: m.groupby("a").size(),
    "largest of each row": lambda m, x: x.max(axis=1),
    "smallest of each row": lambda m, x: x.assign(f=[5.5, NAN, 5.5]).min(axis=1),
    "largest of each row of numpy": lambda m, x: np.max(x, axis=1),
    "chosen by numpy": lambda m, x: pd.Series(np.where([True, False, True], x["a"], 0.5)).max(),
}
"""What compares exact amounts with floats that stand in the same column or row."""


@pytest.mark.parametrize("frame_type", [pd.DataFrame, ExactFrame])
def test_floats_are_not_ordered_among_amounts(frame_type):
    """The largest value of a column or row would be a float; the place of it is an exact answer."""
    amounts = make_rows()["a"]
    rows = frame_type({"a": amounts, "f": [0.5, 2.5, 9.5]})

    def check(idiom):
        with pytest.raises(PaylabError, match=r"a float|write \.astype"):
            ORDERED[idiom](mixed(frame_type), rows)

    assert failures(ORDERED, check) == {}
    assert rows.idxmax(axis=1).tolist() == ["a", "f", "f"]
    missing = pd.Series([amounts[0], None, amounts[1]], dtype=object)
    assert (missing.max(), missing.sort_values().tolist()) == (
        D("2.20"),
        [D("1.1"), D("2.2"), None],
    )


SAID = {
    "a row with text": (
        lambda s, f: pd.concat([s, pd.Series(["total"])]).sum(),
        "do not compute with the text 'total'",
    ),
    "floats by a Decimal": (lambda s, f: s.astype(float) * D(2), "floats are not exact"),
    "whole floats by a Decimal": (
        lambda s, f: s.astype(float).round() * D("0.01"),
        r'write .*astype\("Int64"\)',
    ),
    "a Decimal by floats": (lambda s, f: D("1.5") * s.astype(float), "floats are not exact"),
    "floats of a frame": (lambda s, f: f[["k"]].astype(float) * D(2), r"k: floats are not exact"),
    "floats and an amount": (lambda s, f: np.maximum(s.astype(float), s[0]), "1.1 is a float"),
    "an amount and floats": (lambda s, f: np.fmin(s[0], s.to_numpy(float)), "1.1 is a float"),
    "bins of missing amounts": (
        lambda s, f: np.histogram2d(s, s.where(s > 2), bins=2),
        r"^np\.histogram2d has no bin .*write frame\.dropna",
    ),
    "counts between edges of missing amounts": (
        lambda s, f: np.histogram(s.where(s > 2), bins=[0, 2, 4]),
        r"^np\.histogram has no bin .*amounts\.dropna",
    ),
    "where": (lambda s, f: np.where(s > 1, s, 0.1 + 0.2), "is a float"),
    "select": (lambda s, f: np.select([s > 2], [s], default=0.5), "is a float"),
    "larger of missing": (lambda s, f: s.combine(s.where(s > 2), max), r"write np\.fmax"),
    "larger of a float": (lambda s, f: np.maximum(s[0], 0.5), "is a float"),
    "percentile": (lambda s, f: np.percentile(s, 50), r"write amounts\.quantile"),
    "quantile": (lambda s, f: np.quantile(s, D("0.5")), r"write amounts\.quantile"),
    "gradient": (lambda s, f: np.gradient(s), r"write amounts\.diff"),
    "percentile of objects": (lambda s, f: np.percentile(s.to_numpy(), 95), r"write \.quantile"),
    "round of objects": (lambda s, f: np.round(s.to_numpy(), 1), r"^np\.round .*write \.round"),
    "gradient of objects": (lambda s, f: np.gradient(s.to_numpy()), r"write \.diff"),
    "trapezoid": (lambda s, f: np.trapezoid(s), r"^np\.trapezoid .*write amounts\.astype"),
    "nan_to_num": (lambda s, f: np.nan_to_num(s, nan=0), r"write amounts\.fillna"),
    "product with floats": (lambda s, f: np.dot(s.to_frame(), [0.5]), "0.5 is a float"),
    "weights": (lambda s, f: np.average(s, weights=[0.5] * 3), "0.5 is a float"),
    "quantile of rows": (
        lambda s, f: s.to_frame().assign(n=1).quantile(0.5, axis=1),
        r"write \.astype\(\"decimal\"\)",
    ),
    "quantile of objects": (
        lambda s, f: s.astype(object).quantile(0.5),
        r"write \.astype\(\"decimal\"\)",
    ),
    "merge with whole numbers": (
        lambda s, f: pd.merge(s.to_frame("n"), pd.DataFrame({"n": [1, 2]}), on="n"),
        r"write \.astype\(\"decimal\"\)",
    ),
    "long number in query": (
        lambda s, f: s.to_frame().query("a > 2.12345678901234567890"),
        r"write @limit .*Decimal\(\"2.12345678901234567890\"\)",
    ),
    "place of a word": (lambda s, f: s.searchsorted("x"), "do not compare with 'x'"),
    "csv": (lambda s, f: f.paylab.to_csv("mixed.csv"), "^a has floats beside"),
    "arrow": (lambda s, f: f.paylab.arrow(), "^a has floats beside"),
    "windows": (lambda s, f: s.to_frame().paylab.rolling(2)["a"].std(), r"write amounts\.astype"),
    "rows out of order": (
        lambda s, f: (
            s.to_frame()
            .assign(t=pd.to_datetime(["2026-01-02", "2026-01-01", "2026-01-03"]))
            .paylab.rolling("2D", on="t")
            .sum()
        ),
        r'write frame\.sort_values\("t"\)',
    ),
}


def test_an_error_about_floats_names_what_to_write(tmp_path, monkeypatch):
    """What would answer with a float, or stop with an error of a library, says what to write."""
    monkeypatch.chdir(tmp_path)

    def check(idiom):
        ask, words = SAID[idiom]
        with pytest.raises((PaylabError, AttributeError, TypeError), match=words):
            ask(make_rows(ExactFrame)["a"], mixed())

    assert failures(SAID, check) == {}


def entry(key, value, indexer="loc"):
    """A function that writes a value into cells of a copy of a frame."""

    def write(frame):
        changed = frame.copy()
        getattr(changed, indexer)[key] = value

    return write


ENTERED = {
    "cells": ("a", entry(([True, False, True], "a"), 0.5)),
    "whole column": ("a", entry((slice(None), "a"), np.array([0.5, 0.6, 0.7]))),
    "whole column by its place": ("a", entry((slice(None), 0), 0.5, "iloc")),
    "one cell": ("a", entry((0, "a"), 0.5, "at")),
    "one cell by its place": ("b", entry((0, 1), 0.5, "iat")),
    "some cells of a row": ("b", entry((0, ["a", "b"]), [D(1), 0.5])),
    "whole row": ("b", entry(0, [D(1), 0.5, 1.5])),
    "new row": ("a", entry(9, {"a": 0.5, "b": D(1), "f": 1.5})),
    "text": ("a", entry((0, "a"), "abc")),
    "fillna": ("b", lambda frame: frame.fillna({"b": 0.5})),
    "fillna of a column": ("b", lambda frame: frame["b"].fillna(0.5)),
    "where": ("a", lambda frame: frame["a"].where(frame["a"] > 2, 0.5)),
    "where of a frame": ("a", lambda frame: frame[["a", "f"]].where(frame["a"] > 2, 0.5)),
    "clip": ("a", lambda frame: frame["a"].clip(upper=0.5)),
    "shift": ("a", lambda frame: frame["a"].shift(1, fill_value=0.5)),
    "item of a column": ("a", lambda frame: frame["a"].copy().__setitem__(0, 0.5)),
    "combine": ("a", lambda frame: frame["a"].combine(frame["f"], max)),
    "combine of floats": ("f", lambda frame: frame["f"].combine(frame["a"], np.maximum)),
    "amounts in floats": ("f", lambda frame: frame["f"].where(frame["a"] > 2, frame["a"])),
    "amounts in floats by mask": ("f", lambda frame: frame["f"].mask(frame["a"] > 2, frame["a"])),
    "an amount for a float": ("f", lambda frame: frame["f"].replace(0.5, frame["a"][0])),
    "filled along rows": ("f", lambda frame: frame[["a", "f"]].ffill(axis=1)),
    "column of both": ("z", lambda frame: frame.assign(z=[frame["a"][0], 0.5, frame["a"][1]])),
    "astype": ("t", lambda frame: frame.assign(t=["1", "x", "3"])["t"].astype("decimal")),
}
"""A float, or what is no number, that gets into a column; and the name of the column."""


def mask_cells(frame, mask, value):
    """A frame of which the cells under a mask have a value."""
    frame[mask] = value


LOST = {
    "a row of values": ("n", entry((0, ["n", "a"]), [D("1.5"), D("1.5")])),
    "one name in a list": ("n", entry((0, ["n"]), [D("1.5")])),
    "one Decimal for columns": ("n", entry((slice(0, 1), slice("a", "n")), D("1.5"))),
    "by places": ("n", entry((0, [2, 0]), D("1.5"), "iloc")),
    "rows of values": ("n", entry(([0, 2], ["n", "a"]), np.full((2, 2), D("1.5")))),
    "a whole row": ("n", lambda frame: entry(0, frame.loc[0].to_dict() | {"n": D("1.5")})(frame)),
    "a row as a column": ("n", lambda frame: entry(0, frame.loc[0].replace(7, D("1.5")))(frame)),
    "cells under a mask": (
        "n",
        lambda frame: mask_cells(frame[["a", "n"]], frame[["a", "n"]] > 2, D("1.5")),
    ),
    "rows under a mask": ("n", lambda frame: mask_cells(frame[["n"]], frame["a"] > 2, D("1.5"))),
    "a whole column": ("f", lambda frame: entry((slice(None), "f"), frame["a"])(frame)),
    "cells of a column": ("f", lambda frame: entry(([0, 1], "f"), frame["a"][:2])(frame)),
    "cells of columns": (
        "f",
        lambda frame: entry(([0, 1], ["a", "f"]), frame.loc[:1, ["a", "b"]].to_numpy())(frame),
    ),
    "one cell": ("f", entry((0, "f"), D("1.5"), "at")),
    "an update": ("f", lambda frame: frame["f"].update(frame["a"])),
    "an update of a frame": ("f", lambda frame: frame.update(frame[["a"]].set_axis(["f"], axis=1))),
    "a list in a slice": (
        "f",
        lambda frame: mask_cells(frame["f"], slice(0, 2), [*frame["a"][:2]]),
    ),
    "fillna": ("f", lambda frame: frame[["f"]].fillna(frame[["a"]].set_axis(["f"], axis=1))),
}
"""A Decimal that gets into whole numbers or floats, which would cut or round it."""


@pytest.mark.parametrize(
    ("whole_type", "float_type"),
    [("int64[pyarrow]", "double[pyarrow]"), ("int64", "float64"), ("Int64", "Float64")],
)
def test_numbers_do_not_lose_digits_of_a_decimal(whole_type, float_type):
    """The error names the column, in whatever form its cells are selected."""
    amounts = make_rows()["a"]
    whole = pd.Series([7, 8, 9], dtype=whole_type)
    floats = pd.Series([0.5, None, 9.5], dtype=float_type)
    frame = ExactFrame({"a": amounts, "b": amounts, "n": whole, "f": floats})

    def check(idiom):
        column_name, write = LOST[idiom]
        with pytest.raises(ExactnessError, match=rf"^{column_name}[:,] "):
            write(frame.copy())

    assert failures(LOST, check) == {}


@pytest.mark.parametrize("float_type", ["double[pyarrow]", "float64"])
def test_what_is_set_beside_whole_numbers_and_into_empty_floats_is_exact(float_type):
    """Whole values of a row stay whole; a column of floats without a value becomes exact."""
    whole = pd.Series([7, 8, 9], dtype="int64[pyarrow]")
    empty = pd.Series([None] * 3, dtype=float_type)
    frame = ExactFrame({"a": make_rows()["a"], "n": whole, "f": empty})
    frame.loc[0, ["a", "n"]] = [D("1.5"), 3]
    frame.loc[:, "f"] = frame["a"]
    assert (frame.loc[0, "n"], frame["n"].dtype) == (3, "int64[pyarrow]")
    assert frame["f"].dtype == "decimal"
    assert frame["f"].tolist() == frame["a"].tolist() == [D("1.5"), D("2.2"), D("3.3")]
    counts = ExactFrame({"k": ["x", "y"], "j": ["u", "v"], "n": whole[:2]}).set_index(["k", "j"])
    assert counts["n"].unstack(fill_value=D("1.5")).loc["x", "v"] == D("1.5")
    assert (counts[["n"]] > D("7.5"))["n"].tolist() == [False, True]


COUNTS = pd.Series([10, 20], index=[1, 7])
ALIGNED = {
    "+": (lambda f: f["a"] + COUNTS, [None, "12.20", None, None]),
    "/": (lambda f: f["a"] / COUNTS, [None, "0.22", None, None]),
    "add": (lambda f: f["a"].add(COUNTS, fill_value=0), ["1.10", "12.20", "3.30", "20"]),
    "rsub": (lambda f: f["a"].rsub(COUNTS, fill_value=0), ["-1.10", "7.80", "-3.30", "20"]),
    "numpy": (lambda f: np.add(f["a"], COUNTS), [None, "12.20", None, None]),
    "frame": (lambda f: (f + COUNTS.to_frame("a"))["a"], [None, "12.20", None, None]),
    "frame, filled": (
        lambda f: f.add(COUNTS.to_frame("a"), fill_value=0)["a"],
        ["1.10", "12.20", "3.30", "20"],
    ),
    "whole column of a frame": (
        lambda f: f[["n"]].add(f["a"].head(1).to_frame("n"), fill_value=0)["n"],
        ["1.10", "1", "2"],
    ),
    "rows of a frame": (lambda f: f.sub(COUNTS, axis=0)["n"], [None, "-9", None, None]),
    "where": (lambda f: f["a"].where(f["a"] < 2, COUNTS), ["1.10", "10", None]),
    "mask": (lambda f: f["a"].mask(f["a"] > 2, other=COUNTS), ["1.10", "10", None]),
    "fillna": (lambda f: f["a"].where(f["a"] < 2).fillna(COUNTS), ["1.10", "10", None]),
}
"""Whole numbers for some of the rows, which pandas makes floats when it aligns them."""


def test_whole_numbers_for_some_of_the_rows_are_exact():
    """The others are missing, or have what fills them."""

    def check(idiom):
        compute, texts = ALIGNED[idiom]
        result = compute(make_rows(ExactFrame))
        assert result.dtype == "decimal"
        expected = [None if text is None else D(text) for text in texts]
        assert [None if pd.isna(amount) else amount for amount in result] == expected

    assert failures(ALIGNED, check) == {}


def test_an_error_names_the_column_that_a_float_would_enter():
    """The column is the one of the key, of the value that is a float, or the only exact one."""
    amounts = make_rows()["a"]
    frame = ExactFrame({"a": amounts, "b": amounts.where(amounts > 2), "f": [0.5, NAN, 9.5]})

    def check(idiom):
        column_name, write = ENTERED[idiom]
        with pytest.raises(ExactnessError, match=rf"^{column_name}[:,] "):
            write(frame)

    assert failures(ENTERED, check) == {}
    with pytest.raises(ExactnessError, match=r"^floats are not exact"):
        frame.where(frame["a"] > 2, 0.5)  # several columns


def limits(values, frame_type):
    """Limits of amounts, of which the second is missing, as a column of a frame."""
    return frame_type({"limit": values})["limit"]


@pytest.mark.parametrize("frame_type", [pd.DataFrame, ExactFrame])
def test_clip_leaves_an_amount_without_a_limit(frame_type):
    """A missing limit is no limit, among exact limits and among objects."""
    column = make_rows(frame_type)["a"]
    objects = limits(pd.Series([D(1), None, D("2.5")], dtype=object), frame_type)
    assert column.clip(upper=objects).tolist() == [D(1), D("2.2"), D("2.5")]
    exact = objects.astype("decimal")
    if frame_type is pd.DataFrame:
        with pytest.raises(ExactnessError, match=r"clip.*missing limit"):
            column.clip(upper=exact)
    else:
        assert column.clip(upper=exact).tolist() == [D(1), D("2.2"), D("2.5")]
        assert column.clip(exact, exact).tolist() == [D(1), D("2.2"), D("2.5")]
        assert column.where(column > 2).clip(exact).isna().tolist() == [True, False, False]


def test_a_column_is_compared_with_infinite_floats():
    """As one amount is: no amount is larger, and none is equal; a missing one is neither."""
    column = make_rows()["a"].where([True, True, False])
    infinite = pd.Series([np.inf, -np.inf, np.inf])
    assert (column < infinite).tolist() == [True, False, False]
    assert (column >= infinite.astype(object)).tolist() == [False, True, False]
    assert (column != infinite.astype(object)).all()


def test_floats_are_found_among_amounts_as_they_are_printed():
    """`isin` of a column and of a frame of floats warns, and finds what `==` finds."""
    frame = make_rows(ExactFrame).assign(f=[1.1, NAN, 3.3])
    for lookup in (frame["f"].isin, frame[["f"]].isin):
        with pytest.warns(FloatWarning, match="taken as it is printed"):
            found = lookup([D("1.1"), D("2.2")])
        assert np.ravel(found).tolist() == [True, False, False]
    with pytest.warns(FloatWarning):
        assert frame["f"].isin(frame["a"]).tolist() == [True, False, True]


def test_places_and_numbers_in_text_are_compared():
    """Text and floats are numbers for `searchsorted`, as for `<`, and in a query."""
    amounts = make_rows(ExactFrame)["a"]
    assert [amounts.searchsorted(value) for value in ("2.2", 2.2, D("2.2"), 3)] == [1, 1, 1, 2]
    assert amounts.searchsorted(["1.1", "9"], side="right").tolist() == [1, 3]
    rows = make_rows(ExactFrame).assign(k="1.23456789012345678901")
    assert len(rows.query('a > 2.15 and k == "1.23456789012345678901"')) == 2


def test_numpy_chooses_among_exact_values():
    """`where` with a Decimal or an integer stays exact."""
    amounts = make_rows(ExactFrame)["a"]
    assert np.where(amounts > 2, amounts, 0).tolist() == [0, D("2.20"), D("3.30")]
    assert np.where(amounts > 2)[0].tolist() == [1, 2]
    counts = make_rows(ExactFrame)["n"]
    assert np.where(amounts > 2, counts, 0.5).tolist() == [0.5, 1, 2]
    assert np.percentile(counts, 50) == 1


@pytest.mark.parametrize("numbers", [("amount", 2, 5), (2, "amount", 5)])
def test_a_power_with_a_modulus_is_refused(numbers):
    """The modulus must not be left out."""
    amount = pd.Series(["3.00"], dtype="decimal")[0]
    with pytest.raises(TypeError, match="unsupported operand"):
        pow(*[amount if number == "amount" else number for number in numbers])
