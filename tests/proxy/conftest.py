"""Proxies in front of a simulator or of another service in this process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from proxy_front import Front

from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport


@pytest.fixture
def simulator():
    """The service: a simulator on real time."""
    return Simulator(frozen=False)


@pytest.fixture(scope="module")
def fronts():
    """All proxies of a module, which are stopped together, since each takes a moment."""
    started = []
    yield started
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda front: front.stop(), started))


@pytest.fixture
def make_front(fronts):
    """A function that starts a proxy in front of a transport or a simulator."""

    def make(upstream, **options):
        keys = ("key_of_a_test", "secret_of_a_test")
        transport = upstream
        if isinstance(upstream, Simulator):
            keys = upstream.api_key, upstream.secret_key
            transport = SimulatorTransport(upstream.respond)
        front = Front(transport, keys, **options)
        front.proxy.start()
        fronts.append(front)
        return front

    return make


@pytest.fixture
def front(make_front, simulator):
    """A proxy in front of the simulator."""
    return make_front(simulator)
