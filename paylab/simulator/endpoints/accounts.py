"""Financial accounts: create and update."""

from __future__ import annotations

from typing import Any

from ...rules import accounts as account_rules
from ..exchange import Reply, Request, conflict, missing, require
from ..showing import plain, without_null
from ..table import Row
from ..world import World


def create(world: World, request: Request) -> Reply:
    """POST /v1/financial_accounts."""
    body = request.json()
    owner = _owner(world, body.get("individual_id"))
    require(account_rules.check(body, owner["country"] if owner else None))
    assert owner is not None  # noqa: S101 - the rules refuse a body without an individual
    return Reply.json(201, plain(add_account(world, owner, body["type"], body["details"])))


def add_account(world: World, owner: Row, kind: str, details: dict[str, Any]) -> Row:
    """Give an individual an account."""
    hidden = {"owner": owner["id"]}
    row = world.create("financial_accounts", hidden, type=kind, details=without_null(details))
    owner["_"]["accounts"].append(row["id"])
    world.put("individuals", owner)
    return row


def update(world: World, request: Request) -> Reply:
    """POST /v1/financial_accounts/{id}: details replaces the whole object."""
    row = world.find("financial_accounts", request.id)
    if row is None:
        missing("financial account")
    details = request.json().get("details")
    country = world.tables["individuals"].rows[row["_"]["owner"]]["country"]
    require(account_rules.check_details(country, row["type"], details))
    if row["type"] == "crypto_wallet":
        conflict("a crypto_wallet cannot be updated: register a new one")
    row.update(details=without_null(details), updated_at=world.stamp())
    return Reply.json(201, plain(world.put("financial_accounts", row)))


def _owner(world: World, individual_id: object) -> Row | None:
    """The individual an account is for; None when the body names none at all."""
    if not isinstance(individual_id, str) or not individual_id.strip():
        return None
    return world.find("individuals", individual_id) or missing("individual")
