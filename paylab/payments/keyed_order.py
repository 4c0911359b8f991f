"""An order with its Idempotency-Key, and what makes another order the same one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto

from ..client.orders import Order
from ..client.request import OutgoingRequest, check_key
from ..errors.base import Problem, RuleError
from .identity import REFERENCE, Values, key, values
from .recognition import DAY, WEEK


class Identity(Enum):
    """What makes two orders the same: the key is computed from it, unless it is a key itself."""

    REFERENCE = auto()
    VALUES = auto()
    NAME = auto()
    """The text of `new=`, together with the reference or the values."""
    OWN_KEY = auto()
    """Your `idempotency_key=`, which alone decides which payment it is."""
    RANDOM_KEY = auto()
    """`new=True`: no other order is the same."""


@dataclass(frozen=True)
class KeyedOrder:
    """An order with its identity, its values, its request with the key, and when its call began.

    `is_raw` is whether the body was given as it is sent; it may lack fields.
    """

    details: Order
    identity: Identity
    values: Values
    request: OutgoingRequest
    begun: datetime
    is_raw: bool = False

    @property
    def reference(self) -> str:
        """The reference of the order, in NFC and stripped; "" for none."""
        return str(self.values.get(REFERENCE) or "")

    @property
    def has_computed_key(self) -> bool:
        """Whether the key is computed from the order."""
        return self.identity not in (Identity.OWN_KEY, Identity.RANDOM_KEY)

    @property
    def age_max(self) -> timedelta:
        """The age up to which a payment can be that of the order."""
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
    order_values = values(order.fields, order.terms)
    identity = _identify(order, own_key, order_values)
    if own_key is not None:
        idempotency_key = check_key(own_key)
    elif identity is Identity.RANDOM_KEY:
        idempotency_key = new_key()
    elif "quote_id" in order_values and not (REFERENCE in order_values or is_raw):
        message = "was not made by this lab: pass the Quote, or a client_reference_id"
        raise RuleError([Problem("quote_id", message)])
    else:
        idempotency_key = key(order_values, str(order.new or ""), operation=order.operation)
    keyed_request = replace(request, idempotency_key=idempotency_key)
    return KeyedOrder(
        details=order,
        identity=identity,
        values=order_values,
        request=keyed_request,
        begun=begun,
        is_raw=is_raw,
    )


def _identify(order: Order, own_key: str | None, order_values: Values) -> Identity:
    """Tell what makes another order the same as this one; RuleError for a wrong type of `new=`."""
    if own_key is not None:
        return Identity.OWN_KEY
    if order.new is True:
        return Identity.RANDOM_KEY
    if not isinstance(order.new, str) and order.new is not False:
        raise RuleError([Problem("new", f"must be text or True, not {order.new!r:.60}")])
    if order.new:
        return Identity.NAME
    return Identity.REFERENCE if order_values.get(REFERENCE) else Identity.VALUES
