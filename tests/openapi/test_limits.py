"""The limits of a schema, in the words of a problem."""

from __future__ import annotations

import json

import pytest

from paylab.openapi.validation import Contract
from paylab.spec.service import Service

JSON = "application/json"
LIMITS = [
    ({"const": True}, "must be true"),
    ({"const": "a"}, "must be a"),
    ({"enum": ["a", None, False, 1.5]}, "must be one of a, null, false, 1.5"),
    ({"const": {"a": None}}, 'must be {"a": null}'),
    ({"minimum": 5}, "must be at least 5"),
    ({"uniqueItems": True}, "must keep uniqueItems true"),
]


@pytest.mark.parametrize(("schema", "message"), LIMITS)
def test_a_limit_is_written_as_json_has_it(schema, message):
    """Values of JSON have the spelling of JSON, and a text has no quotes."""
    schema_of_200 = {"content": {JSON: {"schema": schema}}}
    operation = {"parameters": [], "responses": {"200": schema_of_200}}
    contract = Contract(Service(), {"paths": {"/v1/transfers": {"get": operation}}})
    body = json.dumps([1, 1] if "uniqueItems" in schema else 0).encode()
    problems = contract.answer_problems("GET", "/v1/transfers", 200, JSON, body)
    assert [problem.message for problem in problems] == [message]
