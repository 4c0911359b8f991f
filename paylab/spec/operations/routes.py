"""The routes of the operations in one service."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from ...errors.base import MissingOperationError, ServiceError
from ..route import PLACEHOLDER, Route, make_template_shape
from ..service.setting import key_of
from ..service.tree import ServiceSettings
from ..service.value_types import NONE
from .records import OPERATIONS


def make_routes(service: ServiceSettings) -> tuple[Route, ...]:
    """The routes of a service."""
    all_routes = (
        Route(record.name, record.method, record.path(service)) for record in OPERATIONS.values()
    )
    return tuple(route for route in all_routes if route.template != NONE)


def fill_path(name: str, service: ServiceSettings, parts: Mapping[str, str]) -> str:
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
    return PLACEHOLDER.sub(lambda match: _encode_segment(parts[match[1]]), template)


def check_routes(routes: Collection[Route], changed_keys: Collection[str]) -> None:
    """ServiceError if two operations have the same method and path."""
    routes_by_shape: dict[tuple[str, str], Route] = {}
    for route in routes:
        shape = (route.method, make_template_shape(route.template))
        earlier_route = routes_by_shape.setdefault(shape, route)
        if earlier_route is route:
            continue
        key = key_of(OPERATIONS[route.operation].path)
        if key not in changed_keys:
            key = key_of(OPERATIONS[earlier_route.operation].path)
        message = f"{key}: {route.method} {route.template} would be both "
        raise ServiceError(f"{message}{earlier_route.operation} and {route.operation}", key)


def _encode_segment(text: str) -> str:
    """One segment of a path; segments of dots are escaped, because they would be resolved."""
    encoded_text = quote(text, safe="", errors="surrogatepass")
    has_only_dots = not encoded_text.strip(".")
    return encoded_text.replace(".", "%2E") if has_only_dots else encoded_text


def find_reading_operation(operation: str) -> str:
    """The operation that reads the result of an operation."""
    return f"{operation.partition('.')[0]}.get"
