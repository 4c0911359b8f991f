"""Batches that are killed from outside (SIGKILL) at any point, and run again."""

import csv
import multiprocessing
import sys
import time
from collections import Counter
from random import Random

import pandas as pd
import pytest
from payments_service import ORDER

ROWS = 12
MADE = {"created", "replayed", "already paid"}
POINTS = [
    pytest.param(point, marks=[] if point < 3 else pytest.mark.whole_table) for point in range(60)
]


@pytest.fixture
def folder(tmp_path):
    """The folder of the command, with a file of payouts."""
    payouts = [{**ORDER, "client_reference_id": f"payout-{number}"} for number in range(ROWS)]
    pd.DataFrame(payouts).to_csv(tmp_path / "payouts.csv", index=False)
    return tmp_path


@pytest.fixture
def start_payout(command, folder):
    """A function that starts the command in a process of its own."""
    words = ["payout", str(folder / "payouts.csv"), "--yes", "--to", str(folder / "results.csv")]

    def pay():
        sys.exit(command(*words)[0])

    def start():
        process = multiprocessing.get_context("fork").Process(target=pay)
        process.start()
        return process

    return start


def results(folder):
    """The rows of the results file, which has one for each payout."""
    with (folder / "results.csv").open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["client_reference_id"] for row in rows] == [f"payout-{n}" for n in range(ROWS)]
    assert all(None not in row and None not in row.values() for row in rows), "a half row"
    return rows


@pytest.mark.parametrize("point", POINTS)
def test_a_batch_killed_at_a_random_point_pays_once(service, start_payout, folder, point):
    """Each payout is paid once; the results are whole after the kill and after the second run."""
    random = Random(point)
    requests = random.randrange(ROWS + 2)  # of the list, and one for each row
    service.delay = 0.02
    killed = start_payout()
    while killed.is_alive() and len(service.requests) < requests:
        time.sleep(0.001)
    time.sleep(random.random() * (0.05 if requests else 0.2))
    killed.kill()
    killed.join()
    made = {row["client_reference_id"]: row["id"] for row in service.payments}
    if (folder / "results.csv").exists():
        answered = {row["client_reference_id"]: row["id"] for row in results(folder) if row["id"]}
        assert answered.items() <= made.items()
    whole = start_payout()
    whole.join(60)
    assert whole.exitcode == 0
    assert Counter(row["client_reference_id"] for row in service.payments) == {
        f"payout-{number}": 1 for number in range(ROWS)
    }
    assert {row["outcome"] for row in results(folder)} <= MADE
    assert {row["id"] for row in results(folder)} == {row["id"] for row in service.payments}
