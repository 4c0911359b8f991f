"""Individuals: endpoints, identity verification and moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...errors.base import Problem
from ...errors.names import find_nearest_names
from ...rules import images as image_rules
from ...rules import individuals as individual_rules
from ...spec import codes
from ...spec.operations.records import OPERATIONS
from ...spec.text import JsonObject
from .. import bodies
from ..bodies import (
    image_list_json,
    individual_json,
    require_row,
)
from ..events import emit_event
from ..messages import RefusedError, Reply, Request, raise_if_problems
from ..table import Row
from ..world import Steps, World, apply_move
from .financial_accounts import store_account

VERIFICATION_SECONDS = 2.0
"""Duration of a verification on the simulator's clock."""

SIDE_CODES = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}


def verifies_by_token(world: World, row: Row) -> bool:
    """Whether this individual verifies with a token instead of images. Assumption `idv.who`."""
    return row["country"] in world.service.verification.token_countries


def _status_detail(code: str, message: str = "") -> dict[str, str]:
    """A status detail. Its default message is made of the code."""
    if not message:
        description = code.removeprefix("verification_").replace("_", " ")
        message = f"{description.capitalize()}."
    return {"code": code, "message": message}


def start_verification(world: World, row: Row) -> None:
    """Give a new individual its first status.

    Assumptions `individual.initial-payouts` and `kyc.initial-details`.
    """
    if set(row["product_types"]) & set(codes.RAMP_PRODUCTS):
        row["status"] = "action_required"
        row["status_details"] = [_status_detail(code) for code in _needed_codes(world, row)]
        return
    row["status"] = world.service.individuals.initial_status
    if row["status"] == "pending":
        world.schedule("individuals", row["id"], VERIFICATION_SECONDS, "decide")


def _needed_codes(world: World, person_row: Row) -> list[str]:
    """The codes of what a new individual must send: a token, or images of each side."""
    if verifies_by_token(world, person_row):
        return ["verification_token_needed"]
    codes_needed = [*SIDE_CODES]
    document_type = (person_row["document"] or {}).get("type")
    if document_type in world.service.verification.one_sided_documents:
        codes_needed.remove("verification_back_image_needed")
    return codes_needed


def record_images(world: World, row: Row, sides: set[str]) -> None:
    """Record stored images. Verification starts once every required side is stored."""
    missing_codes = {code for code, side in SIDE_CODES.items() if side not in sides}
    details = [detail for detail in row["status_details"] if detail["code"] in missing_codes]
    if not details:
        submit(world, row)
        return
    row.update(status_details=details, updated_at=world.stamp())
    world.put("individuals", row)


def submit(world: World, row: Row, _: str = "") -> None:
    """Start verification."""
    _move_individual(world, row, trigger="submit")
    world.schedule("individuals", row["id"], VERIFICATION_SECONDS, "decide")


PASSED = ("passes", "active")
"""The words of a verification that passes."""


def plan_outcomes(world: World, row: Row, outcomes: Sequence[str]) -> None:
    """Plan the outcomes of the verifications of an individual, one each; the last one repeats."""
    row["_"]["outcomes"] = [outcome.strip().casefold().replace(" ", "_") for outcome in outcomes]
    world.put("individuals", row)


def require_outcomes(world: World, outcomes: Sequence[object]) -> None:
    """RefusedError with status 400 for outcomes that a verification does not have."""
    known_outcomes = dict.fromkeys((*PASSED, "under_review", *_known_codes(world)))
    for outcome in outcomes:
        if (
            not isinstance(outcome, str)
            or outcome.strip().casefold().replace(" ", "_") not in known_outcomes
        ):
            nearest = find_nearest_names(str(outcome), known_outcomes)
            choices = ", ".join(nearest or known_outcomes)
            message = f"{str(outcome)[:60]} is none: is one of {choices} meant?"
            raise_if_problems([Problem("outcomes", message)])


def activate(world: World, row: Row) -> None:
    """Move an individual to active."""
    if row["status"] == "action_required":
        _move_individual(world, row, trigger="submit")
    if row["status"] == "pending":
        _move_individual(world, row, trigger="pass")


def _decide(world: World, person_row: Row, _: str) -> None:
    """End a verification with its outcome. Assumptions `kyc.names` and `kyc.terminal`."""
    outcome = _next_outcome(world, person_row)
    if outcome == "under_review":
        trigger = "review"
    elif outcome in world.service.verification.terminal_codes:
        trigger = "reject"
    elif outcome in _known_codes(world):
        trigger = "ask"
    else:
        trigger = "pass"
    _move_individual(world, person_row, outcome, trigger=trigger)


def _next_outcome(world: World, person_row: Row) -> str:
    """The outcome of this verification: planned, of a specimen, or of the family name."""
    internals = person_row["_"]
    attempt = internals.get("attempts", 0)
    internals["attempts"] = attempt + 1
    outcomes = internals.get("outcomes") or []
    specimen_outcomes = [*internals.get("specimens", {}).values()]
    if not outcomes and not world.production_like:
        outcomes = specimen_outcomes[:1] or _outcomes_of_name(world, person_row["family_name"])
    return str(outcomes[min(attempt, len(outcomes) - 1)]) if outcomes else PASSED[0]


def _outcomes_of_name(world: World, family_name: str) -> list[str]:
    """The outcomes that a family name causes, joined by "then"; none for another name."""
    name_text = family_name.strip().casefold().replace(" ", "_")
    outcomes = name_text.split("_then_")
    known_outcomes = {*PASSED, "under_review", *_known_codes(world)}
    return outcomes if known_outcomes.issuperset(outcomes) else []


