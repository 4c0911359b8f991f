"""The on-ramps: each record makes what it accepts, and every chapter reads the records."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial

import pytest

import paylab
from paylab.cli.main import main
from paylab.corridors import corridor, examples, on_ramps
from paylab.corridors.on_ramps import ON_RAMPS
from paylab.errors import OptionError, RuleError
from paylab.errors.base import RuleWarning
from paylab.frames.columns import SCHEMAS
from paylab.openapi import document
from paylab.probe.run import PLAN
from paylab.redaction.personal import hide_personal_data
from paylab.rules import deposits, individuals
from paylab.simulator import ids
from paylab.spec import assumptions, codes

EACH = pytest.mark.parametrize("ramp", ON_RAMPS, ids=lambda ramp: ramp.country)
KNOWN = ", ".join(on_ramps.COUNTRIES)
WORDS = f"no on-ramp is known for AR: the country must be one of {KNOWN}"
STAMP = "2026-01-31T00:00:00Z"
QR = "00020101021127730012com.p2pqrpay0111SIMUPHM2XXX020899964403"
PAYEE = "5204601653036085802PH5916PAYLAB SIMULATOR6009SIMULATED6304"
GOLDEN = [
    ("MX", 0, "ca_1", "999999457957710988"),
    ("MX", 7, "a", "999999087178131088"),
    ("MX", 7, "ca_01KF0Y6ZG0AAAAAAAAAAAAAAAA", "999999595611998759"),
    ("MX", 2**40, "ca_1", "999999318288715526"),
    ("PH", 0, "ca_1", f"{QR}031089591591040412652562698526{PAYEE}A6E0"),
    ("PH", 7, "ca_01KF0Y6ZG0AAAAAAAAAAAAAAAA", f"{QR}031060331474340412511221854985{PAYEE}68C1"),
    ("PH", 2**40, "ca_1", f"{QR}031023481902780412173569895508{PAYEE}D591"),
]
"""What the simulator has always made: seed, account and text."""


def payee(ramp, seed, account_id):
    """What the simulator gives out for an account."""
    return ramp.make_payee(partial(ids.instruction_digits, seed, account_id))


@pytest.mark.parametrize(("country", "seed", "account_id", "text"), GOLDEN)
def test_what_to_pay_to_stays_the_same(country, seed, account_id, text):
    """A seed and an account give the same text in every version."""
    assert payee(on_ramps.need_on_ramp(country=country), seed, account_id) == text


@EACH
def test_a_record_accepts_what_it_makes(ramp):
    """What is made is right, unlike that of another account; one other digit is wrong."""
    made = [payee(ramp, 7, f"ca_{number}") for number in range(50)]
    assert {ramp.check(text) for text in [*made, ramp.example]} == {""}
    assert len({*made}) == len(made)
    other = str((int(made[0][-5], 16) + 1) % 10)
    assert ramp.check(made[0][:-5] + other + made[0][-4:])


@EACH
@pytest.mark.parametrize("text", ["", "x", "000201", "9" * 17, "0" * 19])
def test_a_record_says_what_is_wrong(ramp, text):
    """The check of a text that is not one returns a sentence."""
    assert " " in ramp.check(text)


@EACH
def test_a_record_fits_the_spec(ramp):
    """Its words are of the spec's enumerations, its amount is positive, its source exists."""
    assert ramp.country in codes.COUNTRIES
    assert ramp.currency in codes.ON_RAMP_CURRENCIES
    assert ramp.instructions_type in codes.DEPOSIT_INSTRUCTION_TYPES
    assert ramp.rail in codes.PAYOUT_METHODS
    assert ramp.cap > 0
    assert ramp.source in {"spec", *(row.id for row in assumptions.ALL)}


def test_the_records_are_those_of_the_spec():
    """Each currency of the spec has one record, with its cap; nothing is there twice."""
    assert {ramp.currency for ramp in ON_RAMPS} == {*codes.ON_RAMP_CURRENCIES}
    caps = {(ramp.country, ramp.currency): int(ramp.cap) for ramp in ON_RAMPS}
    assert {("MX", "mxn"): 50, ("PH", "php"): 100}.items() <= caps.items()
    for name in ("country", "currency", "instructions_type", "detail_name"):
        values = [getattr(ramp, name) for ramp in ON_RAMPS]
        assert len({*values}) == len(values)


@EACH
@pytest.mark.parametrize("fold", [str.lower, str.upper])
def test_a_record_is_found(ramp, fold):
    """By country, currency or instructions, in any letter case."""
    assert on_ramps.of_country(fold(ramp.country)) is ramp
    assert on_ramps.of_currency(fold(ramp.currency)) is ramp
    assert on_ramps.of_instructions(fold(ramp.instructions_type)) is ramp


