"""The table of country facts."""

from __future__ import annotations

import pytest

from paylab import corridors
from paylab.corridors import examples
from paylab.rules import individuals
from paylab.spec import assumptions, codes
from paylab.spec.service import Service

GLOBAL, ON, OFF = "global_payouts", "on_ramp", "off_ramp"
RAMP = {"phone", "document", "date_of_birth", "idv_consent_recorded_at"}


@pytest.mark.parametrize(
    ("country", "currency", "rails"),
    [
        ("AR", "ARS", ("cbu_cvu",)),
        ("BR", "BRL", ("pix",)),
        ("CO", "COP", ("ach_co",)),
        ("IN", "INR", ("upi",)),
        ("MX", "MXN", ("spei",)),
        ("PH", "PHP", ("instapay", "pesonet")),
        ("GB", "GBP", ("faster_payments",)),
        *((country, "EUR", ("sepa_instant",)) for country in codes.SEPA),
    ],
)
def test_corridor(country, currency, rails):
    """Each corridor has the currency and the rails the spec names."""
    corridor = corridors.get(country)
    assert (corridor.currency, corridor.payout_methods) == (currency, rails)


def test_there_are_no_other_corridors():
    """Seven countries and the SEPA countries."""
    assert len(corridors.ALL) == 7 + len(codes.SEPA)


@pytest.mark.parametrize("country", ["US", "SG", "VN", "AE"])
def test_countries_without_a_corridor(country):
    """The service takes their individuals, who can hold a crypto wallet."""
    corridor = corridors.get(country)
    assert (corridor.rails, corridor.account_types) == ((), ("crypto_wallet",))


@pytest.mark.parametrize("junk", ["XX", "mx", "", None, 7, [], {}])
def test_unknown_country(junk):
    """Anything that is no country code of the service has no facts."""
    assert corridors.get(junk) is None


@pytest.mark.parametrize("country", codes.COUNTRIES)
def test_every_country_has_a_name_and_a_crypto_wallet(country):
    """A crypto wallet is allowed everywhere."""
    corridor = corridors.get(country)
    assert corridor.name
    assert corridor.account("crypto_wallet")


@pytest.mark.parametrize(
    ("country", "products", "needed"),
    [
        ("MX", [GLOBAL], set()),
        ("MX", [OFF], RAMP),
        ("PH", [ON], RAMP),
        ("CO", [GLOBAL], {"email", "document"}),
        ("CO", [GLOBAL, ON], {"email", *RAMP}),
        ("IN", [GLOBAL], {"email", "phone"}),
        ("US", [ON], RAMP),
        ("DE", ["nonsense", 7], set()),
    ],
)
def test_required_on_top(country, products, needed):
    """What a country asks always, and what every country asks for the ramps."""
    assert set(corridors.get(country).required_for(products)) == needed


@pytest.mark.parametrize(
    ("country", "documents"),
    [
        ("AR", {"cuit", "cuil"}),
        ("BR", {"cpf", "cnpj"}),
        ("CO", {"cc", "ce", "nit", "pep", "passport"}),
        ("MX", {"curp"}),
        ("PH", {"tin"}),
        ("GB", set(codes.DOCUMENT_TYPES)),
    ],
)
def test_documents(country, documents):
    """Five countries name their documents, the others take any."""
    assert set(corridors.get(country).documents) == documents


def test_india_is_for_payouts_only():
    """The only country that the spec shuts out of the ramps."""
    shut = [one.country for one in corridors.ALL if one.products != codes.PRODUCTS]
    assert shut == ["IN"]
    assert corridors.get("IN").products == (GLOBAL,)


@pytest.mark.parametrize(
    ("rail", "word"), [("pix", "around the clock"), ("instapay", "real time"), ("pesonet", "48")]
)
def test_settlement(rail, word):
    """What to expect of a rail, where the spec says."""
    (corridor,) = corridors.find(rail=rail)
    assert any(word in one.settlement for one in corridor.rails if one.method == rail)


