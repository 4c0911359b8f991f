"""Which of two events of a resource is later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from paylab.webhooks.event import EventVersion, is_stale


def mark(kind, status, second=None, previous=None):
    """The mark of an event at a second of a fixed day, or without a time."""
    day = datetime(2026, 1, 15, tzinfo=UTC)
    return EventVersion(
        kind, status, None if second is None else day + timedelta(seconds=second), previous
    )


def transfer(name, status, second=None):
    """The mark of a transfer's event."""
    return mark(f"transfer.{name}", status, second)


def person(status, second=None, previous=None):
    """The mark of an individual's event."""
    return mark("individual.status_changed", status, second, previous)


CREATED = transfer("created", "awaiting_funds", 1)
FUNDED = transfer("funded", "started", 2)
INITIATED = transfer("payout_initiated", "started", 3)
COMPLETED = transfer("completed", "completed", 4)


@pytest.mark.parametrize(
    ("event", "latest", "stale"),
    [
        (FUNDED, None, False),
        (FUNDED, CREATED, False),
        (CREATED, FUNDED, True),
        (FUNDED, COMPLETED, True),
        (COMPLETED, CREATED, False),
        (INITIATED, FUNDED, False),
        (FUNDED, INITIATED, True),
        # The status machine decides before the time: no move leads back from completed.
        (transfer("funded", "started", 9), COMPLETED, True),
        (transfer("completed", "completed", 1), FUNDED, False),
        # If times are equal or unknown, the machine decides, then the order of the types.
        (transfer("funded", "started", 4), COMPLETED, True),
        (transfer("created", "awaiting_funds"), transfer("funded", "started"), True),
        (transfer("funded", "started"), transfer("payout_initiated", "started"), True),
        (transfer("payout_initiated", "started"), transfer("funded", "started"), False),
        # If moves lead in both directions, the time decides.
        (transfer("status_changed", "under_review", 5), transfer("funded", "started", 2), False),
        (transfer("funded", "started", 2), transfer("status_changed", "under_review", 5), True),
        (person("pending", 3), person("action_required", 2), False),
        (person("action_required", 2), person("pending", 3), True),
        (person("action_required", 5), person("pending", 3), False),
        # An individual's event whose previous_status is the latest status is later.
        (person("action_required", 9, "active"), person("active", 5), False),
        (person("action_required", 2, "pending"), person("active", 5), True),
        # For unknown statuses and types the time decides, or else the order of arrival.
        (transfer("frozen", "frozen", 9), COMPLETED, False),
        (transfer("frozen", "frozen", 3), COMPLETED, True),
        (transfer("frozen", "frozen"), COMPLETED, False),
        (mark("wallet.opened", "a", 2), mark("wallet.opened", "b", 1), False),
        (mark("wallet.opened", "a", 1), mark("wallet.opened", "b", 2), True),
    ],
)
def test_the_status_machine_decides_first_whether_an_event_is_stale(event, latest, stale):
    """The status machine decides first, then updated_at, then the order of the event types."""
    assert is_stale(event, latest) is stale
