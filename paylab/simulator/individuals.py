"""Individuals and their financial accounts: endpoints, identity verification and moves."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..rules import accounts as account_rules
from ..rules import images as image_rules
from ..rules import individuals as individual_rules
from ..spec import codes
from ..spec.status import INDIVIDUAL
from .messages import Refused, Reply, Request, conflict, missing, require
from .serialise import as_shown, page, without_null
from .serialise import image_list as shown_images
from .serialise import individual_json as shown
from .table import Row
from .webhooks import emit
from .world import World, apply_move


def create_financial_account(world: World, request: Request) -> Reply:
    """POST /v1/financial_accounts."""
    body = request.json()
    owner = _owner(world, body.get("individual_id"))
    require(account_rules.check(body, owner["country"] if owner else None))
    assert owner is not None  # noqa: S101 - the rules refuse a body without an individual
    return Reply.json(201, as_shown(add_account(world, owner, body["type"], body["details"])))


def add_account(world: World, owner: Row, kind: str, details: dict[str, Any]) -> Row:
    """Give an individual an account."""
    hidden = {"owner": owner["id"]}
    row = world.create("financial_accounts", hidden, type=kind, details=without_null(details))
    owner["_"]["accounts"].append(row["id"])
    world.put("individuals", owner)
    return row


def update_account(world: World, request: Request) -> Reply:
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
    return Reply.json(201, as_shown(world.put("financial_accounts", row)))


def _owner(world: World, individual_id: object) -> Row | None:
    """The individual an account is for; None when the body names none at all."""
    if not isinstance(individual_id, str) or not individual_id.strip():
        return None
    return world.find("individuals", individual_id) or missing("individual")


SECONDS = 2.0
"""How long a check takes on the simulator's clock."""

SIDE_CODES = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}


def by_token(row: Row) -> bool:
    """Whether this individual verifies with a token instead of images. Gap `idv.who`."""
    return row["country"] in codes.TOKEN_COUNTRIES


def detail(code: str, message: str = "") -> dict[str, str]:
    """A status detail; without words of its own, the code's."""
    words = code.removeprefix("verification_").replace("_", " ")
    return {"code": code, "message": message or f"{words.capitalize()}."}


def start_verification(row: Row) -> None:
    """Give a new individual its first status.

    Gaps `individual.initial-payouts` and `kyc.initial-details`.
    """
    if not set(row["product_types"]) & set(codes.RAMP_PRODUCTS):
        row["status"] = "active"
        return
    row["status"] = "action_required"
    row["status_details"] = [detail(code) for code in _needed(row)]


def _needed(row: Row) -> list[str]:
    if by_token(row):
        return ["verification_token_needed"]
    one_sided = (row["document"] or {}).get("type") in codes.ONE_SIDED_DOCUMENTS
    return [code for code in SIDE_CODES if not (one_sided and "back" in code)]


def received(world: World, row: Row, sides: set[str]) -> None:
    """Note that images came; the check begins once every side asked for is there."""
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
    """Begin the check."""
    _move(world, row, "submit", None)
    world.later("individuals", row["id"], SECONDS, "decide")


def _decide(world: World, row: Row, _: str) -> None:
    """End the check as the family name asks. Gap `kyc.names`."""
    wanted = row["family_name"].strip().casefold().replace(" ", "_")
    if wanted == "under_review":
        _review(world, row, "")
    elif wanted in codes.TERMINAL_CODES:
        _reject(world, row, wanted)
    elif wanted in codes.STATUS_DETAIL_CODES:
        _ask(world, row, wanted)
    else:
        _pass(world, row, "")


def _pass(world: World, row: Row, _: str) -> None:
    _move(world, row, "pass", None)


def _review(world: World, row: Row, _: str) -> None:
    _move(world, row, "review", None)


def _ask(world: World, row: Row, reason: str) -> None:
    _move(world, row, "ask", _reasoned(reason))


def _reject(world: World, row: Row, reason: str) -> None:
    _move(world, row, "reject", _reasoned(reason))


def _reasoned(reason: str) -> list[dict[str, str]]:
    if reason in codes.STATUS_DETAIL_CODES:
        return [detail(reason)]
    return [detail("verification_unknown_error", reason)]


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


FIELDS = (
    *("given_name", "family_name", "email", "phone", "date_of_birth", "idv_consent_recorded_at"),
)
ADDRESS = ("country", "line_1", "line_2", "city", "state", "postal_code")


def create(world: World, request: Request) -> Reply:
    """POST /v1/individuals."""
    body = request.json()
    require(individual_rules.check(body))
    row = world.create(
        "individuals",
        {"accounts": [], "images": {}},
        **{name: body.get(name) for name in FIELDS},
        address=_address(body),
        country=body["country"],
        status="pending",
        product_types=list(dict.fromkeys(body["product_types"])),
        document=_picked(body.get("document"), ("type", "number")),
        status_details=None,
    )
    start_verification(row)
    for account in body.get("financial_accounts") or []:
        add_account(world, row, account["type"], account["details"])
    return Reply.json(world.service.success_codes.individuals, shown(world, row))


def get(world: World, request: Request) -> Reply:
    """GET /v1/individuals/{id}."""
    return Reply.json(200, shown(world, find(world, request.id)))


def index(world: World, request: Request) -> Reply:
    """GET /v1/individuals."""
    return page(world, request, "individuals", show=partial(shown, world))


def find(world: World, row_id: object) -> Row:
    """An individual, or a 404."""
    row = world.find("individuals", row_id)
    return missing("individual") if row is None else row


def submit_token(world: World, request: Request) -> Reply:
    """POST /v1/individuals/{id}/verification_token."""
    row = find(world, request.id)
    require(individual_rules.check_token(request.json()))
    if not by_token(row):
        raise Refused(400, "this individual verifies with images: upload verification_images")
    _must_wait_for_action(row)
    submit(world, row)
    return Reply.json(202, shown(world, row))


def upload_images(world: World, request: Request) -> Reply:
    """POST /v1/individuals/{id}/verification_images: merges by side."""
    row = find(world, request.id)
    body = request.json()
    require(image_rules.check(body))
    if by_token(row):
        raise Refused(400, "this individual verifies with a token: submit a verification_token")
    _must_wait_for_action(row)
    given = {image["type"]: image["content"] for image in body["images"]}
    for side, content in given.items():
        row["_"]["images"][side] = _stored(world, side, content)
    received(world, row, set(given))
    return Reply.json(200, shown_images(row))


def read_images(world: World, request: Request) -> Reply:
    """GET /v1/individuals/{id}/verification_images: metadata alone."""
    return Reply.json(200, shown_images(find(world, request.id)))


def _stored(world: World, side: str, content: str) -> Row:
    """What is kept of an image: never its bytes."""
    now = world.stamp()
    return {
        "id": world.new_id("images"),
        "type": side,
        "content_type": content[5 : content.index(";")].lower(),
        "created_at": now,
        "updated_at": now,
    }


def _must_wait_for_action(row: Row) -> None:
    if row["status"] != "action_required":
        conflict(f"the individual is {row['status']}, not action_required: nothing is asked for")


def _address(body: dict[str, Any]) -> dict[str, Any]:
    return {**(_picked(body.get("address"), ADDRESS) or {}), "country": body["country"]}


def _picked(value: object, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The known fields of an object that have a value."""
    if not isinstance(value, dict):
        return None
    return {name: value[name] for name in names if value.get(name) is not None}
