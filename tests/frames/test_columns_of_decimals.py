"""Decimals in objects, categories, lists and Arrow's own types make exact columns."""

from __future__ import annotations

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from analyst_frames import failures

from paylab.errors import ExactnessError
from paylab.frames import ObjectColumnError, UnknownColumnWarning, read_csv
from paylab.frames.exact_frame import ExactFrame

D = Decimal
NAN = float("nan")
TEXTS = ["1.10", "2.20", "3.35"]
THIRD = D("2.216666666666666666666666667")
"""The mean of the amounts, which has no end."""


def arrow(values):
    """A column of Arrow, as a frame has for text and for whole numbers."""
    return pd.arrays.ArrowExtensionArray(pa.array(values))


def make_rows():
    """Amounts beside their text, an id, counts and a word."""
    amounts = pd.Series(TEXTS, dtype="decimal")
    columns = {"a": amounts, "text": arrow(TEXTS), "id": arrow(["x", "y", "z"])}
    counts = {"n": [1, 2, 4], "seconds": arrow([10, 20, None])}
    return ExactFrame(columns | counts | {"k": pd.Categorical(["u", "v", "u"])})


BOOK = dict(zip(["x", "y", "z"], map(D, TEXTS), strict=True))


def fill(frame, nothing):
    """A column without a value that gets Decimals one by one."""
    frame["z"] = nothing
    frame.loc[1, "z"] = D("1.5")
    frame.at[2, "z"] = D("2.25")
    return frame.z


AMOUNTS = {
    "map of an id to Decimals": lambda f: f.id.map(BOOK),
    "map of an id to amounts": lambda f: f.id.map(dict(zip(f.id, f.a, strict=True))),
    "map of an id to a column": lambda f: f.id.map(pd.Series(BOOK)),
    "map of text": lambda f: f.text.map(D),
    "apply to text": lambda f: f.text.apply(D),
    "map of changed text": lambda f: f.text.str.replace(",", ".").map(D),
    "list of amounts": lambda f: f.assign(z=list(f.a)).z,
    "list of Decimals": lambda f: f.assign(z=[*map(D, TEXTS)]).z,
    "array of amounts": lambda f: f.assign(z=f.a.to_numpy()).z,
    "Arrow's decimals": lambda f: f.assign(z=arrow([*map(D, TEXTS)])).z,
    "function of groups": lambda f: f.groupby("id").text.apply(lambda s: sum(map(D, s))),
    "sum of groups": lambda f: f.groupby("id").a.apply(lambda s: s.sum()),
}
"""The same amounts, made in other ways."""

