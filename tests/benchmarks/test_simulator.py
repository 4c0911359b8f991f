"""Benchmarks of the simulator: requests per second, pages of a large list, and seeding."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from statistics import median
from time import process_time

import pytest

from paylab import signing
from paylab.runtime import listen
from paylab.serving import ServingThread
from paylab.simulator.messages import Request
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import timestamps

LOAD = Path(__file__).with_name("load.py")
SEEDING = Path(__file__).with_name("seeding.py")
ROUNDS, REQUESTS, CONNECTIONS = 5, 6_000, 16
MOST = 6.5
"""Maximum processor time as a multiple of the server alone; the goal is 5, measured 4.5 to 6."""
SEEDED = 250_000
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
    """A signed GET for `respond`, with the current time, so that its date is checked."""
    headers = signed(simulator, path, query)
    return Request("GET", path, query, headers, at=datetime.now(UTC))


def written(simulator, host, path):
    """A signed GET as HTTP bytes."""
    headers = signed(simulator, path, host=host)
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


@pytest.fixture
def world():
    """A simulator with a few individuals, and the path of one."""
    simulator = Simulator(transfers=100)
    [row_id, *_] = simulator.world.tables["individuals"].rows
    return simulator, f"/v1/individuals/{row_id}"


def loaded(simulator, path, address):
    """Send a load from another process; return its rate and p99, and our processor time."""
    host = f"{address[0]}:{address[1]}"
    requests = b"\x00".join(written(simulator, host, path) for _ in range(REQUESTS))
    command = [sys.executable, str(LOAD), address[0], str(address[1]), str(CONNECTIONS)]
    worked = process_time()
    ended = subprocess.run(command, input=requests, capture_output=True, check=True)
    worked = process_time() - worked
    rate, slow, bad = map(float, ended.stdout.split())
    assert not bad
    return {"rate": rate, "p99_ms": slow, "us": worked / REQUESTS * 1e6}


def served(simulator, path):
    """Measure the simulator under load."""
    with Server(simulator) as server:
        return loaded(simulator, path, (server.host, server.port))


def floor(simulator, path):
    """Measure the same server with an application that only sends an answer of the same size."""
    body = simulator.respond(request(simulator, path)).body
    length = [(b"content-length", str(len(body)).encode())]

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": length})
        await send({"type": "http.response.body", "body": body})

    listener = listen("127.0.0.1", 0)
    thread = ServingThread(app, listener, "bare")
    thread.start()
    try:
        return loaded(simulator, path, listener.getsockname()[:2])
    finally:
        thread.stop()


def test_signed_gets_over_http(world, record):
    """A signed GET takes less than 6.5 times the processor time of the server alone."""
    ways = {"server alone": floor, "simulator": served}
    rounds = [{name: way(*world) for name, way in ways.items()} for _ in range(ROUNDS)]
    goal, figures = "5 x the processor", {}
    print(f"\nsigned GET, {CONNECTIONS} connections: medians of {ROUNDS} rounds, goal {goal}")
    for name in ways:
        found = {key: median(each[name][key] for each in rounds) for key in rounds[0][name]}
        ratio = median(each[name]["us"] / each["server alone"]["us"] for each in rounds)
        figures[name] = {key: round(value, 1) for key, value in found.items()}
        figures[name]["processor_ratio"] = round(ratio, 2)
        print(
            f"  {name:<14} {found['rate']:8,.0f}/s  p99 {found['p99_ms']:6.1f} ms"
            f"  processor {found['us']:6.0f} us {ratio:6.2f} x"
        )
    record(f"signed GETs over HTTP, {CONNECTIONS} connections", ROUNDS, figures, goal)
    assert figures["simulator"]["processor_ratio"] < MOST


def test_a_page_costs_the_same_in_any_world(compare):
    """A page takes less than 1.25 times as long in a list of 1,000,000 as in one of 1,000."""
    worlds = {f"{size:,}": Simulator(transfers=size) for size in (1_000, 100_000, 1_000_000)}
    calls = {
        name: lambda simulator=simulator: simulator.respond(request(simulator, *PAGE))
        for name, simulator in worlds.items()
    }
    found = compare("a page of 100 from the simulator", calls, loops=100, goal="1.05 x")
    assert max(each["ratio"] for each in found.values()) < 1.25


def test_the_journal_costs_little(compare):
    """A signed GET takes less than 1.1 times as long with the journal as without it."""
    ways, kept = {}, []
    for name in ("without a journal", "with its journal"):
        simulator = Simulator(transfers=100)
        [row_id, *_] = simulator.world.tables["individuals"].rows
        path = f"/v1/individuals/{row_id}"
        ways[name] = lambda simulator=simulator, path=path: simulator.respond(
            request(simulator, path)
        )
        kept.append(simulator)
    kept[0].world.journal.add_request = lambda record, reply: None
    found = compare("a signed GET and its journal", ways, loops=1000, goal="1.05 x")
    assert found["with its journal"]["ratio"] < 1.1


def test_seeding_takes_little_longer_than_reading_lines(record, tmp_path):
    """Seeding in memory takes under 330 MB and under 3 times the time of reading JSON lines."""
    lines = tmp_path / "rows"
    world = [str(tmp_path / "world")]
    ways = {"json.loads": [str(lines)], "memory": [], "file": world, "file, read again": world}
    once("write", str(SEEDED), str(lines))
    rounds = []
    for _ in range(ROUNDS):
        (tmp_path / "world").unlink(missing_ok=True)
        rounds.append({way: once(way, str(SEEDED), *given) for way, given in ways.items()})
    goal, figures = "in memory 2 x the processor, 300 MB", {}
    print(f"\n{SEEDED:,} transfers seeded: medians of {ROUNDS} rounds, goal {goal}")
    for way in ways:
        seconds, cpu, peak = (
            median(each[way][key] for each in rounds) for key in ("seconds", "cpu", "peak")
        )
        ratio = median(each[way]["cpu"] / each["json.loads"]["cpu"] for each in rounds)
        figures[way] = {"seconds": round(seconds, 2), "processor": round(cpu, 2)}
        figures[way] |= {"processor_ratio": round(ratio, 2), "peak_megabytes": round(peak)}
        print(
            f"  {way:<12} {seconds:6.2f} s  processor {cpu:6.2f} s {ratio:6.2f} x  {peak:5.0f} MB"
        )
    record(f"{SEEDED:,} transfers seeded", ROUNDS, figures, goal)
    assert figures["memory"]["peak_megabytes"] < 330
    assert figures["memory"]["processor_ratio"] < 3


def once(way, *given):
    """Run one way of `seeding.py` in a new process and return what it prints."""
    command = [sys.executable, str(SEEDING), way, *given]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout or "null")
