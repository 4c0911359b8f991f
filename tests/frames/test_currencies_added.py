"""Which additions of amounts in several currencies warn, and which need not."""

from __future__ import annotations

import operator
import pickle
import statistics
import warnings
from decimal import Decimal
from functools import cache, reduce
from itertools import product

import numpy as np
import pandas as pd
import pytest
from analyst_frames import failures

from paylab import frames

ROWS = [
    ("100.00", "USD", "1700.00", "MXN", "completed", "spei"),
    ("50.00", "USD", "2800.00", "PHP", "completed", "gcash"),
    ("20.00", "EUR", "370.00", "MXN", "failed", "spei"),
]


LONG = 10**18
"""The factor that gives amounts more than 18 digits."""


@cache
def listed_frame():
    """Three transfers into two currencies, as the service lists them."""
    names = ("source_amount", "source_currency", "destination_amount", "destination_currency")
    rows = [
        dict(zip((*names, "status", "payout_method"), values, strict=True))
        | {"id": f"tr_{number}", "net_source_amount": values[0]}
        for number, values in enumerate(ROWS)
    ]
    return frames.transfers([{"data": rows, "has_next_page": False}])


def make_frame(factor=1):
    """A copy of the three transfers, times a factor."""
    frame = listed_frame().copy()
    frame["destination_amount"] *= factor
    return frame


def limits(frame):
    """A limit for each amount, in no currency that is known."""
    return pd.Series([Decimal(1)] * len(frame), index=frame.index, dtype="decimal")


def of_persons(frame, nothing=None):
    """The amounts of two persons, who each have an amount, and `nothing` in another currency."""
    rows = pd.concat([frame.head(2), frame.head(2)], ignore_index=True)
    amounts = rows.destination_amount.where([True, False, False, True], nothing)
    return amounts.groupby(["A", "A", "B", "B"])


def by_status(frame):
    """The amounts of each status, of which one has two currencies."""
    return frame.groupby("status", observed=True).destination_amount


def by_amount_currency(frame):
    """The amounts of each of their currencies."""
    return frame.groupby("destination_currency", observed=True).destination_amount


def by_currency_and_status(frame):
    """The sums per currency and status."""
    return frame.groupby(["destination_currency", "status"], observed=True)[
        "destination_amount"
    ].sum()


def pivot(frame):
    """The sums per status, with a column per currency."""
    return frame.pivot_table(
        columns="destination_currency",
        index="status",
        values="destination_amount",
        aggfunc="sum",
        observed=True,
    )


def pesos(frame, other):
    """The amounts in Mexican pesos, with another number in the row between them."""
    return frame.destination_amount.where([True, False, True], other)


def windows(frame, other, **options):
    """Windows of two rows of the amounts in Mexican pesos, and of the row between them."""
    frame["destination_amount"] = pesos(frame, other)
    return frame.paylab.rolling(2, min_periods=1, **options)["destination_amount"]


def first_amount(frame):
    """A function that finds the amount of the first of several ids."""
    amounts = dict(zip(frame.id, frame.destination_amount, strict=True))
    return lambda ids: amounts[ids.iloc[0]]


def set_amount(frame, amount):
    """The sum of pesos after one of them became an amount of another frame."""
    pesos = frame[frame.destination_currency == "PHP"].copy()
    pesos["other"] = pesos.destination_amount
    pesos.loc[pesos.index[:1], "destination_amount"] = amount
    return pesos.destination_amount.sum() + pesos.other.sum()


def add_in_place(frame):
    """Add one amount to some rows of a column of another currency."""
    frame.loc[frame.index < 2, "source_amount"] += frame.destination_amount.iloc[0]


def enter(frame, **columns):
    """The frame with other columns."""
    entered = frame.copy()
    for name, values in columns.items():
        entered[name] = values
    return entered


def convert(frame):
    """The frame with all amounts converted into pesos."""
    converted = frame.copy()
    is_php = converted.destination_currency == "PHP"
    pesos = converted.destination_amount * Decimal("0.3")
    converted.loc[is_php, "destination_amount"] = pesos
    converted.loc[is_php, "destination_currency"] = "MXN"
    return converted


