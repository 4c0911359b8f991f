"""The operations of the control API, and the operation of each path."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from ..errors.names import find_nearest_name
from ..spec.route import PLACEHOLDER, Route, RouteTable
from ..spec.service.service import Service
from .messages import RefusedError

CONTROL = "/_simulator"
"""The path prefix of the control API; no service uses it."""


def _route(control_name: str, method: str, path: str) -> Route:
    """The route of a control, whose path follows the prefix of the control API."""
    return Route(f"control.{control_name}", method, f"{CONTROL}{path}")


CONTROLS = (
    _route("summary", "GET", ""),
    _route("seed", "POST", "/seed"),
    _route("add_person", "POST", "/people"),
    _route("add_account", "POST", "/accounts"),
    _route("history", "GET", "/objects/{id}"),
    _route("move_object", "POST", "/objects/{id}"),
    _route("clock", "POST", "/clock"),
    _route("pay_in", "POST", "/balances"),
    _route("balance", "GET", "/balances"),
    _route("funds", "GET", "/funds"),
    _route("coin_returns", "GET", "/returns"),
    _route("scenarios", "GET", "/scenarios"),
    _route("add_fault", "POST", "/faults"),
    _route("list_faults", "GET", "/faults"),
    _route("remove_fault", "DELETE", "/faults/{id}"),
    _route("clear_faults", "DELETE", "/faults"),
    _route("requests", "GET", "/requests"),
    _route("journal", "GET", "/journal"),
    _route("name_test", "POST", "/test"),
    _route("events", "GET", "/events"),
    _route("send_event", "POST", "/events"),
    _route("deliveries", "GET", "/deliveries"),
    _route("deliver", "POST", "/deliveries"),
    _route("openapi", "GET", "/openapi.json"),
    _route("read_snapshot", "GET", "/snapshot"),
    _route("write_snapshot", "PUT", "/snapshot"),
    _route("reset", "POST", "/reset"),
)
"""The operations of one world. Each has its function in `control_api`."""

WORLDS = (
    _route("create_world", "POST", "/worlds"),
    _route("end_world", "DELETE", "/worlds/{id}"),
)
"""The operations on the worlds of a server, in `server`."""

_CONTROLS = RouteTable(CONTROLS)
_WORLDS = RouteTable(WORLDS)


def find_operation(service: Service, method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The operation of a path and the values of its placeholders. RefusedError if there is none."""
    return _find_route(_CONTROLS if path.startswith(CONTROL) else service, method, path)


def find_world_operation(method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The operation of a path below /_simulator/worlds, and the values of its placeholders.

    RefusedError if there is none.
    """
    return _find_route(_WORLDS, method, path)


def operation_at(service: Service, method: str, path: str) -> str | None:
    """The operation of the service at a path, or None."""
    routes, _ = service.match(path)
    if method not in routes:
        return None
    return routes[method].operation


def find_fitting_routes(service: Service, pattern: str) -> tuple[Route, ...]:
    """The routes of the service that a path matches; the path may have wildcards: `/v1/quotes*`."""
    routes_by_method, _ = service.match(pattern)
    if routes_by_method:
        return tuple(routes_by_method.values())
    pattern = PLACEHOLDER.sub("*", pattern)
    return tuple(route for route in service.routes if fnmatchcase(route.template, pattern))


def _find_route(
    table: RouteTable | Service, method: str, path: str
) -> tuple[str, Mapping[str, str]]:
    """The operation and the placeholders of a path.

    RefusedError with status 404 or 405 if there is none, and 400 for a control that is not known.
    """
    routes, placeholders = table.match(path)
    if method in routes:
        return routes[method].operation, placeholders
    if routes:
        methods = ", ".join(routes)
        raise RefusedError(405, f"this path takes {methods}", headers={"allow": methods})
    if path.startswith(CONTROL):
        raise RefusedError(400, _describe_unknown_control(path))
    raise RefusedError(404, "the path does not exist")


def _describe_unknown_control(path: str) -> str:
    """A sentence that there is no such control, with the one that is probably meant, or all."""
    templates_by_name: dict[str, list[str]] = {}
    for route in (*CONTROLS, *WORLDS):
        segment = _first_segment(route.template)
        templates_by_name.setdefault(segment, []).append(route.template)
    nearest_segment = find_nearest_name(_first_segment(path)[:100], templates_by_name)
    if nearest_segment:
        suggested_paths = " or ".join(dict.fromkeys(templates_by_name[nearest_segment]))
        return f"there is no control {path[:100]}: is {suggested_paths} meant?"
    templates = [template for templates in templates_by_name.values() for template in templates]
    return f"there is no control {path[:100]}: there are {', '.join(dict.fromkeys(templates))}"


def _first_segment(path: str) -> str:
    """The part of a path that follows the prefix of the control API, up to the next slash."""
    return path.removeprefix(CONTROL).strip("/").partition("/")[0]