@pytest.mark.parametrize(
    ("wanted", "countries"),
    [
        ({"currency": "mxn"}, {"MX"}),
        ({"account_type": "digital_wallet"}, {"PH"}),
        ({"currency": "EUR"}, set(codes.SEPA)),
        ({"rail": "upi", "product": ON}, set()),
        ({}, {corridor.country for corridor in corridors.ALL}),
    ],
)
def test_find(wanted, countries):
    """Everything that is asked for has to hold."""
    assert {corridor.country for corridor in corridors.find(**wanted)} == countries


def test_on_ramp_corridors():
    """The two walk-throughs of the spec."""
    ramps = {one.country: one.on_ramp_currency for one in corridors.ALL if one.on_ramp_currency}
    assert ramps == {"MX": "mxn", "PH": "php"}


def test_an_account_that_is_the_same_everywhere_needs_no_country():
    """A UPI account is one thing; a bank account depends on the country."""
    assert corridors.account(None, "upi").type == "upi"
    assert corridors.account(None, "bank_account") is None
    assert corridors.account("MX", "upi") is None


def test_every_source_exists():
    """A fact rests on the spec or on a row of what it leaves open."""
    known = {"spec", *(gap.id for gap in assumptions.ALL)}
    accounts = [account for corridor in corridors.ALL for account in corridor.accounts]
    fields = [field for account in accounts for field in account.fields]
    sources = {one.source for one in [*corridors.ALL, *accounts, *fields]}
    assert sources | {field.form.source for field in fields} <= known


def test_markdown_has_a_row_a_corridor():
    """The SEPA countries share one, and are named below it."""
    table, *notes = corridors.markdown().split("\n\n")
    assert len(table.splitlines()) == 2 + 7 + 1
    assert "| Mexico (MX) | MXN | spei | bank_account: clabe (exactly 18 digits) | curp |" in table
    assert any(", ".join(codes.SEPA) in note for note in notes)


@pytest.mark.parametrize(
    "words",
    [
        *("exactly 22 digits", "exactly 18 digits", "exactly 8 digits", "exactly 6 digits"),
        *("at most 45 characters", "15 to 34 characters", "8 or 11", "2 to 140 characters"),
        *("around the clock", "real time", "up to 48 hours", "+91", "at most 20 characters"),
    ],
)
def test_the_table_says_every_limit(words):
    """What a country asks can be read, in Markdown and in a notebook alike."""
    assert words in corridors.markdown()
    assert words in corridors.ALL._repr_mimebundle_()["text/html"]


def test_the_module_shows_its_table():
    """In a notebook as HTML, in a terminal as text; a part of it likewise."""
    assert "<table>" in corridors._repr_mimebundle_()["text/html"]
    assert repr(corridors) == repr(corridors.ALL)
    assert repr(corridors.find(currency="inr")) == "India (IN)  INR  upi  upi"


def test_a_country_shows_each_fact_and_where_it_is_from():
    """Spec, or the row of what the spec leaves open."""
    facts = {fact: (value, source) for fact, value, source in corridors.get("MX").facts()}
    assert facts["bank_account clabe"] == ("exactly 18 digits", "details.mx, spec")
    assert facts["number of a curp"][1] == "spec"
    assert "clabe" in corridors.get("MX")._repr_mimebundle_()["text/html"]


EVERYTHING = ("email", "phone", "date_of_birth", "document")
ADDRESS = ("address.line_1", "address.city", "address.postal_code")


@pytest.mark.parametrize("country", ["AR", "BR", "CO", "IN", "MX", "PH", "GB", "DE"])
def test_an_example_has_what_the_service_asks_for(country):
    """Of the fields, the words and the documents of the country, so that no rule refuses it."""
    usual = assumptions.KEYS["individuals.required"].default
    service = Service({"individuals.required": (*usual, *EVERYTHING, *ADDRESS)})
    body = examples.recipient(country, service)
    assert individuals.check(body, service) == []
    assert individuals.postal_code(country, body["address"]) == ""


def test_an_example_keeps_its_word_in_the_letter_case_of_the_service():
    """And has a key of the type where the word is another one."""
    for allowed, expected in ((["CPF", "EMAIL"], "alex@example.com"), (["CPF"], "00000000000")):
        service = Service({"financial_accounts.BR.pix.allowed": allowed})
        details = examples.account("BR", service)["details"]
        assert details == {"pix_key": expected, "pix_key_type": allowed[-1]}
