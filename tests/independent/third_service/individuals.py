"""Operations of individuals and their financial accounts."""

from third_service.checks import (
    Fields,
    check_account,
    check_image,
    check_individual,
    words,
)
from third_service.steps import STEP, check
from third_service.wire import Refusal

TOKEN_COUNTRIES = {"US", "SG", "VN", "AE"}  # verified by a token of an external provider
SIDE_CODES = {
    "document-front": "verification_front_image_needed",
    "document-back": "verification_back_image_needed",
    "selfie": "verification_selfie_needed",
}
TERMINAL = {
    "verification_disallowed_country",
    "verification_age_mismatch",
    "verification_identity_unverified",
}


def create_individual(service, call):
    """POST /v1/individuals."""
    body = call.body
    problems = check_individual(body)
    accounts = body.get("financial_accounts") or []
    country = body.get("country")
    for place, account in enumerate(accounts):
        account_problems = check_account(
            account.get("type"), account.get("details"), country, service.settings
        )
        problems += [(f"financial_accounts.{place}.{n}", text) for n, text in account_problems]
    check(problems)
    names = words(
        "product_types given_name family_name email phone date_of_birth idv_consent_recorded_at "
        "country document"
    )
    row = {name: body[name] for name in names if body.get(name) is not None}
    row["address"] = body["address"] | {"country": country}
    row["status"] = "active"
    row = service.add("individual", row | {"financial_accounts": []})
    for account in accounts:
        add_account(service, row, account["type"], account["details"])
    if {"on_ramp", "off_ramp"} & set(row["product_types"]) and service.settings.kyc != "none":
        row["status"] = "action_required"
        row["status_details"] = needed(service, row)
    return 201, row


def needed(service, individual):
    """What an individual still has to send, as status details."""
    if individual["country"] in TOKEN_COUNTRIES:
        codes = ["verification_token_needed"]
    else:
        stored = {image["type"] for image in images_of(service, individual)}
        sides = [side for side in service.settings.sides if side not in stored]
        codes = [SIDE_CODES[side] for side in sides]
    return [status_detail(code) for code in codes]


def status_detail(code):
    """A status detail with a message for people."""
    return {"code": code, "message": code.replace("_", " ").capitalize() + "."}


def move_individual(service, individual, status, codes=()):
    """Give an individual a new status and send the event."""
    previous = individual["status"]
    service.change(individual, status=status)
    individual.pop("status_details", None)
    if codes:
        individual["status_details"] = [status_detail(code) for code in codes]
    event = {key: individual.get(key) for key in ("id", "status", "status_details", "updated_at")}
    event["previous_status"] = previous
    if event["status_details"] is None:
        del event["status_details"]
    service.emit("individual.status_changed", event)


def verify(service, individual):
    """Start verification; its result depends on the family name and comes a step later."""
    move_individual(service, individual, "pending")
    code = individual["family_name"].lower().replace(" ", "_")
    if service.settings.kyc == "never":
        return
    if not code.startswith("verification_"):
        service.after(STEP, lambda: move_individual(service, individual, "active"))
        return
    status = "rejected" if code in TERMINAL else "action_required"
    service.after(STEP, lambda: move_individual(service, individual, status, [code]))


def submit_token(service, call):
    """POST /v1/individuals/{id}/verification_token."""
    individual = service.find("individual", call.ids[0])
    fields = Fields(call.body)
    fields.choice("provider", ("idv_provider",))
    fields.text("token", r"(?s)(?=.*\S).{1,4096}", message="must have 1 to 4096 characters")
    fields.text("applicant_id")
    fields.time("partner_terms_accepted_at")
    if individual["country"] not in TOKEN_COUNTRIES:
        fields.add("token", "this individual verifies with images")
    check(fields.problems)
    if individual["status"] != "action_required":
        raise Refusal(422, "The individual is not in action_required")
    verify(service, individual)
    return 202, individual


def images_of(service, individual):
    """The stored images of an individual."""
    rows = service.rows["verification_image"].values()
    return [row for row in rows if row["individual_id"] == individual["id"]]


def images_answer(service, individual):
    """The answer that lists the stored images."""
    images = images_of(service, individual)
    public = [{k: v for k, v in image.items() if k != "individual_id"} for image in images]
    return {"individual_id": individual["id"], "images": public}


def read_images(service, call):
    """GET /v1/individuals/{id}/verification_images."""
    return 200, images_answer(service, service.find("individual", call.ids[0]))


def upload_images(service, call):
    """POST /v1/individuals/{id}/verification_images."""
    individual = service.find("individual", call.ids[0])
    images = call.body.get("images")
    most = service.settings.images_most
    if not isinstance(images, list) or not 1 <= len(images) <= most:
        check([("images", f"must be a list of 1 to {most} items")])
    problems = []
    for place, image in enumerate(images):
        problems += check_image(image, place, service.settings)
    if individual["country"] in TOKEN_COUNTRIES:
        problems.append(("images", "this individual verifies with a token"))
    check(problems)
    if individual["status"] != "action_required":
        raise Refusal(422, "The individual is not in action_required")
    for image in images:
        for stored in images_of(service, individual):
            if stored["type"] == image["type"]:
                del service.rows["verification_image"][stored["id"]]
        head = image["content"].partition(";")[0]
        kind = head.removeprefix("data:") if service.settings.image_prefix else "image/jpeg"
        row = {"type": image["type"], "content_type": kind, "individual_id": individual["id"]}
        service.add("verification_image", row)
    details = needed(service, individual)
    if details:
        service.change(individual, status_details=details)
    else:
        verify(service, individual)
    return 200, images_answer(service, individual)


def add_account(service, individual, kind, details):
    """Store a financial account and show it in its individual."""
    account = service.add("financial_account", {"type": kind, "details": details})
    individual["financial_accounts"].append(account)
    return account


def owner_of(service, account):
    """The individual of a financial account."""
    rows = service.rows["individual"].values()
    return next(row for row in rows if account in row["financial_accounts"])


def create_account(service, call):
    """POST /v1/financial_accounts."""
    individual = service.find("individual", call.body.get("individual_id"), "individual_id")
    kind = call.body.get("type")
    details = call.body.get("details")
    check(check_account(kind, details, individual["country"], service.settings))
    return 201, add_account(service, individual, kind, details)


def update_account(service, call):
    """POST /v1/financial_accounts/{id}."""
    account = service.find("financial_account", call.ids[0])
    details = call.body.get("details")
    country = owner_of(service, account)["country"]
    check(check_account(account["type"], details, country, service.settings))
    if account["type"] == "crypto_wallet":
        raise Refusal(422, "A crypto_wallet cannot be updated")
    service.change(account, details=details)
    return 201, account
