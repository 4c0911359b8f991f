"""The operations of the control API, and the operation of each path."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from ..errors.suggestions import find_nearest_name
from ..spec.route import PLACEHOLDER, Route, RouteTable
from ..spec.service.service import Service
from .messages import RefusedError

CONTROL = "/_simulator"
"""The path prefix of the control API; no service uses it."""


def _make_route(control_name: str, method: str, path: str) -> Route:
    """The route of a control, whose path follows the prefix of the control API."""
    return Route(f"control.{control_name}", method, f"{CONTROL}{path}")


CONTROLS = (
    _make_route("summary", "GET", ""),
    _make_route("seed", "POST", "/seed"),
    _make_route("add_person", "POST", "/people"),
    _make_route("add_account", "POST", "/accounts"),
    _make_route("history", "GET", "/objects/{id}"),
    _make_route("move_object", "POST", "/objects/{id}"),
    _make_route("clock", "POST", "/clock"),
    _make_route("pay_in", "POST", "/balances"),
    _make_route("balance", "GET", "/balances"),
    _make_route("funds", "GET", "/funds"),
    _make_route("coin_returns", "GET", "/returns"),
    _make_route("scenarios", "GET", "/scenarios"),
    _make_route("add_fault", "POST", "/faults"),
    _make_route("list_faults", "GET", "/faults"),
    _make_route("remove_fault", "DELETE", "/faults/{id}"),
    _make_route("clear_faults", "DELETE", "/faults"),
    _make_route("requests", "GET", "/requests"),
    _make_route("journal", "GET", "/journal"),
    _make_route("name_test", "POST", "/test"),
    _make_route("events", "GET", "/events"),
    _make_route("send_event", "POST", "/events"),
    _make_route("deliveries", "GET", "/deliveries"),
    _make_route("deliver", "POST", "/deliveries"),
    _make_route("openapi", "GET", "/openapi.json"),
    _make_route("read_snapshot", "GET", "/snapshot"),
    _make_route("write_snapshot", "PUT", "/snapshot"),
    _make_route("reset", "POST", "/reset"),
)
"""The operations of one world. Each has its function in `control_api`."""

WORLDS = (
    _make_route("create_world", "POST", "/worlds"),
    _make_route("end_world", "DELETE", "/worlds/{id}"),
)
"""The operations on the worlds of a server, in `server`."""

_CONTROLS = RouteTable(CONTROLS)
_WORLDS = RouteTable(WORLDS)


def find_operation(service: Service, method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The operation of a path and the values of its placeholders. RefusedError if there is none."""
    return _find_route(_choose_table(service, path), method, path)


def make_method_refusal(service: Service, path: str) -> RefusedError:
    """The refusal of a method that no path takes: 405, or 404 or 400 for an unknown path."""
    route_by_method, _ = _choose_table(service, path).match(path)
    return _make_refusal(path, allowed_methods=route_by_method)


def _choose_table(service: Service, path: str) -> RouteTable | Service:
    """What has the routes for a path: the controls of the simulator, or the service."""
    return _CONTROLS if path.startswith(CONTROL) else service


def find_world_operation(method: str, path: str) -> tuple[str, Mapping[str, str]]:
    """The operation of a path below /_simulator/worlds, and the values of its placeholders.

    RefusedError if there is none.
    """
    return _find_route(_WORLDS, method, path)


def operation_at(service: Service, method: str, path: str) -> str | None:
    """The operation of the service at a path, or None."""
    route_by_method, _ = service.match(path)
    if method not in route_by_method:
        return None
    return route_by_method[method].operation


def find_fitting_routes(service: Service, pattern: str) -> tuple[Route, ...]:
    """The routes of the service that a path matches; the path may have wildcards: `/v1/quotes*`."""
    has_wildcards = any(wildcard in pattern for wildcard in "*?[")
    if not has_wildcards:
        routes_by_method, _ = service.match(pattern)
        if routes_by_method:
            return tuple(routes_by_method.values())
    # `*` must not be taken for an id: it also stands for several parts of a path.
    wildcard_path = PLACEHOLDER.sub("*", pattern)
    return tuple(route for route in service.routes if fnmatchcase(route.template, wildcard_path))


def _find_route(
    table: RouteTable | Service, method: str, path: str
) -> tuple[str, Mapping[str, str]]:
    """The operation and the placeholders of a path.

    RefusedError with status 404 or 405 if there is none, and 400 for a control that is not known.
    """
    route_by_method, value_by_placeholder = table.match(path)
    if method not in route_by_method:
        raise _make_refusal(path, allowed_methods=route_by_method)
    return route_by_method[method].operation, value_by_placeholder


def _make_refusal(path: str, allowed_methods: Collection[str]) -> RefusedError:
    """The refusal of a method that a path does not take: 405, or 404 or 400 for an unknown path."""
    if allowed_methods:
        methods_text = ", ".join(allowed_methods)
        return RefusedError(405, f"this path takes {methods_text}", headers={"allow": methods_text})
    if path.startswith(CONTROL):
        return RefusedError(400, _describe_unknown_control(path))
    return RefusedError(404, "the path does not exist")


def _describe_unknown_control(path: str) -> str:
    """A sentence that there is no such control, with the one that is probably meant, or all."""
    templates_by_name: dict[str, list[str]] = {}
    for route in (*CONTROLS, *WORLDS):
        segment = _read_first_segment(route.template)
        templates_by_name.setdefault(segment, []).append(route.template)
    nearest_segment = find_nearest_name(_read_first_segment(path)[:100], templates_by_name)
    if nearest_segment:
        suggested_paths_text = " or ".join(dict.fromkeys(templates_by_name[nearest_segment]))
        return f"there is no control {path[:100]}: is {suggested_paths_text} meant?"
    templates = [template for templates in templates_by_name.values() for template in templates]
    return f"there is no control {path[:100]}: there are {', '.join(dict.fromkeys(templates))}"


def _read_first_segment(path: str) -> str:
    """The part of a path that follows the prefix of the control API, up to the next slash."""
    return path.removeprefix(CONTROL).strip("/").partition("/")[0]
