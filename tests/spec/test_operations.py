"""The records of the operations, against the tables of the specification and the settings."""

from __future__ import annotations

import pytest

from paylab.rules import accounts, deposits, individuals, transfers, webhooks
from paylab.spec import assumptions, models
from paylab.spec.operations.field import AMOUNT, CURRENCY, DETAILS, ENUM, ID, LIST, REFERENCE
from paylab.spec.operations.records import LISTED_RESOURCES, OPERATIONS
from paylab.spec.operations.refusals import read_status_code
from paylab.spec.resource import Resource
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.setting import setting_key_of

# What the specification says, typed from it: method, path, success, fields (* is required).
STATED = {
    "individuals.create": (
        "POST /v1/individuals",
        "product_types given_name family_name country email phone date_of_birth address document "
        "idv_consent_recorded_at financial_accounts",
    ),
    "individuals.submit_token": (
        "POST /v1/individuals/{id}/verification_token 202",
        "provider* token* applicant_id* partner_terms_accepted_at*",
    ),
    "individuals.upload_images": (
        "POST /v1/individuals/{id}/verification_images 200",
        "images*",
    ),
    "financial_accounts.create": (
        "POST /v1/financial_accounts 201",
        "individual_id* type* details*",
    ),
    "financial_accounts.update": ("POST /v1/financial_accounts/{id} 201", "details*"),
    "transfers.create": (
        "POST /v1/transfers",
        "source_amount source_currency destination_currency financial_account payout_method",
    ),
    "transfers.list": ("GET /v1/transfers 200", "limit cursor product_type"),
    "conversions.list": ("GET /v1/conversions 200", "limit cursor"),
    "conversion_accounts.create": (
        "POST /v1/conversion_accounts 201 202",
        "source_currency* payout_account*",
    ),
    "conversion_accounts.get": ("GET /v1/conversion_accounts/{id} 200", ""),
    "sandbox.deposit": ("POST", "conversion_account_id* amount* currency* sender_name"),
    "webhook_subscriptions.create": ("POST /v1/webhook_subscriptions", "url* event_types*"),
}
# The fields that rest on an assumption, in the same notation.
ASSUMED = {
    "transfers.create": "financial_account_id source_network destination_amount net_source_amount "
    "quote_id source_type client_reference_id",
    "conversion_accounts.create": "individual_id* payout_account_id destination_currency "
    "client_reference_id",
}
RULES = {
    "individuals.create": individuals.check,
    "quotes.create": transfers.check_quote,
    "transfers.create": transfers.check,
    "conversion_accounts.create": deposits.check_account,
    "financial_accounts.create": accounts.check,
    "sandbox.deposit": deposits.check,
    "webhook_subscriptions.create": webhooks.check,
}


@pytest.mark.parametrize("name", STATED)
def test_the_record_says_what_the_specification_says(name):
    """Method, path, success and the fields of each shown operation, none more and none less."""
    operation, (line, fields) = OPERATIONS[name], STATED[name]
    method, *path = line.split()
    own = operation.fields or operation.query
    stated = [*fields.split(), *ASSUMED.get(name, "").split()]
    assert operation.method == method
    assert path[:1] in ([], [operation.path(Service())])
    assert path[1:] in ([], [str(status) for status in operation.success])
    assert {field.name for field in own} == {word.rstrip("*") for word in stated}
    wanted = {word.rstrip("*") for word in stated if word.endswith("*")}
    assert {field.name for field in own if field.required and field.source == "spec"} == {
        name for name in wanted if name in fields.replace("*", "").split()
    }
    unshown = {word.rstrip("*") for word in ASSUMED.get(name, "").split()}
    assert {field.name for field in own if field.source not in ("spec", "individual.required")} == (
        unshown
    )


def dotted(fields, at=""):
    """Each field with its dotted name, at any depth."""
    for field in fields:
        yield f"{at}{field.name}", field
        yield from dotted(field.fields, f"{at}{field.name}.")


FIELDS = [pair for each in OPERATIONS.values() for pair in dotted(each.fields)]
LINES = {f"address.{line}" for line in ("line_1", "line_2", "city", "state", "postal_code")}
NAMES = {"given_name", "family_name", "email", "phone", "date_of_birth"}


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("personal", LINES | NAMES | {"applicant_id", "sender_name"}),
        ("secret", {"document.number", "images.content", "token"}),
        ("echoed", NAMES | {"idv_consent_recorded_at", "client_reference_id"}),
        ("length_limit", {"client_reference_id", "token"}),
        ("may_be_empty", LINES | {"sender_name"}),
    ],
)
def test_what_is_personal_secret_echoed_or_empty(mark, names):
    """Each mark stands at these fields and at no other."""
    assert {name for name, field in FIELDS if getattr(field, mark)} == names


