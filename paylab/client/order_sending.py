"""Sends an order once: with the key of its first attempt, or by reading what that made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Unpack
from urllib.parse import urlsplit

from ..errors.api import APIStatusError, NotFoundError
from ..errors.base import MissingOperationError
from ..spec.operations.routes import reading
from .orders import Order, OrderTicket, note_failure
from .request import Find, Options, check_key, encode
from .response import Response
from .sender import Sender

NO_READ = (404, 405, 501)
"""Answers to the reading of one object that is not there, or that cannot be read alone."""


class OrderSending:
    """Sends requests that must be carried out once."""

    def __init__(self, sender: Sender) -> None:
        self._sender, self._service = sender, sender.service

    def once(  # noqa: PLR0913 - the order, how it is found, and its options
        self,
        operation: str,
        body: dict[str, Any],
        *,
        new: bool,
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
        request = self._sender.requests.operation(operation, body, options=options)
        own = request.idempotency_key
        order = Order(
            request.path,
            request.content if isinstance(request.content, bytes) else encode(body),
            body,
            own if own is None else check_key(own),
            new,
            make or self._sender.new_key,
            request.timeout or self._sender.settings.timeout,
            in_batch,
        )
        ticket = self._sender.keeper.open(order)
        if ticket.known is not None:
            return self._known(operation, ticket, options)
        content = request.content if ticket.content is None else ticket.content
        request = replace(request, idempotency_key=ticket.key, find=find, content=content)
        try:
            begun, id_ = self._sender.clock(), None
            if ticket.first is not None:  # made in an earlier call?
                since = ticket.first - timedelta(seconds=self._service.signing.tolerance)
                if find is not None:
                    id_ = find(since)
                elif ticket.is_expired:
                    id_ = ticket.find(listed(), since)
            reading_it = None if id_ is None else self._sender.requests.reading(request, id_)
            response = self._sender.deliver(reading_it or request)
            if response.body is None:
                response = self._located(response, begun)
            made = str(response.identified["id"])
        except BaseException as error:
            note_failure(error, ticket, request)
            raise
        ticket.answered(response.exchange.status, made, found=id_ is not None)
        if id_ is None:
            return response
        ticket.tell(made)
        return replace(response, replayed=True, is_found=True)

    def _known(self, operation: str, ticket: OrderTicket, options: Options) -> Response:
        """The payment of an order that was answered before, as it is now."""
        more: Any = {name: options.get(name) for name in ("timeout", "headers")}
        read, payment = reading(operation), str(ticket.known)
        try:
            response = self._sender.call(read, parts={"id": payment}, **more)
        except APIStatusError as error:
            if error.status not in NO_READ:
                raise
            # The service may have no operation that reads one payment: its list has it.
            try:
                response = self._sender.in_list(read.partition(".")[0], payment, more)
            except (NotFoundError, MissingOperationError):
                raise ticket.missing() from None
        ticket.tell(str(ticket.known))
        return replace(response, replayed=True, is_known=True)

    def _located(self, response: Response, begun: datetime) -> Response:
        """Find the result of a response without a body, by its Location or in the list."""
        request = response.exchange.request
        place = urlsplit(response.exchange.headers.get("location", "")).path
        id_ = self._service.match(place)[1].get("id") if place else None
        if id_ is None and request.find is not None:
            id_ = request.find(begun + self._sender.service_clock.least_ahead())
        if id_ is None:
            return response
        found = self._sender.call(reading(request.operation), parts={"id": id_})
        return replace(response, body=found.body)
