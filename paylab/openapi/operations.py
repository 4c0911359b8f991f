"""The operations as objects of the document: parameters, body, responses, origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from ..spec.operations.field import Field
from ..spec.operations.operation import Operation
from ..spec.operations.refusals import number_of
from ..spec.route import PLACEHOLDER, Route
from ..spec.service.lists import OneListSettings
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from . import errors, examples, prose
from .answers import AnswerSchemas
from .requests import BodySchemas
from .schemas import ReadSetting, Schema, list_setting, origin
from .values import value

_JSON = "application/json"
_ACCEPTED = 202
_NO_CONTENT = 204
_UUID = "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_ABOUT = {
    "limit": "The number of rows of a page.",
    "cursor": "The cursor of an earlier answer.",
    "product_type": "Only transfers of this product.",
}
_PARAMETERS: Mapping[str, Callable[[OneListSettings], str | None]] = {
    "limit": lambda own: own.limit_parameter,
    "cursor": lambda own: own.cursor_parameter,
}


class OperationObjects:
    """The operations of one service as objects of the document."""

    def __init__(self, service: Service, bodies: BodySchemas, answers: AnswerSchemas) -> None:
        self._service = service
        self._bodies = bodies
        self._answers = answers

    def operation(self, record: Operation, route: Route) -> Schema:
        """The object of an operation at its path."""
        operation_object: dict[str, Any] = {
            "operationId": record.call_name,
            "summary": record.summary,
            "tags": [prose.tag(record.resource)],
            **origin(self._service, read=record.path),
        }
        if record.is_sandbox:
            operation_object["x-sandbox-only"] = True
            operation_object["description"] = "In the sandbox only; elsewhere it answers 403."
        if record.takes_key(self._service):
            operation_object["x-idempotent"] = True
        if record.is_list:
            operation_object["x-pagination"] = self._pagination(record)
        if parameters := [*self._parameters(record, route)]:
            operation_object["parameters"] = parameters
        if record.fields:
            content = {
                "schema": self._bodies.body(record),
                "examples": examples.of(self._service, record),
            }
            operation_object["requestBody"] = {"required": True, "content": {_JSON: content}}
        operation_object["responses"] = {
            **self._successes(record),
            **errors.responses(self._service, record),
        }
        return operation_object

    def _parameters(self, record: Operation, route: Route) -> Iterator[Schema]:
        for name in PLACEHOLDER.findall(route.template):
            yield {
                "name": name,
                "in": "path",
                "required": True,
                "description": f"The id of the {_noun(record, name)}.",
                "schema": {"type": "string", "minLength": 1},
                "x-origin": SPEC,
            }
        if not (record.is_list and self._service.list(record.resource).is_array):
            form = self._service.list(record.resource) if record.is_list else None
            has_size = not form or "limit" in form.parameters
            for field in record.query:
                if field.name != "limit" or has_size:
                    yield self._query(record, field)
        if record.takes_key(self._service):
            yield {
                "name": self._service.idempotency.header,
                "in": "header",
                "required": self._service.idempotency.key == "required",
                "description": "A UUID: the same key and body are carried out once in 24 hours.",
                # Not the format uuid: generated clients would put an object into the header.
                "schema": {"type": "string", "pattern": _UUID},
                **origin(self._service, SPEC, lambda service: service.idempotency.key),
            }

    def _query(self, record: Operation, field: Field) -> Schema:
        form = self._service.list(record.resource)
        name = {"limit": form.limit_parameter, "cursor": form.cursor_parameter}.get(
            field.name, field.name
        )
        schema = value(self._service, field)
        if field.name == "limit":
            schema |= {"minimum": 1, "default": form.default_limit}
            if form.over_limit == "refuse":
                schema["maximum"] = form.max_limit
        source = SPEC if record.is_shown else "individual.list"
        about = {"description": _ABOUT[field.name], "required": False}
        parameter = _PARAMETERS.get(field.name)
        facts = origin(
            self._service, source, list_setting(record, parameter) if parameter else None
        )
        return {"name": name, "in": "query", **about, "schema": schema, **facts}

    def _pagination(self, record: Operation) -> Schema:
        form = self._service.list(record.resource)
        read = list_setting(record, lambda own: own.items)
        order = {"order": form.order, **origin(self._service, "list.envelope", read)}
        if form.is_array:
            return {"kind": "none", **order}
        names = {"rows": form.items, "has_next": form.more, "next_cursor": form.cursor}
        return {"kind": "cursor", "answer": names, "parameters": form.parameters, **order}

    def _successes(self, record: Operation) -> Schema:
        """The responses of a success by status; a status can be a setting."""
        answers = {}
        for success in record.success:
            status = number_of(success, self._service)
            read = None if isinstance(success, int) else success
            answers[str(status)] = self._success(record, status, read)
        return answers

    def _success(self, record: Operation, status: int, read: ReadSetting | None) -> Schema:
        description = {"description": self._said(record, status)}
        response: Schema = {**description, **origin(self._service, read=read)}
        if status in self._service.idempotency.stored and record.takes_key(self._service):
            about = "`true` when the stored answer of an Idempotency-Key is returned."
            response["headers"] = {
                "Idempotency-Replayed": {"description": about, "schema": {"type": "string"}}
            }
        if status == _NO_CONTENT:
            return response
        schema: Schema = {"type": "object"}
        if record.is_list:
            source = SPEC if record.is_shown else "individual.list"
            form = self._service.list(record.resource)
            schema = self._answers.page(record, form, source)
        elif record.answer:
            schema = self._answers.held(record, self._answers.model(record.answer))
        return {**response, "content": {_JSON: {"schema": schema}}}

    def _said(self, record: Operation, status: int) -> str:
        """A success in words."""
        phrase = HTTPStatus(status).phrase
        if record.is_list:
            return f"{phrase}: a page of the list."
        wait_note = (
            " It is not ready yet: read it again until it is." if status == _ACCEPTED else ""
        )
        return f"{phrase}: the {record.answer}.{wait_note}" if record.answer else f"{phrase}."


def _noun(record: Operation, placeholder: str) -> str:
    """What the id in a path names."""
    if record.is_sandbox or placeholder != "id":
        return "conversion account"
    return record.resource.removesuffix("s").replace("_", " ")
