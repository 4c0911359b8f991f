"""Batches that are killed from outside (SIGKILL) at any point, and run again."""

import csv
import time
from collections import Counter
from random import Random

import pandas as pd
import pytest
from payments_service import ORDER

ROWS = 12
COMMAND = """
import sys
from paylab.cli.main import main
sys.exit(main(["payout", "payouts.csv", "--yes", "--to", "results.csv"]))
"""
MADE = {"created", "replayed", "already paid"}
POINTS = [
    pytest.param(point, marks=[] if point < 3 else pytest.mark.whole_table) for point in range(60)
]


@pytest.fixture
def folder(tmp_path):
    """The folder of the command, with a file of payouts."""
    folder = tmp_path / "first"
    folder.mkdir()
    payouts = [{**ORDER, "client_reference_id": f"payout-{number}"} for number in range(ROWS)]
    pd.DataFrame(payouts).to_csv(folder / "payouts.csv", index=False)
    return folder


def results(folder):
    """The rows of the results file, which has one for each payout."""
    with (folder / "results.csv").open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["client_reference_id"] for row in rows] == [f"payout-{n}" for n in range(ROWS)]
    assert all(None not in row and None not in row.values() for row in rows), "a half row"
    return rows


@pytest.mark.parametrize("point", POINTS)
def test_a_batch_killed_at_a_random_point_pays_once(service, start, folder, point):
    """Each payout is paid once; the results are whole after the kill and after the second run."""
    random = Random(point)
    requests = random.randrange(ROWS + 2)  # of the list, and one for each row
    service.delay = 0.02
    process = start(COMMAND)
    while process.poll() is None and len(service.requests) < requests:
        time.sleep(0.001)
    time.sleep(random.random() * (0.05 if requests else 1))
    process.kill()
    process.communicate()
    made = {row["client_reference_id"]: row["id"] for row in service.payments}
    if (folder / "results.csv").exists():
        answered = {row["client_reference_id"]: row["id"] for row in results(folder) if row["id"]}
        assert answered.items() <= made.items()
    assert start(COMMAND).wait(timeout=60) == 0
    assert Counter(row["client_reference_id"] for row in service.payments) == {
        f"payout-{number}": 1 for number in range(ROWS)
    }
    assert {row["outcome"] for row in results(folder)} <= MADE
    assert {row["id"] for row in results(folder)} == {row["id"] for row in service.payments}
