"""Find the statuses and error bodies of refusals, and the required fields of individuals."""

from __future__ import annotations

from ..spec import codes
from ..spec.paging import value_at
from ..spec.service_keys import NONE
from . import answers
from .answers import ServiceReply
from .inquiry import REFUSALS, Inquiry, Question, keys_of
from .paths import NOWHERE

SPEC_RAMP = ("phone", "document", "date_of_birth", "idv_consent_recorded_at")
"""The fields that the specification requires for on_ramp and off_ramp."""
EVENTS = (
    *("transfer.cancelled", "transfer.under_review", "transfer.pending", "transfer.refunded"),
    *("conversion.cancelled", "conversion.expired", "individual.created", "individual.updated"),
    *("conversion_account.activated", "conversion_account.status_changed"),
)
"""Event types of other services."""
BODY_KEYS = ("words", "problems", "field", "message", "list_form", "field_form")


def empty_body(inquiry: Inquiry) -> ServiceReply:
    """The refusal of an individual without fields."""
    return inquiry.remember("empty create_individual", lambda: inquiry.refused_individual({}))


def error_bodies(inquiry: Inquiry) -> None:
    """Find the keys of message and problems, from an invalid body and a 404."""
    reply = empty_body(inquiry)
    nowhere = inquiry.remember("nowhere", lambda: inquiry.requests.get(NOWHERE))
    inquiry.answer("error_codes.validation", reply.status, reply)
    read_error_body(inquiry, reply, nowhere)


def read_error_body(inquiry: Inquiry, reply: ServiceReply, nowhere: ServiceReply) -> None:
    """Find the keys of message and problems in a refusal; `nowhere` has only a message."""
    content = _content(reply)
    inquiry.answer("errors.content", content, reply)
    if content != "json":
        for name in BODY_KEYS:
            inquiry.skip(f"errors.{name}", f"error bodies are {content}")
        return
    found = reply.problems
    inquiry.answer("errors.words", _words(inquiry, reply, nowhere) or NONE, reply, nowhere)
    inquiry.answer("errors.problems", found.key if found and found.key else NONE, reply)
    if found is None or not found.key:
        for name in BODY_KEYS[2:]:
            inquiry.skip(f"errors.{name}", "error bodies have no list of field problems")
        return
    inquiry.answer("errors.list_form", found.form, reply)
    if found.form != "objects":
        for name in ("field", "message"):
            inquiry.skip(f"errors.{name}", f"the list of problems has the form {found.form}")
    else:
        inquiry.answer("errors.message", found.message, reply)
        if found.field:
            inquiry.answer("errors.field", found.field, reply)
    _field_form(inquiry, found.form, reply)


def _field_form(inquiry: Inquiry, form: str, reply: ServiceReply) -> None:
    """Find the format of nested field names, from refused details."""
    if form == "sentences":
        inquiry.skip("errors.field_form", "problems are sentences")
        return
    nested: ServiceReply | None = inquiry.memory.get("nested", reply)
    found = nested.problems if nested else None
    if nested and found and found.field_form:
        inquiry.answer("errors.field_form", found.field_form, nested)


def _content(reply: ServiceReply) -> str:
    if isinstance(reply.body, dict | list):
        return "json"
    content = reply.exchange.content.strip()
    if not content:
        return "empty"
    is_html = content.startswith(b"<") or "html" in reply.headers.get("content-type", "")
    return "html" if is_html else "text"


def _words(inquiry: Inquiry, reply: ServiceReply, nowhere: ServiceReply) -> str | None:
    """The key of the message: the assumed one if present, else one in both bodies."""
    assumed = str(inquiry.value("errors.words"))
    bodies = [each for each in (reply, nowhere) if isinstance(each.body, dict)]
    if all(isinstance(value_at(each.body, assumed), str) for each in bodies):
        return assumed
    found = [answers.words_key(each.body, each.problems) for each in bodies]
    named = [each for each in found if each]
    known = [each for each in named if all(value_at(b.body, each) for b in bodies)]
    return next(iter([*known, *named]), None)


