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
        os.environ["ACCOUNT"], payout_method="bank_transfer", source_currency="USD",
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
    person = lab.individuals.create(
        product_types=["global_payouts"],
        given_name="Ana",
        family_name="López",
        country="MX",
        address={"country": "MX"},
    )
    lab.individuals.wait(person.id, every=0.05)
    details = {"clabe": "002010077777777771"}
    return lab.financial_accounts.create(person.id, *KIND(details)).id


def run(place, point="", **more):
    """Run the script once; its exit status and what it printed."""
    server, environment, folder = place
    script = folder / "pay.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**environment, "POINT": point, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    return done


def transfers(place):
    """How many the service has."""
    return len(place[0].simulator.world.tables["transfers"])
