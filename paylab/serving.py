"""Serve an ASGI application from a thread, with limits on connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .runtime import start_thread

if TYPE_CHECKING:
    from socket import socket

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

START_SECONDS = 60.0
GRACE_SECONDS = 2
END_SECONDS = 3
"""How long open requests may take at the end, and how long the thread then has to end."""

CONNECTIONS_MAX = 2_000
"""Maximum open connections; uvicorn answers further ones with 503."""

HEADERS_SECONDS = 10.0
"""Seconds that a client usually has to send the request line and headers."""

HEADERS_BYTES_MAX = 64 * 1024
"""Maximum bytes of request line and headers, which uvicorn does not limit."""


class ServingConfig(uvicorn.Config):
    """The configuration of a server, with the open connections by the address of their client.

    uvicorn passes it to each connection, which has no other way to the server.
    """

    def __init__(self, app: Any, headers_seconds: float, **options: Any) -> None:
        super().__init__(app, **options)
        self.headers_seconds = headers_seconds
        self.transports: dict[tuple[Any, ...], asyncio.Transport] = {}


class HTTPConnection(HttpToolsProtocol):
    """A uvicorn connection with time and size limits for the headers of a request."""

    _bytes_received = 0
    _client: tuple[Any, ...] = ()
    _deadline: asyncio.TimerHandle | None = None

    def __init__(self, config: ServingConfig, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        self._config = config

    def connection_made(self, transport: Any) -> None:
        """Record the connection, which `abort` needs, and start the deadline of its headers."""
        super().connection_made(transport)
        self._client = tuple(transport.get_extra_info("peername") or ())
        self._config.transports[self._client] = transport
        self._start_deadline(transport)

    def data_received(self, data: bytes) -> None:
        """Read on; abort the connection when its headers are too large."""
        super().data_received(data)
        self._bytes_received += len(data)
        if self._deadline is not None and self._bytes_received > HEADERS_BYTES_MAX:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """Start the deadline of the headers."""
        super().on_message_begin()
        self._start_deadline(self.transport)

    def on_headers_complete(self) -> None:
        """Stop the deadline of the headers."""
        self._stop_deadline()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and stop the deadline."""
        self._config.transports.pop(self._client, None)
        self._stop_deadline()
        super().connection_lost(exc)

    def _start_deadline(self, transport: asyncio.Transport) -> None:
        """Abort the connection unless the headers of a request are complete in time."""
        self._stop_deadline()
        self._deadline = self.loop.call_later(self._config.headers_seconds, transport.abort)
        self._bytes_received = 0

    def _stop_deadline(self) -> None:
        """Cancel the deadline, if one runs."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class ServingThread:
    """An ASGI application on a listening socket, served by uvicorn in a daemon thread.

    A client has `headers_seconds` to send the request line and headers.
    """

    def __init__(
        self,
        app: object,
        listener: socket,
        name: str,
        connection: type[HTTPConnection] = HTTPConnection,
        *,
        headers_seconds: float = HEADERS_SECONDS,
    ) -> None:
        """Configure uvicorn; nothing is served before `start`."""
        self._config = ServingConfig(
            app,
            headers_seconds,
            http=connection,
            ws="none",
            lifespan="off",
            access_log=False,
            proxy_headers=False,  # a proxy header could change the address that `abort` needs
            log_config=None,  # uvicorn's own logging writes to stderr, which may block
            log_level="error",
            limit_concurrency=CONNECTIONS_MAX,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._listener = listener
        self._server = uvicorn.Server(self._config)
        self._name = name
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start accepting connections. TimeoutError if that takes too long."""
        run_server = partial(self._server.run, sockets=[self._listener])
        self._thread = start_thread(run_server, self._name)
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self.is_alive() or time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(0.002)

    def stop(self) -> None:
        """Stop listening."""
        self._server.should_exit = True
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(GRACE_SECONDS + END_SECONDS)
        self._listener.close()

    def is_alive(self) -> bool:
        """Whether it is listening."""
        return self._thread is not None and self._thread.is_alive()

    def abort(self, client_address: Any) -> None:
        """Abort the connection of the client with this address and port."""
        transport = self._config.transports.get(tuple(client_address))
        if transport is not None:
            transport.abort()
