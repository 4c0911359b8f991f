"""Individuals and their financial accounts: endpoints, identity verification and moves."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..errors import Problem
from ..rules import accounts as account_rules
from ..rules import images as image_rules
from ..rules import individuals as individual_rules
from ..spec import codes
from ..spec.operations import PERSON
from ..spec.status import INDIVIDUAL
from . import bodies
from .bodies import ADDRESS, DOCUMENT, RequestBody, account_json, page, without_null
from .bodies import image_list as shown_images
from .bodies import individual_json as shown
from .messages import Refused, Reply, Request, conflict, missing
from .table import Row
from .webhooks import emit
from .world import World, apply_move


def create_financial_account(world: World, request: Request) -> Reply:
    """Add an account to an individual."""
    body = bodies.read_body(world, request, "financial_accounts")
    given = body.fields
    owner = _owner(world, given.get("individual_id"))
    country, kind = owner["country"] if owner else None, given.get("type")
    given["details"] = body.read_details(country, kind, given.get("details"), "details")
    _require(world, body, account_rules.check(given, country, world.service))
    assert owner is not None  # noqa: S101 - the rules refuse a body without an individual
    row = add_account(world, owner, given["type"], given["details"])
    return Reply.json(201, account_json(world, row))


def _require(world: World, body: RequestBody, problems: list[Problem]) -> None:
    """Refuse an invalid account; details have their own status. Assumption `account.errors`."""
    wrong = any(each.field.partition(".")[0] == "details" for each in (*body.odd, *problems))
    statuses = world.service.error_codes
    body.require(problems, statuses.details if wrong else statuses.validation)


def add_account(world: World, owner: Row, kind: str, details: dict[str, Any]) -> Row:
    """Give an individual an account."""
    hidden = {"owner": owner["id"]}
    row = world.create("financial_accounts", hidden, type=kind, details=without_null(details))
    owner["_"]["accounts"].append(row["id"])
    world.put("individuals", owner)
    return row


def update_account(world: World, request: Request) -> Reply:
    """Replace the details of an account, or merge into them. Assumption `account.update`."""
    row = world.find("financial_accounts", request.id)
    if row is None:
        missing("financial account")
    service, body = world.service, bodies.read_body(world, request, "financial_account")
    country = world.tables["individuals"].rows[row["_"]["owner"]]["country"]
    details = body.read_details(country, row["type"], body.fields.get("details"), "details")
    if service.financial_accounts.update == "merge" and isinstance(details, dict):
        details = {**row["details"], **details}
    _require(
        world, body, account_rules.check_details(country, row["type"], details, service=service)
    )
    if row["type"] == codes.CRYPTO_WALLET:
        status = service.error_codes.wallet_update
        conflict("a crypto_wallet cannot be updated: register a new one", status)
    row.update(details=without_null(details), updated_at=world.stamp())
    return Reply.json(201, account_json(world, world.put("financial_accounts", row)))


def _owner(world: World, individual_id: object) -> Row | None:
    """The individual of an account; None when the body names none."""
    if not isinstance(individual_id, str) or not individual_id.strip():
        return None
    return world.find("individuals", individual_id) or missing("individual")


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
        world.later("individuals", row["id"], SECONDS, "decide")


def _needed(world: World, row: Row) -> list[str]:
    if by_token(world, row):
        return ["verification_token_needed"]
    one_sided = (row["document"] or {}).get(
        "type"
    ) in world.service.verification.one_sided_documents
    return [code for code in SIDE_CODES if not (one_sided and "back" in code)]


def received(world: World, row: Row, sides: set[str]) -> None:
    """Record stored images; verification starts once every required side is stored."""
    waiting = [
        each
        for each in row["status_details"]
        if each["code"] in SIDE_CODES and SIDE_CODES[each["code"]] not in sides
    ]
    if waiting:
        row.update(status_details=waiting, updated_at=world.stamp())
        world.put("individuals", row)
    else:
        submit(world, row)


def submit(world: World, row: Row, _: str = "") -> None:
    """Start verification."""
    _move(world, row, "submit", None)
    world.later("individuals", row["id"], SECONDS, "decide")


def _decide(world: World, row: Row, _: str) -> None:
    """End verification with the outcome of a specimen or of the family name.

    Assumptions `kyc.names` and `kyc.terminal`.
    """
    named = row["family_name"].strip().casefold().replace(" ", "_")
    wanted = next(iter(row["_"].get("specimens", {}).values()), named)
    if wanted == "under_review":
        _review(world, row, "")
    elif wanted in world.service.verification.terminal_codes:
        _reject(world, row, wanted)
    elif wanted in _codes(world):
        _ask(world, row, wanted)
    else:
        _pass(world, row, "")


def _pass(world: World, row: Row, _: str) -> None:
    _move(world, row, "pass", None)


def _review(world: World, row: Row, _: str) -> None:
    _move(world, row, "review", None)


def _ask(world: World, row: Row, reason: str) -> None:
    _move(world, row, "ask", _reasoned(world, reason))


def _reject(world: World, row: Row, reason: str) -> None:
    _move(world, row, "reject", _reasoned(world, reason))


def _codes(world: World) -> tuple[str, ...]:
    """The status detail codes of the spec and of the service."""
    return (*codes.STATUS_DETAIL_CODES, *world.service.statuses.detail_codes)


def _reasoned(world: World, reason: str) -> list[dict[str, str]]:
    if reason in _codes(world):
        return [_detail(reason)]
    return [_detail("verification_unknown_error", reason)]


def _move(world: World, row: Row, trigger: str, details: list[dict[str, str]] | None) -> None:
    before = row["status"]
    row["status_details"] = details
    apply_move(world, "individuals", INDIVIDUAL, row, trigger)
    payload = {"id": row["id"], "status": row["status"]}
    if details:
        payload["status_details"] = details
    payload |= {"previous_status": before, "updated_at": row["updated_at"]}
    emit(world, "individual.status_changed", row["id"], payload)


STEPS = {
    "submit": submit,
    "decide": _decide,
    "pass": _pass,
    "review": _review,
    "ask": _ask,
    "reject": _reject,
}


def create(world: World, request: Request) -> Reply:
    """Create an individual with its accounts."""
    asked, service = bodies.read_new_individual(world, request), world.service
    asked.require(individual_rules.check(asked.fields, service), service.error_codes.validation)
    body = asked.fields
    row = world.create(
        "individuals",
        {"accounts": [], "images": {}},
        **{name: body.get(name) for name in PERSON},
        address=_address(body),
        country=body["country"],
        status="pending",
        product_types=list(dict.fromkeys(body["product_types"])),
        document=_picked(body.get("document"), DOCUMENT),
        status_details=None,
    )
    start_verification(world, row)
    for account in body.get("financial_accounts") or []:
        add_account(world, row, account["type"], account["details"])
    return Reply.json(world.service.success_codes.individuals, shown(world, row))


def get(world: World, request: Request) -> Reply:
    """Read an individual."""
    return Reply.json(200, shown(world, _find(world, request.id)))


def index(world: World, request: Request) -> Reply:
    """The list of individuals."""
    return page(world, request, "individuals", show=partial(shown, world))


def _find(world: World, row_id: object) -> Row:
    """An individual, or a 404."""
    row = world.find("individuals", row_id)
    return missing("individual") if row is None else row


def submit_token(world: World, request: Request) -> Reply:
    """Take a verification token."""
    row, body = _find(world, request.id), bodies.read_body(world, request, "verification_token")
    body.require(individual_rules.check_token(body.fields, service=world.service))
    if not by_token(world, row):
        raise Refused(400, "this individual verifies with images: upload verification_images")
    _must_wait_for_action(row)
    submit(world, row)
    return Reply.json(202, shown(world, row))


def upload_images(world: World, request: Request) -> Reply:
    """Take verification images; only the sides that are sent are replaced."""
    row, asked = _find(world, request.id), bodies.read_body(world, request, "verification_images")
    body = asked.fields
    asked.require(image_rules.check(body, world.service))
    if by_token(world, row):
        raise Refused(400, "this individual verifies with a token: submit a verification_token")
    _must_wait_for_action(row)
    given = {image["type"]: image["content"] for image in body["images"]}
    for side, content in given.items():
        row["_"]["images"][side] = _stored(world, side, content)
        _note_specimen(row, side, image_rules.specimen_outcome(content))
    received(world, row, set(given))
    return Reply.json(200, shown_images(row))


def read_images(world: World, request: Request) -> Reply:
    """Read the metadata of an individual's images."""
    return Reply.json(200, shown_images(_find(world, request.id)))


def _stored(world: World, side: str, content: str) -> Row:
    """The stored metadata of an image, without its bytes."""
    now = world.stamp()
    return {
        "id": world.new_id("images"),
        "type": side,
        "content_type": content[5 : content.index(";")].lower(),
        "created_at": now,
        "updated_at": now,
    }


def _note_specimen(row: Row, side: str, outcome: str) -> None:
    """Store the outcome of a specimen; another image of that side replaces it."""
    wanted = {one: code for one, code in row["_"].get("specimens", {}).items() if one != side}
    row["_"]["specimens"] = wanted | ({side: outcome} if outcome else {})


def _must_wait_for_action(row: Row) -> None:
    if row["status"] != "action_required":
        conflict(f"the individual is {row['status']}, not action_required: nothing is requested")


def _address(body: dict[str, Any]) -> dict[str, Any]:
    return {**(_picked(body.get("address"), ADDRESS) or {}), "country": body["country"]}


def _picked(value: object, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The known fields of an object that have values."""
    if not isinstance(value, dict):
        return None
    return {name: value[name] for name in names if value.get(name) is not None}
