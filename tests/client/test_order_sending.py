"""What an order that the keeper remembers sends, and where an answer without a body is found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from paylab.client import Client
from paylab.client.orders import Keeper, OrderTicket
from paylab.errors import (
    APIResponseError,
    APIStatusError,
    ChoiceError,
    ConflictError,
    PaylabError,
    RuleError,
)

KEY = "11111111-1111-4111-8111-111111111111"
ASKED = {"source_amount": "10", "payout_method": "spei", "source_currency": "usd"}
ASKED |= {"destination_currency": "mxn"}
FIRST = datetime(2026, 1, 31, 9, tzinfo=UTC)
LIST = {"has_next_page": False, "cursor": None}
MADE = {"id": "tr_1", "status": "completed"}


@dataclass
class Remembered(OrderTicket):
    """A ticket of an order that was sent before; `log` is what it was told."""

    known: Any = None
    content: Any = None
    first: Any = None
    found: Any = None
    log: list[Any] = field(default_factory=list)

    def find(self, listed, since):
        """The payment that the test says, with how the list was asked for."""
        self.log.append(("find", [one.id for one in listed], since))
        return self.found

    def tell(self, payment):
        """Note that nothing was created."""
        self.log.append(("tell", payment))

    def missing(self):
        """The error that the test looks for."""
        return ChoiceError("gone", "")

    def answered(self, status, payment, *, found=False):
        """Note the outcome."""
        self.log.append(("answered", status, payment, found))

    def refused(self, status):
        """Note that it was refused, or not sent."""
        self.log.append(("refused", status))

    def lost(self):
        """Note that the outcome is unknown."""
        self.log.append(("lost",))


class OneTicket(Keeper):
    """A keeper with one ticket."""

    def __init__(self, **facts):
        self.ticket, self.opened = Remembered(KEY, **facts), False

    def open(self, order):
        """The ticket, with the order's own key if it has one."""
        self.opened = True
        return replace(self.ticket, key=order.key or KEY)


def pay(scripted, keeper, *replies, **options):
    """The payment that a client with this keeper makes, and its requests as method and path."""
    client, script = scripted(*replies, keeper=keeper, max_retries=0)
    made = client.transfers.create("fa_1", **ASKED, **options)
    asked = [(each.method, each.url.raw_path.decode()) for each in script.requests]
    return made, script, asked


POST, READ = ("POST", "/v1/transfers"), ("GET", "/v1/transfers/tr_1")
WHOLE = ("GET", "/v1/transfers?limit=100")


def rows(*found):
    """A page of a list."""
    return {"data": list(found), **LIST}


def test_a_new_order_is_sent_with_its_key_and_its_ticket_is_told(scripted):
    """One POST with the key of the ticket; the outcome is its status and its id."""
    keeper = OneTicket()
    made, script, asked = pay(scripted, keeper, httpx.Response(201, json=MADE))
    assert (asked, script.sent("idempotency-key")) == ([POST], [KEY])
    assert (made.id, made.replayed) == ("tr_1", False)
    assert keeper.ticket.log == [("answered", 201, "tr_1", False)]


def test_the_payment_of_an_answered_order_is_read(scripted):
    """Nothing is posted, the payment is `replayed`, and your headers go with the reading."""
    keeper = OneTicket(known="tr_1")
    made, script, asked = pay(scripted, keeper, MADE, headers={"X-Trace": "7"})
    assert (asked, script.sent("x-trace")) == ([READ], ["7"])
    assert (made.id, made.replayed) == ("tr_1", True)
    assert keeper.ticket.log == [("tell", "tr_1")]


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_payment_that_cannot_be_read_alone_is_looked_for_in_the_list(scripted, status):
    """A service without that operation still has the payment in its list."""
    keeper = OneTicket(known="tr_1")
    made, _, asked = pay(scripted, keeper, status, rows({"id": "tr_0"}, MADE))
    assert asked == [READ, WHOLE]
    assert (made.id, made.replayed, keeper.ticket.log) == ("tr_1", True, [("tell", "tr_1")])


def test_a_payment_that_the_service_no_longer_has_is_your_choice(scripted):
    """Neither the payment nor its list has it: the error is the ticket's, and nothing is told."""
    keeper = OneTicket(known="tr_1")
    with pytest.raises(ChoiceError, match="gone"):
        pay(scripted, keeper, 404, rows({"id": "tr_0"}))
    assert keeper.ticket.log == []


@pytest.mark.parametrize("status", [400, 403, 500])
def test_another_failure_to_read_it_is_that_failure(scripted, status):
    """Only an answer that says it is not there leads to the list."""
    with pytest.raises(APIStatusError) as caught:
        pay(scripted, OneTicket(known="tr_1"), status)
    assert caught.value.status == status


def test_an_order_sent_before_has_the_bytes_of_its_first_attempt(scripted):
    """The service compares bytes under one key, so the first ones are sent again."""
    keeper = OneTicket(content=b'{"a": 1}', first=FIRST)
    made, script, asked = pay(scripted, keeper, MADE)
    assert (asked, script.requests[0].content) == ([POST], b'{"a": 1}')
    assert (made.replayed, keeper.ticket.log) == (False, [("answered", 200, "tr_1", False)])


