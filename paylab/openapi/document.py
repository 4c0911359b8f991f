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
from . import errors, events, prose
from .answers import AnswerSchemas
from .operations import OperationObjects
from .requests import BodySchemas
from .schemas import Components, ref_to, words

VERSION = "3.1.0"
_SERVER = {
    "url": "{base_url}",
    "description": "The base address of the service.",
    "variables": {"base_url": {"default": "https://sandbox.example.com"}},
}

_OF_SPEC: Mapping[str, Sequence[str]] = {
    "AccountType": codes.ACCOUNT_TYPES,
    "Country": codes.COUNTRIES,
    "DepositInstructionType": codes.DEPOSIT_INSTRUCTION_TYPES,
    "DestinationCurrency": codes.DESTINATION_CURRENCIES,
    "DocumentType": codes.DOCUMENT_TYPES,
    "ImageSide": codes.IMAGE_SIDES,
    "ImageType": codes.IMAGE_TYPES,
    "OnRampCurrency": codes.ON_RAMP_CURRENCIES,
    "PayoutMethod": codes.PAYOUT_METHODS,
    "Product": codes.PRODUCTS,
    "SourceCurrency": codes.SOURCE_CURRENCIES,
}


@explain_arguments
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
    objects = OperationObjects(service, bodies, answers)
    errors.add_schemas(service, components)
    paths: dict[str, Any] = {}
    for route in sorted(service.routes, key=lambda route: [*OPERATIONS].index(route.operation)):
        place = paths.setdefault(route.template, {})
        place[route.method.lower()] = objects.operation(OPERATIONS[route.operation], route)
    enumerations = _enumerations(service)
    names_by_words = {enumeration: name for name, enumeration in enumerations.items()}
    schemas = {name: words(enumeration) for name, enumeration in enumerations.items()}
    resources = {OPERATIONS[route.operation].resource for route in service.routes}
    return {
        "openapi": VERSION,
        "info": {"title": prose.TITLE, "version": "v1", "description": prose.about(service)},
        "servers": [{"url": server} if server else _SERVER],
        "security": [{"signature": [], "apiKey": []}],
        "tags": prose.tags(resource for resource in RESOURCES if resource in resources),
        "paths": _with_names(paths, names_by_words),
        "webhooks": events.webhooks(service, components, answers),
        "components": {
            "schemas": dict(
                sorted((schemas | _with_names(components.schemas, names_by_words)).items())
            ),
            "responses": {"TooManyRequests": errors.too_many(service)},
            "securitySchemes": prose.security_schemes(service),
        },
    }


def _enumerations(service: Service) -> dict[str, tuple[str, ...]]:
    """The enumerations by name, with the further words of a service."""
    other_statuses = service.statuses
    enumerations = {name: tuple(words) for name, words in _OF_SPEC.items()}
    return enumerations | {
        "ConversionAccountStatus": (
            *codes.CONVERSION_ACCOUNT_STATUSES,
            *other_statuses.conversion_accounts,
        ),
        "ConversionStatus": (*codes.CONVERSION_STATUSES, *other_statuses.conversions),
        "EventType": (*codes.EVENT_TYPES, *service.webhooks.event_types),
        "IndividualStatus": (*codes.INDIVIDUAL_STATUSES, *other_statuses.individuals),
        "Network": tuple(service.financial_accounts.crypto_wallet.allowed),
        "StatusDetailCode": (*codes.STATUS_DETAIL_CODES, *other_statuses.detail_codes),
        "TransferStatus": (*codes.TRANSFER_STATUSES, *other_statuses.transfers),
    }


def _with_names(made: Any, named: Mapping[tuple[str, ...], str]) -> Any:
    """A part of the document in which enumerations are references to their names."""
    if isinstance(made, list):
        return [_with_names(part, named) for part in made]
    if not isinstance(made, dict):
        return made
    enumeration = made.get("enum")
    name = (
        named.get(tuple(enumeration)) if isinstance(enumeration, list) and "type" in made else None
    )
    if name is None:
        return {key: _with_names(part, named) for key, part in made.items()}
    other_keys = {key: part for key, part in made.items() if key not in ("type", "enum")}
    return {**ref_to(name), **other_keys}
