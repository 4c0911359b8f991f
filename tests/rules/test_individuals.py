"""The rules of new individuals, by country and product, and of verification tokens."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from paylab.rules import individuals
from paylab.spec import codes
from paylab.spec.service import Service

BASE = {
    "product_types": ["global_payouts"],
    "given_name": "María",
    "family_name": "González Hernández",
    "country": "MX",
    "address": {"country": "MX", "city": "Puebla"},
}
RAMP = {
    "product_types": ["on_ramp"],
    "email": "maria@example.com",
    "phone": "+525512345678",
    "date_of_birth": "1990-02-28",
    "idv_consent_recorded_at": "2026-01-31T09:30:00Z",
    "document": {"type": "curp", "number": "BOXW310820HNERXN09"},
}
COLOMBIA = {"country": "CO", "address": {}, "email": "a@b.co", "document": {"type": "cc"}}
INDIA = {"country": "IN", "address": {}, "email": "a@b.in", "phone": "+919876543210"}
TOKEN = {
    "provider": "idv_provider",
    "token": "t",
    "applicant_id": "a",
    "partner_terms_accepted_at": "2026-01-31T09:30:00.123+05:30",
}


def said(problems):
    """The messages of the problems by field."""
    return {problem.field: problem.message for problem in problems}


def without(body, *names):
    """The body without these fields."""
    return {name: value for name, value in body.items() if name not in names}


def document(country, kind, number):
    """The changes that set a country and a document."""
    return {"country": country, "address": {}, "document": {"type": kind, "number": number}}


@pytest.mark.parametrize(
    "change",
    [
        {},
        RAMP,
        {"address": {}},
        {"address": {"line_2": "", "state": None}},
        {"document": None, "email": None},
        {"financial_accounts": []},
        {"financial_accounts": [{"type": "bank_account", "details": {"clabe": "0" * 18}}]},
        {"nickname": {"any": ["thing"]}},
        COLOMBIA,
        INDIA,
        {**INDIA, "phone": "+91" + "9" * 17},
        {"date_of_birth": "2024-02-29"},
        {"product_types": list(codes.PRODUCTS), **without(RAMP, "product_types")},
        {**RAMP, "document": {"type": "curp"}},
        {**RAMP, **document("PH", "tin", "123-456-789-000")},
        {**RAMP, **document("BR", "cpf", "39053344705")},
        {**RAMP, **document("BR", "cnpj", "16727230000197")},
        {**RAMP, **document("AR", "cuil", "20-05536168-2")},
        {**RAMP, **document("US", "driver_licence", "D 1234")},
        *({"country": country, "address": {}} for country in ("DE", "CH", "GB", "SG", "AE")),
    ],
)
def test_valid_individuals_have_no_problems(change):
    """Valid individuals have no problems."""
    assert individuals.check(BASE | change) == []


@pytest.mark.parametrize("name", BASE)
def test_base_fields_are_required(name):
    """A missing base field is a problem whose source is an assumption."""
    (problem,) = individuals.check(without(BASE, name))
    assert (problem.field, problem.message) == (name, "is required")
    assert problem.source == "individual.required"


@pytest.mark.parametrize("product", ["on_ramp", "off_ramp"])
@pytest.mark.parametrize("name", ["phone", "document", "date_of_birth", "idv_consent_recorded_at"])
def test_ramp_products_ask_for_more_in_every_country(product, name):
    """Ramp products require four more fields in every country, as the spec says."""
    for country in ("MX", "PH", "CO", "BR", "AR", "GB", "US"):
        body = {**BASE, **without(RAMP, name), "country": country, "product_types": [product]}
        problems = individuals.check(body | {"address": {}})
        assert (name, "is required", "spec") in [(p.field, p.message, p.source) for p in problems]


@pytest.mark.parametrize(
    ("body", "name", "products"),
    [
        *((COLOMBIA, "email", [product]) for product in codes.PRODUCTS),
        *((COLOMBIA, "document", [product]) for product in codes.PRODUCTS),
        (COLOMBIA, "email", list(codes.PRODUCTS)),
        (INDIA, "email", ["global_payouts"]),
        (INDIA, "phone", ["global_payouts"]),
    ],
)
def test_countries_that_always_ask_for_more(body, name, products):
    """Colombia and India require these fields for every product that they have."""
    whole = BASE | RAMP | body | {"product_types": products}
    assert individuals.check(whole) == []
    assert said(individuals.check(without(whole, name))) == {name: "is required"}


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"product_types": []}, "product_types", "at least one"),
        ({"product_types": "on_ramp"}, "product_types", "list"),
        ({"product_types": ["x"]}, "product_types.0", "must be one of global_payouts"),
        ({"product_types": ["global_payouts", None]}, "product_types.1", "must be one of"),
        ({**INDIA, **RAMP, "phone": "+91"}, "product_types.0", "must be global_payouts"),
        ({"given_name": " \t"}, "given_name", "blank"),
        ({"given_name": 7}, "given_name", "text"),
        ({"given_name": True}, "given_name", "text"),
        ({"given_name": "\ud83d"}, "given_name", "surrogate"),
        ({"family_name": ["x"]}, "family_name", "text"),
        ({"country": "mx"}, "country", "is MX meant?"),
        ({"country": ["MX"]}, "country", "must be one of AR"),
        ({"email": ""}, "email", "blank"),
        ({"phone": 525512345678}, "phone", "text"),
        ({**INDIA, "phone": "+91" + "9" * 18}, "phone", "at most 20"),
        ({**INDIA, "phone": "9876543210"}, "phone", "start with +91"),
        ({**INDIA, "phone": "+1" + "9" * 10}, "phone", "start with +91"),
        ({"date_of_birth": "1990-02-30"}, "date_of_birth", "date"),
        ({"date_of_birth": "19900228"}, "date_of_birth", "date"),
        ({"date_of_birth": "28/02/1990"}, "date_of_birth", "date"),
        ({"date_of_birth": "1990-02-28T00:00:00Z"}, "date_of_birth", "date"),
        ({"date_of_birth": "1990-02-28\n"}, "date_of_birth", "date"),
        ({"idv_consent_recorded_at": "2026-01-31"}, "idv_consent_recorded_at", "ISO 8601"),
        ({"idv_consent_recorded_at": "yesterday"}, "idv_consent_recorded_at", "ISO 8601"),
        ({"idv_consent_recorded_at": 1769851800}, "idv_consent_recorded_at", "ISO 8601"),
        ({"idv_consent_recorded_at": "2026-02-30T09:30:00Z"}, "idv_consent_recorded_at", "ISO"),
        ({"address": "Puebla"}, "address", "object"),
        ({"address": {"country": "PH"}}, "address.country", "must equal country"),
        ({"address": {"country": "XX"}}, "address.country", "must be one of AR"),
        ({"address": {"city": 5}}, "address.city", "text"),
        ({"document": "curp"}, "document", "object"),
        ({"document": {}}, "document.type", "required"),
        ({"document": {"type": "passport"}}, "document.type", "must be curp"),
        (document("PH", "curp", "x"), "document.type", "must be tin"),
        (document("BR", "cpf", "3905334470"), "document.number", "exactly 11 digits"),
        (document("BR", "cpf", "390533447050"), "document.number", "exactly 11 digits"),
        (document("BR", "cpf", "390.533.447-05"), "document.number", "exactly 11 digits"),
        (document("BR", "cnpj", "1672723000019"), "document.number", "exactly 14 digits"),
        (document("BR", "cnpj", "167272300001970"), "document.number", "exactly 14 digits"),
        (document("AR", "cuit", ""), "document.number", "blank"),
        (document("AR", "dni", "1"), "document.type", "must be one of cuit, cuil"),
        (document("GB", "dni", "1"), "document.type", "must be one of cuit"),
        ({"financial_accounts": {}}, "financial_accounts", "list"),
        ({"financial_accounts": ["x"]}, "financial_accounts.0", "object"),
        ({"financial_accounts": [{}]}, "financial_accounts.0.type", "required"),
        ({"financial_accounts": [{"type": "pix"}]}, "financial_accounts.0.details", "required"),
        (
            {"financial_accounts": [{"type": "pix", "details": {}}]},
            "financial_accounts.0.type",
            "must be one of bank_account, crypto_wallet in MX",
        ),
        (
            {"financial_accounts": [{"type": "bank_account", "details": {"clabe": "1"}}]},
            "financial_accounts.0.details.clabe",
            "exactly 18 digits",
        ),
    ],
)
def test_an_invalid_individual_has_a_problem_with_the_field_and_the_reason(change, field, words):
    """An invalid individual has a problem with the field and the reason."""
    assert words in said(individuals.check(BASE | change))[field]


@pytest.mark.parametrize(
    ("number", "good"),
    [
        ("BOXW310820HNERXN09", True),
        ("BOXW310820MNERXNA9", True),
        ("BOXW310820XNERXN09", False),
        ("boxw310820hnerxn09", False),
        ("BOXW310820HNERXN0", False),
        ("BOXW310820HNERXN099", False),
        ("BOX1310820HNERXN09", False),
        ("BOXW31082OHNERXN09", False),
        ("BOXW310820HNERXN0A", False),
        ("BOXW310820HNERXNa9", False),
        ("BOXW310820HNERXN09\n", False),
        ("BOXW31082\u0660HNERXN09", False),
    ],
)
def test_a_curp_has_18_characters_of_the_right_kinds(number, good):
    """A CURP is four capitals, six digits, H or M, five capitals, a capital or digit, a digit."""
    problems = individuals.check(BASE | document("MX", "curp", number))
    assert (problems == []) is good


def test_every_problem_is_listed_at_once_in_a_stable_order():
    """All problems of a body are listed at once, in a fixed order."""
    body = {"product_types": ["on_ramp"], "given_name": "", "country": "MX", "address": []}
    fields = [problem.field for problem in individuals.check(body)]
    assert fields == [
        *("given_name", "family_name", "phone", "date_of_birth"),
        *("idv_consent_recorded_at", "address", "document"),
    ]


@pytest.mark.parametrize("body", [None, [], "x", 7, True])
def test_a_body_that_is_not_an_object_has_one_problem_without_a_field_name(body):
    """A body that is not an object has one problem, without a field name."""
    assert said(individuals.check(body)) == {"": "must be a JSON object"}
    assert said(individuals.check_token(body)) == {"": "must be a JSON object"}


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, []),
        ({"token": "t" * 4096}, []),
        ({"token": "t" * 4097}, ["token"]),
        ({"token": " "}, ["token"]),
        ({"token": None}, ["token"]),
        ({"token": ["t"]}, ["token"]),
        ({"provider": "other"}, ["provider"]),
        ({"provider": None}, ["provider"]),
        ({"applicant_id": None}, ["applicant_id"]),
        ({"applicant_id": ""}, ["applicant_id"]),
        ({"partner_terms_accepted_at": "2026-01-31 09:30"}, ["partner_terms_accepted_at"]),
        ({"partner_terms_accepted_at": "2026-01-31T09:30Z"}, []),
        ({"provider": "x", "token": ""}, ["provider", "token"]),
    ],
)
def test_the_body_of_a_verification_token_is_checked_field_by_field(change, fields):
    """The body of a verification token is checked field by field."""
    assert [problem.field for problem in individuals.check_token(TOKEN | change)] == fields


def test_another_provider_can_be_named():
    """A Service can name another identity provider."""
    service = Service({"verification.provider": "acme"})
    assert individuals.check_token(TOKEN | {"provider": "acme"}, service) == []


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (RAMP, []),
        (RAMP | {"email": None}, ["email"]),
        (
            RAMP | {"document": {"type": "curp", "number": "BOXW310820HNERXN08"}},
            ["document.number"],
        ),
        (RAMP | {"document": {"type": "curp", "number": "nonsense"}}, []),
        ({"document": None, "financial_accounts": "junk"}, []),
        (
            {"financial_accounts": [{"type": "bank_account", "details": {"clabe": "1" * 18}}]},
            ["financial_accounts.0.details.clabe"],
        ),
    ],
)
def test_a_mistyped_number_or_a_missing_e_mail_address_gives_a_warning(change, fields):
    """A mistyped number or a missing e-mail address gives a warning."""
    assert [problem.field for problem in individuals.find_warnings(BASE | change)] == fields


FUTURE = (
    "lies in the future of the service, whose clock is at 2026-11-22T12:00:00.000Z: "
    "pass lab.clock(), since the clock of a simulator may be frozen"
)
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("born", "told"),
    [
        ("2026-11-23", "lies in the future"),
        ("2026-11-22", "makes the person 0, not yet 18"),
        ("2008-11-23", "makes the person 17, not yet 18"),
        ("2008-11-22", ""),
        ("1906-11-22", ""),
        ("1905-11-23", ""),
        ("1905-11-22", "makes the person 121 years old"),
        ("2026-13-01", ""),
        (20081122, ""),
    ],
)
def test_an_age_that_is_odd_is_a_warning(born, told):
    """An age outside 18 to 120 years gives a warning; an invalid date gives none."""
    found = individuals.find_implausible({"date_of_birth": born}, NOW)
    assert [(each.field, each.message) for each in found] == (
        [("date_of_birth", told)] if told else []
    )


@pytest.mark.parametrize(
    ("consent_at", "words"),
    [
        ("2026-11-22T12:05:00Z", ""),
        ("2026-11-22T14:00:00+02:00", ""),
        ("2026-11-22T12:05:01Z", FUTURE),
        ("2027-02-30T12:00:00Z", ""),
        (None, ""),
    ],
)
def test_a_consent_after_now_is_a_warning(consent_at, words):
    """A consent more than five minutes ahead gives a warning; an unreadable time gives none."""
    warnings = individuals.find_implausible({"idv_consent_recorded_at": consent_at}, NOW)
    assert [warning.message for warning in warnings] == ([words] if words else [])


@pytest.mark.parametrize(
    ("number", "words"),
    [("55 5555 5555", "must begin with +"), ("+52", "must have a number after the country code")],
)
def test_a_phone_that_cannot_be_read_says_what_is_missing(number, words):
    """The sentence names the part that is missing, and not one that is there."""
    assert words in individuals.phone_warning(number)