TIMES = pd.date_range("2026-01-01", periods=3, tz="UTC")
BOOKS = pd.DataFrame({"destination_amount": [Decimal("5.5")], "destination_currency": ["MXN"]})
ENTERED = {
    "Decimals in a new column": lambda f: enter(
        f, destination_amount=[Decimal(1)] * 3
    ).destination_amount.sum(),
    "other currencies": lambda f: enter(
        f.head(2), destination_currency=["MXN", "USD"]
    ).destination_amount.sum(),
    "a row of books": lambda f: pd.concat([f[1:2], BOOKS]).destination_amount.sum(),
    "books only": lambda f: pd.concat(
        [f.head(0), BOOKS, BOOKS.assign(destination_currency="PHP")]
    ).destination_amount.sum(),
}
"""Amounts and currencies that enter a frame: an amount has the currency of its row."""

MIXED = {
    "sum": lambda f: f.destination_amount.sum(),
    "cumsum": lambda f: f.destination_amount.cumsum(),
    "cumsum of groups": lambda f: f.groupby("status").destination_amount.cumsum(),
    "running sums per currency, added": lambda f: (
        f.groupby("destination_currency", observed=True).destination_amount.cumsum().sum()
    ),
    "running sums per currency without skipna, added": lambda f: (
        by_amount_currency(f).cumsum(skipna=False).sum()
    ),
    "crosstab": lambda f: pd.crosstab(
        f.status.eq("failed"), f.id.ne(""), values=f.destination_amount, aggfunc="sum"
    ),
    "sums per currency, added": lambda f: (
        f.groupby("destination_currency").destination_amount.sum().sum()
    ),
    "means per currency, added": lambda f: (
        f.groupby("destination_currency").destination_amount.mean().sum()
    ),
    "largest per currency, added": lambda f: (
        f.groupby("destination_currency").destination_amount.max().sum()
    ),
    "sums grouped again": lambda f: by_currency_and_status(f).groupby("status").sum(),
    "sums grouped again as columns": lambda f: (
        by_currency_and_status(f).reset_index().groupby("status").destination_amount.sum()
    ),
    "sums unstacked": lambda f: by_currency_and_status(f).unstack(0).sum(axis=1),
    "pivot table": lambda f: pivot(f).sum(axis=1),
    "two amounts": lambda f: f.source_amount + f.destination_amount,
    "sum of numpy": lambda f: np.nansum(f.destination_amount),
    "mean of numpy": lambda f: np.average(f.destination_amount),
    "running sum of numpy": lambda f: np.nancumsum(f.destination_amount),
    "differences of numpy": lambda f: np.diff(f.destination_amount),
    "sum of numpy per group": lambda f: f.groupby("status").destination_amount.agg(np.nansum),
    "sum of distinct amounts": lambda f: f.destination_amount.unique().sum(),
    "median": lambda f: f.destination_amount.median(),
    "median per group": lambda f: f.groupby("status").destination_amount.median(),
    "median of numpy": lambda f: np.median(f.destination_amount),
    "quantile": lambda f: f.destination_amount.quantile(0.95),
    "quantile per group": lambda f: f.groupby("status").destination_amount.quantile(0.95),
    "quantile of windows": lambda f: f.paylab.rolling(2)["destination_amount"].quantile(0.95),
    "standard deviation": lambda f: f.destination_amount.std(),
    "by_currency, added": lambda f: frames.by_currency(f).destination_amount.sum(),
    "summary, added": lambda f: frames.summarize(f).destination_amount.sum(),
    "difference of two amounts": lambda f: f.source_amount - f.destination_amount,
    "largest per status, added": lambda f: by_status(f).max().sum(),
    "smallest per method, added": lambda f: (
        f.groupby("payout_method", observed=True).destination_amount.min().cumsum()
    ),
    "largest per status beside its rows": lambda f: by_status(f).transform("max").sum(),
    "largest per status as a total": lambda f: by_status(f).agg(largest="max").largest.sum(),
    "largest per status without skipna": lambda f: by_status(f).max(skipna=False).sum(),
    "largest per month, added": lambda f: (
        f.set_index(pd.to_datetime(["2026-01-05", "2026-01-06", "2026-02-01"]))
        .destination_amount.resample("MS")
        .max()
        .sum()
    ),
    "pivot table of the largest": lambda f: f.pivot_table(
        index="status", values="destination_amount", aggfunc="max", observed=True
    ).destination_amount.sum(),
    "larger of two columns": lambda f: f[["source_amount", "destination_amount"]].max(axis=1).sum(),
    "larger of amounts and a limit, added": lambda f: np.maximum(
        f.destination_amount, Decimal(500)
    ).sum(),
    "smaller of amounts and a limit, added": lambda f: np.fmin(
        Decimal(500), f.destination_amount
    ).sum(),
    "limits minus amounts": lambda f: (limits(f) - f.destination_amount).sum(),
    "amounts plus limits": lambda f: (f.destination_amount + limits(f)).sum(),
    "limits, some of them amounts, plus amounts": lambda f: (
        pd.concat([f.destination_amount.head(1), limits(f).tail(2)]) + f.destination_amount
    ).sum(),
    "sums beside missing amounts": lambda f: of_persons(f).sum().sum(),
    "sums beside zeros": lambda f: of_persons(f, 0).sum().sum(),
    "means beside missing amounts": lambda f: of_persons(f).mean().sum(),
    "medians beside missing amounts": lambda f: of_persons(f).median().sum(),
    "quantiles beside missing amounts": lambda f: of_persons(f).quantile(0.5).sum(),
    "largest beside missing amounts": lambda f: of_persons(f).max().sum(),
    "smallest beside missing amounts": lambda f: of_persons(f).min().sum(),
    "sums beside zeros in their rows": lambda f: of_persons(f, 0).transform("sum").sum(),
    "largest per currency, mapped": lambda f: f.destination_currency.map(
        by_amount_currency(f).max()
    ).sum(),
    "largest per currency, mapped from a dict": lambda f: f.destination_currency.map(
        by_amount_currency(f).max().to_dict()
    ).sum(),
    "last per status, mapped": lambda f: f.status.map(by_status(f).last()).sum(),
    "amounts minus one of them": lambda f: f.destination_amount - f.destination_amount.iloc[1],
    "amounts plus the largest": lambda f: f.destination_amount.add(f.destination_amount.max()),
    "amounts minus one of them by numpy": lambda f: np.subtract(
        f.destination_amount, f.destination_amount.iloc[1]
    ),
    "amounts minus elements": lambda f: f.source_amount - f.destination_amount.to_numpy(),
    "elements minus amounts": lambda f: f.destination_amount.to_numpy() - f.source_amount,
    "amounts plus a list": lambda f: f.source_amount.add([*f.destination_amount]),
    "amounts plus a plain Series": lambda f: (
        f.source_amount + pd.Series(f.destination_amount.tolist(), index=f.index)
    ),
    "one amount added to some rows": add_in_place,
    "sums minus one amount": lambda f: pivot(f) - f.destination_amount.iloc[1],
    "running sums minus one amount": lambda f: (
        f.source_amount.head(2).cumsum() - f.destination_amount.iloc[0]
    ),
    "by_currency minus one amount": lambda f: (
        frames.by_currency(f).destination_amount - f.destination_amount.iloc[1]
    ),
    "an index plus one amount": lambda f: pd.Index(f.source_amount) + f.destination_amount.iloc[0],
    "one amount less in each group": lambda f: by_amount_currency(f).transform(
        lambda amounts: amounts - f.destination_amount.iloc[1]
    ),
}

