"""The table of country facts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paylab
from paylab import corridors
from paylab.corridors import corridor_table, examples
from paylab.corridors.account_types import DOCUMENT_NUMBERS, PIX_KEYS
from paylab.corridors.on_ramps import need_on_ramp
from paylab.errors import RuleError
from paylab.rules import individuals
from paylab.spec import assumptions, codes
from paylab.spec.service import Service

GLOBAL, ON, OFF = "global_payouts", "on_ramp", "off_ramp"
RAMP = {"phone", "document", "date_of_birth", "idv_consent_recorded_at"}


NAMED = (
    ("AR", "ARS", ("cbu_cvu",)),
    ("BR", "BRL", ("pix",)),
    ("CO", "COP", ("ach_co",)),
    ("IN", "INR", ("upi",)),
    ("MX", "MXN", ("spei",)),
    ("PH", "PHP", ("instapay", "pesonet")),
    ("GB", "GBP", ("faster_payments",)),
)
STATED = (*NAMED, *((country, "EUR", ("sepa_instant",)) for country in codes.SEPA))


def test_the_facts_for_a_service_are_found_by_code_or_name():
    """An unknown country is an error that names the likely one, and `get` returns None for it."""
    of_service = corridors.of(Service())
    assert of_service["Mexico"] is of_service["mx"] is of_service.get("MX")
    with pytest.raises(RuleError, match="is MX meant"):
        of_service["Mexicos"]
    assert of_service.get("Mexicos") is None


def test_each_corridor_has_the_currency_and_the_payout_methods_of_the_spec():
    """Each corridor has the currency and the payout methods of the spec."""
    known = [corridors.get(country) for country, *_ in STATED]
    assert [(one.country, one.currency, one.payout_methods) for one in known] == [*STATED]


def test_no_fact_of_a_country_can_be_changed(mutable):
    """No fact of a country can be changed."""
    assert mutable("corridors") == set()


def test_there_are_no_other_corridors():
    """The corridors are those countries, and no other."""
    assert {one.country for one in corridors.ALL} == {country for country, *_ in STATED}


@pytest.mark.parametrize("country", ["US", "SG", "VN", "AE"])
def test_countries_without_a_corridor_have_crypto_wallets(country):
    """Individuals there have no payout method, but can have a crypto wallet."""
    corridor = corridors.get(country)
    assert (corridor.rails, corridor.account_types) == ((), ("crypto_wallet",))


@pytest.mark.parametrize("junk", ["XX", "", None, 7, [], {}])
def test_a_value_that_is_not_a_country_code_has_no_facts(junk):
    """A value that is not a country code has no facts."""
    assert corridors.of().get(junk) is None


@pytest.mark.parametrize(
    ("find_country", "message"),
    [
        (lambda: corridors.get("XX"), "country: must be one of AR, BR, .*, not XX"),
        (lambda: corridors.get("Phillipines"), "'Phillipines' is no country here; is PH meant?"),
        (lambda: corridors.get(None), "country must be text, not None"),
        (lambda: examples.recipient("Brasil"), "'Brasil' is no country here; is BR meant?"),
        (lambda: examples.account("US"), "receives payouts is known in 'US'; countries with one"),
        (lambda: examples.recipient("AE"), "country: must be one of AR, BR, .*, not AE"),
        (lambda: need_on_ramp(country="Phillipines"), "must be one of MX, PH; is PH meant?"),
        (lambda: need_on_ramp(country="BR"), "for BR: the country must be one of MX, PH$"),
    ],
)
def test_the_error_of_an_unknown_country_names_the_likely_one(find_country, message):
    """The error of a text that is no country here names the likely one, or all."""
    with pytest.raises(paylab.PaylabError, match=message.replace("?", r"\?")):
        find_country()


@pytest.mark.parametrize(("country", "count"), [("Mexico", 1), ("mx", 1), ("XX", 0), ("US", 0)])
def test_corridors_are_found_by_the_name_of_a_country(country, count):
    """A corridor is found by the code or name of its country; none is shown as such."""
    found_corridors = corridors.find(country=country)
    assert len(found_corridors) == count
    assert (repr(found_corridors) == "no corridor") == (count == 0)


def test_every_country_has_a_name_and_a_crypto_wallet():
    """Every country has a name and allows crypto wallets."""
    known = [corridors.get(country) for country in codes.COUNTRIES]
    assert [one for one in known if not one.name or not one.account("crypto_wallet")] == []


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
def test_some_fields_are_required_by_a_country_some_by_the_products(country, products, needed):
    """Some fields are required by a country, some by the products."""
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
def test_five_countries_list_their_document_types(country, documents):
    """Five countries list their document types; the others accept any."""
    assert set(corridors.get(country).documents) == documents


def test_india_is_for_payouts_only():
    """India is the only country that the spec excludes from on-ramp and off-ramp."""
    shut = [one.country for one in corridors.ALL if one.open_products != codes.PRODUCTS]
    assert shut == ["IN"]
    assert corridors.get("IN").products == (GLOBAL,)


@pytest.mark.parametrize(
    ("rail", "word"), [("pix", "around the clock"), ("instapay", "real time"), ("pesonet", "48")]
)
def test_a_payout_method_has_a_settlement_time_where_the_spec_gives_one(rail, word):
    """A payout method has a settlement time where the spec gives one."""
    (corridor,) = corridors.find(rail=rail)
    assert any(word in one.settlement for one in corridor.rails if one.method == rail)


@pytest.mark.parametrize(
    ("wanted", "countries"),
    [
        ({"currency": "mxn"}, {"MX"}),
        ({"account_type": "digital_wallet"}, {"PH"}),
        ({"currency": "EUR"}, set(codes.SEPA)),
        ({"country": "mx"}, {"MX"}),
        ({"rail": "upi"}, {"IN"}),
        ({"product": ON, "account_type": "upi"}, set()),
        ({"rail": "upi", "product": ON}, set()),
        ({}, {corridor.country for corridor in corridors.ALL}),
    ],
)
def test_find_returns_the_corridors_that_meet_every_condition(wanted, countries):
    """`find` returns the corridors that meet every condition."""
    assert {corridor.country for corridor in corridors.find(**wanted)} == countries


def test_an_account_that_is_the_same_everywhere_needs_no_country():
    """A UPI account needs no country; a bank account depends on the country."""
    account = corridors.of().account
    assert account(None, "upi").type == "upi"
    assert account(None, "bank_account") is None
    assert account("MX", "upi") is None


def test_the_source_of_a_fact_is_the_spec_or_the_id_of_an_assumption():
    """The source of a fact is the spec or the id of an assumption."""
    known = {"spec", *(gap.id for gap in assumptions.ALL)}
    accounts = [account for corridor in corridors.ALL for account in corridor.accounts]
    fields = [field for account in accounts for field in account.fields]
    sources = {one.source for one in [*accounts, *fields]}
    assert sources | {field.form.source for field in fields} <= known


def test_the_table_has_a_row_a_corridor():
    """The SEPA countries share one row, and are listed below the table."""
    table, *notes = corridors.ALL._repr_mimebundle_()["text/html"].split("<p>")
    assert table.count("<tr") == 1 + len(NAMED) + 1
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
    """Limits and required fields are shown."""
    assert words in corridors.ALL._repr_mimebundle_()["text/html"]


def test_the_module_shows_its_table():
    """The module and a selection are displayed as HTML and as text."""
    assert corridors._repr_mimebundle_() == corridors.ALL._repr_mimebundle_()
    assert repr(corridors.find(currency="inr")) == "India (IN)  INR  upi  upi"


@pytest.mark.parametrize(
    ("countries", "titles", "shared"),
    [
        (["DE"], ["Germany (DE)"], []),
        (["DE", "FR"], ["2 SEPA countries"], ["2 SEPA countries: DE, FR."]),
        (["US", "SG"], ["2 countries"], ["2 countries: US, SG."]),
        (["DE", "BR", "FR"], ["Germany (DE)", "Brazil (BR)", "France (FR)"], []),
    ],
)
def test_countries_with_the_same_facts_share_a_row(countries, titles, shared):
    """Neighbours that differ only in the country are one row, and a note names them."""
    chosen = [corridors.get(country) for country in countries]
    assert [row[0].partition("\n")[0] for row in corridor_table.table_rows(chosen)] == titles
    assert [row[0] for row in corridor_table.summary_rows(chosen)] == titles
    assert [note for note in corridor_table.table_notes(chosen) if "countries:" in note] == shared


PRODUCTS = "Products: global_payouts, off_ramp (assumed)"
EVERY = f"{PRODUCTS}, on_ramp"


@pytest.mark.parametrize(
    ("code", "country", "rails", "accounts", "more"),
    [
        (
            "MX",
            "Mexico (MX)\nMXN",
            "spei",
            "bank_account: clabe (exactly 18 digits)",
            [
                *("Documents: curp", EVERY, "On-ramp from: mxn"),
                "Assumed: details.mx, corridor.products",
            ],
        ),
        (
            "US",
            "United States (US)\n-",
            "-",
            "crypto_wallet: address, network (base, ethereum, polygon, solana)",
            [
                *("Documents: any", "Products: global_payouts (assumed), off_ramp (assumed)"),
                "Assumed: details.wallet, corridor.products",
            ],
        ),
        (
            "CO",
            "Colombia (CO)\nCOP",
            "ach_co",
            "bank_account: bank_code, account_number, account_type (savings, checking)",
            [
                *("Documents: cc, ce, nit, pep, passport", "Also required: email, document"),
                *(PRODUCTS, "Assumed: details.co, corridor.products"),
            ],
        ),
    ],
)
def test_a_row_of_the_table_has_country_currency_and_rails_in_one(
    code, country, rails, accounts, more
):
    """Country, currency and rails are one column, and what is no dash is in the last."""
    row = corridor_table.table_rows([corridors.get(code)])[0]
    assert row == (f"{country}\n{rails}", accounts, "\n".join(more))


def test_the_phone_of_a_country_is_said_with_its_field():
    """The format of a phone stands at the phone, not at the other required fields."""
    ((*_, more),) = corridor_table.table_rows([corridors.get("IN")])
    phone = "phone (must start with +91 and be at most 20 characters)"
    assert f"Also required: email, {phone}\n" in more


def test_a_notebook_shows_three_columns():
    """The table has a head of three columns."""
    html = corridors.ALL._repr_mimebundle_()["text/html"]
    heads = [cell.partition(">")[2] for cell in html.partition("</tr>")[0].split("</th>")[:-1]]
    assert [head.rpartition(">")[2] for head in heads] == [
        *("Country and rails", "Accounts and their fields", "Documents, products and more"),
    ]
    assert "table-layout:auto" in html  # else JupyterLab makes equal columns, and words overlap


def test_a_country_shows_each_fact_and_where_it_is_from():
    """Each fact shows its source: the spec or an assumption."""
    facts = {fact: (value, source) for fact, value, source in corridors.get("MX").facts()}
    assert facts["bank_account clabe"] == ("exactly 18 digits", "details.mx, spec")
    assert facts["number of a curp"][1] == "spec"
    assert facts["rail spei"] == ("settlement not shown", "spec")
    assert "clabe" in corridors.get("MX")._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("country", "fact"),
    [
        ("US", ("currency", "no corridor is named", "spec")),
        ("US", ("crypto_wallet address", "text", "details.wallet")),
        ("BR", ("rail pix", "around the clock", "spec")),
        ("BR", ("pix pix_key_type", "one of cpf, cnpj, email, phone, evp", "spec, details.br")),
        ("GB", ("bank_account bank_account_country", "GB", "spec")),
        ("SE", ("bank_account bank_account_country", "any SEPA country", "spec")),
        ("SE", ("bank_account bic", "8 or 11 characters; must be letters and digits "
         "(only the format is checked), can be left out", "details.sepa, spec")),
    ],
)  # fmt: skip
def test_a_fact_is_its_name_its_value_in_words_and_where_it_is_from(country, fact):
    """A fact is its name, its value in words, and where it is from."""
    assert fact in corridors.get(country).facts()


def test_what_a_service_has_besides():
    """A further rail and a further required field rest on their assumptions."""
    account = "financial_accounts.MX.bank_account"
    service = Service({"rails.MX": ["spei", "local"], f"{account}.required": ["label"]})
    found = corridors.of(service).get("MX")
    assert [rail.source for rail in found.rails] == ["spec", "corridor.rails"]
    fields = found.account("bank_account").fields
    assert [(field.name, field.required) for field in fields] == [("clabe", False), ("label", True)]
    assert (fields[1].source, fields[1].form.source) == ("details.mx", "details.mx")


def test_a_field_has_the_words_of_the_service():
    """A field with fixed words has those of the service."""
    key = "financial_accounts.crypto_wallet.allowed"
    fields = corridors.of(Service({key: ["base"]})).get("US").account("crypto_wallet").fields
    assert [field.form.choices for field in fields] == [(), ("base",)]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("cpf", "12345678909", "1234567890"),
        ("cnpj", "12ABC345000188", "12abc345000188"),
        ("email", "a@b.c", "a@b"),
        ("phone", "+551234567", "5512345678"),
        ("evp", "00000000-0000-4000-8000-000000000000", "00000000000040008000000000000000"),
    ],
)
def test_a_pix_key_has_the_form_of_its_type(kind, good, bad):
    """A key has the form of its type; that of another type is none."""
    form = PIX_KEYS[kind]
    assert re.fullmatch(form.pattern, good)
    assert not re.fullmatch(form.pattern, bad)
    assert form.source == "details.br"
    assert (form.most, "at most 77" in form.message) == (
        (77, True) if kind == "email" else (0, False)
    )


EVERYTHING = ("email", "phone", "date_of_birth", "document")
ADDRESS = ("address.line_1", "address.city", "address.postal_code")


@pytest.mark.parametrize("country", ["AR", "BR", "CO", "IN", "MX", "PH", "GB", "DE"])
def test_an_example_has_what_the_service_asks_for(country):
    """An example has the required fields and documents of its country; no rule refuses it."""
    usual = Service().individuals.required
    service = Service({"individuals.required": (*usual, *EVERYTHING, *ADDRESS)})
    body = examples.recipient(country, service)
    assert individuals.check(body, service) == []
    digits = {"BR": 8, "CO": 6, "IN": 6, "MX": 5, "DE": 5}.get(country, 4)
    assert len(body["address"]["postal_code"]) == digits
    if country not in examples.PEOPLE:
        assert len(examples.person(country)["address"]["postal_code"]) == digits


@pytest.mark.parametrize(("country", "code"), [("US", "+1"), ("SG", "+65"), ("DK", "+45")])
def test_an_example_has_a_phone_of_its_country(country, code):
    """The phone begins with the code of the country, and looks right to the rules."""
    phone = examples.person(country)["phone"]
    assert phone.removeprefix(code).strip("0") == ""
    assert individuals.phone_warning(phone, country) == ""


def test_a_country_without_known_phones_has_an_example_without_a_phone():
    """A code of two letters that is no country is taken, and its phone is left out."""
    assert "phone" not in examples.person("XX")


def test_a_person_is_completed_with_what_the_service_asks_for():
    """What is there stays, and nothing is added that is not asked for."""
    person = {"given_name": "A", "country": "MX", "phone": "+52", "address": {"country": "MX"}}
    assert examples.add_required_fields(None, person) == person
    asked = Service({"individuals.required": ("phone", "email", "address.postal_code")})
    assert examples.add_required_fields(asked, person) == {
        **person,
        "email": "alex.mx@example.com",
        "address": {"postal_code": "00000", "country": "MX"},
    }


def test_an_example_keeps_its_word_in_the_letter_case_of_the_service():
    """The example uses a PIX key type of the service, and a key of that type."""
    for allowed, expected in ((["CPF", "EMAIL"], "alex@example.com"), (["CPF"], "00000000000")):
        service = Service({"financial_accounts.BR.pix.allowed": allowed})
        details = examples.account("BR", service)["details"]
        assert details == {"pix_key": expected, "pix_key_type": allowed[-1]}


@pytest.mark.parametrize(
    ("country", "shown", "assumed"),
    [("AR", {GLOBAL}, {OFF}), ("MX", {GLOBAL, ON}, {OFF}), ("US", set(), {GLOBAL, OFF})],
)
def test_products_that_the_spec_does_not_show_are_assumptions(country, shown, assumed):
    """Only payouts of a named corridor and the two walked on-ramps have the source "spec"."""
    found = {"spec": set(), "corridor.products": set()}
    for name, value, source in corridors.get(country).facts():
        if name.startswith("products"):
            found[source] |= set(value.split(", "))
    assert found == {"spec": shown, "corridor.products": assumed}


def narrowed():
    """Every format with a narrower one."""
    fields = [one for each in corridors.of().all for one in each.accounts for one in one.fields]
    forms = [*DOCUMENT_NUMBERS.values(), *(field.form for field in fields)]
    return list({form.also.pattern: form for form in forms if form.also}.values())


@pytest.mark.parametrize("form", narrowed(), ids=lambda form: form.also.source)
@given(data=st.data())
@settings(max_examples=30)
def test_a_narrower_format_fits_the_wider_one(form, data):
    """The OpenAPI document states the narrower pattern alone."""
    ascii_text = st.characters(codec="ascii")
    text = data.draw(st.from_regex(form.also.pattern, fullmatch=True, alphabet=ascii_text))
    long = form.most and len(text) > form.most
    assert long or re.fullmatch(form.pattern, text, re.DOTALL)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("curp", ["BOXW310820HNERXN09", "BOXW310820MNERXNA9"], ["BOXW310820XNERXN09", "BOXW31"]),
        ("cpf", ["39053344705"], ["3905334470", "390533447055", "390.533.447-05"]),
        ("cnpj", ["16727230000197"], ["1672723000019", "167272300001977", "12ABC34501DE35"]),
        *((kind, ["", "any text"], []) for kind in ("cuit", "cuil", "nit", "tin")),
    ],
)
def test_a_document_number_has_its_stated_length(kind, good, bad):
    """Numbers with a stated length have it; of the others only the check digit is doubted."""
    form = DOCUMENT_NUMBERS[kind]
    assert [bool(re.fullmatch(form.pattern or ".*", each)) for each in good] == [True] * len(good)
    assert [bool(re.fullmatch(form.pattern, each)) for each in bad] == [False] * len(bad)
    number = re.search(r"\{([0-9]+)\}\Z", form.pattern)
    assert number is None or f"exactly {number[1]} digits" in form.message


def test_a_form_puts_only_curp_and_iban_into_capitals():
    """CURP and IBAN are in capitals and without spaces; a form changes no other text."""
    fields = [one for each in corridors.of().all for one in each.accounts for one in one.fields]
    assert {kind for kind, form in DOCUMENT_NUMBERS.items() if form.capitals} == {"curp"}
    assert {field.name for field in fields if field.form.capitals} == {"iban"}
    assert all(field.form.also for field in fields if field.form.capitals)


def test_an_account_shows_its_fields_and_not_its_example():
    """The example of an account may be long, and `print` is for its type and fields."""
    account = corridors.get("MX").accounts[0]
    assert str(account).startswith(f"{account.type}: ")
    assert "example" not in repr(account)


@pytest.mark.parametrize("country", ["MX", "CO", "PH", "GB"])
def test_what_an_on_ramp_asks_for_besides(country):
    """The fields of the ramp products are named once: those of every product are left out."""
    corridor = corridors.get(country)
    besides, always = {*corridor.ramp_fields}, {*corridor.required}
    assert besides == (RAMP - always if {ON, OFF} & {*corridor.products} else set())
