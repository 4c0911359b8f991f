"""The simulator on a port: uvicorn in a thread, and a second thread that keeps time."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from .. import serving
from ..errors import SimulatorError
from ..serving import GRACE_SECONDS, ServingThread
from ..spec import timestamps
from .http import Protocol, SimulatorApp
from .simulator import Simulator


class Server:
    """Serves one simulator over HTTP until stopped; a context manager stops it too.

    `keys` are the API key and the secret that requests are signed with, by default the
    simulator's own. `listener` is a socket of `listen`, instead of `host` and `port`. The simulator
    itself stays open when the server stops.
    """

    def __init__(  # noqa: PLR0913 - each has a default
        self,
        simulator: Simulator,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        keys: tuple[str, str] | None = None,
        allowed_hosts: Iterable[str] = (),
        listener: socket.socket | None = None,
    ) -> None:
        self.simulator = simulator
        self.api_key, self.secret_key = keys or (simulator.api_key, simulator.secret_key)
        self._socket = listener or listen_on(host, port)
        self.host, self.port = self._socket.getsockname()[:2]
        allowed = {host.lower(), *(name.lower() for name in allowed_hosts)}
        secrets = {self.api_key: self.secret_key}
        app = SimulatorApp(simulator.respond, self._abort, keys=secrets, allowed=allowed)
        self._serving = ServingThread(app, self._socket, "paylab-simulator", Protocol)
        self._ticker = Ticker(simulator)
        self._is_serving = False

    @property
    def base_url(self) -> str:
        """Where it listens."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def start(self) -> Server:
        """Begin to listen; returns once connections are accepted."""
        self.simulator.courier.begin_serving()
        self._is_serving = True
        self._ticker.start()
        try:
            self._serving.start()
        except TimeoutError:
            self.stop()
            raise SimulatorError(f"the simulator did not start on {self.base_url}") from None
        return self

    def stop(self) -> None:
        """Stop listening and keeping time; the simulator goes on as it was before."""
        self._serving.stop()
        if self._ticker.is_alive():
            self._ticker.stop()
        if self._is_serving:
            self._is_serving = False
            self.simulator.courier.end_serving()

    def is_alive(self) -> bool:
        """Whether it still listens."""
        return self._serving.is_alive()

    def _abort(self, client: Any) -> None:
        """Cut a client's connection, as a fault may ask."""
        self._serving.abort(client)

    def __enter__(self) -> Server:
        return self if self._serving.is_alive() else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class Ticker(Thread):
    """Keeps time: wakes when a step or a delivery falls due, or when something changed."""

    def __init__(self, simulator: Simulator) -> None:
        super().__init__(name="paylab-clock", daemon=True)
        self._simulator, self._stopped = simulator, Event()

    def run(self) -> None:
        """Settle, send, sleep, until stopped."""
        changed = self._simulator.changed
        while not self._stopped.is_set():
            changed.clear()
            with suppress(SimulatorError):  # a full disk: whoever asks next is told
                self._simulator.settle()
            self._simulator.courier.start_due()
            changed.wait(self._pause())

    def stop(self) -> None:
        """End at the next wake, which is now."""
        self._stopped.set()
        self._simulator.changed.set()
        self.join(GRACE_SECONDS)

    def _pause(self) -> float | None:
        due = self._simulator.next_due()
        clock = self._simulator.world.clock
        return None if due is None else clock.real_seconds_until(timestamps.from_text(due))


def listen_on(host: str, port: int) -> socket.socket:
    """A listening socket; SimulatorError when the port cannot be had."""
    try:
        return serving.listen(host, port)
    except (OSError, OverflowError) as error:
        raise SimulatorError(f"cannot listen on {host} port {port}: {error}") from None
