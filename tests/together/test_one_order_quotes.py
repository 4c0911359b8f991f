"""A quote counts as its terms: a new quote for each try is the same order."""

from __future__ import annotations

import pytest
from one_order import EQUAL, HOUR, NAMED, ONCE, Cases

from paylab.errors import PaylabError

case = Cases()


@case(EQUAL, pays=1)
def a_quote_for_each_try(place):
    """Two quotes with the same terms are one order, and so are the terms without a quote."""
    lab = place.lab()
    first = lab.pay_quote(lab.quote())
    assert lab.pay_quote(lab.quote(source_currency="usd", source_amount="50.0")).id == first.id
    assert place.lab().pay().id == first.id


@case(EQUAL, pays=1)
def a_quote_after_its_terms(place):
    """Terms, then a quote of them by another lab with the same ledger, are one order."""
    place.lab().pay()
    quote = place.lab().quote()
    assert place.lab().pay_quote(quote).replayed


@case(EQUAL, pays=3)
def quotes_with_other_terms(place):
    """Quotes that differ in the amount or its side are other orders."""
    lab = place.lab()
    for terms in ({}, {"source_amount": "51"}, {"source_amount": None, "destination_amount": "50"}):
        lab.pay_quote(lab.quote(**terms))


@case(NAMED, pays=2)
def quotes_with_references(place):
    """Equal quotes with two references are two orders."""
    lab = place.lab()
    for name in ("a", "b", "a"):
        lab.pay_quote(lab.quote(), client_reference_id=name)


@case(ONCE, pays=1)
def a_new_quote_after_a_lost_answer(place):
    """A lost payment by quote is finished by a payment with a new quote of equal terms."""
    lab = place.lab()
    place.faults.drop_after(method="POST", path="/v1/transfers", times=1)
    with pytest.raises(PaylabError):
        lab.pay_quote(lab.quote())
    assert lab.pay_quote(lab.quote()).replayed


@case(ONCE, pays=1)
def a_new_quote_after_an_expired_one(place):
    """A quote that was refused since it had expired does not block its order."""
    lab = place.lab()
    quote = lab.quote()
    place.simulator.advance(HOUR)
    with pytest.raises(PaylabError):
        lab.pay_quote(quote)
    assert not lab.pay_quote(lab.quote()).replayed


@case(EQUAL, pays=2)
def quotes_of_another_client(place):
    """A quote that the ledger does not know counts as itself."""
    for quote in [place.observer.quote() for _ in range(2)]:
        for _ in range(2):
            place.lab().pay_quote(quote)


test_as_many_payments_as_the_rule_says = case.test()
