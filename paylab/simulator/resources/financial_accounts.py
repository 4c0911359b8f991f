"""Financial accounts of individuals: endpoints."""

from __future__ import annotations

from ...errors.base import Problem
from ...rules import accounts as account_rules
from ...spec import codes
from ...spec.answers import drop_nulls
from ...spec.request_body import RequestBody
from ...spec.text import JsonObject
from .. import bodies
from ..bodies import account_json, find_named_row, require_row
from ..messages import RefusedError, Reply, Request
from ..table import INTERNALS, Row
from ..world import World


def create_financial_account(world: World, request: Request) -> Reply:
    """Add an account to an individual."""
    return Reply.json(201, account_json(world, create_account_row(world, request)))


def create_account_row(world: World, request: Request) -> Row:
    """Check the account in the body of a request, and add it to its individual."""
    request_body = bodies.read_body(world, request, "financial_accounts.create")
    fields = request_body.fields
    owner_row = find_named_row(world, "individuals", fields.get("individual_id"))
    country = owner_row["country"] if owner_row else None
    account_type = fields.get("type")
    fields["details"] = request_body.rename_details(
        country, account_type, fields.get("details"), "details"
    )
    problems = account_rules.check(fields, country, world.service)
    _require_account_fields(world, request_body, problems)
    assert owner_row is not None  # noqa: S101 - the rules refuse a body without an individual
    return store_account(world, owner_row, fields["type"], fields["details"])


def _require_account_fields(
    world: World, request_body: RequestBody, problems: list[Problem]
) -> None:
    """Refuse an account that has problems. Assumption `account.errors`."""
    bodies.refuse_if_problems(request_body, problems, world.service.error_codes.validation)


def store_account(world: World, owner: Row, account_type: str, details: JsonObject) -> Row:
    """Add an account to an individual, without details that are null; return its row."""
    account_row = world.create(
        "financial_accounts",
        {"owner": owner["id"]},
        type=account_type,
        details=drop_nulls(details),
    )
    owner[INTERNALS]["accounts"].append(account_row["id"])
    world.put("individuals", owner)
    return account_row


def update_account(world: World, request: Request) -> Reply:
    """Replace the details of an account, or merge into them. Assumption `account.update`."""
    account_row = require_row(world, "financial_accounts", request.id)
    service = world.service
    request_body = bodies.read_body(world, request, "financial_accounts.update")
    country = world.tables["individuals"].rows[account_row[INTERNALS]["owner"]]["country"]
    details = request_body.rename_details(
        country, account_row["type"], request_body.fields.get("details"), "details"
    )
    if service.financial_accounts.update == "merge" and isinstance(details, dict):
        details = {**account_row["details"], **details}
    _require_account_fields(
        world,
        request_body,
        account_rules.check_details(country, account_row["type"], details, service=service),
    )
    if account_row["type"] == codes.CRYPTO_WALLET:
        status = service.error_codes.state
        raise RefusedError(status, "a crypto_wallet cannot be updated: register a new one")
    account_row.update(details=drop_nulls(details), updated_at=world.stamp())
    return Reply.json(201, account_json(world, world.put("financial_accounts", account_row)))


HANDLERS = {
    "financial_accounts.create": create_financial_account,
    "financial_accounts.update": update_account,
}
