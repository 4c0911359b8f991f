"""Planned faults of calls: which fault applies to a call, and its effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from math import ceil

from ..spec.service.service import Service
from ..spec.timestamps import to_http
from .fault_kinds import CUSTOM, CUTS, DEFAULTS, DETAILS, MOST_TIMES, ON_CALLS
from .messages import CursorError, RefusedError, Reply, Request, dump
from .refusals import refusal_reply
from .routing import CONTROL, operation_at
from .table import Row
from .world import World


def new_fault(world: World, body: Row) -> Row:
    """Add a fault."""
    given_fields = {key: value for key, value in body.items() if value is not None}
    # A custom one strikes until it is removed, and only with a status instead of the service.
    custom_fields = {"status": None, "times": MOST_TIMES} if body["kind"] == "custom" else {}
    details = (
        {name: DEFAULTS.get(name) for name in DETAILS if name not in CUSTOM}
        | custom_fields
        | given_fields
    )
    fault = {"id": world.new_id("faults"), **details, "left": details["times"], "drawn": 0}
    return world.put("faults", fault)


def fault_json(fault: Row) -> Row:
    """A fault as JSON for the list."""
    return {key: value for key, value in fault.items() if value is not None and key != "drawn"}


def for_call(world: World, request: Request) -> Row | None:
    """The fault for this call, if any; control calls are never affected."""
    if request.path.startswith(CONTROL) or not world.tables["faults"].rows:
        return None
    operation = operation_at(world.service, request.method, request.path)
    return world.draw_fault(lambda fault: _fits(fault, request, operation))


def _fits(fault: Row, request: Request, operation: str | None) -> bool:
    if fault["kind"] not in ON_CALLS or fault.get("operation") not in (None, operation):
        return False
    if fault["kind"] == "bad_cursor" and "cursor=" not in request.query:
        return False
    method = fault.get("method")
    path = fault.get("path")
    same_method = method is None or method.upper() == request.method
    return same_method and (path is None or fnmatchcase(request.path, path))


def instead(service: Service, fault: Row, now: datetime) -> Reply | None:
    """The response of a fault in place of the service's; None if the service answers first."""
    kind = fault["kind"]
    if kind == "html":
        page = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"
        return Reply(502, page, {"content-type": "text/html"})
    if kind == "bad_cursor":
        return refusal_reply(CursorError())
    if kind in ("refuse", "timeout"):
        return Reply(503)
    if kind not in ("status", "custom") or fault["status"] is None:
        return None
    if kind == "custom" and fault.get("body") is not None:
        return Reply(fault["status"])
    pause = fault.get("retry_after")
    if pause is None and fault["status"] == 429:
        pause = 1
    limits = service.rate_limits
    extra = {} if pause is None else {limits.header.lower(): WAITS[limits.unit](pause, now)}
    refused = RefusedError(fault["status"], f"simulated {fault['status']}", headers=extra)
    return refusal_reply(refused, service)


def change(fault: Row, reply: Reply) -> Reply:
    """The reply with the damage, delay, headers and body of a fault."""
    if fault["kind"] in CUTS:
        return replace(reply, cut=fault["kind"])
    if fault["kind"] != "custom":
        return reply
    body = reply.body
    headers = dict(reply.headers)
    bytes_kept = fault.get("cut_after")
    if (new_body := fault.get("body")) is not None:
        body = new_body.encode() if isinstance(new_body, str) else dump(new_body)
        headers["content-type"] = "text/plain" if isinstance(new_body, str) else "application/json"
    headers |= {name.lower(): text for name, text in (fault.get("headers") or {}).items()}
    if fault.get("content_type"):
        headers["content-type"] = fault["content_type"]
    times = {name: float(fault.get(name) or 0) for name in ("delay", "slow")}
    cut = None if bytes_kept is None else "truncate"
    return Reply(reply.status, body, headers, cut=cut, kept=bytes_kept, **times)


WAITS: Mapping[str, Callable[[float, datetime], str]] = {
    "seconds": lambda pause, now: f"{pause:g}",
    "milliseconds": lambda pause, now: str(ceil(pause * 1000)),
    "unix_time": lambda pause, now: str(ceil(now.timestamp() + pause)),
    "date": lambda pause, now: to_http(datetime.fromtimestamp(ceil(now.timestamp() + pause), UTC)),
}
"""The header of a 429 with the time to wait. Assumption `errors.server`."""
