"""Individuals and their financial accounts: endpoints, identity verification and moves."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...errors.base import Problem
from ...rules import accounts as account_rules
from ...rules import images as image_rules
from ...rules import individuals as individual_rules
from ...spec import codes
from ...spec.operations.records import OPERATIONS
from ...spec.request_body import RequestBody
from .. import bodies
from ..bodies import account_json, existing, image_list, individual_json, named_row, without_null
from ..events import emit
from ..messages import RefusedError, Reply, Request
from ..table import Row
from ..world import Steps, World, apply_move


def create_financial_account(world: World, request: Request) -> Reply:
    """Add an account to an individual."""
    body = bodies.read_body(world, request, "financial_accounts.create")
    fields = body.fields
    owner = named_row(world, "individuals", fields.get("individual_id"))
    country = owner["country"] if owner else None
    kind = fields.get("type")
    fields["details"] = body.read_details(country, kind, fields.get("details"), "details")
    _require(world, body, account_rules.check(fields, country, world.service))
    assert owner is not None  # noqa: S101 - the rules refuse a body without an individual
    row = add_account(world, owner, fields["type"], fields["details"])
    return Reply.json(201, account_json(world, row))


def _require(world: World, body: RequestBody, problems: list[Problem]) -> None:
    """Refuse an invalid account. Assumption `account.errors`."""
    bodies.require_fields(body, problems, world.service.error_codes.validation)


def add_account(world: World, owner: Row, kind: str, details: dict[str, Any]) -> Row:
    """Give an individual an account."""
    hidden = {"owner": owner["id"]}
    row = world.create("financial_accounts", hidden, type=kind, details=without_null(details))
    owner["_"]["accounts"].append(row["id"])
    world.put("individuals", owner)
    return row


def update_account(world: World, request: Request) -> Reply:
    """Replace the details of an account, or merge into them. Assumption `account.update`."""
    row = existing(world, "financial_accounts", request.id)
    service = world.service
    body = bodies.read_body(world, request, "financial_accounts.update")
    country = world.tables["individuals"].rows[row["_"]["owner"]]["country"]
    details = body.read_details(country, row["type"], body.fields.get("details"), "details")
    if service.financial_accounts.update == "merge" and isinstance(details, dict):
        details = {**row["details"], **details}
    _require(
        world, body, account_rules.check_details(country, row["type"], details, service=service)
    )
    if row["type"] == codes.CRYPTO_WALLET:
        status = service.error_codes.state
        raise RefusedError(status, "a crypto_wallet cannot be updated: register a new one")
    row.update(details=without_null(details), updated_at=world.stamp())
    return Reply.json(201, account_json(world, world.put("financial_accounts", row)))


SECONDS = 2.0
"""Duration of a verification on the simulator's clock."""

SIDE_CODES = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}


def by_token(world: World, row: Row) -> bool:
    """Whether this individual verifies with a token instead of images. Assumption `idv.who`."""
    return row["country"] in world.service.verification.token_countries


def _detail(code: str, message: str = "") -> dict[str, str]:
    """A status detail; the default message is that of the code."""
    words = code.removeprefix("verification_").replace("_", " ")
    return {"code": code, "message": message or f"{words.capitalize()}."}


def start_verification(world: World, row: Row) -> None:
    """Give a new individual its first status.

    Assumptions `individual.initial-payouts` and `kyc.initial-details`.
    """
    if set(row["product_types"]) & set(codes.RAMP_PRODUCTS):
        row["status"] = "action_required"
        row["status_details"] = [_detail(code) for code in _needed(world, row)]
        return
    row["status"] = world.service.individuals.initial_status
    if row["status"] == "pending":
        world.schedule("individuals", row["id"], SECONDS, "decide")


def _needed(world: World, row: Row) -> list[str]:
    if by_token(world, row):
        return ["verification_token_needed"]
    document = (row["document"] or {}).get("type")
    one_sided = document in world.service.verification.one_sided_documents
    return [code for code in SIDE_CODES if not (one_sided and "back" in code)]


def received(world: World, row: Row, sides: set[str]) -> None:
    """Record stored images; verification starts once every required side is stored."""
    missing = {code for code, side in SIDE_CODES.items() if side not in sides}
    waiting = [detail for detail in row["status_details"] if detail["code"] in missing]
    if waiting:
        row.update(status_details=waiting, updated_at=world.stamp())
        world.put("individuals", row)
    else:
        submit(world, row)


def submit(world: World, row: Row, _: str = "") -> None:
    """Start verification."""
    _move(world, row, trigger="submit")
    world.schedule("individuals", row["id"], SECONDS, "decide")


def _decide(world: World, row: Row, _: str) -> None:
    """End verification with the outcome of a specimen or of the family name.

    Assumptions `kyc.names` and `kyc.terminal`.
    """
    outcome_by_name = row["family_name"].strip().casefold().replace(" ", "_")
    outcome = next(iter(row["_"].get("specimens", {}).values()), outcome_by_name)
    if outcome == "under_review":
        trigger = "review"
    elif outcome in world.service.verification.terminal_codes:
        trigger = "reject"
    else:
        trigger = "ask" if outcome in _codes(world) else "pass"
    _move(world, row, outcome, trigger=trigger)


