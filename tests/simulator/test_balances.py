"""The balance of the account: transfers await funds while it is too low, until it is paid in."""

from decimal import Decimal

import pytest

import paylab
from paylab.simulator.simulator import Simulator


@pytest.fixture
def lab():
    """A lab with a frozen simulator of its own."""
    with paylab.connect(simulator=Simulator()) as lab:
        yield lab


@pytest.fixture
def pay(lab):
    """A function that creates a payout of an amount."""
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **paylab.examples.account("MX"))

    def made(amount, **fields):
        terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
        to = {"id": account.id}
        return lab.transfers.create(financial_account=to, source_amount=amount, **terms, **fields)

    return made


def statuses(lab, *transfers):
    """The present status of each transfer."""
    return [lab.transfers.get(each.id).status for each in transfers]


def test_a_payment_funds_what_waits(lab, pay):
    """The oldest transfers that the balance suffices for are funded, and it is less by them."""
    assert lab.simulator.pay_in("0.00") == 0
    large, small = pay("100.00"), pay("10.00")
    lab.simulator.clock.advance("1h")
    assert statuses(lab, large, small) == ["awaiting_funds"] * 2
    assert lab.simulator.pay_in("60.00") == Decimal("50.00")
    assert statuses(lab, large, small) == ["awaiting_funds", "started"]
    assert lab.simulator.pay_in(Decimal("75.5")) == Decimal("25.50")
    lab.simulator.clock.advance("5s")
    assert statuses(lab, large, small) == ["completed"] * 2
    events = [event.type for event in lab.simulator.events(large.id)]
    assert events[:2] == ["transfer.created", "transfer.funded"]


def test_the_balance_is_used_up_and_kept(lab, pay):
    """A transfer takes its source amount; the rest is in a snapshot, and a reset ends it."""
    lab.simulator.pay_in("15.00")
    paid, unpaid = pay("10.00"), pay("10.00", client_reference_id="b")
    lab.simulator.clock.advance("5s")
    assert statuses(lab, paid, unpaid) == ["completed", "awaiting_funds"]
    lab.simulator.restore(lab.simulator.snapshot())
    assert lab.get("/_simulator/balances") == {"USD": "5.00"}
    lab.simulator.clock.advance("24h")
    assert statuses(lab, unpaid) == ["expired"]
    assert lab.simulator.pay_in("100.00") == Decimal("105.00")
    assert statuses(lab, unpaid) == ["expired"]
    lab.simulator.reset()
    assert lab.get("/_simulator/balances") == {}


def test_scenarios_and_other_currencies_are_not_funded(lab, pay):
    """A payment does not fund a transfer whose scenario ends it, nor one in another currency."""
    lab.simulator.pay_in("0.00")
    ending, waiting = pay("10.00", client_reference_id="scenario:cancelled"), pay("10.00")
    lab.simulator.pay_in("100", "usdc")
    lab.simulator.clock.advance("2s")
    assert statuses(lab, ending, waiting) == ["cancelled", "awaiting_funds"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"amount": "-1"}, "amount"),
        ({"amount": 1}, "amount"),
        ({"amount": "1.001"}, "amount"),
        ({}, "amount"),
        ({"amount": "1", "currency": "PHP"}, "currency"),
        ({"amount": "1", "currency": 7}, "currency"),
        ({"amount": "1", "curency": "USD"}, "curency"),
    ],
)
def test_what_cannot_be_paid_in(service, body, field):
    """The answer is a 400 that names the field, and the account has no balance."""
    answer = service.post("/_simulator/balances", body)
    assert (answer.status, [*answer.fields]) == (400, [field])
    assert service.get("/_simulator/balances").json == {}


@pytest.mark.parametrize(
    ("paid_in", "status", "rest"),
    [
        ("9.99", "awaiting_funds", "9.99"),
        ("10.00", "started", "0.00"),
        ("10.50", "started", "0.50"),
    ],
)
def test_a_balance_suffices_for_exactly_its_amount(lab, pay, paid_in, status, rest):
    """A balance suffices for exactly its amount."""
    lab.simulator.pay_in(paid_in)
    paid = pay("10.00")
    lab.simulator.clock.advance(1)
    assert statuses(lab, paid) == [status]
    assert lab.get("/_simulator/balances") == {"USD": rest}
