"""Planned faults: which fault applies to a call or an event, and its effect.

A truncated reply is only marked in `cut`: the server and the in-process transport
truncate it. `respond` applies a clock skew.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import format_datetime
from fnmatch import fnmatchcase
from math import ceil

from ..errors.base import Problem
from ..spec.codes import EVENT_TYPES
from ..spec.operations.records import OPERATIONS
from ..spec.service import Service
from .messages import BadCursor, Refused, Reply, Request, dump
from .table import Row
from .world import World

ON_CALLS = {
    "status": "answers with a status: 429 with Retry-After, 500, 502, 503",
    "refuse": "refuses the connection",
    "timeout": "never answers",
    "drop_after": "executes the request, then drops the connection",
    "truncate": "executes the request, then truncates the response body",
    "html": "answers 502 with HTML in place of JSON",
    "skew": "sets the service's clock ahead or behind by seconds",
    "bad_cursor": "refuses a valid cursor",
    "custom": "answers with your own status, headers and body; late, slowly or in part",
}
ON_EVENTS = {
    "event_drop": "never delivers an event",
    "event_duplicate": "delivers an event twice",
    "event_delay": "delivers an event late by seconds",
    "event_reorder": "delivers an event after the next one",
}
KINDS = {**ON_CALLS, **ON_EVENTS}
"""The kinds of fault, and their effects."""

CUTS = ("refuse", "timeout", "drop_after", "truncate")
"""Kinds that damage the connection or the reply."""

INSTEAD = ("status", "refuse", "timeout", "html", "bad_cursor")
"""Kinds that respond instead of the service; with the others the service acts first."""

MOST_TIMES = 10**9
"""How often a fault can strike."""

DEFAULTS: Row = {
    "method": None,
    "path": None,
    "event_type": None,
    "status": 503,
    "times": 1,
    "retry_after": None,
    "probability": 1.0,
    "seed": 0,
    "seconds": 10.0,
}
CUSTOM: Row = {
    "operation": None,
    "every": None,
    "headers": None,
    "body": None,
    "content_type": None,
    "delay": None,
    "slow": None,
    "cut_after": None,
}
"""The details of kind `custom`, besides those of all kinds; without a status the service answers.

