"""Events in the wrapper of another service."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import paylab
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service
from paylab.webhooks import Router, UnreadableEventError, Wrapper, read
from paylab.webhooks.receiver import Receiver
from paylab.webhooks.store import Arrivals, EventStore

ENVELOPED = Service(
    {"webhooks.type_field": "type", "webhooks.payload_field": "data", "webhooks.id_field": "id"}
)
BODY = b'{"id": "ev_1", "type": "transfer.created", "data": {"id": "tr_1", "status": "started"}}'
IMAGE = b"\xff\xd8\xff\xe0" + b"x" * 20_000
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("settings", "body"),
    [
        ({}, b'{"event_type": "transfer.created", "event_payload": {"id": "tr_1"}}'),
        (dict(ENVELOPED.given), BODY),
        (
            {"webhooks.type_field": "event.type", "webhooks.payload_field": "event.data"},
            b'{"event": {"type": "transfer.created", "data": {"id": "tr_1"}}}',
        ),
    ],
)
def test_a_wrapper_is_read_where_its_parts_stand(settings, body):
    """Under other names, and in an object of the delivery."""
    event = read(body, Wrapper.of(Service(settings)))
    assert (event.type, event.id) == ("transfer.created", "tr_1")


def test_a_wrapper_that_is_not_set_names_the_keys():
    """What the delivery must have, and where to set other names."""
    with pytest.raises(UnreadableEventError, match=r"webhooks\.type_field and webhooks\.payload"):
        read(BODY)


def test_an_inbox_keeps_what_came_and_reads_it():
    """The store holds the bytes of the service; its id makes two deliveries one event."""
    store = EventStore(wrapper=Wrapper.of(ENVELOPED))
    receiver = Receiver(store, lambda: NOW)
    later = BODY.replace(b"started", b"completed")
    assert [receiver.deliver("", body) for body in (BODY, BODY, later)] == [200, 200, 200]
    rows = list(Arrivals(store))
    assert [(row.type, row.status, row.deliveries) for row in rows] == [
        ("transfer.created", "started", 2),
        ("transfer.created", "completed", 1),
    ]
    assert rows[0].body == BODY
    assert rows[0].event.event_id == "ev_1"


def test_a_router_reads_the_wrapper_of_its_service():
    """Raw bytes as a server of yours hands them on."""
    router, seen = Router(wrapper=Wrapper.of(ENVELOPED)), []
    router.on("transfer.created")(seen.append)
    assert [bool(router.handle(BODY)) for _ in range(2)] == [True, False]
    assert [event.id for event in seen] == ["tr_1"]


def test_an_inbox_of_a_lab_follows_its_service():
    """The simulator wraps events as the service says, and the inbox reads them."""
    lab = paylab.connect(simulator=Simulator(service=ENVELOPED), ledger="none")
    with lab.inbox() as inbox:
        made = lab.individuals.create(**examples.individual("MX", consent_at=NOW))
        lab.individuals.upload_images(made, {"document-front": IMAGE, "selfie": IMAGE})
        lab.simulator.clock.advance(60)
        assert inbox.wait(type="individual.status_changed").id == made.id
        assert {arrival.event.event_id != "" for arrival in inbox} == {True}
