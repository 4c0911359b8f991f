"""Webhook subscriptions."""

from __future__ import annotations

from pydantic import StrictBool

from .resource import Instant, Resource


class WebhookSubscription(Resource):
    """A URL that receives events of the given types."""

    id: str = ""
    url: str | None = None
    event_types: list[str] | None = None
    is_active: StrictBool | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
