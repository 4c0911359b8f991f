"""Serve an ASGI application from a thread, with limits on connections."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, MutableMapping
from threading import Thread
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .errors.base import ConfigError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

START_SECONDS = 60.0
GRACE_SECONDS = 2
BACKLOG = 2048

CONNECTIONS = 2_000
"""Maximum open connections; uvicorn answers further ones with 503."""

HEAD_SECONDS = 10.0
"""Seconds that a client has to send the request line and headers."""

HEAD_BYTES = 64 * 1024
"""Maximum bytes of request line and headers, which uvicorn does not limit."""


class HTTPConnection(HttpToolsProtocol):
    """A uvicorn connection with time and size limits for the headers of a request."""

    _seen = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self._wait(transport)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the headers are too large."""
        super().data_received(data)
        self._seen += len(data)
        if self._deadline is not None and self._seen > HEAD_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """Start the deadline of the headers."""
        super().on_message_begin()
        self._wait(self.transport)

    def on_headers_complete(self) -> None:
        """Stop the deadline of the headers."""
        self._wait_no_more()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self, transport: Any) -> None:
        self._wait_no_more()
        self._seen, self._deadline = 0, self.loop.call_later(HEAD_SECONDS, transport.abort)

    def _wait_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class ServingThread:
    """An ASGI application on a listening socket, served by uvicorn in a daemon thread."""

    def __init__(
        self,
        app: Any,
        listener: socket.socket,
        name: str,
        connection: type[HTTPConnection] = HTTPConnection,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=connection,
            ws="none",
            lifespan="off",
            access_log=False,
            proxy_headers=False,  # a proxy header could change the address that `abort` needs
            log_config=None,  # uvicorn's own logging writes to stderr, which may block
            log_level="error",
            limit_concurrency=CONNECTIONS,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._listener, self._server = listener, uvicorn.Server(config)
        run = {"target": self._server.run, "kwargs": {"sockets": [listener]}}
        self._thread = Thread(**run, name=name, daemon=True)  # type: ignore[arg-type] # by name

    def start(self) -> None:
        """Start accepting connections; TimeoutError if that takes too long."""
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(0.002)

    def stop(self) -> None:
        """Stop listening."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(GRACE_SECONDS + 3)
        self._listener.close()

    def is_alive(self) -> bool:
        """Whether it is listening."""
        return self._thread.is_alive()

    def abort(self, client: Any) -> None:
        """Abort a client's connection."""
        for connection in list(self._server.server_state.connections):
            if tuple(getattr(connection, "client", None) or ()) == tuple(client):
                connection.transport.abort()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; ConfigError if the port cannot be opened.

    IPPROTO_TCP must be named: without it asyncio leaves TCP_NODELAY off, and every keep-alive
    request then takes 44 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # two sockets can be bound to the same port until one listens
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot listen on {host} port {port}: {reason}") from None
    return listener
