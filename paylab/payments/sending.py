"""An order on its way to the service: its values and its request with the key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..client.client import Client
from ..client.orders import Order
from ..client.request import OutgoingRequest, check_key
from ..errors.base import Problem, RuleError
from .identity import REFERENCE, Values, key_of_values, reference_of, values
from .repetition import DAY, WEEK


@dataclass(frozen=True)
class Sending:
    """An order on its way: its values, its request with the key, and when the call began.

    `is_computed` is whether the key is, and `is_raw` whether the body was given as it is sent.
    """

    order: Order
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
    def limit(self) -> timedelta:
        """The age from which a payment is too old to be that of the order."""
        return WEEK if self.reference else DAY


def sending_of(client: Client, order: Order, request: OutgoingRequest, *, is_raw: bool) -> Sending:
    """An order with its key: your own, a random one for `new=True`, else a computed one.

    RuleError if no key can be computed, since the terms of its quote are not known.
    """
    name = order.new
    given = request.idempotency_key
    known = values(order.fields, order.terms)
    is_computed = given is None and name is not True
    if given is not None:
        given = check_key(given)
    elif name is True:
        given = client.new_key()
    elif not isinstance(name, str) and name is not False:
        raise RuleError([Problem("new", f"must be text or True, not {name!r:.60}")])
    else:
        reference = reference_of(order.fields)
        is_unknown = order.fields.get("quote_id") is not None and order.terms is None
        if is_unknown and not is_raw and not reference:
            message = "was not made by this lab: pass the Quote, or a client_reference_id"
            raise RuleError([Problem("quote_id", message)])
        given = key_of_values(reference, known, name or "", order.operation)
    request = replace(request, idempotency_key=given)
    return Sending(order, known, request, client.clock(), is_computed, is_raw)