@pytest.mark.parametrize("junk", ["", "XX", None, 7, [], {}])
def test_anything_else_has_no_record(junk):
    """Anything else has no record."""
    lookups = (on_ramps.of_country, on_ramps.of_currency, on_ramps.of_instructions)
    assert [find(junk) for find in lookups] == [None, None, None]


@EACH
def test_the_service_is_read_from_the_record(lab, ramp):
    """Instructions, card, forms, columns, redaction and probe of an on-ramp are its record's."""
    walk = lab.onramp(ramp.country, example=True, consent=True)
    assert walk.title == f"On-ramp: {corridor.NAMES[ramp.country]}"
    assert walk.run_button.text == ramp.example_button
    assert walk.submit().deposit.amount == ramp.cap
    shown = walk.results["account"].deposit_instructions
    assert (shown.type, shown.currency, shown.payment_methods) == (
        *(ramp.instructions_type, ramp.currency),
        [ramp.rail],
    )
    assert ramp.check(shown.details[ramp.detail_name]) == ""
    card = lab.deposit_card(walk.results["account"])
    assert shown.details[ramp.detail_name] in repr(card)
    assert (type(card).__name__, bool(ramp.picture)) == (
        ("QR", True) if ramp.card == "qr_code" else ("Card", False)
    )
    assert f"at most {ramp.cap} {ramp.currency.upper()} a deposit" in dict(card.table()).values()
    assert hide_personal_data({ramp.detail_name: "text"}) == {ramp.detail_name: "***"}
    column = f"deposit_instructions_{ramp.detail_name}"
    assert column in SCHEMAS["conversion_accounts"].names
    assert ramp.country in PLAN[0]


@EACH
def test_the_document_has_an_example(ramp):
    """OpenAPI has an individual, a conversion account and a deposit of each on-ramp."""
    paths = document()["paths"]

    def examples_of(path):
        body = paths[path]["post"]["requestBody"]["content"]["application/json"]
        return {key: example["value"] for key, example in body["examples"].items()}

    assert examples_of("/v1/individuals")[f"{ramp.country}_on_ramp"]["country"] == ramp.country
    account = examples_of("/v1/conversion_accounts")[ramp.country]
    assert account["source_currency"] == ramp.currency
    deposit = examples_of("/v1/sandbox/deposits")[ramp.country]
    assert (deposit["amount"], deposit["currency"]) == (f"{ramp.cap:.2f}", ramp.currency)


def test_tables_show_only_on_ramps_that_are_known(lab):
    """An on-ramp is a product of the countries with a record, and of no other."""
    usable = [one.country for one in paylab.corridors.find(product="on_ramp")]
    assert sorted(usable) == sorted(on_ramps.COUNTRIES)
    argentina = paylab.corridors.find(country="AR")._repr_mimebundle_()["text/html"]
    assert "Products: global_payouts, off_ramp (assumed)<br>" in argentina
    assert ("on-ramp", "no on-ramp is known", "corridor.products") in (
        paylab.corridors.get("AR").facts()
    )
    assert ("on-ramp", "not enabled", "spec") in paylab.corridors.get("IN").facts()


def test_an_example_of_another_product_needs_no_on_ramp():
    """Every country has an example individual for payouts; an unknown code has none."""
    now = datetime(2026, 1, 31, tzinfo=UTC)
    for country in codes.COUNTRIES:
        fields = examples.individual(country.lower(), consent_at=now, product="global_payouts")
        assert individuals.check({**fields, "idv_consent_recorded_at": STAMP}) == []
    with pytest.raises(RuleError, match="must be one of AR, BR"):
        examples.individual("XX", consent_at=now, product="global_payouts")


def of_argentina(lab):
    """An active individual of Argentina with a wallet, as the simulator allows it."""
    fields = examples.individual("MX", consent_at=lab.clock())
    fields |= {"country": "AR", "address": {"country": "AR"}}
    fields["document"] = {"type": "cuil", "number": "20000000001"}
    person = lab.individuals.create(**fields)
    lab.simulator.move(person.id, "pending")
    lab.simulator.move(person.id, "active")
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    return lab.individuals.get(person.id), wallet


def posted(lab):
    """Post a conversion account for Argentina past the client's rules."""
    person, wallet = of_argentina(lab)
    body = {"individual_id": person.id, "payout_account": {"id": wallet.id}}
    lab.post("/v1/conversion_accounts", {**body, "source_currency": "ars"})


