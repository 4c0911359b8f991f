"""Forms that make payments: an equal order is paid once, and "Send another" pays again."""

from __future__ import annotations

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import ChoiceError, OptionError, RuleError, UnprocessableError
from paylab.simulator.simulator import Simulator

pytestmark = pytest.mark.usefixtures("quick")
TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


@pytest.fixture
def lab():
    """A lab on a simulator without transfers."""
    return paylab.connect(simulator=Simulator())


@pytest.fixture
def person(lab):
    """A recipient with a bank account."""
    made = lab.individuals.create(**examples.recipient("MX"))
    return lab.individuals.wait(made.id)


def click(form):
    """Click, and return the result."""
    form.click()
    return form.result


def made(lab):
    """The number of transfers at the service."""
    return len(list(lab.transfers.list()))


def card(lab, person):
    """A quote card of the recipient."""
    account = person.financial_accounts[0].id
    return lab.forms.quote_card(lab.quotes.create(account, source_amount="100", **TERMS))


def transfer(lab, person):
    """A form for a transfer without a quote."""
    return lab.forms.transfer(person, amount="100")


@pytest.mark.parametrize("form", [card, transfer])
def test_a_form_that_was_sent_sends_another_only_when_asked(lab, person, form):
    """A second click sends nothing; "Send another" names the last one, also in the code shown."""
    form = form(lab, person)
    first = click(form)
    assert (click(form), made(lab)) == (first, 1)
    assert form.controls.again_button.text == "Send another"
    form.controls.again_button.press()
    assert f"new={form.last_payment_id!r}" in form.code().replace('"', "'")
    if form.title == "Quote":
        form.renew()
    assert click(form).id != first.id
    assert made(lab) == 2


def test_an_expired_quote_names_the_button_of_its_card(lab, person):
    """The error of code and the message below the button say how the card gets another quote."""
    form = card(lab, person)
    lab.simulator.clock.advance(600)
    with pytest.raises(UnprocessableError) as caught:
        form.submit()
    advice = f"press “{form.renew_button.text}” on the card of the quote, or call renew()"
    assert caught.value.hint.startswith(advice)
    form.click()
    assert advice[1:] in form.controls.message.html
    form.renew()
    assert form.submit().status == "awaiting_funds"


def test_an_amount_named_as_in_a_call_says_how_the_form_names_it(lab, person):
    """The form takes one amount, whose kind is one of its fields."""
    with pytest.raises(TypeError, match="is 'amount' meant"):
        lab.forms.quote(person, source_amount="250")


@pytest.mark.parametrize(("typed", "sent"), [(" 1,234.50 ", "1234.50"), ("1,234", "1,234")])
@pytest.mark.parametrize("make", ["quote", "transfer"])
def test_an_amount_as_cards_show_it_is_sent_in_plain_digits(lab, person, make, typed, sent):
    """Commas before a point divide thousands; without a point they may be anything."""
    form = getattr(lab.forms, make)(person, amount=typed)
    assert form.values()["source_amount"] == sent
    assert bool(form.fields["amount"].warnings) == (sent == "1,234")


def test_a_route_is_chosen_by_its_payout_method(lab):
    """With two accounts of a method also by the account; another method is refused."""
    person = lab.individuals.create(**examples.recipient("PH"))
    account = person.financial_accounts[0].id
    form = lab.forms.transfer(person).fill(payout_method="pesonet")
    name = f"{person.given_name} {person.family_name}"
    assert f" to {name}, E-wallet " in form.fields["payout_method"].display_text()
    assert form.values()["payout_method"] == "pesonet"
    with pytest.raises(OptionError, match="payout_method: must be one of instapay, pesonet, not s"):
        form.fill(payout_method="spei")
    assert form.values()["payout_method"] == "pesonet"
    lab.financial_accounts.create(person, **examples.account("PH"))
    form = lab.forms.transfer(person.id).fill(payout_method=f"pesonet to {account}")
    assert form.values()["financial_account"] == account


@pytest.mark.parametrize("make", ["quote", "transfer"])
def test_a_currency_that_cannot_be_sent_opens_no_form(lab, person, make):
    """Only a currency that the form offers can be chosen, in any letter case."""
    with pytest.raises(RuleError, match=r"source_currency: must be one of .*, not EUR"):
        getattr(lab.forms, make)(person, source_currency="eur")
    form = getattr(lab.forms, make)(person, source_currency="usd")
    assert form.values()["source_currency"] == "USD"


