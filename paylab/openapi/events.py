"""The events that a service sends, as webhooks of the document."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec import assumptions, codes
from ..spec.operations.field import SPEC
from ..spec.service import Service
from ..spec.service_keys import NONE
from . import prose
from .answers import AnswerSchemas
from .schemas import Components, Schema, nested, origin

_PAYLOADS = {"transfer": "Transfer", "conversion": "Conversion", "individual": "StatusChange"}
_EVENT_TYPES = "webhooks.event_types"


def webhooks(service: Service, components: Components, answers: AnswerSchemas) -> Schema:
    """One webhook per event type."""
    more = service.webhooks.event_types
    known: Mapping[str, str] = {**codes.EVENTS, **dict.fromkeys(more, "the service says so")}
    bodies = {family: _body(service, components, answers, family, known) for family in _PAYLOADS}
    return {
        event: {"post": _delivery(service, event, when, bodies.get(event.partition(".")[0], {}))}
        for event, when in known.items()
    }


def _delivery(service: Service, event: str, when: str, body: Schema) -> Schema:
    row = assumptions.KEYS[_EVENT_TYPES].row
    is_own = event in codes.EVENTS
    name = "".join(part.title() for part in event.replace(".", "_").split("_"))
    facts = origin(service, SPEC if is_own else row, "" if is_own else _EVENT_TYPES)
    header = service.webhooks.signature_header
    signature = {
        "name": header,
        "in": "header",
        "description": "The signature of the body.",
        "schema": {"type": "string"},
        **origin(service, "webhook.delivery", "webhooks.signature_header"),
    }
    return {
        "operationId": f"on{name}",
        "summary": f"{event}: {when}",
        "description": prose.delivery(service),
        "tags": [prose.tag("webhook_subscriptions")],
        "security": [],
        **({"parameters": [signature]} if header != NONE else {}),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body or {"type": "object"}}},
        },
        "responses": {"2XX": {"description": "The event was received."}},
        "x-delivery": origin(service, "webhook.delivery"),
        **facts,
    }


def _body(
    service: Service,
    components: Components,
    answers: AnswerSchemas,
    family: str,
    known: Mapping[str, str],
) -> Schema:
    """The body of a delivery about a resource."""
    settings, model = service.webhooks, _PAYLOADS[family]
    types = [event for event in known if event.partition(".")[0] == family]
    wrapper, fields = "webhook.wrapper", f"{family.title()}Event"
    properties: Schema = {
        settings.type_field: {
            "type": "string",
            "enum": types,
            **origin(service, wrapper, "webhooks.type_field"),
        },
        settings.payload_field: {
            **answers.model(model, in_event=True),
            **origin(service, wrapper, "webhooks.payload_field"),
        },
    }
    if settings.id_field != NONE:
        facts = origin(service, "webhook.identity", "webhooks.id_field")
        properties[settings.id_field] = {"type": "string", **facts}
    about = {"description": f"An event about a {family}, with a snapshot of it."}
    return components.add(fields, {**about, **nested(properties, properties)})
