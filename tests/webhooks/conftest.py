"""A store, a receiver, and deliveries to give them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from paylab.webhooks.receiver import Receiver
from paylab.webhooks.store import EventStore

NOW = datetime(2026, 1, 15, 12, 0, 0, tzinfo=UTC)
LIFE = (
    ("transfer.created", "awaiting_funds"),
    ("transfer.funded", "started"),
    ("transfer.payout_initiated", "started"),
    ("transfer.completed", "completed"),
)


def body_of(step, row="tr_1", **extra):
    """One of the events in a transfer's life, as it is delivered."""
    kind, status = LIFE[step]
    payload = {"id": row, "status": status, "updated_at": f"2026-01-15T12:00:0{step}.000Z"}
    return json.dumps({"event_type": kind, "event_payload": {**payload, **extra}}).encode()


@pytest.fixture
def delivery():
    """Makes the body of a delivery: the step in a transfer's life, and the transfer's id."""
    return body_of


@pytest.fixture
def store():
    """A store in a temporary folder."""
    made = EventStore()
    yield made
    made.close()


@pytest.fixture
def receiver(store):
    """A receiver whose clock stands still."""
    return Receiver(store, lambda: NOW)
