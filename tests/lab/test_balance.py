"""The balance of the account: in a simulator, and of a service that has an operation for it."""

from decimal import Decimal

import pytest

import paylab
from paylab.errors import ConfigError, UnknownItemError, WaitTimeoutError

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


@pytest.fixture
def account(lab):
    """The account of a Mexican recipient."""
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    return lab.financial_accounts.create(person.id, **paylab.examples.account("MX"))


def amounts(lab):
    """What is available, reserved and awaited in USD."""
    balance = lab.balance()["usd"]
    return f"{balance.available} {balance.reserved} {balance.awaiting_funds}"


def test_a_payout_reserves_its_amount_until_it_is_paid(lab, account):
    """The amount is available, then reserved, then gone."""
    lab.balance().top_up("20.00")
    payout = lab.transfers.create(account, source_amount="8.00", **TERMS)
    shown = [amounts(lab)]
    lab.simulator.clock.advance(1)
    shown.append(amounts(lab))
    lab.transfers.wait(payout)
    assert [*shown, amounts(lab)] == ["20.00 0.00 8.00", "12.00 8.00 0.00", "12.00 0.00 0.00"]


@pytest.mark.parametrize(
    ("reference", "currency", "left"),
    [
        ("scenario:failed", "USD", "20.00 0.00 0.00"),
        ("scenario:cancelled", "USD", "20.00 0.00 0.00"),
        ("scenario:under_review", "USD", "12.00 8.00 0.00"),
    ],
)
def test_a_failed_payout_returns_its_reserved_amount(lab, account, reference, currency, left):
    """A payout that fails returns its amount, and one under review keeps it."""
    lab.balance().top_up("20.00", currency)
    fields = {**TERMS, "source_amount": "8.00", "client_reference_id": reference}
    lab.transfers.create(account, **fields)
    lab.simulator.clock.advance("5s")
    assert amounts(lab) == left


def test_a_payout_without_funds_says_what_to_do(lab, account):
    """The wait, the status and the card name the balance; a top-up in the card funds it."""
    balance = lab.balance().top_up("5.00")
    payout = lab.transfers.create(account, source_amount="8.00", **TERMS)
    with pytest.raises(WaitTimeoutError) as error:
        lab.transfers.wait(payout, timeout=3)
    assert 'lab.balance().top_up("8.00", "USD") adds to it' in error.value.hint
    request_count = len(lab.calls)
    view = lab.status(payout)
    rows = dict(view.rows())
    assert rows["Balance"] == "5.00 USD available, payouts wait for 8.00 USD: 3.00 USD missing"
    assert 'lab.balance().top_up("3.00", "USD") adds what is missing' in rows["What to do"]
    assert len(lab.calls) == request_count + 2  # both read the transfer
    page = balance.refresh()._make_page()
    assert "3.00 USD are missing. Top up by that" in dict(page.rows())["Note"]
    page.amount.value = "3.00"
    page.click()
    assert lab.transfers.wait(payout).status == "completed"
    view.refresh()
    assert "Balance" not in dict(view.rows())
    assert page.message.html == '<p class="paylab-good">✓ 3.00 USD paid in.</p>'
    assert dict(page.rows())["USD"].startswith("0.00 available")


def test_a_currency_has_its_own_balance(lab):
    """A currency as the argument gives its amounts, and names the others if it has none."""
    with pytest.raises(UnknownItemError, match="no balance in 'USD': the account has none yet"):
        lab.balance("USD")
    lab.balance().top_up("8.00", "USD")
    assert str(lab.balance("usd").available) == "8.00"
    with pytest.raises(UnknownItemError, match="no balance in 'EUR': the account has USD"):
        lab.balance("EUR")


def test_displaying_tops_up_nothing(lab):
    """A new simulator has no balance; the card says what that means, and shows why one is wrong."""
    balance = lab.balance()
    assert "the simulator funds every payout" in repr(balance._make_page())
    assert len(lab.balance()) == 0
    page = balance._make_page()
    page.amount.value = "<b>1"
    assert "plain digits" in page.amount.errors[0]  # before a click
    page.click()
    assert page.amount.errors
    page.amount.value = "0.00"  # it sets a balance
    assert not page.amount.errors
    with pytest.raises(UnknownItemError, match="no balance in 'USD': the account has none yet"):
        _ = balance["USD"]


def test_a_service_without_balances_is_sent_nothing(lab):
    """By default a real service has none: nothing is sent, and the card says so."""
    real = paylab.connect("https://sandbox.example.com", "key", "s" * 32)
    balance = real.balance()
    assert (balance.is_known, len(balance), len(real.calls)) == (False, 0, 0)
    for text in (repr(balance), repr(balance._make_page())):
        assert "The dashboard of the service shows" in text.replace("; the", ". The")
    with pytest.raises(UnknownItemError, match="is not known"):
        _ = balance["USD"]
    with pytest.raises(ConfigError, match="only a simulator"):
        balance.top_up("1.00")


@pytest.mark.parametrize("shape", ["object", "array"])
def test_a_service_with_balances_is_read_at_its_path(shape):
    """Its balances are read at the path that is set, in an object or an array."""
    lab = paylab.connect(service={"paths.balances": "/v1/balances"})
    lab.balance().top_up("4.50", "usdc")
    if shape == "array":
        rows = [{"currency": "usdc", "available": "4.50", "<b>": 1}]
        lab.simulator.faults.custom(operation="balances.get", status=200, body=rows, times=5)
    balance = lab.balance()
    assert (balance["USDC"].available, lab.calls[-1].path) == (Decimal("4.5"), "/v1/balances")


def test_a_card_without_a_simulator_has_no_form():
    """It says how to fund the account, and a top-up is an error that says so."""
    from paylab.lab.balance import AccountBalance
    from paylab.spec.models import Balance

    hostile = Balance(currency="<img src=x>", available="1.00", awaiting_funds="2.50")
    balance = AccountBalance(lambda: [hostile], None, lambda: "SANDBOX (a)")
    page = balance._make_page()
    assert "1.50 <img src=x> are missing. Send USD by wire" in dict(page.rows())["Note"]
    assert "<img" not in page.static_bundle()["text/html"]
    assert len(page.nodes()) == 3
    with pytest.raises(ConfigError, match="only a simulator can be topped up"):
        balance.top_up("1.00")