ALIKE = {
    "net and gross": lambda f: f.source_amount - f.net_source_amount,
    "missing amounts of the row before and amounts": lambda f: (
        f.destination_amount.where([False, False, True]).shift() + f.destination_amount
    ),
    "filled minus missing": lambda f: (
        f.destination_amount.mask(f.destination_currency == "PHP").ffill()
        - f.destination_amount.mask(f.destination_currency == "PHP")
    ),
    "zeros and amounts": lambda f: (
        f.destination_amount.where(f.destination_currency == "MXN", 0)
        + f.destination_amount.shift(-1).where(f.destination_currency == "PHP", 0)
    ),
    "an amount and a number": lambda f: f.source_amount + 1,
    "sums per currency": lambda f: f.groupby("destination_currency").destination_amount.sum(),
    "cumsum per currency": lambda f: f.groupby("destination_currency").destination_amount.cumsum(),
    "a row per currency": lambda f: by_currency_and_status(f).unstack(0).sum(),
    "pivot table": lambda f: pivot(f).sum(),
    "by_currency": lambda f: frames.by_currency(f) * 2,
    "median per currency": lambda f: f.groupby("destination_currency").destination_amount.median(),
    "quantile per currency": lambda f: f.groupby(
        "destination_currency"
    ).destination_amount.quantile(0.95),
    "rows of a summary per currency": lambda f: (
        frames.summarize(f).groupby("destination_currency").destination_amount.sum()
    ),
    "one currency": lambda f: f[f.destination_currency == "MXN"].destination_amount.cumsum(),
    "smallest amount": lambda f: f.destination_amount.cummin(),
    "converted": lambda f: convert(f).destination_amount.sum(),
    "zeros": lambda f: (
        f.destination_amount.where(f.destination_currency == "MXN", 0).sum()
        + sum(f.destination_amount.mask(f.destination_currency == "PHP", 0))
    ),
    "summarize": frames.summarize,
    "largest per status": lambda f: by_status(f).max().max(),
    "limits minus amounts": lambda f: limits(f) - f.destination_amount,
    "limits": lambda f: (limits(f) + limits(f)).sum(),
    "largest per status beside its rows": lambda f: by_status(f).transform("max"),
    "smallest amounts in one currency": lambda f: by_status(f).min().sum(),
    "sums beside missing amounts": lambda f: of_persons(f).sum(),
    "sums beside zeros": lambda f: of_persons(f, 0).sum(),
    "means beside zeros": lambda f: of_persons(f, 0).mean(),
    "zeros only": lambda f: (of_persons(f, 0).sum() * 0).sum(),
    "largest per currency, mapped": lambda f: f.destination_currency.map(
        by_amount_currency(f).max()
    ).max(),
    "first per status, mapped": lambda f: f.status.map(by_status(f).first()).sum(),
    "amounts minus one in their currency": lambda f: (
        f.source_amount.head(2) - f.source_amount.iloc[0]
    ),
    "amounts minus a zero": lambda f: f.source_amount - f.destination_amount.iloc[1] * 0,
    "missing amounts plus one amount": lambda f: (
        f.source_amount.where([False] * 3) + f.destination_amount.iloc[1]
    ),
    "amounts plus Decimals": lambda f: f.destination_amount.add([Decimal(1), None, 2]),
    "shares": lambda f: (f.destination_amount / f.destination_amount.iloc[1]).sum(),
}

