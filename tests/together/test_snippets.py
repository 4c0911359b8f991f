"""Each snippet run as it is printed, against a served simulator."""

import os
import subprocess
import sys

import pytest

import paylab
from paylab import example_recipients
from paylab.simulator import Simulator
from paylab.simulator.server import Server

RUN = {
    "as_curl": lambda code: ["bash", "-c", code],
    "as_python": lambda code: [sys.executable, "-c", code],
    "as_httpx": lambda code: [sys.executable, "-c", code],
}


@pytest.fixture(scope="module")
def server():
    """A simulator on a port, on real time."""
    with Server(Simulator(frozen=False, transfers=5)) as server:
        yield server


@pytest.fixture
def lab(server):
    """A lab on it."""
    keys = server.simulator.api_key, server.simulator.secret_key
    return paylab.connect(server.base_url, *keys, ledger="none")


def run(lab, name, code):
    """What the code prints, with the keys in its environment and nowhere else."""
    keys = lab.settings.api_key.reveal(), lab.settings.secret_key.reveal()
    assert not any(key in code for key in keys)
    names = dict(zip(("PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"), keys, strict=True))
    done = subprocess.run(
        RUN[name](code), env={**os.environ, **names}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("name", RUN)
def test_a_get_with_a_query(lab, name):
    """Signed afresh, and answered."""
    lab.request("GET", "/v1/transfers", params={"limit": 2})
    assert '"has_next_page"' in run(lab, name, getattr(lab.calls[-1], name)())


@pytest.mark.parametrize("name", RUN)
def test_a_post_with_a_body(lab, name):
    """The very bytes, quotes and accents included."""
    fields = example_recipients.recipient("MX") | {"given_name": "Ana 'O' \"María\""}
    lab.individuals.create(**fields)
    assert '"ind_' in run(lab, name, getattr(lab.calls[-1], name)())
