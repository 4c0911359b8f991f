"""The operation of a path: of the service, or of the control API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..spec.operations.routes import Route, RouteTable
from ..spec.service import Service
from .control_table import CONTROL, CONTROLS, WORLDS, Control
from .messages import Refused


def _routes(controls: Iterable[Control]) -> tuple[Route, ...]:
    return tuple(Route(f"control.{each.name}", each.method, each.template, "") for each in controls)


CONTROL_ROUTES = _routes(CONTROLS)
"""The routes of the controls of one world."""

_CONTROL_TABLE, _WORLD_TABLE = RouteTable(CONTROL_ROUTES), RouteTable(_routes(WORLDS))


def find_operation(service: Service, method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The operation of a path, and the values of placeholders; else a 404 or 405."""
    return _find(_CONTROL_TABLE if path.startswith(CONTROL) else service, method, path)


def find_world_operation(method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The same for a path below /_simulator/worlds."""
    return _find(_WORLD_TABLE, method, path)


def operation_at(service: Service, method: str, path: str) -> str | None:
    """The operation of the service at a path, if any."""
    routes, _ = service.match(path)
    return routes[method].operation if method in routes else None


def _find(table: RouteTable | Service, method: str, path: str) -> tuple[str, Mapping[str, str]]:
    routes, parts = table.match(path)
    if method in routes:
        return routes[method].operation, parts
    if not routes:
        raise Refused(404, "the path does not exist")
    allowed = ", ".join(routes)
    raise Refused(405, f"this path takes {allowed}", headers={"allow": allowed})
