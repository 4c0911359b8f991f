"""Results of many groups equal those of each group alone, and are fast."""

from __future__ import annotations

import time
from decimal import Decimal

import pandas as pd
import pytest

import paylab.frames  # noqa: F401 - it has the type "decimal"

NAMES = ["a", "b", "c", "d", None]
TEXTS = ["10.25", None, "-3.50", "0.000001", "123456789012345678.123456", "7", None, "10.25"]


@pytest.fixture
def table():
    """Rows of four groups, the last one without an amount, and of no group."""
    names = [NAMES[number % 5] for number in range(40)]
    texts = [None if number % 5 == 3 else TEXTS[number % 8] for number in range(40)]
    return pd.DataFrame({"name": names, "amount": pd.Series(texts, dtype="decimal")})


def same(found, expected):
    """Whether two lists of amounts are equal; missing ones are equal to each other."""
    pairs = zip(found, expected, strict=True)
    return all(one == other if pd.notna(one) else pd.isna(other) for one, other in pairs)


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_the_statistic_of_each_group_is_that_of_its_column(table, statistic):
    """Missing amounts and rows of no group do not count; a group without amounts has none."""
    found = getattr(table.groupby("name")["amount"], statistic)()
    alone = [getattr(table[table["name"] == name]["amount"], statistic)() for name in "abcd"]
    assert found.dtype == "decimal"
    assert same([round(amount, 15) for amount in found[:3]], [round(one, 15) for one in alone[:3]])
    assert pd.isna(found["d"])
    assert pd.isna(alone[3])
    spread = table.groupby("name")["amount"].transform(statistic)
    assert same(spread[:3], found[:3])


@pytest.mark.parametrize("statistic", ["std", "var", "sem", "skew", "kurt", "any", "all"])
def test_what_pandas_computes_of_each_group_is_that_of_its_column(table, statistic):
    """Floats, true or false; a group without an amount has NaN, or what no amount gives."""
    found = getattr(table.groupby("name")["amount"], statistic)()
    alone = [getattr(table[table["name"] == name]["amount"], statistic)() for name in "abcd"]
    assert [*found] == pytest.approx(
        [float("nan") if pd.isna(one) else one for one in alone], nan_ok=True
    )


@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("running", ["cummin", "cummax"])
def test_running_extremes_of_each_group_are_those_of_its_column(table, running, skipna):
    """The rows of no group, and those of missing amounts, have none."""
    found = getattr(table.groupby("name")["amount"], running)(skipna=skipna)
    assert found.dtype == "decimal"
    assert found[table["name"].isna()].isna().all()
    for name in "abcd":
        column = table[table["name"] == name]["amount"]
        assert same(found[column.index], getattr(column, running)(skipna=skipna))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_the_quantiles_of_each_group_are_those_of_its_column(table, interpolation):
    """For every way to interpolate, and for shares that meet an amount or are between two."""
    shares = [0, 0.1, 0.5, 0.95, 1]
    found = table.groupby("name")["amount"].quantile(shares, interpolation=interpolation)
    for name in "abcd":
        column = table[table["name"] == name]["amount"]
        assert same(found[name], column.quantile(shares, interpolation=interpolation))


def test_means_of_groups_divide_sums_of_more_than_38_digits():
    """The mean fits its column although the sum does not; one without end has 28 digits."""
    texts = ["9" * 38] * 2 + ["1", "0", "0"]
    table = pd.DataFrame({"name": list("aabbb"), "amount": pd.Series(texts, dtype="decimal")})
    means = table.groupby("name")["amount"].mean()
    assert means["a"] == Decimal("9" * 38)
    assert table.iloc[2:].groupby("name")["amount"].mean()["b"] == Decimal(f"0.{'3' * 28}")


def test_results_of_many_groups_take_about_as_long_as_sums():
    """One by one, those of 6,000 groups took more than 50 times as long."""
    amounts = pd.Series([f"{number % 977}.25" for number in range(6_000)], dtype="decimal")
    groups = pd.DataFrame({"name": range(6_000), "amount": amounts}).groupby("name")["amount"]
    seconds = {}
    for statistic in ("sum", "quantile", "median", "mean", "std", "cummax"):
        begin = time.process_time()
        getattr(groups, statistic)()
        seconds[statistic] = time.process_time() - begin
    assert max(seconds.values()) < 12 * max(seconds["sum"], 0.02)
