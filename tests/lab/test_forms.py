"""The forms of a lab: they use the settings of its service and the resources in it."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

import paylab
from paylab.corridors import countries
from paylab.corridors.country_names import NAMES
from paylab.errors import NotFoundError, PaylabError, RuleError
from paylab.simulator.simulator import Simulator
from paylab.spec import codes
from paylab.spec.models import ConversionAccount
from paylab.spec.service import Service

SETTINGS = {
    "individuals.required": ["product_types", "given_name", "country", "address.city"],
    "financial_accounts.crypto_wallet.allowed": ["base", "tron"],
}


@pytest.fixture
def lab():
    """A lab on a service whose settings differ from the assumed ones."""
    with paylab.connect(service=Service(SETTINGS)) as lab:
        yield lab


def marks(form, *names):
    """The marks beside the labels of fields, such as Required."""
    return [form.fields[name].props()["mark"] for name in names]


def test_required_fields_are_those_of_the_service(lab):
    """The form requires the fields that the service's settings name: a city, no family name."""
    form = lab.forms.onboarding("MX")
    found = marks(form, "given_name", "family_name", "address.city", "address.state", "phone")
    required = "Required, assumed"
    assert found == [required, "Optional", required, "Optional", "Required"]
    form.fill()
    form.fields["address.city"].value = ""
    form.consent.value = True
    with pytest.raises(RuleError, match=r"address\.city: is required \(assumed"):
        form.submit()


def test_networks_are_those_of_the_service(lab):
    """The wallet form and the quote form offer the networks of the service."""
    person = lab.forms.onboarding("MX", example=True, consent=True).submit()
    wallet = lab.forms.wallet(person, example=True)
    assert [value for _, value in wallet.fields["network"].options] == ["base", "tron"]
    quote = lab.forms.quote(person)
    assert [value for _, value in quote.fields["source_network"].options] == ["base", "tron"]


def test_a_form_that_was_sent_earlier_says_so():
    """A second call shows the same form with its result, and says that it sends nothing."""
    lab = paylab.connect()
    lab.onramp("MX", example=True, consent=True).submit()
    [account] = lab.conversion_accounts.list()
    sent_count = len([call for call in lab.calls if call.method == "POST"])
    form = lab.forms.conversion_account(account.individual_id)
    assert form.result.id == account.id
    assert "Sent earlier. Showing the form again sends nothing" in form.controls.message.html
    assert len([call for call in lab.calls if call.method == "POST"]) == sent_count


def test_a_conversion_account_can_be_paid_out_to_a_named_wallet():
    """The newest wallet is preselected; `wallet` takes a resource or an id."""
    with paylab.connect() as lab:
        person = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
        old, new = (
            lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)
            for _ in range(2)
        )
        chosen = [
            lab.forms.conversion_account(person.id, **given).values()["payout_account"]
            for given in ({}, {"wallet": old}, {"wallet": old.id})
        ]
        assert chosen == [new.id, old.id, old.id]


@pytest.fixture(scope="module")
def paid():
    """A lab with a transfer, and a conversion with its account."""
    with paylab.connect() as lab:
        transfer = lab.trigger("transfer.created")[-1].id
        conversion = lab.conversions.get(lab.trigger("conversion.completed")[-1].id)
        yield lab, transfer, conversion


def test_the_status_of_an_id_is_that_of_its_resource(paid):
    """`status` looks up the id of a transfer, a conversion or an individual."""
    lab, transfer, conversion = paid
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    found = [
        (line.title, dict(line.rows())["Status"])
        for line in map(lab.status, (transfer, conversion.id, account.individual_id))
    ]
    assert found == [
        ("Transfer", lab.transfers.get(transfer).status),
        ("Conversion", "completed"),
        ("Verification", "active"),
    ]


def test_what_has_no_status_to_show_is_an_error(paid):
    """Any other resource or id is an error that names the three kinds with a status."""
    lab, _, conversion = paid
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    for one in (account, account.payout_account):
        with pytest.raises(TypeError, match=r"of an individual, a transfer, a deposit or"):
            lab.status(one)
    for row_id in (account.id, "dep_1"):
        with pytest.raises(NotFoundError, match=r"individual, transfer or conversion"):
            lab.status(row_id)


COUNTRIES = ("AR", "BR", "CO", "MX", "PH", "GB", "DE", "SG", "VN", "US")
EVERY = [*itertools.product(COUNTRIES, codes.PRODUCTS)]


@pytest.mark.parametrize(
    ("country", "product"),
    [*EVERY[::4], *(pytest.param(*each, marks=pytest.mark.whole_table) for each in EVERY)],
)
def test_an_example_fills_what_is_required(paid, country, product):
    """The example of every country and product fills in all required fields."""
    form = paid[0].forms.onboarding(country, product, example=True, consent=True)
    assert form.submit().country == country


