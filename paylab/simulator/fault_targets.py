"""The calls or events that a fault applies to, by the name of an operation, a route or a type."""

from __future__ import annotations

import fnmatch
import re

from ..errors.base import UnknownNameError
from ..errors.names import find_nearest_names
from ..spec.codes import EVENT_TYPES
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from .deliveries import check_event_type
from .fault_kinds import KINDS, ON_EVENTS


def fault_target(name: str, kind: str, service: Service) -> dict[str, str]:
    """The details that select the calls or events of a fault. UnknownNameError for a wrong name."""
    if name in EVENT_TYPES and kind in KINDS and kind not in ON_EVENTS:
        raise UnknownNameError("fault of events", kind, tuple(ON_EVENTS))
    if kind in ON_EVENTS:
        check_event_type(name)
        return {"event_type": name}
    if name.partition(" ")[2].startswith("/"):
        return _route_target(name, service)
    if name not in OPERATIONS:
        raise UnknownNameError("operation", name, find_nearest_names(name, OPERATIONS))
    return {"operation": name}


def _route_target(name: str, service: Service) -> dict[str, str]:
    """The details that select the calls of a route. UnknownNameError if there is no such route."""
    method, _, path = name.partition(" ")
    method = method.upper()
    pattern = re.sub(r"\{\w+\}", "*", path)
    templates = [route.template for route in service.routes if route.method == method]
    routes_by_method, _ = service.match(path)
    if method not in routes_by_method and not fnmatch.filter(templates, pattern):
        routes = {f"{route.method} {route.template}": route for route in service.routes}
        raise UnknownNameError("operation", name, find_nearest_names(name, routes))
    return {"method": method, "path": pattern}
