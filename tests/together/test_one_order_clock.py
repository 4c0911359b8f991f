"""The same order across 24 hours: answered, refused, lost and found, lost and surely not made."""

from __future__ import annotations

import json

import httpx
import pytest
from one_order import EQUAL, HOUR, NEW, ONCE, PAID, Cases

from paylab.errors import ChoiceError, PaylabError
from paylab.simulator.transport import SimulatorTransport

MINUTE = 60
LATE = 25 * HOUR

case = Cases()


class Listing(httpx.BaseTransport):
    """The simulator's transport; `change` gets the rows of each list and returns a response."""

    def __init__(self, simulator, change):
        self.inner, self.change = SimulatorTransport(simulator.respond), change

    def handle_request(self, request):
        """The simulator's response, changed for a list of transfers."""
        response = self.inner.handle_request(request)
        if request.method != "GET" or request.url.path != "/v1/transfers":
            return response
        return self.change(json.loads(response.read()))


def unreadable(*fields):
    """A change of a list: some fields of every row are null."""

    def change(page):
        rows = [{**row, **dict.fromkeys(fields)} for row in page["data"]]
        return httpx.Response(200, json={**page, "data": rows})

    return change


def leaving_out(*fields):
    """A change of a list: some fields are not in its rows."""

    def change(page):
        rows = [{key: row[key] for key in row if key not in fields} for row in page["data"]]
        return httpx.Response(200, json={**page, "data": rows})

    return change


def refused(page):
    """A change of a list: it is refused."""
    return httpx.Response(403, json={"error": "lists are not for this key"})


def unfinished(page):
    """A change of a list: it says that there is another page, and gives no cursor."""
    return httpx.Response(200, json={**page, "has_next_page": True, "cursor": None})


@case(ONCE, pays=1)
def answered_a_quarter_of_an_hour_before_the_end(place):
    """An order that was answered 23 hours and 45 minutes ago is returned."""
    place.lab().pay()
    place.simulator.advance(24 * HOUR - 15 * MINUTE)
    assert place.lab().pay().replayed


@case(ONCE, pays=1)
def answered_a_few_minutes_before_the_end(place):
    """24 hours have not passed after 23 hours and 55 minutes."""
    place.lab().pay()
    place.simulator.advance(24 * HOUR - 5 * MINUTE)
    assert place.lab().pay().replayed


@case(ONCE, pays=2)
def answered_yesterday(place):
    """After 24 hours an answered order is a new order, which is again paid once."""
    for pause in (0, LATE):
        place.simulator.advance(pause)
        for _ in range(2):
            place.lab().pay()


@case(ONCE, pays=2)
def a_daily_job(place):
    """A job that pays every day pays twice in two days, whatever its reference."""
    for _ in range(2):
        place.lab().pay(client_reference_id="rent")
        place.simulator.advance(LATE)


@case(ONCE, pays=1)
def a_reference_of_a_batch_is_one_payout_for_good(place):
    """In a batch, a reference names one payout for good."""
    for _ in range(3):
        assert place.lab().batch({"client_reference_id": "rent"})[0] in PAID
        place.simulator.advance(LATE)


@case(ONCE, pays=2)
def a_row_without_a_reference_the_next_day(place):
    """A row without a reference is a new order after 24 hours."""
    for _ in range(2):
        assert place.lab().batch({}) == ["created"]
        place.simulator.advance(LATE)


@case(ONCE, pays=1)
def refused_yesterday(place):
    """An order that was refused yesterday is a new order."""
    place.faults.status(method="POST", path="/v1/transfers", status=422, times=1)
    with pytest.raises(PaylabError):
        place.lab().pay()
    place.simulator.advance(LATE)
    assert not place.lab().pay().replayed


@case(ONCE, pays=1)
def lost_within_the_time_of_its_key(place):
    """A lost order is asked for under its key until shortly before the key's end."""
    place.lose()
    place.simulator.advance(24 * HOUR - 15 * MINUTE)
    lab = place.lab()
    assert lab.pay().replayed
    assert "POST" in [call.method for call in lab.calls]


@case(ONCE, pays=1)
def lost_and_its_key_about_to_end(place):
    """In the last ten minutes of a key it is not sent; the payment is found in the list."""
    place.lose()
    place.simulator.advance(24 * HOUR - 5 * MINUTE)
    lab = place.lab()
    assert lab.pay().replayed
    assert "POST" not in [call.method for call in lab.calls]


