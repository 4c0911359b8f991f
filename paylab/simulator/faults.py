"""Planned faults of calls: which fault applies to a call, and its effect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from math import ceil

from ..errors.base import Problem
from ..errors.suggestions import find_nearest_names
from ..spec.route import PLACEHOLDER, strip_base_path
from ..spec.service.service import Service
from ..spec.text import JsonValue
from ..spec.timestamps import to_http
from .fault_kinds import (
    CUSTOM_DETAILS,
    CUT_KINDS,
    DETAIL_DEFAULTS,
    FAULT_DETAILS,
    ON_CALLS,
    TIMES_MAX,
    UNLIMITED,
)
from .messages import JSON_HEADERS, CursorError, RefusedError, Reply, Request, encode_json
from .refusals import refusal_reply
from .routing import find_fitting_routes, operation_at
from .table import Row
from .world import World


def find_target_problems(service: Service, fault_details: Row) -> list[Problem]:
    """The problems of the method and path of a fault that no operation of the service has."""
    method = fault_details.get("method")
    path = fault_details.get("path")
    if not isinstance(path, str):
        known_methods = dict.fromkeys(route.method for route in service.routes)
        if _is_unknown_method(method, known_methods):
            return [Problem("method", f"must be one of {', '.join(known_methods)}", "control")]
        return []
    path = strip_base_path(path, service.signing.base_path)
    routes = find_fitting_routes(service, path)
    if not routes:
        route_by_template = {route.template: route for route in service.routes}
        nearest_paths = find_nearest_names(path, route_by_template)[:2] or tuple(route_by_template)
        message = f"is no path of the service: is {' or '.join(nearest_paths)} meant?"
        return [Problem("path", message, "control")]
    known_methods = dict.fromkeys(route.method for route in routes)
    if _is_unknown_method(method, known_methods):
        methods_text = " or ".join(known_methods)
        return [Problem("method", f"must be {methods_text} for this path", "control")]
    return []


def _is_unknown_method(method: object, known_methods: Collection[str]) -> bool:
    """Whether a fault names a method that is not known; one without a method does not."""
    return isinstance(method, str) and method.upper() not in known_methods


def new_fault(world: World, requested_details: Row) -> Row:
    """Add a fault with the details of a body; one with `times` 0 applies until it is removed."""
    fault_details: Row = {
        detail_name: DETAIL_DEFAULTS.get(detail_name)
        for detail_name in FAULT_DETAILS
        if detail_name not in CUSTOM_DETAILS
    }
    if requested_details["kind"] == "custom":
        # It applies until it is removed, and without a status the service answers.
        fault_details |= {"status": None, "times": UNLIMITED}
    fault_details |= {
        detail_name: detail_value
        for detail_name, detail_value in requested_details.items()
        if detail_value is not None
    }
    if fault_details["path"] is not None:
        base_path = world.service.signing.base_path
        fault_details["path"] = strip_base_path(
            PLACEHOLDER.sub("*", fault_details["path"]), base_path
        )
    times_left = TIMES_MAX if fault_details["times"] == UNLIMITED else fault_details["times"]
    fault_row = {"id": world.new_id("faults"), **fault_details, "left": times_left, "drawn": 0}
    return world.put("faults", fault_row)


def fault_json(fault: Row) -> Row:
    """A fault as JSON for the list; `left` is null for an unlimited one."""
    fields = {
        detail_name: detail_value
        for detail_name, detail_value in fault.items()
        if detail_value is not None and detail_name != "drawn"
    }
    if fields["times"] == UNLIMITED:
        fields["left"] = None
    return fields


def draw_call_fault(world: World, request: Request, sequence: int) -> Row | None:
    """The fault of this call, or None. `sequence` is its number in the journal."""
    if not world.tables["faults"].rows:
        return None
    operation_name = operation_at(world.service, request.method, request.path)
    return world.draw_fault(
        lambda fault: _fits_call(fault, request, operation_name), request=sequence
    )


def _fits_call(fault: Row, request: Request, operation_name: str | None) -> bool:
    """Whether a fault is for this operation, method and path."""
    if fault["kind"] not in ON_CALLS or fault.get("operation") not in (None, operation_name):
        return False
    if fault["kind"] == "bad_cursor" and "cursor=" not in request.query:
        return False  # the first page has no cursor that could be refused
    method = fault.get("method")
    path = fault.get("path")
    if method is not None and method.upper() != request.method:
        return False
    return path is None or fnmatchcase(request.path, path)


def fault_reply(service: Service, fault: Row, now: datetime) -> Reply | None:
    """The reply of a fault in place of the service's; None if the service answers.

    `apply_fault` changes either of them.
    """
    fault_kind = fault["kind"]
    status_code = fault["status"]
    if fault_kind == "html":
        page_bytes = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"
        return Reply(502, page_bytes, {"content-type": "text/html"})
    if fault_kind == "bad_cursor":
        return refusal_reply(CursorError())
    if fault_kind in ("refuse", "timeout"):
        return Reply(503)  # `apply_fault` cuts the connection in place of it
    if fault_kind not in ("status", "custom") or status_code is None:
        return None
    if fault_kind == "custom" and fault.get("body") is not None:
        return Reply(status_code)  # `apply_fault` adds the body
    headers = _make_wait_header(service, fault, now)
    refused = RefusedError(status_code, f"simulated {status_code}", headers=headers)
    return refusal_reply(refused, service)


def _make_wait_header(service: Service, fault: Row, now: datetime) -> dict[str, str]:
    """The header that says when to send again; empty if the fault has none.

    A 429 has it in any case, by default with 1 second.
    """
    wait_seconds = fault.get("retry_after")
    if wait_seconds is None and fault["status"] == 429:
        wait_seconds = 1
    if wait_seconds is None:
        return {}
    rate_limits = service.rate_limits
    return {rate_limits.header.lower(): WAIT_HEADERS[rate_limits.unit](wait_seconds, now)}


def apply_fault(fault: Row, reply: Reply) -> Reply:
    """The reply with the damage, delay, headers and body of a fault."""
    if fault["kind"] in CUT_KINDS:
        return replace(reply, cut=fault["kind"])
    if fault["kind"] != "custom":
        return reply
    changed_reply = _replace_body(reply, fault.get("body"))
    headers = dict(changed_reply.headers)
    for header_name, header_text in (fault.get("headers") or {}).items():
        headers[header_name.lower()] = header_text
    if fault.get("content_type"):
        headers["content-type"] = fault["content_type"]
    kept_byte_count = fault.get("cut_after")
    delay_seconds = fault.get("delay") or 0
    body_seconds = fault.get("slow") or 0
    return Reply(
        reply.status,
        changed_reply.body,
        headers,
        cut=None if kept_byte_count is None else "truncate",
        kept=kept_byte_count,
        delay_seconds=float(delay_seconds),
        body_seconds=float(body_seconds),
    )


def _replace_body(reply: Reply, new_body: JsonValue) -> Reply:
    """The reply with a body of text, or of JSON; None keeps its own."""
    if new_body is None:
        return reply
    if isinstance(new_body, str):
        text_headers = {**reply.headers, "content-type": "text/plain"}
        return replace(reply, body=new_body.encode(), headers=text_headers)
    return replace(reply, body=encode_json(new_body), headers={**reply.headers, **JSON_HEADERS})


WAIT_HEADERS: Mapping[str, Callable[[float, datetime], str]] = {
    "seconds": lambda pause, now: f"{pause:g}",
    "milliseconds": lambda pause, now: str(ceil(pause * 1000)),
    "unix_time": lambda pause, now: str(ceil(now.timestamp() + pause)),
    "date": lambda pause, now: to_http(datetime.fromtimestamp(ceil(now.timestamp() + pause), UTC)),
}
"""The header of a 429 with the time to wait. Assumption `errors.server`."""
