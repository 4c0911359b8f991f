"""The document of the control API: valid, with every control, and as the simulator answers."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from paylab.cli.main import main
from paylab.simulator.control_document import FORMS, control_document
from paylab.simulator.control_table import LINES
from paylab.simulator.messages import Request
from paylab.simulator.routing import CONTROLS, WORLDS
from paylab.simulator.simulator import Simulator

DOCUMENT = control_document()
ROUTES = {route.operation.removeprefix("control."): route for route in (*CONTROLS, *WORLDS)}


def operation_of(name):
    """The object of a control."""
    route = ROUTES[name]
    return DOCUMENT["paths"][route.template][route.method.lower()]


def test_it_is_valid_and_has_every_control():
    """OpenAPI 3.1 accepts it, and each control is there once."""
    validators = pytest.importorskip("openapi_spec_validator", reason="pip install -e '.[test]'")
    assert list(validators.OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []
    operations = [each for methods in DOCUMENT["paths"].values() for each in methods.values()]
    assert len({each["operationId"] for each in operations}) == len(ROUTES) == len(operations)
    assert FORMS.keys() <= ROUTES.keys()


def send(simulator, route, body, query="", id_=""):
    """The reply to a control."""
    path = route.template.replace("{id}", id_)
    headers = {"content-type": "application/json"}
    return simulator.respond(
        Request(route.method, path, query, headers, body.encode(), is_trusted=True)
    )


def test_each_line_is_answered_as_documented():
    """Each curl line of the table has documented fields, and its answer the documented form."""
    simulator = Simulator(frozen=False)
    person = send(simulator, ROUTES["add_person"], "{}")
    ids = {"$PERSON": json.loads(person.body)["id"]}
    for line in LINES:
        route = ROUTES[line.control]
        if route in WORLDS or line.body.startswith("@"):
            continue
        id_ = ids.get(line.id, ids.get("fault", ""))
        reply = send(simulator, route, line.body, line.query.lstrip("?"), id_)
        operation = operation_of(line.control)
        assert str(reply.status) in operation["responses"], (line, reply.body)
        if line.body:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            closed = {**schema, "additionalProperties": False}
            assert [*Draft202012Validator(closed).iter_errors(json.loads(line.body))] == [], line
        content = operation["responses"][str(reply.status)].get("content")
        if content:
            answer = json.loads(reply.body)
            Draft202012Validator(content["application/json"]["schema"]).validate(answer)
            if line.control == "add_fault":
                ids["fault"] = answer["id"]


def test_the_command_prints_it(capsys):
    """`--controls` prints this document; together with the other one it is a wrong use."""
    assert main(["openapi", "--controls"]) == 0
    assert json.loads(capsys.readouterr().out) == DOCUMENT
    assert main(["openapi", "--controls", "--service-schema"]) == 2
