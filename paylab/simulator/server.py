"""A simulator served over HTTP on a port."""

from __future__ import annotations

import socket
from collections.abc import Iterable

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, SimulatorError
from ..errors.names import with_name_suggestions
from ..runtime import listen
from ..serving import ServingThread
from ..spec.service.value_types import NONE
from .app import SERVER_LIMITS, Protocol, ServerLimits, SimulatorApp
from .messages import PRODUCT
from .simulator import Simulator
from .worlds import HostedWorld, Worlds


@with_name_suggestions
@explain_arguments
class Server:
    """Serves a simulator over HTTP until stopped; a context manager stops it too.

    `keys` are the API key and the secret that requests are signed with, by default the
    simulator's own. `listener` is a socket of `listen`, instead of `host` and `port`. `limits` is
    what it reads at most. The simulator itself stays open when the server stops. `worlds` has
    further ones behind the same port.
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
        limits: ServerLimits = SERVER_LIMITS,
    ) -> None:
        """Bind the port; `start` serves. Port 0 is any free port."""
        self.simulator = simulator
        self._socket = listener or listen(host, port)
        self.host, self.port = self._socket.getsockname()[:2]
        allowed_names = {host.lower(), *(host_name.lower() for host_name in allowed_hosts)}
        first_world = HostedWorld(simulator, keys)
        self.worlds = Worlds(first_world, lambda: self.base_url, limits.worlds)
        self.api_key = first_world.api_key
        self.secret_key = first_world.secret_key
        self.control_token = first_world.control_token
        app = SimulatorApp(
            self.worlds.answer,
            self._cut_connection,
            service=simulator.world.service,
            allowed=allowed_names,
            limits=limits,
        )
        self._serving = ServingThread(
            app,
            listener=self._socket,
            name=PRODUCT,
            connection=Protocol,
            headers_seconds=limits.headers_seconds,
        )

    @property
    def base_url(self) -> str:
        """The URL of the server, with the base path of the service if it has one."""
        url_host = f"[{self.host}]" if ":" in self.host else self.host
        base_path = self.simulator.world.service.signing.base_path
        if base_path == NONE:
            base_path = ""
        return f"http://{url_host}:{self.port}{base_path}"

    def start(self) -> Server:
        """Start to listen. It returns once connections are accepted."""
        try:
            self.worlds.first.start()
            self._serving.start()
        except TimeoutError:
            self.stop()
            raise SimulatorError("the simulator did not start: it took too long") from None
        except ConfigError as error:
            self.stop()
            raise SimulatorError(f"the simulator did not start: {error}") from None
        return self

    def stop(self) -> None:
        """Stop listening. The simulator continues in this process."""
        self._serving.stop()
        self.worlds.close()

    def is_alive(self) -> bool:
        """Whether it is still listening."""
        return self._serving.is_alive()

    def _cut_connection(self, client: object) -> None:
        """Cut a client's connection for a fault."""
        self._serving.abort(client)

    def __enter__(self) -> Server:
        if not self._serving.is_alive():
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
