"""The whole document: paths, components and webhooks of a service.

Words that several fields share are one schema with a name, and so one type of a generated client.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors.arguments import explain_arguments
from ..spec import codes
from ..spec.operations.records import OPERATIONS, RESOURCES
from ..spec.service.service import Service
from ..spec.text import JsonObject
from . import errors, events, prose
from .answers import AnswerSchemas
from .operations import OperationObjects
from .requests import BodySchemas
from .schemas import Components, ref_to, words_schema

VERSION = "3.1.0"
_SERVER_VARIABLE = {
    "url": "{base_url}",
    "description": "The base address of the service.",
    "variables": {"base_url": {"default": "https://sandbox.example.com"}},
}

_SPEC_ENUMERATIONS: Mapping[str, Sequence[str]] = {
    "AccountType": codes.ACCOUNT_TYPES,
    "Country": codes.COUNTRIES,
    "DestinationCurrency": codes.DESTINATION_CURRENCIES,
    "DocumentType": codes.DOCUMENT_TYPES,
    "ImageSide": codes.IMAGE_SIDES,
    "OnRampCurrency": codes.ON_RAMP_CURRENCIES,
    "PayoutMethod": codes.PAYOUT_METHODS,
    "Product": codes.PRODUCTS,
    "SourceCurrency": codes.SOURCE_CURRENCIES,
}


@explain_arguments
def document(service: Service | None = None, server: str = "") -> JsonObject:
    """The interface of a service as OpenAPI 3.1, ready for JSON; `server` is its base address.

    Without a server, the address is a variable of the document.

    >>> from paylab.openapi import document
    >>> sorted(document()["paths"])[0]
    '/v1/conversion_accounts'
    """
    service = service or Service()
    components = Components()
    body_schemas = BodySchemas(service, components)
    answer_schemas = AnswerSchemas(service, components, body_schemas.details)
    errors.add_schemas(service, components)
    operations_by_path = _make_paths(
        service, OperationObjects(service, body_schemas, answer_schemas)
    )
    webhook_by_event_type = events.make_webhooks(service, components, answer_schemas)
    # Schemas that list the words of an enumeration become references to its named schema.
    words_by_enumeration = _list_enumerations(service)
    enumeration_by_words = {
        words: enumeration_name for enumeration_name, words in words_by_enumeration.items()
    }
    schema_by_enumeration = {
        enumeration_name: words_schema(words)
        for enumeration_name, words in words_by_enumeration.items()
    }
    schema_by_name = schema_by_enumeration | _name_enumerations(
        components.schemas, enumeration_by_words
    )
    used_resources = {OPERATIONS[route.operation].resource for route in service.routes}
    return {
        "openapi": VERSION,
        "info": {
            "title": prose.TITLE,
            "version": "v1",
            "description": prose.describe_service(service),
            "contact": prose.CONTACT,
            "license": prose.LICENSE,
        },
        "servers": [{"url": server} if server else _SERVER_VARIABLE],
        "security": [{"signature": [], "apiKey": []}],
        "tags": prose.make_tags(
            resource_name for resource_name in RESOURCES if resource_name in used_resources
        ),
        "paths": _name_enumerations(operations_by_path, enumeration_by_words),
        "webhooks": webhook_by_event_type,
        "components": {
            "schemas": dict(sorted(schema_by_name.items())),
            "responses": {"TooManyRequests": errors.rate_limit_response(service)},
            "securitySchemes": prose.security_schemes(service),
        },
    }


def _make_paths(service: Service, objects: OperationObjects) -> JsonObject:
    """The operations by path and method, in the order of their records."""
    operation_names = list(OPERATIONS)
    operations_by_path: dict[str, Any] = {}
    for route in sorted(service.routes, key=lambda route: operation_names.index(route.operation)):
        operation_by_method = operations_by_path.setdefault(route.template, {})
        operation_object = objects.operation(OPERATIONS[route.operation], route)
        operation_by_method[route.method.lower()] = operation_object
    return operations_by_path


def _list_enumerations(service: Service) -> dict[str, tuple[str, ...]]:
    """The enumerations of requests by name, with the further words of a service."""
    words_by_enumeration = {
        enumeration_name: tuple(words) for enumeration_name, words in _SPEC_ENUMERATIONS.items()
    }
    return words_by_enumeration | {
        "EventType": (*codes.EVENT_TYPES, *service.webhooks.event_types),
        "Network": tuple(service.financial_accounts.crypto_wallet.allowed),
    }


def _name_enumerations(document_part: object, names_by_words: Mapping[tuple[str, ...], str]) -> Any:
    """Copy a part of the document with references in place of enumerations that have a name.

    `{"type": "string", "enum": ["pix", ...]}` becomes `{"$ref": ".../AccountType"}`.
    """
    if isinstance(document_part, list):
        return [_name_enumerations(item, names_by_words) for item in document_part]
    if not isinstance(document_part, dict):
        return document_part
    enum_words = document_part.get("enum")
    enum_name = None
    # An object without a type may have a property that is called enum.
    if isinstance(enum_words, list) and "type" in document_part:
        enum_name = names_by_words.get(tuple(enum_words))
    if enum_name is None:
        return {
            schema_keyword: _name_enumerations(inner_part, names_by_words)
            for schema_keyword, inner_part in document_part.items()
        }
    other_members = {
        schema_keyword: inner_part
        for schema_keyword, inner_part in document_part.items()
        if schema_keyword not in ("type", "enum")
    }
    return {**ref_to(enum_name), **other_members}
