"""Rules of webhook subscriptions: URL and event types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from urllib.parse import urlsplit

from ..errors.base import Problem
from ..loopback import is_loopback
from ..spec import codes
from ..spec.service.service import Service
from .fields import check_field, check_items, check_object, check_text, make_choice_check

_VISIBLE_TEXT = re.compile("[!-~]+")
_SOURCE = "webhook.url"
_NO_URL = "must be an https address, like https://example.com/events"


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Check the body of a new webhook subscription; empty if it is valid."""
    if not isinstance(body, Mapping):
        return check_object(body)
    return [
        *check_field(body, "url", _check_url),
        *check_field(body, "event_types", partial(_check_event_types, service or Service())),
    ]


def _check_url(url_value: object, field: str) -> list[Problem]:
    """Check that a value is a URL that can receive events."""
    problems = check_text(url_value, field)
    if problems:
        return problems
    reason_text = _describe_url_violation(str(url_value))
    return [Problem(field, reason_text, _SOURCE)] if reason_text else []


def _describe_url_violation(url: str) -> str:
    """Return why a URL cannot receive events, or "" if it can."""
    try:
        url_parts = urlsplit(url)
        host = url_parts.hostname
        _ = url_parts.port  # reading the port detects an invalid one
    except ValueError:
        return _NO_URL
    has_ascii_only = _VISIBLE_TEXT.fullmatch(url)  # and no spaces
    if not host or not has_ascii_only or url_parts.scheme not in ("http", "https"):
        return _NO_URL
    if "@" in url_parts.netloc:
        return "must not contain a user name or password"
    if "#" in url:
        return "must not contain a fragment (#...)"
    if url_parts.scheme == "http" and not is_loopback(host):
        return "must be https; http is for loopback addresses only"
    return ""


def _check_event_types(service: Service, event_types_value: object, field: str) -> list[Problem]:
    """Check that a value is a list of event types of the spec or of the service."""
    if not isinstance(event_types_value, list | tuple):
        return [Problem(field, "must be a list of event types")]
    if not event_types_value:
        return [Problem(field, "must be a list of at least one event type", "field.empty")]
    event_types = (*codes.EVENT_TYPES, *service.webhooks.event_types)
    return check_items(event_types_value, field, make_choice_check(event_types))
