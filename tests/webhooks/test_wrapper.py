"""Events of a service that uses other field names or signs its deliveries."""

from __future__ import annotations

import hmac
import json
from base64 import b64encode
from datetime import UTC, datetime

import httpx
import pytest
from http_receiver import Receiver as HttpReceiver

import paylab
from paylab.client.settings import Secret
from paylab.corridors import examples
from paylab.simulator.resources.subscriptions import make_signature_headers
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service
from paylab.webhooks import Router, UnreadableEventError, Wrapper, read_event
from paylab.webhooks.event_log import EventLog
from paylab.webhooks.port import Port
from paylab.webhooks.receiver import Receiver
from paylab.webhooks.verification import make_signature_check, verify_delivery

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
    """Type and payload are read under other names and inside objects of the delivery."""
    event = read_event(body, Wrapper.of(Service(settings)))
    assert (event.type, event.id) == ("transfer.created", "tr_1")


def test_a_wrapper_that_is_not_set_names_the_keys():
    """A delivery with unknown names is an error that says which settings to change."""
    with pytest.raises(UnreadableEventError, match=r"webhooks\.type_field and webhooks\.payload"):
        read_event(BODY)


def test_an_inbox_keeps_what_came_and_reads_it():
    """The log keeps the bytes as they were sent, and counts a repeated event once."""
    events = EventLog(wrapper=Wrapper.of(ENVELOPED))
    receiver = Receiver(events, lambda: NOW)
    later = BODY.replace(b"started", b"completed")
    assert [receiver.deliver("", body) for body in (BODY, BODY, later)] == [200, 200, 200]
    rows = events.all()
    assert [(row.type, row.status, row.deliveries) for row in rows] == [
        ("transfer.created", "started", 2),
        ("transfer.created", "completed", 1),
    ]
    assert rows[0].body == BODY
    assert rows[0].event.event_id == "ev_1"


def test_a_router_reads_the_wrapper_of_its_service():
    """A router reads raw bytes in the wrapper and handles a repeated event once."""
    router, seen = Router(wrapper=Wrapper.of(ENVELOPED)), []
    router.on("transfer.created")(seen.append)
    assert [bool(router.handle(BODY)) for _ in range(2)] == [True, False]
    assert [event.id for event in seen] == ["tr_1"]


def test_an_inbox_of_a_lab_follows_its_service():
    """The simulator wraps events as the service says, and the inbox reads them."""
    lab = paylab.connect(simulator=Simulator(service=ENVELOPED))
    with lab.inbox() as inbox:
        made = lab.individuals.create(**examples.individual("MX", consent_at=NOW))
        lab.individuals.upload_images(made, {"document-front": IMAGE, "selfie": IMAGE})
        lab.simulator.clock.advance(60)
        assert inbox.wait(type="individual.status_changed").id == made.id
        assert {arrival.event.event_id != "" for arrival in inbox} == {True}


NESTED = Service({**ENVELOPED.given, "webhooks.payload_field": "data.object"})
PAYLOAD = {"id": "tr_1", "status": "started"}


@pytest.mark.parametrize(
    ("service", "body"),
    [
        (Service(), {"event_type": "transfer.created", "event_payload": PAYLOAD}),
        (ENVELOPED, {"id": "ev_1", "type": "transfer.created", "data": PAYLOAD}),
        (NESTED, {"id": "ev_1", "type": "transfer.created", "data": {"object": PAYLOAD}}),
    ],
    ids=["default", "other names", "nested"],
)
def test_an_event_of_an_inbox_is_delivered_again_in_any_wrapper(service, body):
    """An Event that is replayed to an inbox is stored in the wrapper of the inbox's service."""
    lab = paylab.connect(simulator=Simulator(service=service))
    with lab.inbox() as inbox:
        assert inbox.replay(read_event(BODY, Wrapper.of(ENVELOPED))) == 200
        assert [json.loads(each.body) for each in inbox] == [body]
        assert [(each.type, each.id) for each in inbox] == [("transfer.created", "tr_1")]


