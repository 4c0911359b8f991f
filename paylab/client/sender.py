"""Sends signed requests, with retries where safe."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from itertools import count
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, Self, Unpack

from ..errors.api import NotFoundError
from ..errors.base import ChoiceError, ConfigError, MissingOperationError, PaylabError
from ..forks import renew_after_fork
from ..logs import log
from ..redaction.redaction import Redaction
from ..spec import paging
from ..spec.service.lists import Order
from ..spec.translation import Translation
from .call_log import CallLog
from .deadline import SLOWEST, TIMES, Deadline
from .fresh_ids import FreshIds
from .parameters import check_identifier, takes
from .request import Options, OutgoingRequest, Sign, StreamedBody, request_signer
from .request_builder import RequestBuilder, new_idempotency_key
from .response import R, Response, enveloped, has_own_envelope, resource_of
from .retries import NOT_FOUND, is_lost, wait_before_retry
from .secrecy import redaction_of
from .service_clock import ServiceClock, utcnow
from .settings import Settings

if TYPE_CHECKING:
    from .connection import ServiceConnection, Transport, Watcher
    from .exchange import Attempt, Exchange


class Sender:
    """Sends signed requests; clock, sleep and random source are arguments.

    `calls` holds the latest attempts, oldest first; `is_own` is whether the service is known to do
    what its settings say; `watchers` are called after each attempt, `wait_shown` shows how a wait
    goes, and `place` names the service.
    `service_clock` estimates the time at the service, and `product` is the Server header of its
    latest answer, None before the first.
    """

    def __init__(  # noqa: PLR0913 - each has a default that a lab or a test replaces
        self,
        settings: Settings,
        *,
        transport: Transport | None = None,
        clock: Callable[[], datetime] = utcnow,
        sleep: Callable[[float], None] = time.sleep,
        random: Random | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
        perf: Callable[[], float] = time.perf_counter,
        watchers: list[Watcher] | None = None,
        service_clock: ServiceClock | None = None,
        redaction: Redaction | None = None,
        calls: CallLog | None = None,
        place: Callable[[], str] | None = None,
        wait_shown: Callable[[], Any] | None = None,
        is_own: bool = False,
        tries_dialects: bool = True,
        fresh_ids: FreshIds | None = None,
    ) -> None:
        options = {"max_retries": max_retries, "timeout": timeout}
        given = {name: value for name, value in options.items() if value is not None}
        self.settings = replace(settings, **given)  # type: ignore[arg-type] # int and float
        self.clock, self.sleep, self.random = clock, sleep, random or SystemRandom()
        self.calls = CallLog(facts=lambda: self.facts) if calls is None else calls
        self._deadline = Deadline(perf)
        self.place = place or (lambda: self.settings.base_url)
        self.fresh_ids = fresh_ids or FreshIds()
        self.wait_shown = wait_shown or (lambda: nullcontext(lambda _: None))
        self.service, self.is_own = self.settings.service, is_own
        self.redaction = redaction or redaction_of(self.settings)
        self.watchers: list[Watcher] = [] if watchers is None else watchers
        self._translation = Translation(self.service)
        self.requests = RequestBuilder(self.settings, self._translation, self.redaction)
        self._dialect: tuple[Any, ...] | None = None if tries_dialects else ()
        self._transport, self._perf = transport, perf
        self._sign = self._signer(self.settings)
        if not callable(transport):  # else with the first request, because httpx imports much
            _ = self._connection
        tolerance = self.service.signing.tolerance
        self.service_clock = service_clock or ServiceClock(clock, tolerance)
        self.product: str | None = None
        renew_after_fork(self, lambda child: child._in_child())

    def _signer(self, settings: Settings) -> Sign:
        keys = settings.api_key, settings.secret_key
        return request_signer(*keys, settings.service.signing, self.clock, self.random)

    @cached_property
    def _connection(self) -> ServiceConnection:
        """The connection to the service; a given transport is shared."""
        from .connection import ServiceConnection, http_client

        http = http_client(self.settings, self._transport, self._deadline.cap)
        facts = self.settings, self.redaction, self.clock, self._perf, self.place, self.watchers
        return ServiceConnection(http, self._sign, *facts)

    def _in_child(self) -> None:
        """Give a forked child its own connections, nonces and keys."""
        self.random.seed(f"{os.getpid()} {self.random.getrandbits(64)}")
        self._sign = self._signer(self.settings)
        vars(self).pop("_connection", None)

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
        return new_idempotency_key(self.random)

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
        return self.deliver(self.requests.path(method, path, json, params, options))

    def call(
        self,
        operation: str,
        body: dict[str, Any] | StreamedBody | None = None,
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
            request = self.requests.operation(operation, body, params, parts, options)
        except MissingOperationError:
            listed, get = operation.replace(".get", ".list"), operation.endswith(".get")
            if not get or all(route.operation != listed for route in self.service.routes):
                raise
            return self.in_list(listed.partition(".")[0], (parts or {})["id"], options)
        return self.deliver(replace(request, any_body=any_body) if any_body else request)

    def read(self, operation: str, id: object, kind: type[R], options: Options) -> R:
        """An object of the service by its id, or by an object that has one."""
        parts = {"id": check_identifier(id)}
        return self.call(operation, parts=parts, **options).read(kind)

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

        def read(row: dict[str, Any]) -> R:
            return resource_of(kind, row, self._translation, self.place)

        return paging.Pager(fetch, read, cursor, place=self.place, named=named)

    def in_list(self, name: str, id: str, options: Options) -> Response:
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

    def order(self, name: str) -> Order:
        """The order of a list if it is declared or found, else "unknown"."""
        return self.service.list(name).order if self.is_own else self.service.declared_order(name)

    @property
    def facts(self) -> dict[str, Any]:
        """What a replay of calls needs to know of the service: its address and settings."""
        own = {"lists.order": self.service.lists.order} if self.is_own else {}
        return {"base_url": self.settings.base_url, "service": {**own, **self.service.declared}}

    def fetch_page(
        self, name: str, limit: int, cursor: str | None, filters: Mapping[str, Any] | None = None
    ) -> bytes:
        """A page of a list in the envelope of the spec, with rows as sent."""
        form = self.service.list(name)
        params = form.query(limit, cursor, filters)
        attempt = self._delivered(self.requests.operation(f"{name}.list", params=params))
        if has_own_envelope(attempt.exchange.content, form):
            return attempt.exchange.content
        return enveloped(self._response(attempt).page(form))

    def deliver(self, request: OutgoingRequest) -> Response:
        """Send a request, with retries where safe, and read its answer."""
        response = self._response(self._delivered(self.requests.keyed(request, self.new_key)))
        self.fresh_ids.note(request, response.body, self.clock())
        return response

    def _response(self, attempt: Attempt) -> Response:
        return Response.of(attempt, self._translation, self.redaction, self.place)

    def _delivered(self, request: OutgoingRequest) -> Attempt:
        """Send a request, with retries where safe; the error of one that failed."""
        content = request.content
        length = 0 if isinstance(content, bytes | None) else content.length
        seconds = TIMES * (request.timeout or self.settings.timeout) + length / SLOWEST
        with self._deadline.within(seconds):
            attempt = self._repeated(request)
        exchange = attempt.exchange
        if exchange.went_well:
            return attempt
        from .failures import failure  # only what failed needs it

        error = failure(exchange, attempt.call, self.redaction, self.service)
        error.after_lost = attempt.after_lost
        refused = exchange.status == self.service.error_codes.signature
        if refused and not exchange.request.url.query and attempt.call.finding is None:
            from .dialects import is_explained, name_dialect, verified_dialect

            if not is_explained(error):
                if self._dialect is None:
                    self._dialect = ()  # tried only once
                    self._dialect = verified_dialect(self.service, self._verifies)
                name_dialect(error, self._dialect)
        raise error

    def _repeated(self, request: OutgoingRequest) -> Attempt:
        """The last attempt of a request, or of the GET of what a lost attempt made."""
        begun, after_lost = self.clock() if request.find else None, False
        for number in count(1):
            attempt = self._attempt(request, number)._replace(after_lost=after_lost)
            if attempt.exchange.went_well:
                break
            lost = is_lost(attempt.exchange)
            wait = self._wait(attempt.exchange)
            if wait is None:
                break
            after_lost = after_lost or lost
            log.debug("trying again in %.2f s", wait)
            self._deadline.extend(wait)
            self.sleep(wait)
            found = self._found(attempt, begun) if begun and lost else None
            if found is not None:
                return self._delivered(found)
        return attempt

    def _wait(self, exchange: Exchange) -> float | None:
        """Seconds to wait before the next attempt; None when there must be none."""
        if not self.settings.max_retries or self._deadline.has_passed:
            return None
        if exchange.status == NOT_FOUND:
            return self.fresh_ids.pause(exchange, self.clock())
        limits, most = self.service.rate_limits, self.settings.max_retries
        return wait_before_retry(exchange, limits, self.clock(), self.random, most)

    def _attempt(self, request: OutgoingRequest, number: int = 1) -> Attempt:
        """Send a request once, and note what its answer says of the service."""
        attempt = self._connection.send(request, number)
        exchange, deferred = attempt.exchange, attempt.deferred
        self.calls.keep(deferred)
        if exchange.status:
            self.product = exchange.headers.get("server", "")
        if not deferred.patient or log.isEnabledFor(logging.DEBUG):
            log.debug("%s", deferred.call)
        self.service_clock.observe(exchange.status or None, exchange.skew)
        return attempt

    def _found(self, lost: Attempt, begun: datetime) -> OutgoingRequest | None:
        """Find the result of a lost attempt; raises the error of the attempt if not found."""
        request = lost.exchange.request
        try:
            since = begun + self.service_clock.least_ahead()
            id_ = request.find(lost.exchange.status, since) if request.find else None
        except ChoiceError:
            raise
        except PaylabError:
            from .failures import failure

            raise failure(lost.exchange, lost.call, self.redaction, self.service) from None
        if id_ is None:
            return None
        log.warning("the answer to POST %s was lost; the list has %s", request.path, id_)
        return self.requests.reading(request, id_)

    def _verifies(self, key: str, value: str) -> bool:
        """Whether a GET signed in another dialect succeeds."""
        service = self.service.with_values({key: value})
        try:
            sign = self._signer(replace(self.settings, service=service))
            request = self.requests.operation("transfers.list")
        except ConfigError:  # the secret cannot sign so, or there is no such list
            return False
        attempt = replace(self._connection, sign=sign).send(request)
        self.calls.keep(attempt.deferred)
        return attempt.exchange.went_well