`every` strikes each so many-th call. `delay` and `slow` are seconds until the answer starts, and
that its body takes. Of the body, `cut_after` bytes are sent.
"""


def check_fault(body: Row) -> list[Problem]:
    """The problems of a requested fault; the nearest names are suggested."""
    found = []
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        found.append(("kind", _suggest(kind, KINDS)))
    known = {**DEFAULTS, **(CUSTOM if kind == "custom" else {})}
    for name in [each for each in body if each not in (*known, "kind")]:
        found.append((name, f"is not known; {_suggest(name, known)}"))
    for name, (good, words) in _CHECKS.items():
        if body.get(name) is not None and not good(body[name]):
            found.append((name, f"must be {words}"))
    if kind != "custom" and body.get("status") is not None and not _is_error(body["status"]):
        found.append(("status", "must be a status from 400 to 599"))
    if body.get("operation") is not None and body["operation"] not in OPERATIONS:
        found.append(("operation", _suggest(body["operation"], OPERATIONS)))
    if body.get("event_type") not in (None, *EVENT_TYPES):
        found.append(("event_type", _suggest(body["event_type"], EVENT_TYPES)))
    return [Problem(name, text, "control") for name, text in found]


def _suggest(word: object, known: Collection[str]) -> str:
    near = get_close_matches(str(word)[:40], known, n=3) or known
    return f"must be one of {', '.join(near)}"


def _number(low: float, high: float, *, whole: bool = False) -> Callable[[object], bool]:
    kinds = (int,) if whole else (int, float)
    return lambda value: type(value) in kinds and low <= value <= high  # type: ignore[operator]


_CHECKS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "status": (_number(200, 599, whole=True), "a status from 200 to 599"),
    "times": (_number(1, 10**9, whole=True), "a whole number of at least 1"),
    "retry_after": (_number(0, 86_400), "seconds from 0 to 86400"),
    "probability": (_number(0, 1), "a number from 0 to 1"),
    "seed": (_number(-(2**63), 2**63, whole=True), "a whole number"),
    "seconds": (_number(-(10**8), 10**8), "a number of seconds"),
    "method": (lambda value: isinstance(value, str), "text"),
    "path": (lambda value: isinstance(value, str), "text"),
    "every": (_number(1, 10**9, whole=True), "a whole number of at least 1"),
    "headers": (lambda value: _are_headers(value or {}), "an object of names and printable text"),
    "content_type": (lambda value: _are_headers({"content-type": value}), "printable text"),
    "delay": (_number(0, 600), "seconds from 0 to 600"),
    "slow": (_number(0, 600), "seconds from 0 to 600"),
    "cut_after": (_number(0, 10**9, whole=True), "a number of bytes"),
}

_is_error = _number(400, 599, whole=True)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PRINTABLE = re.compile(r"[ -~\xa0-\xff]*")


def _are_headers(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(text, str) and _NAME.fullmatch(name) and _PRINTABLE.fullmatch(text)
        for name, text in value.items()
    )


def new_fault(world: World, body: Row) -> Row:
    """Add a fault."""
    given = {key: value for key, value in body.items() if value is not None}
    fault = {"id": world.new_id("faults"), **DEFAULTS, **given, "left": 0, "drawn": 0}
    if fault["kind"] == "custom":
        # It strikes until it is removed, and with a status it answers in place of the service.
        fault |= {"status": given.get("status"), "times": given.get("times", MOST_TIMES)}
    fault["left"] = fault["times"]
    return world.put("faults", fault)


def fault_json(fault: Row) -> Row:
    """A fault as JSON for the list."""
    return {key: value for key, value in fault.items() if value is not None and key != "drawn"}


def for_call(world: World, request: Request) -> Row | None:
    """The fault for this call, if any; control calls are never affected."""
    if request.path.startswith("/_simulator"):
        return None
    if not world.tables["faults"].rows:
        return None
    operation = _operation(world.service, request)
    return _strike(world, lambda fault: _fits(fault, request, operation))


def for_event(world: World, event_type: str) -> Row | None:
    """The fault for this event, if any."""
    return _strike(
        world,
        lambda fault: fault["kind"] in ON_EVENTS and fault["event_type"] in (None, event_type),
    )


def _operation(service: Service, request: Request) -> str | None:
    routes, _ = service.match(request.path)
    return routes[request.method].operation if request.method in routes else None


def _fits(fault: Row, request: Request, operation: str | None) -> bool:
    if fault["kind"] not in ON_CALLS or fault.get("operation") not in (None, operation):
        return False
    if fault["kind"] == "bad_cursor" and "cursor=" not in request.query:
        return False
    method, path = fault["method"], fault["path"]
    same_method = method is None or method.upper() == request.method
    return same_method and (path is None or fnmatchcase(request.path, path))


def _strike(world: World, fits: Callable[[Row], bool]) -> Row | None:
    """Draw for each fault that fits, and use the first that is hit."""
    for fault in world.tables["faults"].rows.values():
        if fault["left"] == 0 or not fits(fault):
            continue
        fault["drawn"] += 1
        chance = random.Random(f"{fault['seed']}:{fault['drawn']}").random()  # noqa: S311 - no secret
        is_hit = chance < fault["probability"] and fault["drawn"] % (fault.get("every") or 1) == 0
        if is_hit:
            fault["left"] -= 1
        world.put("faults", fault)
        if is_hit:
            return fault
    return None


def is_instead(fault: Row) -> bool:
    """Whether a fault answers in place of the service."""
    return fault["kind"] in INSTEAD or (fault["kind"] == "custom" and fault["status"] is not None)


def instead(service: Service, fault: Row, now: datetime) -> Reply:
    """The response of a fault instead of the service's, at time `now`."""
    kind = fault["kind"]
    if kind == "html":
        page = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"
        return Reply(502, page, {"content-type": "text/html"})
    if kind == "bad_cursor":
        return BadCursor().reply()
    if kind in ("refuse", "timeout"):
        return Reply(503)
    if kind == "custom" and fault.get("body") is not None:
        return Reply(fault["status"])
    pause = 1 if fault["retry_after"] is None and fault["status"] == 429 else fault["retry_after"]
    limits = service.rate_limits
    extra = {} if pause is None else {limits.header.lower(): WAITS[limits.unit](pause, now)}
    return Refused(fault["status"], f"simulated {fault['status']}", headers=extra).reply(service)


def change(fault: Row, reply: Reply) -> Reply:
    """The reply with the damage, delay, headers and body of a fault."""
    if fault["kind"] in CUTS:
        return replace(reply, cut=fault["kind"])
    if fault["kind"] != "custom":
        return reply
    body, headers, kept = reply.body, dict(reply.headers), fault.get("cut_after")
    if (given := fault.get("body")) is not None:
        body = given.encode() if isinstance(given, str) else dump(given)
        headers["content-type"] = "text/plain" if isinstance(given, str) else "application/json"
    headers |= {name.lower(): text for name, text in (fault.get("headers") or {}).items()}
    if fault.get("content_type"):
        headers["content-type"] = fault["content_type"]
    times = {name: float(fault.get(name) or 0) for name in ("delay", "slow")}
    cut = None if kept is None else "truncate"
    return Reply(reply.status, body, headers, cut=cut, kept=kept, **times)


WAITS: Mapping[str, Callable[[float, datetime], str]] = {
    "seconds": lambda pause, now: f"{pause:g}",
    "milliseconds": lambda pause, now: str(ceil(pause * 1000)),
    "unix_time": lambda pause, now: str(ceil(now.timestamp() + pause)),
    "date": lambda pause, now: format_datetime(
        datetime.fromtimestamp(ceil(now.timestamp() + pause), UTC), usegmt=True
    ),
}
"""The header of a 429 with the time to wait. Assumption `errors.server`."""


HELD = 60
"""Seconds that a held event waits for the next event."""
EVENT_CHANGES: Mapping[str, Callable[[World, Row, Row], list[Row]]] = {
    "event_drop": lambda world, row, fault: [],
    "event_duplicate": lambda world, row, fault: [{}, {}],
    "event_delay": lambda world, row, fault: [
        {"lane": f"{row['lane']} late {row['event_type']}", "due": world.after(fault["seconds"])}
    ],
    "event_reorder": lambda world, row, fault: [
        {"lane": f"{row['lane']} held", "due": world.after(HELD)}
    ],
}
"""The changes of each delivery of an event under a fault; empty if it is dropped."""
