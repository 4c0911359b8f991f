"""Rules of webhook subscriptions: URL and event types."""

from __future__ import annotations

import re
from functools import partial
from urllib.parse import urlsplit

from ..errors.base import Problem
from ..loopback import is_loopback
from ..spec import codes
from ..spec.service.service import Service
from .fields import as_object, check_items, is_object, need, one_of, text

_VISIBLE = re.compile("[!-~]+")
_SOURCE = "webhook.url"


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a new subscription."""
    fields = as_object(body)
    return is_object(body) or [
        *need(fields, "url", _url),
        *need(fields, "event_types", partial(_event_types, service or Service())),
    ]


def _url(value: object, field: str) -> list[Problem]:
    problems = text(value, field)
    reason = "" if problems else _misfit(str(value))
    return [Problem(field, reason, _SOURCE)] if reason else problems


def _misfit(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port  # reading the port detects an invalid one
    except ValueError:
        host = None
        parts = urlsplit("")
    if not (host and _VISIBLE.fullmatch(url)) or parts.scheme not in ("http", "https"):
        return "must be an https address, like https://example.com/events"
    if "@" in parts.netloc:
        return "must not contain a user name or password"
    if "#" in url:
        return "must not contain a fragment (#...)"
    if parts.scheme == "http" and not is_loopback(host):
        return "must be https; http is for loopback addresses only"
    return ""


def _event_types(service: Service, value: object, field: str) -> list[Problem]:
    if not isinstance(value, list | tuple):
        return [Problem(field, "must be a list of event types")]
    if not value:
        return [Problem(field, "must be a list of at least one event type", "field.empty")]
    return check_items(value, field, one_of((*codes.EVENT_TYPES, *service.webhooks.event_types)))