ELEMENTS = {
    "objects": lambda f: f.destination_amount.astype(object).sum(),
    "elements": lambda f: f.destination_amount.to_numpy().sum(),
    "Python's sum": lambda f: sum(f.destination_amount),
    "Python's sum of a list": lambda f: sum(f.destination_amount.tolist()),
    "Python's sum of groups": lambda f: f.groupby("status").destination_amount.agg(sum),
    "reduce": lambda f: reduce(operator.add, f.destination_amount),
    "records": lambda f: sum(row["destination_amount"] for row in f.to_dict("records")),
    "rows": lambda f: f.destination_amount.iloc[0] + f.destination_amount.iloc[1],
    "sums of two frames": lambda f: (
        f[f.destination_currency == "MXN"].destination_amount.sum()
        + f[f.destination_currency == "PHP"].destination_amount.sum()
    ),
    "largest amounts of two frames": lambda f: (
        f[f.destination_currency == "MXN"].destination_amount.max()
        - f[f.destination_currency == "PHP"].destination_amount.max()
    ),
    "a copy from a pickle": lambda f: sum(pickle.loads(pickle.dumps([*f.destination_amount]))),
    "a function": lambda f: f.destination_amount.map(lambda amount: amount * 2).sum(),
    "a function of a column": lambda f: f.destination_amount.transform(lambda s: s * 2).sum(),
    "a function of two columns": lambda f: f.destination_amount.combine(
        f.destination_amount, operator.add
    ).sum(),
    "rounded": lambda f: sum(round(amount, 1) for amount in f.destination_amount),
    "a row of sums": lambda f: pivot(f).sum().sum(),
    "transposed": lambda f: f[["destination_amount"]].T.sum(axis=1),
    "stacked": lambda f: f[["destination_amount", "source_amount"]].stack().groupby(level=1).sum(),
    "weights": lambda f: f.destination_amount @ pd.Series([1, 2, 3], index=f.index),
    "weights of numpy": lambda f: np.dot(f.destination_amount, np.array([1, 2, 3])),
    "running sum of a ufunc": lambda f: np.add.accumulate(f.destination_amount),
    "histogram": lambda f: np.histogram(
        f.destination_amount, [0, 10_000], weights=f.destination_amount
    ),
    "quantiles per currency, added": lambda f: (
        f.groupby("destination_currency").destination_amount.quantile(0.5).sum()
    ),
    "levels of an index": lambda f: (
        f.set_index(["destination_amount", "id"]).reset_index().destination_amount.sum()
    ),
    "a dict by id": lambda f: f.id.map(dict(zip(f.id, f.destination_amount, strict=True))).sum(),
    "ids combined": lambda f: f.id.combine(
        f.id, lambda id_, _: dict(zip(f.id, f.destination_amount, strict=True))[id_]
    ).sum(),
    "a dict by text": lambda f: (
        f.id.astype("string").map(dict(zip(f.id, f.destination_amount, strict=True))).sum()
    ),
    "a function of ids": lambda f: f.id.map(
        dict(zip(f.id, f.destination_amount, strict=True)).get
    ).sum(),
    "a function applied to ids": lambda f: f.id.apply(
        dict(zip(f.id, f.destination_amount, strict=True)).get
    ).sum(),
    "a transform of ids": lambda f: f.id.transform(
        lambda id_: dict(zip(f.id, f.destination_amount, strict=True))[id_]
    ).sum(),
    "a function of a frame of ids": lambda f: (
        f[["id"]].map(dict(zip(f.id, f.destination_amount, strict=True)).get).id.sum()
    ),
    "a dict by a whole number": lambda f: (
        f.assign(number=pd.array([1, 2, 3], "int64[pyarrow]"))
        .number.map(dict(enumerate(f.destination_amount, 1)))
        .sum()
    ),
    "a function of groups of ids": lambda f: (
        f.groupby("payout_method").id.agg(first_amount(f)).sum()
    ),
    "a function of groups of a frame": lambda f: (
        f.groupby("payout_method")[["id"]].agg(first_amount(f)).id.sum()
    ),
    "functions of groups by column": lambda f: (
        f.groupby("payout_method").agg(first=("id", first_amount(f))).first.sum()
    ),
    "a function of groups of whole numbers": lambda f: (
        f.assign(number=pd.array([1, 2, 3], "int64[pyarrow]"))
        .groupby("id")
        .number.agg(lambda numbers: f.destination_amount[numbers.iloc[0] - 1])
        .sum()
    ),
    "a function of periods": lambda f: (
        f.set_index(TIMES).id.resample("D").agg(first_amount(f)).sum()
    ),
    "a function of periods by column": lambda f: (
        f.set_index(TIMES).resample("D").agg({"id": first_amount(f)}).id.sum()
    ),
    "a function of groups of periods": lambda f: (
        f.set_index(TIMES).groupby("id").id.resample("D").apply(first_amount(f)).sum()
    ),
    "a pivot table of ids": lambda f: f.pivot_table(
        index="payout_method", values="id", aggfunc=first_amount(f)
    ).id.sum(),
    "groups transformed": lambda f: f.groupby("id").id.transform(first_amount(f)).sum(),
    "rows of ids": lambda f: f[["id"]].apply(first_amount(f), axis=1).sum(),
    "a plain Series": lambda f: pd.Series([*f.destination_amount]).astype("decimal").sum(),
    "an amount set into a row": lambda f: set_amount(f, f.destination_amount.iloc[0]),
    "a column set into rows": lambda f: set_amount(f, f.destination_amount.head(1).to_numpy()),
}
"""Amounts that left their column, and know their currency nevertheless."""

