"""Demo data: 90 days of transfers and conversions with plausible distributions, by seed."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from statistics import median

import pytest

from paylab.simulator import payout_routes, seeding
from paylab.simulator.simulator import Simulator
from paylab.spec import timestamps

COUNT = 6_000


def moment(row, field="created_at"):
    """A timestamp of a row, as a datetime."""
    return timestamps.from_text(row[field])


@pytest.fixture(scope="module")
def world():
    """A simulator with enough transfers and conversions for stable statistics."""
    simulator = Simulator(transfers=COUNT)
    seeding.seed_conversions(simulator.world, 500)
    return simulator.world


@pytest.fixture(scope="module")
def rows(world):
    """The transfers of the simulator."""
    return list(world.tables["transfers"].rows.values())


@pytest.fixture(scope="module")
def routes(rows):
    """The transfers by destination currency."""
    found = defaultdict(list)
    for row in rows:
        found[row["destination_currency"]].append(row)
    return found


@pytest.mark.parametrize("kind", ["transfers", "conversions"])
def test_rows_span_90_days_and_have_ended(world, kind):
    """Rows are in order, start about 90 days ago, and end before now."""
    rows = list(world.tables[kind].rows.values())
    assert timedelta(days=88) < world.now() - moment(rows[0]) <= timedelta(days=91)
    assert seeding.AGE_MIN <= world.now() - moment(rows[-1]) < timedelta(days=2)
    assert all(moment(row) < moment(row, "updated_at") <= world.now() for row in rows)
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)


@pytest.mark.parametrize("count", [1, 130])
def test_a_few_rows_span_the_period_too(count):
    """A small number of transfers is spread over many days too."""
    rows = Simulator(transfers=count).world.tables["transfers"].rows.values()
    assert len({row["created_at"][:10] for row in rows}) >= min(count, 50)


def test_weeks_and_days_have_a_rhythm(rows):
    """Friday has the most payments and Sunday the fewest; there are few at night."""
    week = Counter(moment(row).weekday() for row in rows)
    day = Counter(moment(row).hour for row in rows)
    assert [week.most_common()[0][0], week.most_common()[-1][0]] == [4, 6]
    assert sum(day[hour] for hour in range(6)) < COUNT / 8


def test_amounts_are_log_normal_with_a_median_for_each_route(routes):
    """The median is that of the table, and the mean is at least 10 % higher: a long tail."""
    for route in payout_routes.ROUTES:
        amounts = sorted(Decimal(row["source_amount"]) for row in routes[route.currency])
        assert float(median(amounts)) == pytest.approx(route.median, rel=0.25)
        assert sum(amounts) / len(amounts) > median(amounts) * Decimal("1.1")


def test_what_is_sent_is_the_fee_and_the_net_amount(rows):
    """The source amount is exactly the fee plus the net amount."""
    for row in rows:
        parts = Decimal(row["total_fee"]) + Decimal(row["net_source_amount"])
        assert Decimal(row["source_amount"]) == parts


def test_rails_differ_in_speed_and_have_a_tail(rows):
    """Each rail has its own median duration; some payouts take over 20 times the median."""
    times = defaultdict(list)
    for row in rows:
        if row["completed_in"]:
            times[row["payout_method"]].append(int(row["completed_in"]))
    for rail, (typical, _) in payout_routes.RAIL_SECONDS.items():
        assert median(times[rail]) == pytest.approx(typical, rel=0.25)
    assert max(times["spei"]) > 20 * median(times["spei"])


def test_failures_differ_by_route(routes):
    """Failure rates and the most frequent reason differ by route; only failures have a reason."""
    rates, reasons = {}, {}
    for currency, rows in routes.items():
        failed = [row for row in rows if row["status"] == "failed"]
        rates[currency] = len(failed) / len(rows)
        reasons[currency] = Counter(row["failure_reason"] for row in failed).most_common()
        assert all(row["failure_reason"] is None for row in rows if row["status"] != "failed")
    assert rates["COP"] > rates["PHP"] > rates["MXN"] > 0.005
    assert {currency: words for currency, [(words, _), *_] in reasons.items()} == {
        "MXN": "The account number does not exist.",
        "BRL": "The account number does not exist.",
        "COP": "The account belongs to somebody with another name.",
        "PHP": "The recipient's account has reached its limit.",
        "INR": "The recipient's bank did not answer in time.",
        "EUR": "The recipient's account is closed.",
    }
    assert {len(found) for found in reasons.values()} == {2, 3}


def test_only_completed_rows_have_what_completion_sets(rows):
    """Only completed transfers have completed_in and settlement_reference_id."""
    for row in rows:
        done = row["status"] == "completed"
        assert (row["completed_in"] is not None) is done
        assert (row["settlement_reference_id"] is not None) is done
    assert {row["status"] for row in rows} == {"completed", "failed", "expired"}


def test_a_conversion_is_paid_out_or_has_failed(world):
    """Only a failed conversion has no hash and payout time; deposits are at most 50."""
    for row in world.tables["conversions"].rows.values():
        times = {row["payout"][name] is None for name in ("tx_hash", "completed_at")}
        assert times == {row["status"] == "failed"}
        assert Decimal(row["deposit"]["amount"]) <= 50


@pytest.mark.parametrize("seed", [7, 8])
def test_a_seed_gives_the_same_rows_every_time(seed):
    """The same seed gives equal rows, and a second seeding adds other amounts."""
    first, second = (Simulator(seed=seed, transfers=40) for _ in range(2))
    assert first.world.tables["transfers"].rows == second.world.tables["transfers"].rows
    seeding.seed_transfers(first.world, 40)
    rows = list(first.world.tables["transfers"].rows.values())
    assert len(rows) == 80
    assert [row["source_amount"] for row in rows[:40]] != [
        row["source_amount"] for row in rows[40:]
    ]


def test_another_seed_gives_other_rows():
    """Another seed gives transfers with other ids, amounts, times and references."""
    worlds = (Simulator(seed=seed, transfers=5).world for seed in (7, 8))
    first, second = ([*world.tables["transfers"].rows.values()] for world in worlds)
    assert len(first) == len(second) == 5
    for name in ("id", "source_amount", "created_at", "recipient_id"):
        assert not {row[name] for row in first} & {row[name] for row in second}


def test_a_clock_that_runs_seeds_the_last_90_days_before_now():
    """With a running clock the period ends at the current time."""
    world = Simulator(frozen=False, transfers=20).world
    oldest = min(moment(row) for row in world.tables["transfers"].rows.values())
    assert isinstance(oldest, datetime)
    assert world.now() - oldest <= timedelta(days=91)


def test_the_rows_of_a_seed_stay_the_same(world):
    """The rows of a seed stay the same, because the stored notebooks show them."""
    kinds = ("individuals", "financial_accounts", "transfers", "conversions")
    rows = {kind: [*world.tables[kind].rows.values()] for kind in kinds}
    digest = sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    assert digest.startswith("227d2e3c749bb394")
