"""Walks through a simulator and through the independent service, in process."""

import time
from datetime import UTC, datetime

import httpx
import pytest
from independent_service import Service as Independent

from paylab.client import Client
from paylab.client.call_log import CallLog
from paylab.client.settings import Settings
from paylab.lab.lab import connect
from paylab.probe.probe import probe_service
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service


@pytest.fixture
def walk_simulator():
    """A function that walks through a simulator which follows these values."""

    def walk(values=None, **options):
        simulator = Simulator(transfers=130, service=Service(values or {}))
        with connect(simulator=simulator, service=Service()) as lab:
            lab.individuals.list().first()  # is no call of the walk
            return probe_service(lab.client, **options)

    return walk


@pytest.fixture
def walk_independent():
    """A function that walks through the independent service, on a simulated clock.

    `service` are the settings at the start.
    """

    def walk(*deviations, service=None, write=True, **options):
        now = [time.time()]
        there = Independent(deviations, clock=lambda: now[0])
        there.seed_transfers(30)

        def wait(seconds):
            now[0] += seconds
            there.advance()
            there.outbox.wait()

        def answer(request):
            target, pairs = request.url.raw_path.decode(), request.headers.multi_items()
            status, headers, body = there.handle(request.method, target, pairs, request.read())
            return httpx.Response(status, headers=headers, content=body)

        started = {"service": service} if service else {}
        settings = Settings("http://127.0.0.1", there.api_key, there.secret_key, **started)
        parts = {"clock": lambda: datetime.fromtimestamp(now[0], UTC), "sleep": wait}
        parts["calls"] = CallLog(most=10)  # a walk keeps all of its calls
        with Client(settings, transport=httpx.MockTransport(answer), **parts) as client:
            return probe_service(client, write=write, **options)

    return walk
