"""The whole document: paths, components and webhooks of a service."""

from __future__ import annotations

from typing import Any

from ..spec.operations.records import OPERATIONS, RESOURCES
from ..spec.service import Service
from . import enumerations, errors, events, prose
from .answers import AnswerSchemas
from .operations import OperationObjects
from .requests import BodySchemas
from .schemas import Components

VERSION = "3.1.0"
_SERVER = {
    "url": "{base_url}",
    "description": "The base address of the service.",
    "variables": {"base_url": {"default": "https://sandbox.example.com"}},
}


def document(service: Service | None = None, server: str = "") -> dict[str, Any]:
    """The interface of a service as OpenAPI 3.1, ready for JSON; `server` is its base address.

    Without a server, the address is a variable of the document.

    >>> from paylab.openapi import document
    >>> sorted(document()["paths"])[0]
    '/v1/conversion_accounts'
    """
    service = service or Service()
    components = Components()
    bodies = BodySchemas(service, components)
    answers = AnswerSchemas(service, components, bodies.details)
    made = OperationObjects(service, bodies, answers)
    errors.add_schemas(service, components)
    paths: dict[str, Any] = {}
    for route in sorted(service.routes, key=lambda route: [*OPERATIONS].index(route.operation)):
        place = paths.setdefault(route.template, {})
        place[route.method.lower()] = made.operation(OPERATIONS[route.operation], route)
    used = {OPERATIONS[route.operation].resource for route in service.routes}
    return {
        "openapi": VERSION,
        "info": {"title": prose.TITLE, "version": "v1", "description": prose.ABOUT},
        "servers": [{"url": server} if server else _SERVER],
        "security": [{"signature": [], "apiKey": []}],
        "tags": prose.tags(resource for resource in RESOURCES if resource in used),
        "paths": enumerations.named(paths, service),
        "webhooks": events.webhooks(service, components, answers),
        "components": {
            "schemas": _schemas(service, components),
            "responses": {"TooManyRequests": errors.too_many(service)},
            "securitySchemes": prose.security_schemes(service),
        },
    }


def _schemas(service: Service, components: Components) -> dict[str, Any]:
    """The named schemas by name, with the enumerations that they use."""
    made = enumerations.named(components.schemas, service)
    return dict(sorted({**enumerations.schemas(service), **made}.items()))
