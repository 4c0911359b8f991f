"""A process that is killed at any point of a transfer, and run again: one transfer, always."""

import os
import signal
import subprocess
import sys

import pytest

import paylab
from paylab import example_recipients
from paylab.simulator import Simulator
from paylab.simulator.server import Server

SCRIPT = """
import os, signal, sys
import httpx, paylab
from paylab.lab import Lab
from paylab.client import resolve

POINT = os.environ["POINT"]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class Deadly(httpx.HTTPTransport):
    def handle_request(self, request):
        if POINT == "before sending":
            die()
        response = super().handle_request(request)
        if POINT == "after sending":
            die()
        return response

lab = Lab(resolve(), transport=Deadly())
new = {"new": True} if os.environ.get("NEW") else {}
for _ in range(int(os.environ.get("TIMES", "1"))):
    transfer = lab.transfers.create(
        os.environ["ACCOUNT"], payout_method="spei", source_currency="USD",
        destination_currency="MXN", source_amount="10.00", **new)
    print(transfer.id, transfer.replayed)
if POINT == "after receiving":
    die()
"""


@pytest.fixture
def place(tmp_path):
    """A served simulator with an active recipient, and a ledger of its own."""
    with Server(Simulator(frozen=False, speed=1000)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys, ledger="none")
        account = recipient(lab)
        environment = {
            **os.environ,
            "PAYLAB_BASE_URL": server.base_url,
            "PAYLAB_API_KEY": keys[0],
            "PAYLAB_SECRET_KEY": keys[1],
            "PAYLAB_LEDGER": str(tmp_path / "ledger.sqlite3"),
            "ACCOUNT": account,
        }
        yield server, environment, tmp_path


def recipient(lab):
    """The id of a bank account of an active recipient."""
    person = lab.individuals.create(**example_recipients.recipient("MX"))
    lab.individuals.wait(person.id, every=0.05)
    return lab.financial_accounts.create(person.id, **example_recipients.account("MX")).id


def run(place, point="", **more):
    """Run the script once; its exit status and what it printed."""
    _, environment, folder = place
    script = folder / "pay.py"
    script.write_text(SCRIPT)
    return subprocess.run(
        [sys.executable, str(script)],
        env={**environment, "POINT": point, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def transfers(place):
    """How many the service has."""
    return len(place[0].simulator.world.tables["transfers"])


@pytest.mark.parametrize(
    ("point", "new"),
    [
        ("before sending", ""),
        ("after sending", ""),
        ("after receiving", ""),
        ("before sending", "yes"),
        ("after sending", "yes"),
    ],
)
def test_killed_and_run_again_there_is_one_transfer(place, point, new):
    """Whatever was the last thing the process did."""
    killed = run(place, point, NEW=new)
    assert killed.returncode == -signal.SIGKILL
    again = run(place, NEW=new)
    assert (again.returncode, transfers(place)) == (0, 1), again.stderr


def test_one_body_twice_in_a_loop_is_two_payments(place):
    """And run again, the same two."""
    first, second = run(place, TIMES="2"), run(place, TIMES="2")
    ids = [[line.split()[0] for line in done.stdout.splitlines()] for done in (first, second)]
    assert ids[0] == ids[1]
    assert transfers(place) == len(set(ids[0])) == 2
    assert "True" not in first.stdout
    assert "False" not in second.stdout


def test_new_pays_again(place):
    """That is how one asks for it."""
    run(place)
    run(place, NEW="yes")
    assert transfers(place) == 2


def test_without_a_ledger_every_run_pays(place):
    """`none` does without."""
    run(place, PAYLAB_LEDGER="none")
    run(place, PAYLAB_LEDGER="none")
    assert transfers(place) == 2