def test_an_order_whose_key_expired_is_looked_for_before_it_is_sent(scripted):
    """The list is read from the allowed difference of clocks before the first attempt on."""
    since = FIRST - timedelta(seconds=300)
    keeper = OneTicket(first=FIRST, is_expired=True, found="tr_1")
    made, _, asked = pay(scripted, keeper, rows({"id": "tr_0"}, MADE), MADE)
    assert asked == [WHOLE, READ]
    assert (made.id, made.replayed) == ("tr_1", True)
    looked, told = ("find", ["tr_0", "tr_1"], since), ("answered", 200, "tr_1", True)
    assert keeper.ticket.log == [looked, told, ("tell", "tr_1")]

    absent = OneTicket(first=FIRST, is_expired=True)
    made, _, asked = pay(scripted, absent, rows({"id": "tr_0"}), MADE)
    assert (asked, made.replayed) == ([WHOLE, POST], False)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (httpx.ConnectError("no"), [("refused", 0)]),
        (httpx.ReadTimeout("slow"), [("lost",)]),
        (400, [("refused", 400)]),
        (499, [("refused", 499)]),
        (500, [("lost",)]),
        (408, []),  # neither says whether it was carried out
        (409, []),
        ({}, [("lost",)]),
    ],
)
def test_a_ticket_is_told_how_its_order_failed(scripted, reply, told):
    """An order is refused only if nothing was carried out."""
    keeper = OneTicket()
    with pytest.raises(PaylabError):
        pay(scripted, keeper, reply)
    assert keeper.ticket.log == told


@pytest.mark.parametrize("key", ["", "a b", "é" * 36, KEY + "0"])
def test_a_key_that_no_service_takes_is_not_sent(scripted, key):
    """Your own Idempotency-Key is checked before the order is stored."""
    keeper = OneTicket()
    with pytest.raises(RuleError, match="idempotency_key"):
        pay(scripted, keeper, idempotency_key=key)
    assert not keeper.opened


@pytest.mark.parametrize("place", ["/v1/transfers/tr_1", "https://pay.test/v1/transfers/tr_1?x=1"])
def test_an_answer_without_a_body_is_read_at_its_location(scripted, place):
    """A 201 that only says where the payment is leads there."""
    keeper = OneTicket()
    empty = httpx.Response(201, headers={"Location": place})
    made, _, asked = pay(scripted, keeper, empty, MADE)
    assert (asked, made.id, made.status) == ([POST, READ], "tr_1", "completed")
    assert keeper.ticket.log == [("answered", 201, "tr_1", False)]


@pytest.mark.parametrize("headers", [{}, {"Location": "/elsewhere/tr_1"}])
def test_an_answer_without_a_body_and_a_place_is_an_error(scripted, headers):
    """Nothing says which payment it was: the error says what the answer lacks."""
    with pytest.raises(APIResponseError, match="must be an object with an id"):
        pay(scripted, OneTicket(), httpx.Response(201, headers=headers))


def test_a_conversion_account_without_a_place_is_found_in_the_list(scripted):
    """The list has an account of this person and wallet, made since the request began."""
    made = {"id": "ca_1", "individual_id": "ind_1", "payout_account": {"id": "fa_1"}}
    made |= {"source_currency": "mxn", "created_at": "2026-01-31T09:30:00.500Z"}
    old = {**made, "id": "ca_0", "created_at": "2026-01-31T09:24:00.000Z"}
    client, script = scripted(httpx.Response(202), rows(old, made), made)
    assert client.conversion_accounts.create("ind_1", "fa_1", "mxn").id == "ca_1"
    assert [each.url.path.rpartition("/")[2] for each in script.requests] == [
        *("conversion_accounts", "conversion_accounts", "ca_1")
    ]


@pytest.mark.parametrize(
    ("facts", "replies", "how"),
    [
        ({}, [MADE], (False, False, False)),
        ({"known": "tr_1"}, [MADE], (True, True, False)),
        (
            {"first": FIRST, "is_expired": True, "found": "tr_1"},
            [rows(), MADE],
            (True, False, True),
        ),
    ],
)
def test_a_response_says_how_its_payment_was_found(scripted, facts, replies, how):
    """It was made now, known to the keeper, or found in the list after a lost attempt."""
    client, _ = scripted(*replies, keeper=OneTicket(**facts))
    response = client.transfers.send({"quote_id": "q"})
    assert (response.replayed, response.is_known, response.is_found) == how


@pytest.mark.parametrize(
    ("first", "words"),
    [(None, "it may have been carried out: send the same again"), (FIRST, "check with GET")],
)
def test_a_conflict_may_hide_that_the_order_was_carried_out(scripted, first, words):
    """The advice is about this attempt, or about the earlier one that was refused."""
    with pytest.raises(ConflictError) as caught:
        pay(scripted, OneTicket(first=first), 409)
    assert words in caught.value.hint
    assert ("an earlier attempt with this key" in caught.value.hint) == (first is not None)


def test_an_interrupted_payment_says_with_which_key_to_send_it_again(settings):
    """The interrupt itself is raised, with a note."""

    def interrupt(_):
        raise KeyboardInterrupt

    client = Client(settings, transport=httpx.MockTransport(interrupt))
    with pytest.raises(KeyboardInterrupt) as caught:
        client.transfers.create("fa_1", **ASKED, idempotency_key=KEY)
    [note] = caught.value.__notes__
    assert KEY in note


def test_a_refused_order_was_not_carried_out_by_an_earlier_attempt(scripted):
    """A 400 says nothing of what may have happened, also when the order is sent again."""
    with pytest.raises(APIStatusError) as caught:
        pay(scripted, OneTicket(first=FIRST), 400)
    assert "carried out" not in str(caught.value.hint)
