"""A world with many recipients: all corridors and source currencies, over months, by seed."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest

from paylab.simulator import population
from paylab.simulator.simulator import Simulator
from paylab.spec import timestamps

TRANSFERS, INDIVIDUALS, CONVERSIONS = 3_000, 200, 150


def made(seed=7):
    """A world with a population."""
    world = Simulator(seed=seed).world
    population.seed_world(world, TRANSFERS, INDIVIDUALS, CONVERSIONS)
    return world


@pytest.fixture(scope="module")
def world():
    return made()


def test_the_numbers_are_those_that_were_asked_for(world):
    """There are as many individuals, transfers and conversions as the seed says."""
    counts = {name: len(world.tables[name]) for name in ("individuals", "transfers", "conversions")}
    assert counts == {"individuals": 200, "transfers": 3_000, "conversions": 150}


def test_every_source_currency_reaches_every_corridor(world):
    """Transfers have each pair of a source currency and the currency of a corridor with rails."""
    rows = world.tables["transfers"].rows.values()
    pairs = {(row["source_currency"], row["destination_currency"]) for row in rows}
    currencies = {"MXN", "BRL", "COP", "PHP", "INR", "EUR", "ARS", "GBP"}
    expected = {(source, to) for source in ("USD", "USDC", "PHP") for to in currencies}
    assert pairs == expected - {("PHP", "PHP")}


def test_payments_belong_to_individuals_that_existed_then(world):
    """A transfer is later than its recipient, and goes to an account of theirs."""
    people = world.tables["individuals"].rows
    for row in world.tables["transfers"].rows.values():
        owner = people[row["recipient_id"]]
        assert row["financial_account_id"] in owner["_"]["accounts"]
        assert owner["created_at"] <= row["created_at"] or owner is min(
            people.values(), key=lambda person: person["created_at"]
        )
    for row in world.tables["conversions"].rows.values():
        assert "on_ramp" in people[row["individual_id"]]["product_types"]


def test_the_amounts_of_a_transfer_add_up(world):
    """The source is the fee plus the net amount, with the decimals of its currency."""
    places = {"USD": 2, "PHP": 2, "USDC": 6}
    for row in world.tables["transfers"].rows.values():
        source, fee, net = (
            Decimal(row[name]) for name in ("source_amount", "total_fee", "net_source_amount")
        )
        assert source == fee + net
        assert -source.as_tuple().exponent == places[row["source_currency"]]


def test_it_is_worth_an_analysis(world):
    """Months, hundreds of recipients, some of them paid much more often, and two on-ramps."""
    rows = list(world.tables["transfers"].rows.values())
    ends = [timestamps.from_text(rows[at]["created_at"]) for at in (0, -1)]
    assert ends[1] - ends[0] > timedelta(days=80)
    paid = Counter(row["recipient_id"] for row in rows).most_common()
    assert len(paid) > 150
    assert paid[0][1] > 5 * TRANSFERS / INDIVIDUALS
    months = {row["created_at"][:7] for row in world.tables["individuals"].rows.values()}
    assert len(months) >= 5
    conversions = world.tables["conversions"].rows.values()
    assert {row["deposit"]["currency"] for row in conversions} == {"MXN", "PHP"}
    assert len({row["individual_id"] for row in conversions}) > 10


def test_a_seed_gives_the_same_population():
    """The same seed gives equal rows, and another seed other ones."""
    worlds = [made(7), made(7), made(8)]
    rows = [[*world.tables["transfers"].rows.values()] for world in worlds]
    assert rows[0] == rows[1]
    assert rows[0][0]["id"] != rows[2][0]["id"]
