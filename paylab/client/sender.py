"""Sends signed requests, with retries where safe."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from random import Random, SystemRandom
from typing import Any, Self, Unpack, cast
from uuid import UUID

import httpx

from .. import forks
from ..errors.api import APIStatusError, NotFoundError
from ..errors.base import MissingOperationError, PaylabError
from ..redaction.redaction import Redaction
from ..spec import paging
from ..spec.service_keys import Value
from ..spec.translation import Translation
from .call import DeferredCall
from .call_log import CallLog
from .connection import ServiceConnection, Watcher, http_client, utcnow
from .deadline import Deadline
from .orders import Fresh, Keeper, look_first
from .parameters import takes
from .request import (
    Exchange,
    Options,
    OutgoingRequest,
    SignatureAuth,
)
from .request_builder import RequestBuilder
from .response import R, Response, enveloped, has_own_envelope
from .retries import Delivered, Retries
from .secrecy import redaction_of
from .service_clock import ServiceClock
from .settings import Settings

log = logging.getLogger("paylab")


class Sender:
    """Sends signed requests; clock, sleep and random source are arguments.

    `calls` holds the latest attempts, oldest first; `keeper` chooses Idempotency-Keys;
    `is_own` is whether the service is known to do what its settings say; `watchers` are called
    after each attempt, `wait_shown` shows how a wait goes, and `place` names the service.
    `service_clock` estimates the time at the service, and `product` is the Server header of its
    latest answer, None before the first.
    """

    def __init__(  # noqa: PLR0913 - each has a default that a lab or a test replaces
        self,
        settings: Settings,
        *,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], datetime] = utcnow,
        sleep: Callable[[float], None] = time.sleep,
        random: Random | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
        perf: Callable[[], float] = time.perf_counter,
        keeper: Keeper | None = None,
        watchers: list[Watcher] | None = None,
        service_clock: ServiceClock | None = None,
        redaction: Redaction | None = None,
        calls: CallLog | None = None,
        place: Callable[[], str] | None = None,
        wait_shown: Callable[[], Any] | None = None,
        is_own: bool = False,
        tries_dialects: bool = True,
    ) -> None:
        options = {"max_retries": max_retries, "timeout": timeout}
        given = {name: value for name, value in options.items() if value is not None}
        self.settings = replace(settings, **given)  # type: ignore[arg-type] # int and float
        self.clock, self.sleep, self.random = clock, sleep, random or SystemRandom()
        self.calls = CallLog(facts=lambda: self.facts) if calls is None else calls
        self._deadline = Deadline(perf)
        self.keeper: Keeper = keeper or Fresh()
        self.place = place or (lambda: self.settings.base_url)
        self.wait_shown = wait_shown or (lambda: nullcontext(lambda _: None))
        self.service, self.is_own = self.settings.service, is_own
        self.refused_deposits: dict[str, APIStatusError] = {}
        self.redaction = redaction or redaction_of(self.settings)
        self.watchers: list[Watcher] = [] if watchers is None else watchers
        self._translation = Translation(self.service)
        self._requests = RequestBuilder(self.settings, self._translation, self.redaction)
        self._dialect: tuple[Any, ...] | None = None if tries_dialects else ()
        self._transport, self._perf = transport, perf
        self._connection = self.connection(self._auth(self.settings))
        tolerance = self.service.signing.tolerance
        self.service_clock = service_clock or ServiceClock(clock, tolerance)
        self.product: str | None = None
        facts = self.settings, self._deadline, self._attempt, clock, sleep, self.random
        self._retries = Retries(*facts)
        forks.register(self, lambda child: child._in_child())

    def _auth(self, settings: Settings) -> SignatureAuth:
        keys = settings.api_key, settings.secret_key
        return SignatureAuth(*keys, settings.service.signing, self.clock, self.random)

    def connection(self, auth: httpx.Auth) -> ServiceConnection:
        """A new connection to the service that signs with `auth`; a given transport is shared."""
        http = http_client(self.settings, self._transport, self._deadline.cap)
        facts = self.settings, self.redaction, self.clock, self._perf, self.watchers
        return ServiceConnection(http, auth, *facts)

    def _in_child(self) -> None:
        """Give a forked child its own connections, nonces and keys."""
        self.random.seed(f"{os.getpid()} {self.random.getrandbits(64)}")
        self._connection = self.connection(self._auth(self.settings))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connection.http.close()

    def new_key(self) -> str:
        """A new Idempotency-Key: a UUID4 in its 36 characters."""
        return str(UUID(int=self.random.getrandbits(128), version=4))

    @takes(Options)
    def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """Send any signed request and return the decoded JSON of its answer.

        >>> len(lab.request("GET", "/v1/transfers", params={"limit": 3})["data"])
        3
        """
        return self.send(method, path, json=json, params=params, **options).body

    def send(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Response:
        """Send a request, with retries where safe, and read its answer or raise an error."""
        return self._send(self._requests.path(method, path, json, params, options))

    def call(
        self,
        operation: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        parts: Mapping[str, str] | None = None,
        any_body: bool = False,
        **options: Unpack[Options],
    ) -> Response:
        """Carry out an operation of the service, with a body in our names.

        `parts` fill the placeholders of its path. If the service cannot read one object alone,
        the list is read; MissingOperationError if it has neither operation.
        """
        try:
            request = self._requests.operation(operation, body, params, parts, options)
        except MissingOperationError:
            listed, get = operation.replace(".get", ".list"), operation.endswith(".get")
            if not get or all(route.operation != listed for route in self.service.routes):
                raise
            return self._in_list(listed.partition(".")[0], (parts or {})["id"], options)
        return self._send(replace(request, any_body=any_body) if any_body else request)

    def pager(  # noqa: PLR0913 - what is listed, and how it is asked for
        self,
        name: str,
        kind: type[R],
        options: Options,
        limit: int | None = None,
        cursor: str | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> paging.Pager[R]:
        """A list that is fetched while you iterate; filters are sent with every cursor."""
        form = self.service.list(name)

        def fetch(at: str | None) -> paging.RawPage:
            params = form.query(limit, at, filters)
            return self.call(f"{name}.list", params=params, **options).page(form)

        named = partial(self._translation.answer, kind.__name__)
        read = partial(self.resource, kind)
        return paging.Pager(fetch, read, cursor, place=self.place, named=named)

    def _in_list(self, name: str, id: str, options: Options) -> Response:  # noqa: A002
        """One object of a list, as a response; NotFoundError if it is not there."""
        form, responses = self.service.list(name), list[Response]()

        def fetch(cursor: str | None) -> paging.RawPage:
            params = form.query(form.max_limit, cursor, None)
            responses.append(self.call(f"{name}.list", params=params, **options))
            return responses[-1].page(form)

        found = next((row for row in paging.Pager(fetch, dict) if row.get("id") == id), None)
        if found is None:
            raise NotFoundError(404, f"the list of {name} has no row with the id {id}")
        return replace(responses[-1], body=found)

    def resource(self, kind: type[R], row: dict[str, Any]) -> R:
        """A row of the service as a resource in our names; `raw` is the row as sent."""
        resource = kind.model_validate(self._translation.answer(kind.__name__, row))
        resource._raw, resource._place = row, self.place
        return resource

    def order(self, name: str) -> paging.Order:
        """The order of a list if it is declared or found, else "unknown"."""
        keys = "lists.order", f"lists.{name}.order"
        is_known = self.is_own or any(map(self.service.declares, keys))
        return cast("paging.Order", self.service.list(name).order) if is_known else "unknown"

    @property
    def declared(self) -> dict[str, Value]:
        """The values of the service that were set or found, by dotted key."""
        own = {"lists.order": self.service.lists.order} if self.is_own else {}
        return {**own, **self.service.given}

    @property
    def facts(self) -> dict[str, Any]:
        """What a replay of calls needs to know of the service: its address and settings."""
        return {"base_url": self.settings.base_url, "service": self.declared}

    def upload(
        self,
        operation: str,
        id: str,  # noqa: A002
        body: Mapping[str, Any],
        **options: Unpack[Options],
    ) -> Response:
        """Send a body that is read in blocks: its content, length, digest and outline."""
        request = self._requests.operation(operation, parts={"id": id}, options=options)
        return self._send(replace(request, **body))

    def fetch(self, path: str) -> bytes:
        """The body of a GET as bytes, without parsing."""
        return self._deliver(self._requests.path("GET", path)).exchange.content

    def fetch_page(
        self, name: str, limit: int, cursor: str | None, filters: Mapping[str, Any] | None = None
    ) -> bytes:
        """A page of a list in the envelope of the spec, with rows as sent."""
        form = self.service.list(name)
        params = form.query(limit, cursor, filters)
        delivered = self._deliver(self._requests.operation(f"{name}.list", params=params))
        if has_own_envelope(delivered.exchange.content, form):
            return delivered.exchange.content
        return enveloped(self._response(delivered).page(form))

    def _send(self, request: OutgoingRequest) -> Response:
        """Send a request, with retries where safe, and read its answer."""
        return self._response(self._deliver(request))

    def _response(self, delivered: Delivered) -> Response:
        facts = self._translation, self.redaction, self.place
        return Response.of(delivered.request, delivered.exchange, delivered.deferred, *facts)

    def _deliver(self, request: OutgoingRequest) -> Delivered:
        """Send a request, with retries where safe; the error of one that failed."""
        delivered = self._retries.send(request, self._found)
        request, exchange, deferred, after_lost = delivered
        if exchange.went_well:
            return delivered
        error = self._failure(delivered)
        error.after_lost = after_lost
        refused = exchange.status == self.service.error_codes.signature
        if refused and not request.url.query and deferred.call.finding is None:
            from .assumption_hints import name_dialect, verified_dialect

            if self._dialect is None:
                self._dialect = ()  # tried only once
                self._dialect = verified_dialect(self.settings, self._verifies)
            name_dialect(error, self._dialect)
        raise error

    def _attempt(self, request: OutgoingRequest, number: int = 1) -> tuple[Exchange, DeferredCall]:
        """Send a request once, and note what its answer says of the service."""
        exchange, deferred = self._connection.send(request, number)
        self.calls.keep(deferred)
        if exchange.status:
            self.product = exchange.headers.get("server", "")
        if not deferred.patient or log.isEnabledFor(logging.DEBUG):
            log.debug("%s", deferred.call)
        self.service_clock.observe(exchange)
        return exchange, deferred

    def _failure(self, failed: Delivered) -> PaylabError:
        from .failures import failure  # only what failed needs it

        call = failed.deferred.call
        return failure(failed.request, failed.exchange, call, self.redaction, self.service)

    def _found(self, lost: Delivered, begun: datetime) -> OutgoingRequest | None:
        """Find the result of a lost attempt; raises the error of the attempt if not found."""
        request = lost.request
        try:
            id_ = request.find(begun + self.service_clock.least_ahead()) if request.find else None
        except PaylabError:
            error = self._failure(lost)
            error.hint = look_first(request.path)
            raise error from None
        if id_ is None:
            return None
        log.warning("the answer to POST %s was lost; the list has %s", request.path, id_)
        return self._requests.reading(request, id_)

    def _verifies(self, key: str, value: str) -> bool:
        """Whether a GET signed in another dialect succeeds."""
        service = self.service.with_values({key: value})
        auth = self._auth(replace(self.settings, service=service))
        try:
            request = self._requests.operation("transfers.list")
        except MissingOperationError:
            return False
        exchange, deferred = replace(self._connection, auth=auth).send(request)
        self.calls.keep(deferred)
        return exchange.went_well
