"""The open points of the area 'Webhooks'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Webhooks"

ROWS = (
    Assumption(
        "webhook.create-status",
        question="Which status answers a new subscription?",
        assumed="201",
    ),
    Assumption(
        "webhook.operations",
        question="How are subscriptions listed, read and deleted?",
        assumed="`GET /v1/webhook_subscriptions`: 200 with an array (pages are read as well). "
        "`GET …/{id}`: 200, or 404. `DELETE …/{id}`: 204, or 404",
        origin="public",
    ),
    Assumption(
        "webhook.delivery",
        question="Is a delivery signed, which answer is success, and when is it repeated?",
        assumed="it is not signed, or a header holds the HMAC-SHA256 of the body with the "
        "secret key, as hex or Base64, with or without `sha256=` in front. Any 2xx "
        "within 10 s is success. Otherwise it is sent again after 5 s, 30 s and 5 min, "
        "and then given up",
    ),
    Assumption(
        "webhook.identity",
        question="When are two deliveries the same event, without an id or a time in it?",
        assumed="when event_type, the id of the resource, status and updated_at are equal",
    ),
    Assumption(
        "webhook.wrapper",
        question="How are the parts of a delivery called?",
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
