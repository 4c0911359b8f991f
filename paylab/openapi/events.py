"""The events that a service sends, as webhooks of the document."""

from __future__ import annotations

from collections.abc import Sequence

from ..spec import codes
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from . import prose
from .answers import AnswerSchemas
from .schemas import (
    Components,
    Schema,
    drop_absent_paths,
    make_origin_members,
    nested_object,
    open_words_schema,
)

_PAYLOADS = {"transfer": "Transfer", "conversion": "Conversion", "individual": "StatusChange"}


def make_webhooks(service: Service, components: Components, answers: AnswerSchemas) -> Schema:
    """The webhooks of the document, one per event type, by its name."""
    descriptions = dict(codes.EVENTS)
    for event_type in service.webhooks.event_types:  # types that only the settings have
        descriptions[event_type] = "the service says so"
    schemas_by_resource = {}
    for resource in _PAYLOADS:
        event_types = [
            event_type for event_type in descriptions if event_type.partition(".")[0] == resource
        ]
        schemas_by_resource[resource] = _add_event_schema(
            service, components, answers, resource, event_types
        )
    webhooks = {}
    for event_type, description in descriptions.items():
        schema = schemas_by_resource.get(event_type.partition(".")[0], {"type": "object"})
        webhooks[event_type] = {
            "post": _make_delivery_operation(service, event_type, description, schema)
        }
    return webhooks


def _make_delivery_operation(
    service: Service, event_type: str, description: str, schema: Schema
) -> Schema:
    """The delivery of an event as an operation; `schema` is the schema of its body."""
    camel_case_type = "".join(word.title() for word in event_type.replace(".", "_").split("_"))
    delivery: Schema = {
        "operationId": f"on{camel_case_type}",
        "summary": f"{event_type}: {description}",
        "description": prose.describe_delivery(service),
        "tags": [prose.EVENTS_TAG],
        "security": [],
    }
    if service.webhooks.signature_header != NONE:
        delivery["parameters"] = [_make_signature_parameter(service)]
    content = {"application/json": {"schema": schema}}
    read_types = None if event_type in codes.EVENTS else lambda tree: tree.webhooks.event_types
    return {
        **delivery,
        "requestBody": {"required": True, "content": content},
        "responses": {"2XX": {"description": "The event was received."}},
        "x-delivery": make_origin_members(service, "webhook.delivery"),
        **make_origin_members(service, read=read_types),
    }


def _make_signature_parameter(service: Service) -> Schema:
    """The header with the signature of a delivery."""
    origin_members = make_origin_members(
        service, "webhook.delivery", lambda settings: settings.webhooks.signature_header
    )
    return {
        "name": service.webhooks.signature_header,
        "in": "header",
        "description": "The signature of the body.",
        "schema": {"type": "string"},
        **origin_members,
    }


def _add_event_schema(
    service: Service,
    components: Components,
    answers: AnswerSchemas,
    resource: str,
    event_types: Sequence[str],
) -> Schema:
    """Add the schema of deliveries about a resource, such as "transfer"; return a reference."""
    settings = service.webhooks
    type_origin = make_origin_members(service, read=lambda service: service.webhooks.type_field)
    payload_origin = make_origin_members(
        service, read=lambda service: service.webhooks.payload_field
    )
    id_origin = make_origin_members(service, read=lambda service: service.webhooks.id_field)
    type_schema = {**open_words_schema(event_types), **type_origin}
    payload_schema = {**answers.model(_PAYLOADS[resource], in_event=True), **payload_origin}
    id_schema = {"type": "string", **id_origin}
    properties = drop_absent_paths(
        [
            (settings.type_field, type_schema),
            (settings.payload_field, payload_schema),
            (settings.id_field, id_schema),
        ]
    )
    event_schema = {
        "description": f"An event about a {resource}, with a snapshot of it.",
        **nested_object(properties, properties),
    }
    return components.add(f"{resource.title()}Event", event_schema)
