"""A week of an analyst: each number of a frame equals the one that plain Decimal gives."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

import paylab
from paylab import frames
from paylab.errors import ExactnessError, RuleError
from paylab.simulator.population import seed_world
from paylab.simulator.simulator import Simulator


@pytest.fixture(scope="module")
def world():
    """The transfers of 120 recipients: as a frame, as models of the client, and their list."""
    simulator = Simulator()
    seed_world(simulator.world, 1_200, 120, 0)
    with paylab.connect(simulator=simulator) as lab:
        yield lab.transfers.frame(), list(lab.transfers.list()), lab


def total(key, value, rows):
    """The sums of a value by a key, with plain Decimal."""
    sums = defaultdict(Decimal)
    for row in rows:
        sums[key(row)] += value(row)
    return dict(sums)


def quantile(values, share):
    """A quantile with linear interpolation, with plain Decimal."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * Decimal(share)
    low = ordered[int(place)]
    high = ordered[min(int(place) + 1, len(ordered) - 1)]
    return low + (high - low) * (place - int(place))


def month(row):
    """The month of a transfer."""
    return row.created_at.strftime("%Y-%m")


def cohort_sums(rows):
    """The amounts by the month of the first payment to a recipient, with plain Decimal."""
    firsts = {}
    for row in rows:
        firsts[row.recipient_id] = min(firsts.get(row.recipient_id, month(row)), month(row))
    return total(
        lambda row: (firsts[row.recipient_id], month(row)), lambda row: row.source_amount, rows
    )


def cohorts(frame):
    """The amounts by the month of the first payment and the month of each payment."""
    months = frame["created_at"].dt.strftime("%Y-%m")
    cohort = months.groupby(frame["recipient_id"]).transform("min")
    table = frame.assign(cohort=cohort, month=months).pivot_table(
        index="cohort", columns="month", values="source_amount", aggfunc="sum"
    )
    return table.stack().dropna().to_dict()


WEEK = {
    "volume by day": (
        lambda f: f.groupby(f["created_at"].dt.date)["source_amount"].sum().to_dict(),
        lambda rows: total(lambda r: r.created_at.date(), lambda r: r.source_amount, rows),
    ),
    "volume by corridor": (
        lambda f: f.groupby("destination_currency", observed=True)["source_amount"].sum().to_dict(),
        lambda rows: total(lambda r: r.destination_currency, lambda r: r.source_amount, rows),
    ),
    "fees by rail": (
        lambda f: f.groupby("payout_method", observed=True)["total_fee"].sum().to_dict(),
        lambda rows: total(lambda r: r.payout_method, lambda r: r.total_fee, rows),
    ),
    "FX of each payment": (
        lambda f: dict(zip(f["id"], f["net_source_amount"] * f["exchange_rate"], strict=True)),
        lambda rows: {r.id: r.net_source_amount * r.exchange_rate for r in rows},
    ),
    "the largest difference of FX": (
        lambda f: (f["net_source_amount"] * f["exchange_rate"] - f["destination_amount"]).max(),
        lambda rows: max(
            r.net_source_amount * r.exchange_rate - r.destination_amount for r in rows
        ),
    ),
    "funnel": (
        lambda f: f["status"].value_counts().to_dict(),
        lambda rows: total(lambda r: r.status, lambda _: 1, rows),
    ),
    "cohorts": (cohorts, cohort_sums),
    "p95": (
        lambda f: f["source_amount"].quantile(0.95),
        lambda rows: quantile([r.source_amount for r in rows], "0.95"),
    ),
    "the ten largest recipients": (
        lambda f: f.groupby("recipient_id")["source_amount"].sum().nlargest(10).tolist(),
        lambda rows: sorted(
            total(lambda r: r.recipient_id, lambda r: r.source_amount, rows).values(), reverse=True
        )[:10],
    ),
    "the last seven payments": (
        lambda f: f.paylab.rolling(7)["source_amount"].sum().iloc[-1],
        lambda rows: sum(r.source_amount for r in rows[-7:]),
    ),
}


@pytest.mark.parametrize(("of_frame", "of_decimals"), WEEK.values(), ids=WEEK)
def test_a_number_of_a_week_loses_no_digit(world, of_frame, of_decimals):
    """Volumes, fees, FX, funnel, cohorts and percentiles in one currency lose no digit."""
    frame, rows, _ = world
    dollars = [row for row in rows if row.source_currency == "USD"]
    assert of_frame(frame[frame["source_currency"] == "USD"]) == of_decimals(dollars)


def test_books_are_merged_exactly(world):
    """Differences with amounts of books as text or Decimal are zero; floats are refused."""
    frame, rows, _ = world
    books = pd.DataFrame({"id": [r.id for r in rows], "booked": [r.source_amount for r in rows]})
    merged = frames.merge(frame, books, on="id")
    assert (merged["source_amount"] - merged["booked"]).abs().max() == 0
    both = frame.merge(books, left_on=["id", "source_amount"], right_on=["id", "booked"])
    assert len(both) == len(rows)


OTHER_KEYS = {
    "float": lambda amounts: amounts.astype(float),
    "float words": lambda amounts: amounts.astype(float).astype("category"),
    "text": lambda amounts: amounts.astype(str),
    "words": lambda amounts: amounts.astype(str).astype("category"),
    "text objects": lambda amounts: amounts.astype(str).astype(object),
    "integers": lambda amounts: amounts.round().astype(int),
    "masks": lambda amounts: amounts > 0,
}


@pytest.mark.parametrize("convert", OTHER_KEYS.values(), ids=OTHER_KEYS)
def test_amounts_are_not_matched_with_another_kind(world, convert):
    """A merge or a join whose keys cannot match says what to write."""
    frame = world[0]
    books = pd.DataFrame({"source_amount": convert(frame["source_amount"]), "row": 1})
    by_amount = books.set_index("source_amount")
    for match in (
        lambda: frame.merge(books, on="source_amount"),
        lambda: frames.merge(books, frame, on="source_amount"),
        lambda: frame.merge(by_amount, left_on="source_amount", right_index=True),
        lambda: frame.join(by_amount, on="source_amount"),
        lambda: frame.set_index("source_amount").join([by_amount]),
    ):
        with pytest.raises(ExactnessError, match=r'amount is exact.*astype\("decimal"\)'):
            match()


def test_amounts_are_matched_with_decimals_of_any_type(world):
    """Python's decimals, Arrow's and words of decimals are the same keys."""
    frame = world[0].drop_duplicates("source_amount")
    amounts = [Decimal(amount) for amount in frame["source_amount"]]
    arrow = pd.Series(amounts, dtype=pd.ArrowDtype(pa.decimal128(24, 6)))
    for keys in (amounts, arrow, pd.Categorical(amounts), pd.Series(amounts, dtype="decimal")):
        books = pd.DataFrame({"source_amount": keys, "row": range(len(frame))})
        assert frame.merge(books, on="source_amount")["row"].tolist() == [*range(len(frame))]


def test_a_misspelt_filter_is_no_filter(world):
    """A keyword that `frames.transfers` does not know is refused, and keeps no row by mistake."""
    page = world[2].request("GET", "/v1/transfers")
    with pytest.raises(RuleError, match="stauts: is no field of transfers"):
        frames.transfers([page], stauts="failed")
