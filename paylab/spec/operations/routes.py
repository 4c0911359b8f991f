"""The routes of the operations in one service."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from ...errors.base import MissingOperationError, ServiceError
from ..route import PLACEHOLDER, Route, make_template_shape
from ..service.setting import setting_key_of
from ..service.tree import ServiceSettings
from ..service.value_types import NONE
from .records import OPERATIONS


def make_routes(service: ServiceSettings) -> tuple[Route, ...]:
    """The routes of a service; an operation that it does not have is left out."""
    all_routes = (
        Route(operation.name, operation.method, operation.path(service))
        for operation in OPERATIONS.values()
    )
    return tuple(route for route in all_routes if route.template != NONE)


def fill_path(name: str, service: ServiceSettings, parts: Mapping[str, str]) -> str:
    """Fill the placeholders in the path of an operation: `parts` has the value of each by name.

    MissingOperationError if the service has no such operation.
    """
    operation = OPERATIONS[name]
    template = operation.path(service)
    if template == NONE:
        path_key = setting_key_of(operation.path)
        raise MissingOperationError(
            f'the service has no operation {operation.name}: {path_key} is "{NONE}"; set it in '
            "service.toml if your provider documents a path",
            path_key,
        )
    return PLACEHOLDER.sub(lambda match: _encode_segment(parts[match[1]]), template)


def check_routes(routes: Collection[Route], changed_keys: Collection[str]) -> None:
    """Raise ServiceError if two operations have the same method and path.

    It names the key of one of the two paths, if possible one that was changed.
    """
    route_by_method_and_shape: dict[tuple[str, str], Route] = {}
    for route in routes:
        # Templates that differ in the names of placeholders only are the same path.
        method_and_shape = (route.method, make_template_shape(route.template))
        earlier_route = route_by_method_and_shape.setdefault(method_and_shape, route)
        if earlier_route is route:
            continue
        path_key = setting_key_of(OPERATIONS[route.operation].path)
        if path_key not in changed_keys:
            path_key = setting_key_of(OPERATIONS[earlier_route.operation].path)
        both_operations_text = f"{earlier_route.operation} and {route.operation}"
        message = (
            f"{path_key}: {route.method} {route.template} would be both {both_operations_text}"
        )
        raise ServiceError(message, path_key)


def _encode_segment(text: str) -> str:
    """Escape a value for one segment of a path.

    In "." and ".." the dots are escaped, too: HTTP clients would resolve them as folders.
    """
    encoded_text = quote(text, safe="", errors="surrogatepass")
    has_only_dots = not encoded_text.strip(".")
    return encoded_text.replace(".", "%2E") if has_only_dots else encoded_text
