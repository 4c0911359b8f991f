"""From a resource as it is read to the event that would have told of it.

Some statuses have no event of their own (a cancelled transfer, say). What polling finds out
about them goes by `transfer.status_changed` and `conversion.status_changed`, which the service
itself never sends: a router's default handler receives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .event import Event, Mark, event_of

BY_STATUS: Mapping[str, Mapping[str, str]] = {
    "transfer": {
        "awaiting_funds": "transfer.created",
        "started": "transfer.funded",
        "completed": "transfer.completed",
        "failed": "transfer.failed",
        "expired": "transfer.expired",
    },
    "conversion": {
        "pending": "conversion.created",
        "started": "conversion.payout_initiated",
        "completed": "conversion.completed",
        "failed": "conversion.failed",
    },
}
CURRENCIES = frozenset(
    {"currency", "source_currency", "destination_currency", "fee_currency", "tax_currency"}
)
"""Fields that hold a currency code: upper case when read, lower case in events."""


def of_snapshot(family: str, raw: Mapping[str, Any], latest: Mark | None = None) -> Event:
    """The event that tells of a resource as it is now; `latest` is what was known before."""
    if family == "individual":
        return event_of("individual.status_changed", _status_change(raw, latest))
    return event_of(_type(family, raw, latest), _lowered(raw))


def _type(family: str, raw: Mapping[str, Any], latest: Mark | None) -> str:
    """A transfer that stays started while its updated_at moves has its payout initiated."""
    if latest and family == "transfer" and raw.get("status") == latest.status == "started":
        return "transfer.payout_initiated"
    return BY_STATUS[family].get(str(raw.get("status")), f"{family}.status_changed")


def _status_change(raw: Mapping[str, Any], latest: Mark | None) -> dict[str, Any]:
    payload = {name: raw.get(name) for name in ("id", "status", "updated_at")}
    details = raw.get("status_details")
    extra = {"status_details": details} if details else {}
    return {**payload, **extra, "previous_status": latest.status if latest else None}


def _lowered(value: Any) -> Any:
    if isinstance(value, list):
        return [_lowered(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    return {
        name: each.lower() if name in CURRENCIES and isinstance(each, str) else _lowered(each)
        for name, each in value.items()
    }
