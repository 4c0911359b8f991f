"""The events that a service sends, as webhooks of the document."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..spec import codes
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from . import prose
from .answers import AnswerSchemas
from .schemas import Components, Schema, nested, origin, placed

_PAYLOADS = {"transfer": "Transfer", "conversion": "Conversion", "individual": "StatusChange"}


def webhooks(service: Service, components: Components, answers: AnswerSchemas) -> Schema:
    """One webhook per event type."""
    other_types = service.webhooks.event_types
    events: Mapping[str, str] = {
        **codes.EVENTS,
        **dict.fromkeys(other_types, "the service says so"),
    }
    bodies = {family: _body(service, components, answers, family, events) for family in _PAYLOADS}
    return {
        event: {"post": _delivery(service, event, when, bodies.get(event.partition(".")[0], {}))}
        for event, when in events.items()
    }


def _delivery(service: Service, event: str, when: str, body: Schema) -> Schema:
    name = "".join(part.title() for part in event.replace(".", "_").split("_"))
    facts = origin(
        service,
        read=None if event in codes.EVENTS else lambda settings: settings.webhooks.event_types,
    )
    header = service.webhooks.signature_header
    signature = {
        "name": header,
        "in": "header",
        "description": "The signature of the body.",
        "schema": {"type": "string"},
        **origin(service, "webhook.delivery", lambda settings: settings.webhooks.signature_header),
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
    types = [event for event in known if event.partition(".")[0] == family]
    facts = partial(origin, service, "")
    kind = {"type": "string", "enum": types, **facts(lambda found: found.webhooks.type_field)}
    payload = answers.model(_PAYLOADS[family], in_event=True)
    id_ = {"type": "string", **facts(lambda found: found.webhooks.id_field)}
    properties = placed(
        [
            (service.webhooks.type_field, kind),
            (
                service.webhooks.payload_field,
                {**payload, **facts(lambda found: found.webhooks.payload_field)},
            ),
            (service.webhooks.id_field, id_),
        ]
    )
    about = {"description": f"An event about a {family}, with a snapshot of it."}
    return components.add(f"{family.title()}Event", {**about, **nested(properties, properties)})
