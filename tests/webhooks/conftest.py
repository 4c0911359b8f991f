"""A log of events, a receiver and the bodies of deliveries."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from paylab.webhooks.event_log import EventLog
from paylab.webhooks.receiver import Receiver

NOW = datetime(2026, 1, 15, 12, 0, 0, tzinfo=UTC)
LIFE = (
    ("transfer.created", "awaiting_funds"),
    ("transfer.funded", "started"),
    ("transfer.payout_initiated", "started"),
    ("transfer.completed", "completed"),
)


def body_of(step, row="tr_1", **extra):
    """The body of a delivery: one of the events of a transfer."""
    kind, status = LIFE[step]
    payload = {"id": row, "status": status, "updated_at": f"2026-01-15T12:00:0{step}.000Z"}
    return json.dumps({"event_type": kind, "event_payload": {**payload, **extra}}).encode()


@pytest.fixture
def delivery():
    """The function that makes the body of a delivery from a step of a transfer and its id."""
    return body_of


@pytest.fixture
def events():
    """A log of events in memory."""
    return EventLog()


@pytest.fixture
def receiver(events):
    """A receiver with a fixed clock."""
    return Receiver(events, lambda: NOW)