def test_an_empty_form_and_another_payment_are_two_things(lab, person):
    """`prepare_another` keeps the values and pays again; after `restart` equal values do not."""
    form = transfer(lab, person)
    form.fill(amount="20")
    first = click(form)
    form.prepare_another()
    assert (form.values()["source_amount"], form.result) == ("20", None)
    assert click(form).id != first.id
    form.restart()
    assert (form.values()["source_amount"], form.last_payment_id) == ("100", "")
    form.fill(amount="20")
    assert (click(form).id, made(lab)) == (first.id, 2)


def test_the_error_for_changed_values_names_the_method_of_the_form(lab, person):
    """A payment is made again with prepare_another(), anything else with restart()."""
    for form, name in ((lab.forms.quote(person), "restart"), (transfer(lab, person), "prepare_")):
        form.submit()
        form.fields["amount"].set_value("7")
        with pytest.raises(ChoiceError) as caught:
            form.submit()
        assert f"call {name}" in str(caught.value.hint)


def test_what_a_route_sets_is_shown_at_the_route(lab, person):
    """A refusal of the account or the currency marks the list of routes, with its label."""
    form = transfer(lab, person)
    body = {
        "error": "closed",
        "errors": [{"field": "financial_account.id", "message": "is closed"}],
    }
    lab.simulator.faults.custom(operation="transfers.create", status=422, body=body)
    form.click()
    assert form.fields["payout_method"].errors == ["To is closed."]
    assert "“To” (financial_account.id)" in form.controls.message.html


def test_a_form_of_an_order_that_was_made_in_code_says_so(lab, person):
    """A form whose order was made by code makes nothing new, and says so."""
    account = person.financial_accounts[0].id
    first = lab.transfers.create(account, source_amount="100.00", **TERMS)
    form = card(lab, person)
    assert (click(form).id, made(lab)) == (first.id, 1)
    assert "nothing new was created" in form.controls.message.html


def test_a_click_after_a_lost_answer_pays_once(lab, person):
    """After a lost answer, clicks repeat the order, also that of "Send another"."""
    form = transfer(lab, person)
    for count in (1, 2):
        lab.simulator.faults.drop_after(path="/v1/transfers", times=3)
        assert click(form) is None
        assert "not known whether it was paid" in form.controls.message.html
        click(form)
        assert (form.result.replayed, made(lab)) == (True, count)
        assert "nothing new was created" in form.controls.message.html
        form.prepare_another()


def test_a_sent_form_opens_another_account_only_when_asked(lab):
    """A form of a conversion account that was sent opens another one only when asked."""
    individual = lab.individuals.create(**examples.individual("PH", consent_at=lab.clock()))
    lab.simulator.move(individual.id, "pending")
    lab.individuals.wait(individual, until="active")
    lab.financial_accounts.create(individual, "crypto_wallet", examples.WALLET)
    form = lab.forms.conversion_account(individual)
    first = form.submit()
    assert click(form) == first
    form.prepare_another()
    assert form.submit().id != first.id
    assert len(list(lab.conversion_accounts.list())) == 2


def test_an_empty_amount_is_required(lab, person):
    """A form with one amount does not name the three amounts of the interface."""
    assert "source_amount" not in lab.forms.transfer(person).values()
    for form in (lab.forms.quote(person), lab.forms.transfer(person, amount="5")):
        form.fields["amount"].value = ""
        assert form.fields["amount"].warnings == ["Empty: the service may refuse that."]


def test_a_stablecoin_has_a_network_and_may_come_by_deposit(lab, person):
    """Network and funding are asked for and sent for a stablecoin only."""
    form = lab.forms.transfer(person, amount="100")
    marks = [form.fields[name].props()["mark"] for name in ("amount", "client_reference_id")]
    assert marks == ["Required, assumed", "Optional"]
    asked = ("source_network", "source_type")
    assert [form.fields[name].visible for name in asked] == [False, False]
    form.fields["source_currency"].value = "USDC"
    form.fields["source_type"].value = "deposit"
    assert [form.fields[name].visible for name in asked] == [True, True]
    assert form.values().items() >= {"source_network": "base", "source_type": "deposit"}.items()
    assert "no crypto_wallet on base" in form.check().warnings[0].message
    form.fields["source_currency"].value = "USD"
    assert not set(asked) & form.values().keys()
    assert not form.check().warnings


def test_a_quote_that_expires_asks_for_a_fresh_one(lab, person):
    """From its expiry on, the line is a warning and the button for a new quote stands out."""
    form = card(lab, person)
    assert (form.renew_button.style, 'role="timer"' in form.expiry_node.html) == ("", True)
    form._show_expiry(form.quote.expires_at)
    assert (form.renew_button.style, 'role="alert"' in form.expiry_node.html) == ("primary", True)
