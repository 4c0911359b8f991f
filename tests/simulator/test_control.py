"""The control API: summary, moves, seeding, reset, snapshots."""

from __future__ import annotations

import json

import pytest

from paylab.simulator import Request, Simulator, World, respond


def test_the_summary_has_clock_seed_and_counts(make):
    """The summary contains the clock, the seed and the number of objects of each kind."""
    body = make(transfers=3).get("/_simulator").json
    now = "2026-01-15T12:00:00.000Z"
    assert body["clock"] == {"now": now, "frozen": True, "speed": 1.0}
    assert (body["seed"], body["counts"]["transfers"]) == (7, 3)
    assert body["counts"].keys() == {
        *("individuals", "financial_accounts", "quotes", "transfers", "conversion_accounts"),
        *("deposits", "conversions", "webhook_subscriptions"),
    }


def test_a_control_is_signed_like_everything_else(service):
    """A control request without a valid signature returns 401."""
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
def test_an_illegal_move_of_a_transfer_names_the_legal_ones(service, path, end):
    """A legal move takes effect at once; an illegal one returns 422 with the legal moves."""
    target = f"/_simulator/objects/{service.transfer()['id']}"
    for to in path:
        answer = service.post(target, {"to": to, "reason": "because"})
        assert (answer.status, answer["status"]) == (200, to)
    refused = service.post(target, {"to": "pending"})
    assert (refused.status, sorted(refused["legal"])) == (422, sorted(end))
    assert "error" in refused.json


def test_the_reason_is_kept(service):
    """The reason of a move to `failed` is the failure_reason of the transfer."""
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
def test_the_reason_of_a_move_is_a_code_or_a_message(service, reason, code, message):
    """A reason that is a known code is the detail's code; any other text is its message."""
    made = service.person("MX", "on_ramp")
    target = f"/_simulator/objects/{made['id']}"
    assert service.post(target, {"to": "pending"})["status"] == "pending"
    answer = service.post(target, {"to": "action_required", "reason": reason})
    [detail] = answer["status_details"]
    assert detail == {"code": code, "message": message}


def test_a_move_returns_the_object_as_its_get_does(service):
    """A move of a conversion account or a conversion returns the object as its GET does."""
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
    """A move cancels the step that was planned for the old status."""
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
    """A body with an invalid `to` or `reason` returns 400, an unreachable status 422."""
    target = f"/_simulator/objects/{service.transfer()['id']}"
    assert service.post(target, body).status == status


@pytest.mark.parametrize("row_id", ["x", "tr_x", "{id}", "%2F"])
def test_a_move_of_an_unknown_object_returns_404(service, row_id):
    """A move of an unknown object returns 404."""
    assert service.post(f"/_simulator/objects/{row_id}", {"to": "active"}).status == 404


def test_no_moves_for_what_has_no_status(service):
    """A move of a financial account returns 404: it has no status."""
    account = service.payable()
    answer = service.post(f"/_simulator/objects/{account['id']}", {"to": "active"})
    assert answer.status == 404


def test_seeding_adds_transfers_with_a_past_date_and_their_recipients(service):
    """Seeding adds transfers with a past date and their recipients; it can be repeated."""
    body = {"transfers": 130, "conversions": 20}
    counts = service.post("/_simulator/seed", body)["counts"]
    assert (counts["transfers"], counts["conversions"]) == (130, 20)
    more = service.post("/_simulator/seed", {"transfers": 1})["counts"]
    assert more["transfers"] == 131
    assert service.post("/_simulator/seed", {})["counts"] == more
    row = service.get("/v1/transfers")["data"][0]
    assert row["created_at"] < "2026-01-15T12:00:00.000Z"
    owner = service.get(f"/v1/individuals/{row['recipient_id']}").json
    assert row["financial_account_id"] == owner["financial_accounts"][0]["id"]


@pytest.mark.parametrize(
    "body", [{"transfers": -1}, {"transfers": 1_000_001}, {"conversions": "9"}, {"transfers": True}]
)
def test_an_invalid_number_of_rows_returns_400(service, body):
    """An invalid number of rows returns 400."""
    assert service.post("/_simulator/seed", body).status == 400


def differing(one, other):
    """The fields in which two rows with the same fields differ."""
    assert one.keys() == other.keys()
    return {name for name in one if one[name] != other[name]}


TIMES = {"created_at", "updated_at"}


def test_seeded_transfers_are_whole(make):
    """A seeded transfer has the amounts and fields that the service gives for its terms."""
    service = make(transfers=20)
    names = ("source_amount", "source_currency", "destination_currency", "payout_method")
    past = {"status", "completed_in", "failure_reason", "settlement_reference_id", *TIMES}
    for seeded in service.get("/v1/transfers?limit=20")["data"]:
        terms = {name: seeded[name] for name in names}
        made = service.transfer({"id": seeded["financial_account_id"]}, **terms)
        assert differing(seeded, made) <= {"id", "client_reference_id", *past}


def test_seeded_conversions_are_whole(service):
    """A seeded conversion has the amounts and fields of a deposit into its account."""
    service.post("/_simulator/seed", {"conversions": 10})
    rows = service.get("/v1/conversions")["data"]
    assert [row["status"] for row in rows] == ["completed"] * 10
    for seeded in rows:
        account = {"id": seeded["conversion_account_id"], "source_currency": "mxn"}
        assert service.deposit(account, seeded["deposit"]["amount"]).status == 201
        service.advance(10)
        made = service.get("/v1/conversions?limit=1")["data"][0]
        assert differing(seeded, made) == {"id", "deposit", "payout", *TIMES}
        assert differing(seeded["deposit"], made["deposit"]) == {"received_at"}
        assert differing(seeded["payout"], made["payout"]) == {
            *("tx_hash", "initiated_at", "completed_at")
        }


