"""The operation of a path: of the service, or of the control API."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.operations.routes import Route, RouteTable
from ..spec.service import Service
from .messages import Refused

CONTROL = "/_simulator"
"""The path prefix of the control API; no service uses it."""

_CONTROLS = (
    ("control.summary", "GET", CONTROL),
    ("control.clock", "POST", f"{CONTROL}/clock"),
    ("control.reset", "POST", f"{CONTROL}/reset"),
    ("control.move_object", "POST", f"{CONTROL}/objects/{{id}}"),
    ("control.add_fault", "POST", f"{CONTROL}/faults"),
    ("control.list_faults", "GET", f"{CONTROL}/faults"),
    ("control.clear_faults", "DELETE", f"{CONTROL}/faults"),
    ("control.remove_fault", "DELETE", f"{CONTROL}/faults/{{id}}"),
    ("control.requests", "GET", f"{CONTROL}/requests"),
    ("control.seed", "POST", f"{CONTROL}/seed"),
    ("control.read_snapshot", "GET", f"{CONTROL}/snapshot"),
    ("control.write_snapshot", "PUT", f"{CONTROL}/snapshot"),
    ("control.deliveries", "GET", f"{CONTROL}/deliveries"),
    ("control.events", "GET", f"{CONTROL}/events"),
    ("control.scenarios", "GET", f"{CONTROL}/scenarios"),
)

CONTROLS = tuple(Route(name, method, path, "") for name, method, path in _CONTROLS)

_CONTROL_TABLE = RouteTable(CONTROLS)


def find_operation(service: Service, method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The operation of a path, and the values of placeholders; else a 404 or 405."""
    table = _CONTROL_TABLE if path.startswith(CONTROL) else service
    routes, parts = table.match(path)
    if method in routes:
        return routes[method].operation, parts
    if not routes:
        raise Refused(404, "the path does not exist")
    allowed = ", ".join(routes)
    raise Refused(405, f"this path takes {allowed}", headers={"allow": allowed})