def test_a_product_that_a_country_does_not_have_is_said(paid):
    """An unavailable product is reported before sending; the form is filled in nevertheless."""
    lab = paid[0]
    form = lab.forms.onboarding("IN", "on_ramp", example=True, consent=True)
    assert "not available in this country; available: Global payouts." in form.requirements.html
    with pytest.raises(RuleError, match=r"\.0: must be global_payouts in IN, not on_ramp$"):
        form.submit()
    assert lab.forms.onboarding("IN", "global_payouts", example=True).submit().country == "IN"


@pytest.mark.parametrize("country", ["SG", "VN"])
def test_a_recipient_without_a_payout_corridor_has_no_account(paid, country):
    """The form says that no payouts are documented, and creates a recipient without account."""
    form = paid[0].forms.recipient(country, example=True)
    assert "No payouts are documented for this country" in form.requirements.html
    assert not form.submit().financial_accounts
    assert "No payouts are documented" in dict(form.rows())["Account"]
    elsewhere = paylab.connect().forms.recipient("MX").fill(given_name="Ana", family_name="Ruiz")
    elsewhere.submit()
    assert dict(elsewhere.rows())["Account"] == "to be added later"


def test_every_country_has_an_example_that_the_rules_accept(paid):
    """The example of every country and each of its products has no problems."""
    for country, product in ((each, one) for each in NAMES for one in codes.PRODUCTS):
        if product in countries.get(country).products:
            form = paid[0].forms.onboarding(country, product, example=True, consent=True)
            form.apply_code_options()
            assert form.check().problems == [], (country, product)


def test_a_deposit_without_a_known_cap_suggests_a_small_amount(lab):
    """The form of an account in ARS suggests a small amount and names no cap."""
    account = ConversionAccount(id="ca_1", source_currency="ARS")
    form = lab.forms.deposit(account)
    assert form.code() == 'deposit = lab.sandbox.deposit("ca_1", "10", "ARS")'
    assert form.fields["amount"].props()["hint"] == ""


def test_a_deposit_into_an_account_without_a_currency_is_refused(lab):
    """An account without a currency is refused, with the call that takes one."""
    with pytest.raises(PaylabError, match="ca_1 has no source_currency: use lab"):
        lab.forms.deposit(ConversionAccount(id="ca_1"))


@pytest.mark.parametrize("source", ["USD", "USDC"])
@pytest.mark.parametrize("priced", [False, True], ids=["transfer", "quote card"])
def test_the_code_of_a_form_is_the_same_order(source, priced):
    """The code that a payment form shows repeats the payment of the form, without a default."""
    with paylab.connect(simulator=Simulator()) as lab:
        fields = paylab.examples.recipient("MX") | {"product_types": [*codes.PRODUCTS]}
        extra = paylab.examples.individual("MX", consent_at=lab.clock())
        person = lab.individuals.create(**extra | fields)
        lab.simulator.move(person.id, "pending")
        lab.individuals.wait(person.id)
        lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)
        asked = {"amount": "20", "source_currency": source}
        form = lab.forms.transfer(person, **asked)
        if priced:
            form = lab.forms.quote_card(lab.forms.quote(person, **asked).submit())
        shown = form.code()
        paid = form.submit()
        names = {"lab": lab}
        exec(shown, names)
        assert names["transfer"].id == paid.id
        assert "source_type" not in shown
        assert len(lab.transfers.list().to_list()) == 1


