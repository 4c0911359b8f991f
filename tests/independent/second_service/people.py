"""Individuals, their images and their financial accounts."""

from . import rules
from .names import their_path
from .problems import Problem, RefusedError

FRONT, BACK = "verification_front_image_needed", "verification_back_image_needed"
SELFIE = "verification_selfie_needed"
SIDES = {FRONT: "document-front", BACK: "document-back", SELFIE: "selfie"}
ONE_SIDED = ("curp", "passport")
TOKEN_COUNTRIES = ("US", "SG", "VN", "AE")


def create(world, body):
    """Create an individual, with the accounts that it comes with."""
    found = [*rules.individual(body)]
    accounts = []
    for index, each in enumerate(body.get("financial_accounts") or []):
        kind = rules.kind_of(body.get("country"), each.get("type"))
        held, problems = rules.details(kind, each.get("details") or {}, world.ways)
        found += [
            Problem(f"financial_accounts.{index}.{p.field}", p.kind, p.words) for p in problems
        ]
        accounts.append((kind, each, held))
    if found:
        raise RefusedError(world.ways["errors"]["invalid"], problems=found)
    kept = {name: body[name] for name in body if name in KEPT}
    person = world.new("individual", status="pending", **kept)
    person["address"] = {"country": body["country"]} | (body.get("address") or {})
    person["financial_accounts"] = [
        _account(world, person, each["type"], kind, held) for kind, each, held in accounts
    ]
    if {*body["product_types"]} & {"on_ramp", "off_ramp"}:
        _ask_for_images(world, person)
    else:
        person["status"] = world.ways["initial"]
        if person["status"] != "active":
            world.after(1, lambda: world.move(person, "active"))
    return person


KEPT = rules.KNOWN["individual.create"].split()


def _ask_for_images(world, person):
    needed = [FRONT, SELFIE]
    if person["document"]["type"] not in ONE_SIDED:
        needed.insert(1, BACK)
    if person["country"] in TOKEN_COUNTRIES:
        needed = ["verification_token_needed"]
    details = [{"code": code, "message": "Needed"} for code in [*needed, *world.ways["codes"]]]
    person |= {"status": "action_required", "status_details": details, "_images": {}}


def upload(world, person, body):
    """Store images; verification starts when every side is there."""
    if person["status"] != "action_required":
        raise RefusedError(422, "the individual is not in action_required")
    found = []
    for index, image in enumerate(body["images"]):
        if image.get("type") not in SIDES.values():
            found.append(Problem(f"images.{index}.type", "invalid", "is not a known side"))
        if not str(image.get("content", "")).startswith("data:image/"):
            found.append(Problem(f"images.{index}.content", "invalid", "must be a data URI"))
    if found:
        raise RefusedError(400, problems=found)
    for image in body["images"]:
        kind = image["content"][5:].partition(";")[0]
        stored = {"id": f"img-{len(person['_images'])}-{person['id']}", "type": image["type"]}
        stored |= {"content_type": kind, "created_at": world.stamp(), "updated_at": world.stamp()}
        person["_images"][image["type"]] = stored
    left = [
        each
        for each in person["status_details"]
        if each["code"] in SIDES and SIDES[each["code"]] not in person["_images"]
    ]
    if left:
        person["status_details"] = left
    else:
        del person["status_details"]
        world.move(person, "pending")
        world.after(world.ways["seconds"]["verification"], lambda: world.move(person, "active"))
    return images(world, person)


def images(world, person):
    """The stored images."""
    return {"individual_id": person["id"], "images": list(person.get("_images", {}).values())}


def add_account(world, body):
    """Add a financial account to an individual."""
    person = world.objects["individual"].get(body["individual_id"])
    if person is None:
        raise RefusedError(404, "individual not found")
    kind = rules.kind_of(person["country"], body["type"])
    held, found = rules.details(kind, body["details"], world.ways)
    if found:
        raise RefusedError(world.ways["errors"]["invalid"], problems=found)
    account = _account(world, person, body["type"], kind, held)
    person["financial_accounts"].append(account)
    return account


def update_account(world, account, body):
    """Replace the details of an account."""
    if account["type"] == "crypto_wallet":
        raise RefusedError(422, "a crypto_wallet cannot be updated")
    held, found = rules.details(account["_kind"], body["details"], world.ways)
    if found:
        raise RefusedError(world.ways["errors"]["invalid"], problems=found)
    names = world.ways["details"].get(account["_kind"], {}).get("names", {})
    account["details"] = {their_path(name, names): value for name, value in held.items()}
    return account


def _account(world, person, type_, kind, held):
    names = world.ways["details"].get(kind, {}).get("names", {})
    details = {names.get(name, name): value for name, value in held.items() if value is not None}
    return world.new("account", type=type_, details=details, _kind=kind, _person=person["id"])