def test_a_reset_deletes_all_objects_and_restarts_the_clock_and_the_ids(make):
    """A reset deletes all objects, and restarts the clock and the ids."""
    service = make(transfers=5)
    service.advance(100)
    first = service.post("/_simulator/reset", {})
    assert set(first["counts"].values()) == {0}
    assert first["clock"]["now"] == "2026-01-15T12:00:00.000Z"
    assert service.person() == make().person()


def worldly(service):
    """Create objects of most kinds, and return a snapshot."""
    service.post("/v1/webhook_subscriptions", {"url": "https://e.co", "event_types": []})
    service.post("/_simulator/faults", {"kind": "event_delay", "times": 9})
    service.post("/_simulator/seed", {"transfers": 5, "conversions": 5})
    service.deposit(service.on_ramp("MX"))
    service.transfer()
    return service.get("/_simulator/snapshot")


def test_a_snapshot_brings_everything_back(make):
    """A simulator that loads a snapshot of another one continues in the same way."""
    one, other = make(), make(seed=8)
    snapshot = worldly(one)
    assert other.put("/_simulator/snapshot", snapshot.body).status == 200
    assert other.get("/_simulator/snapshot").json == snapshot.json
    for service in (one, other):
        service.advance(100)
    assert other.get("/_simulator/events").body == one.get("/_simulator/events").body
    assert other.person() == one.person()


def test_a_snapshot_goes_back_in_time(service):
    """A loaded snapshot undoes every change since it was taken, also of the clock."""
    made = service.transfer()
    snapshot = service.get("/_simulator/snapshot").json
    service.advance(100)
    service.put("/_simulator/snapshot", snapshot)
    assert service.get(f"/v1/transfers/{made['id']}").json == made
    assert service.get("/_simulator")["clock"]["now"] == made["created_at"]


def test_a_snapshot_written_in_another_way_is_accepted(service):
    """A snapshot is accepted with other white space, other key order, and 1 for 1.0."""
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
def test_a_snapshot_that_was_changed_returns_400_and_the_state_stays_the_same(service, change):
    """A snapshot that was changed returns 400, and the state stays the same."""
    body = worldly(service).json
    assert service.put("/_simulator/snapshot", body | change).status == 400
    assert service.get("/_simulator/snapshot").json == body


@pytest.mark.parametrize("body", [{}, b"", b"[]", b"{", {"paylab_snapshot": 1}])
def test_a_body_that_is_not_a_snapshot_returns_400(service, body):
    """A body that is not a snapshot returns 400."""
    assert service.put("/_simulator/snapshot", body).status == 400


def test_a_snapshot_has_no_secret(service):
    """A snapshot contains neither the API key nor the secret key."""
    body = worldly(service).body.decode()
    assert service.simulator.secret_key not in body
    assert service.simulator.api_key not in body


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "", None, 200),
        ("POST", "/clock", {"frozen": True}, 200),
        ("POST", "/reset", {}, 200),
        ("POST", "/seed", {"transfers": 0, "individuals": 1}, 200),
        ("POST", "/seed", {"transfers": 1_000_001}, 400),
        ("POST", "/faults", {"kind": "html"}, 201),
        ("GET", "/faults", None, 200),
        ("DELETE", "/faults/fault_x", None, 204),
        ("DELETE", "/faults", None, 204),
        ("GET", "/balances", None, 200),
        ("POST", "/balances", {"amount": "1.00"}, 200),
        ("POST", "/balances", {"amount": "1.00", "currency": "EUR"}, 400),
        ("GET", "/requests?after=0", None, 200),
        ("GET", "/requests?after=x", None, 400),
        ("GET", "/requests?after=%D9%A2", None, 400),
        ("GET", "/snapshot", None, 200),
        ("PUT", "/snapshot", {"paylab_snapshot": 1}, 400),
        ("GET", "/deliveries", None, 200),
        ("GET", "/deliveries?wait=0", None, 422),
        ("GET", "/deliveries?wait=20", None, 422),
        ("GET", "/deliveries?wait=20.5", None, 400),
        ("GET", "/deliveries?wait=-1", None, 400),
        ("POST", "/deliveries", {"paused": True}, 200),
        ("POST", "/deliveries", {"paused": 1}, 400),
        ("POST", "/deliveries", {"paused": True, "other": 1}, 400),
        ("POST", "/deliveries", {"redeliver": "all"}, 200),
        ("POST", "/deliveries", {"redeliver": "del_x"}, 404),
        ("GET", "/events", None, 200),
        ("GET", "/scenarios", None, 200),
        ("GET", "/openapi.json", None, 200),
        ("POST", "/objects/tr_x", {"to": "failed"}, 404),
        ("POST", "/nothing", {}, 400),
        ("PUT", "/reset", {}, 405),
    ],
)
def test_each_control_answers_with_its_status(service, method, path, body, status):
    """Each control answers with its status."""
    assert service.call(method, f"/_simulator{path}", body).status == status


def test_an_untouched_world_has_no_controls():
    """A world without a simulator answers requests like one, but has no controls of its clock."""
    alone, usual = World(), Simulator().world
    for world in (alone, usual):
        asked = Request("GET", "/v1/transfers", "limt=1", {}, b"", is_trusted=True)
        assert respond(world, asked).status == 200
    summary = Request("GET", "/_simulator", "", {}, b"", is_trusted=True)
    assert respond(alone, summary).body == respond(usual, summary).body
    clock = Request("POST", "/_simulator/reset", "", {}, b"", is_trusted=True)
    assert respond(alone, clock).status == 422
