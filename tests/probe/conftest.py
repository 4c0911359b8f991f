"""Probes of a simulator and of the independent service, in process."""

import json
import time
from datetime import UTC, datetime

import httpx
import pytest
from independent_service import Service as Independent

from paylab.client import Client
from paylab.client.settings import Settings
from paylab.lab.lab import Lab, connect
from paylab.lab.parts import embedded_parts
from paylab.probe.probe import probe
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service


def probed(values=None, prepare=None, **options):
    """Probe a simulator that follows these values, starting from the default assumptions."""
    simulator = Simulator(transfers=130, service=Service(values or {}))
    if prepare:
        with connect(simulator=simulator) as lab:
            prepare(lab, simulator)
    parts = embedded_parts(simulator, {"service": (Service(), "argument")}, {})
    with Lab(**parts, sleep=simulator.advance) as lab:
        return probe(lab.client, **options)


@pytest.fixture
def ask_simulator():
    """The function that probes a simulator with given values."""
    return probed


@pytest.fixture
def ask_independent():
    """A function that probes the independent service with deviations, on a simulated clock.

    A request with `broken` in its target is answered 500; `listed` are the ids of its transfers.
    """

    def ask(*deviations, broken=None, listed=(), **options):
        now = [time.time()]
        service = Independent(deviations, clock=lambda: now[0])
        service.seed_transfers(30)

        def wait(seconds):
            now[0] += seconds
            service.advance()
            service.outbox.wait()

        def answer(request):
            target, pairs = request.url.raw_path.decode(), request.headers.multi_items()
            if broken and broken in target:
                return httpx.Response(500, json={"error": "internal error"})
            status, headers, body = service.handle(request.method, target, pairs, request.read())
            if listed and target == "/v1/transfers" and request.method == "GET" and status == 200:
                body = json.dumps({"transfers": [{"id": each} for each in listed]}).encode()
            return httpx.Response(status, headers=headers, content=body)

        settings = Settings("http://127.0.0.1", service.api_key, service.secret_key)
        clock = {"clock": lambda: datetime.fromtimestamp(now[0], UTC), "sleep": wait}
        with Client(settings, transport=httpx.MockTransport(answer), **clock) as client:
            return probe(client, **options)

    return ask
