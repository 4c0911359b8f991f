"""Webhook subscriptions: endpoints, and the signature of what is sent to them."""

from __future__ import annotations

from hashlib import sha256

from ...rules import webhooks as webhook_rules
from ...signing.canonical import hmac_digest, key_bytes
from ...spec.service.value_types import NONE
from .. import bodies
from ..bodies import existing
from ..events import drop
from ..messages import Reply, Request
from ..table import Row
from ..world import World


def create(world: World, request: Request) -> Reply:
    """Subscribe a URL to event types."""
    request_body = bodies.read_body(world, request, "webhook_subscriptions.create")
    body = request_body.fields
    bodies.require_fields(request_body, webhook_rules.check(body, world.service))
    types = list(dict.fromkeys(body["event_types"]))
    fields = {"url": body["url"], "event_types": types, "is_active": True}
    row = world.create("webhook_subscriptions", signer(world, request), **fields)
    return bodies.answer(world, "webhook_subscriptions.create", row)


def delete(world: World, request: Request) -> Reply:
    """Delete a subscription; its queued events are dropped."""
    row = existing(world, "webhook_subscriptions", request.id)
    world.remove("webhook_subscriptions", row["id"])
    for queued in list(world.tables["outbox"].rows.values()):
        if queued["subscription_id"] == row["id"]:
            drop(world, queued)
    return bodies.answer(world, "webhook_subscriptions.delete", {})


def signer(world: World, request: Request) -> dict[str, str]:
    """The key whose secret signs deliveries, unless it is the world's own: a digest, no key."""
    api_key = request.headers.get("x-api-key", "")
    return {"signer": _digest(api_key)} if api_key not in world.secrets else {}


def _digest(api_key: str) -> str:
    return sha256(api_key.encode(errors="surrogateescape")).hexdigest()[:16]


def signature_headers(world: World, row: Row) -> dict[str, str]:
    """The header that signs a delivery, if deliveries are signed. Assumption `webhook.delivery`."""
    name = world.service.webhooks.signature_header
    if name == NONE:
        return {}
    key = key_bytes(_secret(world, row["subscription_id"]), world.service.signing.key_encoding)
    return {name: hmac_digest(key, row["body"].encode()).hex()}


def _secret(world: World, subscription_id: str) -> str:
    """The secret of the client that subscribed; the world's own if it is not known here."""
    signer = (world.find("webhook_subscriptions", subscription_id) or {}).get("_", {}).get("signer")
    default_secret = next(iter(world.secrets.values()), "")
    served = world.served_secrets.items()
    return next((secret for key, secret in served if _digest(key) == signer), default_secret)


SERVED = {
    "webhook_subscriptions.create": create,
    "webhook_subscriptions.delete": delete,
}
