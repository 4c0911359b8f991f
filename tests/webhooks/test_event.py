"""Reading deliveries as events: types, identity, and refusal of what is not an event."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from paylab.spec import codes, models
from paylab.spec.text import read_json, write_json
from paylab.webhooks.event import StatusChange, UnreadableEventError, read_event

TRANSFER = {
    "id": "tr_1",
    "status": "started",
    "source_amount": "10.00",
    "source_currency": "usd",
    "updated_at": "2026-01-15T12:00:00.000Z",
}
READ_AS = {
    "transfer": models.Transfer,
    "conversion": models.Conversion,
    "individual": StatusChange,
}


def body(kind="transfer.funded", **changes):
    """The body of a delivery."""
    return {"event_type": kind, "event_payload": {**TRANSFER, **changes}}


@pytest.mark.parametrize("kind", codes.EVENT_TYPES)
def test_every_event_type_has_its_resource(kind):
    """The payload of every event type is read as the model of its resource."""
    event = read_event(json.dumps(body(kind)))
    assert type(event.resource) is READ_AS[kind.partition(".")[0]]
    assert (event.type, event.id, event.status) == (kind, "tr_1", "started")


def test_printed_it_holds_nothing_that_a_terminal_obeys():
    """Control characters, bidi controls and line breaks are escaped; letters are not."""
    event = read_event(body(id="é\x1b[31m\u202e", status="a\nb"))
    assert str(event) == "12:00:00  transfer.funded  é\\x1b[31m\\u202e  a\\nb"


def test_a_body_may_be_bytes_text_or_an_object():
    """Bytes, text and a parsed object give the same event."""
    text = json.dumps(body())
    assert read_event(text) == read_event(text.encode()) == read_event(body())


def test_amounts_are_exact_and_times_aware():
    """An event's amounts are read as those of a transfer, and its times are aware."""
    event = read_event(body())
    assert event.resource.source_amount == models.Transfer(source_amount="10").source_amount
    assert event.updated_at.isoformat() == "2026-01-15T12:00:00+00:00"


def test_an_unknown_type_is_kept():
    """An event of an unknown type is read with its fields."""
    event = read_event({"event_type": "wallet.opened", "event_payload": {"id": "w", "x": 1}})
    assert (event.type, event.family, event.id, event.resource.x) == (
        "wallet.opened",
        "wallet",
        "w",
        1,
    )


@pytest.mark.parametrize(
    ("delivery", "word"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"\xff\xfe\xfa", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[]", "object"),
        (b"null", "object"),
        ({}, "event_type"),
        ({"event_type": "transfer.funded"}, "event_payload"),
        ({"event_type": "", "event_payload": {}}, "event_type"),
        ({"event_type": 7, "event_payload": {}}, "event_type"),
        ({"event_type": "transfer.funded", "event_payload": []}, "event_payload"),
        ({"event_type": "transfer.funded", "event_payload": {"status": "started"}}, "no id"),
        ({"event_type": "transfer.funded", "event_payload": {"id": None}}, "no id"),
    ],
)
def test_what_is_no_event_is_refused(delivery, word):
    """A delivery that is not an event raises an error that says why."""
    with pytest.raises(UnreadableEventError, match=word):
        read_event(delivery)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"source_amount": "11.00"}, True),
        ({"status": "completed"}, False),
        ({"updated_at": "2026-01-15T12:00:01.000Z"}, False),
        ({"id": "tr_2"}, False),
        ({"kind": "transfer.payout_initiated"}, False),
    ],
)
def test_deliveries_with_equal_type_resource_id_status_and_updated_at_are_the_same_event(
    change, same
):
    """Deliveries with equal type, resource id, status and updated_at are the same event."""
    assert (read_event(body()).identity == read_event(body(**change)).identity) is same


@pytest.mark.parametrize(("amount", "same"), [("10.00", True), ("11.00", False)])
def test_an_event_without_a_time_is_its_payload(amount, same):
    """Without updated_at, two deliveries are the same event only if the payloads are equal."""
    one, other = (
        read_event(body(updated_at=None)),
        read_event(body(updated_at=None, source_amount=amount)),
    )
    assert (one.identity == other.identity) is same


@pytest.mark.parametrize("junk", [[], {}, [{"a": 1}], 7, True, 0.1, "\ud800", "x" * 10_000])
@pytest.mark.parametrize("field", ["id", "status", "updated_at", "previous_status"])
def test_junk_in_a_field_breaks_nothing(field, junk):
    """With any value in a field, an event has an identity, a mark and a printed form."""
    event = read_event(json.dumps({**body(), "event_payload": {**TRANSFER, field: junk}}))
    assert event.identity in {event.identity}
    assert event.version.type in str(event) + repr(event)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_refused(word):
    """NaN and Infinity are refused in text, in bytes and in a parsed object."""
    text = json.dumps(body(extra=1)).replace(": 1}", f": {word}}}")
    for delivery in (text, text.encode(), json.loads(text)):
        with pytest.raises(UnreadableEventError, match="JSON"):
            read_event(delivery)


@pytest.mark.parametrize("number", ["0.1000000000000000055", "1e-30", "12345678901234567890.10"])
def test_numbers_keep_all_digits_when_they_are_read_and_when_they_are_written_again(number):
    """Numbers keep all digits when they are read and when they are written again."""
    event = read_event(json.dumps(body(fee=1)).replace(": 1}", f": {number}}}"))
    assert event.payload["fee"] == Decimal(number)
    assert read_json(write_json(dict(event.payload))) == event.payload


SPELLINGS = ("03Z", "03.000Z", "03.0+00:00", "03+00:00", "03", "03,00z", "03.000000000Z")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_instant_is_one_event(spelling):
    """The spelling of a time does not change the identity of an event."""
    event = read_event(body(updated_at=f"2026-01-15T12:00:{spelling}"))
    assert event.identity == read_event(body(updated_at="2026-01-15T12:00:03.000Z")).identity


@pytest.mark.parametrize("other", ["03.001Z", "03.0000001Z", "03+00:01", "3 o'clock"])
def test_another_instant_is_another_event(other):
    """Another time is another event, even if it differs by a tenth of a microsecond."""
    event = read_event(body(updated_at=f"2026-01-15T12:00:{other}"))
    assert event.identity != read_event(body(updated_at="2026-01-15T12:00:03.000Z")).identity
