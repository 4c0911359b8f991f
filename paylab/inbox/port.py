"""The receiver on a loopback port: uvicorn in a thread."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Collection
from threading import Thread

import uvicorn

from ..errors import ConfigError
from .asgi import App
from .connection import Connection
from .receiver import Receiver

HOST = "127.0.0.1"
START_SECONDS = 10.0
GRACE_SECONDS = 2
BACKLOG = 2048
CONNECTIONS = 2_000
"""Open connections at most; uvicorn answers one more with 503."""


class Port:
    """Listens on this machine alone, on a path that cannot be guessed: events are unsigned."""

    def __init__(
        self, receiver: Receiver, port: int = 0, allowed_hosts: Collection[str] = ()
    ) -> None:
        self._socket = _listen(port)
        self.number: int = self._socket.getsockname()[1]
        self.path = f"/events/{secrets.token_urlsafe(12)}"
        self._app = App(receiver, self.path, allowed_hosts)
        config = uvicorn.Config(
            self._app,
            http=Connection,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,  # uvicorn's own would write to stderr, which nobody may be reading
            log_level="error",
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._server = uvicorn.Server(config)
        self._thread = Thread(
            target=self._server.run,
            kwargs={"sockets": [self._socket]},
            name="paylab-inbox",
            daemon=True,
        )

    @property
    def url(self) -> str:
        """Where events are posted."""
        return f"http://{HOST}:{self.number}{self.path}"

    def start(self) -> Port:
        """Begin to listen; returns once connections are accepted."""
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise ConfigError(f"the inbox could not start on port {self.number}")
            time.sleep(0.002)
        return self

    def stop(self) -> None:
        """Stop listening."""
        self._server.should_exit = True
        self._thread.join(GRACE_SECONDS + 3)
        self._socket.close()
        self._app.close()


def _listen(port: int) -> socket.socket:
    """A listening socket; naming the protocol is what makes asyncio turn TCP_NODELAY on."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(BACKLOG)  # two sockets may be bound to a port that nobody listens on
    except OSError as error:
        listener.close()
        raise ConfigError(f"cannot listen on {HOST} port {port}: {error.strerror}") from None
    return listener
