"""Scenarios: values that cause an outcome, as `GET /_simulator/scenarios` lists them."""

from __future__ import annotations

import pytest

from paylab.spec import assumptions

# The list "StatusDetail" of the spec; the last three are terminal: assumption `kyc.terminal`.
CODES = [
    *("front_image_needed", "back_image_needed", "selfie_needed", "token_needed"),
    *("image_blurry", "image_glare", "portrait_unclear", "portrait_missing"),
    *("document_not_detected", "image_unprocessable", "document_damaged", "document_expired"),
    *("unsupported_document_type", "country_not_determined", "electronic_replica"),
    *("attribute_mismatch", "unknown_error"),
    *("disallowed_country", "age_mismatch", "identity_unverified"),
]
TERMINAL = set(CODES[-3:])


def name_of(code):
    """A status detail code as a family name."""
    return f"verification {code}".replace("_", " ").title()


@pytest.mark.parametrize("code", CODES)
def test_a_family_named_after_a_code(service, code):
    """A terminal code leads to `rejected`, any other code to `action_required`."""
    made = service.active("MX", "on_ramp", family_name=name_of(code))
    assert made["status"] == ("rejected" if code in TERMINAL else "action_required")
    [detail] = made["status_details"]
    assert detail["code"] == f"verification_{code}"
    assert detail["message"]


@pytest.mark.parametrize(
    ("family", "status"),
    [
        ("Under Review", "under_review"),
        ("UNDER REVIEW", "under_review"),
        ("verification image blurry", "action_required"),
        ("VERIFICATION AGE MISMATCH", "rejected"),
        ("Verification Image Blurry Jr", "active"),
        ("Image Blurry", "active"),
        ("García", "active"),
    ],
)
def test_the_name_is_compared_whole_and_without_case(service, family, status):
    """Only the whole name, in any case, is a scenario. Assumption `kyc.names`."""
    made = service.active("MX", "on_ramp", family_name=family)
    assert made["status"] == status
    assert ("status_details" in made) is (status in ("action_required", "rejected"))


def test_the_check_takes_two_seconds(service):
    """The verification ends after two seconds, not before."""
    made = service.person("MX", "on_ramp")["id"]
    service.upload(made)
    service.advance(1.999)
    assert service.get(f"/v1/individuals/{made}")["status"] == "pending"
    service.advance(0.001)
    assert service.get(f"/v1/individuals/{made}")["status"] == "active"


def test_another_upload_restarts_the_verification(service):
    """Another upload restarts the verification, and the outcome is the same."""
    made = service.active("MX", "on_ramp", family_name="Verification Image Glare")
    service.upload(made["id"], "document-front")
    assert service.get(f"/v1/individuals/{made['id']}")["status"] == "pending"
    service.advance(2)
    assert service.get(f"/v1/individuals/{made['id']}")["status"] == "action_required"


def test_only_the_requested_side_starts_the_verification(service):
    """Only an upload of the requested side starts the verification."""
    made = service.active("MX", "on_ramp", family_name="Verification Selfie Needed")
    path = f"/v1/individuals/{made['id']}"
    service.upload(made["id"], "document-front")
    assert service.get(path)["status"] == "action_required"
    service.upload(made["id"], "selfie")
    assert service.get(path)["status"] == "pending"


def test_a_rejected_individual_refuses_uploads_with_a_422_and_has_no_legal_move(service):
    """A rejected individual refuses uploads with a 422 and has no legal move."""
    made = service.active("MX", "on_ramp", family_name="Verification Age Mismatch")
    assert service.upload(made["id"]).status == 422
    answer = service.post(f"/_simulator/objects/{made['id']}", {"to": "active"})
    assert (answer.status, answer["legal"]) == (422, [])


@pytest.mark.parametrize(("to", "status"), [("active", "active"), ("rejected", "rejected")])
def test_an_individual_stays_under_review_until_a_move(service, to, status):
    """An individual stays under review until a move decides, at any later time."""
    made = service.active("MX", "on_ramp", family_name="Under Review")
    service.advance(10**6)
    path = f"/v1/individuals/{made['id']}"
    assert service.get(path)["status"] == "under_review"
    service.post(f"/_simulator/objects/{made['id']}", {"to": to, "reason": "by hand"})
    assert service.get(path)["status"] == status


def test_every_change_of_status_is_an_event(service):
    """Every change of status is an event with the previous status."""
    made = service.active("MX", "on_ramp", family_name="Verification Image Blurry")
    bodies = [row["body"]["event_payload"] for row in service.get("/_simulator/events").json]
    shown = [(each["previous_status"], each["status"]) for each in bodies]
    assert shown == [("action_required", "pending"), ("pending", "action_required")]
    assert "status_details" not in bodies[0]
    assert bodies[1] == {
        "id": made["id"],
        "status": "action_required",
        "status_details": made["status_details"],
        "previous_status": "pending",
        "updated_at": "2026-01-15T12:00:02.000Z",
    }


def test_the_endpoint_lists_the_scenarios_of_the_assumptions(service):
    """The endpoint lists the scenarios of the assumptions."""
    rows = service.get("/_simulator/scenarios").json
    assert [tuple(row.values()) for row in rows] == [
        (each.where, each.value, each.outcome) for each in assumptions.SCENARIOS
    ]
    assert all(row.keys() == {"where", "value", "outcome"} for row in rows)
