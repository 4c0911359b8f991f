"""The open points of the area 'Webhooks'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Webhooks"

ROWS = (
    Assumption("webhook.create-status", question="success code", assumed="201"),
    Assumption(
        "webhook.operations",
        question="list, get, delete",
        assumed="`GET /v1/webhook_subscriptions` 200 (bare array; readers also take the "
        "page envelope), `GET …/{id}` 200 / 404, `DELETE …/{id}` 204 / 404",
        origin="public",
    ),
    Assumption(
        "webhook.delivery",
        question="signing, retries, timeouts, expected answer",
        assumed="unsigned, or a header holds the HMAC-SHA256 of the body with the secret "
        "key, as hex or Base64, with or without `sha256=` in front; any 2xx within "
        "10 s is success; otherwise again after 5 s, 30 s, 5 min, then given up",
    ),
    Assumption(
        "webhook.identity",
        question="events carry no id or timestamp",
        assumed="duplicates are recognised by event_type + resource id + status + updated_at",
    ),
    Assumption(
        "webhook.wrapper",
        question="names in the body of a delivery",
        assumed="event_type and event_payload, as the spec says",
        origin="spec",
    ),
)

READINGS = (
    Assumption(
        "polling.events",
        assumed="polling names a change that no event type of the spec is for "
        "transfer.status_changed or conversion.status_changed",
        keyless="The names are paylab's own.",
    ),
    Assumption(
        "webhook.url",
        assumed="http only to loopback, https elsewhere; ASCII without user info and "
        "fragment; the query is kept; a redirect is a failure; an event type that "
        "is named twice counts once",
        keyless="Callers get a warning; the service decides.",
    ),
    Assumption(
        "webhook.time",
        assumed="the 10 s limit is real time; the delays between attempts are simulator "
        "time, counted from the failure before",
        keyless="It concerns the simulator's clock.",
    ),
    Assumption(
        "webhook.order",
        assumed="the first deliveries of one resource's events are in order unless a fault says "
        "otherwise; one that failed is tried again by itself, so that it can arrive after newer "
        "ones",
    ),
    Assumption(
        "webhook.active",
        assumed="is_active is true and read-only",
        keyless="paylab shows the value as sent.",
    ),
)
"""Precise readings of the rows above."""
