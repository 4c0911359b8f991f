"""Values of an unexpected type give a result or a clear error, never a TypeError."""

from __future__ import annotations

import json

import pytest

from paylab.corridors import examples
from paylab.errors import RuleError, RuleWarning
from paylab.spec.models import Transfer
from paylab.spec.status import TRANSFER
from paylab.webhooks import event


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_an_event_is_read_from_bytes_of_any_kind(kind):
    """An event is read from bytes, bytearray or memoryview."""
    body = b'{"event_type": "transfer.created", "event_payload": {"id": "tr_1"}}'
    assert event.read_event(kind(body)).id == "tr_1"


def test_the_name_of_a_header_is_text(scripted):
    """A header name that is not text raises RuleError."""
    client, _ = scripted()
    with pytest.raises(RuleError, match="not a valid name of an HTTP header"):
        client.transfers.get("tr_1", headers={1: 2})


@pytest.mark.parametrize("recipients", ["ind_1", ["ind_1"], [None]])
def test_quotes_are_compared_for_individuals(lab, recipients):
    """`quotes.compare` takes individuals and refuses ids and None."""
    with pytest.raises(RuleError, match="must be individuals"):
        lab.quotes.compare(recipients, source_amount="10")


def test_a_status_that_is_no_text_is_not_final():
    """A status that is not text is not final."""
    assert not TRANSFER.is_final([1])


@pytest.mark.parametrize("odd", ["\ud800", json.loads("[" * 900 + "]" * 900)])
def test_anything_that_was_read_can_be_written_as_json(odd):
    """A resource with an unpaired surrogate or deep nesting can be written as JSON."""
    text = Transfer.model_validate({"id": "tr_1", "odd": odd}).model_dump_json()
    assert json.loads(text)["odd"] == odd


RAIL = {"payout_method": "local", "destination_currency": "BRL"}
TERMS = {"source_amount": "10.00", "source_currency": "USD", **RAIL}
KEY = {"pix_key": "x", "pix_key_type": "cpf"}


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda c: c.quotes.create("fa_1", **TERMS), "local"),
        (lambda c: c.transfers.create("fa_1", **TERMS), "local"),
        (lambda c: c.financial_accounts.create("i", "pix", KEY), "pix_key"),
    ],
)
def test_what_only_an_assumption_refuses_is_warned_of_and_sent(scripted, call, word):
    """A call that breaks only an assumption gives a RuleWarning at its line and is sent."""
    client, script = scripted({"id": "x_1"})
    with pytest.warns(RuleWarning, match=word) as told:
        call(client)
    line = call.__code__.co_firstlineno
    assert {(each.filename, each.lineno) for each in told} == {(__file__, line)}
    assert len(script.requests) == 1


@pytest.mark.parametrize("operation", ["quotes", "transfers"])
def test_a_rail_of_another_currency_is_not_sent(scripted, operation):
    """A rail that the spec names for another currency is an error, as in a batch."""
    client, script = scripted({"id": "x_1"})
    with pytest.raises(RuleError, match="payout_method: must be pix for BRL, not spei"):
        getattr(client, operation).create("fa_1", **TERMS | {"payout_method": "spei"})
    assert script.requests == []


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("email", "juan", "email: must be an e-mail address"),
        ("phone", "0917", "phone: must begin with \\+ and the country code"),
        ("date_of_birth", "2036-01-01", "date_of_birth: lies in the future"),
        (
            "idv_consent_recorded_at",
            "2036-01-01T00:00:00.000Z",
            "idv_consent_recorded_at: lies in the future of the service, whose clock is at 20",
        ),
    ],
)
def test_an_unlikely_value_of_a_person_is_sent_with_a_warning(lab, field, value, words):
    """Creating a person warns as the form does, and sends what was written."""
    person = examples.individual("PH", consent_at=lab.clock())
    with pytest.warns(RuleWarning, match=words):
        assert lab.individuals.create(**person | {field: value}).raw[field] == value


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
@pytest.mark.parametrize("operation", ["get", "wait"])
def test_several_ids_are_refused_with_what_to_write(lab, operation, kind):
    """A list of ids is no id: the error says to call the operation for each."""
    with pytest.raises(RuleError, match=f"must be one id, not a {kind.__name__}: call this once"):
        getattr(lab.transfers, operation)(kind(["tr_1", "tr_2"]))
