"""The operations as objects of the document: parameters, body, responses, origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http import HTTPStatus

from ..spec.operations.field import Field
from ..spec.operations.operation import Operation
from ..spec.operations.refusals import read_status_code
from ..spec.route import PLACEHOLDER, Route
from ..spec.service.lists import OneListSettings
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.text import JsonObject
from . import errors, examples, prose
from .answer_examples import make_answer_examples, make_error_examples
from .answers import AnswerSchemas
from .links import make_links
from .requests import BodySchemas
from .schemas import ReadSetting, Schema, make_list_setting_reader, make_origin_members
from .values import value_schema

_JSON = "application/json"
_ACCEPTED = 202
_NO_CONTENT = 204
_UUID = "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_PARAMETER_DESCRIPTIONS = {
    "limit": "The number of rows of a page.",
    "cursor": "The cursor of an earlier answer.",
    "product_type": "Only transfers of this product.",
}
_PARAMETER_SETTINGS: Mapping[str, Callable[[OneListSettings], str | None]] = {
    "limit": lambda own: own.limit_parameter,
    "cursor": lambda own: own.cursor_parameter,
}


class OperationObjects:
    """The operations of one service as objects of the document."""

    def __init__(self, service: Service, bodies: BodySchemas, answers: AnswerSchemas) -> None:
        """Refer to the schemas of bodies and answers."""
        self._service = service
        self._body_schemas = bodies
        self._answer_schemas = answers

    def operation(self, operation: Operation, route: Route) -> Schema:
        """The object of an operation at its path."""
        operation_object: JsonObject = {
            "operationId": operation.call_name,
            "summary": operation.summary,
            "description": prose.describe_operation(self._service, operation),
            "tags": [prose.tag_name(operation.resource)],
            **make_origin_members(self._service, read=operation.path),
        }
        if operation.is_sandbox:
            operation_object["x-sandbox-only"] = True
        if operation.takes_key(self._service):
            operation_object["x-idempotent"] = True
        if operation.is_list:
            operation_object["x-pagination"] = self._describe_paging(operation)
        parameter_objects = list(self._make_parameters(operation, route))
        if parameter_objects:
            operation_object["parameters"] = parameter_objects
        if operation.fields:
            body_content = {
                "schema": self._body_schemas.body(operation),
                "examples": examples.make_examples(self._service, operation),
            }
            operation_object["requestBody"] = {"required": True, "content": {_JSON: body_content}}
        make_error_example = partial(make_error_examples, self._service, operation)
        operation_object["responses"] = {
            **self._make_success_responses(operation),
            **errors.refusal_responses(self._service, operation, make_error_example),
        }
        return operation_object

    def _make_parameters(self, operation: Operation, route: Route) -> Iterator[Schema]:
        """The parameters of an operation: in its path, in the query, and its Idempotency-Key."""
        for placeholder in PLACEHOLDER.findall(route.template):
            yield {
                "name": placeholder,
                "in": "path",
                "required": True,
                "description": f"The id of the {_name_object(operation, placeholder)}.",
                "schema": {"type": "string", "minLength": 1},
                "x-origin": SPEC,
            }
        for field in operation.query:
            if self._takes_parameter(operation, field):
                yield self._make_query_parameter(operation, field)
        if operation.takes_key(self._service):
            yield self._make_key_parameter()

    def _make_key_parameter(self) -> Schema:
        """The object of the header Idempotency-Key, under the service's name for it."""
        origin_members = make_origin_members(
            self._service, SPEC, lambda service: service.idempotency.key
        )
        return {
            "name": self._service.idempotency.header,
            "in": "header",
            "required": self._service.idempotency.key == "required",
            "description": "A UUID: the same key and body are carried out once in 24 hours.",
            # Not the format uuid: generated clients would put an object into the header.
            "schema": {"type": "string", "pattern": _UUID},
            **origin_members,
        }

    def _takes_parameter(self, operation: Operation, field: Field) -> bool:
        """Whether a service takes a query parameter of the spec.

        A list that is a bare array takes none, and some lists take no limit.
        """
        if not operation.is_list:
            return True
        list_form = self._service.list(operation.resource)
        if list_form.is_array:
            return False
        return field.name != "limit" or "limit" in list_form.parameters

    def _make_query_parameter(self, operation: Operation, field: Field) -> Schema:
        """The object of a query parameter, under the service's name for it."""
        list_form = self._service.list(operation.resource)
        name_by_parameter = {
            "limit": list_form.limit_parameter,
            "cursor": list_form.cursor_parameter,
        }
        parameter_schema = value_schema(self._service, field)
        if field.name == "limit":
            parameter_schema |= {"minimum": 1, "default": list_form.default_limit}
            if list_form.over_limit == "refuse":
                parameter_schema["maximum"] = list_form.max_limit
        return {
            "name": name_by_parameter.get(field.name, field.name),
            "in": "query",
            "description": _PARAMETER_DESCRIPTIONS[field.name],
            "required": False,
            "schema": parameter_schema,
            **self._make_parameter_origin(operation, field.name),
        }

    def _make_parameter_origin(self, operation: Operation, parameter_name: str) -> Schema:
        """The members that say where a query parameter comes from.

        A service can name some parameters by a setting: then the origin may be the user.
        """
        read_name_setting = None
        if parameter_name in _PARAMETER_SETTINGS:
            read_setting = _PARAMETER_SETTINGS[parameter_name]
            read_name_setting = make_list_setting_reader(operation, read_setting)
        return make_origin_members(
            self._service, assumption_id=_list_source(operation), read=read_name_setting
        )

    def _describe_paging(self, operation: Operation) -> Schema:
        """Describe how a list is paged, as data for generators of clients.

        The members are the keys of the answer, the parameters, the order of the rows, and the
        origin of the key that has the rows.
        """
        list_form = self._service.list(operation.resource)
        read_rows_key = make_list_setting_reader(operation, lambda settings: settings.items)
        origin_members = make_origin_members(self._service, "list.envelope", read_rows_key)
        if list_form.is_array:
            return {"kind": "none", "order": list_form.order, **origin_members}
        return {
            "kind": "cursor",
            "answer": {
                "rows": list_form.items,
                "has_next": list_form.more,
                "next_cursor": list_form.cursor,
            },
            "parameters": list_form.parameters,
            "order": list_form.order,
            **origin_members,
        }

    def _make_success_responses(self, operation: Operation) -> Schema:
        """The responses of a success by status; a status can be a setting."""
        response_by_status = {}
        for success_status in operation.success:
            status_code = read_status_code(success_status, self._service)
            read_status = None if isinstance(success_status, int) else success_status
            response_by_status[str(status_code)] = self._make_success_response(
                operation, status_code, read_status
            )
        return response_by_status

    def _make_success_response(
        self, operation: Operation, status: int, read_status: ReadSetting | None
    ) -> Schema:
        """The response of a success with its headers and its content."""
        response_object: Schema = {
            "description": _describe_success(operation, status),
            **make_origin_members(self._service, read=read_status),
        }
        if status in self._service.idempotency.stored and operation.takes_key(self._service):
            description_text = "`true` when the stored answer of an Idempotency-Key is returned."
            header_object = {"description": description_text, "schema": {"type": "string"}}
            response_object["headers"] = {"Idempotency-Replayed": header_object}
        if status == _NO_CONTENT:
            return response_object
        response_object["content"] = {_JSON: {"schema": self._make_content_schema(operation)}}
        answer_examples = make_answer_examples(self._service, operation, status)
        if answer_examples:
            response_object["content"][_JSON]["examples"] = answer_examples
        link_by_name = make_links(self._service, operation)
        if link_by_name:
            response_object["links"] = link_by_name
        return response_object

    def _make_content_schema(self, operation: Operation) -> Schema:
        """The schema of the page or the object that an operation returns."""
        if operation.is_list:
            list_form = self._service.list(operation.resource)
            return self._answer_schemas.page(operation, list_form, _list_source(operation))
        if operation.answer:
            model_schema = self._answer_schemas.model(operation.answer)
            return self._answer_schemas.put_under_item_key(operation, model_schema)
        return {"type": "object"}


def _list_source(operation: Operation) -> str:
    """The source of the fields of a list: the spec, or the id of an assumption."""
    return SPEC if operation.is_shown else "individual.list"


def _describe_success(operation: Operation, status: int) -> str:
    """Say what a successful answer is: "Created: the Transfer." for 201."""
    status_phrase = HTTPStatus(status).phrase
    if operation.is_list:
        return f"{status_phrase}: a page of the list."
    if not operation.answer:
        return f"{status_phrase}."
    wait_note = " It is not ready yet: read it again until it is." if status == _ACCEPTED else ""
    return f"{status_phrase}: the {operation.answer}.{wait_note}"


def _name_object(operation: Operation, placeholder: str) -> str:
    """The noun for the object whose id a placeholder in the path is: "financial account"."""
    if operation.is_sandbox or placeholder != "id":
        return "conversion account"
    return operation.resource.removesuffix("s").replace("_", " ")
