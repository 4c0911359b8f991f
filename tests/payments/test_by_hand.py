"""Each call at a prompt or from a button is a new payment, except after a lost answer."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import APIConnectionError, ChoiceError, RuleError
from paylab.simulator.simulator import Simulator

TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}


@pytest.fixture
def lab(monkeypatch, tmp_path):
    """A lab at a prompt, where calls come from no cell and no script."""
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    return paylab.connect(simulator=Simulator(), ledger=tmp_path / "ledger.sqlite3")


@pytest.fixture
def person(lab):
    """A recipient with a bank account."""
    made = lab.individuals.create(**examples.recipient("MX"))
    lab.financial_accounts.create(made.id, **examples.account("MX"))
    return lab.individuals.wait(made.id)


def pay(lab, person, amount="10.00"):
    """Make one payment."""
    account = person.financial_accounts[0].id
    return lab.transfers.create(account, source_amount=amount, **TERMS)


def lose(lab):
    """Drop the answer to the next payment, on all three attempts."""
    lab.simulator.faults.drop_after(path="/v1/transfers", times=3)


def made(lab):
    """The number of transfers at the service."""
    return len(list(lab.transfers.list()))


def test_what_was_lost_is_asked_for_again(lab, person):
    """After a lost answer, the next call repeats its key; the call after that pays again."""
    lose(lab)
    with pytest.raises(APIConnectionError) as lost:
        pay(lab, person)
    assert "the same Idempotency-Key" in lost.value.hint
    assert (pay(lab, person).replayed, made(lab)) == (True, 1)
    assert (pay(lab, person).replayed, made(lab)) == (False, 2)


@pytest.mark.parametrize("new", [False, True])
def test_a_form_whose_answer_was_lost_pays_once(lab, person, new):
    """After a lost answer, more clicks make no second payment, with or without `new`."""
    lose(lab)
    form = lab.forms.transfer(person, new=new)
    for _ in range(3):
        form._quiet_until = 0
        form.click()
    assert (form.result.replayed, made(lab)) == (True, 1)


def test_another_amount_is_another_payment(lab, person):
    """A call with another amount is a new payment, not a repeat of the lost one."""
    lose(lab)
    with pytest.raises(APIConnectionError):
        pay(lab, person)
    assert (pay(lab, person, "11.00").replayed, made(lab)) == (False, 2)


def test_a_day_later_one_is_asked_first(lab, person):
    """When the key has expired, the next call raises ChoiceError; the call after that pays."""
    lose(lab)
    with pytest.raises(APIConnectionError):
        pay(lab, person)
    lab.simulator.clock.advance("25h")
    with pytest.raises(ChoiceError, match="without a response, and its key has expired"):
        pay(lab, person)
    assert made(lab) == 1
    assert (pay(lab, person).replayed, made(lab)) == (False, 2)


def test_payments_at_the_same_time_are_each_meant(lab, person):
    """A payment that still waits for its answer is not lost, so concurrent calls are all made."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: pay(lab, person).id, range(12)))
    assert len(set(found)) == made(lab) == 12


def test_a_fresh_quote_after_a_lost_answer_is_confirmed(lab, person):
    """After a lost answer, submitting a renewed quote raises RuleError and pays nothing."""
    quote = lab.quotes.create(person.financial_accounts[0].id, source_amount="10.00", **TERMS)
    card = lab.forms.quote_card(quote)
    lose(lab)
    with pytest.raises(APIConnectionError):
        card.submit()
    card.renew()
    with pytest.raises(RuleError, match="may have been carried out"):
        card.submit()
    assert made(lab) == 1