def _known_codes(world: World) -> tuple[str, ...]:
    """The status detail codes of the spec and of the service."""
    return (*codes.STATUS_DETAIL_CODES, *world.service.statuses.detail_codes)


def _move_individual(world: World, person_row: Row, reason: str = "", *, trigger: str) -> None:
    """Change the status. `ask` and `reject` have a reason, which becomes a status detail.

    The reason is a code of status details, or a message.
    """
    previous_status = person_row["status"]
    details: list[dict[str, str]] | None = None
    if trigger in ("ask", "reject"):
        if reason in _known_codes(world):
            details = [_status_detail(reason)]
        else:
            details = [_status_detail("verification_unknown_error", reason)]
    person_row["status_details"] = details
    apply_move(world, "individuals", person_row, trigger)
    payload = status_payload(person_row, previous_status)
    emit_event(world, "individual.status_changed", person_row["id"], payload)


def status_payload(row: Row, previous_status: str | None = None) -> Row:
    """The individual status object of an event."""
    payload = {"id": row["id"], "status": row["status"]}
    if row["status_details"]:
        payload["status_details"] = row["status_details"]
    if previous_status is not None:
        payload["previous_status"] = previous_status
    payload["updated_at"] = row["updated_at"]
    return payload


MOVES = ("pass", "review", "ask", "reject")

STEPS: Steps = {
    "individuals": {
        "submit": submit,
        "decide": _decide,
        **{name: partial(_move_individual, trigger=name) for name in MOVES},
    }
}


def create(world: World, request: Request) -> Reply:
    """Create an individual with its accounts."""
    person_row = create_row(world, request)
    status = bodies.success_status(world.service, "individuals.create")
    return Reply.json(status, individual_json(world, person_row))


def create_row(world: World, request: Request) -> Row:
    """Add the individual of a request, with its accounts."""
    request_body = bodies.read_body(world, request, "individuals.create")
    service = world.service
    problems = individual_rules.check(request_body.fields, service)
    bodies.require_fields(request_body, problems, service.error_codes.validation)
    body = request_body.fields
    person_row = world.create(
        "individuals",
        {"accounts": [], "images": {}},
        **{name: body.get(name) for name in CREATE_OPERATION.echoed},
        address={**(_pick_fields(body, "address") or {}), "country": body["country"]},
        country=body["country"],
        status="pending",
        product_types=list(dict.fromkeys(body["product_types"])),
        document=_pick_fields(body, "document"),
        status_details=None,
    )
    start_verification(world, person_row)
    for account in body.get("financial_accounts") or []:
        store_account(world, person_row, account["type"], account["details"])
    return person_row


def submit_token(world: World, request: Request) -> Reply:
    """Take a verification token."""
    person_row = require_row(world, "individuals", request.id)
    body = bodies.read_body(world, request, "individuals.submit_token")
    bodies.require_fields(body, individual_rules.check_token(body.fields, service=world.service))
    if not verifies_by_token(world, person_row):
        raise RefusedError(400, "this individual verifies with images: upload verification_images")
    _require_action_status(person_row)
    submit(world, person_row)
    return Reply.json(202, individual_json(world, person_row))


def upload_images(world: World, request: Request) -> Reply:
    """Take verification images. Only the sides that are sent are replaced."""
    person_row = require_row(world, "individuals", request.id)
    request_body = bodies.read_body(world, request, "individuals.upload_images")
    body = request_body.fields
    bodies.require_fields(request_body, image_rules.check(body))
    if verifies_by_token(world, person_row):
        raise RefusedError(
            400, "this individual verifies with a token: submit a verification_token"
        )
    _require_action_status(person_row)
    contents = {image["type"]: image["content"] for image in body["images"]}
    specimens = person_row["_"].setdefault("specimens", {})
    for image_side, content in contents.items():
        person_row["_"]["images"][image_side] = _image_metadata(world, image_side, content)
        specimens.pop(image_side, None)  # another image of that side replaces it
        outcome = image_rules.specimen_outcome(content)
        if outcome:
            specimens[image_side] = outcome
    record_images(world, person_row, set(contents))
    return Reply.json(200, image_list_json(person_row))


def read_images(world: World, request: Request) -> Reply:
    """Read the metadata of an individual's images."""
    return Reply.json(200, image_list_json(require_row(world, "individuals", request.id)))


def _image_metadata(world: World, image_side: str, content: str) -> Row:
    """The stored metadata of an image, given as a data URL."""
    stored_at = world.stamp()
    media_type = content[len("data:") :].partition(";")[0]
    return {
        "id": world.new_id("images"),
        "type": image_side,
        "content_type": media_type.lower(),
        "created_at": stored_at,
        "updated_at": stored_at,
    }


def _require_action_status(person_row: Row) -> None:
    if person_row["status"] != "action_required":
        refusal_text = (
            f"the individual is {person_row['status']}, not action_required: nothing is requested"
        )
        raise RefusedError(422, refusal_text)


CREATE_OPERATION = OPERATIONS["individuals.create"]


def _pick_fields(body: Row, object_name: str) -> JsonObject | None:
    """The known fields of an object in a body that have values."""
    object_value = body.get(object_name)
    if not isinstance(object_value, dict):
        return None
    field_names = CREATE_OPERATION.by_name[object_name].names()
    return {
        field_name: object_value[field_name]
        for field_name in field_names
        if object_value.get(field_name) is not None
    }


SERVED = {
    "individuals.create": create,
    "individuals.submit_token": submit_token,
    "individuals.upload_images": upload_images,
    "individuals.images": read_images,
}
