"""Common pandas operations on our frames, each compared with the result of plain Python.

The expected results are computed from the service's JSON with Decimal, datetime and dicts only.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import pytest

import paylab

D = Decimal
CUT = "2026-01-05"


@pytest.fixture(scope="module", name="lab")
def seeded():
    """A lab with 300 transfers."""
    lab = paylab.connect()
    lab.simulator.seed(transfers=300)
    return lab


@pytest.fixture(scope="module")
def rows(lab):
    """The transfers as the service sent them, with exact numbers."""
    return [read(item.raw) for item in lab.transfers.list()]


def read(raw):
    """A transfer with Decimal amounts, datetime times and int seconds; other fields as sent."""
    found = dict(raw)
    for name in ("source_amount", "destination_amount", "exchange_rate", "total_fee"):
        found[name] = D(raw[name])
    found["net_source_amount"] = D(raw["net_source_amount"])
    found["created_at"] = datetime.fromisoformat(raw["created_at"])
    found["completed_in"] = int(raw["completed_in"]) if raw["completed_in"] else None
    return found


@pytest.fixture(scope="module")
def frame(lab):
    """The same rows as a frame; those of files are equal to it, in Arrow types too."""
    return lab.transfers.frame()


def sums(rows, key, of=lambda row: row["source_amount"]):
    """The sum of `of(row)` for each key."""
    found = defaultdict(D)
    for row in rows:
        found[key(row)] += of(row)
    return dict(found)


def amounts(rows):
    """The source amounts."""
    return [row["source_amount"] for row in rows]


def at(text):
    """An instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def money(values, places=2):
    """Values rounded for a comparison of means."""
    return [round(value, places) for value in values]


