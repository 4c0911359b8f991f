"""All items of readiness in the order of the report, and what each needs to apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..spec.codes import RAMP_PRODUCTS, STABLECOINS
from .answer_items import ITEMS as ANSWER_ITEMS
from .corridor_items import ITEMS as CORRIDOR_ITEMS
from .event_items import ITEMS as EVENT_ITEMS
from .history import History
from .item import Item
from .list_items import ITEMS as LIST_ITEMS
from .order_items import ITEMS as ORDER_ITEMS
from .order_items import UNREPEATABLE
from .payment_items import ITEMS as PAYMENT_ITEMS
from .person_items import ITEMS as PERSON_ITEMS
from .person_items import UPLOADS
from .polling_items import ITEMS as POLLING_ITEMS
from .questions import QUESTIONS
from .retry_items import ITEMS as RETRY_ITEMS
from .signing_items import ITEMS as SIGNING_ITEMS

ITEMS: tuple[Item, ...] = (
    *SIGNING_ITEMS,
    *ORDER_ITEMS,
    *RETRY_ITEMS,
    *POLLING_ITEMS,
    *ANSWER_ITEMS,
    *CORRIDOR_ITEMS,
    *PAYMENT_ITEMS,
    *PERSON_ITEMS,
    *LIST_ITEMS,
    *EVENT_ITEMS,
    *QUESTIONS,
)
"""The rows of the report."""


def _creates_individuals(history: History) -> bool:
    """Whether individuals are verified: they are created for an on-ramp or an off-ramp."""
    for request in history.of("individuals.create"):
        product_types = request.fields.get("product_types")
        if isinstance(product_types, list) and any(
            ramp_product in product_types for ramp_product in RAMP_PRODUCTS
        ):
            return True
    return bool(history.of(*UPLOADS))


def _is_off_ramp(history: History) -> bool:
    """Whether a transfer or a quote is paid from a stablecoin."""
    return any(
        str(request.fields.get("source_currency") or "").upper() in STABLECOINS
        for request in history.of("transfers.create", "quotes.create")
    )


USES: Mapping[str, Callable[[History], bool]] = {
    "anything": lambda history: True,
    "body": lambda history: any(request.row.get("body_bytes") for request in history.requests),
    "POST without a key": lambda history: bool(history.of(*UNREPEATABLE)),
    "orders": lambda history: bool(history.orders),
    "transfers": lambda history: bool(history.of("transfers.create")),
    "payouts": lambda history: any(
        not history.is_off_ramp(request) for request in history.of("transfers.create")
    ),
    "off-ramp": _is_off_ramp,
    "on-ramp": lambda history: bool(history.of("conversion_accounts.create")),
    "quotes": lambda history: bool(history.of("quotes.create")),
    "sandbox deposits": lambda history: bool(history.of("sandbox.deposit")),
    "verification": _creates_individuals,
    "lists": lambda history: any(
        request.operation.endswith(".list") for request in history.requests
    ),
    "events": lambda history: bool(
        history.deliveries or history.of("webhook_subscriptions.create")
    ),
}
"""What an integration may use, and how that is seen in the history of a world."""


def find_uses(histories: Sequence[History]) -> dict[str, bool]:
    """Whether an integration uses each of `USES` in any of its worlds."""
    return {
        use_name: any(is_used(history) for history in histories)
        for use_name, is_used in USES.items()
    }
