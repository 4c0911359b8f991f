"""Webhook events: reading, deduplication, ordering and handlers.

    router = Router()

    @router.on("transfer.completed")
    def paid(event): ...

    router.handle(raw_body)     # in any web framework; ValueError means: answer 400
    router.handle(verify_delivery(raw_body, headers, secret_key, service))  # if they are signed

An event has no id and no time, so two deliveries are the same event when type,
resource, status and updated_at agree. Assumption `webhook.identity`.
"""

from ..spec.models import StatusChange as StatusChange
from .difference import Difference as Difference
from .difference import differences as differences
from .event import FAMILIES as FAMILIES
from .event import Event as Event
from .event import EventVersion as EventVersion
from .event import Identity as Identity
from .event import UnreadableEventError as UnreadableEventError
from .event import Wrapper as Wrapper
from .event import is_stale as is_stale
from .event import of_snapshot as of_snapshot
from .event import read_event as read_event
from .router import Handler as Handler
from .router import Receipt as Receipt
from .router import Router as Router
from .verification import verify_delivery as verify_delivery

__all__ = [
    "FAMILIES",
    "Difference",
    "Event",
    "EventVersion",
    "Handler",
    "Identity",
    "Receipt",
    "Router",
    "StatusChange",
    "UnreadableEventError",
    "Wrapper",
    "differences",
    "is_stale",
    "of_snapshot",
    "read_event",
    "verify_delivery",
]


def __dir__() -> list[str]:
    return sorted(__all__)