FORMS = {
    "onboarding": lambda lab, who, **how: lab.forms.onboarding("MX", **how),
    "recipient": lambda lab, who, **how: lab.forms.recipient("MX", **how),
    "wallet": lambda lab, who, **how: lab.forms.wallet(who, **how),
    "financial_account": lambda lab, who, **how: lab.forms.financial_account(who, **how),
    "images": lambda lab, who, **how: lab.forms.images(who, **how),
    "onramp": lambda lab, who, **how: lab.forms.onramp("MX", **how),
}
SUBJECTS = {
    "conversion_account": lambda lab, who, account, **how: lab.forms.conversion_account(who, **how),
    "deposit": lambda lab, who, account, **how: lab.forms.deposit(account, **how),
    "quote": lambda lab, who, account, **how: lab.forms.quote(who, **how),
    "transfer": lambda lab, who, account, **how: lab.forms.transfer(who, **how),
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_an_example_is_filled_in_when_it_is_asked_for(lab, make):
    """Without `example` a form is empty; the same call gives the same form, `new` another."""
    who = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
    empty = make(lab, who)
    assert make(lab, who) is empty
    assert make(lab, who, new=True) is not empty
    filled = make(lab, who, example=True)
    assert filled is not empty
    if hasattr(empty, "values"):
        assert len(str(empty.values())) < len(str(filled.values()))


@pytest.mark.parametrize("make", SUBJECTS.values(), ids=SUBJECTS)
def test_a_form_is_kept_by_its_subject(paid, make):
    """The same call gives the same form; `new` makes another one."""
    lab, _, conversion = paid
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    who = lab.individuals.get(account.individual_id)
    form = make(lab, who, account)
    assert make(lab, who.id, account.id) is form
    assert make(lab, who, account, new=True) is not form


class Cells:
    """Stands for a notebook: `run` calls a function in a cell, as the registry sees it."""

    def __init__(self, lab):
        self.now = ""
        lab.forms._registry._find_cell = lambda: self.now

    def run(self, cell, make):
        """What a function returns in a cell."""
        self.now = cell
        return make()


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_what_is_typed_stays_in_its_cell(lab, make):
    """A cell that runs again has its form with what was typed; another cell has a form of its own.

    What was sent for a person is shown in other cells too.
    """
    who = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
    cells = Cells(lab)
    form = cells.run("a", lambda: make(lab, who, example=True))
    assert cells.run("a", lambda: make(lab, who, example=True)) is form
    other = cells.run("b", lambda: make(lab, who, example=True))
    assert other is not form
    assert cells.run("a", lambda: make(lab, who, example=True)) is form


@pytest.mark.parametrize(("kind", "is_shared"), [("wallet", True), ("recipient", False)])
def test_what_was_sent_is_shown_where_it_is_about_the_same_object(lab, kind, is_shared):
    """The wallet of a person is not registered twice; a recipient of another cell is another."""
    who = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
    cells = Cells(lab)
    make = partial(FORMS[kind], lab, who, example=True)
    form = cells.run("a", make)
    form.submit()
    assert (cells.run("b", make) is form) == is_shared
    assert cells.run("a", make) is form
    assert cells.run("a", partial(make, new=True)) is not form


@pytest.mark.parametrize("kind", ["quote", "transfer"])
@pytest.mark.parametrize("terms", [{"amount": "7"}, {"source_currency": "USDC"}])
def test_a_form_of_other_terms_does_not_return_what_was_sent(lab, kind, terms):
    """After a payment of 100 USD, a form of 7 pays 7, and one of USDC asks for its network."""
    payee = lab.forms.recipient("MX", example=True).submit()
    make_form = getattr(lab.forms, kind)
    first = make_form(payee, amount="100").submit()
    assert make_form(payee, amount=100).submit() is first
    form = make_form(payee, **terms)
    assert form.result is None
    if "amount" in terms:
        assert form.submit().source_amount == 7


def test_a_form_for_another_wallet_does_not_return_the_account_of_the_first(lab):
    """A sent form belongs to the wallet that was asked for."""
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    person = lab.individuals.get(walk.results["person"].id)
    first = lab.forms.conversion_account(person).submit()
    details = {"network": "base", "address": "0x" + "0" * 38 + "01"}
    other = lab.financial_accounts.create(person, "crypto_wallet", details)
    form = lab.forms.conversion_account(person, wallet=other)
    assert (form.result, form.values()["payout_account"]) == (None, other.id)
    assert lab.forms.conversion_account(person).result is first


def test_a_stepper_continues_with_a_person_of_another_cell(lab):
    """The person whom a form of another cell created is the one of the stepper."""
    cells = Cells(lab)
    person = cells.run("a", lambda: lab.forms.onboarding("MX", example=True, consent=True).submit())
    assert cells.run("b", lambda: lab.onramp("MX")).results["person"].id == person.id


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("action_required", "action_required, and a conversion account needs an active one: "),
        ("pending", "wait for the outcome with lab.individuals.wait(id)"),
        ("active", ""),
    ],
)
def test_the_form_of_an_account_says_that_the_person_is_not_active(name, words):
    """The line above the inputs has the status, its reasons and what to do; active needs none."""
    lab = paylab.connect()
    who = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
    for status in ("pending", "active")[: ("action_required", "pending", "active").index(name)]:
        lab.simulator.move(who.id, status)
    form = lab.forms.conversion_account(who)
    note = form.inputs[0].html
    assert words in note
    assert bool(note) == bool(words)


def test_a_changed_argument_makes_another_form_until_it_was_sent(lab):
    """What was sent stays; consent counts only when it was given in the call."""
    first = lab.forms.onboarding("MX", example=True)
    with pytest.raises(RuleError):
        first.submit()
    agreed = lab.forms.onboarding("MX", example=True, consent=True)
    assert agreed is not first
    assert agreed.submit().status == "action_required"
    assert lab.forms.onboarding("MX") is agreed


@pytest.mark.parametrize("unnamed", [False, True])
def test_a_deposit_without_a_sender_is_shown_as_held(paid, unnamed):
    """The status of a deposit is that of the conversion that it has made."""
    lab, _, conversion = paid
    sender = {"sender_name": ""} if unnamed else {}
    made = lab.sandbox.deposit(conversion.conversion_account_id, "20.00", "mxn", **sender)
    lab.sleep(5)
    shown = lab.status(made)
    newest = lab.client.conversions.newest(conversion.conversion_account_id)
    assert dict(shown.rows())["Status"] == newest.status
    assert newest.status == ("pending" if unnamed else "completed")


def test_the_newest_account_of_the_person_is_the_one_that_a_stepper_continues(paid):
    """Accounts of other people do not count."""
    lab, _, conversion = paid
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    other = lab.individuals.create(**paylab.examples.individual("PH", consent_at=lab.clock()))
    assert lab.forms._find_account(lab.individuals.get(account.individual_id)).id == account.id
    assert lab.forms._find_account(other) is None
