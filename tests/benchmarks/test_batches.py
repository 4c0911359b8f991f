"""Benchmarks of 5,000 payouts: with a results file, and in a command that is killed."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import count
from time import perf_counter, process_time

from batch_killing import Holding, kill_and_go_on

import paylab
from paylab.simulator.simulator import Simulator

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


def test_the_results_file_costs_little(tmp_path, record):
    """A results file of 5,000 rows adds less than half of the processor time of the batch."""
    lab = paylab.connect(simulator=Simulator())
    [account] = lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts
    terms = {**COMMON, "financial_account_id": account.id, "payout_method": "spei"}
    numbers = count()

    def seconds(rows, **options):
        payouts = [{"client_reference_id": f"row-{next(numbers)}"} for _ in range(rows)]
        began = process_time()
        lab.transfers.create_many(payouts, source_amount="10", lookback=None, **options, **terms)
        return process_time() - began

    seconds(50, to=tmp_path / "results.csv")
    plain = seconds(MANY)
    written = seconds(MANY, to=tmp_path / "results.csv")
    print(f"\n{MANY} payouts: {plain:.1f} s, with a results file {written:.1f} s of processor")
    figures = {
        "without a results file": {"seconds": round(plain, 2), "ratio": 1.0},
        "with a results file": {"seconds": round(written, 2), "ratio": round(written / plain, 2)},
    }
    record("A batch of 5,000 payouts", 1, figures, "1.5 x")
    assert written <= 1.5 * plain
