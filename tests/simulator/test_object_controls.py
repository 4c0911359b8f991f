"""Controls that add people, accounts and finished payments, and events that are held back."""

from __future__ import annotations

import pytest

HOOK = "https://hooks.example.com/in"
PEOPLE = "/_simulator/people"
ACCOUNTS = "/_simulator/accounts"


def subscribed(make, **options):
    """A service with a subscription to moves of individuals, and the deliveries to it."""
    received = []
    service = make(send=lambda url, body: received.append(body) or 200, **options)
    service.post(
        "/v1/webhook_subscriptions", {"url": HOOK, "event_types": ["individual.status_changed"]}
    )
    return service, received


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"country": "MX", "status": "action_required"}),
        ({"verified": True}, {"country": "MX", "status": "active"}),
        ({"country": "PH", "verified": True}, {"country": "PH", "status": "active"}),
        ({"country": "BR"}, {"country": "BR", "status": "active"}),
        ({"country": "SG"}, {"country": "SG", "status": "active"}),
        (None, {"country": "MX", "status": "action_required"}),
        ({"given_name": "Zoë", "email": "z@x.co"}, {"given_name": "Zoë", "email": "z@x.co"}),
        ({"product_types": ["global_payouts"]}, {"status": "active"}),
    ],
)
def test_a_person_is_added(service, body, expected):
    """The answer is the individual as its GET shows it, and the journal has no request."""
    answer = service.post(PEOPLE, body)
    assert answer.status == 201
    assert {name: answer[name] for name in expected} == expected
    assert service.get(f"/v1/individuals/{answer['id']}").json == answer.json
    paths = [row["path"] for row in service.get("/_simulator/requests").json]
    assert paths == [f"/v1/individuals/{answer['id']}"]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        (PEOPLE, {"country": "XX"}, "country: must be one of"),
        (PEOPLE, {"country": 7}, "country: must be text"),
        (PEOPLE, {"verified": "yes"}, "verified: must be true or false"),
        (PEOPLE, {"verfied": True}, "verfied"),
        (PEOPLE, {"given_nme": "Ana"}, "is given_name meant"),
        (PEOPLE, {"outcomes": "passes"}, "outcomes: must be a list"),
        (PEOPLE, {"outcomes": ["verification_blurry"]}, "verification_image_blurry"),
        (PEOPLE, {"document": {"type": "tin", "number": "1"}}, "document"),
        (ACCOUNTS, {"country": "XX"}, "country: must be one of"),
        (ACCOUNTS, {"country": "SG", "type": "upi", "details": {}}, "crypto_wallet in SG"),
        ("/_simulator/clock", {"advance": True}, "advance: must be a span"),
        (ACCOUNTS, {"type": "upi"}, "details: name those of a upi"),
        (ACCOUNTS, {"individual_id": None}, "not found"),
        (ACCOUNTS, {"details": {"clabe": "1"}, "type": "bank_account"}, "details.clabe"),
        (ACCOUNTS, {"detials": {}}, "is details meant"),
        ("/_simulator/seed", {"transfer": 1}, "is transfers meant"),
        ("/_simulator/seed", {"people": 1}, "there are individuals, transfers, conversions"),
    ],
)
def test_what_cannot_be_added_is_refused(service, path, body, words):
    """A wrong option or field is a 400 or 404 that names it, and nothing is added by a seed."""
    answer = service.post(path, body)
    assert answer.status in (400, 404)
    assert words in answer["error"]
    assert service.get("/v1/transfers")["data"] == []


@pytest.mark.parametrize(
    ("body", "account_type"),
    [
        ({}, "bank_account"),
        ({"country": "BR"}, "pix"),
        ({"country": "IN", "events": False}, "upi"),
        ({"type": "crypto_wallet"}, "crypto_wallet"),
        ({"country": "SG"}, "crypto_wallet"),
        ({"country": "VN"}, "crypto_wallet"),
    ],
)
def test_an_account_is_added(service, body, account_type):
    """The account is one of a new active individual, or of the one that the body names."""
    first = service.post(ACCOUNTS, body)
    assert (first.status, first["type"]) == (201, account_type)
    owner = service.get(f"/v1/individuals/{first['individual_id']}").json
    assert owner["status"] == "active"
    assert first["id"] in [account["id"] for account in owner["financial_accounts"]]
    again = service.post(ACCOUNTS, {"individual_id": owner["id"], "type": "crypto_wallet"})
    assert (again.status, again["individual_id"]) == (201, owner["id"])
    wrong = service.post(ACCOUNTS, {"individual_id": owner["id"], "country": "GB"})
    assert (wrong.status, "leave it out" in wrong["error"]) == (400, True)


def test_a_seed_returns_the_ids_of_what_it_added(service):
    """The ids are those of the lists, and of the second seed only the new ones."""
    first = service.post("/_simulator/seed", {"transfers": 3, "conversions": 2}).json["ids"]
    assert {row["id"] for row in service.get("/v1/transfers")["data"]} == {*first["transfers"]}
    assert {row["id"] for row in service.get("/v1/conversions")["data"]} == {*first["conversions"]}
    second = service.post("/_simulator/seed", {"individuals": 2}).json["ids"]
    assert (len(second["individuals"]), second["transfers"]) == (2, [])
    assert not {*first["individuals"]} & {*second["individuals"]}
    assert second["financial_accounts"]


