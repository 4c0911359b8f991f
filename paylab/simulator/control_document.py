"""The control API of a served simulator as an OpenAPI 3.1 document of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from ..openapi import prose
from ..openapi.schemas import Schema, open_object
from ..spec.route import PLACEHOLDER, Route
from ..spec.text import JsonObject
from .control_table import LINES, Curl
from .fault_kinds import FAULT_DETAILS, FAULT_KINDS
from .routing import CONTROLS, WORLDS

VERSION = "3.1.0"
ABOUT = """\
Controls of a simulator that `paylab simulator` serves: its clock, objects, faults, events and
journal. They take the control token, which `paylab simulator --json` prints."""

_JSON = "application/json"
_ERROR = {"$ref": "#/components/schemas/ControlError"}
_TEXT: Schema = {"type": "string"}
_INTEGER: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_SWITCH: Schema = {"type": "boolean"}
_OBJECT: Schema = {"type": "object"}
_TEXT_LIST: Schema = {"type": "array", "items": _TEXT}


class ControlForm(NamedTuple):
    """The body of a control, and its answer: the status, and whether it is a list.

    Controls that take any fields have no `fields`.
    """

    fields: Mapping[str, Schema] = {}
    required: tuple[str, ...] = ()
    status: int = HTTPStatus.OK
    is_list: bool = False


_FAULT: Mapping[str, Schema] = {
    "kind": {"type": "string", "enum": list(FAULT_KINDS)},
    **{name: {} for name in FAULT_DETAILS},
    **dict.fromkeys(("method", "path", "content_type", "operation", "event_type"), _TEXT),
    **dict.fromkeys(("status", "times", "every", "seed", "cut_after"), _INTEGER),
    **dict.fromkeys(("retry_after", "probability", "seconds", "delay", "slow"), _NUMBER),
    "headers": _OBJECT,
}
_ADDED: Mapping[str, Schema] = {"country": _TEXT, "events": _SWITCH}

FORMS: Mapping[str, ControlForm] = {
    "seed": ControlForm(dict.fromkeys(("individuals", "transfers", "conversions"), _INTEGER)),
    "add_person": ControlForm(
        {**_ADDED, "verified": _SWITCH, "outcomes": _TEXT_LIST, "given_name": _TEXT},
        status=HTTPStatus.CREATED,
    ),
    "add_account": ControlForm({**_ADDED, "individual_id": _TEXT}, status=HTTPStatus.CREATED),
    "move_object": ControlForm({"to": _TEXT, "reason": _TEXT, "force": _SWITCH}, required=("to",)),
    "clock": ControlForm(
        {
            "advance": {"type": ["string", "number"]},
            "advance_seconds": _NUMBER,
            "frozen": _SWITCH,
            "speed": _NUMBER,
        }
    ),
    "pay_in": ControlForm({"amount": _TEXT, "currency": _TEXT}, required=("amount",)),
    "funds": ControlForm(is_list=True),
    "coin_returns": ControlForm(is_list=True),
    "scenarios": ControlForm(is_list=True),
    "add_fault": ControlForm(_FAULT, required=("kind",), status=HTTPStatus.CREATED),
    "list_faults": ControlForm(is_list=True),
    "remove_fault": ControlForm(status=HTTPStatus.NO_CONTENT),
    "clear_faults": ControlForm(status=HTTPStatus.NO_CONTENT),
    "requests": ControlForm(is_list=True),
    "journal": ControlForm(is_list=True),
    "name_test": ControlForm({"name": _TEXT, "expects": _TEXT}, required=("name",)),
    "events": ControlForm(is_list=True),
    "send_event": ControlForm(
        {"event_type": _TEXT, "resource_id": _TEXT, "payload": _OBJECT},
        required=("event_type",),
        status=HTTPStatus.CREATED,
    ),
    "deliveries": ControlForm(is_list=True),
    "deliver": ControlForm({"paused": _SWITCH, "redeliver": _TEXT}),
    "create_world": ControlForm(
        {
            "seed": _INTEGER,
            "strict": _SWITCH,
            "frozen": _SWITCH,
            "start": _TEXT,
            "service": _OBJECT,
        },
        status=HTTPStatus.CREATED,
    ),
    "end_world": ControlForm(status=HTTPStatus.NO_CONTENT),
}
"""The controls with a body, a list, or another status than 200; the others return an object."""


def control_document() -> JsonObject:
    """The control API as OpenAPI 3.1, ready for JSON.

    >>> from paylab.simulator.control_document import control_document
    >>> sorted(control_document()["paths"])[:2]
    ['/_simulator', '/_simulator/accounts']
    """
    operations_by_path: dict[str, Any] = {}
    for tag_name, routes in (("Controls", CONTROLS), ("Worlds", WORLDS)):
        for route in routes:
            operations_by_path.setdefault(route.template, {})[route.method.lower()] = (
                _make_operation(route, tag_name)
            )
    return {
        "openapi": VERSION,
        "info": {
            "title": "Controls of the paylab simulator",
            "version": "v1",
            "description": ABOUT,
            "contact": {"name": "paylab"},
            "license": prose.LICENSE,
        },
        "servers": [
            {
                "url": "{base_url}",
                "description": "The address of the simulator.",
                "variables": {"base_url": {"default": "http://127.0.0.1:8080"}},
            }
        ],
        "security": [{"controlToken": []}],
        "tags": [
            {"name": "Controls", "description": "What one world does."},
            {"name": "Worlds", "description": "Worlds behind the same port, each with its keys."},
        ],
        "paths": operations_by_path,
        "components": {
            "schemas": {"ControlError": _make_error_schema()},
            "securitySchemes": {
                "controlToken": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The control token of the simulator, or of a world.",
                }
            },
        },
    }


def _make_operation(route: Route, tag: str) -> Schema:
    """The OpenAPI operation of a control; its curl lines are its description and examples."""
    control_name = route.operation.removeprefix("control.")
    control_form = FORMS.get(control_name, ControlForm())
    curl_lines = [curl_line for curl_line in LINES if curl_line.control == control_name]
    name_words = control_name.split("_")
    operation_object: Schema = {
        "operationId": name_words[0] + "".join(name_word.title() for name_word in name_words[1:]),
        "summary": curl_lines[0].does,
        "description": "\n".join(f"- {curl_line.does}." for curl_line in curl_lines),
        "tags": [tag],
    }
    parameters = [*_list_parameters(route, curl_lines)]
    if parameters:
        operation_object["parameters"] = parameters
    if route.method in ("POST", "PUT"):
        operation_object["requestBody"] = _make_request_body(control_form, curl_lines)
    operation_object["responses"] = _make_responses(control_form)
    return operation_object


def _list_parameters(route: Route, curl_lines: list[Curl]) -> Iterator[Schema]:
    """The id in the path, and the parameters that the curl lines show."""
    for parameter_name in PLACEHOLDER.findall(route.template):
        description = "What the path names."
        yield {
            "name": parameter_name,
            "in": "path",
            "required": True,
            "description": description,
            "schema": _TEXT,
        }
    example_by_parameter = {
        parameter_name: parameter_text
        for curl_line in curl_lines
        for parameter_name, parameter_text in parse_qsl(curl_line.query.lstrip("?"))
    }
    for parameter_name, parameter_text in example_by_parameter.items():
        schema = _INTEGER if parameter_text.isdecimal() else _TEXT
        description = f"For example {parameter_text}."
        yield {"name": parameter_name, "in": "query", "description": description, "schema": schema}


def _make_request_body(control_form: ControlForm, curl_lines: list[Curl]) -> Schema:
    """The body of a control, with the bodies of the curl lines as examples."""
    lines_with_body = [curl_line for curl_line in curl_lines if curl_line.body.startswith("{")]
    example_by_name = {
        f"example_{example_number}": {
            "summary": curl_line.does,
            "value": json.loads(curl_line.body),
        }
        for example_number, curl_line in enumerate(lines_with_body, 1)
    }
    json_content: Schema = {"schema": open_object(control_form.fields, control_form.required)}
    if example_by_name:
        json_content["examples"] = example_by_name
    return {"required": bool(control_form.required), "content": {_JSON: json_content}}


def _make_responses(control_form: ControlForm) -> Schema:
    """The response of a success, and the error of each refusal."""
    success_response: Schema = {"description": HTTPStatus(control_form.status).phrase}
    if control_form.status != HTTPStatus.NO_CONTENT:
        answer_schema = {"type": "array", "items": _OBJECT} if control_form.is_list else _OBJECT
        success_response["content"] = {_JSON: {"schema": answer_schema}}
    refusal_response = {
        "description": "Refused: the text says why.",
        "content": {_JSON: {"schema": _ERROR}},
    }
    return {str(int(control_form.status)): success_response, "4XX": refusal_response}


def _make_error_schema() -> Schema:
    """The body of a refusal."""
    problem_schema = open_object({"field": _TEXT, "message": _TEXT}, ("field", "message"))
    errors_schema: Schema = {"type": "array", "items": problem_schema}
    error_schema = open_object({"error": _TEXT, "errors": errors_schema}, ("error",))
    return {"description": "Why a control was refused.", **error_schema}