FORGOTTEN = {
    "product": lambda f: (f.destination_amount * f.source_amount).sum(),
    "products with a rate": lambda f: sum(x * Decimal("1.1") for x in f.destination_amount),
    "quotients": lambda f: sum(1 / amount for amount in f.destination_amount),
    "mean of the module statistics": lambda f: statistics.mean(
        f[f.destination_currency == "MXN"].destination_amount
    ),
}
"""What notebook 80 says has no currency: the amounts may have been converted."""


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("factor", [1, LONG], ids=["small", "long"])
@pytest.mark.parametrize(
    "idioms", [MIXED, ELEMENTS, ENTERED], ids=["columns", "elements", "entered"]
)
def test_amounts_of_several_currencies_are_added_with_a_warning(idioms, factor):
    """Also totals per currency that are added afterwards."""

    def check(idiom):
        with pytest.warns(frames.CurrencyWarning, match=r"^amounts in .*MXN, .*are added"):
            idioms[idiom](make_frame(factor))

    assert failures(idioms, check) == {}


def test_a_sum_of_nothing_and_an_amount_has_the_currency_of_the_amount():
    """Which a zero in another currency does not take from it."""
    frame = make_frame()
    zeros = frame.destination_amount * 0
    assert [amount.currency for amount in zeros] == ["MXN", "PHP", "MXN"]
    for sums in (zeros + frame.source_amount, frame.source_amount - zeros):
        assert [amount.currency for amount in sums] == ["USD", "USD", "EUR"]


OTHER = {
    "one amount": lambda f: f.loc.__setitem__((0, "destination_amount"), f.destination_amount[1]),
    "a column": lambda f: f.__setitem__("destination_amount", f.source_amount),
    "an element of a list": lambda f: f.__setitem__(
        "destination_amount", [*f.source_amount[:1], *f.destination_amount[1:]]
    ),
}
SUMMARIES = {
    "by_currency": frames.by_currency,
    "summarize": frames.summarize,
    "summarize by the currency": lambda f: frames.summarize(f, "destination_currency"),
}


