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
    description_by_type = dict(codes.EVENTS)
    for event_type in service.webhooks.event_types:  # types that only the settings have
        description_by_type[event_type] = "the service says so"
    schema_by_resource = {}
    for resource_name in _PAYLOADS:
        event_types = [
            event_type
            for event_type in description_by_type
            if event_type.partition(".")[0] == resource_name
        ]
        schema_by_resource[resource_name] = _add_event_schema(
            service, components, answers, resource_name, event_types
        )
    webhook_by_type = {}
    for event_type, description in description_by_type.items():
        event_schema = schema_by_resource.get(event_type.partition(".")[0], {"type": "object"})
        webhook_by_type[event_type] = {
            "post": _make_delivery_operation(service, event_type, description, event_schema)
        }
    return webhook_by_type


def _make_delivery_operation(
    service: Service, event_type: str, description: str, schema: Schema
) -> Schema:
    """The delivery of an event as an operation; `schema` is the schema of its body."""
    camel_case_type = "".join(word.title() for word in event_type.replace(".", "_").split("_"))
    delivery_operation: Schema = {
        "operationId": f"on{camel_case_type}",
        "summary": f"{event_type}: {description}",
        "description": prose.describe_delivery(service),
        "tags": [prose.EVENTS_TAG],
        "security": [],
    }
    if service.webhooks.signature_header != NONE:
        delivery_operation["parameters"] = [_make_signature_parameter(service)]
    content_object = {"application/json": {"schema": schema}}
    # A type that the spec does not have comes from this setting.
    read_event_types = (
        None if event_type in codes.EVENTS else lambda settings: settings.webhooks.event_types
    )
    return {
        **delivery_operation,
        "requestBody": {"required": True, "content": content_object},
        "responses": {"2XX": {"description": "The event was received."}},
        "x-delivery": make_origin_members(service, "webhook.delivery"),
        **make_origin_members(service, read=read_event_types),
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
    webhook_settings = service.webhooks
    type_origin_members = make_origin_members(
        service, read=lambda settings: settings.webhooks.type_field
    )
    payload_origin_members = make_origin_members(
        service, read=lambda settings: settings.webhooks.payload_field
    )
    id_origin_members = make_origin_members(
        service, read=lambda settings: settings.webhooks.id_field
    )
    type_schema = {**open_words_schema(event_types), **type_origin_members}
    payload_schema = {**answers.model(_PAYLOADS[resource], in_event=True), **payload_origin_members}
    id_schema = {"type": "string", **id_origin_members}
    schema_by_path = drop_absent_paths(
        [
            (webhook_settings.type_field, type_schema),
            (webhook_settings.payload_field, payload_schema),
            (webhook_settings.id_field, id_schema),
        ]
    )
    event_schema = {
        "description": f"An event about a {resource}, with a snapshot of it.",
        **nested_object(schema_by_path, schema_by_path),
    }
    return components.add(f"{resource.title()}Event", event_schema)
