"""The same order under another API key, with new=True, and with a key of your own."""

from __future__ import annotations

import pytest
from one_order import ASKED, NEW, ONCE, SPELT, Cases

from paylab.errors import ChoiceError, PaylabError, RuleWarning

KEY = "11111111-1111-4111-8111-111111111111"
OTHER_KEY = "22222222-2222-4222-8222-222222222222"

case = Cases()


@case(SPELT, pays=1)
def another_key_after_an_answer(place):
    """An answered order without a reference is returned under another API key."""
    first = place.lab().pay()
    again = place.rotated().pay()
    assert (again.id, again.replayed) == (first.id, True)


@case(SPELT, pays=1)
def another_key_with_a_reference(place):
    """An answered order with a reference raises ChoiceError under another API key."""
    place.lab().pay(client_reference_id="a")
    with pytest.raises(ChoiceError) as error:
        place.rotated().pay(client_reference_id="a")
    assert "new=True" in str(error.value) + error.value.hint


@case(SPELT, pays=1)
def another_key_after_a_lost_answer(place):
    """A lost order raises ChoiceError under another API key; the old key finishes it."""
    place.lose()
    with pytest.raises(ChoiceError):
        place.rotated().pay()
    assert place.lab().pay().replayed


@case(SPELT, pays=0)
def another_key_after_a_request_that_did_not_arrive(place):
    """Nobody knows whether a lost order was carried out, so another API key sends nothing."""
    place.lose(carried_out=False, client_reference_id="a")
    with pytest.raises(ChoiceError):
        place.rotated().pay(client_reference_id="a")


@case(NEW, pays=3)
def another_key_on_purpose(place):
    """Under another API key, new=True or another reference pays."""
    place.lab().pay(client_reference_id="a")
    place.rotated().pay(client_reference_id="a", new=True)
    place.rotated().pay(client_reference_id="b")


@case(NEW, pays=1)
def new_lost_then_new(place):
    """An order with new=True whose answer was lost is the one that the next new=True asks for."""
    place.lose(new=True)
    assert place.lab().pay(new=True).replayed


@case(NEW, pays=2)
def new_lost_then_plain(place):
    """After a lost new=True, a call without it returns the latest payment."""
    first = place.lab().pay()
    place.lose(new=True)
    latest = place.lab().pay()
    assert latest.id != first.id
    assert place.lab().pay().id == latest.id


@case(NEW, pays=1)
def new_lost_then_plain_without_an_earlier_one(place):
    """A lost new=True that came first is finished by a call without it."""
    place.lose(new=True)
    place.lab().pay()


@case(NEW, pays=3)
def plain_returns_the_latest(place):
    """A call without new returns the latest payment of its order."""
    lab = place.lab()
    made = [lab.pay(new=True) for _ in range(3)]
    assert lab.pay().id == made[-1].id


@case(ONCE, pays=1)
def own_key_twice(place):
    """Your own key is sent as it is, and the service returns the first answer."""
    assert [place.lab().pay(idempotency_key=KEY).replayed for _ in range(2)] == [False, True]


@case(NEW, pays=2)
def own_keys_decide_alone(place):
    """A second key of your own pays again, with a warning that an equal order stands."""
    first = place.lab().pay(idempotency_key=KEY)
    with pytest.warns(RuleWarning, match=first.id):
        place.lab().pay(idempotency_key=OTHER_KEY)


@case(ONCE, pays=1)
def own_key_then_none(place):
    """An order made with your own key is noted, so that a call without a key returns it."""
    first = place.lab().pay(idempotency_key=KEY)
    assert place.lab().pay().id == first.id


@case(ONCE, pays=1)
def own_key_lost_then_none(place):
    """A lost order of your own key is finished under that key."""
    place.lose(idempotency_key=KEY)
    assert place.lab().pay().replayed


@case(ASKED, pays=3)
def no_ledger(place):
    """Without a ledger, every call is a new order."""
    lab = place.lab(ledger="none")
    for _ in range(3):
        assert not lab.pay().replayed


@case(ONCE, pays=1)
def no_ledger_and_a_lost_answer(place):
    """Without a ledger, the error of a lost answer names the key that finishes the order."""
    lab = place.lab(ledger="none")
    place.faults.drop_after(method="POST", path="/v1/transfers", times=1)
    with pytest.raises(PaylabError) as error:
        lab.pay()
    key = lab.calls[-1].idempotency_key
    assert key in error.value.hint
    assert lab.pay(idempotency_key=key).replayed


test_as_many_payments_as_the_rule_says = case.test()
