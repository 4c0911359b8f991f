"""The client: the operations of the service by resource, over one session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

from ..errors.arguments import explain_arguments
from ..errors.base import Problem, RuleError
from ..errors.names import with_name_suggestions
from ..spec.members import convert_to_members
from ..spec.operations.records import IDEMPOTENT_OPERATIONS
from ..spec.query_parameters import warn_of_unknown_parameters
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .orders import Order, OrderSender
from .parameters import strict_keywords
from .request import Options, StreamedBody
from .response import Response
from .session import Session
from .session_options import SessionOptions

if TYPE_CHECKING:
    from .resources.conversions import ConversionAccounts, Conversions
    from .resources.individuals import FinancialAccounts, Individuals
    from .resources.sandbox import Sandbox
    from .resources.transfers import Balances, Quotes, Transfers
    from .resources.webhooks import WebhookSubscriptions
    from .settings import Settings


@with_name_suggestions
@explain_arguments
class Client:
    """The service: its operations by resource, and `request` for anything else.

    `session` sends the requests. `orders` makes what sends the orders of this client; by default
    each is a new one.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        orders: Callable[[Client], OrderSender] | None = None,
        **options: Unpack[SessionOptions],
    ) -> None:
        """Make the session of these settings; `options` replace its parts."""
        self.settings = settings  # a traceback shows it even if the next line fails
        self.session = session = Session(settings, **options)
        self._make_orders = orders
        self.settings = session.settings
        self.service = session.service
        self.calls = session.calls
        self.clock = session.clock
        self.sleep = session.sleep
        self.service_clock = session.service_clock
        self.watchers = session.watchers
        self.redaction = session.redaction
        self.place = session.place
        self.new_key = session.new_key
        self.ask_time = session.ask_time
        self.close = session.close

    @cached_property
    def orders(self) -> OrderSender:
        """Sends POSTs that must not happen twice.

        The sender of a lab computes their keys; that of a bare client takes a new key for each.
        """
        if self._make_orders is not None:
            return self._make_orders(self)
        from .new_orders import NewOrders

        return NewOrders(self)

    def __repr__(self) -> str:
        return f"Client({self.settings.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        """Carry out an operation of the service as `Session.call` does; an order gets its key."""
        if operation not in IDEMPOTENT_OPERATIONS:
            return self.session.call(
                operation, body, params=params, parts=parts, any_answer=any_answer, **options
            )
        if params:
            raise RuleError([Problem("params", "an order takes none: give its fields in the body")])
        fields = body if isinstance(body, dict) else {}
        order = Order(operation, fields, self.quotes.terms(fields.get("quote_id")))
        return self.orders.send(order, **options)

    @strict_keywords(Options)
    def request(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: Mapping[str, object] | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """Send any signed request and return the decoded JSON of its answer.

        A query parameter that the operation does not have is sent, with a RuleWarning.

        >>> len(lab.request("GET", "/v1/transfers", params={"limit": 3})["data"])
        3
        """
        warn_of_unknown_parameters(self.settings.service, method, path, params)
        return convert_to_members(self.send(method, path, json=json, params=params, **options).body)

    def send(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: Mapping[str, object] | None = None,
        **options: Unpack[Options],
    ) -> Response:
        """Send a request, with retries where safe, and read its answer or raise an error."""
        request = self.session.requests.path(method, path, json, params, options)
        is_order = request.method == "POST" and request.operation in IDEMPOTENT_OPERATIONS
        if is_order and request.idempotency_key is None:
            return self.orders.send_raw(request, json)
        return self.session.deliver(request)

    def with_service(
        self,
        service: Service,
        *,
        orders: Callable[[Client], OrderSender] | None = None,
        **changes: Unpack[SessionOptions],
    ) -> Self:
        """A client with the same address, keys, clock and calls, for another service.

        `orders` makes the sender of its orders; by default, orders are sent as this client sends
        them. The new client asks nothing on its own when a signature is refused.
        """
        options: SessionOptions = {**self.session.shared_options(), **changes}
        settings = replace(self.settings, service=service)
        return type(self)(settings, orders=orders or self._make_orders, **options)

    # The resources are made when they are first used: their models take long to import.

    @cached_property
    def individuals(self) -> Individuals:
        """Individuals and their verification."""
        from .resources.individuals import Individuals

        return Individuals(self.session)

    @cached_property
    def financial_accounts(self) -> FinancialAccounts:
        """Payout destinations and crypto wallets of individuals."""
        from .resources.individuals import FinancialAccounts

        return FinancialAccounts(self.session)

    @cached_property
    def quotes(self) -> Quotes:
        """Rates and fees, locked for a short time."""
        from .resources.transfers import Quotes

        return Quotes(self.session)

    @cached_property
    def transfers(self) -> Transfers:
        """Payouts."""
        from .resources.transfers import Transfers

        return Transfers(self.session, self.orders, self.quotes.terms)

    @cached_property
    def balances(self) -> Balances:
        """The prefunded balances of the account."""
        from .resources.transfers import Balances

        return Balances(self.session)

    @cached_property
    def conversion_accounts(self) -> ConversionAccounts:
        """Accounts into which individuals pay fiat."""
        from .resources.conversions import ConversionAccounts

        return ConversionAccounts(self.session, self.orders)

    @cached_property
    def conversions(self) -> Conversions:
        """Conversions of fiat deposits to stablecoin."""
        from .resources.conversions import Conversions

        return Conversions(self.session)

    @cached_property
    def sandbox(self) -> Sandbox:
        """Simulated deposits, in a sandbox only."""
        from .resources.sandbox import Sandbox

        return Sandbox(self.session)

    @cached_property
    def webhook_subscriptions(self) -> WebhookSubscriptions:
        """URLs that receive events."""
        from .resources.webhooks import WebhookSubscriptions

        return WebhookSubscriptions(self.session)
