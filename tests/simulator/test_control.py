"""The controls: summary, moves, seeding, reset, snapshots."""

from __future__ import annotations

import json

import pytest


def test_summary(make):
    """Clock, counts and seed."""
    body = make(transfers=3).get("/_simulator").json
    now = "2026-01-15T12:00:00.000Z"
    assert body["clock"] == {"now": now, "frozen": True, "speed": 1.0}
    assert (body["seed"], body["counts"]["transfers"]) == (7, 3)
    assert body["counts"].keys() == {
        *("individuals", "financial_accounts", "quotes", "transfers", "conversion_accounts"),
        *("deposits", "conversions", "webhook_subscriptions"),
    }


def test_signed_like_everything_else(service):
    """401 without a good signature."""
    for method, target in (("GET", "/_simulator"), ("POST", "/_simulator/reset")):
        assert service.call(method, target, authorization="x").status == 401


@pytest.mark.parametrize(
    ("path", "end"),
    [
        (["cancelled"], []),
        (["expired"], []),
        (["started", "failed"], []),
        (["started", "under_review", "started", "completed"], []),
        (["started", "under_review"], ["started", "failed"]),
        (["started"], ["completed", "failed", "under_review"]),
    ],
)
def test_moves_of_a_transfer(service, path, end):
    """A legal move is made at once; an illegal one lists the legal ones."""
    target = f"/_simulator/objects/{service.transfer()['id']}"
    for to in path:
        answer = service.post(target, {"to": to, "reason": "because"})
        assert (answer.status, answer["status"]) == (200, to)
    refused = service.post(target, {"to": "pending"})
    assert (refused.status, sorted(refused["legal"])) == (422, sorted(end))
    assert "error" in refused.json


def test_the_reason_is_kept(service):
    """A transfer says why it failed."""
    target = f"/_simulator/objects/{service.transfer()['id']}"
    service.post(target, {"to": "started"})
    assert service.post(target, {"to": "failed", "reason": "No luck."})["failure_reason"] == (
        "No luck."
    )


@pytest.mark.parametrize(
    ("reason", "code", "message"),
    [
        ("verification_document_expired", "verification_document_expired", "Document expired."),
        ("Come by.", "verification_unknown_error", "Come by."),
        (None, "verification_unknown_error", "Unknown error."),
    ],
)
def test_the_reason_of_an_individual(service, reason, code, message):
    """A known code is told as such, other words as the message."""
    made = service.person("MX", "on_ramp")
    target = f"/_simulator/objects/{made['id']}"
    assert service.post(target, {"to": "pending"})["status"] == "pending"
    answer = service.post(target, {"to": "action_required", "reason": reason})
    [detail] = answer["status_details"]
    assert detail == {"code": code, "message": message}


def test_moves_of_the_other_kinds(service):
    """A conversion account and a conversion, shown as their own operations show them."""
    account = service.on_ramp("PH")
    moved = service.post(f"/_simulator/objects/{account['id']}", {"to": "active"}).json
    assert moved == service.get(f"/v1/conversion_accounts/{account['id']}").json
    service.deposit(moved)
    row = service.get("/v1/conversions")["data"][0]
    target = f"/_simulator/objects/{row['id']}"
    failed = service.post(target, {"to": "failed"}).json
    service.advance(60)
    assert service.get("/v1/conversions")["data"] == [failed]


def test_a_move_by_hand_replaces_the_step_ahead(service):
    """What was planned for the old state does not happen."""
    made = service.transfer()
    service.post(f"/_simulator/objects/{made['id']}", {"to": "cancelled"})
    service.advance(60)
    assert service.events(made["id"]) == ["transfer.created"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"to": 7}, 400),
        ({"to": "started", "reason": 7}, 400),
        ({"to": "nowhere"}, 422),
        ({"to": "awaiting_funds"}, 422),
        (b"[]", 400),
    ],
)
def test_moves_that_are_none(service, body, status):
    """400 for a body that says nothing, 422 for a state out of reach."""
    target = f"/_simulator/objects/{service.transfer()['id']}"
    assert service.post(target, body).status == status


@pytest.mark.parametrize("row_id", ["x", "tr_x", "{id}", "%2F"])
def test_moves_of_nothing(service, row_id):
    """404."""
    assert service.post(f"/_simulator/objects/{row_id}", {"to": "active"}).status == 404


