"""A benchmark of 5,000 payouts over HTTP in a command that is killed at random points."""

from __future__ import annotations

import csv
from collections import Counter
from time import perf_counter

from batch_killing import Holding, kill_and_go_on

import paylab

MANY = 5_000
HEAD = ("client_reference_id", "financial_account_id", "source_amount", "payout_method")
COMMON = {"source_currency": "USD", "destination_currency": "MXN"}


def test_five_thousand_killed_six_times(tmp_path):
    """After six kills, each of the 5,000 rows has made exactly one transfer."""
    simulator, path = Holding(transfers=130), tmp_path / "payouts.csv"
    recipient = paylab.examples.recipient("MX")
    person = paylab.connect(simulator=simulator).individuals.create(**recipient)
    account = person.financial_accounts[0].id
    with path.open("w", newline="") as file:
        rows = ((f"inv-{at}", account, f"{10 + at % 7}.50", "spei") for at in range(MANY))
        csv.writer(file).writerows([HEAD, *rows])
    began = perf_counter()
    points = kill_and_go_on(simulator, path, MANY, times=6, options=COMMON)
    print(f"\n{MANY} payouts, killed after {points}: {perf_counter() - began:.1f} s in all")
    made = simulator.world.tables["transfers"].rows.values()
    references = Counter(row["client_reference_id"] for row in made)
    assert {name: n for name, n in references.items() if name.startswith("inv-")} == {
        f"inv-{at}": 1 for at in range(MANY)
    }