def test_an_event_of_an_inbox_is_delivered_again_as_the_service_wrote_it(tmp_path):
    """A replayed event keeps its id, as an Event, as JSON and as a line of a saved file."""
    lab = paylab.connect(simulator=Simulator(service=NESTED))
    with lab.inbox() as inbox:
        lab.trigger("individual.status_changed")
        saved = inbox.save(tmp_path / "events.jsonl").read_text().splitlines()[1]
        sent = json.loads(inbox[0].body)
        for again in (inbox[0].event, sent, json.loads(saved)):
            assert inbox.replay(again) == 200
        assert [(one.deliveries, one.event.event_id) for one in inbox] == [(4, sent["id"])]


def test_a_handler_elsewhere_is_given_the_wrapper_of_the_service():
    """An event that is replayed to a URL is sent in the wrapper of the service."""
    lab = paylab.connect(simulator=Simulator(service=NESTED))
    with lab.inbox() as inbox, HttpReceiver(503) as handler:
        lab.trigger("individual.status_changed")
        assert inbox.replay(inbox[0].event, handler.url) == 503
        assert json.loads(handler.bodies[0]) == json.loads(inbox[0].body)
        assert inbox.replay(inbox[0].event, "http://127.0.0.1:9/hook") == 502


SIGNED = Service({"webhooks.signature_header": "X-Signature"})
KEY = b"a-secret-key"
PLAIN = b'{"event_type": "transfer.created", "event_payload": {"id": "tr_1"}}'
GOOD = hmac.digest(KEY, PLAIN, "sha256")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Signature": GOOD.hex()}, 200),
        ({"x-signature": f"sha256={GOOD.hex()}"}, 200),
        ({"X-Signature": b64encode(GOOD).decode()}, 200),
        ({"X-Signature": hmac.digest(KEY, PLAIN + b" ", "sha256").hex()}, 401),
        ({"X-Signature": hmac.digest(b"another", PLAIN, "sha256").hex()}, 401),
        ({"X-Signature": ""}, 401),
        ({"X-Other": GOOD.hex()}, 401),
        ({}, 401),
    ],
)
def test_a_signed_delivery_is_verified(headers, status, caplog):
    """A wrong signature is answered 401, and the log names the setting and hides the key."""
    events = EventLog(wrapper=Wrapper.of(SIGNED))
    receiver = Receiver(
        events, lambda: NOW, check=make_signature_check(SIGNED, Secret(KEY.decode()))
    )
    assert receiver.deliver("", PLAIN, headers) == status
    assert len(events.all()) == (status == 200)
    assert ("webhooks.signature_header" in caplog.text) == (status == 401)
    assert KEY.decode() not in caplog.text


def test_a_signed_delivery_becomes_its_event():
    """A signed delivery becomes its event; another body and a missing header are refused."""
    headers = {"X-SIGNATURE": GOOD.hex()}
    assert verify_delivery(PLAIN, headers, KEY.decode(), SIGNED) == read_event(
        PLAIN, Wrapper.of(SIGNED)
    )
    for body, given in [(PLAIN + b" ", headers), (PLAIN, {})]:
        with pytest.raises(UnreadableEventError, match="X-Signature") as refusal:
            verify_delivery(body, given, KEY.decode(), SIGNED)
        assert KEY.decode() not in str(refusal.value)
    with pytest.raises(paylab.ConfigError, match=r"webhooks\.signature_header"):
        verify_delivery(PLAIN, headers, KEY.decode(), Service())


@pytest.mark.parametrize("secret_key", ["", " ", None], ids=repr)
def test_an_empty_key_accepts_no_delivery(secret_key):
    """Anybody can sign with an empty key, as a program without its variable has."""
    headers = {"X-Signature": hmac.new((secret_key or "").encode(), PLAIN, "sha256").hexdigest()}
    with pytest.raises(paylab.ConfigError, match="secret_key is empty"):
        verify_delivery(PLAIN, headers, secret_key, SIGNED)


def test_a_header_without_a_value_counts_as_missing():
    """Some frameworks give None for a header that was not sent."""
    with pytest.raises(UnreadableEventError, match="X-Signature"):
        verify_delivery(PLAIN, {"X-Signature": None}, KEY.decode(), SIGNED)


