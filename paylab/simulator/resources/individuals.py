"""Individuals: endpoints, identity verification and moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...errors.base import Problem
from ...errors.suggestions import find_nearest_names
from ...rules import images as image_rules
from ...rules import individuals as individual_rules
from ...spec import codes
from ...spec.operations.records import OPERATIONS
from ...spec.outcomes import (
    PASSED,
    UNDER_REVIEW,
    fold_outcome,
    list_detail_codes,
    list_outcomes,
    read_outcomes,
)
from ...spec.text import JsonObject
from .. import bodies
from ..bodies import (
    image_list_json,
    individual_json,
    require_row,
)
from ..events import emit_event
from ..messages import RefusedError, Reply, Request, raise_if_problems
from ..table import INTERNALS, Row
from ..world import Steps, World, apply_move
from .financial_accounts import store_account

VERIFICATION_SECONDS = 2.0
"""Duration of a verification on the simulator's clock."""

SIDE_CODES = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}


def verifies_by_token(world: World, person_row: Row) -> bool:
    """Whether this individual verifies with a token instead of images. Assumption `idv.who`."""
    return person_row["country"] in world.service.verification.token_countries


def _make_status_detail(code: str, message: str = "") -> dict[str, str]:
    """A status detail. Its default message is made of the code."""
    if not message:
        description = code.removeprefix("verification_").replace("_", " ")
        message = f"{description.capitalize()}."
    return {"code": code, "message": message}


def start_verification(world: World, person_row: Row) -> None:
    """Give a new individual its first status.

    Assumptions `individual.initial-payouts` and `kyc.initial-details`.
    """
    needs_verification = bool(set(person_row["product_types"]) & set(codes.RAMP_PRODUCTS))
    if needs_verification:
        person_row["status"] = "action_required"
        person_row["status_details"] = [
            _make_status_detail(code) for code in _list_needed_codes(world, person_row)
        ]
        return
    person_row["status"] = world.service.individuals.initial_status
    if person_row["status"] == "pending":
        world.schedule("individuals", person_row["id"], VERIFICATION_SECONDS, "decide")


def _list_needed_codes(world: World, person_row: Row) -> list[str]:
    """The codes of what a new individual must send: a token, or images of each side."""
    if verifies_by_token(world, person_row):
        return ["verification_token_needed"]
    codes_needed = [*SIDE_CODES]
    document_type = (person_row["document"] or {}).get("type")
    if document_type in world.service.verification.one_sided_documents:
        codes_needed.remove("verification_back_image_needed")
    return codes_needed


def record_images(world: World, person_row: Row, sides: set[str]) -> None:
    """Record stored images. Verification starts once every required side is stored."""
    missing_codes = {code for code, side in SIDE_CODES.items() if side not in sides}
    missing_details = [
        status_detail
        for status_detail in person_row["status_details"]
        if status_detail["code"] in missing_codes
    ]
    if not missing_details:
        submit(world, person_row)
        return
    person_row.update(status_details=missing_details, updated_at=world.stamp())
    world.put("individuals", person_row)


def submit(world: World, person_row: Row, _reason: str = "") -> None:
    """Start verification: the individual has sent all that was needed."""
    _move_individual(world, person_row, trigger="submit")
    world.schedule("individuals", person_row["id"], VERIFICATION_SECONDS, "decide")


def plan_outcomes(world: World, person_row: Row, outcomes: Sequence[str]) -> None:
    """Plan the outcomes of the verifications of an individual, one each; the last one repeats."""
    person_row[INTERNALS]["outcomes"] = [*map(fold_outcome, outcomes)]
    world.put("individuals", person_row)


def require_outcomes(world: World, outcomes: Sequence[object]) -> None:
    """RefusedError with status 400 for outcomes that a verification does not have."""
    known_outcome_names = list_outcomes(world.service)
    for outcome in outcomes:
        if isinstance(outcome, str) and fold_outcome(outcome) in known_outcome_names:
            continue
        nearest_outcomes = find_nearest_names(str(outcome), known_outcome_names)
        choices_text = "known are passes, active, under_review and the codes of status_details"
        if nearest_outcomes:
            choices_text = f"is {' or '.join(nearest_outcomes[:2])} meant?"
        message = f"{str(outcome)[:60]} is none: {choices_text}"
        raise_if_problems([Problem("outcomes", message)])


def activate(world: World, person_row: Row) -> None:
    """Move an individual in action_required or pending to active; leave any other as it is."""
    if person_row["status"] == "action_required":
        _move_individual(world, person_row, trigger="submit")
    if person_row["status"] == "pending":
        _move_individual(world, person_row, trigger="pass")


def _decide_verification(world: World, person_row: Row, _reason: str) -> None:
    """End a verification with its outcome. Assumptions `kyc.names` and `kyc.terminal`."""
    outcome = _take_next_outcome(world, person_row)
    if outcome == UNDER_REVIEW:
        trigger = "review"
    elif outcome in world.service.verification.terminal_codes:
        trigger = "reject"
    elif outcome in list_detail_codes(world.service):
        trigger = "ask"
    else:
        trigger = "pass"
    _move_individual(world, person_row, outcome, trigger=trigger)


def _take_next_outcome(world: World, person_row: Row) -> str:
    """Count a verification, and return its outcome; it passes if nothing decides otherwise.

    Planned outcomes come first, then the outcome of a specimen image, then outcomes in the family
    name. Each verification of an individual has the next outcome; the last one repeats.
    """
    internals = person_row[INTERNALS]
    attempt_index = internals.get("attempts", 0)
    internals["attempts"] = attempt_index + 1
    outcomes = internals.get("outcomes") or []
    specimen_outcomes = [*internals.get("specimens", {}).values()]
    if not outcomes and not world.production_like:
        outcomes = specimen_outcomes[:1] or read_outcomes(person_row["family_name"], world.service)
    if not outcomes:
        return PASSED[0]
    return str(outcomes[min(attempt_index, len(outcomes) - 1)])


