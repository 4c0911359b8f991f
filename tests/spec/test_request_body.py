"""The body of a request in our names, and its problems in those of the service."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paylab.errors.base import Problem
from paylab.spec.request_body import read_request
from paylab.spec.service import Service

OBJECT, BY_ID = {"financial_account": {"id": "fa_1"}}, {"financial_account_id": "fa_1"}
QUOTED = "quotes.fields.financial_account_id"
PAID = "transfers.fields.financial_account_id"
CONVERTED = "conversion_accounts.fields.payout_account_id"
REFUSED = {"requests.unknown_fields": "refuse"}
OBJECT_ID, FLAT_ID = "financial_account.id", "financial_account_id"
UNKNOWN = [("account", "is not known: is account.id meant?")]
MX = "financial_accounts.MX.bank_account.fields.clabe"
RENAMED = {"quotes.fields.payout_method": "rail", MX: "number"}
DETAILS = "financial_accounts.0.details"


def told(problems):
    """The field and the message of each problem."""
    return [(each.field, each.message) for each in problems]


@pytest.mark.parametrize(
    ("operation", "given", "field", "message"),
    [
        ("quotes.create", {"payout_metod": 1}, "payout_metod", "is payout_method meant?"),
        ("quotes.create", {"xyz": 1}, "xyz", "is not known"),
        ("individuals.create", {"address": {"line1": 1}}, "address.line1", "is line_1 meant?"),
        (
            "individuals.create",
            {"financial_accounts": ["x", {"typ": 1}]},
            "financial_accounts.1.typ",
            "is type meant?",
        ),
    ],
)
def test_an_unknown_field_is_noted_and_refused_if_the_service_does(
    operation, given, field, message
):
    """The body keeps the field; its problem has its place, and names the field that is near."""
    ignored, refused = (
        read_request(Service(settings), operation, given) for settings in ({}, REFUSED)
    )
    assert ignored.fields == refused.fields == given
    [noted] = ignored.unknown_fields
    assert (noted.field, noted.source) == (field, "request.unknown")
    assert noted.message.endswith(message)
    assert told(ignored.form_problems) == []
    assert told(refused.form_problems) == [(field, "is not known")]


def test_known_fields_are_no_problem_and_other_values_stay():
    """Objects in place of text and text in place of objects are left for the rules."""
    given = {"address": "x", "financial_accounts": {"type": 1}, "document": {"type": "curp"}}
    body = read_request(Service(REFUSED), "individuals.create", given)
    assert (body.fields, body.form_problems, body.unknown_fields) == (given, [], [])
    assert "address" not in read_request(Service(), "individuals.create", {}).fields


@pytest.mark.parametrize(
    ("operation", "place", "given", "ours", "unknown"),
    [
        ("quotes.create", OBJECT_ID, OBJECT, OBJECT, []),
        ("quotes.create", OBJECT_ID, BY_ID, BY_ID, []),
        ("quotes.create", FLAT_ID, BY_ID, OBJECT, []),
        ("quotes.create", FLAT_ID, OBJECT, {}, [("financial_account", "is not known")]),
        ("quotes.create", FLAT_ID, OBJECT | BY_ID, OBJECT, [("financial_account", "is not known")]),
        ("transfers.create", OBJECT_ID, OBJECT, OBJECT, []),
        (
            "transfers.create",
            OBJECT_ID,
            BY_ID,
            BY_ID,
            [
                (
                    "financial_account_id",
                    "is a deprecated spelling: is financial_account.id meant?",
                )
            ],
        ),
        ("transfers.create", FLAT_ID, BY_ID, OBJECT, []),
        ("transfers.create", FLAT_ID, OBJECT, OBJECT, []),
        ("quotes.create", "to.account.id", {"to": {"account": {"id": "fa_1"}}}, OBJECT, []),
        ("transfers.create", "account", {"account": "fa_1"}, OBJECT, []),
        ("quotes.create", "account.id", {"account": "fa_1"}, {"account": "fa_1"}, UNKNOWN),
    ],
)
def test_the_id_of_an_account_has_the_place_that_the_service_has_for_it(
    operation, place, given, ours, unknown
):
    """The id is in an object or alone, under any names; elsewhere it is unknown."""
    body = read_request(Service({QUOTED: place, PAID: place}), operation, given)
    assert (body.fields, told(body.unknown_fields), body.form_problems) == (ours, unknown, [])


def test_the_id_of_an_account_is_unknown_where_only_the_object_is_taken():
    """`payout_account_id` is refused by a service that has `payout_account`."""
    given = {"payout_account_id": "fa_1"}
    body = read_request(Service(REFUSED), "conversion_accounts.create", given)
    assert (body.fields, told(body.form_problems)) == ({}, [("payout_account_id", "is not known")])
    null = read_request(
        Service({CONVERTED: "payout_account_id"}),
        "conversion_accounts.create",
        {"payout_account_id": None},
    )
    assert null.fields == {"payout_account_id": None}


@pytest.mark.parametrize("place", ["payout_account.id", "payout_account_id", "wallet.id", "to.id"])
def test_a_problem_of_an_account_names_the_field_that_was_sent(place):
    """Rules speak of `payout_account.id`; a service hears of the place where it has the id."""
    body = read_request(Service({CONVERTED: place}), "conversion_accounts.create", {})
    named = [body.their_path(each) for each in ("payout_account", "payout_account.id", "currency")]
    whole = "payout_account" if place == "payout_account.id" else place
    assert named == [whole, place, "currency"]


CONSTANTS = {"extra": {"quotes.create": {"purpose": "P01", "meta": {"source": "app"}}}}


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"purpose": "P01", "meta": {"source": "app"}}, []),
        ({"purpose": "other", "meta": {"source": 1}}, []),
        ({"purpose": "P01", "meta": {}}, ["meta.source"]),
        ({"purpose": None}, ["purpose", "meta"]),
        ({}, ["purpose", "meta"]),
    ],
)
def test_a_constant_field_of_a_service_is_required(given, missing):
    """The simulated service knows the field, at any depth, and takes any value of it."""
    body = read_request(Service(CONSTANTS | REFUSED), "quotes.create", given | BY_ID)
    assert [(each.field, each.source) for each in body.form_problems] == [
        (field, "request.extra") for field in missing
    ]
    assert (body.fields, body.unknown_fields) == (BY_ID, [])


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (10, "10"),
        (0, "0"),
        (1.5, "1.5"),
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (None, None),
    ],
)
def test_an_amount_that_is_a_number_is_read_as_text(value, read):
    """Rules take text; a service that wants numbers gives theirs without an exponent."""
    body = read_request(
        Service({"amounts.requests": "number"}), "sandbox.deposit", {"amount": value}
    )
    assert (body.fields, body.form_problems) == ({"amount": read}, [])


@pytest.mark.parametrize("value", ["10.50", True, False, [], Decimal("1.5")])
def test_another_amount_is_refused_where_numbers_are_wanted(value):
    """Text, booleans and lists stay as they are, with a problem; without the setting, without."""
    given = {"amount": value}
    body = read_request(Service({"amounts.requests": "number"}), "sandbox.deposit", given)
    assert body.fields == given
    assert told(body.form_problems) == [("amount", "must be a JSON number, like 10.50")]
    assert body.form_problems[0].source == "amount.form"
    assert read_request(Service(), "sandbox.deposit", given).form_problems == []


@pytest.mark.parametrize(
    ("case", "refused"), [("upper", ["mxn", "Mxn"]), ("lower", ["MXN", "Mxn"]), ("any", [])]
)
def test_a_currency_is_in_the_letter_case_of_the_service(case, refused):
    """A currency in another case is a problem, which says the case."""
    service = Service({"currencies.case": case})
    for word in ("mxn", "MXN", "Mxn", 7):
        body = read_request(service, "sandbox.deposit", {"currency": word})
        wrong = [("currency", f"must be in {case} case")] if word in refused else []
        assert (told(body.form_problems), body.fields) == (wrong, {"currency": word})


def test_a_renamed_field_is_read_and_told_by_the_name_of_the_service():
    """Our name is unknown to that service; problems and their words have its names."""
    service = Service(RENAMED)
    body = read_request(service, "quotes.create", {"payout_method": "x", "rail": "spei"})
    assert body.fields == {"payout_method": "spei"}
    assert told(body.unknown_fields) == [("payout_method", "is not known")]
    rule = Problem(
        "payout_method", "payout_method is required for source_amount", "quote.operation"
    )
    [problem] = body.problems([rule])
    assert told([problem]) == [("rail", "rail is required for source_amount")]
    assert problem.source == rule.source
    [near] = read_request(service, "quotes.create", {"rails": 1}).unknown_fields
    assert near.message == "is not known: is rail meant?"


def test_a_field_has_one_problem():
    """What is wrong with the form of a field hides what a rule says of it, and only of it."""
    body = read_request(Service(REFUSED), "quotes.create", {"xyz": 1})
    others = [Problem("xyz", "is odd", "spec"), Problem("payout_method", "is required", "spec")]
    assert told(body.problems(others)) == [
        ("xyz", "is not known"),
        ("payout_method", "is required"),
    ]


@pytest.mark.parametrize(
    ("country", "kind", "is_read"),
    [
        ("MX", "bank_account", True),
        ("MX", "pix", False),
        (None, "bank_account", False),
        (["MX"], "bank_account", False),
    ],
)
def test_details_are_read_by_their_country_and_type(country, kind, is_read):
    """Details of an account that the country does not have are left for the rules."""
    body = read_request(Service(RENAMED | REFUSED), "individuals.create", {})
    details = body.rename_details(country, kind, {"number": "1", "xyz": 2}, DETAILS)
    assert details == ({"clabe": "1", "xyz": 2} if is_read else {"number": "1", "xyz": 2})
    assert told(body.form_problems) == ([(f"{DETAILS}.xyz", "is not known")] if is_read else [])
    assert body.their_path(f"{DETAILS}.clabe") == f"{DETAILS}.{'number' if is_read else 'clabe'}"


def test_a_field_is_known_if_it_is_allowed_or_required():
    """Every field that an account must or may have is known."""
    service = Service(REFUSED)
    for country, kind in (("MX", "bank_account"), ("PH", "bank_account"), ("US", "crypto_wallet")):
        form, body = service.account(country, kind), read_request(service, "individuals.create", {})
        given = dict.fromkeys((*form.fields, *form.required), "1")
        assert body.rename_details(country, kind, given, "details") == given
        assert body.form_problems == []
