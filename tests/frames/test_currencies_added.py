"""Which additions of amounts in several currencies warn, and which need not."""

from __future__ import annotations

import warnings

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


def make_frame():
    """Three transfers into two currencies, as the service lists them."""
    names = ("source_amount", "source_currency", "destination_amount", "destination_currency")
    rows = [
        dict(zip((*names, "status", "payout_method"), values, strict=True))
        | {"id": f"tr_{number}", "net_source_amount": values[0]}
        for number, values in enumerate(ROWS)
    ]
    return frames.transfers([{"data": rows, "has_next_page": False}])


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


MIXED = {
    "sum": lambda f: f.destination_amount.sum(),
    "cumsum": lambda f: f.destination_amount.cumsum(),
    "cumsum of groups": lambda f: f.groupby("status").destination_amount.cumsum(),
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
}

ALIKE = {
    "net and gross": lambda f: f.source_amount - f.net_source_amount,
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
    "summarize": frames.summarize,
}

FORGOTTEN = {
    "objects": lambda f: f.destination_amount.astype(object).sum(),
    "elements": lambda f: f.destination_amount.to_numpy().sum(),
    "a function": lambda f: f.destination_amount.map(lambda amount: amount).sum(),
    "a function of groups": lambda f: f.groupby("status").destination_amount.agg(sum),
    "a row of sums": lambda f: pivot(f).sum().sum(),
    "transposed": lambda f: f[["destination_amount"]].T.sum(axis=1),
    "stacked": lambda f: f[["source_amount", "destination_amount"]].stack().sum(),
    "product": lambda f: (f.destination_amount * f.source_amount).sum(),
}
"""What notebook 80 says has no currency: the values left the column, or may have been converted."""


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_amounts_of_several_currencies_are_added_with_a_warning():
    """Also totals per currency that are added afterwards."""

    def check(idiom):
        with pytest.warns(frames.CurrencyWarning, match=r"^amounts in .*MXN, .*are added"):
            MIXED[idiom](make_frame())

    assert failures(MIXED, check) == {}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("idioms", [ALIKE, FORGOTTEN], ids=["alike", "forgotten"])
def test_amounts_of_one_or_unknown_currency_are_added_without_a_warning(idioms):
    """Totals that do not mix currencies, and values whose currency no column knows."""

    def check(idiom):
        with warnings.catch_warnings():
            warnings.simplefilter("error", frames.CurrencyWarning)
            idioms[idiom](make_frame())

    assert failures(idioms, check) == {}
