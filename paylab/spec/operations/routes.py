"""The routes of the operations in one service."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from ...errors.base import MissingOperationError, ServiceError
from ..route import PLACEHOLDER, Route, form_of
from ..service.setting import key_of
from ..service.tree import ServiceSettings
from ..service.value_types import NONE
from .records import OPERATIONS


def routes(service: ServiceSettings) -> tuple[Route, ...]:
    """The routes of a service."""
    all_routes = (
        Route(record.name, record.method, record.path(service)) for record in OPERATIONS.values()
    )
    return tuple(route for route in all_routes if route.template != NONE)


def path(name: str, service: ServiceSettings, parts: Mapping[str, str]) -> str:
    """The path of an operation with placeholders filled in; MissingOperationError if none."""
    operation = OPERATIONS[name]
    template = operation.path(service)
    if template == NONE:
        key = key_of(operation.path)
        raise MissingOperationError(
            f'the service has no operation {operation.name}: {key} is "{NONE}"; set it in '
            "service.toml if your provider documents a path",
            key,
        )
    return PLACEHOLDER.sub(lambda found: _segment(parts[found[1]]), template)


def check(routes: Collection[Route], given: Collection[str]) -> None:
    """ServiceError if two operations have the same method and path."""
    routes_by_place: dict[tuple[str, str], Route] = {}
    for route in routes:
        place = route.method, form_of(route.template)
        earlier = routes_by_place.setdefault(place, route)
        if earlier is not route:
            keys = [
                key_of(OPERATIONS[same_place.operation].path) for same_place in (route, earlier)
            ]
            key = keys[0] if keys[0] in given else keys[1]
            message = f"{key}: {route.method} {route.template} would be both "
            raise ServiceError(f"{message}{earlier.operation} and {route.operation}", key)


def _segment(text: str) -> str:
    """One segment of a path; segments of dots are escaped, because they would be resolved."""
    encoded = quote(text, safe="", errors="surrogatepass")
    return encoded.replace(".", "%2E") if not encoded.strip(".") else encoded


def reading(operation: str) -> str:
    """The operation that reads the result of an operation."""
    return f"{operation.partition('.')[0]}.get"
