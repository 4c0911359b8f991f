"""A session with a service: carries out its operations, and delivers any other request."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Unpack

from ..errors.arguments import explain_arguments
from ..errors.base import MissingOperationError, PaylabError
from ..spec.operations.records import OPERATIONS
from ..spec.text import JsonObject
from ..spec.translation import Translation
from .call_log import CallLog
from .connector import Connector
from .dialects import DialectSearch
from .fresh_ids import FreshIds
from .identifiers import check_identifier
from .lists import Lists
from .request import Options, OutgoingRequest, StreamedBody, encode
from .request_builder import RequestBuilder, new_idempotency_key
from .request_signer import Nonces
from .response import R, Response
from .secrecy import make_redaction
from .sender import Records, Sender
from .service_clock import ServiceClock, Timing, utcnow
from .session_options import SessionOptions
from .settings import Settings

if TYPE_CHECKING:
    from .exchange import Attempt

ANSWER_SECONDS = 2.0
"""How long an answer is waited for that only tells the time."""


def replay_facts(settings: Settings, *, is_own: bool) -> dict[str, Any]:
    """The address and the settings of a service, as a replay of its calls needs them."""
    order_by_setting = {"lists.order": settings.service.lists.order} if is_own else {}
    return {
        "base_url": settings.base_url,
        "service": {**order_by_setting, **settings.service.declared},
    }


def _change_limits(settings: Settings, options: SessionOptions) -> Settings:
    """The settings with the retries and the timeout of the options, where they are given."""
    limit_by_name: dict[str, Any] = {}
    for limit_name in ("max_retries", "timeout"):
        if options.get(limit_name) is not None:
            limit_by_name[limit_name] = options.get(limit_name)
    return replace(settings, **limit_by_name)


def _make_timing(options: SessionOptions) -> Timing:
    """The clock, the pauses and the randomness of the options; real ones where none are given."""
    return Timing(
        clock=options.get("clock", utcnow),
        sleep=options.get("sleep", time.sleep),
        perf=options.get("perf", time.perf_counter),
        random=options.get("random") or SystemRandom(),
    )


@explain_arguments
class Session:
    """Carries out the operations of a service, with retries where safe.

    `requests` builds requests, and `lists` reads lists.
    """

    def __init__(self, settings: Settings, **options: Unpack[SessionOptions]) -> None:
        """Make the parts that `options` do not have; nothing is sent."""
        self.settings = _change_limits(settings, options)
        self.service = self.settings.service
        self.is_own = options.get("is_own", False)
        self._timing = _make_timing(options)
        self.clock = self._timing.clock
        self.sleep = self._timing.sleep
        self.redaction = options.get("redaction") or make_redaction(self.settings)
        self.watchers = options.get("watchers", [])
        self.place: Callable[[], str] = options.get("place") or (lambda: settings.base_url)
        self.wait_shown = options.get("wait_shown") or (lambda: nullcontext(lambda _: None))
        self.show_notice = options.get("show_notice") or (lambda _: None)
        self._records = self._make_records(options)
        self.calls = self._records.calls
        self.service_clock = self._records.service_clock
        self._translation = Translation(self.service)
        self.requests = RequestBuilder(self.settings, self._encode_body, self.redaction)
        self._nonces = options.get("nonces") or Nonces(self._timing.random)
        self._transport = options.get("transport")
        self._sender = self._make_sender(tries_dialects=options.get("tries_dialects", True))
        self.lists = self._make_lists()

    def _make_records(self, options: SessionOptions) -> Records:
        """The records of another session in `options`; a new one for each that is not there."""
        tolerance_seconds = self.service.signing.tolerance
        calls = options.get("calls")  # an empty log is falsy
        make_facts = partial(replay_facts, self.settings, is_own=self.is_own)
        return Records(
            calls=CallLog(facts=make_facts) if calls is None else calls,
            fresh_ids=options.get("fresh_ids") or FreshIds(),
            service_clock=options.get("service_clock")
            or ServiceClock(self.clock, tolerance_seconds),
        )

    def _make_sender(self, *, tries_dialects: bool) -> Sender:
        """Make the sender of this session's requests, over a connection of its own.

        With `tries_dialects`, it tries other ways of signing after a refused signature.
        """
        connector = Connector(
            self.settings,
            self._timing,
            self._nonces,
            self.redaction,
            self.place,
            self.watchers,
            transport=self._transport,
        )
        return Sender(
            self.settings,
            connector,
            self.requests,
            self._records,
            self._timing,
            self.redaction,
            dialects=DialectSearch(self.service) if tries_dialects else None,
        )

    def _make_lists(self) -> Lists:
        """Make the reader of the service's lists."""
        return Lists(
            self.requests,
            self._sender.deliver,
            self._read_response,
            self._translation,
            self.place,
            is_own=self.is_own,
        )

    def shared_options(self) -> SessionOptions:
        """The options of a session that shares the transport, the time and the records of this one.

        It asks nothing on its own when a signature is refused.
        """
        return {
            "transport": self._transport,
            "clock": self.clock,
            "sleep": self.sleep,
            "perf": self._timing.perf,
            "random": self._timing.random,
            "nonces": self._nonces,
            "watchers": self.watchers,
            "calls": self.calls,
            "fresh_ids": self._records.fresh_ids,
            "service_clock": self.service_clock,
            "tries_dialects": False,
        }

    def ask_time(self) -> None:
        """Send a GET if no answer had a Date yet, so that the time at the service is known."""
        for _ in range(2):  # the first one may meet a connection that was closed
            if self.service_clock.is_known:
                return
            with suppress(PaylabError):
                options: Options = {"timeout": ANSWER_SECONDS}
                request = self.requests.operation("transfers.list", options=options)
                self._sender.attempt(request)

    def __repr__(self) -> str:
        settings = vars(self).get("settings")  # missing in the traceback of __init__
        return f"{type(self).__name__}({settings.base_url if settings else ''!r})"

    def close(self) -> None:
        """Close the connections."""
        self._sender.close()

    def new_key(self) -> str:
        """A new Idempotency-Key: a UUID4 in its 36 characters."""
        return new_idempotency_key(self._timing.random)

    def call(
        self,
        operation: str,
        body: JsonObject | StreamedBody | None = None,
        *,
        params: Mapping[str, object] | None = None,
        parts: Mapping[str, str] | None = None,
        any_answer: bool = False,
        **options: Unpack[Options],
    ) -> Response:
        """Carry out an operation of the service, with a body in our names.

        This method adds no idempotency key to an order; `Client.call` does. `parts` fill the
        placeholders of the path. With `any_answer`, the answer need not be JSON.

        If the service cannot read one object alone, its list is read instead. MissingOperationError
        if the service has neither operation.
        """
        try:
            request = self.requests.operation(operation, body, params, parts, options)
        except MissingOperationError:
            resource_name, _, verb = operation.partition(".")
            if verb != "get" or not self._has_list(resource_name):
                raise
            return self.lists.find_row(resource_name, (parts or {})["id"], options)
        if any_answer:
            request = replace(request, any_answer=True)
        return self.deliver(request)

    def _has_list(self, resource: str) -> bool:
        """Whether the service has the list of a resource."""
        return any(route.operation == f"{resource}.list" for route in self.service.routes)

    def read(self, operation: str, id: object, model: type[R], options: Options) -> R:
        """An object of the service by its id, or by an object that has one."""
        resource_name = operation.partition(".")[0]
        reading_operation = OPERATIONS.get(f"{resource_name}.get")
        id_kind = reading_operation.answer if reading_operation else model.__name__
        path_ids = {"id": check_identifier(id, kind=id_kind)}
        return self.call(operation, parts=path_ids, **options).read(model)

    def deliver(self, request: OutgoingRequest) -> Response:
        """Send a request, with retries where safe, and read its answer."""
        keyed_request = self.requests.add_key(request, self.new_key)
        response = self._read_response(self._sender.deliver(keyed_request))
        self._records.fresh_ids.remember(request, response.body, self.clock())
        return response

    def has_just_received(self, id_: str) -> bool:
        """Whether the answer to a POST of the last seconds has given this id."""
        return id_ in self._records.fresh_ids

    def _read_response(self, attempt: Attempt) -> Response:
        """The response of a successful attempt; APIResponseError if its body is not JSON."""
        to_our_names = self._translation.translate_answer
        return Response.of(attempt, self.service, to_our_names, self.redaction, self.place)

    def _encode_body(self, operation: str, body: JsonObject) -> bytes:
        """Write the body of an operation in the names and formats of the service."""
        their_body = self._translation.translate_request(operation, body)
        return encode(their_body, numbers=self._translation.sends_numbers)