def quantile(values, share):
    """The exact quantile with linear interpolation."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    above = ordered[min(low + 1, len(ordered) - 1)]
    return ordered[low] + (above - ordered[low]) * (place - low)


def running(values):
    """Running sums."""
    total, found = D(0), []
    for value in values:
        total += value
        found.append(total)
    return found


def spread(values):
    """Sum, minimum, maximum and count."""
    return [sum(values), min(values), max(values), len(values)]


def currency(row):
    """The destination currency."""
    return row["destination_currency"]


def day(row):
    """The day of creation in UTC."""
    return row["created_at"].date()


def status(row):
    """The status."""
    return row["status"]


def excel(frame):
    """The times and amounts in a workbook of the rows before a day."""
    rows = frame.query(f"created_at < '{CUT}'").set_index(["created_at", "status"])
    rows.to_excel(target := BytesIO())
    found = pd.read_excel(target, index_col=[0, 1])
    moments = [moment.replace(tzinfo=UTC) for moment, _ in found.index]
    return moments, [D(str(value)) for value in found["source_amount"]]


def drawn(frame):
    """The y values of a line over time, drawn by matplotlib."""
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    (line,) = axes.plot(frame["created_at"], frame["source_amount"])
    return [float(y) for y in line.get_ydata()]


def drawn_by_seaborn(frame):
    """The sorted y values of a line over time, drawn by seaborn."""
    import seaborn
    from matplotlib.figure import Figure

    one = frame.head(20)
    axes = seaborn.lineplot(one, x="created_at", y="source_amount", ax=Figure().subplots())
    return sorted(map(float, axes.lines[0].get_ydata()))


IDIOMS = {
    # Times
    "later than a text": (
        lambda f: f[f.created_at > CUT].id.tolist(),
        lambda r: [x["id"] for x in r if x["created_at"] > at(CUT)],
    ),
    "query by time and status": (
        lambda f: f.query(f"created_at >= '{CUT}T00:00Z' and status == 'completed'").id.tolist(),
        lambda r: [x["id"] for x in r if x["created_at"] >= at(CUT) and x["status"] == "completed"],
    ),
    "query by a day and an amount": (
        lambda f: f.query(f"created_at >= '{CUT}' and source_amount > 100").id.tolist(),
        lambda r: [x["id"] for x in r if x["created_at"] >= at(CUT) and x["source_amount"] > 100],
    ),
    "between two days": (
        lambda f: int(f.created_at.between("2026-01-01", CUT).sum()),
        lambda r: sum(at("2026-01-01") <= x["created_at"] <= at(CUT) for x in r),
    ),
    "one day by loc": (
        lambda f: len(f.set_index("created_at").sort_index().loc[str(f.created_at[50].date())]),
        lambda r: sum(day(x) == day(r[50]) for x in r),
    ),
    "a span of days by loc": (
        lambda f: len(f.set_index("created_at").sort_index().loc["2026-01-01":"2026-01-03"]),
        lambda r: sum(date(2026, 1, 1) <= day(x) <= date(2026, 1, 3) for x in r),
    ),
    "another time zone": (
        lambda f: f.created_at.dt.tz_convert("Asia/Manila").dt.hour.tolist(),
        lambda r: [x["created_at"].astimezone(ZoneInfo("Asia/Manila")).hour for x in r],
    ),
    "days of a column": (
        lambda f: f.created_at.dt.date.tolist(),
        lambda r: [day(x) for x in r],
    ),
    "day of the week": (
        lambda f: f.created_at.dt.day_of_week.tolist(),
        lambda r: [x["created_at"].weekday() for x in r],
    ),
    "resample to days": (
        lambda f: (
            f.set_index("created_at")
            .source_amount.resample("D")
            .sum()
            .loc[lambda s: s > 0]
            .pipe(lambda s: {t.date(): v for t, v in s.items()})
        ),
        lambda r: sums(r, day),
    ),
    "resample and count": (
        lambda f: int(f.set_index("created_at").id.resample("W").count().sum()),
        len,
    ),
    "group by a frequency": (
        lambda f: f.groupby(pd.Grouper(key="created_at", freq="D")).source_amount.sum().sum(),
        lambda r: sum(amounts(r)),
    ),
    "newest and oldest": (
        lambda f: (f.created_at.max(), f.created_at.min()),
        lambda r: (max(x["created_at"] for x in r), min(x["created_at"] for x in r)),
    ),
    "add seconds to a time": (
        lambda f: (f.created_at + pd.to_timedelta(f.completed_in, unit="s")).dropna().max(),
        lambda r: max(
            x["created_at"] + timedelta(seconds=x["completed_in"])
            for x in r
            if x["completed_in"] is not None
        ),
    ),
    "differences of times": (
        lambda f: f.created_at.diff().iloc[1].total_seconds(),
        lambda r: (r[1]["created_at"] - r[0]["created_at"]).total_seconds(),
    ),
    "missing times are NaT": (
        lambda f: f.deposit_instructions_deadline.iloc[0] is pd.NaT,
        lambda r: True,
    ),
    "times as numpy": (
        lambda f: f.created_at.to_numpy().dtype.kind,
        lambda r: "O",
    ),
    "sort by time": (
        lambda f: f.sort_values("created_at").id.tolist(),
        lambda r: [x["id"] for x in sorted(r, key=lambda x: x["created_at"])],
    ),
    "describe times": (
        lambda f: f.created_at.describe()["min"],
        lambda r: min(x["created_at"] for x in r),
    ),
    # Amounts
    "sum": (lambda f: f.source_amount.sum(), lambda r: sum(amounts(r))),
    "sum of numpy": (lambda f: np.sum(f.source_amount), lambda r: sum(amounts(r))),
    "sum of columns": (
        lambda f: (f.source_amount + f.total_fee).tolist(),
        lambda r: [x["source_amount"] + x["total_fee"] for x in r],
    ),
    "difference of columns": (
        lambda f: (f.source_amount - f.total_fee).eq(f.net_source_amount).all(),
        lambda r: all(x["source_amount"] - x["total_fee"] == x["net_source_amount"] for x in r),
    ),
    "product of columns": (
        lambda f: (f.net_source_amount * f.exchange_rate).tolist(),
        lambda r: [x["net_source_amount"] * x["exchange_rate"] for x in r],
    ),
    "times a whole number, plus a decimal": (
        lambda f: (f.source_amount * 3 + D("0.01") - 1).tolist(),
        lambda r: [value * 3 + D("0.01") - 1 for value in amounts(r)],
    ),
    "a number minus a column": (
        lambda f: (1000 - f.source_amount).tolist(),
        lambda r: [1000 - value for value in amounts(r)],
    ),
    "times a decimal": (
        lambda f: (f.source_amount * D("1.16")).sum(),
        lambda r: sum(value * D("1.16") for value in amounts(r)),
    ),
    "quotient": (
        lambda f: (f.total_fee / f.source_amount).tolist(),
        lambda r: [x["total_fee"] / x["source_amount"] for x in r],
    ),
    "groupby sum": (
        lambda f: f.groupby("destination_currency").source_amount.sum().to_dict(),
        lambda r: sums(r, currency),
    ),
    "groupby mean": (
        lambda f: money(f.groupby("status").source_amount.mean().sort_index(), 12),
        lambda r: money(
            [sums(r, status)[k] / Counter(map(status, r))[k] for k in sorted(set(map(status, r)))],
            12,
        ),
    ),
    "groupby several": (
        lambda f: (
            f.groupby("status")
            .source_amount.agg(["sum", "min", "max", "count"])
            .loc["completed"]
            .tolist()
        ),
        lambda r: spread([x["source_amount"] for x in r if x["status"] == "completed"]),
    ),
    "groupby transform": (
        lambda f: f.groupby("destination_currency").source_amount.transform("sum").tolist(),
        lambda r: [sums(r, currency)[currency(x)] for x in r],
    ),
    "groupby running sum": (
        lambda f: f.groupby("status").source_amount.cumsum()[f.status == "failed"].tolist(),
        lambda r: running([x["source_amount"] for x in r if x["status"] == "failed"]),
    ),
    "groupby two keys": (
        lambda f: (
            f.groupby(["status", "destination_currency"], observed=True)
            .source_amount.sum()
            .to_dict()
        ),
        lambda r: sums(r, lambda x: (status(x), currency(x))),
    ),
    "named aggregation": (
        lambda f: (
            f.groupby("status")
            .agg(total=("source_amount", "sum"), n=("id", "count"))
            .loc["completed"]
            .tolist()
        ),
        lambda r: [sums(r, status)["completed"], Counter(map(status, r))["completed"]],
    ),
    "pivot table": (
        lambda f: f.pivot_table(
            index="status",
            columns="destination_currency",
            values="source_amount",
            aggfunc="sum",
            observed=True,
        ).loc["completed", "MXN"],
        lambda r: sums(r, lambda x: (status(x), currency(x)))["completed", "MXN"],
    ),
    "sort by amount": (
        lambda f: f.sort_values("source_amount").source_amount.tolist(),
        lambda r: sorted(amounts(r)),
    ),
    "the largest": (
        lambda f: f.source_amount.nlargest(5).tolist(),
        lambda r: sorted(amounts(r), reverse=True)[:5],
    ),
    "rows with the largest": (
        lambda f: f.nlargest(3, "source_amount").source_amount.tolist(),
        lambda r: sorted(amounts(r), reverse=True)[:3],
    ),
    "the smallest": (
        lambda f: f.source_amount.nsmallest(5).tolist(),
        lambda r: sorted(amounts(r))[:5],
    ),
    "running sum": (lambda f: f.source_amount.cumsum().tolist(), lambda r: running(amounts(r))),
    "mean": (lambda f: f.source_amount.mean(), lambda r: sum(amounts(r)) / len(r)),
    "median": (lambda f: f.source_amount.median(), lambda r: statistics.median(amounts(r))),
    "quantile": (
        lambda f: f.source_amount.quantile(0.95),
        lambda r: quantile(amounts(r), D("0.95")),
    ),
    "standard deviation": (
        lambda f: round(f.source_amount.std(), 6),
        lambda r: round(statistics.stdev(map(float, amounts(r))), 6),
    ),
    "smallest and largest": (
        lambda f: (f.source_amount.min(), f.source_amount.max()),
        lambda r: (min(amounts(r)), max(amounts(r))),
    ),
    "describe everything": (
        lambda f: float(f.describe(include="all")["source_amount"]["max"]),
        lambda r: float(max(amounts(r))),
    ),
    "describe an amount": (
        lambda f: round(float(f.source_amount.describe()["mean"]), 6),
        lambda r: round(float(sum(amounts(r)) / len(r)), 6),
    ),
    "equal to a decimal": (
        lambda f: f[f.source_amount == f.source_amount[7]].id.tolist(),
        lambda r: [x["id"] for x in r if x["source_amount"] == r[7]["source_amount"]],
    ),
    "equal to a text": (
        lambda f: int((f.source_amount == str(f.source_amount[7])).sum()),
        lambda r: amounts(r).count(r[7]["source_amount"]),
    ),
    "more than a number": (
        lambda f: f[f.source_amount > 1000].source_amount.sum(),
        lambda r: sum(value for value in amounts(r) if value > 1000),
    ),
    "between two numbers": (
        lambda f: int(f.source_amount.between(100, D("500.50")).sum()),
        lambda r: sum(100 <= value <= D("500.50") for value in amounts(r)),
    ),
    "query by amount": (
        lambda f: len(f.query("source_amount > 500 and destination_currency == 'MXN'")),
        lambda r: sum(x["source_amount"] > 500 and currency(x) == "MXN" for x in r),
    ),
    "among some": (
        lambda f: int(f.source_amount.isin(f.source_amount.head(4)).sum()),
        lambda r: sum(value in amounts(r)[:4] for value in amounts(r)),
    ),
    "merge on ids": (
        lambda f: f.merge(
            pd.DataFrame({"id": f.id.head(9).tolist(), "owner": range(9)}), on="id"
        ).source_amount.sum(),
        lambda r: sum(amounts(r)[:9]),
    ),
    "merge on ids and compare books": (
        lambda f: (
            f.merge(pd.DataFrame({"id": f.id, "booked": [D(100)] * len(f)}), on="id")
            .assign(gap=lambda m: (m.source_amount - m.booked).abs())
            .gap.sum()
        ),
        lambda r: sum(abs(value - 100) for value in amounts(r)),
    ),
    "fill what is missing": (
        lambda f: f.source_amount.where(f.status == "completed").fillna(0).sum(),
        lambda r: sums(r, status)["completed"],
    ),
    "concatenate": (
        lambda f: pd.concat([f, f]).source_amount.sum(),
        lambda r: 2 * sum(amounts(r)),
    ),
    "round": (
        lambda f: f.source_amount.round(1).tolist(),
        lambda r: [round(value, 1) for value in amounts(r)],
    ),
    "distinct amounts": (
        lambda f: f.source_amount.nunique(),
        lambda r: len(set(amounts(r))),
    ),
    "a function of each": (
        lambda f: f.source_amount.map(lambda value: value * 2).sum(),
        lambda r: sum(value * 2 for value in amounts(r)),
    ),
    "sum along a row": (
        lambda f: f[["source_amount", "total_fee"]].sum(axis=1).tolist(),
        lambda r: [x["source_amount"] + x["total_fee"] for x in r],
    ),
    "bins": (
        lambda f: pd.cut(f.source_amount, [0, 100, 10**6]).value_counts().tolist(),
        lambda r: sorted(
            [sum(v <= 100 for v in amounts(r)), sum(v > 100 for v in amounts(r))], reverse=True
        ),
    ),
    "position of the largest": (
        lambda f: f.loc[f.source_amount.idxmax(), "source_amount"],
        lambda r: max(amounts(r)),
    ),
    # Statuses, seconds, text and exports
    "share of each status": (
        lambda f: f.status.value_counts(normalize=True)["completed"],
        lambda r: Counter(map(status, r))["completed"] / len(r),
    ),
    "seconds by group": (
        lambda f: float(f.groupby("status").completed_in.quantile(0.5)["completed"]),
        lambda r: statistics.median(x["completed_in"] for x in r if x["completed_in"] is not None),
    ),
    "text of an id": (
        lambda f: bool(f.id.str.startswith("tr_").all()),
        lambda r: True,
    ),
    "as floats": (
        lambda f: f.paylab.floats().source_amount.tolist(),
        lambda r: list(map(float, amounts(r))),
    ),
    "in a workbook": (
        excel,
        lambda r: (
            [x["created_at"] for x in r if x["created_at"] < at(CUT)],
            [x["source_amount"] for x in r if x["created_at"] < at(CUT)],
        ),
    ),
    "a line over time": (drawn, lambda r: list(map(float, amounts(r)))),
    "a line by seaborn": (
        drawn_by_seaborn,
        lambda r: sorted(map(float, amounts(r)[:20])),
    ),
    "in DuckDB": (
        lambda f: duckdb.sql("select sum(source_amount) from f").fetchall(),
        lambda r: [(sum(amounts(r)),)],
    ),
}


@pytest.mark.filterwarnings(
    "error",
    "ignore::paylab.frames.CurrencyWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # sockets of tests that ran before
)
@pytest.mark.parametrize("idiom", IDIOMS)
def test_an_idiom_gives_the_answer_of_plain_python(frame, rows, idiom):
    """Each operation gives the expected result."""
    ask, answer = IDIOMS[idiom]
    assert ask(frame) == answer(rows)


def test_the_table_has_at_least_60_operations():
    """The table has at least 60 operations."""
    assert len(IDIOMS) >= 60


def test_the_files_give_the_same_frame(lab, tmp_path):
    """Exports are read back as the same frame; only the order of a folder's rows may differ."""
    frame = lab.transfers.frame()
    for name, back in (("t.csv", paylab.read_csv), ("t.parquet", paylab.read_parquet)):
        lab.transfers.export(tmp_path / name)
        found = back(tmp_path / name)
        pd.testing.assert_frame_equal(found, frame)
        assert found.paylab.arrow().schema.types == frame.paylab.arrow().schema.types
    lab.transfers.export(f"{tmp_path}/days/")
    back = paylab.read_parquet(tmp_path / "days").sort_values("id", ignore_index=True)
    pd.testing.assert_frame_equal(back, frame.sort_values("id", ignore_index=True))


@pytest.mark.parametrize("draw", ["plot", "hist", "boxplot"])
def test_a_plot_without_matplotlib_names_what_to_install(draw, monkeypatch):
    """The error of a frame and of a column names the extra that has the plotting library."""
    frame = paylab.connect().transfers.frame(limit=3)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for owner in (frame, *[frame["source_amount"]] * (draw != "boxplot")):
        with pytest.raises(paylab.MissingExtraError, match=r"matplotlib.*paylab\[plots\]"):
            getattr(owner, draw)()