EXACT = {
    "sums of groups in rows": (
        lambda f: f.groupby("k").apply(lambda g: pd.Series({"a": g.a.sum(), "n": len(g)})).a,
        ["4.45", "2.20"],
    ),
    "frames of groups in rows": (
        lambda f: f.groupby("k").apply(lambda g: g[["a"]].max()).a,
        ["3.35", "2.20"],
    ),
    "counts shifted in groups": (
        lambda f: f.groupby("k").n.shift(fill_value=D("0.5")),
        ["0.5", "0.5", "1"],
    ),
    "counts of a frame shifted in groups": (
        lambda f: f.groupby("k")[["n"]].shift(fill_value=D("0.5")).n,
        ["0.5", "0.5", "1"],
    ),
    "whole numbers among Decimals": (
        lambda f: f.assign(z=np.where(f.n > 1, D("0.35"), 0)).z,
        ["0", "0.35", "0.35"],
    ),
    "chosen numbers": (
        lambda f: f.assign(z=np.select([f.n > 1], [D("0.35")], default=0)).z,
        ["0", "0.35", "0.35"],
    ),
    "one amount": (lambda f: f.assign(z=f.a.max()).z, ["3.35"] * 3),
    "categories": (lambda f: f.k.map({"u": D("0.1"), "v": D("0.35")}), ["0.1", "0.35", "0.1"]),
    "counts times a Decimal": (lambda f: f.n * D("0.35"), ["0.35", "0.70", "1.40"]),
    "a Decimal times counts": (lambda f: D("0.35") * f.n, ["0.35", "0.70", "1.40"]),
    "counts times amounts": (lambda f: f.n * f.a, ["1.10", "4.40", "13.40"]),
    "counts times amounts, filled": (
        lambda f: f.seconds.mul(f.a, fill_value=1),
        ["11", "44", "3.35"],
    ),
    "seconds by a Decimal": (
        lambda f: f.seconds[:2] / D(60),
        ["0.1666666666666666666666666667", "0.3333333333333333333333333333"],
    ),
    "columns of a frame": (lambda f: (f[["n"]] * D("0.35")).n, ["0.35", "0.70", "1.40"]),
    "sizes of groups": (
        lambda f: f.groupby("k", observed=True).size() * D("0.35"),
        ["0.7", "0.35"],
    ),
    "counts of values": (lambda f: f.k.value_counts() * D("0.35"), ["0.7", "0.35"]),
    "concatenated": (
        lambda f: pd.concat([f, pd.DataFrame({"a": [D("1"), None]})], ignore_index=True).a[2:],
        ["3.35", "1", None],
    ),
    "concatenated columns": (lambda f: pd.concat([f.a[:1], pd.Series([D(2)])]), ["1.10", "2"]),
    "concatenated without amounts": (
        lambda f: pd.concat([f.head(0), pd.DataFrame({"a": [D(1), D(2)]})]).a,
        ["1", "2"],
    ),
    "combined": (
        lambda f: f.combine_first(pd.DataFrame({"z": [D("9.9"), D("1.1")]})).z,
        ["9.9", "1.1", None],
    ),
    "filled row by row": (lambda f: fill(f, None), [None, "1.5", "2.25"]),
    "filled cell by cell": (lambda f: fill(f, pd.NA), [None, "1.5", "2.25"]),
    "seconds of other rows": (
        lambda f: f.seconds.reindex([0, 9], fill_value=D("0.5")),
        ["10", "0.5"],
    ),
    "filled seconds": (lambda f: f.seconds.fillna(D("0.5")), ["10", "20", "0.5"]),
    "clipped seconds": (lambda f: f.seconds[:2].clip(upper=D("10.5")), ["10", "10.5"]),
    "cases": (lambda f: f.n.case_when([(f.n > 1, D("0.5"))]), ["1", "0.5", "0.5"]),
    "larger of two": (lambda f: f.n.combine(f.a, max), ["1.1", "2.2", "4"]),
    "filled columns": (lambda f: f[["seconds"]].fillna(D("0.5")).seconds, ["10", "20", "0.5"]),
    "columns times amounts": (
        lambda f: f[["seconds", "n"]].mul(f.a, axis=0).n,
        ["1.10", "4.40", "13.40"],
    ),
    "product in a text": (
        lambda f: f.eval("z = n * @rate", local_dict={"rate": D("0.35")}).z,
        ["0.35", "0.70", "1.40"],
    ),
    "replaced counts": (lambda f: f.n.replace(4, D("0.5")), ["1", "2", "0.5"]),
}


def test_decimals_of_another_form_are_the_amounts():
    """Their mean has all digits, and a float beside them is an error."""

    def check(idiom):
        amounts = AMOUNTS[idiom](make_rows())
        assert (str(amounts.dtype), amounts.tolist()) == ("decimal", [*map(D, TEXTS)])
        assert amounts.mean() == THIRD
        with pytest.raises(ExactnessError):
            amounts * 0.5

    assert failures(AMOUNTS, check) == {}


def test_whole_numbers_beside_decimals_are_exact():
    """The result is a column of amounts, in which no digit is cut."""

    def check(idiom):
        ask, expected = EXACT[idiom]
        amounts = ask(make_rows())
        assert str(amounts.dtype) == "decimal"
        missing = [value is None for value in expected]
        assert amounts.isna().tolist() == missing
        # A quotient without end is followed by zeros.
        present_numbers = [D(value) for value in expected if value is not None]
        assert present_numbers == [round(amount, 28) for amount in amounts.dropna()]

    assert failures(EXACT, check) == {}


def test_a_new_column_of_some_rows_is_exact():
    """Its other rows are missing; the mean is that of the rows with an amount."""
    frame = make_rows()
    frame.loc[frame["n"] > 1, "fee"] = D("0.35")
    assert str(frame["fee"].dtype) == "decimal"
    assert (frame["fee"].isna().tolist(), frame["fee"].mean()) == ([True, False, False], D("0.35"))


