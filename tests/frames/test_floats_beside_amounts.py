"""Floats and text as keys of exact amounts, and floats that would get into an exact column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from analyst_frames import NAN, D, failures

from paylab.errors import ExactnessError, PaylabError
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


def mixed():
    """A column of objects with exact amounts and a float."""
    amounts = make_rows()["a"]
    return ExactFrame({"a": pd.Series([amounts[0], 0.5, amounts[1]], dtype=object), "k": [1, 1, 2]})


SAID = {
    "where": (lambda s, f: np.where(s > 1, s, 0.1 + 0.2), "is a float"),
    "select": (lambda s, f: np.select([s > 2], [s], default=0.5), "is a float"),
    "smallest of mixed objects": (lambda s, f: f["a"].min(), "is a float"),
    "largest of mixed objects": (lambda s, f: f["a"].max(), "is a float"),
    "order of mixed objects": (lambda s, f: f["a"].sort_values(), "is a float"),
    "percentile": (lambda s, f: np.percentile(s, 50), r"write amounts\.quantile"),
    "quantile": (lambda s, f: np.quantile(s, D("0.5")), r"write amounts\.quantile"),
    "gradient": (lambda s, f: np.gradient(s), r"write amounts\.diff"),
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
        with pytest.raises((PaylabError, AttributeError), match=words):
            ask(make_rows(ExactFrame)["a"], mixed())

    assert failures(SAID, check) == {}


def test_numpy_chooses_among_exact_values():
    """`where` with a Decimal or an integer stays exact."""
    amounts = make_rows(ExactFrame)["a"]
    assert np.where(amounts > 2, amounts, 0).tolist() == [0, D("2.20"), D("3.30")]
    assert np.where(amounts > 2)[0].tolist() == [1, 2]
    counts = make_rows(ExactFrame)["n"]
    assert np.where(amounts > 2, counts, 0.5).tolist() == [0.5, 1, 2]
    assert np.percentile(counts, 50) == 1
