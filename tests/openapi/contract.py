"""Random requests to a strict simulator, and what must hold of the answers."""

from __future__ import annotations

import base64
import copy
from collections import Counter
from datetime import timedelta
from functools import cache

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from pool import Pool
from schemathesis.checks import load_all_checks
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks
from stage import Stage

from paylab.openapi import document
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service

load_all_checks()
POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
ANSWERS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
IMAGE = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(10_240)).decode()
JSON = "application/json"


def closed(schema):
    """A schema without other fields or words, so that an undocumented one is found."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(each) for key, each in schema.items()}
    if "x-extensible-enum" in made:
        made["enum"] = made["x-extensible-enum"]
    if "properties" in made and made.get("type") == "object":
        made["additionalProperties"] = False
    return made


@cache
def contract(service=None):
    """The document with closed answers, loaded by schemathesis."""
    made = copy.deepcopy(document(service or Service()))
    del made["security"], made["components"]["securitySchemes"]  # every request is signed here
    schemas = made["components"]["schemas"]
    made["components"]["schemas"] = {
        name: schema if name == "ErrorResponse" else closed(schema)
        for name, schema in schemas.items()
    }
    return made, schemathesis.openapi.from_dict(made)


class Prover:
    """Sends the cases of one operation, with the ids of real objects."""

    def __init__(self, operation: str) -> None:
        self.record = OPERATIONS[operation]
        self.stage = Stage()
        route = next(each for each in self.stage.service.routes if each.operation == operation)
        self.made, loaded = contract()
        self.route = route
        self.operation = loaded[route.template][route.method]
        there = self.made["paths"][route.template][route.method.lower()]
        self.responses = there["responses"]
        self.validator = None
        if "requestBody" in there:
            schema = there["requestBody"]["content"][JSON]["schema"]
            whole = {**schema, "components": self.made["components"]}
            self.validator = Draft202012Validator(
                whole, format_checker=Draft202012Validator.FORMAT_CHECKER
            )
        self.pool = Pool(self.stage)
        self.statuses = Counter()
        self._turn = 0

    def check(self, case) -> None:
        """Send a case, and check the answer."""
        self._use_ids(case)
        response = send(self.stage, case)
        self.statuses[response.status_code] += 1
        assert response.status_code < 500, response.text
        case.validate_response(response, checks=ANSWERS)
        self._check_verdict(case, response)

    def _use_ids(self, case) -> None:
        """Put the ids of real objects, and an image, in place of random ones."""
        self._turn += 1
        name, turn = self.record.name, self._turn
        modes = {place: each.mode for place, each in case.meta.components.items()}
        body, is_object = case.body, isinstance(case.body, dict)
        if turn % 2 and case.query and modes.get(ParameterLocation.QUERY) is POSITIVE:
            case.query.pop("cursor", None)  # a random one is always refused
        if case.path_parameters and modes.get(ParameterLocation.PATH) is not NEGATIVE:
            found = self.pool.of_path(name, turn)
            details = body.get("details") if is_object else None
            if name == "financial_accounts.update" and isinstance(details, dict) and turn % 2:
                found = self.pool.updated(details)
            case.path_parameters = dict.fromkeys(case.path_parameters, found)
        if not is_object:
            return
        for field in self.record.fields:
            self._use_id(body, field, turn)
        if turn % 2 and not [*self.validator.iter_errors(body)]:
            body |= self.pool.fitting(name, body, turn)
        for image in self._images(body):
            if isinstance(image.get("content"), str) and image["content"].startswith("data:"):
                image["content"] = IMAGE

    def _images(self, body):
        listed = body.get("images") if self.record.name == "individuals.upload_images" else ()
        there = listed if isinstance(listed, list) else ()
        return [each for each in there if isinstance(each, dict)]

    def _use_id(self, body, field, turn) -> None:
        value = body.get(field.name)
        if not field.to:
            return
        if isinstance(value, str) and value.strip():
            body[field.name] = self.pool.any(field.to, turn)
        elif isinstance(value, dict) and isinstance(value.get("id"), str) and value["id"].strip():
            value["id"] = self.pool.any(field.to, turn)

    def _check_verdict(self, case, response) -> None:
        """A body that is valid is accepted or explained; one that is invalid is refused."""
        modes = {name: each.mode for name, each in case.meta.components.items()}
        others = [mode for name, mode in modes.items() if name is not ParameterLocation.BODY]
        if self.validator is not None and isinstance(case.body, dict):
            wrong = [each.message for each in self.validator.iter_errors(case.body)]
            if wrong:
                assert not response.is_success, (case.body, wrong)
                return
        elif self.validator is not None:
            assert not response.is_success, case.body
            return
        if NEGATIVE in others or response.is_success:
            return
        assert self._explains(response), (case.body, case.query, response.text)

    def _explains(self, response) -> bool:
        """Whether the rules of the document name the fields of a refusal."""
        rules = self.responses[str(response.status_code)]["x-rules"]
        named = [place for rule in rules for place in rule.get("fields", ())]
        listed = response.json().get("errors")
        if response.status_code != 400:
            return bool(rules)
        if not listed:
            own = {each.when for each in self.record.refusals}
            return any(rule["when"] in own or "cursor" in rule.get("fields", ()) for rule in rules)
        fields = [each["field"] for each in listed]
        return all(any(f"{at}.".startswith(f"{place}.") for place in named) for at in fields)


def send(stage, case):
    """The answer of a stage to a case."""
    sent = case.as_transport_kwargs(base_url="http://localhost")
    names = ("params", "json", "data", "headers")
    given = {name: sent[name] for name in names if sent.get(name) is not None}
    if isinstance(given.get("data"), bytes):
        given["content"] = given.pop("data")
    response = stage.http.request(sent["method"], sent["url"], **given)
    response.elapsed = timedelta()
    return response


def prove(operation: str, valid: int, invalid: int) -> Counter:
    """Send so many requests; the number of answers by status."""
    prover = Prover(operation)
    for mode, examples in ((POSITIVE, valid), (NEGATIVE, invalid)):
        if mode is NEGATIVE and not (prover.validator or prover.operation.query):
            continue  # nothing of it can be invalid
        _run(prover, mode, examples)
    return prover.statuses


def make_settings(examples: int, **further):
    """Settings of so many examples, the same ones each time."""
    return settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        **further,
    )


def _run(prover: Prover, mode, examples: int) -> None:
    @make_settings(examples)
    @given(case=prover.operation.as_strategy(generation_mode=mode))
    def check(case):
        prover.check(case)

    check()


def follow_links(examples: int) -> Counter:
    """Go from operation to operation by the links; the number of answers by operation and status.

    There are objects from the start, so that the first page of a list links to one.
    """
    stage = Stage()
    Pool(stage)
    answers = Counter()
    _, loaded = contract()

    class Machine(loaded.as_state_machine()):
        """Sends each step to the stage."""

        def call(self, case, **_):
            response = send(stage, case)
            answers[case.operation.definition.raw["operationId"], response.status_code] += 1
            return Response.from_httpx(response, verify=True)

        def validate_response(self, response, case, **_):
            assert response.status_code < 500, response.text
            case.validate_response(response, checks=ANSWERS)

    Machine.run(settings=make_settings(examples, stateful_step_count=8))
    return answers
