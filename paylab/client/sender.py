"""Sends signed requests: retries where safe, and an Idempotency-Key for each order."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from random import Random, SystemRandom
from typing import Any, Self, Unpack, cast
from urllib.parse import urlsplit
from uuid import UUID

import httpx

from .. import forks
from ..errors import (
    APIStatusError,
    MissingOperationError,
    NotFoundError,
    PaylabError,
)
from ..redaction.redaction import Redaction
from ..spec import paging
from ..spec.assumptions import NONE, Value
from ..spec.operations import OPERATIONS, reading
from . import encoding
from .assumption import Doubt, name_dialect, other_dialects
from .attempt import Attempts, Watcher
from .call import Later
from .calls import CallLog
from .clock import utcnow
from .delivery import Delivered, Delivery
from .exchange import Deadline, Exchange, bound, clean_loggers
from .failures import failure, look_first
from .orders import FOUND, Fresh, Keeper, Order, OrderTicket, note_failure
from .request import Find, Options, Outgoing, SignatureAuth, http_client, outgoing, require_writing
from .resources.operations import takes, unseen
from .response import Answer, R, own_envelope
from .settings import Settings
from .translation import Translation
from .upload import Upload

log = logging.getLogger("paylab")


class Sender:
    """Sends signed requests; clock, sleep and random source are arguments.

    `calls` holds the latest attempts, oldest first; `keeper` chooses Idempotency-Keys;
    `is_own` is whether the service is known to do what its settings say; `watchers` are called
    after each attempt, `wait_shown` shows how a wait goes, and `place` names the service.
    """

    def __init__(  # noqa: PLR0913 - each is a door to the world that a test or a simulator shuts
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
    ) -> None:
        options = {"max_retries": max_retries, "timeout": timeout}
        given = {name: value for name, value in options.items() if value is not None}
        self.settings = replace(settings, **given)  # type: ignore[arg-type] # int and float
        self.clock, self.sleep, self.random = clock, sleep, random or SystemRandom()
        self.calls = CallLog()
        self.keeper: Keeper = keeper or Fresh()
        self.place: Callable[[], str] = lambda: self.settings.base_url
        self.wait_shown = unseen
        self.service = self.settings.service
        self.is_own = False
        self._translation = Translation(self.service)
        self._dialect: tuple[Doubt, ...] | None = None
        self.refused_deposits: dict[str, APIStatusError] = {}
        self._deadline = Deadline()
        self.redaction = Redaction([self.settings.api_key, self.settings.secret_key])
        clean_loggers(self.redaction)
        self._transport = transport
        self._http = self._connected()
        self.watchers: list[Watcher] = [] if watchers is None else watchers
        attempts = Attempts(
            *(self._http, self.settings.secret_key, self.redaction, clock, perf),
            self.service,
            self.watchers,
        )
        self.delivery = Delivery(
            attempts, self.calls, self.settings, self._deadline, self._pause, self.random
        )
        forks.register(self, lambda child: child._in_child())

    def _pause(self, seconds: float) -> None:
        self.sleep(seconds)  # a lab replaces it: on a frozen simulator, waiting moves the clock

    def _connected(self) -> httpx.Client:
        """A new HTTP client with its own nonces; a given transport is shared."""
        client = self.connection(SignatureAuth(self.settings, self.clock, self.random))
        bound(client, self._deadline)
        return client

    def connection(self, auth: httpx.Auth) -> httpx.Client:
        """A new connection to the service that signs its requests with `auth`."""
        client = http_client(self.settings, self._transport)
        client.auth = auth
        return client

    def _in_child(self) -> None:
        """Give a forked child its own connections, nonces and keys."""
        self.random.seed(f"{os.getpid()} {self.random.getrandbits(64)}")
        self._http = self._connected()
        self.delivery.attempts = replace(self.delivery.attempts, http=self._http)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

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
        """Send any signed request and return the decoded JSON of its answer."""
        return self.send(method, path, json=json, params=params, **options).body

    def send(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        any_body: bool = False,
        **options: Unpack[Options],
    ) -> Answer:
        """Send a request, with retries where safe, and read its answer or raise an error.

        With `any_body` an answer in plain text is accepted.
        """
        request = self._outgoing(method, path, json, params, options, self._at(method, path))
        return self._answer(replace(request, any_body=any_body) if any_body else request)

    def _at(self, method: str, path: str) -> str:
        """The operation that the service has at a path, "" for none."""
        found = self.service.match(path.partition("?")[0])[0].get(method.upper())
        return found.operation if found else ""

    def call(
        self,
        operation: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        parts: Mapping[str, str] | None = None,
        any_body: bool = False,
        **options: Unpack[Options],
    ) -> Answer:
        """Carry out an operation of the service, with a body in our names.

        `parts` fill the placeholders of its path. Of one object that the service cannot read
        alone, the list is read; MissingOperationError when it has neither.
        """
        try:
            request = self._operation(operation, body, params, parts or {}, options)
        except MissingOperationError:
            listed, get = operation.replace(".get", ".list"), operation.endswith(".get")
            if not get or getattr(self.service.paths, OPERATIONS[listed][1]) == NONE:
                raise
            return self._in_list(listed.partition(".")[0], (parts or {})["id"], options)
        return self._answer(replace(request, any_body=any_body) if any_body else request)

    def page(
        self,
        name: str,
        limit: int | None,
        cursor: str | None,
        filters: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> paging.RawPage:
        """One page of a list, its rows as they came."""
        params = self.service.list(name).query(limit, cursor, filters)
        return self.call(f"{name}.list", params=params, **options).page(self.service.list(name))

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
        fetch = partial(self.page, name, limit, filters=filters, **options)
        return paging.Pager(fetch, partial(self.resource, kind), cursor)

    def _in_list(self, name: str, id: str, options: Options) -> Answer:  # noqa: A002
        """One object out of a list, as an answer; NotFoundError if it is not there."""
        most = self.service.list(name).max_limit
        rows = paging.Pager(lambda at: self.page(name, most, at, **options), dict)
        found = next((row for row in rows if row.get("id") == id), None)
        if found is None:
            raise NotFoundError(404, f"the list of {name} has no row with this id")
        return Answer(found, self.calls[-1], self._translation)

    def resource(self, kind: type[R], row: dict[str, Any]) -> R:
        """A row of the service as a resource in our names; `raw` is as it came."""
        resource = kind.model_validate(self._translation.answer(kind.__name__, row))
        resource._raw = row
        return resource

    def order(self, name: str) -> paging.Order:
        """The order of a list where it is known; what is only assumed is "unknown"."""
        keys = "lists.order", f"lists.{name}.order"
        is_known = self.is_own or any(map(self.service.declares, keys))
        return cast("paging.Order", self.service.list(name).order) if is_known else "unknown"

    @property
    def declared(self) -> dict[str, Value]:
        """The values of the service that are known to be right, by dotted key."""
        own = {"lists.order": self.service.lists.order} if self.is_own else {}
        return {**own, **self.service.given}

    def upload(self, operation: str, body: Upload, id: str, **options: Unpack[Options]) -> Answer:  # noqa: A002
        """Send a body that is read in blocks."""
        request = self._operation(operation, None, None, {"id": id}, options)
        sized = replace(request, content=body, length=body.length, digest=body.digest)
        return self._answer(replace(sized, outline=body.outline))

    def fetch(self, path: str) -> bytes:
        """The body of a GET as bytes, without parsing."""
        return self._send(self._outgoing("GET", path, operation=self._at("GET", path)))[0]

    def fetch_page(
        self, name: str, limit: int, cursor: str | None, filters: Mapping[str, Any] | None = None
    ) -> bytes:
        """A page of a list in the envelope of the spec, its rows as they came."""
        params = self.service.list(name).query(limit, cursor, filters)
        content, later = self._send(self._operation(f"{name}.list", None, params, {}, {}))
        return own_envelope(content, self.service.list(name), later)

    def once(
        self,
        operation: str,
        body: dict[str, Any],
        *,
        new: bool = False,
        find: Find | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """POST an order, with the Idempotency-Key that the keeper chooses.

        `find` searches for what a lost attempt may have made when its key does not replay it.
        """
        request = self._operation(operation, body, None, {}, options)
        content = encoding.encode(body)  # in our names, so that the ledger can read it
        key = encoding.check_key(request.idempotency_key)
        ticket = self.keeper.open(Order(request.path, content, key, new, self.new_key))
        if ticket.known is not None:
            answer = self.call(reading(operation), parts={"id": ticket.known})
            return replace(answer, call=replace(answer.call, replayed=True))
        return self._kept(replace(request, idempotency_key=ticket.key, find=find), ticket)

    def _kept(self, request: Outgoing, ticket: OrderTicket) -> Answer:
        """Send, and tell the ticket how it ended; no answer leaves it open."""
        try:
            begun = self.clock()
            answer = self._answer(self._looked_for(request, ticket))
            if answer.body is None:
                answer = self._located(request, answer, begun)
            answer.must_have_id()
        except BaseException as error:
            note_failure(error, ticket, request)
            raise
        # What was found by a GET is no stored answer: its key would make another.
        status = FOUND if answer.call.method == "GET" else answer.call.status or 0
        ticket.answered(status, answer.made, replayed=answer.call.replayed)
        return answer

    def _looked_for(self, request: Outgoing, ticket: OrderTicket) -> Outgoing:
        """The GET of what this order made in an earlier run, or the request itself."""
        if request.find is None or ticket.since is None:
            return request
        id_ = request.find(ticket.since - timedelta(seconds=self.service.signing.tolerance))
        return request if id_ is None else self._made_by(request, id_)

    def _located(self, request: Outgoing, answer: Answer, begun: datetime) -> Answer:
        """What an answer without a body made: at its Location, else in the list."""
        place = urlsplit(answer.call.response_headers.get("location", "")).path
        id_ = self.service.match(place)[1].get("id") if place else None
        if id_ is None and request.find is not None:
            id_ = request.find(begun + self.delivery.least_ahead())
        if id_ is None:
            return answer
        found = self.call(reading(request.operation), parts={"id": id_})
        return replace(found, call=answer.call)

    def _made_by(self, request: Outgoing, id: str) -> Outgoing:  # noqa: A002
        """The GET of what an operation made."""
        return self._operation(reading(request.operation), None, None, {"id": id}, {})

    def _operation(
        self,
        operation: str,
        body: Any,
        params: Mapping[str, Any] | None,
        parts: Mapping[str, str],
        options: Options,
    ) -> Outgoing:
        """The request of an operation; MissingOperationError when the service has none."""
        path = self.service.path(operation, **parts)
        sent = None if body is None else self._translation.request(operation, body)
        method = OPERATIONS[operation][0]
        return self._outgoing(method, path, sent, params, options, operation, body)

    def _outgoing(  # noqa: PLR0913 - the parts of a request
        self,
        method: str,
        path: str,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        options: Options | None = None,
        operation: str = "",
        asked: Any = None,
    ) -> Outgoing:
        """Put a request together; ReadOnlyError if it is no GET and nothing else may be sent."""
        request = outgoing(
            *(self.settings.base_url, method, path, json, params, options),
            operation=operation,
            asked=asked,
            numbers=asked is not None and self._translation.numbers,
        )
        require_writing(request, self.settings, self.redaction)
        return request

    def _answer(self, request: Outgoing) -> Answer:
        content, later = self._send(request)
        return Answer.of(content, later.call, self._translation, any_body=request.any_body)

    def _send(self, request: Outgoing) -> tuple[bytes, Later]:
        return self._content(self.delivery.send(request, self._found))

    def _found(
        self, request: Outgoing, result: Exchange, later: Later, begun: datetime
    ) -> Outgoing | None:
        """The GET of what a lost attempt made; raises the error of the attempt when unknown."""
        try:
            id_ = request.find(begun + self.delivery.least_ahead()) if request.find else None
        except PaylabError:
            error = failure(request, result, later.call, self.redaction, self.service)
            error.hint = look_first(request.path)
            raise error from None
        if id_ is None:
            return None
        log.warning(
            "the answer to POST %s was lost, and %s was found in the list", request.path, id_
        )
        return self._made_by(request, id_)

    def _content(self, delivered: Delivered) -> tuple[bytes, Later]:
        request, result, later, after_lost = delivered
        if result.went_well:
            return result.content, later
        error = failure(request, result, later.call, self.redaction, self.service)
        error.after_lost = after_lost
        refused = result.status == self.service.error_codes.signature
        if refused and not request.url.query and later.call.finding is None:
            self._name_dialect(error)
        raise error

    def _name_dialect(self, error: PaylabError) -> None:
        """Let a refused signature name the dialect in which the service verifies one."""
        if self._dialect is None:
            self._dialect = ()  # asked once, whatever comes of it
            self._dialect = tuple(filter(self._verifies, other_dialects(self.settings)))[:1]
        name_dialect(error, self._dialect)

    def _verifies(self, dialect: Doubt) -> bool:
        """Whether a GET that is signed in another dialect succeeds."""
        service = self.service.with_values({dialect.key: dialect.value})
        auth = SignatureAuth(replace(self.settings, service=service), self.clock, self.random)
        try:
            request = self._operation("transfers.list", None, None, {}, {})
        except MissingOperationError:
            return False
        result, later = replace(self.delivery.attempts, auth=auth).make(request, 1)
        self.calls.keep(later)
        return result.went_well
