"""Nothing is stored on this machine: no ledger, no folder that an order needs."""

import time
from pathlib import Path

import pandas as pd
import pytest
from order_reports import visible_text
from order_scripts import INVOICE, START, ids
from payments_service import ORDER

import paylab

WRITTEN = (
    START
    + """
lab = paylab.connect()
for _ in range(2):
    print('ID', lab.transfers.create(**ORDER).id)
print('ID', lab.transfers.create(**INVOICE).id)
"""
)


def test_an_order_stores_nothing(service, start, tmp_path):
    """Paying leaves no file in the home folder but locks that are empty."""
    assert ids(start(WRITTEN)) == ["tr_1", "tr_1", "tr_2"]
    left = [path for path in (tmp_path / "first").rglob("*") if path.is_file()]
    assert [path for path in left if path.stat().st_size] == []
    assert [path for path in left if "ledger" in path.name or path.suffix == ".sqlite"] == []


HOMES = {
    "a home that is missing": {"HOME": "/nonexistent/home"},
    "a home that is a file": {"HOME": "/dev/null"},
    "no temporary folder": {"HOME": "/dev/null", "TMPDIR": "/nonexistent/tmp"},
    "no place to write": {
        "HOME": "/proc/self/none",
        "XDG_DATA_HOME": "/proc/self/none",
        "XDG_CACHE_HOME": "/proc/self/none",
        "XDG_CONFIG_HOME": "/proc/self/none",
        "XDG_RUNTIME_DIR": "/proc/self/none",
    },
}


@pytest.mark.parametrize("place", HOMES)
def test_an_order_needs_no_folder(service, start, place):
    """A payment works where nothing can be written."""
    assert ids(start(WRITTEN, **HOMES[place])) == ["tr_1", "tr_1", "tr_2"]
    assert len(service.payments) == 2


FULL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"


def test_an_order_is_paid_on_a_full_disk(service, start):
    """A payment works where no byte can be written to a file."""
    assert ids(start(FULL_DISK + WRITTEN)) == ["tr_1", "tr_1", "tr_2"]
    assert len(service.payments) == 2


COMMAND = """
import sys
from paylab.cli.main import main
sys.exit(main(["payout", "payouts.csv", "--yes", "--to", "results.csv", "--concurrency", "1"]))
"""


def test_a_killed_command_leaves_a_whole_results_file(service, start, tmp_path):
    """The results file of a killed batch tells what had been answered; a second run tells all."""
    folder = tmp_path / "first"
    folder.mkdir()
    payouts = [{**ORDER, "client_reference_id": str(number)} for number in range(8)]
    pd.DataFrame(payouts).to_csv(folder / "payouts.csv", index=False)
    service.delay = 0.15
    killed = start(COMMAND)
    deadline = time.monotonic() + 30
    while len(service.payments) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    service.delay = 0
    made = {row["client_reference_id"]: row["id"] for row in service.payments}
    partial = pd.read_csv(folder / "results.csv", dtype=str).dropna(subset=["id"])
    answered = dict(zip(partial["client_reference_id"], partial["id"], strict=True))
    assert answered.items() <= made.items()
    assert len(answered) >= 2
    second = start(COMMAND)
    second.communicate(timeout=60)
    assert second.returncode == 0
    made = {row["client_reference_id"]: row["id"] for row in service.payments}
    whole = pd.read_csv(folder / "results.csv", dtype=str)
    assert dict(zip(whole["client_reference_id"], whole["id"], strict=True)) == made
    assert len(whole) == len(service.payments) == 8


LEDGERS = ["none", "ledger.sqlite", "~/ledger.sqlite", "/proc/self/none/ledger", ""]


@pytest.mark.parametrize("value", LEDGERS)
def test_a_ledger_that_is_set_is_said_to_be_unused(service, connect, monkeypatch, tmp_path, value):
    """`PAYLAB_LEDGER` gives one warning that nothing is stored, and no file is written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PAYLAB_LEDGER", value)
    with visible_text() as texts:
        lab = connect()
        lab.transfers.create(**ORDER)
        lab.transfers.create(**INVOICE)
    assert texts[0].count("PAYLAB_LEDGER") == (1 if value else 0), texts[0]
    assert list(tmp_path.iterdir()) == []
    assert len(service.payments) == 2


def test_a_ledger_that_exists_is_left_alone(service, connect, monkeypatch, tmp_path):
    """The file of an old ledger is neither read nor changed."""
    ledger = Path(tmp_path / "orders.sqlite")
    ledger.write_bytes(b"anything")
    monkeypatch.setenv("PAYLAB_LEDGER", str(ledger))
    with visible_text():
        connect().transfers.create(**ORDER)
    assert ledger.read_bytes() == b"anything"
    assert [path.name for path in tmp_path.iterdir()] == ["orders.sqlite"]


def test_the_ledger_is_gone(connect):
    """There is no `ledger=` and no `lab.ledger`."""
    with pytest.raises(TypeError):
        connect(ledger="none")
    assert not hasattr(connect(), "ledger")


@pytest.mark.parametrize("folders", [("a", "b")])
def test_two_working_folders_are_one_order(service, connect, monkeypatch, tmp_path, folders):
    """An order is the same in every working folder, also with a relative `PAYLAB_LEDGER`."""
    monkeypatch.setenv("PAYLAB_LEDGER", "ledger.sqlite")
    for folder in folders:
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        with visible_text():
            assert connect().transfers.create(**ORDER).id == "tr_1"
    assert len(service.payments) == 1


READ_ONLY = [
    lambda lab: lab.transfers.create(**ORDER),
    lambda lab: lab.post("/v1/transfers", json=ORDER),
]


@pytest.mark.parametrize("call", READ_ONLY)
def test_a_read_only_lab_pays_nothing(service, connect, call):
    """A lab that only reads sends no order."""
    with pytest.raises(paylab.ReadOnlyError):
        call(connect(read_only=True))
    assert service.payments == []
