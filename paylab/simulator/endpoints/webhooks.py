"""Webhook subscriptions: create, list, read, delete."""

from __future__ import annotations

from ...rules import webhooks as webhook_rules
from .. import outbox
from ..exchange import Reply, Request, missing, require
from ..showing import plain
from ..table import Row
from ..world import World


def create(world: World, request: Request) -> Reply:
    """POST /v1/webhook_subscriptions."""
    body = request.json()
    require(webhook_rules.check(body))
    types = list(dict.fromkeys(body["event_types"]))
    row = world.create("webhook_subscriptions", url=body["url"], event_types=types, is_active=True)
    return Reply.json(201, plain(row))


def index(world: World, _: Request) -> Reply:
    """GET /v1/webhook_subscriptions: a bare array, newest first."""
    return Reply.json(200, [plain(row) for row in world.tables["webhook_subscriptions"].newest()])


def get(world: World, request: Request) -> Reply:
    """GET /v1/webhook_subscriptions/{id}."""
    return Reply.json(200, plain(_find(world, request)))


def delete(world: World, request: Request) -> Reply:
    """DELETE /v1/webhook_subscriptions/{id}; what was still to be delivered is dropped."""
    row = _find(world, request)
    world.remove("webhook_subscriptions", row["id"])
    outbox.forget(world, row["id"])
    return Reply(204)


def _find(world: World, request: Request) -> Row:
    return world.find("webhook_subscriptions", request.id) or missing("webhook subscription")
