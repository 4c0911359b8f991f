"""Makes the connection of a session, signed with its keys, and makes it anew in a forked child."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from ..errors.base import ConfigError
from ..processes.forks import renew_after_fork
from ..redaction.redaction import Redaction
from .deadline import Deadline
from .request import OutgoingRequest
from .request_signer import Nonces, Sign, request_signer
from .service_clock import Timing
from .settings import Settings

if TYPE_CHECKING:
    from .exchange import Attempt, Transport, Watcher


class Connection(Protocol):
    """Sends a request once."""

    def send(self, outgoing: OutgoingRequest, number: int = 1) -> Attempt:
        """The attempt, also of a request that failed; `number` counts the attempts of a call."""

    def close(self) -> None:
        """Close the connections."""

    def sign_with(self, sign: Sign) -> Connection:
        """The same connection with another signature."""


class Connector:
    """Makes the connection to a service with the first request; a given transport is shared.

    `place` names the service, and `watchers` are told of each attempt.
    """

    def __init__(  # noqa: PLR0913 - all that a connection is made of
        self,
        settings: Settings,
        timing: Timing,
        nonces: Nonces,
        redaction: Redaction,
        place: Callable[[], str],
        watchers: list[Watcher],
        transport: Transport | None = None,
    ) -> None:
        """Prepare the connection; a transport that is no function is used at once."""
        self._settings = settings
        self._timing = timing
        self._nonces = nonces
        self._redaction = redaction
        self._place = place
        self._watchers = watchers
        self._transport = transport
        self._sign = self._make_signer(settings)
        self.deadline = Deadline(timing.perf)
        # A callable is called with the first request only, because httpx imports much.
        if not callable(transport):
            _ = self.connection  # reading it makes it
        renew_after_fork(self, lambda connector: connector._renew_after_fork())

    def _make_signer(self, settings: Settings) -> Sign:
        """A function that signs requests with these keys; ConfigError if they do not fit."""
        return request_signer(
            settings.api_key,
            settings.secret_key,
            dialect=settings.service.signing,
            clock=self._timing.clock,
            nonces=self._nonces,
        )

    @cached_property
    def connection(self) -> Connection:
        """The connection to the service."""
        from .connection import ServiceConnection, http_client

        return ServiceConnection(
            http=http_client(self._settings, self._transport, self.deadline.cap),
            sign=self._sign,
            settings=self._settings,
            redaction=self._redaction,
            clock=self._timing.clock,
            perf=self._timing.perf,
            cap=self.deadline.cap,
            place=self._place,
            watchers=self._watchers,
        )

    def connect_with(self, setting_key: str, setting_value: str) -> Connection | None:
        """The connection with another setting of the signature; None if the keys do not fit it."""
        service = self._settings.service.with_values({setting_key: setting_value})
        try:
            sign_request = self._make_signer(replace(self._settings, service=service))
        except ConfigError:
            return None
        return self.connection.sign_with(sign_request)

    def _renew_after_fork(self) -> None:
        """Give a forked child its own connections, nonces and random numbers."""
        random_source = self._timing.random
        random_source.seed(f"{os.getpid()} {random_source.getrandbits(64)}")
        self._nonces.reseed(random_source)
        vars(self).pop("connection", None)

    def close(self) -> None:
        """Close the connections."""
        self.connection.close()
