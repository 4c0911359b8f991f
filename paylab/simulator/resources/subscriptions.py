"""Webhook subscriptions: endpoints, and the signature of what is sent to them."""

from __future__ import annotations

from hashlib import sha256

from ...rules import webhooks as webhook_rules
from ...signing.canonical import hmac_digest, key_bytes
from ...spec.service.value_types import NONE
from .. import bodies
from ..bodies import require_row
from ..events import drop_delivery
from ..messages import Reply, Request
from ..table import INTERNALS, Row
from ..world import World


def create(world: World, request: Request) -> Reply:
    """Subscribe a URL to event types, each of them once."""
    request_body = bodies.read_body(world, request, "webhook_subscriptions.create")
    fields = request_body.fields
    bodies.refuse_if_problems(request_body, webhook_rules.check(fields, world.service))
    event_types = list(dict.fromkeys(fields["event_types"]))
    row_fields = {"url": fields["url"], "event_types": event_types, "is_active": True}
    subscription_row = world.create(
        "webhook_subscriptions", make_signer_fields(world, request), **row_fields
    )
    return bodies.answer_reply(world, "webhook_subscriptions.create", subscription_row)


def delete(world: World, request: Request) -> Reply:
    """Delete a subscription and drop its queued events."""
    subscription_row = require_row(world, "webhook_subscriptions", request.id)
    world.remove("webhook_subscriptions", subscription_row["id"])
    for queued_row in list(world.tables["outbox"].rows.values()):
        if queued_row["subscription_id"] == subscription_row["id"]:
            drop_delivery(world, queued_row)
    return bodies.answer_reply(world, "webhook_subscriptions.delete", {})


def make_signer_fields(world: World, request: Request) -> dict[str, str]:
    """The internal field of a subscription that names the key whose secret signs its deliveries.

    Empty for the world's own key, which signs by default.
    """
    api_key = request.headers.get("x-api-key", "")
    if api_key in world.secrets:
        return {}
    return {"signer": _hash_key(api_key)}


def _hash_key(api_key: str) -> str:
    """A digest that names an API key without showing it."""
    return sha256(api_key.encode(errors="surrogateescape")).hexdigest()[:16]


def make_signature_headers(world: World, row: Row) -> dict[str, str]:
    """The header that signs a delivery, if deliveries are signed. Assumption `webhook.delivery`."""
    header_name = world.service.webhooks.signature_header
    if header_name == NONE:
        return {}
    signing_key = key_bytes(
        _find_secret(world, row["subscription_id"]), world.service.signing.key_encoding
    )
    return {header_name: hmac_digest(signing_key, row["body"].encode()).hex()}


def _find_secret(world: World, subscription_id: str) -> str:
    """The secret of the client that subscribed; the world's own if that client is not known."""
    subscription_row = world.find("webhook_subscriptions", subscription_id) or {}
    signer_digest = subscription_row.get(INTERNALS, {}).get("signer")
    for api_key, secret in world.served_secrets.items():
        if _hash_key(api_key) == signer_digest:
            return secret
    return next(iter(world.secrets.values()), "")


HANDLERS = {
    "webhook_subscriptions.create": create,
    "webhook_subscriptions.delete": delete,
}
