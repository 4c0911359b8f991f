"""Events as they are delivered: read, told apart, put in order, and handed to handlers.

An event has no id and no time of its own, so two deliveries are the same event when type,
resource, status and updated_at agree. Gap `webhook.identity`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from . import models
from .status import CONVERSION, INDIVIDUAL, TRANSFER, Machine

Identity = tuple[str, str, str | None, str | None]


class StatusChange(models.Resource):
    """The payload of individual.status_changed."""

    id: str = ""
    status: str | None = None
    previous_status: str | None = None
    status_details: list[models.StatusDetail] | None = None
    updated_at: models.Instant | None = None


FAMILIES: Mapping[str, tuple[type[models.Resource], Machine]] = {
    "transfer": (models.Transfer, TRANSFER),
    "conversion": (models.Conversion, CONVERSION),
    "individual": (StatusChange, INDIVIDUAL),
}
"""By the first word of an event type: what its payload is, and the machine it moves."""


class UnreadableEventError(ValueError):
    """A delivery that is no event: not JSON, or without type or payload."""


@dataclass(frozen=True)
class Event:
    """A delivered event; `resource` is its payload read as what its type says it is."""

    type: str
    payload: Mapping[str, Any] = field(repr=False)
    resource: models.Resource = field(repr=False)

    @property
    def id(self) -> str:
        """The id of the resource it speaks of."""
        return str(self.payload.get("id") or "")

    @property
    def status(self) -> str | None:
        """The status in its snapshot."""
        return self.payload.get("status")

    @property
    def updated_at(self) -> datetime | None:
        """When the snapshot was taken; None where that cannot be read."""
        moment = getattr(self.resource, "updated_at", None)
        return moment if isinstance(moment, datetime) else None

    @property
    def identity(self) -> Identity:
        """What makes two deliveries the same event."""
        return self.type, self.id, self.status, self.payload.get("updated_at")

    def __str__(self) -> str:
        when = f"{self.updated_at:%H:%M:%S}" if self.updated_at else "--:--:--"
        return f"{when}  {self.type}  {self.id}  {self.status}"


def read(delivery: bytes | str | Mapping[str, Any]) -> Event:
    """Read a delivery's body; unknown types and fields are kept, what is no event is an error."""
    body = delivery if isinstance(delivery, Mapping) else _parsed(delivery)
    kind, payload = body.get("event_type"), body.get("event_payload")
    if not isinstance(kind, str) or not isinstance(payload, Mapping):
        raise UnreadableEventError("an event has event_type (text) and event_payload (object)")
    model, _ = FAMILIES.get(kind.partition(".")[0], (models.Resource, None))
    return Event(kind, payload, model.model_validate(dict(payload)))


def _parsed(delivery: bytes | str) -> Mapping[str, Any]:
    try:
        body = json.loads(delivery)
    except (ValueError, RecursionError) as error:
        raise UnreadableEventError(f"an event is JSON: {error}") from None
    if not isinstance(body, dict):
        raise UnreadableEventError("an event is a JSON object")
    return body


Handler = Callable[[Event], None]


class Router:
    """Handlers by event type; each event is handled once, however often it is delivered."""

    def __init__(self) -> None:
        self._handlers: dict[str | None, Handler] = {}
        self._handled: set[Identity] = set()

    def on(self, event_type: str) -> Callable[[Handler], Handler]:
        """Register a handler for one event type."""
        return lambda handler: self._handlers.setdefault(event_type, handler)

    def default(self, handler: Handler) -> Handler:
        """Register the handler for every type that has none."""
        return self._handlers.setdefault(None, handler)

    def handle(self, delivery: bytes | str | Mapping[str, Any]) -> bool:
        """Hand an event to its handler; False when it was handled before.

        An event whose handler raises counts as not handled, so that a second delivery tries again.
        """
        event = read(delivery)
        if event.identity in self._handled:
            return False
        handler = self._handlers.get(event.type) or self._handlers.get(None)
        if handler is not None:
            handler(event)
        self._handled.add(event.identity)
        return True