@pytest.mark.parametrize("given", [{}, {"country": "MX", "currency": "mxn"}])
def test_an_on_ramp_is_of_a_country_or_of_a_currency(given):
    """Without any, or with both, nothing says which one is at fault."""
    with pytest.raises(TypeError, match="a country or a currency"):
        on_ramps.need_on_ramp(**given)


@pytest.mark.parametrize("currency", ["", "brl"])
def test_the_error_of_an_unknown_currency_lists_the_known_ones(currency):
    """An empty currency is unknown too, and not taken for a country."""
    with pytest.raises(RuleError, match="the currency must be one of mxn, php") as caught:
        on_ramps.need_on_ramp(currency=currency)
    assert [problem.field for problem in caught.value.problems] == ["currency"]


REFUSED = {
    "stepper": lambda lab: lab.onramp("AR"),
    "form": lambda lab: lab.forms.onramp("ar"),
    "conversion account form": lambda lab: lab.forms.conversion_account(of_argentina(lab)[0]),
    "create": lambda lab: lab.conversion_accounts.create(*of_argentina(lab)),
    "example": lambda lab: examples.individual("AR", consent_at=lab.clock()),
    "record": lambda _: on_ramps.need_on_ramp(country="AR"),
    "simulator": posted,
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_a_country_without_an_on_ramp_is_refused_in_the_same_words(lab, refused):
    """Forms, client, examples and simulator refuse it with the same words."""
    with pytest.raises((RuleError, paylab.BadRequestError), match=re.escape(WORDS)):
        refused(lab)


def test_the_terminal_says_the_same(capsys):
    """The walk-through takes the countries of the records, and refuses another."""
    with pytest.raises(SystemExit) as ended:
        main(["walkthrough", "ar"])
    assert ended.value.code == 2
    assert WORDS in capsys.readouterr().err


def test_rules_say_the_same():
    """A currency that a service may have is only doubted; without one nothing can be sent."""
    body = {"individual_id": "ind", "payout_account": {"id": "fa"}}
    for currency, source in ((None, "spec"), ("ars", "ca.create")):
        (problem,) = deposits.check_account({**body, "source_currency": currency}, "AR")
        assert (problem.message, problem.source) == (WORDS, source)


def test_a_currency_that_is_not_known_is_sent_with_a_warning(lab):
    """The client warns of it, and the service decides."""
    person, wallet = of_argentina(lab)
    with (
        pytest.warns(RuleWarning, match=re.escape(WORDS)),
        pytest.raises(paylab.BadRequestError, match=re.escape(WORDS)),
    ):
        lab.conversion_accounts.create(person, wallet, "ars")


def test_a_stepper_offers_only_countries_that_have_one(lab):
    """Another country is refused at once, and nothing is sent if it is set all the same."""
    walk = lab.onramp("PH", example=True, consent=True)
    form = walk.pages["person"]
    sent = len(lab.calls)
    with pytest.raises(OptionError, match=f"country: must be one of {KNOWN}, not DE"):
        form.fill(country="DE")
    assert (walk.title, walk.run_button.visible) == ("On-ramp: Philippines", True)
    form.fields["country"].value = "DE"
    assert (walk.title, walk.heading.text, walk.run_button.visible) == ("On-ramp", "On-ramp", False)
    with pytest.raises(RuleError, match="no on-ramp is known for DE"):
        walk.submit()
    assert len(lab.calls) == sent


def test_a_stepper_follows_the_chosen_country(lab):
    """Another country with an on-ramp changes the heading and the button, and goes to the end."""
    walk = lab.onramp("PH", example=True, consent=True)
    form = walk.pages["person"]
    form.fields["country"].value = "MX"
    assert (walk.title, walk.run_button.text) == (
        "On-ramp: Mexico",
        "Run the example up to the CLABE",
    )
    form.fill()
    assert walk.submit().deposit.currency == "MXN"


def test_a_stepper_is_for_on_ramps_only(lab):
    """The product of its first step cannot be changed."""
    product = lab.onramp("MX").pages["person"].fields["product_types"]
    assert [value for _, value in product.options] == ["on_ramp"]


@pytest.mark.parametrize(
    ("country", "product", "warned"),
    [("DE", "on_ramp", True), ("MX", "on_ramp", False), ("DE", "off_ramp", False)],
)
def test_onboarding_says_at_once_that_a_country_has_none(lab, country, product, warned):
    """Elsewhere it is a warning: a service may have on-ramps that are not known here."""
    form = lab.forms.onboarding("MX", product, example=True)
    form.fields["country"].value = country
    said = " ".join(form.fields["country"].warnings)
    assert ("No on-ramp is known for DE" in said) is warned
    assert form.fields["country"].errors == []
