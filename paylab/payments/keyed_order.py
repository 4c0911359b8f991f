"""An order with its Idempotency-Key: your own, a random one, or the one computed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..client.orders import Order
from ..client.request import OutgoingRequest, check_key
from ..errors.base import Problem, RuleError
from .identity import REFERENCE, Values, key, values
from .recognition import DAY, WEEK


@dataclass(frozen=True)
class KeyedOrder:
    """An order with its details, its values, its request with the key, and when its call began.

    `is_computed` is whether the key is, and `is_raw` whether the body was given as it is sent.
    """

    details: Order
    values: Values
    request: OutgoingRequest
    begun: datetime
    is_computed: bool
    is_raw: bool = False

    @property
    def reference(self) -> str:
        """The reference of the order, in NFC and stripped; "" for none."""
        return str(self.values.get(REFERENCE) or "")

    @property
    def name(self) -> str:
        """The name of another order of the same reference or values (`new=`); "" for none."""
        return self.details.new if isinstance(self.details.new, str) else ""

    @property
    def has_own_key(self) -> bool:
        """Whether the key is your own, which alone decides which payment it is."""
        return not self.is_computed and self.details.new is not True

    @property
    def is_plain(self) -> bool:
        """Whether the order is known by its reference or values alone: no `new=`, no own key."""
        return self.is_computed and not self.details.new

    @property
    def is_reference(self) -> bool:
        """Whether the order is its reference: it has one, and makes no other payment of it."""
        return bool(self.reference) and self.is_plain

    @property
    def is_in_list(self) -> bool:
        """Whether an equal object in the list is that of the order; a raw body can lack fields."""
        return self.is_plain and not self.is_raw

    @property
    def age_limit(self) -> timedelta:
        """The age from which a payment is too old to be that of the order."""
        return WEEK if self.reference else DAY


def make_keyed_order(
    order: Order,
    request: OutgoingRequest,
    *,
    begun: datetime,
    new_key: Callable[[], str],
    is_raw: bool,
) -> KeyedOrder:
    """Add the key to an order: your own, a random one (`new_key`) or a computed one.

    `begun` is when the call began. RuleError for an order whose key cannot be computed: the terms
    of its quote are needed, unless it has a reference or is raw.
    """
    own_key = request.idempotency_key
    is_computed = own_key is None and order.new is not True
    order_values = values(order.fields, order.terms)
    if own_key is not None:
        idempotency_key = check_key(own_key)
    elif order.new is True:
        idempotency_key = new_key()
    elif not isinstance(order.new, str) and order.new is not False:
        raise RuleError([Problem("new", f"must be text or True, not {order.new!r:.60}")])
    elif order_values.keys() >= {"quote_id"} and not (REFERENCE in order_values or is_raw):
        message = "was not made by this lab: pass the Quote, or a client_reference_id"
        raise RuleError([Problem("quote_id", message)])
    else:
        idempotency_key = key(order_values, order.new or "", operation=order.operation)
    keyed_request = replace(request, idempotency_key=idempotency_key)
    return KeyedOrder(order, order_values, keyed_request, begun, is_computed, is_raw)
