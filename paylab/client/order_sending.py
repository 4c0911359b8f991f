"""Sends an order once: with the key of its first attempt, or by reading what that made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Unpack
from urllib.parse import urlsplit

from ..errors.api import APIStatusError, NotFoundError
from ..errors.base import MissingOperationError
from ..spec.operations.routes import reading
from ..spec.service import Service
from .orders import Keeper, Order, OrderTicket, note_failure
from .request import Find, Options, OutgoingRequest, check_key, encode
from .request_builder import RequestBuilder
from .response import Response
from .service_clock import ServiceClock

NO_READ = (404, 405, 501)
"""Answers to the reading of one object that is not there, or that cannot be read alone."""


@dataclass(frozen=True)
class OrderSending:
    """Sends requests that must be carried out once.

    `send` sends a request, `call` carries out an operation, and `in_list` reads an object from a
    list; `new_key` makes an Idempotency-Key.
    """

    service: Service
    service_clock: ServiceClock
    requests: RequestBuilder
    keeper: Keeper
    clock: Callable[[], datetime]
    new_key: Callable[[], str]
    timeout: float
    send: Callable[[OutgoingRequest], Response]
    call: Callable[..., Response]
    in_list: Callable[[str, str, Any], Response]

    def once(  # noqa: PLR0913 - the order, how it is found, and its options
        self,
        operation: str,
        body: dict[str, Any],
        *,
        new: bool = False,
        find: Find | None = None,
        listed: Callable[[], Iterable[Any]] = tuple,
        make: Callable[[], str] | None = None,
        in_batch: bool = False,
        **options: Unpack[Options],
    ) -> Response:
        """POST an order, unless the keeper knows its payment, which is read then.

        `find` searches for the result of a lost attempt if its key cannot replay it. `listed` are
        the objects of the service, for an order whose key expired; `make` creates a key.
        """
        request = self.requests.operation(operation, body, options=options)
        own = request.idempotency_key
        order = Order(
            request.path,
            request.content if isinstance(request.content, bytes) else encode(body),
            body,
            own if own is None else check_key(own),
            new,
            make or self.new_key,
            request.timeout or self.timeout,
            in_batch,
        )
        ticket = self.keeper.open(order)
        if ticket.known is not None:
            return self._known(operation, ticket, options)
        content = request.content if ticket.content is None else ticket.content
        request = replace(request, idempotency_key=ticket.key, find=find, content=content)
        try:
            begun, id_ = self.clock(), None
            if ticket.first is not None:  # made in an earlier call?
                since = ticket.first - timedelta(seconds=self.service.signing.tolerance)
                if find is not None:
                    id_ = find(since)
                elif ticket.is_expired:
                    id_ = ticket.find(listed(), since)
            response = self.send(request if id_ is None else self.requests.reading(request, id_))
            if response.body is None:
                response = self._located(response, begun)
            made = str(response.identified["id"])
        except BaseException as error:
            note_failure(error, ticket, request)
            raise
        ticket.answered(response.exchange.status or 0, made, found=id_ is not None)
        if id_ is None:
            return response
        ticket.tell(made)
        return replace(response, replayed=True, is_found=True)

    def _known(self, operation: str, ticket: OrderTicket, options: Options) -> Response:
        """The payment of an order that was answered before, as it is now."""
        more: Any = {name: options.get(name) for name in ("timeout", "headers")}
        read, payment = reading(operation), str(ticket.known)
        try:
            response = self.call(read, parts={"id": payment}, **more)
        except APIStatusError as error:
            if error.status not in NO_READ:
                raise
            # The service may have no operation that reads one payment: its list has it.
            try:
                response = self.in_list(read.partition(".")[0], payment, more)
            except (NotFoundError, MissingOperationError):
                raise ticket.missing() from None
        ticket.tell(str(ticket.known))
        return replace(response, replayed=True, is_known=True)

    def _located(self, response: Response, begun: datetime) -> Response:
        """Find the result of a response without a body, by its Location or in the list."""
        request = response.request
        place = urlsplit(response.exchange.headers.get("location", "")).path
        id_ = self.service.match(place)[1].get("id") if place else None
        if id_ is None and request.find is not None:
            id_ = request.find(begun + self.service_clock.least_ahead())
        if id_ is None:
            return response
        found = self.call(reading(request.operation), parts={"id": id_})
        return replace(response, body=found.body)