def test_no_moves_for_what_has_no_status(service):
    """A financial account is not an object that moves."""
    account = service.payable()
    answer = service.post(f"/_simulator/objects/{account['id']}", {"to": "active"})
    assert answer.status == 404


def test_seeding(service):
    """Rows in the past, over again if asked; the recipients are there."""
    body = {"transfers": 130, "conversions": 20}
    counts = service.post("/_simulator/seed", body)["counts"]
    assert (counts["transfers"], counts["conversions"]) == (130, 20)
    assert service.post("/_simulator/seed", {"transfers": 1})["counts"]["transfers"] == 131
    row = service.get("/v1/transfers")["data"][0]
    assert row["created_at"] < "2026-01-15T12:00:00.000Z"
    owner = service.get(f"/v1/individuals/{row['recipient_id']}").json
    assert row["financial_account_id"] == owner["financial_accounts"][0]["id"]


@pytest.mark.parametrize(
    "body", [{"transfers": -1}, {"transfers": 1_000_001}, {"conversions": "9"}, {"transfers": True}]
)
def test_seeding_refuses(service, body):
    """400."""
    assert service.post("/_simulator/seed", body).status == 400


def test_seeded_rows_are_whole(make):
    """A seeded row has the fields of a real one, and every amount hangs together."""
    service = make(transfers=1)
    seeded = service.get("/v1/transfers")["data"][0]
    assert seeded.keys() == service.transfer().keys()
    service.post("/_simulator/seed", {"conversions": 1})
    seeded = service.get("/v1/conversions")["data"][0]
    service.deposit(service.on_ramp("MX"))
    assert seeded.keys() == service.get("/v1/conversions")["data"][0].keys()


def test_reset(make):
    """The world is empty, as after a launch without transfers, and ids begin anew."""
    service = make(transfers=5)
    service.advance(100)
    first = service.post("/_simulator/reset", {})
    assert set(first["counts"].values()) == {0}
    assert first["clock"]["now"] == "2026-01-15T12:00:00.000Z"
    assert service.person() == make().person()


def worldly(service):
    """A world with something of everything."""
    service.post("/v1/webhook_subscriptions", {"url": "https://e.co", "event_types": []})
    service.post("/_simulator/faults", {"kind": "event_delay", "times": 9})
    service.post("/_simulator/seed", {"transfers": 5, "conversions": 5})
    service.deposit(service.on_ramp("MX"))
    service.transfer()
    return service.get("/_simulator/snapshot")


def test_a_snapshot_brings_everything_back(make):
    """Another simulator that takes it goes on exactly alike, with its own keys."""
    one, other = make(), make(seed=8)
    snapshot = worldly(one)
    assert other.put("/_simulator/snapshot", snapshot.body).status == 200
    assert other.get("/_simulator/snapshot").json == snapshot.json
    for service in (one, other):
        service.advance(100)
    assert other.get("/_simulator/events").body == one.get("/_simulator/events").body
    assert other.person() == one.person()


def test_a_snapshot_goes_back_in_time(service):
    """What happened since never happened."""
    made = service.transfer()
    snapshot = service.get("/_simulator/snapshot").json
    service.advance(100)
    service.put("/_simulator/snapshot", snapshot)
    assert service.get(f"/v1/transfers/{made['id']}").json == made
    assert service.get("/_simulator")["clock"]["now"] == made["created_at"]


def test_written_another_way(service):
    """Other spaces, other key order, 1 for 1.0: still the same snapshot."""
    body = worldly(service).json
    text = json.dumps(body, sort_keys=True, indent=2).replace(": 1.0,", ": 1,")
    assert service.put("/_simulator/snapshot", text.encode()).status == 200


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 9},
        {"tables": {}},
        {"clock": None},
        {"checksum": None},
        {"checksum": 7},
        {"extra": 1},
        {"paylab_snapshot": 2},
    ],
)
def test_a_changed_snapshot(service, change):
    """400, and the world stays as it is."""
    body = worldly(service).json
    assert service.put("/_simulator/snapshot", body | change).status == 400
    assert service.get("/_simulator/snapshot").json == body


@pytest.mark.parametrize("body", [{}, b"", b"[]", b"{", {"paylab_snapshot": 1}])
def test_no_snapshot(service, body):
    """400."""
    assert service.put("/_simulator/snapshot", body).status == 400


def test_no_secret_in_a_snapshot(service):
    """Neither key is part of it."""
    body = worldly(service).body.decode()
    assert service.simulator.secret_key not in body
    assert service.simulator.api_key not in body
