"""Individuals, their verification, and their financial accounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .context import Answer, Context, Request
from .refusals import REQUIRED, Problem, Refusal, refuse
from .rules import INDIVIDUAL, RAMPS, Body, check_account, check_images, check_individual
from .world import Row

CODES = [
    "verification_front_image_needed",
    "verification_back_image_needed",
    "verification_selfie_needed",
    "verification_token_needed",
    "verification_image_blurry",
    "verification_image_glare",
    "verification_portrait_unclear",
    "verification_portrait_missing",
    "verification_document_not_detected",
    "verification_image_unprocessable",
    "verification_document_damaged",
    "verification_document_expired",
    "verification_unsupported_document_type",
    "verification_country_not_determined",
    "verification_electronic_replica",
    "verification_attribute_mismatch",
    "verification_disallowed_country",
    "verification_age_mismatch",
    "verification_identity_unverified",
    "verification_unknown_error",
]
TERMINAL = (
    "verification_disallowed_country",
    "verification_age_mismatch",
    "verification_identity_unverified",
)
SIDE_OF = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}
ONE_SIDED = ("curp", "passport", None)
BY_TOKEN = ("US", "SG", "VN", "AE")


def create_individual(context: Context, request: Request) -> Answer:
    """Create an individual, and the financial accounts that are supplied with it."""
    settings, world = context.settings, context.world
    body, problems = check_individual(request.body, settings)
    country, accounts = str(body["country"]), body["financial_accounts"]
    if accounts is not None and not isinstance(accounts, list):
        problems.append(("financial_accounts", "Expected array"))
        accounts = []
    for number, each in enumerate(accounts or []):
        one = Body(each, {}, problems, f"financial_accounts.{number}")
        if isinstance(each, dict):
            at = f"financial_accounts.{number}"
            check_account(country, one["type"], one["details"], settings, problems, at)
    refuse(problems)
    values = {name: body[name] for name in INDIVIDUAL if body[name] is not None}
    values.pop("financial_accounts", None)
    values["address"] = {**values.get("address", {}), "country": country}
    row = world.add("individuals", {**values, "status": "active"})
    if RAMPS & set(row["product_types"]):
        row.update(status="action_required", _needs=_first_needs(context, row))
    for each in accounts or []:
        _add_account(context, row, each["type"], each["details"])
    return Answer(individual(context, row))


def _first_needs(context: Context, row: Row) -> list[str]:
    """The status detail codes of a new individual."""
    if row["country"] in BY_TOKEN:
        return ["verification_token_needed"]
    codes = list(context.settings["verification.codes"])
    if row.get("document", {}).get("type") not in ONE_SIDED:
        codes.insert(1, "verification_back_image_needed")
    return codes


def individual(context: Context, row: Row) -> Row:
    """An individual as it is answered: with its accounts, without keys whose value is None."""
    accounts = context.world.rows("financial_accounts", _individual=row["id"])
    details = [{"code": code, "message": _message(code)} for code in row.get("_needs", ())]
    shown = {**row, "financial_accounts": accounts}
    if details and row["status"] in ("action_required", "rejected"):
        shown["status_details"] = details
    return {key: value for key, value in shown.items() if value is not None}


def _message(code: str) -> str:
    words = code.removeprefix("verification_").replace("_", " ")
    return f"{words.capitalize()}."


def list_individuals(context: Context, request: Request) -> Answer:
    """Every individual."""
    return Answer([individual(context, row) for row in context.world.rows("individuals")])


def get_individual(context: Context, request: Request) -> Answer:
    """One individual."""
    return Answer(individual(context, _find(context, request.params["id"])))


def _find(context: Context, key: object) -> Row:
    return context.world.find("individuals", key, "Individual")


def upload_images(context: Context, request: Request) -> Answer:
    """Store images by side. Verification starts when all required sides are stored."""
    row = _find(context, request.params["id"])
    problems: list[Problem] = []
    images = check_images(request.body, problems)
    if row["country"] in BY_TOKEN:
        problems.append(("", "This individual verifies with a token"))
    refuse(problems)
    _must_need_action(row)
    for image in images:
        before = context.world.rows("images", _individual=row["id"], type=image["type"])
        for old in before:
            del context.world.tables["images"][old["id"]]
        context.world.add("images", {**image, "_individual": row["id"]})
    sides = {image["type"] for image in context.world.rows("images", _individual=row["id"])}
    changed = {image["type"] for image in images}
    row["_needs"] = [
        code
        for code in row["_needs"]
        if (SIDE_OF[code] not in sides if code in SIDE_OF else not changed)
    ]
    if not row["_needs"]:
        _verify(context, row)
    return Answer(_images(context, row))


def list_images(context: Context, request: Request) -> Answer:
    """The metadata of the stored images."""
    return Answer(_images(context, _find(context, request.params["id"])))


def _images(context: Context, row: Row) -> Row:
    images = context.world.rows("images", _individual=row["id"])
    return {"individual_id": row["id"], "images": images}


def _must_need_action(row: Row) -> None:
    if row["status"] != "action_required":
        raise Refusal(422, f"Individual is {row['status']}, not action_required")


def submit_token(context: Context, request: Request) -> Answer:
    """Take the token of an external identity provider, and start verification."""
    row = _find(context, request.params["id"])
    problems: list[Problem] = []
    body = Body(request.body, {}, problems)
    body.require(["provider", "token", "applicant_id", "partner_terms_accepted_at"])
    body.word("provider", [context.settings["words.provider"]])
    body.text("token", r".{1,4096}", "Must contain at most 4096 character(s)")
    body.text("applicant_id")
    body.moment("partner_terms_accepted_at")
    if row["country"] not in BY_TOKEN:
        problems.append(("", "This individual verifies with images"))
    refuse(problems)
    _must_need_action(row)
    _verify(context, row)
    return Answer(individual(context, row))


def _verify(context: Context, row: Row) -> None:
    """Set the status to pending, and after the delay to what the family name selects."""
    before = row["status"]
    context.world.change(row, status="pending", _needs=[])
    context.outbox.status_changed("individual", row, before)
    code = row["family_name"].strip().lower().replace(" ", "_")
    last: Callable[[], dict[str, Any]] = lambda: {"status": "active"}  # noqa: E731
    if context.settings["outcomes"] and code == "under_review":
        last = lambda: {"status": "under_review"}  # noqa: E731
    elif context.settings["outcomes"] and code in CODES:
        status = "rejected" if code in TERMINAL else "action_required"
        last = lambda: {"status": status, "_needs": [code]}  # noqa: E731
    context.walk(row, "verification", [*context.extra("partner_review"), last])


def create_account(context: Context, request: Request) -> Answer:
    """Create a financial account of an individual."""
    problems: list[Problem] = []
    body = Body(request.body, {}, problems)
    body.require(["individual_id"])
    late = not context.settings["lookup.before_checks"]
    if body["individual_id"] and late and body["type"] == "crypto_wallet":
        check_account("", body["type"], body["details"], context.settings, problems)
        refuse(problems)
    if body["individual_id"]:
        row = _find(context, body["individual_id"])
        check_account(row["country"], body["type"], body["details"], context.settings, problems)
    else:
        problems += [(name, REQUIRED) for name in ("type", "details") if body[name] is None]
    if context.settings["bodies.unknown_keys"] == "refuse":
        body.only(["individual_id", "type", "details"])
    refuse(problems)
    return Answer(_add_account(context, row, body["type"], body["details"]))


def _add_account(context: Context, owner: Row, account_type: str, details: Row) -> Row:
    values = {"type": account_type, "details": dict(details), "_individual": owner["id"]}
    return context.world.add("financial_accounts", values)


def update_account(context: Context, request: Request) -> Answer:
    """Replace the details of an account that is not a crypto wallet."""
    row = context.world.find("financial_accounts", request.params["id"], "Financial account")
    problems: list[Problem] = []
    body = Body(request.body, {}, problems)
    owner = _find(context, row["_individual"])
    check_account(owner["country"], row["type"], body["details"], context.settings, problems)
    refuse(problems)
    if row["type"] == "crypto_wallet":
        raise Refusal(422, "A crypto_wallet cannot be updated. Create a new one")
    context.world.change(row, details=dict(body["details"]))
    return Answer(row)