@pytest.mark.parametrize("events", [True, False])
def test_events_of_what_is_added_can_be_held_back(make, events):
    """Held back events are listed, never delivered, and not delivered again either."""
    service, received = subscribed(make)
    service.post(PEOPLE, {"verified": True, "events": events})
    service.post(ACCOUNTS, {"country": "PH", "events": events})
    assert len(service.get("/_simulator/events").json) == 4
    again = service.post("/_simulator/deliveries", {"redeliver": "all"})["redelivered"]
    assert (len(received), again) == ((8, 4) if events else (0, 0))
    service.post(PEOPLE, {"verified": True})
    assert len(received) == (10 if events else 2)


@pytest.mark.parametrize(
    "listed", ["requests", "events", "deliveries", "faults", "scenarios", "requests?after=1"]
)
def test_every_list_of_a_control_is_an_array(service, listed):
    """The lists of the control API have one shape."""
    service.get("/v1/transfers")
    assert isinstance(service.get(f"/_simulator/{listed}").json, list)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/_simulator/fault", "is /_simulator/faults or"),
        ("/_simulator/poeple", "is /_simulator/people meant?"),
        ("/_simulator/object/tr_1", "is /_simulator/objects/{id} meant?"),
        ("/_simulator/world", "is /_simulator/worlds or"),
        ("/_simulator/faults/fault_1/x", "is /_simulator/faults or"),
        ("/_simulator/teapot", "there are /_simulator, /_simulator/seed"),
    ],
)
def test_a_mistyped_control_is_told_the_right_one(service, path, words):
    """The path of a control that does not exist is a 400 with the nearest path."""
    answer = service.post(path, {})
    assert (answer.status, words in answer["error"]) == (400, True), answer.body


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"kind": "status", "path": "/v1/tranfers"}, "/v1/transfers"),
        ({"kind": "status", "path": "/v1/tranfers/*"}, "/v1/transfers/{id}"),
        ({"kind": "status", "path": "/v1/transfers", "method": "PUT"}, "must be POST or GET"),
        ({"kind": "status", "method": "GTE"}, "must be one of"),
        ({"kind": "status", "event_type": "transfer.failed"}, "is for faults of events"),
        ({"kind": "event_drop", "path": "/v1/transfers"}, "is for faults of calls"),
        ({"kind": "statsu"}, "status"),
        ({"kind": "event_drop", "event_type": "transfer.complete"}, "transfer.completed"),
    ],
)
def test_a_mistyped_fault_is_told_the_right_word(service, body, words):
    """A path, method or type that no call or event has is a 400 with the nearest one."""
    answer = service.post("/_simulator/faults", body)
    assert (answer.status, words in answer["error"]) == (400, True), answer.body
    assert service.get("/_simulator/faults").json == []


@pytest.mark.parametrize(
    ("path", "struck"),
    [
        ("/v1/transfers", True),
        ("/v1/*", True),
        ("/v1/tr*", True),
        ("*", True),
        ("/v1/transfers/{id}", False),
        ("/v1/transfers/tr_1", False),
        ("/v1/individuals/*/verification_images", False),
    ],
)
def test_a_fault_has_a_path_of_the_service(service, path, struck):
    """A path, a template or a pattern that fits a route is accepted, and strikes its calls."""
    made = service.post("/_simulator/faults", {"kind": "status", "path": path, "times": 0})
    assert (made.status, made["left"]) == (201, None), made.body
    statuses = [service.get("/v1/transfers").status for _ in range(3)]
    assert statuses == [503 if struck else 200] * 3


@pytest.mark.parametrize(
    ("outcomes", "statuses"),
    [
        (["verification_image_blurry", "passes"], ["action_required", "active"]),
        (["Verification Image Glare", "Active"], ["action_required", "active"]),
        (
            ["verification_image_glare", "verification_age_mismatch"],
            ["action_required", "rejected"],
        ),
        (["verification_image_blurry"], ["action_required", "action_required"]),
    ],
)
@pytest.mark.parametrize("is_named", [True, False])
def test_each_verification_has_its_outcome(service, image, outcomes, statuses, is_named):
    """The outcomes follow one another; the last repeats. A family name says the same in words."""
    if is_named:
        body = {"family_name": " Then ".join(outcome.replace("_", " ") for outcome in outcomes)}
    else:
        body = {"outcomes": outcomes}
    person = service.post(PEOPLE, body)
    reached = []
    for _ in statuses:
        images = [{"type": side, "content": image()} for side in ("document-front", "selfie")]
        service.post(f"/v1/individuals/{person['id']}/verification_images", {"images": images})
        service.advance(10)
        reached.append(service.get(f"/v1/individuals/{person['id']}")["status"])
    assert reached == statuses


@pytest.mark.parametrize("name", ["Then", "Passes Then", "Blurry Then Passes", "Active Then Ana"])
def test_a_family_name_with_the_word_then_passes(service, name):
    """Names that are no outcomes cause none."""
    person = service.post(PEOPLE, {"family_name": name, "verified": False})
    service.post(f"/_simulator/objects/{person['id']}", {"to": "pending"})
    service.post(f"/_simulator/objects/{person['id']}", {"to": "active"})
    assert service.get(f"/v1/individuals/{person['id']}")["status"] == "active"