def test_a_port_verifies_the_signature():
    """Over HTTP the headers reach the check, and a refusal does not contain the key."""
    check = make_signature_check(SIGNED, Secret(KEY.decode()))
    port = Port(Receiver(EventLog(), lambda: NOW, check=check)).start()
    kind = {"content-type": "application/json"}
    try:
        with httpx.Client(trust_env=False, verify=False) as client:
            good = client.post(port.url, content=PLAIN, headers=kind | {"X-SIGNATURE": GOOD.hex()})
            bad = client.post(port.url, content=PLAIN, headers=kind)
    finally:
        port.stop()
    assert (good.status_code, bad.status_code) == (200, 401)
    assert "X-Signature" in bad.text
    assert KEY.decode() not in bad.text


@pytest.mark.parametrize("port", [None, 0])
def test_an_inbox_of_a_lab_takes_what_its_service_signs(port):
    """The simulator signs events, in process and over a port, and the inbox verifies them."""
    lab = paylab.connect(simulator=Simulator(service=SIGNED))
    with lab.inbox(port=port) as inbox:
        made = lab.individuals.create(**examples.individual("MX", consent_at=NOW))
        lab.individuals.upload_images(made, {"document-front": IMAGE, "selfie": IMAGE})
        lab.simulator.clock.advance(60)
        assert inbox.wait(type="individual.status_changed").id == made.id
        assert inbox.replay(inbox[0]) == 200


def test_a_served_lab_signs_with_the_key_of_the_subscriber(tmp_path):
    """Inboxes with either key accept the events; no answer and no file contains a key."""
    simulator = Simulator(service=SIGNED, data=tmp_path / "world")
    inside = paylab.connect(simulator=simulator)
    with inside.serve() as server:
        keys = server.api_key, server.secret_key
        outside = paylab.connect(server.base_url, *keys, service=SIGNED)
        with inside.inbox() as own, outside.inbox(port=0) as inbox:
            made = outside.individuals.create(**examples.individual("MX", consent_at=NOW))
            outside.individuals.upload_images(made, {"document-front": IMAGE, "selfie": IMAGE})
            outside.simulator.clock.advance(60)
            for each in (own, inbox):
                assert each.wait(type="individual.status_changed").id == made.id
            simulator.world.served_secrets.clear()  # as after a restart: the world's keys are left
            rows = simulator.world.tables["webhook_subscriptions"].rows
            (theirs,) = [row for row in rows.values() if row["_"]]
            event = {"subscription_id": theirs["id"], "body": PLAIN.decode()}
            good = hmac.digest(simulator.secret_key.encode(), PLAIN, "sha256").hex()
            assert make_signature_headers(simulator.world, event) == {"X-Signature": good}
            answers = json.dumps([call.response_body.text for call in outside.calls])
            files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
            kept = [answers.encode(), files, json.dumps(simulator.world.dump()).encode()]
    assert theirs["id"].encode() in files
    assert not [key for key in keys for text in kept if key.encode() in text]


def test_a_forwarded_event_keeps_its_signature():
    """A forwarded event has its original body and signature, which the handler can verify."""
    lab = paylab.connect(simulator=Simulator(service=SIGNED))
    check = make_signature_check(SIGNED, lab.settings.secret_key)
    with HttpReceiver(200) as handler, lab.inbox(forward_to=handler.url):
        lab.trigger("individual.status_changed")
    assert handler.bodies
    for (_, headers, _), body in zip(handler.got, handler.bodies, strict=True):
        assert check(headers, body) == ""


def test_deposit_instructions_of_an_event_are_read_in_our_names():
    """Renamed fields of deposit instructions are read; the payload stays as it was sent."""
    service = Service({"deposit_instructions.crypto_wallet.fields.address": "wallet_address"})
    body = {
        "event_type": "transfer.created",
        "event_payload": {
            "id": "tr_1",
            "deposit_instructions": {
                "type": "crypto_wallet",
                "currency": "usdc",
                "payment_methods": ["base"],
                "details": {"wallet_address": "0x1", "network": "base"},
            },
        },
    }
    event = read_event(body, Wrapper.of(service))
    assert event.resource.deposit_instructions.details == {"address": "0x1", "network": "base"}
    assert event.payload == event.resource.raw == body["event_payload"]
