"""Results of many groups equal those of each group alone, and are fast."""

from __future__ import annotations

import time
from decimal import Decimal

import pandas as pd
import pytest

from paylab.errors.base import ExactnessError
from paylab.frames.exact_frame import ExactFrame

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


@pytest.mark.parametrize(
    "options",
    [{}, {"min_count": 1}, {"min_count": 5}, {"skipna": False}, {"min_count": 0}],
    ids=str,
)
@pytest.mark.parametrize("statistic", ["sum", "prod", "min", "max"])
def test_what_is_computed_of_all_groups_at_once_is_that_of_each_column(table, statistic, options):
    """Also of the least number of amounts, and of groups with a missing one."""
    table = table[table["amount"] != Decimal(TEXTS[4])]  # its product has too many digits
    found = getattr(table.groupby("name")["amount"], statistic)(**options)
    alone = []
    for name in "abcd":
        column = table[table["name"] == name]["amount"]
        is_missing = options.get("min_count", -1) > column.count()
        skipna = {"skipna": options.get("skipna", True)}
        alone.append(None if is_missing else getattr(column, statistic)(**skipna))
    assert found.dtype == "decimal"
    assert same(found, alone)


@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("running", ["cumsum", "cumprod"])
def test_running_sums_and_products_of_each_group_are_those_of_its_column(table, running, skipna):
    """Of short and long amounts; the rows of no group, and those of missing amounts, have none."""
    short_table = table[table["amount"] != Decimal(TEXTS[4])].copy()
    short_table["amount"] = short_table["amount"].round(2)
    for rows in (short_table, table if running == "cumsum" else short_table):
        found = getattr(rows.groupby("name")["amount"], running)(skipna=skipna)
        assert found.dtype == "decimal"
        assert found[rows["name"].isna()].isna().all()
        for name in "abcd":
            column = rows[rows["name"] == name]["amount"]
            assert same(found[column.index], getattr(column, running)(skipna=skipna))


LONG_GROUPS = {
    "prod": ["1.00000000001", "1.00000000003", "99999999999", "99999999999"],
    "median": [f"1.{'0' * 27}1", f"1.{'0' * 27}2", "9999999999.5"],
    "quantile": [f"1.{'0' * 27}1", f"1.{'0' * 27}2", "9999999999.5"],
    "cumprod": ["1.00000000001", "1.00000000003", "99999999999", "99999999999"],
}


@pytest.mark.parametrize("statistic", LONG_GROUPS)
def test_exact_results_of_groups_are_not_rounded_to_fit_one_column(statistic):
    """Only a mean is a quotient; a product or a median that does not fit is refused."""
    amounts = pd.Series(LONG_GROUPS[statistic], dtype="decimal")
    groups = amounts.groupby(list("aabb")[: len(amounts)])
    with pytest.raises(ExactnessError, match=r"more than 38 digits: .*round"):
        getattr(groups, statistic)()


@pytest.mark.parametrize("statistic", ["sum", "median", "quantile"])
def test_exact_results_of_windows_are_not_rounded_to_fit_one_column(statistic):
    """A window of long amounts is refused beside one of large amounts, and their means are not."""
    amounts = [f"1.{'0' * 27}1", f"1.{'0' * 27}2", "5000000000", "5000000001"]
    windows = ExactFrame({"a": pd.Series(amounts, dtype="decimal")}).paylab.rolling(2)["a"]
    compute = getattr(windows, statistic)
    assert len(windows.mean()) == 4
    with pytest.raises(ExactnessError, match=r"more than 38 digits: .*round"):
        compute(*[0.5] * (statistic == "quantile"))


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
    for statistic in ("sum", "quantile", "median", "mean", "std", "cummax", "prod", "cumprod"):
        begin = time.process_time()
        getattr(groups, statistic)()
        seconds[statistic] = time.process_time() - begin
    assert max(seconds.values()) < 12 * max(seconds["sum"], 0.02)
