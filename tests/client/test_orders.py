"""Orders of a client without a lab are new ones, and their errors say what is known."""

from __future__ import annotations

import re

import httpx
import pytest

from paylab.client.orders import Order, add_advice_on_error, is_undecided
from paylab.errors import (
    APIResponseError,
    APITimeoutError,
    ChoiceError,
    ConflictError,
    PaylabError,
    RuleError,
    error_class_of_status,
)

TERMS = {"payout_method": "spei", "source_currency": "usd", "destination_currency": "mxn"}
ORDER = Order("transfers.create", {"source_amount": "10", **TERMS})


def test_each_order_of_a_bare_client_has_a_key_of_its_own(scripted):
    """Two equal orders are sent under two random keys; your own key is sent as it is."""
    client, script = scripted({"id": "tr_1"}, {"id": "tr_2"}, {"id": "tr_3"})
    own = "11111111-1111-4111-8111-111111111111"
    for key in (None, None, own):
        client.orders.send(ORDER, idempotency_key=key)
    keys = [request.headers["idempotency-key"] for request in script.requests]
    assert (len({*keys}), keys[2]) == (3, own)


def test_a_lost_order_of_a_bare_client_names_its_key(scripted):
    """Only the key of the error repeats the order."""
    client, script = scripted(httpx.ReadError("reset"), max_retries=0)
    with pytest.raises(PaylabError) as error:
        client.orders.send(ORDER)
    key = script.requests[0].headers["idempotency-key"]
    assert re.search(f"idempotency_key='{key}'", str(error.value.hint))


def lost(error):
    """An error after an attempt that may have been carried out."""
    error.after_lost = True
    return error


@pytest.mark.parametrize(
    ("error", "undecided"),
    [
        (APITimeoutError("no answer"), True),
        (APIResponseError("not JSON"), True),
        (error_class_of_status(503)(503), True),
        (error_class_of_status(408)(408), True),
        (error_class_of_status(307)(307), True),
        (error_class_of_status(422)(422), False),
        (error_class_of_status(429)(429), False),
        (ConflictError(409), False),
        (lost(error_class_of_status(422)(422)), True),
        (ChoiceError("paid"), False),
        (RuleError([]), False),
    ],
)
def test_an_error_shows_whether_an_order_may_have_been_carried_out(error, undecided):
    """Advice is added only where it is not known."""
    assert is_undecided(error) is undecided
    with pytest.raises(type(error)), add_advice_on_error(lambda _: "ask again"):
        raise error
    assert ("ask again" in (error.hint or "")) is undecided


def test_an_interrupt_has_the_advice_as_a_note():
    """Ctrl-C shows what to do, too."""
    with pytest.raises(KeyboardInterrupt) as stop, add_advice_on_error(lambda _: "ask again"):
        raise KeyboardInterrupt
    assert stop.value.__notes__ == ["ask again"]