@pytest.mark.parametrize("factor", [1, LONG], ids=["small", "long"])
def test_sums_per_currency_name_amounts_that_are_in_another_one(factor):
    """The column of currencies says how they are grouped; a zero may be in any of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", frames.CurrencyWarning)
        for summarize in SUMMARIES.values():
            summarize(make_frame(factor))
    words = "destination_amount has amounts in .* in rows with another destination_currency"

    def check(names):
        change, summary = names
        frame = make_frame(factor)
        with warnings.catch_warnings():
            warnings.simplefilter("error", frames.CurrencyWarning)
            OTHER[change](frame)
            zeros = frame.assign(destination_amount=frame.destination_amount * 0)
            SUMMARIES[summary](zeros)
        with pytest.warns(frames.CurrencyWarning, match=words) as caught:
            SUMMARIES[summary](frame)
        assert len(caught) == 1

    assert failures([*product(OTHER, SUMMARIES)], check) == {}


WRITERS = {
    "CSV": lambda f, folder: f.paylab.to_csv(folder / "t.csv"),
    "Parquet": lambda f, folder: f.to_parquet(folder / "t.parquet"),
    "workbook": lambda f, folder: f.paylab.to_excel(folder / "t.xlsx"),
    "database": lambda f, folder: f.paylab.to_database(folder / "t.duckdb"),
    "Arrow": lambda f, _: f.paylab.arrow(),
}


def test_what_is_written_names_amounts_that_are_in_another_currency_than_their_row(tmp_path):
    """Of a file or a table they are read in the currency of their row."""
    words = (
        "destination_amount has amounts in PHP in rows with another destination_currency, in which "
        r"they are written \(rows: 1\): set destination_currency too"
    )

    def check(writer):
        frame = make_frame()
        with warnings.catch_warnings():
            warnings.simplefilter("error", frames.CurrencyWarning)
            WRITERS[writer](frame, tmp_path)
        OTHER["one amount"](frame)
        with pytest.warns(frames.CurrencyWarning, match=words) as caught:
            WRITERS[writer](frame, tmp_path)
        assert len(caught) == 1

    assert failures(WRITERS, check) == {}


CHOSEN = {
    "cummax": (lambda f: f.destination_amount.cummax(), ["MXN", "PHP", "PHP"]),
    "cummax of a frame": (
        lambda f: f[["destination_amount"]].cummax().destination_amount,
        ["MXN", "PHP", "PHP"],
    ),
    "cummax of an array": (
        lambda f: f.destination_amount.array.cummax(),
        ["MXN", "PHP", "PHP"],
    ),
    "cummin": (lambda f: f.destination_amount.cummin(), ["MXN", "MXN", "MXN"]),
    "cummax after a missing amount": (
        lambda f: f.destination_amount.where([False, True, True]).cummax()[1:],
        ["PHP", "PHP"],
    ),
    "cummax of groups": (
        lambda f: f.destination_amount.groupby(["A", "B", "B"]).cummax(),
        ["MXN", "PHP", "PHP"],
    ),
    "cummin of groups": (
        lambda f: f.destination_amount.groupby(["A", "A", "B"]).cummin(),
        ["MXN", "MXN", "MXN"],
    ),
    "cummax of equal amounts": (
        lambda f: (f.destination_amount * 0).cummax(),
        ["MXN", "PHP", "MXN"],
    ),
    "largest of windows": (
        lambda f: f.paylab.rolling(2)["destination_amount"].max()[1:],
        ["PHP", "PHP"],
    ),
    "smallest of windows": (
        lambda f: f.paylab.rolling(2, min_periods=1)["destination_amount"].min(),
        ["MXN", "MXN", "MXN"],
    ),
    "largest of windows of groups": (
        lambda f: f.paylab.rolling(2, min_periods=1, by="status")["destination_amount"].max(),
        ["MXN", "PHP", "MXN"],
    ),
    "larger of two columns": (
        lambda f: np.maximum(f.source_amount, f.destination_amount),
        ["MXN", "PHP", "MXN"],
    ),
    "smaller of two columns": (
        lambda f: np.minimum(f.destination_amount, f.source_amount),
        ["USD", "USD", "EUR"],
    ),
    "larger of two columns with missing amounts": (
        lambda f: np.fmax(
            f.source_amount.where([True, False, True]),
            f.destination_amount.where([True, True, False]),
        ),
        ["MXN", "PHP", "EUR"],
    ),
    "smaller of two columns with missing amounts": (
        lambda f: np.fmin(f.source_amount, f.destination_amount.where([False, True, True])),
        ["USD", "USD", "EUR"],
    ),
    "larger of a column and elements": (
        lambda f: np.maximum(f.source_amount, [*f.destination_amount]),
        ["MXN", "PHP", "MXN"],
    ),
    "larger of a column and an amount": (
        lambda f: np.maximum(f.source_amount, f.net_source_amount.iloc[1] + 10),
        ["USD", "USD", "USD"],
    ),
    "smaller of an amount and a column": (
        lambda f: np.minimum(f.destination_amount.iloc[1], f.source_amount),
        ["USD", "USD", "EUR"],
    ),
    "largest of an amount and a column with missing amounts": (
        lambda f: np.fmax(
            f.destination_amount.where([True, False, True]), f.destination_amount.iloc[1]
        ),
        ["PHP", "PHP", "PHP"],
    ),
    "remainders of a column and an amount": (
        lambda f: np.fmod(f.source_amount, f.source_amount.iloc[0]),
        ["USD", "USD", "EUR"],
    ),
    "larger of a column and a limit": (
        lambda f: np.maximum(f.source_amount, Decimal(60)),
        ["USD", "USD", "EUR"],
    ),
    "sums of two columns": (lambda f: f.source_amount + f.destination_amount, [None] * 3),
    "differences of rows": (lambda f: f.destination_amount.diff()[1:], [None, None]),
    "amounts minus one of them": (
        lambda f: f.source_amount - f.source_amount.iloc[0],
        ["USD", "USD", None],
    ),
    "one amount minus amounts": (
        lambda f: f.source_amount.iloc[0] - f.source_amount,
        ["USD", "USD", None],
    ),
    "amounts minus elements": (
        lambda f: f.source_amount - [*f.source_amount[:2], f.destination_amount[2]],
        ["USD", "USD", None],
    ),
    "amounts plus a number": (lambda f: f.source_amount + Decimal(1), ["USD", "USD", "EUR"]),
    "numbers plus one amount": (
        lambda f: limits(f) + f.destination_amount.iloc[1],
        ["PHP", "PHP", "PHP"],
    ),
    "amounts minus a sum of several currencies": (
        lambda f: f.source_amount - f.source_amount.sum(),
        [None, None, None],
    ),
    "a sum of several currencies minus amounts": (
        lambda f: f.source_amount.sum() - f.source_amount,
        [None, None, None],
    ),
    "multiples": (lambda f: f.source_amount * Decimal("1.1") / 2, ["USD", "USD", "EUR"]),
    "products with one amount": (
        lambda f: f.source_amount * f.source_amount.iloc[0],
        [None, None, None],
    ),
    "quotients by one amount": (
        lambda f: f.source_amount / f.destination_amount.iloc[0],
        [None, None, None],
    ),
    "shares of a sum": (lambda f: f.source_amount / f.source_amount.sum(), [None, None, None]),
    "sums of two columns beside zeros": (
        lambda f: f.source_amount + pesos(f, 0),
        [None, "USD", None],
    ),
    "running sums": (lambda f: pesos(f, 0).cumsum(), ["MXN", "MXN", "MXN"]),
    "running sums after zeros": (
        lambda f: f.destination_amount.where([False, True, False], 0).cumsum(),
        ["MXN", "PHP", "PHP"],
    ),
    "running sums of numpy": (lambda f: np.cumsum(pesos(f, 0)), ["MXN", "MXN", "MXN"]),
    "running sums of groups": (
        lambda f: pesos(f, 0).groupby(["B", "B", "A"]).cumsum(),
        ["MXN", "MXN", "MXN"],
    ),
    "running sums of other groups": (
        lambda f: pesos(f, 0).groupby(["B", "A", "B"]).cumsum(),
        ["MXN", "PHP", "MXN"],
    ),
    "running sums of several currencies": (
        lambda f: f.destination_amount.groupby(["A", "A", "B"]).cumsum(),
        ["MXN", None, "MXN"],
    ),
    "running sums of each row": (
        lambda f: (
            f.assign(destination_amount=f.destination_amount.where([False] * 3, 0))
            .loc[:, ["source_amount", "destination_amount"]]
            .cumsum(axis=1)
            .destination_amount
        ),
        ["USD", "USD", "EUR"],
    ),
    "running products": (lambda f: pesos(f, 0).cumprod(), [None, None, None]),
    "products of groups": (lambda f: pesos(f, 0).groupby([1, 1, 2]).prod(), [None, None]),
    "sums of windows": (lambda f: windows(f, 0).sum(), ["MXN", "MXN", "MXN"]),
    "sums of windows with missing amounts": (
        lambda f: windows(f, None).sum(),
        ["MXN", "MXN", "MXN"],
    ),
    "means of windows": (lambda f: windows(f, None).mean(), ["MXN", "MXN", "MXN"]),
    "medians of windows": (lambda f: windows(f, None).median(), ["MXN", "MXN", "MXN"]),
    "sums of windows of groups": (
        lambda f: windows(f, 0, by="id").sum(),
        ["MXN", "PHP", "MXN"],
    ),
    "sums of windows of several currencies": (
        lambda f: f.paylab.rolling(2, min_periods=1)["destination_amount"].sum(),
        ["MXN", None, None],
    ),
}
"""Amounts that are chosen from several rows or columns, or added, and their currencies."""


@pytest.mark.filterwarnings("ignore::paylab.frames.CurrencyWarning")
@pytest.mark.parametrize("factor", [1, LONG], ids=["small", "long"])
def test_a_result_has_the_currency_of_the_amounts_in_it(factor):
    """Not that of the row in which it then is."""

    def check(choice):
        choose, currencies = CHOSEN[choice]
        assert [amount.currency for amount in choose(make_frame(factor))] == currencies

    assert failures(CHOSEN, check) == {}


def test_the_larger_of_two_amounts_is_missing_where_one_of_them_is():
    """With `maximum`, which does not leave out missing amounts."""
    frame = make_frame()
    gaps = frame.destination_amount.where([False, True, True])
    for larger in (np.maximum(gaps, frame.source_amount), np.maximum(frame.source_amount, gaps)):
        assert larger.isna().tolist() == [True, False, False]


def test_files_keep_the_currencies_of_columns_that_are_named_as_those_of_the_service(tmp_path):
    """A column of your own is read with the currencies beside it, and with none otherwise."""
    frame = make_frame()
    doubled = frame.destination_amount * 2
    frame = frame.assign(own=doubled, own_amount=doubled, own_currency=frame.destination_currency)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.paylab.to_database(tmp_path / "t.duckdb")
    for read in (
        frames.read_parquet(tmp_path / "t.parquet"),
        frames.read_sql("transfers", tmp_path / "t.duckdb"),
    ):
        assert [amount.currency for amount in read.own_amount] == ["MXN", "PHP", "MXN"]
        assert {amount.currency for amount in read.own} == {None}
        totals = frames.by_currency(read)
        assert totals.own_amount["MXN"] == doubled[0] + doubled[2]
        assert "own" not in totals


def test_a_sum_over_several_currencies_warns_once():
    """Its currency is "several": to add more amounts to it does not warn again."""
    frame = make_frame()
    with pytest.warns(frames.CurrencyWarning) as caught:
        total = sum(frame.destination_amount) + frame.destination_amount.iloc[0]
    assert (total, total.currency, len(caught)) == (Decimal("6570.00"), "several", 1)


def test_a_sum_of_quotients_over_several_currencies_is_exact_and_warns():
    """Quotients have 20 decimals or more, which leave little room for digits before the point."""
    frame = make_frame()
    thirds = frame.destination_amount / 3
    with pytest.warns(frames.CurrencyWarning, match="MXN, PHP"):
        total = thirds.sum()
    assert total == Decimal("1623.3333333333333333333333333")
    by_source = thirds.groupby(frame.source_currency, observed=True)
    assert by_source.any().tolist() == [True, True]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("factor", [1, LONG], ids=["small", "long"])
@pytest.mark.parametrize("idioms", [ALIKE, FORGOTTEN], ids=["alike", "forgotten"])
def test_amounts_of_one_or_unknown_currency_are_added_without_a_warning(idioms, factor):
    """Totals that do not mix currencies, and values whose currency no column knows."""

    def check(idiom):
        with warnings.catch_warnings():
            warnings.simplefilter("error", frames.CurrencyWarning)
            idioms[idiom](make_frame(factor))

    assert failures(idioms, check) == {}


def test_the_module_statistics_refuses_amounts_of_several_currencies():
    """It takes numbers of one class only, and names the currencies."""
    with pytest.raises(TypeError, match=r"amount in '(MXN|PHP)' and amount in '(MXN|PHP)'"):
        statistics.mean(make_frame().destination_amount)
