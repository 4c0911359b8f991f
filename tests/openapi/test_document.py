"""The OpenAPI document: valid, whole, with an origin everywhere, and the same in both places."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from jsonschema import Draft202012Validator
from stage import Stage

from paylab.cli.main import main
from paylab.client.request import encode
from paylab.corridors import examples
from paylab.openapi import document
from paylab.spec import assumptions, codes
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service

DOCUMENT = document()
ORIGINS = {"spec", "public", "chosen"}
DIALECT = {
    "paths.quotes": "/v1/quote",
    "paths.conversion": "/v1/conversions/{id}",
    "paths.transfer": "none",
    "paths.sandbox_deposits": "/v1/conversion_accounts/{id}/deposits",
    "transfers.fields.client_reference_id": "reference",
    "financial_accounts.MX.bank_account.fields.clabe": "account_number",
    "quotes.fields.financial_account_id": "financial_account_id",
    "conversion_accounts.fields.payout_account_id": "payout_account_id",
    "amounts.requests": "number",
    "amounts.answers": "number",
    "currencies.case": "lower",
    "lists.items": "page.rows",
    "lists.limit_parameter": "page_size",
    "lists.webhook_subscriptions.items": "data",
    "errors.words": "error.message",
    "errors.problems": "error.details",
    "error_codes.validation": 422,
    "success_codes.transfers": 200,
    "success_codes.sandbox_deposits": 204,
    "idempotency.key": "required",
    "signing.empty_query": "blank",
    "webhooks.type_field": "event.type",
    "webhooks.payload_field": "event.data",
    "webhooks.id_field": "event.id",
    "webhooks.event_types": ["transfer.cancelled"],
}


def operations(made):
    """Every operation of a document, with its path."""
    return [
        (f"{method.upper()} {path}", each)
        for path, methods in made["paths"].items()
        for method, each in methods.items()
    ]


def fields(schema, at=""):
    """Every field of a schema and of the objects inside it, with its place."""
    if isinstance(schema, list):
        for each in schema:
            yield from fields(each, at)
    elif isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            yield f"{at}.{name}", inner
        for key, inner in schema.items():
            if key not in ("properties", "allOf", "example", "examples"):
                yield from fields(inner, at)


@pytest.mark.parametrize("service", [Service(), Service().with_values(DIALECT)])
def test_openapi_accepts_the_document(service):
    """OpenAPI 3.1 accepts the document, of the usual service and of one with many deviations."""
    validators = pytest.importorskip("openapi_spec_validator", reason="pip install -e '.[test]'")
    assert list(validators.OpenAPIV31SpecValidator(document(service)).iter_errors()) == []


def test_it_has_every_operation_of_the_service():
    """Each operation that the service has is there once, at its path, and named once."""
    found = dict(operations(DOCUMENT))
    assert set(found) == {f"{route.method} {route.template}" for route in Service().routes}
    names = [each["operationId"] for each in found.values()]
    assert len(set(names)) == len(names)
    assert "createTransfer" in names


def test_every_operation_and_field_has_an_origin():
    """The origin is that of the spec or of an assumption that exists."""
    parts = operations(DOCUMENT)
    for name, schema in DOCUMENT["components"]["schemas"].items():
        parts += fields(schema, name)
    assert [place for place, each in parts if each.get("x-origin") not in ORIGINS] == []
    rows = {row.id for row in assumptions.ALL}
    named = [(place, each) for place, each in parts if each["x-origin"] != "spec"]
    assert [place for place, each in named if each["x-assumption"] not in rows] == []


@pytest.mark.parametrize(
    ("place", "origin"),
    [
        ("IndividualInput.given_name", "public"),
        ("IndividualInput.phone", "spec"),
        ("TransferInput.source_amount", "spec"),
        ("TransferInput.quote_id", "public"),
        ("MXBankAccountDetails.clabe", "chosen"),
        ("Transfer.status", "spec"),
        ("Quote.expires_at", "public"),
        ("Deposit.id", "chosen"),
    ],
)
def test_an_origin_is_that_of_the_assumptions(place, origin):
    """Where a field comes from, typed from the spec and the table of assumptions."""
    name, _, field = place.partition(".")
    assert DOCUMENT["components"]["schemas"][name]["properties"][field]["x-origin"] == origin


def test_it_marks_what_is_special():
    """Sandbox, idempotency and pages are marked, and each event of the spec is a webhook."""
    found = {each["operationId"]: each for _, each in operations(DOCUMENT)}
    assert [name for name, each in found.items() if each.get("x-sandbox-only")] == [
        "simulateDeposit"
    ]
    keyed = {
        name
        for name, each in found.items()
        if any(one["name"] == "Idempotency-Key" for one in each.get("parameters", ()))
    }
    assert keyed == {"createTransfer", "createConversionAccount"}
    assert {"409", "422", "404"} <= found["createTransfer"]["responses"].keys()
    assert set(DOCUMENT["webhooks"]) == set(codes.EVENT_TYPES)
    scheme = DOCUMENT["components"]["securitySchemes"]["signature"]
    assert "canonical request" in scheme["description"]
    assert len(scheme["x-canonical-request"]) == 6


@pytest.mark.parametrize(
    ("operation", "field"),
    [
        ("createIndividual", "idv_consent_recorded_at"),
        ("submitVerificationToken", "partner_terms_accepted_at"),
    ],
)
def test_a_time_before_year_1_in_utc_is_an_explained_refusal(operation, field):
    """0001-01-01T00:29+04:28 is a date-time of JSON Schema and a time that UTC does not have."""
    found = {each["operationId"]: each for _, each in operations(DOCUMENT)}
    rules = found[operation]["responses"]["400"]["x-rules"]
    assert [rule["fields"] for rule in rules if "year 1" in rule["when"]] == [[field]]


@pytest.mark.parametrize(
    ("settings", "currency", "is_valid"),
    [
        ({}, "USD", True),
        ({}, "usd", True),
        ({}, "XXX", False),
        ({"currencies.case": "lower"}, "usd", True),
        ({"currencies.case": "lower"}, "USD", False),
    ],
)
def test_a_currency_is_valid_in_the_case_that_the_service_takes(settings, currency, is_valid):
    """Lists show currencies in upper case and samples in lower case (spec.md, Transfers)."""
    made = document(Service().with_values(settings))
    asked = made["components"]["schemas"]["QuoteInput"]["properties"]["source_currency"]
    check = Draft202012Validator({**asked, "components": made["components"]})
    assert check.is_valid(currency) is is_valid


def test_it_follows_the_service():
    """Paths, names, statuses and forms of a service.toml are those of the document."""
    made = document(Service().with_values(DIALECT))
    found, schemas = dict(operations(made)), made["components"]["schemas"]
    assert "POST /v1/quote" in found
    assert "GET /v1/transfers/{id}" not in found
    assert "reference" in schemas["TransferInput"]["properties"]
    assert "account_number" in schemas["MXBankAccountDetails"]["required"]
    assert "financial_account" not in schemas["QuoteInput"]["properties"]
    assert "payout_account_id" in schemas["ConversionAccountInput"]["required"]
    assert schemas["TransferInput"]["properties"]["source_amount"]["type"] == "number"
    assert schemas["Transfer"]["properties"]["source_amount"]["type"] == "number"
    assert "usd" in schemas["TransferInput"]["properties"]["source_currency"]["enum"]
    assert {"200", "422"} <= found["POST /v1/transfers"]["responses"].keys()
    assert "conversion_account_id" not in schemas["DepositInput"]["properties"]
    assert "transfer.cancelled" in made["webhooks"]
    assert schemas["TransferInput"]["properties"]["reference"]["x-origin"] == "yours"


def test_the_command_and_the_simulator_give_the_same(capsys, tmp_path):
    """The command prints or writes it, and the simulator serves it with its own address."""
    assert main(["openapi"]) == 0
    assert json.loads(capsys.readouterr().out) == DOCUMENT
    path = tmp_path / "service.toml"
    path.write_text('[paths]\nquotes = "/v1/quote"\n')
    assert main(["openapi", "--service", str(path), "--to", str(tmp_path / "o.json")]) == 0
    assert "/v1/quote" in json.loads((tmp_path / "o.json").read_text())["paths"]
    served = Stage().http.get("/_simulator/openapi.json").json()
    assert served == {**DOCUMENT, "servers": [{"url": "/"}]}


def test_every_operation_with_a_body_has_examples():
    """Each body has an example or more, and a name."""
    for operation in OPERATIONS.values():
        assert bool(operation.fields) == bool(operation.body_name)
    bodies = [each["requestBody"] for _, each in operations(DOCUMENT) if "requestBody" in each]
    assert all(each["content"]["application/json"]["examples"] for each in bodies)


IN_PATH = {"paths.sandbox_deposits": "/v1/sandbox/{conversion_account_id}/deposits"}
CURP = {"type": "curp", "number": "BOXW310820HNERXN09"}


@pytest.mark.parametrize(
    ("settings", "required"),
    [({}, ["conversion_account_id", "amount", "currency"]), (IN_PATH, ["amount", "currency"])],
)
def test_a_field_that_the_path_has_is_not_required_in_the_body(settings, required):
    """A deposit names its account once: in its body, or in its path."""
    schemas = document(Service(settings))["components"]["schemas"]
    assert schemas["DepositInput"]["required"] == required


@pytest.mark.parametrize(
    ("body", "change", "is_accepted"),
    [
        ("DocumentInput", CURP, True),
        ("DocumentInput", {**CURP, "number": "BOXW31"}, False),
        ("DocumentInput", {"type": "passport", "number": "BOXW31"}, True),
        ("FinancialAccountEntry", {"type": "bank_account", "details": {"clabe": "0" * 18}}, True),
        ("FinancialAccountEntry", {"type": "pix", "details": {"clabe": "0" * 18}}, False),
        ("IndividualInput", {}, True),
        ("IndividualInput", {"phone": None}, False),
        ("IndividualInput", {"idv_consent_recorded_at": None}, False),
        ("IndividualInput", {"product_types": []}, False),
        ("IndividualInput", {"country": "ZZ"}, False),
    ],
)
def test_what_the_fields_of_a_body_require_of_each_other(body, change, is_accepted):
    """A number of its type, details of their type, and what an on-ramp in Mexico asks for."""
    at = datetime(2026, 1, 31, tzinfo=UTC)
    whole = examples.individual("MX", consent_at=at) if body == "IndividualInput" else {}
    given = {name: value for name, value in {**whole, **change}.items() if value is not None}
    schema = {"$ref": f"#/components/schemas/{body}", "components": DOCUMENT["components"]}
    assert Draft202012Validator(schema).is_valid(json.loads(encode(given))) is is_accepted


@pytest.mark.parametrize(
    ("settings", "path", "query"),
    [
        ({}, "the path as on the request line", "no line without one"),
        ({"signing.signed_path": "unversioned"}, "without its version prefix", "no line"),
        ({"signing.empty_query": "blank"}, "as on the request line", "an empty line without one"),
    ],
)
def test_the_lines_that_are_signed_are_those_of_the_service(settings, path, query):
    """Whoever signs from the document alone signs the path and an absent query as the service."""
    scheme = document(Service(settings))["components"]["securitySchemes"]["signature"]
    _, second, third, *_ = scheme["x-canonical-request"]
    assert path in second
    assert query in third
