"""Identity checks: what is needed, how they end, and the moves of an individual."""

from __future__ import annotations

from .. import codes
from ..status import INDIVIDUAL
from .moving import move
from .outbox import emit
from .table import Row
from .world import World

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


def start(row: Row) -> None:
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
    move(world, "individuals", INDIVIDUAL, row, trigger)
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
