"""The examples of the document: each is valid by its schema, and accepted by a fresh world."""

from __future__ import annotations

import json
import uuid

import pytest
import store_answers
from jsonschema import Draft202012Validator
from stage import ID, Stage

from paylab.openapi import document
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys

SAMPLE = (
    {},
    {
        "amounts.requests": "number",
        "amounts.answers": "number",
        "currencies.case": "lower",
        "paths.sandbox_deposits": "/v1/conversion_accounts/{id}/deposits",
        "financial_accounts.MX.bank_account.fields.clabe": "account_number",
        "paths.quotes": "none",
    },
    {
        "quotes.fields.financial_account_id": "financial_account_id",
        "conversion_accounts.fields.payout_account_id": "payout_account_id",
        "transfers.required": ["client_reference_id"],
        "requests.unknown_fields": "refuse",
        "financial_accounts.crypto_wallet.fields.network": "chain",
        "currencies.case": "upper",
    },
    {
        "extra": {
            "individuals.create": {"purpose": "P01", "meta": {"source": {"app": "x"}}},
            "quotes.create": {"purpose": "P02"},
            "transfers.create": {"purpose": "P02"},
            "conversion_accounts.create": {"wallet": {"kind": "own"}},
            "sandbox.deposit": {"note": "x"},
        },
        "financial_accounts.fields.individual_id": "owner.customer.id",
        "quotes.fields.financial_account_id": "to.account",
        "quotes.fields.source_amount": "money.value",
        "transfers.fields.financial_account_id": "to.id",
        "conversion_accounts.fields.individual_id": "individual.id",
        "conversion_accounts.fields.payout_account_id": "wallet.id",
        "sandbox_deposits.fields.amount": "money.value",
        "objects.item": "result.object",
        "objects.individuals.item": "individual",
        "objects.missing": "null",
        "lists.items": "result.rows",
        "idempotency.operations": "every_post",
        "idempotency.key": "required",
    },
    {"objects.missing": "absent"},
    {"signing.base_path": "/payments"},
)


def variants():
    """Every service that differs by one value from the usual one."""
    for name, key in setting_keys().items():
        for value in key.others:
            yield {name: list(value) if isinstance(value, tuple) else value}


def with_bodies(service):
    """The routes of the operations with a body that somebody can use."""
    unused = () if service.verification.token_countries else ("individuals.submit_token",)
    return {
        route.operation: route
        for route in service.routes
        if OPERATIONS[route.operation].fields and route.operation not in unused
    }


def posted(stage, made):
    """Send every example to a world; the answers by operation and example."""
    routes = with_bodies(stage.service)
    for name, route in routes.items():
        there = made["paths"][route.template][route.method.lower()]
        content = there["requestBody"]["content"]["application/json"]
        for key, example in content["examples"].items():
            body = example["value"]
            assert problems(made, content["schema"], body) == [], (name, key)
            path = route.template
            if "{" in path:
                path = path.partition("{")[0] + stage.of_path(name, key) + path.partition("}")[2]
            ids = stage.named(name, key)
            text = ID.sub(lambda hit, ids=ids: ids[hit[0].partition("_")[0]], json.dumps(body))
            keyed = {"idempotency-key": str(uuid.uuid4())} if there.get("x-idempotent") else {}
            head = {"content-type": "application/json", **keyed}
            answer = stage.http.request(route.method, path, content=text, headers=head)
            yield name, key, answer, there["responses"]


def problems(made, schema, body):
    """What a body has that its schema does not allow."""
    whole = {**schema, "components": made["components"]}
    return [each.message for each in Draft202012Validator(whole).iter_errors(body)]


def check_examples(service):
    """Every example is valid and accepted, and its answer has the documented form."""
    made, seen = document(service), set()
    for name, key, answer, responses in posted(Stage(service), made):
        assert answer.is_success, (name, key, answer.text)
        documented = responses[str(answer.status_code)]
        if "content" in documented:
            schema = documented["content"]["application/json"]["schema"]
            assert problems(made, schema, answer.json()) == [], (name, key, answer.text)
        seen.add(name)
    assert seen == with_bodies(service).keys()


@pytest.mark.parametrize("values", SAMPLE, ids=lambda values: next(iter(values), "usual"))
def test_every_example_is_accepted(values):
    """A strict world accepts each example, and answers as the document says."""
    check_examples(Service().with_values(values))


def examples_of_answers(made):
    """Every example of an answer, with its place and the schema that it should have."""
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                for content in response.get("content", {}).values():
                    for name, example in content.get("examples", {}).items():
                        yield (
                            f"{method} {path} {status} {name}",
                            content["schema"],
                            example["value"],
                        )


@pytest.mark.parametrize("values", SAMPLE, ids=lambda values: next(iter(values), "usual"))
def test_every_example_of_an_answer_is_valid(values):
    """Every answer with a body has an example, in the names and the form of the service."""
    made = document(Service().with_values(values))
    places = set()
    for place, schema, answer in examples_of_answers(made):
        assert problems(made, schema, answer) == [], place
        places.add(place.rpartition(" ")[0])
    successes = {
        f"{method} {path} {status}"
        for path, methods in made["paths"].items()
        for method, operation in methods.items()
        for status, response in operation["responses"].items()
        if status < "300" and "content" in response
    }
    assert successes <= places


def test_the_stored_answers_are_those_of_the_simulator():
    """If this fails, run `.venv/bin/python tests/openapi/store_answers.py` and look at the diff."""
    stored = json.loads(store_answers.FILE.read_text())
    command = ".venv/bin/python tests/openapi/store_answers.py"
    assert stored == store_answers.record(), f"run `{command}` and look at the diff"


def test_links_lead_to_operations_by_what_the_answer_has():
    """Each link names an operation and its parameter, and the answer has the value."""
    made = document()
    operations = {
        operation["operationId"]: operation
        for methods in made["paths"].values()
        for operation in methods.values()
    }
    linked = set()
    for name, operation in operations.items():
        for response in operation["responses"].values():
            for link in response.get("links", {}).values():
                [(parameter, expression)] = link["parameters"].items()
                target = operations[link["operationId"]]
                assert parameter in {each["name"] for each in target["parameters"]}
                example = next(iter(response["content"]["application/json"]["examples"].values()))
                pointer = expression.removeprefix("$response.body#/")
                assert has_value_at(example["value"], pointer.split("/")), (name, expression)
                linked.add((name, link["operationId"]))
    assert {
        ("createTransfer", "getTransfer"),
        ("createIndividual", "uploadVerificationImages"),
        ("createConversionAccount", "getConversionAccount"),
        ("createWebhookSubscription", "deleteWebhookSubscription"),
        ("listTransfers", "listTransfers"),
    } <= linked


def has_value_at(answer, steps):
    """Whether an answer has a member, null too, at a JSON pointer."""
    *groups, leaf = steps
    for step in groups:
        answer = answer[int(step)] if isinstance(answer, list) else answer[step]
    return leaf in answer


@pytest.mark.whole_table
@pytest.mark.parametrize("values", [*variants()], ids=str)
def test_every_example_is_accepted_by_each_service(values):
    """The same for each value that a service can have."""
    check_examples(Service().with_values(values))