def content_type(inquiry: Inquiry) -> None:
    """Send a body that is not declared as JSON, and that must be refused anyway."""
    reply = inquiry.refused_individual({}, {"Content-Type": "text/plain"})
    usual = empty_body(inquiry)
    if (reply.status, reply.words) == (usual.status, usual.words):
        inquiry.unclear("error_codes.content_type", "the Content-Type makes no difference", reply)
    else:
        inquiry.answer("error_codes.content_type", reply.status, reply)


def _individuals(inquiry: Inquiry) -> None:
    """Find the required fields of an individual, then those of its address."""
    first = empty_body(inquiry)
    second = inquiry.refused_individual({"address": {}, "product_types": ["on_ramp"]})
    top = [name for name in first.missing() if "." not in name]
    if not top:
        return
    inside = [f"address.{name}" for name in second.missing("address")]
    base = inquiry.followed("individuals.required", [*top, *inside])
    inquiry.answer("individuals.required", base, first, second)
    third = inquiry.refused_individual({"country": "MX", "product_types": ["on_ramp"]})
    asked = [name for name in third.missing() if name not in (*base, *SPEC_RAMP)]
    ramp = inquiry.followed("individuals.ramp_required", asked)
    inquiry.answer("individuals.ramp_required", ramp, third)


def unknown_fields(inquiry: Inquiry) -> None:
    """Send an unknown field."""
    reply = inquiry.refused_individual({"paylab_probe": "unknown"})
    if not reply.complaints:
        return
    named = any("paylab_probe" in each.field for each in reply.complaints)
    inquiry.answer("requests.unknown_fields", "refuse" if named else "ignore", reply)


def event_types(inquiry: Inquiry) -> None:
    """Subscribe without a URL to an unknown event type and to possible ones."""
    path = inquiry.path("create_webhook_subscription")
    asked = ("paylab.probe", *EVENTS)
    reply = inquiry.requests.refused(path, {"event_types": list(asked)})
    about_types = [each for each in reply.complaints if each.field.startswith("event_types")]
    named = [word for each in about_types for word in each.choices if "." in word]
    refused = {each.field for each in about_types}
    if "event_types.0" in refused:
        taken = [word for n, word in enumerate(asked) if f"event_types.{n}" not in refused]
    elif not named:
        inquiry.unclear("webhooks.event_types", "the refusal names no event types", reply)
        return
    else:
        taken = []
    new = [word for word in dict.fromkeys([*named, *taken]) if word not in codes.EVENT_TYPES]
    why = "" if named else f"of {len(EVENTS)} that were tried"
    inquiry.answer("webhooks.event_types", tuple(new), reply, why=why)


def account_codes(inquiry: Inquiry) -> None:
    """Send empty details for an existing individual."""
    people = inquiry.rows.get("individuals", [])
    ids = [row["id"] for row in people if isinstance(row, dict) and row.get("id")]
    if not ids:
        inquiry.skip("error_codes.details", "there is no individual")
        return
    body = {"individual_id": ids[0], "type": codes.CRYPTO_WALLET, "details": {}}
    reply = inquiry.requests.refused(inquiry.path("create_financial_account"), body)
    inquiry.answer("error_codes.details", reply.status, reply)


def idempotency_key(inquiry: Inquiry) -> None:
    """Post an empty transfer without a key."""
    path = inquiry.path("create_transfer")
    key = inquiry.requests.new_key()
    usual = inquiry.remember(
        "empty create_transfer", lambda: inquiry.requests.refused(path, {}, key)
    )
    reply = inquiry.requests.refused(path, {})
    if not reply.error_body.body:
        return
    spoken = "idempotency" in reply.words.lower() and "idempotency" not in usual.words.lower()
    inquiry.answer("idempotency.key", "required" if spoken else "optional", reply)


QUESTIONS = (
    Question(REFUSALS, error_bodies, "error_codes.validation", *keys_of("errors.")),
    Question(REFUSALS, content_type, "error_codes.content_type"),
    Question(REFUSALS, _individuals, "individuals.required", "individuals.ramp_required"),
    Question(REFUSALS, unknown_fields, "requests.unknown_fields"),
    Question(REFUSALS, event_types, "webhooks.event_types"),
    Question(REFUSALS, account_codes, "error_codes.details"),
    Question(REFUSALS, idempotency_key, "idempotency.key"),
)