@case(ONCE, pays=1)
def lost_and_found_by_its_reference(place):
    """A lost order is found in the list by its reference after its key has ended."""
    place.lose(client_reference_id="a")
    place.simulator.advance(LATE)
    assert place.lab().pay(client_reference_id="a", source_amount="50.0").replayed


@case(ONCE, pays=2)
def lost_and_found_by_its_values(place):
    """A lost order without a reference is found by its values, beside a payment of others."""
    place.lose()
    place.lab().pay("other")
    place.simulator.advance(LATE)
    assert place.lab().pay().replayed


@case(ONCE, pays=31)
def lost_and_found_on_a_later_page(place):
    """The whole list is read, not only its first page."""
    place.lose()
    place.simulator.advance(1)
    for _ in range(30):
        place.lab(ledger="none").pay("other")
    place.simulator.advance(LATE)
    assert place.lab().pay().replayed


@case(ONCE, pays=1)
def a_lost_quote_is_found_by_its_terms(place):
    """A lost order by quote is found by the terms of the quote."""
    lab = place.lab()
    place.faults.drop_after(method="POST", path="/v1/transfers", times=1)
    with pytest.raises(PaylabError):
        lab.pay_quote(lab.quote())
    place.simulator.advance(LATE)
    assert place.lab().pay().replayed


@case(ONCE, pays=1)
def a_lost_quote_of_another_client(place):
    """A lost order by an unknown quote cannot be told from the payments of others."""
    quote = place.observer.quote()
    place.faults.timeout(method="POST", path="/v1/transfers", times=1)
    with pytest.raises(PaylabError):
        place.lab().pay_quote(quote)
    place.lab(ledger="none").pay("other", source_amount="7")
    place.simulator.advance(LATE)
    with pytest.raises(ChoiceError):
        place.lab().pay_quote(quote)


@case(ONCE, pays=1)
def lost_and_surely_not_made(place):
    """A lost order that is not in the list is sent."""
    place.lose(carried_out=False)
    place.simulator.advance(LATE)
    assert not place.lab().pay().replayed


@case(EQUAL, pays=2)
def lost_beside_an_older_payment(place):
    """An equal payment from before the first attempt is not the lost one."""
    place.lab().pay()
    place.simulator.advance(LATE)
    place.lose(carried_out=False)
    place.simulator.advance(LATE)
    assert not place.lab().pay().replayed


@case(EQUAL, pays=2)
def lost_beside_its_reference_with_another_amount(place):
    """A payment of the list with the same reference and another amount is another order."""
    place.lab().pay(client_reference_id="a", source_amount="51")
    place.lose(carried_out=False, client_reference_id="a")
    place.simulator.advance(LATE)
    assert not place.lab().pay(client_reference_id="a").replayed


@case(NEW, pays=2)
def undecidable_then_on_purpose(place):
    """If nobody can tell, ChoiceError is raised and nothing sent; new=True decides."""
    place.lose()
    place.simulator.advance(LATE)
    through = Listing(place.simulator, refused)
    for _ in range(2):
        with pytest.raises(ChoiceError):
            place.lab(through).pay()
    place.lab(through).pay(new=True)


@case(ONCE, pays=1)
def undecidable_until_the_list_is_readable(place):
    """After ChoiceError the same call decides as soon as the list can be read."""
    place.lose()
    place.simulator.advance(LATE)
    for change in (
        refused,
        unfinished,
        unreadable("source_amount", "net_source_amount", "destination_amount"),
        unreadable("created_at"),
        unreadable("financial_account_id"),
    ):
        with pytest.raises(ChoiceError):
            place.lab(Listing(place.simulator, change)).pay()
    assert place.lab().pay().replayed


@case(EQUAL, pays=1)
def an_unreadable_row_is_not_taken_for_the_order(place):
    """A payment of others whose amount the list does not show is not taken for the order."""
    place.lose(carried_out=False)
    place.lab(ledger="none").pay(source_amount="7")
    place.simulator.advance(LATE)
    for change in (unreadable("source_amount"), leaving_out("source_amount")):
        with pytest.raises(ChoiceError):
            place.lab(Listing(place.simulator, change)).pay()


@case(EQUAL, pays=1)
def a_list_without_references(place):
    """In a list without references, an equal payment can be that of another reference."""
    place.lose(carried_out=False, client_reference_id="a")
    place.lab(ledger="none").pay(client_reference_id="zzz")
    place.simulator.advance(LATE)
    through = Listing(place.simulator, leaving_out("client_reference_id"))
    with pytest.raises(ChoiceError):
        place.lab(through).pay(client_reference_id="a")


test_as_many_payments_as_the_rule_says = case.test()
