"""What the simulator can bear: requests a second on a port, and pages of a large world."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from time import perf_counter

import pytest

from paylab import signing
from paylab.simulator.messages import Request
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import timestamps

LOAD = Path(__file__).with_name("load.py")
REQUESTS, CONNECTIONS = 6_000, 16
PAGE = ("/v1/transfers", "limit=100")
nonces = count()


def signed(simulator, path, query="", host="h"):
    """The headers of a signed GET, by lower-case name."""
    headers, _ = signing.signed_headers(
        simulator.api_key,
        simulator.secret_key,
        "GET",
        host,
        path,
        query,
        date=timestamps.to_text(datetime.now(UTC)),
        nonce=f"n{next(nonces)}",
    )
    return {name.lower(): value for name, value in headers.items()}


def request(simulator, path, query=""):
    """A signed GET as `respond` takes it, its date judged as over HTTP."""
    headers = signed(simulator, path, query)
    return Request("GET", path, query, headers, at=datetime.now(UTC))


def written(server, path):
    """A signed GET as it goes over the wire."""
    headers = signed(server.simulator, path, host=f"{server.host}:{server.port}")
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


@pytest.fixture
def world():
    """A simulator with a few individuals, and the path of one."""
    simulator = Simulator(transfers=100)
    [row_id, *_] = simulator.world.tables["individuals"].rows
    return simulator, f"/v1/individuals/{row_id}"


def served(simulator, path):
    """Requests a second over HTTP, from another process."""
    with Server(simulator) as server:
        requests = b"\x00".join(written(server, path) for _ in range(REQUESTS))
        command = [sys.executable, str(LOAD), server.host, str(server.port), str(CONNECTIONS)]
        ended = subprocess.run(command, input=requests, capture_output=True, check=True)
    rate, bad = ended.stdout.split()
    assert bad == b"0"
    return float(rate)


def inside(simulator, path):
    """Requests a second in this process."""
    requests = [request(simulator, path) for _ in range(REQUESTS)]
    began = perf_counter()
    for each in requests:
        assert simulator.respond(each).status == 200
    return REQUESTS / (perf_counter() - began)


def test_signed_gets_over_http(world):
    """1,500 a second are the goal on two cores; HTTP may cost 15 times the answer itself."""
    over_http, in_process = served(*world), inside(*world)
    print(f"\nsigned GET of one individual: {over_http:,.0f}/s with {CONNECTIONS} connections")
    print(f"in process: {in_process:,.0f}/s, {in_process / over_http:.1f} x")
    assert over_http > in_process / 15


def test_a_page_costs_the_same_in_any_world(compare):
    """100 transfers out of 1,000, or out of 100,000."""
    worlds = {"1,000": Simulator(transfers=1_000), "100,000": Simulator(transfers=100_000)}
    calls = {
        name: lambda simulator=simulator: simulator.respond(request(simulator, *PAGE))
        for name, simulator in worlds.items()
    }
    ratios = compare("a page of 100 transfers", calls, loops=60)
    assert ratios["100,000"] < 1.5


def test_seeding_and_starting(tmp_path):
    """A large world is made, and read from its file, in a few seconds: so many times a small."""
    took = {}
    for name, count_ in (("small", 5_000), ("large", 100_000)):
        path = tmp_path / name
        began = perf_counter()
        Simulator(transfers=count_, data=path).close()
        made = perf_counter()
        Simulator(data=path).close()
        took[name] = (made - began, perf_counter() - made)
        print(f"\n{count_:,} transfers: made {took[name][0]:.2f} s, read {took[name][1]:.2f} s")
    assert all(
        large < small * 40 for large, small in zip(took["large"], took["small"], strict=True)
    )
