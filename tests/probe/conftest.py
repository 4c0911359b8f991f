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


@pytest.fixture
def ask_simulator():
    """Probe a simulator that follows these values, knowing nothing of them."""

    def ask(values=None, **options):
        simulator = Simulator(transfers=130, service=Service(values or {}))
        with connect(simulator=simulator, service=Service()) as lab:
            return probe(lab.client, **options)

    return ask


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
