"""After kill -9 at any moment, everything that a 2xx acknowledged is still there."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import threading
import time
import uuid
from types import SimpleNamespace

import httpx
import pytest

from paylab.simulator import Simulator

SERVE = """
import sys, time
from paylab.simulator import Simulator
from paylab.simulator.server import Server
simulator = Simulator(data=sys.argv[1], frozen=False, speed=10)
with Server(simulator) as server:
    print(server.base_url, simulator.api_key, simulator.secret_key, flush=True)
    while True:
        time.sleep(1)
"""
ROUNDS = 2


class Victim:
    """A simulator in another process, which the test kills."""

    def __init__(self, path, speak):
        command = [sys.executable, "-c", SERVE, str(path)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.base_url, self.api_key, self.secret_key = self.process.stdout.readline().split()
        self.client = httpx.Client(timeout=10, trust_env=False, verify=False)
        self.service = speak(self, self.client)

    def kill(self):
        """Kill the process with SIGKILL."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def start(tmp_path, over_http):
    """A function that starts a process; all processes use the same file."""
    victims = []

    def speak(victim, client):
        host, _, port = victim.base_url.removeprefix("http://").partition(":")
        server = SimpleNamespace(host=host, port=port, base_url=victim.base_url, simulator=victim)
        return over_http(server, client)

    def started():
        victims.append(Victim(tmp_path / "world.db", speak))
        return victims[-1]

    yield started
    for victim in victims:
        victim.kill()


def post_until_killed(service, account, kept):
    """Post transfers with idempotency keys, and record the answers, until the server dies."""
    for number in itertools.count():
        body = {
            "financial_account": {"id": account["id"]},
            "source_currency": "usd",
            "destination_currency": "mxn",
            "payout_method": "spei",
            "source_amount": f"{number + 1}.50",
            "client_reference_id": f"r-{number}",
        }
        key = str(uuid.uuid4())
        try:
            answer = service.post("/v1/transfers", body, idempotency_key=key)
        except httpx.HTTPError:
            kept.append((key, body, None))
            return
        assert answer.status == 201
        kept.append((key, body, answer.body))


def total(service):
    """The ids of all transfers, from every page."""
    ids, cursor = [], ""
    while cursor is not None:
        page = service.get(f"/v1/transfers?limit=100{cursor and f'&cursor={cursor}'}").json
        ids += [row["id"] for row in page["data"]]
        cursor = page["cursor"]
    return ids


def check(service, kept):
    """Every acknowledged transfer exists and is replayed; a lost one can be sent again."""
    for key, body, answer in kept[-40:]:
        again = service.post("/v1/transfers", body, idempotency_key=key)
        assert again.status == 201
        assert answer is None or again.body == answer
        assert answer is None or again.headers["idempotency-replayed"] == "true"
    ids = total(service)
    acknowledged = [json.loads(answer)["id"] for _, _, answer in kept if answer]
    assert len(ids) == len(set(ids)) == len(kept)
    assert set(acknowledged) <= set(ids)


def test_no_acknowledged_transfer_is_lost_by_kills(start):
    """After each kill no acknowledged transfer is lost or doubled, and the time goes on."""
    draw, kept, last = random.Random(7), [], ""
    victim = start()
    account = victim.service.made("/v1/financial_accounts", payee(victim.service))
    for _ in range(ROUNDS):
        posting = threading.Thread(target=post_until_killed, args=(victim.service, account, kept))
        posting.start()
        enough = len(kept) + draw.randint(6, 30)
        while len(kept) < enough and posting.is_alive():
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.02))  # at any moment of a request
        victim.kill()
        posting.join()
        victim = start()
        check(victim.service, kept)
        now = victim.service.get("/_simulator")["clock"]["now"]
        assert now > last
        last = now
    assert len(kept) > 5 * ROUNDS


def payee(service):
    """Create an individual, and return the body of a financial account for it."""
    owner = service.person()
    details = {"clabe": "002010077777777771"}
    return {"individual_id": owner["id"], "type": "bank_account", "details": details}


def test_a_second_process_on_the_same_file_ends_with_an_error_message(tmp_path):
    """A second process on the same file ends with an error message."""
    first = Simulator(data=tmp_path / "world.db")
    command = [sys.executable, "-c", SERVE, str(tmp_path / "world.db")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert ended.returncode != 0
    assert "another simulator is using it" in ended.stderr.splitlines()[-1]
    first.close()
