"""Webhook subscriptions."""

from __future__ import annotations

from collections.abc import Iterable

from ...models import WebhookSubscription
from ...paging import Pager
from ...rules import webhooks as rules
from .. import wire
from ..http import Sender
from .listing import pager

SUBSCRIPTIONS = "webhook_subscriptions"


class WebhookSubscriptions:
    """Where events are sent, for the whole organization."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(self, url: str, event_types: Iterable[str]) -> WebhookSubscription:
        """Subscribe a URL to event types."""
        body = wire.fields({"url": url, "event_types": list(event_types)})
        wire.refuse(rules.check(body))
        return self._sender.send("POST", wire.path(SUBSCRIPTIONS), json=body).read(
            WebhookSubscription
        )

    def list(self) -> Pager[WebhookSubscription]:
        """List all subscriptions."""
        return pager(self._sender, wire.path(SUBSCRIPTIONS), WebhookSubscription, {})

    def get(self, id: str) -> WebhookSubscription:  # noqa: A002 - the service's word
        """Read one subscription."""
        return self._sender.send("GET", wire.path(SUBSCRIPTIONS, id)).read(WebhookSubscription)

    def delete(self, id: str) -> None:  # noqa: A002
        """End a subscription."""
        self._sender.send("DELETE", wire.path(SUBSCRIPTIONS, id))
