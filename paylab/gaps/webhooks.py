"""Webhooks: what the spec leaves open, and what is assumed."""

from __future__ import annotations

from .row import Gap

AREA = "Webhooks"
_ROWS = (
    (
        "webhook.create-status",
        "success code",
        "201",
        "chosen",
    ),
    (
        "webhook.operations",
        "list, get, delete",
        "`GET /v1/webhook_subscriptions` 200 (bare array; readers also take the page "
        "envelope), `GET …/{id}` 200 / 404, `DELETE …/{id}` 204 / 404",
        "public",
    ),
    (
        "webhook.delivery",
        "signing, retries, timeouts, expected answer",
        "unsigned; any 2xx within 10 s is success; otherwise again after 5 s, 30 s, 5 "
        "min, then given up",
        "chosen",
    ),
    (
        "webhook.identity",
        "events carry no id or timestamp",
        "duplicates are recognised by event_type + resource id + status + updated_at",
        "chosen",
    ),
)
WEBHOOKS = tuple(Gap(*row, area=AREA) for row in _ROWS)
