"""A probe of a simulator and of the independent service, in process."""

import httpx
import pytest
from independent_service import Service as Independent

from paylab.client.api import Client
from paylab.client.settings import Settings
from paylab.lab.connection import connect
from paylab.probe.probe import probe
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service


def probed(values=None, prepare=None, **options):
    """Probe a simulator that follows these values, knowing nothing of them."""
    simulator = Simulator(transfers=130, service=Service(values or {}))
    if prepare:
        with connect(simulator=simulator) as lab:
            prepare(lab, simulator)
    with connect(simulator=simulator, service=Service()) as lab:
        lab.client.sleep = simulator.advance
        return probe(lab.client, **options)


@pytest.fixture
def ask_simulator():
    """Probe a simulator that follows these values."""
    return probed


def pytest_collection_modifyitems(config, items):
    """The whole table runs when its mark is asked for: `-m whole_table`."""
    if "whole_table" in (config.option.markexpr or ""):
        return
    left = [item for item in items if item.get_closest_marker("whole_table")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


@pytest.fixture
def ask_independent():
    """Probe the independent service with these deviations."""

    def ask(*deviations, **options):
        service = Independent(deviations)
        service.seed_transfers(30)

        def answer(request):
            target, pairs = request.url.raw_path.decode(), request.headers.multi_items()
            status, headers, body = service.handle(request.method, target, pairs, request.read())
            return httpx.Response(status, headers=headers, content=body)

        settings = Settings("http://127.0.0.1", service.api_key, service.secret_key)
        with Client(settings, transport=httpx.MockTransport(answer)) as client:
            return probe(client, **options)

    return ask