def _move_individual(world: World, person_row: Row, reason: str = "", *, trigger: str) -> None:
    """Change the status. The reason of `ask` and `reject` becomes a status detail.

    The reason is a code such as `verification_image_blurry`, or a message.
    """
    previous_status = person_row["status"]
    status_details: list[dict[str, str]] | None = None
    if trigger in ("ask", "reject"):
        if reason in list_detail_codes(world.service):
            status_details = [_make_status_detail(reason)]
        else:
            status_details = [_make_status_detail("verification_unknown_error", reason)]
    person_row["status_details"] = status_details
    apply_move(world, "individuals", person_row, trigger)
    payload = make_status_payload(person_row, previous_status)
    emit_event(world, "individual.status_changed", person_row["id"], payload)


def make_status_payload(person_row: Row, previous_status: str | None = None) -> Row:
    """The individual status object of an event."""
    payload = {"id": person_row["id"], "status": person_row["status"]}
    if person_row["status_details"]:
        payload["status_details"] = person_row["status_details"]
    if previous_status is not None:
        payload["previous_status"] = previous_status
    payload["updated_at"] = person_row["updated_at"]
    return payload


MOVES = ("pass", "review", "ask", "reject")

STEPS: Steps = {
    "individuals": {
        "submit": submit,
        "decide": _decide_verification,
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
    parsed_body = bodies.read_body(world, request, "individuals.create")
    service = world.service
    problems = individual_rules.check(parsed_body.fields, service)
    bodies.refuse_if_problems(parsed_body, problems, service.error_codes.validation)
    fields = parsed_body.fields
    person_row = world.create(
        "individuals",
        {"accounts": [], "images": {}},
        **{field_name: fields.get(field_name) for field_name in CREATE_OPERATION.echoed},
        address={**(_pick_fields(fields, "address") or {}), "country": fields["country"]},
        country=fields["country"],
        status="pending",
        product_types=list(dict.fromkeys(fields["product_types"])),
        document=_pick_fields(fields, "document"),
        status_details=None,
    )
    start_verification(world, person_row)
    for account in fields.get("financial_accounts") or []:
        store_account(
            world, owner=person_row, account_type=account["type"], details=account["details"]
        )
    return person_row


def submit_token(world: World, request: Request) -> Reply:
    """Take a verification token: the individual's verification starts.

    RefusedError for an individual that verifies with images, or has nothing to send.
    """
    person_row = require_row(world, "individuals", request.id)
    request_body = bodies.read_body(world, request, "individuals.submit_token")
    bodies.refuse_if_problems(
        request_body, individual_rules.check_token(request_body.fields, service=world.service)
    )
    if not verifies_by_token(world, person_row):
        raise RefusedError(400, "this individual verifies with images: upload verification_images")
    _require_action_status(person_row)
    submit(world, person_row)
    return Reply.json(202, individual_json(world, person_row))


def upload_images(world: World, request: Request) -> Reply:
    """Take verification images. Only the sides that are sent are replaced."""
    person_row = require_row(world, "individuals", request.id)
    request_body = bodies.read_body(world, request, "individuals.upload_images")
    fields = request_body.fields
    bodies.refuse_if_problems(request_body, image_rules.check(fields))
    if verifies_by_token(world, person_row):
        raise RefusedError(
            400, "this individual verifies with a token: submit a verification_token"
        )
    _require_action_status(person_row)
    content_by_side = {image["type"]: image["content"] for image in fields["images"]}
    outcome_by_side = person_row[INTERNALS].setdefault("specimens", {})
    for image_side, data_url in content_by_side.items():
        person_row[INTERNALS]["images"][image_side] = _make_image_metadata(
            world, image_side, data_url
        )
        outcome_by_side.pop(image_side, None)  # another image of that side replaces it
        outcome = image_rules.specimen_outcome(data_url)
        if outcome:
            outcome_by_side[image_side] = outcome
    record_images(world, person_row, set(content_by_side))
    return Reply.json(200, image_list_json(person_row))


def read_images(world: World, request: Request) -> Reply:
    """Read the metadata of an individual's images."""
    return Reply.json(200, image_list_json(require_row(world, "individuals", request.id)))


def _make_image_metadata(world: World, image_side: str, content: str) -> Row:
    """The stored metadata of an image, given as a data URL."""
    now_text = world.stamp()
    media_type = content[len("data:") :].partition(";")[0]
    return {
        "id": world.new_id("images"),
        "type": image_side,
        "content_type": media_type.lower(),
        "created_at": now_text,
        "updated_at": now_text,
    }


def _require_action_status(person_row: Row) -> None:
    """Refuse images and tokens unless the individual has action to take."""
    if person_row["status"] != "action_required":
        refusal_text = (
            f"the individual is {person_row['status']}, not action_required: nothing is requested"
        )
        raise RefusedError(422, refusal_text)


CREATE_OPERATION = OPERATIONS["individuals.create"]


def _pick_fields(fields: Row, object_name: str) -> JsonObject | None:
    """The known fields of a nested object that have values; None if the body has no such object."""
    nested_object = fields.get(object_name)
    if not isinstance(nested_object, dict):
        return None
    field_names = CREATE_OPERATION.by_name[object_name].inner_names()
    return {
        field_name: nested_object[field_name]
        for field_name in field_names
        if nested_object.get(field_name) is not None
    }


HANDLERS = {
    "individuals.create": create,
    "individuals.submit_token": submit_token,
    "individuals.upload_images": upload_images,
    "individuals.images": read_images,
}