def _codes(world: World) -> tuple[str, ...]:
    """The status detail codes of the spec and of the service."""
    return (*codes.STATUS_DETAIL_CODES, *world.service.statuses.detail_codes)


def _move(world: World, row: Row, reason: str = "", *, trigger: str) -> None:
    """Change the status; only `ask` and `reject` have a reason, as a status detail."""
    previous_status = row["status"]
    code_and_message = (
        (reason,) if reason in _codes(world) else ("verification_unknown_error", reason)
    )
    details = [_detail(*code_and_message)] if trigger in ("ask", "reject") else None
    row["status_details"] = details
    apply_move(world, "individuals", row, trigger)
    payload = {"id": row["id"], "status": row["status"]}
    if details:
        payload["status_details"] = details
    payload |= {"previous_status": previous_status, "updated_at": row["updated_at"]}
    emit(world, "individual.status_changed", row["id"], payload)


STEPS: Steps = {
    "individuals": {
        "submit": submit,
        "decide": _decide,
        **{each: partial(_move, trigger=each) for each in ("pass", "review", "ask", "reject")},
    }
}


def create(world: World, request: Request) -> Reply:
    """Create an individual with its accounts."""
    request_body = bodies.read_body(world, request, "individuals.create")
    service = world.service
    problems = individual_rules.check(request_body.fields, service)
    bodies.require_fields(request_body, problems, service.error_codes.validation)
    body = request_body.fields
    row = world.create(
        "individuals",
        {"accounts": [], "images": {}},
        **{name: body.get(name) for name in _FIELDS.echoed},
        address={**(_picked(body, "address") or {}), "country": body["country"]},
        country=body["country"],
        status="pending",
        product_types=list(dict.fromkeys(body["product_types"])),
        document=_picked(body, "document"),
        status_details=None,
    )
    start_verification(world, row)
    for account in body.get("financial_accounts") or []:
        add_account(world, row, account["type"], account["details"])
    status = bodies.success(world.service, "individuals.create")
    return Reply.json(status, individual_json(world, row))


def submit_token(world: World, request: Request) -> Reply:
    """Take a verification token."""
    row = existing(world, "individuals", request.id)
    body = bodies.read_body(world, request, "individuals.submit_token")
    bodies.require_fields(body, individual_rules.check_token(body.fields, service=world.service))
    if not by_token(world, row):
        raise RefusedError(400, "this individual verifies with images: upload verification_images")
    _must_wait_for_action(row)
    submit(world, row)
    return Reply.json(202, individual_json(world, row))


def upload_images(world: World, request: Request) -> Reply:
    """Take verification images; only the sides that are sent are replaced."""
    row = existing(world, "individuals", request.id)
    request_body = bodies.read_body(world, request, "individuals.upload_images")
    body = request_body.fields
    bodies.require_fields(request_body, image_rules.check(body))
    if by_token(world, row):
        raise RefusedError(
            400, "this individual verifies with a token: submit a verification_token"
        )
    _must_wait_for_action(row)
    contents = {image["type"]: image["content"] for image in body["images"]}
    specimens = row["_"].setdefault("specimens", {})
    for side, content in contents.items():
        row["_"]["images"][side] = _stored(world, side, content)
        specimens.pop(side, None)  # another image of that side replaces it
        if outcome := image_rules.specimen_outcome(content):
            specimens[side] = outcome
    received(world, row, set(contents))
    return Reply.json(200, image_list(row))


def read_images(world: World, request: Request) -> Reply:
    """Read the metadata of an individual's images."""
    return Reply.json(200, image_list(existing(world, "individuals", request.id)))


def _stored(world: World, side: str, content: str) -> Row:
    """The stored metadata of an image, without its bytes."""
    stored_at = world.stamp()
    return {
        "id": world.new_id("images"),
        "type": side,
        "content_type": content[5 : content.index(";")].lower(),
        "created_at": stored_at,
        "updated_at": stored_at,
    }


def _must_wait_for_action(row: Row) -> None:
    if row["status"] != "action_required":
        text = f"the individual is {row['status']}, not action_required: nothing is requested"
        raise RefusedError(422, text)


_FIELDS = OPERATIONS["individuals.create"]


def _picked(body: Row, name: str) -> dict[str, Any] | None:
    """The known fields of an object in a body that have values."""
    value = body.get(name)
    names = _FIELDS.by_name[name].names()
    if not isinstance(value, dict):
        return None
    return {name: value[name] for name in names if value.get(name) is not None}


SERVED = {
    "individuals.create": create,
    "individuals.submit_token": submit_token,
    "individuals.upload_images": upload_images,
    "individuals.images": read_images,
    "financial_accounts.create": create_financial_account,
    "financial_accounts.update": update_account,
}
