"""Events that are made from polled resources, as webhooks would have delivered them."""

from __future__ import annotations

import pytest

from paylab.webhooks.event import EventVersion, of_snapshot

STARTED = EventVersion("transfer.funded", "started")


@pytest.mark.parametrize(
    ("family", "status", "latest", "kind"),
    [
        ("transfer", "awaiting_funds", None, "transfer.created"),
        ("transfer", "started", None, "transfer.funded"),
        ("transfer", "started", STARTED, "transfer.payout_initiated"),
        ("transfer", "completed", STARTED, "transfer.completed"),
        ("transfer", "failed", STARTED, "transfer.failed"),
        ("transfer", "expired", None, "transfer.expired"),
        ("transfer", "cancelled", None, "transfer.status_changed"),
        ("transfer", "under_review", STARTED, "transfer.status_changed"),
        ("transfer", None, None, "transfer.status_changed"),
        ("conversion", "pending", None, "conversion.created"),
        ("conversion", "started", None, "conversion.payout_initiated"),
        ("conversion", "completed", None, "conversion.completed"),
        ("conversion", "failed", None, "conversion.failed"),
        ("conversion", "expired", None, "conversion.status_changed"),
        ("individual", "active", None, "individual.status_changed"),
    ],
)
def test_the_event_of_a_status(family, status, latest, kind):
    """The status determines the event type; other statuses give `status_changed`."""
    assert of_snapshot(family, {"id": "x", "status": status}, latest).type == kind


def test_a_transfer_is_told_as_events_tell_it():
    """Currency codes are lower case in an event, at any depth."""
    raw = {"id": "t", "source_currency": "USD", "deposit_instructions": {"currency": "USDC"}}
    payload = of_snapshot("transfer", raw).payload
    assert payload["source_currency"] == "usd"
    assert payload["deposit_instructions"]["currency"] == "usdc"


def test_an_individual_is_told_as_a_status_change():
    """An individual's event has its id, status, update time and previous status only."""
    raw = {"id": "i", "status": "active", "given_name": "Ana", "updated_at": "2026-01-15T12:00:00Z"}
    event = of_snapshot("individual", raw, EventVersion("individual.status_changed", "pending"))
    assert dict(event.payload) == {
        "id": "i",
        "status": "active",
        "updated_at": "2026-01-15T12:00:00Z",
        "previous_status": "pending",
    }


def test_the_event_of_an_individual_has_its_status_details():
    """The status details of an individual are in the payload."""
    details = [{"code": "verification_selfie_needed", "message": "x"}]
    raw = {"id": "i", "status": "action_required", "status_details": details}
    assert of_snapshot("individual", raw).payload["status_details"] == details