def test_columns_without_decimals_are_left_as_they_are():
    """Whole numbers stay whole numbers, and objects that are wanted stay objects."""
    frame = make_rows()
    assert (frame["seconds"] + 1).dtype == (frame["seconds"] * frame["n"]).dtype == "int64[pyarrow]"
    assert str((frame["n"] / 2).dtype) == "float64"
    assert str(frame["n"].fillna(0).dtype) == "int64"
    objects = frame.assign(z=frame["a"].astype(object))["z"]
    assert objects.dtype == pd.Series(frame["a"].tolist(), dtype=object).dtype == object
    assert frame.iloc[0].dtype == object
    assert ExactFrame({"z": [True, D(1)]})["z"].dtype == object


def test_decimals_of_more_than_38_digits_are_added_without_rounding():
    """Such a column stays one of objects; its mean is an error and not a float."""
    long_texts = ["12345678901234567890123456789.01", "0.000000000000000001"]
    books = pd.DataFrame({"a": [*map(D, long_texts)]})
    joined = pd.concat([make_rows().iloc[:1], books])["a"]
    assert str(joined.sum()) == "12345678901234567890123456790.110000000000000001"
    with pytest.raises(ObjectColumnError):
        joined.mean()


CUT = {
    "cell": lambda f: f.loc.__setitem__((0, "seconds"), D("0.5")),
    "cells": lambda f: f.loc.__setitem__((f.n > 1, "seconds"), [D("0.5"), D(1)]),
    "column by its place": lambda f: f.iloc.__setitem__((slice(None), 4), D("0.5")),
    "item": lambda f: f.seconds.copy().__setitem__(0, D("0.5")),
    "mask": lambda f: (f.n > 1) * D("0.35"),
}


def test_a_decimal_is_not_cut_among_whole_numbers():
    """Arrow's whole numbers would take 0 for 0.5, and a mask would round a long Decimal."""

    def check(idiom):
        with pytest.raises(ExactnessError, match="write "):
            CUT[idiom](make_rows())

    assert failures(CUT, check) == {}
    frame = make_rows()
    frame.loc[0, "seconds"] = D(7)
    assert frame["seconds"][0] == 7


def test_decimals_beside_floats_do_not_make_a_column():
    """Neither Decimals of Python nor amounts."""
    with pytest.raises(ExactnessError, match=r"^z: 1\.2 is a float beside exact amounts"):
        make_rows().assign(z=[D("1.1"), 1.2, None])


def test_books_are_made_exact_by_a_function(tmp_path):
    """The usual way to read the amounts of a column that paylab does not know."""
    books = tmp_path / "books.csv"
    books.write_text("Paid,Cur\n1.10,USD\n2.20,EUR\n3.35,USD\n")
    with pytest.warns(UnknownColumnWarning, match="none of the columns"):
        frame = read_csv(books)
    paid = frame["Paid"].map(D)
    assert (paid.mean(), (paid / 3).iloc[0]) == (THIRD, D("0.3666666666666666666666666667"))
    means = frame.groupby("Cur")["Paid"].agg(lambda texts: texts.map(D).mean())
    assert means.to_dict() == {"EUR": D("2.2"), "USD": D("2.225")}


@pytest.mark.parametrize("precision", [4, 6, 28])
def test_a_quantile_has_all_digits_in_every_context(precision):
    """The precision that a caller sets for Python's decimals does not count."""
    amounts = pd.Series(["164.404633", "164.405687", "4030.1"], dtype="decimal")
    with localcontext() as context, warnings.catch_warnings():
        warnings.simplefilter("error")
        context.prec = precision
        found = [
            amounts.quantile(0.37),
            amounts.median(),
            amounts.groupby([1, 1, 1]).quantile(0.9995)[1],
        ]
    assert found == [D("164.40541296"), D("164.405687"), D("4026.234305687")]


def test_a_pivot_is_multiplied_by_exact_rates_of_its_columns():
    """Its columns are categories, for which pandas takes the rates without their positions."""
    frame = make_rows()
    totals = frame.pivot_table(index="n", columns="k", values="a", aggfunc="sum", observed=True)
    rates = pd.Series({"u": D(1), "v": D("0.5")}, dtype="decimal")
    assert (totals * rates)["v"].dropna().tolist() == [D("1.10")]


def test_numpy_knows_missing_amounts():
    """A median with a missing amount is missing, as that of numpy; bins may be Decimals."""
    amounts = make_rows()["a"].where([True, True, False])
    assert np.median(amounts) is pd.NA
    assert np.nanmedian(amounts) == D("1.65")
    assert (
        np.digitize(amounts, [D("2.20")]).tolist() == np.digitize([1.1, 2.2, NAN], [2.2]).tolist()
    )
    assert ((amounts[:2] * 0) ** 0).tolist() == [1, 1]