def test_what_is_required_inside_objects_and_by_assumptions():
    """A document and an image have a type; of the address only an assumption asks for more."""
    required = {name for name, field in FIELDS if "." in name and field.required}
    accounts = {"financial_accounts.type", "financial_accounts.details"}
    assert required == {"document.type", "images.type", "images.content", *accounts}
    assumed = {
        name: {field.name for field in each.fields if field.required and field.source != "spec"}
        for name, each in OPERATIONS.items()
    }
    assert {name: fields for name, fields in assumed.items() if fields} == {
        "individuals.create": {"product_types", "given_name", "family_name", "country", "address"},
        "quotes.create": {"payout_method", "destination_currency"},
        "conversion_accounts.create": {"individual_id"},
    }


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("is_idempotent", {"transfers.create", "conversion_accounts.create"}),
        ("is_sandbox", {"sandbox.deposit"}),
        ("is_shown", {"transfers.list", "conversions.list"}),
    ],
)
def test_what_an_operation_is(mark, names):
    """Two orders take a key, one operation is for the sandbox, the spec shows two answers."""
    assert {name for name, each in OPERATIONS.items() if getattr(each, mark)} == names


@pytest.mark.parametrize(
    ("name", "call", "body"),
    [
        ("transfers.create", "createTransfer", "TransferInput"),
        ("transfers.list", "listTransfers", ""),
        ("conversion_accounts.get", "getConversionAccount", ""),
        ("financial_accounts.update", "updateFinancialAccount", "AccountUpdate"),
        ("individuals.submit_token", "submitVerificationToken", "VerificationToken"),
        ("sandbox.deposit", "simulateDeposit", "DepositInput"),
    ],
)
def test_the_names_of_a_generated_client(name, call, body):
    """The function and its argument, stated or made from the resource, verb and answer."""
    operation = OPERATIONS[name]
    assert (operation.call_name, operation.body_name) == (call, body)


def test_a_refusal_has_a_status_of_the_specification():
    """Statuses are those of the table of errors, or settings."""
    found = {each.status for operation in OPERATIONS.values() for each in operation.refusals}
    assert {status for status in found if isinstance(status, int)} == {400, 403, 404, 422}
    assert all(isinstance(Service().value(key), int) for key in found if isinstance(key, str))


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_record_names_what_exists(operation):
    """Kinds, sources, settings, resources and models that a record names exist."""
    resources = {each.resource for each in OPERATIONS.values()}
    rows = {row.id for row in assumptions.ALL}
    for field in operation.walk():
        assert field.source == "spec" or field.source in rows
        assert (field.kind in (ID, REFERENCE)) == (field.to in resources)
        assert (
            field.setting is None
            or setting_key_of(field.setting) in setting_keys()
            or field.setting(Service())
        )
        assert isinstance(field.length_max(Service()), int)
        assert field.words or field.setting or field.kind not in (ENUM, CURRENCY)
        assert field.kind != DETAILS or field.name == "details"
    for each in operation.references:
        assert operation.by_name[each.id_name].to == each.to
    statuses = [read_status_code(each, Service()) for each in operation.success]
    assert all(isinstance(status, int) for status in statuses)
    assert issubclass(getattr(models, operation.answer or "Transfer"), Resource)
    tables = {key.rpartition(".")[0] for key in setting_keys() if ".fields." in key}
    assert setting_key_of(operation.names) in {"", *tables}


@pytest.mark.parametrize("name", RULES)
def test_the_example_of_a_record_is_accepted_by_the_rules(name):
    """A body made of the examples has no problem, and without a required field it has one."""
    operation, check = OPERATIONS[name], RULES[name]
    body = operation.example
    assert check(body) == []
    for field in operation.fields:
        if field.required:
            short = {key: value for key, value in body.items() if key != field.name}
            assert any(problem.field.startswith(field.name) for problem in check(short))


@pytest.mark.parametrize("name", RULES)
def test_the_rules_check_the_kind_of_every_field(name):
    """A list in a field that takes none, or a number for a list, is a problem of that field."""
    operation, check = OPERATIONS[name], RULES[name]
    for field in operation.fields:
        others = {each.name for each in operation.references if each.id_name == field.name}
        body = {key: value for key, value in operation.example.items() if key not in others}
        found = check({**body, field.name: 7 if field.kind == LIST else [7]})
        assert any(problem.field.startswith((field.name, *others)) for problem in found), field.name


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_amounts_and_currencies_are_told_by_their_names(operation):
    """A field of the kind amount ends in amount, a currency in currency, and no other does."""
    for kind in (AMOUNT, CURRENCY):
        named = {field.name for field in operation.fields if field.name.endswith(kind)}
        assert named == {*operation.field_names_of_kind(kind)}


def test_every_list_can_have_settings_of_its_own():
    """The lists with settings of their own are those that an operation lists."""
    own = [name.split(".") for name in setting_keys() if name[:6] == "lists."]
    assert tuple(dict.fromkeys(parts[1] for parts in own if len(parts) > 2)) == LISTED_RESOURCES
