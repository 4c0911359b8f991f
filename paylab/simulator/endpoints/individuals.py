"""Individuals: create, read, list, and both ways to verify."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...rules import images as image_rules
from ...rules import individuals as individual_rules
from .. import verification
from ..exchange import Refused, Reply, Request, conflict, missing, require
from ..showing import images as shown_images
from ..showing import individual as shown
from ..table import Row
from ..world import World
from .accounts import add_account
from .listing import page

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
    verification.start(row)
    for account in body.get("financial_accounts") or []:
        add_account(world, row, account["type"], account["details"])
    return Reply.json(201, shown(world, row))


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
    if not verification.by_token(row):
        raise Refused(400, "this individual verifies with images: upload verification_images")
    _must_wait_for_action(row)
    verification.submit(world, row)
    return Reply.json(202, shown(world, row))


def upload_images(world: World, request: Request) -> Reply:
    """POST /v1/individuals/{id}/verification_images: merges by side."""
    row = find(world, request.id)
    body = request.json()
    require(image_rules.check(body))
    if verification.by_token(row):
        raise Refused(400, "this individual verifies with a token: submit a verification_token")
    _must_wait_for_action(row)
    given = {image["type"]: image["content"] for image in body["images"]}
    for side, content in given.items():
        row["_"]["images"][side] = _stored(world, side, content)
    verification.received(world, row, set(given))
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
